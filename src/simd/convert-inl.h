// Conversions between the storage types of tensors and the vectors that kernels compute with, bit
// for bit as the scalar ones of base/float16.h on every target and whatever the rounding mode or
// flush-to-zero setting of the thread. Highway 1.0.3's own narrowing conversions truncate, so they
// are used only where the hardware's rounding was proven equal (convert_test.cc).
//
// float and double are "converted" to themselves, so that one kernel template serves all types.

// Per-target include guard
#if defined(ACLNN_CPU_SIMD_CONVERT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_SIMD_CONVERT_INL_H_
#undef ACLNN_CPU_SIMD_CONVERT_INL_H_
#else
#define ACLNN_CPU_SIMD_CONVERT_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/float16.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// True where the target has the F16C instructions: they round to nearest even when told so by their
// operand, ignore flush-to-zero, and treat NaN as ToFloat16 does.
#undef ACLNN_CPU_TARGET_HAS_F16C
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86 && !defined(HWY_DISABLE_F16C)
#define ACLNN_CPU_TARGET_HAS_F16C 1
#else
#define ACLNN_CPU_TARGET_HAS_F16C 0
#endif

// What a kernel computes with: double for double, float for all else.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

// In all functions below `d` is a tag of Wide<T> lanes, and exactly Lanes(d) elements of memory are
// touched, at any alignment.

// Bits of Lanes(d) 16-bit values, one in each 32-bit lane.
template <class D>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<D>> LoadBits16(D /*d*/, const uint16_t* HWY_RESTRICT from) {
  const hn::RebindToUnsigned<D> du;
  const hn::Rebind<uint16_t, D> du16;
  return hn::PromoteTo(du, hn::LoadU(du16, from));
}

// Stores the lower halves of 32-bit lanes whose upper halves are zero.
template <class D>
HWY_INLINE void StoreBits16(hn::Vec<hn::RebindToSigned<D>> bits, D /*d*/,
                            uint16_t* HWY_RESTRICT to) {
  const hn::Rebind<uint16_t, D> du16;
  hn::StoreU(hn::DemoteTo(du16, bits), du16, to);
}

template <class D>
HWY_INLINE hn::Vec<D> LoadAsFloat(D d, const float* HWY_RESTRICT from) {
  return hn::LoadU(d, from);
}

template <class D>
HWY_INLINE hn::Vec<D> LoadAsFloat(D d, const double* HWY_RESTRICT from) {
  return hn::LoadU(d, from);
}

template <class D>
HWY_INLINE hn::Vec<D> LoadAsFloat(D d, const BFloat16* HWY_RESTRICT from) {
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(di, hn::ShiftLeft<16>(LoadBits16(d, &from->bits)));
  const auto nan = hn::Gt(hn::And(bits, hn::Set(di, 0x7fffffff)), hn::Set(di, 0x7f800000));
  return hn::BitCast(d, hn::Or(bits, hn::IfThenElseZero(nan, hn::Set(di, 0x400000))));
}

template <class D>
HWY_INLINE hn::Vec<D> LoadAsFloat(D d, const Float16* HWY_RESTRICT from) {
#if ACLNN_CPU_TARGET_HAS_F16C
  const hn::Rebind<uint16_t, D> du16;
  const hn::Rebind<hwy::float16_t, D> df16;
  return hn::PromoteTo(d, hn::BitCast(df16, hn::LoadU(du16, &from->bits)));
#else
  const hn::RebindToSigned<D> di;
  const auto half = hn::BitCast(di, LoadBits16(d, &from->bits));
  const auto magnitude = hn::And(half, hn::Set(di, 0x7fff));
  const auto sign = hn::ShiftLeft<16>(hn::Xor(half, magnitude));
  const auto shifted = hn::ShiftLeft<13>(magnitude);
  const auto normal = hn::Add(shifted, hn::Set(di, 112 << 23));
  // Infinity and NaN keep the largest exponent; a NaN becomes quiet.
  const auto quiet =
      hn::IfThenElseZero(hn::Gt(magnitude, hn::Set(di, 0x7c00)), hn::Set(di, 0x400000));
  const auto special = hn::Or(hn::Or(shifted, quiet), hn::Set(di, 0x7f800000));
  // Exact, and never subnormal in float: magnitude * 2^-24.
  const auto tiny = hn::BitCast(di, hn::Mul(hn::ConvertTo(d, magnitude), hn::Set(d, 0x1p-24f)));
  auto bits = hn::IfThenElse(hn::Gt(magnitude, hn::Set(di, 0x3ff)), normal, tiny);
  bits = hn::IfThenElse(hn::Gt(magnitude, hn::Set(di, 0x7bff)), special, bits);
  return hn::BitCast(d, hn::Or(bits, sign));
#endif
}

// The same for arithmetic, which makes a NaN quiet by itself. `T` as in LoadAsFloat.
template <class D, typename T>
HWY_INLINE hn::Vec<D> LoadForArithmetic(D d, const T* HWY_RESTRICT from) {
  if constexpr (std::is_same_v<T, BFloat16>) {
    return hn::BitCast(d, hn::ShiftLeft<16>(LoadBits16(d, &from->bits)));
  } else {
    return LoadAsFloat(d, from);
  }
}

template <class D>
HWY_INLINE void StoreFromFloat(hn::Vec<D> v, D d, float* HWY_RESTRICT to) {
  hn::StoreU(v, d, to);
}

template <class D>
HWY_INLINE void StoreFromFloat(hn::Vec<D> v, D d, double* HWY_RESTRICT to) {
  hn::StoreU(v, d, to);
}

// Rounded to the 16-bit type T, whose bits are in the lower halves of the lanes; the upper are
// zero.
template <class D>
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> NarrowedBits(BFloat16 /*type*/, hn::Vec<D> v, D d) {
  const hn::RebindToSigned<D> di;
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
  const auto rounded = hn::Add(hn::Add(bits, hn::Set(du, 0x7fff)), odd);
  const auto quiet = hn::Or(bits, hn::Set(du, 0x400000));
  const auto nan = hn::MaskFromVec(hn::BitCast(du, hn::VecFromMask(d, hn::IsNaN(v))));
  return hn::BitCast(di, hn::ShiftRight<16>(hn::IfThenElse(nan, quiet, rounded)));
}

template <class D>
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> NarrowedBits(Float16 /*type*/, hn::Vec<D> v, D d) {
  const hn::RebindToSigned<D> di;
#if ACLNN_CPU_TARGET_HAS_F16C
  const hn::Rebind<uint16_t, D> du16;
  const hn::Rebind<hwy::float16_t, D> df16;
  (void)d;
  return hn::PromoteTo(di, hn::BitCast(du16, hn::DemoteTo(df16, v)));
#else
  const auto one = hn::Set(di, 1);
  const auto bits = hn::BitCast(di, v);
  const auto magnitude = hn::And(bits, hn::Set(di, 0x7fffffff));
  const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(di, 0x8000));

  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), one);
  const auto normal = hn::ShiftRight<13>(
      hn::Sub(hn::Add(magnitude, hn::Add(odd, hn::Set(di, 0xfff))), hn::Set(di, 112 << 23)));

  // Below 2^-14, in units of 2^-24. Every operation is exact, so the rounding mode plays no part.
  const auto limit = hn::Set(di, 0x38800000);
  const auto scaled = hn::Mul(hn::BitCast(d, hn::Min(magnitude, limit)), hn::Set(d, 0x1p24f));
  const auto whole = hn::ConvertTo(di, scaled);
  const auto rest = hn::BitCast(di, hn::Sub(scaled, hn::ConvertTo(d, whole)));
  // Positive floats order as their bits do: more than half, or half and odd.
  const auto half = hn::Sub(hn::BitCast(di, hn::Set(d, 0.5f)), hn::And(whole, one));
  const auto tiny = hn::Add(whole, hn::IfThenElseZero(hn::Gt(rest, half), one));

  const auto nan =
      hn::Or(hn::Set(di, 0x7e00), hn::And(hn::ShiftRight<13>(magnitude), hn::Set(di, 0x3ff)));
  auto result = hn::IfThenElse(hn::Gt(limit, magnitude), tiny, normal);
  result = hn::IfThenElse(hn::Gt(magnitude, hn::Set(di, 0x477fffff)), hn::Set(di, 0x7c00), result);
  result = hn::IfThenElse(hn::Gt(magnitude, hn::Set(di, 0x7f800000)), nan, result);
  return hn::Or(result, sign);
#endif
}

template <class D>
HWY_INLINE void StoreFromFloat(hn::Vec<D> v, D d, BFloat16* HWY_RESTRICT to) {
  StoreBits16(NarrowedBits(BFloat16(), v, d), d, &to->bits);
}

template <class D>
HWY_INLINE void StoreFromFloat(hn::Vec<D> v, D d, Float16* HWY_RESTRICT to) {
#if ACLNN_CPU_TARGET_HAS_F16C
  const hn::Rebind<uint16_t, D> du16;
  const hn::Rebind<hwy::float16_t, D> df16;
  hn::StoreU(hn::BitCast(du16, hn::DemoteTo(df16, v)), du16, &to->bits);
#else
  StoreBits16(NarrowedBits(Float16(), v, d), d, &to->bits);
#endif
}

// The conversions of one element are found beside those of vectors.
using aclnn_cpu::StoreNarrow;
using aclnn_cpu::ToWide;

// Whole rows of any length, of which nothing before or after is touched. The arrays must not
// overlap: the last vector is moved back so that it ends with the row, and does some elements
// again.
template <typename T>
HWY_INLINE void WidenRow(const T* HWY_RESTRICT from, size_t n, Wide<T>* HWY_RESTRICT to) {
  const hn::ScalableTag<Wide<T>> d;
  const size_t lanes = hn::Lanes(d);
  if (n < lanes) {
    for (size_t i = 0; i < n; ++i) to[i] = ToWide(from[i]);
    return;
  }
  for (size_t i = 0; i + lanes <= n; i += lanes) hn::StoreU(LoadAsFloat(d, from + i), d, to + i);
  hn::StoreU(LoadAsFloat(d, from + n - lanes), d, to + n - lanes);
}

template <typename T>
HWY_INLINE void NarrowRow(const Wide<T>* HWY_RESTRICT from, size_t n, T* HWY_RESTRICT to) {
  const hn::ScalableTag<Wide<T>> d;
  const size_t lanes = hn::Lanes(d);
  if (n < lanes) {
    for (size_t i = 0; i < n; ++i) StoreNarrow(from[i], to + i);
    return;
  }
  for (size_t i = 0; i + lanes <= n; i += lanes) StoreFromFloat(hn::LoadU(d, from + i), d, to + i);
  StoreFromFloat(hn::LoadU(d, from + n - lanes), d, to + n - lanes);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
