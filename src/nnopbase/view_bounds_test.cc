#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "nnopbase/checks.h"
#include "nnopbase/tensor_for_test.h"

namespace aclnn_cpu {
namespace {

constexpr int64_t kHuge = int64_t{1} << 40;

Status Check(const TensorSpec& spec) {
  const TensorPtr tensor = MakeTensor(spec);
  return RequireViewInStorage({"grid", tensor.get()});
}

TEST(ViewBounds, LastElementMayBeTheLastOfTheStorage) {
  EXPECT_TRUE(Check({.dims = {2, 3}, .strides = {10, 2}, .offset = 5, .storage = {20}}).ok());
  const Status status = Check({.dims = {2, 3}, .strides = {10, 2}, .offset = 6, .storage = {20}});
  EXPECT_EQ(status.code(), 561103);
  EXPECT_EQ(status.message(),
            "the view of grid covers elements 6..20 of its storage, which has 20 (product of "
            "storageDims)");
}

TEST(ViewBounds, FirstElementMayBeTheFirstOfTheStorage) {
  EXPECT_TRUE(Check({.dims = {3}, .strides = {-2}, .offset = 4, .storage = {5}}).ok());
  EXPECT_EQ(Check({.dims = {3}, .strides = {-2}, .offset = 3, .storage = {5}}).code(), 561103);
}

TEST(ViewBounds, StorageSizeIsTheProductOfItsDims) {
  EXPECT_TRUE(Check({.dims = {2, 2}, .strides = {3, 1}, .storage = {5, 1}}).ok());
  EXPECT_EQ(Check({.dims = {2, 2}, .strides = {3, 1}, .storage = {2, 2}}).code(), 561103);
}

// storageDims of a contiguous tensor may be anything.
TEST(ViewBounds, ContiguousTensorsAreNotCheckedAgainstTheirStorage) {
  EXPECT_TRUE(Check({.dims = {2, 3}, .storage = {1}}).ok());
  EXPECT_TRUE(Check({.dims = {2, 3}, .offset = 100, .storage = {6}}).ok());
  EXPECT_TRUE(Check({.dims = {2, 3}, .offset = -100, .storage = {6}}).ok());
  EXPECT_TRUE(Check({.dims = {2, 3}, .storage = {kHuge, kHuge}}).ok());
}

TEST(ViewBounds, StridesOfSizeOneDimsDoNotCount) {
  EXPECT_TRUE(Check({.dims = {1, 3, 1}, .strides = {99, 1, 77}, .storage = {1}}).ok());
}

TEST(ViewBounds, EmptyViewsPassWhateverTheyDescribe) {
  EXPECT_TRUE(Check({.dims = {0, 3}, .strides = {7, 7}, .offset = -9, .storage = {1}}).ok());
  EXPECT_TRUE(Check({.dims = {kHuge, 0, kHuge}, .storage = {1}}).ok());
}

TEST(ViewBounds, RankZeroIsOneElement) { EXPECT_TRUE(Check({.dims = {}, .storage = {}}).ok()); }

TEST(ViewBounds, NegativeExtentsFail) {
  const Status status = Check({.dims = {2, -3}});
  EXPECT_EQ(status.code(), 561103);
  EXPECT_EQ(status.message(), "dimension 1 of grid is -3, must not be negative");
  EXPECT_EQ(Check({.dims = {2, INT64_MIN}}).code(), 561103);
}

TEST(ViewBounds, SizesBeyondInt64Fail) {
  EXPECT_EQ(Check({.dims = {kHuge, kHuge}}).code(), 561103);
  // 2^62 elements exist as a number, their bytes do not.
  EXPECT_EQ(Check({.dims = {int64_t{1} << 31, int64_t{1} << 31}}).code(), 561103);
  EXPECT_EQ(Check({.dims = {int64_t{1} << 31, int64_t{1} << 31}, .strides = {0, 0}}).code(),
            561103);
}

TEST(ViewBounds, TermsBeyondInt64Fail) {
  const int64_t max = INT64_MAX;
  EXPECT_EQ(Check({.dims = {3}, .strides = {max}, .storage = {9}}).code(), 561103);
  EXPECT_EQ(Check({.dims = {3}, .strides = {INT64_MIN}, .storage = {9}}).code(), 561103);
  EXPECT_EQ(Check({.dims = {2, 2}, .strides = {max, max}, .storage = {9}}).code(), 561103);
  EXPECT_EQ(Check({.dims = {2, 2}, .strides = {max / 2, 1}, .storage = {9}}).code(), 561103);
  EXPECT_EQ(Check({.dims = {2}, .offset = max}).code(), 561103);
  EXPECT_EQ(Check({.dims = {2}, .offset = max / 4}).code(), 561103);  // in bytes
  EXPECT_EQ(Check({.dims = {2}, .offset = INT64_MIN}).code(), 561103);
  EXPECT_EQ(Check({.dims = {2, 2}, .strides = {3, 1}, .storage = {kHuge, kHuge}}).code(), 561103);
}

// The rule against listing every element that the view touches.
TEST(ViewBounds, AgreeWithEnumerationOfAllElements) {
  std::mt19937 random(20240607);
  const auto draw = [&random](int low, int high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  int accepted = 0;
  int rejected = 0;
  for (int round = 0; round < 4000; ++round) {
    const int64_t rank = draw(1, 4);
    TensorSpec spec;
    std::vector<int64_t> touched{draw(-2, 12)};
    spec.offset = touched[0];
    spec.storage = {draw(1, 8), draw(1, 8)};
    for (int64_t axis = 0; axis < rank; ++axis) {
      spec.dims.push_back(draw(1, 4));
      spec.strides.push_back(draw(-4, 8));
      std::vector<int64_t> next;
      for (int64_t index = 0; index < spec.dims.back(); ++index) {
        for (int64_t element : touched) next.push_back(element + index * spec.strides.back());
      }
      touched = next;
    }
    if (IsContiguous(spec.dims, spec.strides)) continue;
    const auto [low, high] = std::minmax_element(touched.begin(), touched.end());
    const bool inside = *low >= 0 && *high < spec.storage[0] * spec.storage[1];
    (inside ? accepted : rejected) += 1;
    EXPECT_EQ(Check(spec).code(), inside ? 0 : 561103) << "round " << round;
  }
  EXPECT_GT(accepted, 300);
  EXPECT_GT(rejected, 300);
}

}  // namespace
}  // namespace aclnn_cpu
