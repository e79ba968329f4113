#include "base/float16.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>

namespace aclnn_cpu {
namespace {

constexpr uint32_t kPatterns = 1u << 16;

uint32_t Bits(float value) { return std::bit_cast<uint32_t>(value); }
float FromBits(uint32_t bits) { return std::bit_cast<float>(bits); }

// By the definition of binary16: (-1)^s 2^(e-15) (1 + m/1024), or m 2^-24 if e = 0.
double HalfByDefinition(uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f;
  const int mantissa = bits & 0x3ff;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

bool IsFiniteHalf(uint32_t bits) { return (bits & 0x7c00) != 0x7c00; }

TEST(Float16, WidensEveryFinitePatternToItsValue) {
  for (uint32_t i = 0; i < kPatterns; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    if (!IsFiniteHalf(i)) continue;
    const float value = ToFloat(Float16{bits});
    ASSERT_EQ(static_cast<double>(value), HalfByDefinition(bits)) << i;
    ASSERT_EQ(std::signbit(value), (i & 0x8000) != 0) << i;
  }
}

TEST(Float16, WidensInfinityAndKeepsNanPayloadsQuiet) {
  EXPECT_EQ(Bits(ToFloat(Float16{0x7c00})), 0x7f800000u);
  EXPECT_EQ(Bits(ToFloat(Float16{0xfc00})), 0xff800000u);
  for (uint32_t payload = 1; payload < 0x400; ++payload) {
    for (uint32_t sign : {0u, 0x8000u}) {
      const auto bits = static_cast<uint16_t>(sign | 0x7c00 | payload);
      ASSERT_EQ(Bits(ToFloat(Float16{bits})), sign << 16 | 0x7fc00000 | payload << 13);
    }
  }
}

TEST(Float16, NarrowingReturnsEveryFinitePattern) {
  for (uint32_t i = 0; i < kPatterns; ++i) {
    if (!IsFiniteHalf(i)) continue;
    ASSERT_EQ(ToFloat16(ToFloat(Float16{static_cast<uint16_t>(i)})).bits, i);
  }
}

// Between neighbours h and h + 1: the midpoint goes to the even one, its neighbours to the nearer.
TEST(Float16, NarrowingRoundsToNearestEven) {
  for (uint32_t h = 0; h < 0x7c00; ++h) {
    // The neighbour above the largest finite half would be 2^16: from its midpoint on, infinity.
    const double above = h + 1 < 0x7c00 ? HalfByDefinition(static_cast<uint16_t>(h + 1)) : 65536.0;
    const double middle = (HalfByDefinition(static_cast<uint16_t>(h)) + above) / 2;
    const float tie = static_cast<float>(middle);
    ASSERT_EQ(static_cast<double>(tie), middle);
    const uint32_t even = h % 2 == 0 ? h : h + 1;
    for (uint32_t sign : {0u, 1u}) {
      const uint32_t tie_bits = Bits(tie) | sign << 31;
      const uint32_t half_sign = sign << 15;
      ASSERT_EQ(ToFloat16(FromBits(tie_bits)).bits, half_sign | even) << h;
      ASSERT_EQ(ToFloat16(FromBits(tie_bits - 1)).bits, half_sign | h) << h;
      ASSERT_EQ(ToFloat16(FromBits(tie_bits + 1)).bits, half_sign | (h + 1)) << h;
    }
  }
}

TEST(Float16, NarrowingOverflowsToInfinityAndUnderflowsToZero) {
  EXPECT_EQ(ToFloat16(65519.996f).bits, 0x7bff);
  EXPECT_EQ(ToFloat16(65520.0f).bits, 0x7c00);
  EXPECT_EQ(ToFloat16(-1e30f).bits, 0xfc00);
  EXPECT_EQ(ToFloat16(std::numeric_limits<float>::max()).bits, 0x7c00);
  EXPECT_EQ(ToFloat16(-std::numeric_limits<float>::infinity()).bits, 0xfc00);
  EXPECT_EQ(ToFloat16(0x1p-25f).bits, 0);
  EXPECT_EQ(ToFloat16(-0x1p-25f).bits, 0x8000);
  EXPECT_EQ(ToFloat16(std::numeric_limits<float>::denorm_min()).bits, 0);
  EXPECT_EQ(ToFloat16(-0.0f).bits, 0x8000);
}

TEST(Float16, NarrowingKeepsUpperNanPayload) {
  EXPECT_EQ(ToFloat16(FromBits(0x7f800001)).bits, 0x7e00);
  EXPECT_EQ(ToFloat16(FromBits(0xff802000)).bits, 0xfe01);
  EXPECT_EQ(ToFloat16(FromBits(0x7fffffff)).bits, 0x7fff);
}

TEST(Float16, NarrowingIgnoresTheRoundingMode) {
  for (int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);
    const uint16_t subnormal = ToFloat16(FromBits(Bits(0x1p-24f) + 1)).bits;
    const uint16_t normal = ToFloat16(FromBits(Bits(1.0f) + 1)).bits;
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(subnormal, 1);
    EXPECT_EQ(normal, 0x3c00);
  }
}

#if defined(__FLT16_MANT_DIG__) && !defined(__clang__)
TEST(Float16, AgreesWithTheCompilersHalf) {
  for (uint32_t i = 0; i < kPatterns; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    const auto half = std::bit_cast<_Float16>(bits);
    ASSERT_EQ(Bits(ToFloat(Float16{bits})), Bits(static_cast<float>(half))) << i;
  }
  // A prime step visits all exponents and signs, and 13 million mantissas.
  for (uint64_t i = 0; i <= std::numeric_limits<uint32_t>::max(); i += 331) {
    const float value = FromBits(static_cast<uint32_t>(i));
    const auto half = static_cast<_Float16>(value);
    const uint16_t ours = ToFloat16(value).bits;
    if (ours == std::bit_cast<uint16_t>(half)) continue;  // ASSERT_EQ alone would take seconds
    ASSERT_EQ(ours, std::bit_cast<uint16_t>(half)) << i;
  }
}
#endif

TEST(BFloat16, WidensToTheUpperHalfOfAFloat) {
  for (uint32_t i = 0; i < kPatterns; ++i) {
    const bool nan = (i & 0x7fff) > 0x7f80;
    const uint32_t expected = i << 16 | (nan ? 0x400000u : 0u);
    ASSERT_EQ(Bits(ToFloat(BFloat16{static_cast<uint16_t>(i)})), expected) << i;
  }
}

TEST(BFloat16, NarrowingRoundsToNearestEven) {
  for (uint32_t i = 0; i < kPatterns; ++i) {
    if ((i & 0x7fff) > 0x7f80) continue;  // NaN
    ASSERT_EQ(ToBFloat16(FromBits(i << 16)).bits, i);
    if ((i & 0x7fff) == 0x7f80) continue;  // infinity has no neighbour above
    const uint32_t tie = i << 16 | 0x8000;
    ASSERT_EQ(ToBFloat16(FromBits(tie)).bits, i % 2 == 0 ? i : i + 1) << i;
    ASSERT_EQ(ToBFloat16(FromBits(tie - 1)).bits, i) << i;
    ASSERT_EQ(ToBFloat16(FromBits(tie + 1)).bits, i + 1) << i;
  }
}

TEST(BFloat16, NarrowingKeepsNanNan) {
  EXPECT_EQ(ToBFloat16(FromBits(0x7f800001)).bits, 0x7fc0);
  EXPECT_EQ(ToBFloat16(FromBits(0x7fffffff)).bits, 0x7fff);
  EXPECT_EQ(ToBFloat16(FromBits(0xff810000)).bits, 0xffc1);
}

static_assert(ToFloat(Float16{0x3c00}) == 1.0f && ToFloat16(0x1p-24f).bits == 1);
static_assert(ToFloat(BFloat16{0x3f80}) == 1.0f && ToBFloat16(1.0f).bits == 0x3f80);

}  // namespace
}  // namespace aclnn_cpu
