#include "opapi/adaptive_avg_pool2d_backward/kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "opapi/adaptive_avg_pool2d_backward/kernel_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "base/float16.h"
#include "opapi/adaptive_avg_pool2d_backward/gradients-inl.h"
#include "opapi/adaptive_avg_pool2d_backward/windows.h"
#include "simd/convert-inl.h"
#include "simd/targets.h"

// Every layout: a row of out is computed as packed floats, narrowed, and scattered.

#ifndef ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_ROWS_JOB_
#define ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_ROWS_JOB_

namespace aclnn_cpu::adaptive_avg_pool2d_backward {

// One run: what all blocks share.
struct RowsJob {
  const Problem& problem;
  const std::byte* grad;
  std::byte* out;
  int64_t grad_bytes;  // of an element
  int64_t out_bytes;
  const Window* row_windows;
  const Window* column_windows;
  // Areas of the column windows times the height of a row window: [0] for windows of
  // `low_height` rows, [1] for one row more; there are no other heights.
  const float* divisors[2];
  int64_t low_height;
};

// A block's part of the workspace.
struct RowsScratch {
  float* grad_row;
  float* column_sums;
  float* out_row;
  std::byte* narrowed;
};

}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward

#endif  // ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_ROWS_JOB_

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
namespace simd = aclnn_cpu::HWY_NAMESPACE;

// A row of gradOutput as packed floats, in `buffer` unless it lies so already.
const float* LoadRow(aclDataType dtype, const std::byte* from, int64_t stride, int64_t count,
                     float* buffer) {
  if (dtype == ACL_FLOAT && stride == 1) return reinterpret_cast<const float*>(from);
  if (dtype == ACL_FLOAT16) {
    GatherAsFloat(reinterpret_cast<const Float16*>(from), stride, count, buffer);
  } else if (dtype == ACL_BF16) {
    GatherAsFloat(reinterpret_cast<const BFloat16*>(from), stride, count, buffer);
  } else {
    GatherAsFloat(reinterpret_cast<const float*>(from), stride, count, buffer);
  }
  return buffer;
}

// The only rounding to out's dtype. A float row is already where it has to be.
void NarrowRow(aclDataType dtype, const float* from, int64_t count, std::byte* to) {
  if (dtype == ACL_FLOAT16) {
    simd::NarrowRow(from, static_cast<size_t>(count), reinterpret_cast<Float16*>(to));
  } else if (dtype == ACL_BF16) {
    simd::NarrowRow(from, static_cast<size_t>(count), reinterpret_cast<BFloat16*>(to));
  } else if (dtype == ACL_DOUBLE) {
    double* doubles = reinterpret_cast<double*>(to);
    for (int64_t i = 0; i < count; ++i) doubles[i] = static_cast<double>(from[i]);
  }
}

template <typename Bits>
void ScatterRow(const std::byte* from, int64_t count, std::byte* to, int64_t stride) {
  const Bits* source = reinterpret_cast<const Bits*>(from);
  Bits* target = reinterpret_cast<Bits*>(to);
  for (int64_t i = 0; i < count; ++i) target[i * stride] = source[i];
}

void StoreRow(const std::byte* from, int64_t element_bytes, int64_t count, std::byte* to,
              int64_t stride) {
  if (stride == 1) {
    std::memcpy(to, from, static_cast<size_t>(count * element_bytes));
  } else if (element_bytes == 2) {
    ScatterRow<uint16_t>(from, count, to, stride);
  } else if (element_bytes == 4) {
    ScatterRow<uint32_t>(from, count, to, stride);
  } else {
    ScatterRow<uint64_t>(from, count, to, stride);
  }
}

// sums[i] += row[i] / divisors[i]
void AddQuotients(const float* row, const float* divisors, int64_t count, float* sums) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto quotient = hn::Div(hn::LoadU(d, row + i), hn::Load(d, divisors + i));
    hn::Store(hn::Add(hn::Load(d, sums + i), quotient), d, sums + i);
  }
  for (; i < count; ++i) sums[i] += row[i] / divisors[i];
}

// row[w] += value for begin <= w < end
void AddToWindow(Window window, float value, float* row) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto values = hn::Set(d, value);
  int64_t w = window.begin;
  for (; w + lanes <= window.end; w += lanes) {
    hn::StoreU(hn::Add(hn::LoadU(d, row + w), values), d, row + w);
  }
  for (; w < window.end; ++w) row[w] += value;
}

// One row of out: `cover` are the rows of gradOutput whose windows contain it.
void ComputeRow(const RowsJob& job, const std::byte* grad_plane, Window cover,
                const RowsScratch& scratch) {
  const Problem& problem = job.problem;
  const int64_t grad_width = problem.grad_width();
  std::fill_n(scratch.column_sums, grad_width, 0.0f);
  for (int64_t oh = cover.begin; oh < cover.end; ++oh) {
    const std::byte* at = grad_plane + oh * problem.grad.strides[2] * job.grad_bytes;
    const float* row =
        LoadRow(problem.grad_dtype, at, problem.grad.strides[3], grad_width, scratch.grad_row);
    const Window rows = job.row_windows[oh];
    const float* divisors = job.divisors[rows.end - rows.begin - job.low_height];
    AddQuotients(row, divisors, grad_width, scratch.column_sums);
  }
  std::fill_n(scratch.out_row, problem.width(), 0.0f);
  for (int64_t ow = 0; ow < grad_width; ++ow) {
    AddToWindow(job.column_windows[ow], scratch.column_sums[ow], scratch.out_row);
  }
  NarrowRow(problem.out_dtype, scratch.out_row, problem.width(), scratch.narrowed);
}

void RunRowsOfBlock(const RowsJob& job, int64_t first_row, int64_t end_row,
                    const RowsScratch& scratch) {
  const Problem& problem = job.problem;
  const int64_t height = problem.height();
  const int64_t channels = problem.out.extents[1];
  for (int64_t row = first_row; row < end_row;) {
    const int64_t plane = row / height;
    const int64_t n = plane / channels;
    const int64_t c = plane % channels;
    const Dims& gs = problem.grad.strides;
    const Dims& os = problem.out.strides;
    const std::byte* grad_plane = job.grad + (n * gs[0] + c * gs[1]) * job.grad_bytes;
    std::byte* out_plane = job.out + (n * os[0] + c * os[1]) * job.out_bytes;
    const int64_t end_h = std::min(height, row % height + end_row - row);
    Window cover{0, 0};
    for (int64_t h = row % height; h < end_h; ++h, ++row) {
      const Window next = CoverOf(job.row_windows, problem.grad_height(), h, cover);
      // A row under the same rows of gradOutput as the one above equals it.
      if (next.begin != cover.begin || next.end != cover.end) {
        ComputeRow(job, grad_plane, next, scratch);
        cover = next;
      }
      StoreRow(scratch.narrowed, job.out_bytes, problem.width(),
               out_plane + h * os[2] * job.out_bytes, os[3]);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace {

HWY_EXPORT(RunRowsOfBlock);

void FillTables(const Problem& problem, const RowsLayout& layout, std::byte* workspace) {
  FillWindows(problem.height(), problem.grad_height(),
              reinterpret_cast<Window*>(workspace + layout.row_windows));
  Window* columns = reinterpret_cast<Window*>(workspace + layout.column_windows);
  FillWindows(problem.width(), problem.grad_width(), columns);
  for (int64_t extra = 0; extra < 2; ++extra) {
    const int64_t height = LowWindowLength(problem.height(), problem.grad_height()) + extra;
    float* divisors = reinterpret_cast<float*>(workspace + layout.divisors[extra]);
    for (int64_t ow = 0; ow < problem.grad_width(); ++ow) {
      divisors[ow] = static_cast<float>(height * (columns[ow].end - columns[ow].begin));
    }
  }
}

}  // namespace

void RunRows(const KernelArgs& args) {
  const Plan& plan = args.plan;
  const Problem& problem = plan.problem();
  const RowsLayout& layout = plan.layout<RowsLayout>();
  FillTables(problem, layout, args.workspace);
  const RowsJob job{
      .problem = problem,
      .grad = args.grad,
      .out = args.out,
      .grad_bytes = DtypeBytes(problem.grad_dtype),
      .out_bytes = DtypeBytes(problem.out_dtype),
      .row_windows = reinterpret_cast<const Window*>(args.workspace + layout.row_windows),
      .column_windows = reinterpret_cast<const Window*>(args.workspace + layout.column_windows),
      .divisors = {reinterpret_cast<const float*>(args.workspace + layout.divisors[0]),
                   reinterpret_cast<const float*>(args.workspace + layout.divisors[1])},
      .low_height = LowWindowLength(problem.height(), problem.grad_height()),
  };
  const auto run_rows = ACLNN_CPU_DISPATCH(RunRowsOfBlock);
  RunBlocks(args, [&](int64_t first, int64_t end, std::byte* own) {
    const RowsScratch scratch{reinterpret_cast<float*>(own + layout.grad_row),
                              reinterpret_cast<float*>(own + layout.column_sums),
                              reinterpret_cast<float*>(own + layout.out_row),
                              own + layout.narrowed};
    run_rows(job, first, end, scratch);
  });
}

}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
#endif  // HWY_ONCE
