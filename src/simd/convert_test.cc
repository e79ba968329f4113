// Every usable target against the scalar conversions of base/float16.h, which float16_test.cc
// compares with the definition of the formats.

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cfenv>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/float16.h"
#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/convert_test.cc"
#include <hwy/foreach_target.h>

#include "simd/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace HWY_NAMESPACE {

void WidenHalf(const Float16* from, size_t n, float* to) { WidenRow(from, n, to); }
void WidenBrain(const BFloat16* from, size_t n, float* to) { WidenRow(from, n, to); }
void WidenFloat(const float* from, size_t n, float* to) { WidenRow(from, n, to); }
void WidenDouble(const double* from, size_t n, double* to) { WidenRow(from, n, to); }
void NarrowHalf(const float* from, size_t n, Float16* to) { NarrowRow(from, n, to); }
void NarrowBrain(const float* from, size_t n, BFloat16* to) { NarrowRow(from, n, to); }
void NarrowFloat(const float* from, size_t n, float* to) { NarrowRow(from, n, to); }
void NarrowDouble(const double* from, size_t n, double* to) { NarrowRow(from, n, to); }

// Vectors that are smaller than the target's, as kernels use for short rows.
void RoundTripBySmallVectors(const Float16* half, const BFloat16* brain, size_t n, Float16* half_to,
                             BFloat16* brain_to) {
  const hn::CappedTag<float, 4> d;
  for (size_t i = 0; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    StoreFromFloat(LoadAsFloat(d, half + i), d, half_to + i);
    StoreFromFloat(LoadAsFloat(d, brain + i), d, brain_to + i);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclnn_cpu {

HWY_EXPORT(WidenHalf);
HWY_EXPORT(WidenBrain);
HWY_EXPORT(WidenFloat);
HWY_EXPORT(WidenDouble);
HWY_EXPORT(NarrowHalf);
HWY_EXPORT(NarrowBrain);
HWY_EXPORT(NarrowFloat);
HWY_EXPORT(NarrowDouble);
HWY_EXPORT(RoundTripBySmallVectors);

namespace {

void Widen(const Float16* from, size_t n, float* to) { ACLNN_CPU_DISPATCH(WidenHalf)(from, n, to); }
void Widen(const BFloat16* from, size_t n, float* to) {
  ACLNN_CPU_DISPATCH(WidenBrain)(from, n, to);
}
void Widen(const float* from, size_t n, float* to) { ACLNN_CPU_DISPATCH(WidenFloat)(from, n, to); }
void Widen(const double* from, size_t n, double* to) {
  ACLNN_CPU_DISPATCH(WidenDouble)(from, n, to);
}
void Narrow(const float* from, size_t n, Float16* to) {
  ACLNN_CPU_DISPATCH(NarrowHalf)(from, n, to);
}
void Narrow(const float* from, size_t n, BFloat16* to) {
  ACLNN_CPU_DISPATCH(NarrowBrain)(from, n, to);
}
void Narrow(const float* from, size_t n, float* to) {
  ACLNN_CPU_DISPATCH(NarrowFloat)(from, n, to);
}
void Narrow(const double* from, size_t n, double* to) {
  ACLNN_CPU_DISPATCH(NarrowDouble)(from, n, to);
}

float Expected(Float16 value) { return ToFloat(value); }
float Expected(BFloat16 value) { return ToFloat(value); }
void ExpectedNarrow(float value, Float16* to) { *to = ToFloat16(value); }
void ExpectedNarrow(float value, BFloat16* to) { *to = ToBFloat16(value); }

template <typename T>
std::vector<T> AllPatterns() {
  std::vector<T> patterns(65536);
  for (size_t i = 0; i < patterns.size(); ++i) patterns[i].bits = static_cast<uint16_t>(i);
  return patterns;
}

// Around every value of T and every midpoint between neighbours; NaNs; and a walk over all floats.
template <typename T>
std::vector<float> InterestingFloats() {
  std::vector<float> floats;
  const auto add = [&floats](uint32_t bits) { floats.push_back(std::bit_cast<float>(bits)); };
  const uint32_t half_step = std::is_same_v<T, Float16> ? 1u << 12 : 1u << 15;
  for (const T value : AllPatterns<T>()) {
    const uint32_t bits = std::bit_cast<uint32_t>(Expected(value));
    for (uint32_t middle : {bits, bits + half_step, bits - half_step}) {
      add(middle - 1);
      add(middle);
      add(middle + 1);
    }
    // Halves below 2^-14 lie farther apart than half_step says: the true midpoint, exact in float.
    const float next = Expected(T{static_cast<uint16_t>(value.bits + 1)});
    const uint32_t middle = std::bit_cast<uint32_t>((Expected(value) + next) / 2);
    add(middle - 1);
    add(middle);
    add(middle + 1);
  }
  for (uint64_t bits = 0; bits <= 0xffffffffu; bits += 65521) add(static_cast<uint32_t>(bits));
  for (uint32_t bit = 0; bit < 23; ++bit) {
    add(0x7f800000u | 1u << bit);
    add(0xff800000u | 1u << bit);
  }
  return floats;
}

template <typename T>
void ExpectExactWidening() {
  const std::vector<T> from = AllPatterns<T>();
  std::vector<float> to(from.size());
  Widen(from.data(), from.size(), to.data());
  for (size_t i = 0; i < from.size(); ++i) {
    ASSERT_EQ(std::bit_cast<uint32_t>(to[i]), std::bit_cast<uint32_t>(Expected(from[i]))) << i;
  }
}

template <typename T>
void ExpectExactNarrowing(const std::vector<float>& from) {
  std::vector<T> to(from.size());
  Narrow(from.data(), from.size(), to.data());
  for (size_t i = 0; i < from.size(); ++i) {
    T expected;
    ExpectedNarrow(from[i], &expected);
    ASSERT_EQ(to[i].bits, expected.bits) << std::hex << std::bit_cast<uint32_t>(from[i]);
  }
}

// Rows of any length and alignment: right inside, untouched outside.
template <typename T, typename W>
void ExpectExactRows() {
  constexpr size_t kGuard = 32;
  std::vector<T> narrow(128);
  std::vector<W> wide(128);
  for (size_t i = 0; i < wide.size(); ++i) wide[i] = static_cast<W>(i) - 40;
  Narrow(wide.data(), wide.size(), narrow.data());
  for (size_t n = 0; n <= 40; ++n) {
    for (size_t shift : {0u, 1u, 3u}) {
      std::vector<W> widened(128, W{-7777});
      Widen(narrow.data() + shift, n, widened.data() + kGuard + shift);
      std::vector<T> narrowed(128);
      std::memset(static_cast<void*>(narrowed.data()), 0x5a, sizeof(T) * narrowed.size());
      const std::vector<T> untouched = narrowed;
      Narrow(wide.data() + shift, n, narrowed.data() + kGuard + shift);
      for (size_t i = 0; i < widened.size(); ++i) {
        const bool inside = i >= kGuard + shift && i < kGuard + shift + n;
        ASSERT_EQ(widened[i], inside ? wide[i - kGuard] : W{-7777}) << n << " " << i;
        const T& expected = inside ? narrow[i - kGuard] : untouched[i];
        ASSERT_EQ(std::memcmp(&narrowed[i], &expected, sizeof(T)), 0) << n << " " << i;
      }
    }
  }
}

class Convert : public ::testing::TestWithParam<Target> {
 protected:
  Convert() { ForceTargetForTest(GetParam()); }
  ~Convert() override { ResetTargetForTest(); }
};

TEST_P(Convert, WidensEveryPattern) {
  ExpectExactWidening<Float16>();
  ExpectExactWidening<BFloat16>();
}

TEST_P(Convert, NarrowsValuesMidpointsAndTheirNeighbours) {
  ExpectExactNarrowing<Float16>(InterestingFloats<Float16>());
  ExpectExactNarrowing<BFloat16>(InterestingFloats<BFloat16>());
}

TEST_P(Convert, RowsOfAnyLengthTouchNothingElse) {
  ExpectExactRows<Float16, float>();
  ExpectExactRows<BFloat16, float>();
  ExpectExactRows<float, float>();
  ExpectExactRows<double, double>();
}

TEST_P(Convert, SmallVectorsAgree) {
  const std::vector<Float16> half = AllPatterns<Float16>();
  const std::vector<BFloat16> brain = AllPatterns<BFloat16>();
  std::vector<Float16> half_to(half.size());
  std::vector<BFloat16> brain_to(brain.size());
  ACLNN_CPU_DISPATCH(RoundTripBySmallVectors)
  (half.data(), brain.data(), half.size(), half_to.data(), brain_to.data());
  for (size_t i = 0; i < half.size(); ++i) {
    ASSERT_EQ(half_to[i].bits, ToFloat16(ToFloat(half[i])).bits);
    ASSERT_EQ(brain_to[i].bits, ToBFloat16(ToFloat(brain[i])).bits);
  }
}

TEST_P(Convert, IgnoresTheThreadsRoundingMode) {
  const std::vector<float> floats = InterestingFloats<Float16>();
  for (int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);
    ExpectExactWidening<Float16>();
    ExpectExactNarrowing<Float16>(floats);
    ExpectExactNarrowing<BFloat16>(floats);
    std::fesetround(FE_TONEAREST);
  }
}

#if HWY_ARCH_X86
TEST_P(Convert, IgnoresFlushToZero) {
  const std::vector<float> halves = InterestingFloats<Float16>();
  const std::vector<float> brains = InterestingFloats<BFloat16>();
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);  // flush to zero, subnormals are zero
  ExpectExactWidening<Float16>();
  ExpectExactWidening<BFloat16>();
  ExpectExactNarrowing<Float16>(halves);
  ExpectExactNarrowing<BFloat16>(brains);
  _mm_setcsr(before);
}
#endif

INSTANTIATE_TEST_SUITE_P(Target, Convert, ::testing::ValuesIn(UsableTargets()),
                         [](const ::testing::TestParamInfo<Target>& row) {
                           return std::string(row.param.name);
                         });

}  // namespace
}  // namespace aclnn_cpu
#endif  // HWY_ONCE
