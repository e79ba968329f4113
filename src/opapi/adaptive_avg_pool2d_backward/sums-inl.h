// The variant "planes": gradients divided and summed over the rows of gradOutput, in scratch.

// Per-target include guard
#if defined(ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_SUMS_INL_H_
#undef ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_SUMS_INL_H_
#else
#define ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_SUMS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

#include "opapi/adaptive_avg_pool2d_backward/gradients-inl.h"
#include "opapi/adaptive_avg_pool2d_backward/planes_job.h"
#include "opapi/adaptive_avg_pool2d_backward/windows.h"
#include "simd/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
namespace simd = aclnn_cpu::HWY_NAMESPACE;

// A block's part of the workspace and what it knows of the plane it is in.
template <typename T>
struct PlanesScratch {
  float* quotients;
  float* gathered;
  float* sums;
  float* float_row;
  T* row;
  int64_t quotient_row = -1;  // the row of gradOutput that quotients holds, without whole planes

  PlanesScratch(const PlanesLayout& layout, std::byte* own)
      : quotients(reinterpret_cast<float*>(own + layout.quotients)),
        gathered(reinterpret_cast<float*>(own + layout.gathered)),
        sums(reinterpret_cast<float*>(own + layout.sums)),
        float_row(reinterpret_cast<float*>(own + layout.float_row)),
        row(reinterpret_cast<T*>(own + layout.row)) {}
};

template <typename T>
const T* GradRow(const PlanesJob& job, const std::byte* grad_plane, int64_t oh) {
  return reinterpret_cast<const T*>(grad_plane) + oh * job.problem.grad.strides[2];
}

template <typename T>
void DivideRow(const PlanesJob& job, const T* gradients, const float* divisors, float* gathered,
               float* quotients) {
  const int64_t count = job.problem.grad_width();
  const int64_t stride = job.problem.grad.strides[3];
  const bool reciprocals = job.divisors_are_reciprocals;
  if (stride == 1) {
    Quotients(gradients, divisors, reciprocals, static_cast<size_t>(count), quotients);
  } else {
    GatherAsFloat(gradients, stride, count, gathered);
    Quotients(gathered, divisors, reciprocals, static_cast<size_t>(count), quotients);
  }
}

template <typename T>
void DividePlane(const PlanesJob& job, const T* grad_plane, float* gathered, float* quotients) {
  const Dims& strides = job.problem.grad.strides;
  const int64_t grad_height = job.problem.grad_height();
  const int64_t grad_width = job.problem.grad_width();
  if (strides[3] == 1 && strides[2] == grad_width) {
    Quotients(grad_plane, job.divisors, job.divisors_are_reciprocals,
              static_cast<size_t>(grad_height * grad_width), quotients);
    return;
  }
  for (int64_t oh = 0; oh < grad_height; ++oh) {
    DivideRow(job, grad_plane + oh * strides[2], job.divisors + oh * grad_width, gathered,
              quotients + oh * grad_width);
  }
}

// The quotients of whole planes, one plane after the other, some of them ahead: by the time they
// are read they are in the cache.
template <typename T>
class PlaneQuotients {
 public:
  // For the planes of these rows. Does nothing, and is of no use, without whole planes.
  PlaneQuotients(const PlanesJob& job, int64_t first_row, int64_t end_row,
                 const PlanesScratch<T>& scratch)
      : job_(job),
        quotients_(scratch.quotients),
        gathered_(scratch.gathered),
        divided_(first_row / job.problem.height(), job.problem.out.extents[1]),
        left_((end_row - 1) / job.problem.height() + 1 - first_row / job.problem.height()) {
    if (!job.layout.whole_plane) return;
    const int64_t cells = job.problem.grad_height() * job.problem.grad_width();
    for (int64_t slot = 0; slot < job.layout.slots; ++slot) {
      std::fill_n(At(slot) + cells, job.problem.grad_width(), 0.0f);
    }
    for (int64_t i = 1; i < job.layout.slots; ++i) Divide();
  }

  // Followed by a row of zeros. They stay until the next call.
  float* Next() {
    Divide();
    return At(next_++ % job_.layout.slots);
  }

 private:
  float* At(int64_t slot) const { return quotients_ + slot * job_.layout.quotients_stride; }

  void Divide() {
    if (left_ == 0) return;
    const T* grad = reinterpret_cast<const T*>(job_.grad) + divided_.OffsetIn(job_.problem.grad);
    DividePlane(job_, grad, gathered_, At(count_++ % job_.layout.slots));
    divided_.Next();
    --left_;
  }

  const PlanesJob& job_;
  float* const quotients_;
  float* const gathered_;
  PlaneCursor divided_;
  int64_t left_;       // planes that are not divided
  int64_t count_ = 0;  // planes that are
  int64_t next_ = 0;
};

// Where windows are two columns wide but for a few of one or three. The remainder of
// ow * W / gradW moves by W - gradW per column.
template <typename T>
void DivideDiagonalRow(const PlanesJob& job, const T* gradients, int64_t height, float* quotients) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t grad_width = job.problem.grad_width();
  const int64_t narrower = job.problem.width() - grad_width;
  const int64_t run_width = narrower == 0 ? 1 : 2;
  const Divisor divisor = MakeDivisor(height * run_width);
  const auto divisors = hn::Set(d, divisor.value);
  int64_t rest = 0;
  for (int64_t ow = 0; ow < grad_width;) {
    int64_t runs =
        narrower == 0 ? (grad_width - ow) / lanes : (grad_width - rest) / (lanes * narrower);
    for (; runs > 0; --runs) {
      const auto gradient = simd::LoadAsFloat(d, gradients + ow);
      hn::StoreU(Quotient(d, gradient, divisors, divisor.is_reciprocal), d, quotients + ow);
      ow += lanes;
      rest += lanes * narrower;
    }
    if (ow == grad_width) break;
    if (rest == grad_width) rest = 0;
    const int64_t width = run_width + (rest + narrower > grad_width ? 1 : 0);
    quotients[ow] = 0 + Quotient(simd::ToWide(gradients[ow]), MakeDivisor(height * width));
    ++ow;
    rest += narrower;
    if (rest >= grad_width) rest -= grad_width;
  }
}

// Window height of a row of gradOutput.
HWY_INLINE int64_t HeightOf(const Problem& problem, int64_t oh) {
  const int64_t height = problem.height();
  const int64_t grad_height = problem.grad_height();
  return ((oh + 1) * height + grad_height - 1) / grad_height - oh * height / grad_height;
}

template <typename T>
const float* QuotientRow(const PlanesJob& job, const std::byte* grad_plane, int64_t oh,
                         PlanesScratch<T>& scratch) {
  const int64_t grad_width = job.problem.grad_width();
  if (job.layout.whole_plane) return scratch.quotients + oh * grad_width;
  if (scratch.quotient_row == oh) return scratch.quotients;
  scratch.quotient_row = oh;
  const T* gradients = GradRow<T>(job, grad_plane, oh);
  const int64_t height = HeightOf(job.problem, oh);
  if (job.layout.method == ColumnMethod::kDiagonal) {
    if (job.problem.grad.strides[3] == 1) {
      DivideDiagonalRow(job, gradients, height, scratch.quotients);
    } else {
      GatherAsFloat(gradients, job.problem.grad.strides[3], grad_width, scratch.gathered);
      DivideDiagonalRow(job, scratch.gathered, height, scratch.quotients);
    }
  } else {
    const int64_t low_height = LowWindowLength(job.problem.height(), job.problem.grad_height());
    DivideRow(job, gradients, job.divisors + (height - low_height) * grad_width, scratch.gathered,
              scratch.quotients);
  }
  return scratch.quotients;
}

// The sums of the rows of gradOutput in `cover`. Readable for kMaxLanes elements past their end.
template <typename T>
const float* Sums(const PlanesJob& job, const std::byte* grad_plane, Cover cover,
                  PlanesScratch<T>& scratch) {
  const float* first = QuotientRow(job, grad_plane, cover.begin, scratch);
  if (cover.end - cover.begin == 1) return first;
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t grad_width = job.problem.grad_width();
  if (!job.layout.whole_plane) {
    std::memcpy(scratch.sums, first, static_cast<size_t>(grad_width) * sizeof(float));
    first = scratch.sums;
  }
  for (int64_t oh = cover.begin + 1; oh < cover.end; ++oh) {
    const float* next = QuotientRow(job, grad_plane, oh, scratch);
    for (int64_t i = 0; i < grad_width; i += lanes) {
      hn::Store(hn::Add(hn::LoadU(d, first + i), hn::LoadU(d, next + i)), d, scratch.sums + i);
    }
    first = scratch.sums;
  }
  return first;
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
