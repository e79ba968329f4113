#include "base/checked_math.h"

#include <gtest/gtest.h>

#include <limits>

namespace aclnn_cpu {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

TEST(CheckedMath, MulGivesExactResultsOrFails) {
  int64_t result = 0;
  EXPECT_TRUE(CheckedMul(-3, 7, &result));
  EXPECT_EQ(result, -21);
  EXPECT_TRUE(CheckedMul(kMin, 1, &result));
  EXPECT_EQ(result, kMin);
  EXPECT_FALSE(CheckedMul(kMin, -1, &result));
  EXPECT_FALSE(CheckedMul(int64_t{1} << 32, int64_t{1} << 31, &result));
}

TEST(CheckedMath, AddGivesExactResultsOrFails) {
  int64_t result = 0;
  EXPECT_TRUE(CheckedAdd(kMax, kMin, &result));
  EXPECT_EQ(result, -1);
  EXPECT_FALSE(CheckedAdd(kMax, 1, &result));
  EXPECT_FALSE(CheckedAdd(kMin, -1, &result));
}

TEST(CheckedMath, ResultMayBeAnOperand) {
  int64_t value = 6;
  EXPECT_TRUE(CheckedMul(value, value, &value));
  EXPECT_EQ(value, 36);
}

TEST(CheckedMath, RoundingUp) {
  EXPECT_EQ(RoundUp(0, 64), 0);
  EXPECT_EQ(RoundUp(1, 64), 64);
  EXPECT_EQ(RoundUp(64, 64), 64);
  EXPECT_EQ(CeilDiv(0, 3), 0);
  EXPECT_EQ(CeilDiv(7, 3), 3);
  EXPECT_EQ(CeilDiv(9, 3), 3);
}

}  // namespace
}  // namespace aclnn_cpu
