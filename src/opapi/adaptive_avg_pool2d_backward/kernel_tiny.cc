#include <cstdint>

#include "base/float16.h"
#include "opapi/adaptive_avg_pool2d_backward/kernel.h"
#include "opapi/adaptive_avg_pool2d_backward/windows.h"

// Problems so small that filling the tables of the other variants would take longer than the work:
// plain loops for any strides, in row-major order.

namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace {

// One axis: `windows` of the gradients, `covers` of the elements of out.
struct Axis {
  Axis(int64_t extent, int64_t grad_extent) {
    FillWindows(extent, grad_extent, windows);
    FillWindows(grad_extent, extent, covers);
  }
  Window windows[kMaxTinyExtents];
  Window covers[kMaxTinyExtents];
};

void SumRows(Window cover, int64_t grad_width, const float* quotients, float* sums) {
  for (int64_t ow = 0; ow < grad_width; ++ow) {
    float sum = 0;
    for (int64_t oh = cover.begin; oh < cover.end; ++oh) sum += quotients[oh * grad_width + ow];
    sums[ow] = sum;
  }
}

template <typename T>
void RunPlane(const Problem& problem, const Axis& rows, const Axis& columns, const T* grad, T* out,
              float* workspace) {
  const int64_t grad_width = problem.grad_width();
  float* const quotients = workspace;
  float* const sums = workspace + kMaxTinyTerms;
  for (int64_t oh = 0; oh < problem.grad_height(); ++oh) {
    const int64_t height = rows.windows[oh].end - rows.windows[oh].begin;
    const T* const from = grad + oh * problem.grad.strides[2];
    for (int64_t ow = 0; ow < grad_width; ++ow) {
      const int64_t area = height * (columns.windows[ow].end - columns.windows[ow].begin);
      quotients[oh * grad_width + ow] =
          ToWide(from[ow * problem.grad.strides[3]]) / static_cast<float>(area);
    }
  }
  const int64_t step = problem.out.strides[3];
  for (int64_t h = 0; h < problem.height(); ++h) {
    SumRows(rows.covers[h], grad_width, quotients, sums);
    T* to = out + h * problem.out.strides[2];
    for (int64_t w = 0; w < problem.width(); ++w, to += step) {
      const Window cover = columns.covers[w];
      float element = sums[cover.begin];
      for (int64_t ow = cover.begin + 1; ow < cover.end; ++ow) element += sums[ow];
      StoreNarrow(element, to);
    }
  }
}

template <typename T>
void RunPlanesOf(const KernelArgs& args) {
  const Problem& problem = args.plan.problem();
  const Axis rows(problem.height(), problem.grad_height());
  const Axis columns(problem.width(), problem.grad_width());
  PlaneCursor cursor(0, problem.out.extents[1]);
  for (int64_t plane = 0; plane < problem.planes(); ++plane, cursor.Next()) {
    RunPlane(problem, rows, columns,
             reinterpret_cast<const T*>(args.grad) + cursor.OffsetIn(problem.grad),
             reinterpret_cast<T*>(args.out) + cursor.OffsetIn(problem.out),
             reinterpret_cast<float*>(args.workspace));
  }
}

}  // namespace

void RunTiny(const KernelArgs& args) {
  switch (args.plan.problem().out_dtype) {
    case ACL_FLOAT16:
      return RunPlanesOf<Float16>(args);
    case ACL_BF16:
      return RunPlanesOf<BFloat16>(args);
    default:
      return RunPlanesOf<float>(args);
  }
}

}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
