// Reading gradOutput and dividing it: what the kernel variants share.

// Per-target include guard
#if defined(ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_GRADIENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_GRADIENTS_INL_H_
#undef ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_GRADIENTS_INL_H_
#else
#define ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_GRADIENTS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/float16.h"
#include "simd/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
namespace simd = aclnn_cpu::HWY_NAMESPACE;

// `count` elements at `stride` as packed floats in `buffer`.
template <typename T>
void GatherAsFloat(const T* from, int64_t stride, int64_t count, float* buffer) {
  if (stride == 1) {
    simd::WidenRow(from, static_cast<size_t>(count), buffer);
  } else {
    for (int64_t i = 0; i < count; ++i) buffer[i] = simd::ToWide(from[i * stride]);
  }
}

// A divisor, or its reciprocal where that is exact: a power of two. Both give the same bits.
struct Divisor {
  float value;
  bool is_reciprocal;
};

HWY_INLINE bool IsPowerOfTwo(int64_t value) { return (value & (value - 1)) == 0; }

HWY_INLINE Divisor MakeDivisor(int64_t area) {
  const float value = static_cast<float>(area);
  return IsPowerOfTwo(area) ? Divisor{1 / value, true} : Divisor{value, false};
}

HWY_INLINE float Quotient(float gradient, Divisor divisor) {
  return divisor.is_reciprocal ? gradient * divisor.value : gradient / divisor.value;
}

// 0 + gradient / divisor
template <class D>
HWY_INLINE hn::Vec<D> Quotient(D d, hn::Vec<D> gradient, hn::Vec<D> divisor, bool is_reciprocal) {
  const auto quotient = is_reciprocal ? hn::Mul(gradient, divisor) : hn::Div(gradient, divisor);
  return hn::Add(hn::Zero(d), quotient);
}

// As Quotients, of at least a vector.
template <bool kReciprocals, typename T>
HWY_INLINE void QuotientVectors(const T* gradients, const float* divisors, size_t n,
                                float* quotients) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const auto step = [&](size_t i) HWY_ATTR {
    const auto quotient = Quotient(d, simd::LoadForArithmetic(d, gradients + i),
                                   hn::LoadU(d, divisors + i), kReciprocals);
    hn::StoreU(quotient, d, quotients + i);
  };
  for (size_t i = 0; i + lanes <= n; i += lanes) step(i);
  if (n % lanes != 0) step(n - lanes);
}

// quotients[i] = 0 + gradients[i] / divisors[i]; the arrays do not overlap.
template <typename T>
HWY_INLINE void Quotients(const T* gradients, const float* divisors, bool are_reciprocals, size_t n,
                          float* quotients) {
  const size_t lanes = hn::Lanes(hn::ScalableTag<float>());
  if (n < lanes) {
    for (size_t i = 0; i < n; ++i) {
      quotients[i] =
          0 + Quotient(simd::ToWide(gradients[i]), Divisor{divisors[i], are_reciprocals});
    }
    return;
  }
  if (are_reciprocals) {
    QuotientVectors<true>(gradients, divisors, n, quotients);
  } else {
    QuotientVectors<false>(gradients, divisors, n, quotients);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
