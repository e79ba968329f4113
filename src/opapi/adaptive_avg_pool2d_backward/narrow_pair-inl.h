// Two vectors stored at once, and the numbers for which that is cheaper.

// Per-target include guard
#if defined(ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_NARROW_PAIR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_NARROW_PAIR_INL_H_
#undef ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_NARROW_PAIR_INL_H_
#else
#define ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_NARROW_PAIR_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "base/float16.h"
#include "simd/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
namespace simd = aclnn_cpu::HWY_NAMESPACE;

// No sum of up to four of the numbers, nor its rounding, leaves the finite ones. False as well if
// they are less than a vector.
HWY_INLINE bool AreTame(const float* numbers, int64_t n) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  if (n < lanes) return false;
  const auto magnitude = [&](int64_t i) HWY_ATTR {
    return hn::And(hn::BitCast(di, hn::LoadU(d, numbers + i)), hn::Set(di, 0x7fffffff));
  };
  auto most = magnitude(n - lanes);
  for (int64_t i = 0; i + lanes <= n; i += lanes) most = hn::Max(most, magnitude(i));
  return hn::AllTrue(di, hn::Lt(most, hn::Set(di, 0x7e000000)));  // 2^125
}

// A row of two vectors, as it is stored at its left end and its right end. kTame: the numbers are,
// and T is BFloat16.
template <typename T, bool kTame>
struct NarrowPair {
  using D = hn::ScalableTag<float>;
  HWY_INLINE NarrowPair(hn::Vec<D> left_in, hn::Vec<D> right_in) : left(left_in), right(right_in) {}
  HWY_INLINE void Store(T* left_to, T* right_to) const {
    simd::StoreFromFloat(left, D(), left_to);
    simd::StoreFromFloat(right, D(), right_to);
  }
  hn::Vec<D> left;
  hn::Vec<D> right;
};

#if HWY_TARGET != HWY_SCALAR
// No NaN to look for, and both vectors are narrowed at once.
template <>
struct NarrowPair<BFloat16, true> {
  using D = hn::ScalableTag<float>;
  using D16 = hn::Repartition<uint16_t, D>;
  HWY_INLINE NarrowPair(hn::Vec<D> left, hn::Vec<D> right)
      : both(hn::ConcatOdd(D16(), Round(right), Round(left))) {}
  HWY_INLINE void Store(BFloat16* left_to, BFloat16* right_to) const {
    const hn::Half<D16> half;
    hn::StoreU(hn::LowerHalf(half, both), half, &left_to->bits);
    hn::StoreU(hn::UpperHalf(half, both), half, &right_to->bits);
  }
  // The result is in the upper half of each lane.
  static HWY_INLINE hn::Vec<D16> Round(hn::Vec<D> v) {
    const hn::RebindToUnsigned<D> du;
    const auto bits = hn::BitCast(du, v);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
    return hn::BitCast(D16(), hn::Add(hn::Add(bits, hn::Set(du, 0x7fff)), odd));
  }
  hn::Vec<D16> both;
};
#endif

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
