// Numbers that are rounded to BFloat16 in half the instructions, and two vectors of them stored.

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

#if HWY_TARGET != HWY_SCALAR
// Rounded to BFloat16, which is in the upper half of each lane; NaN is not looked for.
template <class D>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<D>> RoundTame(hn::Vec<D> v, D /*d*/) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
  return hn::Add(hn::Add(bits, hn::Set(du, 0x7fff)), odd);
}
#endif

// Stores a vector at each place. kTame: the numbers are, and T is BFloat16; half the instructions.
template <bool kTame, class D, typename T>
HWY_INLINE void StorePair(hn::Vec<D> left, hn::Vec<D> right, D d, T* left_to, T* right_to) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (kTame) {
    const hn::Repartition<uint16_t, D> d16;
    const hn::Half<decltype(d16)> half;
    const auto both = hn::ConcatOdd(d16, hn::BitCast(d16, RoundTame(right, d)),
                                    hn::BitCast(d16, RoundTame(left, d)));
    hn::StoreU(hn::LowerHalf(half, both), half, &left_to->bits);
    hn::StoreU(hn::UpperHalf(half, both), half, &right_to->bits);
    return;
  }
#endif
  simd::StoreFromFloat(left, d, left_to);
  simd::StoreFromFloat(right, d, right_to);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
