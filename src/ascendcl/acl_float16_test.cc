// Conversions and element sizes: contract.md 5.3, last two rows.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "acl/acl.h"

namespace aclnn_cpu {
namespace {

// The value of a half by its definition, exponent 31 being an ordinary one, as CANN has it.
double ValueOf(int bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

TEST(AclFloat16, WidensEveryPattern) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const float value = aclFloat16ToFloat(static_cast<aclFloat16>(bits));
    ASSERT_EQ(value, ValueOf(bits)) << bits;
    ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0) << bits;
  }
}

TEST(AclFloat16, KnowsNeitherInfinityNorNan) {
  EXPECT_EQ(aclFloat16ToFloat(0x7c00), 65536.0f);
  EXPECT_EQ(aclFloat16ToFloat(0xfc00), -65536.0f);
  EXPECT_EQ(aclFloat16ToFloat(0x7e00), 98304.0f);
}

TEST(AclFloat16, NarrowsBackEveryFinitePattern) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7c00) == 0x7c00) continue;
    const auto value = static_cast<float>(ValueOf(bits));
    ASSERT_EQ(aclFloatToFloat16((bits & 0x8000) != 0 && value == 0 ? -0.0f : value), bits);
  }
}

TEST(AclFloat16, RoundsToNearestTiesToEven) {
  for (int bits = 0; bits < 0x7bff; ++bits) {
    const double low = ValueOf(bits);
    const double high = ValueOf(bits + 1);
    const auto middle = static_cast<float>((low + high) / 2);  // exact in float
    const int even = bits % 2 == 0 ? bits : bits + 1;
    ASSERT_EQ(aclFloatToFloat16(middle), even) << bits;
    ASSERT_EQ(aclFloatToFloat16(std::nextafterf(middle, 0.0f)), bits) << bits;
    ASSERT_EQ(aclFloatToFloat16(std::nextafterf(middle, 1e9f)), bits + 1) << bits;
  }
}

TEST(AclFloat16, OverflowAndNanBecomeTheLargestNumber) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (float value : {65520.0f, 65536.0f, 1e30f, infinity, nan}) {
    EXPECT_EQ(aclFloatToFloat16(value), 0x7bff) << value;
    EXPECT_EQ(aclFloatToFloat16(-value), 0xfbff) << value;
  }
  EXPECT_EQ(aclFloatToFloat16(std::nextafterf(65520.0f, 0.0f)), 0x7bff);
}

TEST(AclFloat16, UnderflowKeepsTheSign) {
  EXPECT_EQ(aclFloatToFloat16(0x1p-25f), 0);  // a tie, to even
  EXPECT_EQ(aclFloatToFloat16(0x1.000002p-25f), 1);
  EXPECT_EQ(aclFloatToFloat16(-1e-30f), 0x8000);
  EXPECT_EQ(aclFloatToFloat16(std::numeric_limits<float>::denorm_min()), 0);
}

TEST(AclDataTypeSize, FollowsTheTable) {
  const struct {
    size_t bytes;
    std::vector<int> types;
  } kRows[] = {
      {0, {ACL_STRING, ACL_DT_UNDEFINED}},
      {1,
       {ACL_UINT1, ACL_INT4, ACL_INT8, ACL_UINT8, ACL_BOOL, ACL_HIFLOAT8, ACL_FLOAT8_E5M2,
        ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E8M0}},
      {2, {ACL_FLOAT16, ACL_BF16, ACL_INT16, ACL_UINT16}},
      {4, {ACL_FLOAT, ACL_INT32, ACL_UINT32, ACL_COMPLEX32}},
      {16, {ACL_COMPLEX128}},
      {8, {ACL_INT64, ACL_UINT64, ACL_DOUBLE, ACL_COMPLEX64}},
      {8, {5, 14, 28, 1000, -2}},  // unknown
  };
  for (const auto& row : kRows) {
    for (int type : row.types)
      EXPECT_EQ(aclDataTypeSize(static_cast<aclDataType>(type)), row.bytes) << type;
  }
}

}  // namespace
}  // namespace aclnn_cpu
