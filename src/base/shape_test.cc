#include "base/shape.h"

#include <gtest/gtest.h>

// rapidcheck uses GoogleTest's FAIL, whose name is base/status.h's here.
#define FAIL GTEST_FAIL
#include <rapidcheck/gtest.h>
#undef FAIL

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace aclnn_cpu {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

// Distances of all elements of the view from its first one, by walking all indices.
std::vector<int64_t> AllElements(const StridedView& view) {
  std::vector<int64_t> elements = {0};
  for (int axis = 0; axis < view.extents.size(); ++axis) {
    std::vector<int64_t> longer;
    for (int64_t element : elements) {
      for (int64_t i = 0; i < view.extents[axis]; ++i) {
        longer.push_back(element + i * view.strides[axis]);
      }
    }
    elements = longer;
  }
  return elements;
}

StridedView AnyView(int64_t smallest_extent, int64_t largest_stride) {
  StridedView view;
  const int rank = *rc::gen::inRange(0, kMaxRank + 1);
  for (int i = 0; i < rank; ++i) {
    view.extents.push_back(*rc::gen::inRange<int64_t>(smallest_extent, 5));
    view.strides.push_back(*rc::gen::inRange<int64_t>(-largest_stride, largest_stride + 1));
  }
  return view;
}

// A permuted row-major view with gaps, which never meets itself.
StridedView AnyDisjointView() {
  StridedView view;
  const int rank = *rc::gen::inRange(0, kMaxRank + 1);
  int64_t stride = 1;
  for (int i = 0; i < rank; ++i) {
    stride += *rc::gen::inRange<int64_t>(0, 3);
    const int64_t extent = *rc::gen::inRange<int64_t>(1, 5);
    const int place = *rc::gen::inRange(0, i + 1);
    view.extents.push_back(extent);
    view.strides.push_back(*rc::gen::arbitrary<bool>() ? stride : -stride);
    std::swap(view.extents[i], view.extents[place]);
    std::swap(view.strides[i], view.strides[place]);
    stride *= extent;
  }
  return view;
}

TEST(Shape, EmptyMeansAnExtentOfZero) {
  EXPECT_FALSE(IsEmpty({}));
  EXPECT_FALSE(IsEmpty(Dims{1, 2}));
  EXPECT_TRUE(IsEmpty(Dims{1, 0, 2}));
}

TEST(Shape, ElementCountOfScalarEmptyAndOverflow) {
  EXPECT_EQ(ElementCount({}), 1);
  EXPECT_EQ(ElementCount(Dims{2, 3, 4}), 24);
  EXPECT_EQ(ElementCount(Dims{kMax}), kMax);
  EXPECT_EQ(ElementCount(Dims{kMax, 2}), std::nullopt);
  EXPECT_EQ(ElementCount(Dims{int64_t{1} << 32, int64_t{1} << 31}), std::nullopt);
  EXPECT_EQ(ElementCount(Dims{kMax, kMax, 0}), 0);
}

TEST(Shape, RowMajorStrides) {
  EXPECT_EQ(RowMajorStrides(Dims{}), Dims{});
  EXPECT_EQ(RowMajorStrides(Dims{7}), Dims{1});
  EXPECT_EQ(RowMajorStrides(Dims{2, 3, 4}), (Dims{12, 4, 1}));
  EXPECT_EQ(RowMajorStrides(Dims{2, 0, 4}), (Dims{0, 4, 1}));
  // The product of all extents may overflow: it is no stride.
  EXPECT_EQ(RowMajorStrides(Dims{kMax, 2}), (Dims{2, 1}));
  EXPECT_EQ(RowMajorStrides(Dims{1, kMax, 2}), std::nullopt);
}

TEST(Shape, ContiguitySkipsAxesOfExtentOne) {
  EXPECT_TRUE(IsContiguous({}, {}));
  EXPECT_TRUE(IsContiguous(Dims{2, 1, 3}, Dims{3, -77, 1}));
  EXPECT_FALSE(IsContiguous(Dims{2, 3}, Dims{1, 2}));
  EXPECT_FALSE(IsContiguous(Dims{3}, Dims{0}));
  EXPECT_FALSE(IsContiguous(Dims{3}, Dims{-1}));
  EXPECT_TRUE(IsContiguous(Dims{2, 0}, Dims{5, 9}));
  EXPECT_FALSE(IsContiguous(Dims{2, kMax, 2}, Dims{0, 2, 1}));
}

RC_GTEST_PROP(Shape, ContiguousExactlyIfWalkingCountsUpward, ()) {
  const StridedView view = AnyView(1, 4);
  const std::vector<int64_t> elements = AllElements(view);
  bool counts_upward = true;
  for (size_t i = 0; i < elements.size(); ++i) {
    counts_upward = counts_upward && elements[i] == static_cast<int64_t>(i);
  }
  RC_ASSERT(IsContiguous(view.extents, view.strides) == counts_upward);
}

RC_GTEST_PROP(Shape, RowMajorStridesAreContiguous, ()) {
  const StridedView view = AnyView(0, 0);
  const std::optional<Dims> strides = RowMajorStrides(view.extents);
  RC_ASSERT(strides.has_value());
  RC_ASSERT(IsContiguous(view.extents, *strides));
}

RC_GTEST_PROP(Shape, TouchedRangeIsThatOfAllElements, ()) {
  const StridedView view = AnyView(1, 50);
  const std::vector<int64_t> elements = AllElements(view);
  const std::optional<ElementRange> range = TouchedRange(view.extents, view.strides);
  RC_ASSERT(range.has_value());
  RC_ASSERT(range->low == *std::min_element(elements.begin(), elements.end()));
  RC_ASSERT(range->high == *std::max_element(elements.begin(), elements.end()));
}

TEST(Shape, TouchedRangeAtTheLimitsOfInt64) {
  const std::optional<ElementRange> whole = TouchedRange(Dims{2, 2}, Dims{kMax, kMin});
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole->low, kMin);
  EXPECT_EQ(whole->high, kMax);
  EXPECT_EQ(TouchedRange(Dims{3}, Dims{kMax}), std::nullopt);
  EXPECT_EQ(TouchedRange(Dims{2, 2}, Dims{kMax, 1}), std::nullopt);
  EXPECT_EQ(TouchedRange(Dims{2, 2}, Dims{kMin, -1}), std::nullopt);
}

RC_GTEST_PROP(Shape, AMeetingOfTwoIndicesIsNeverMissed, ()) {
  const StridedView view = AnyView(1, 12);
  const std::vector<int64_t> elements = AllElements(view);
  const bool meets = std::set<int64_t>(elements.begin(), elements.end()).size() != elements.size();
  RC_CLASSIFY(meets);
  if (meets) RC_ASSERT(MayOverlapItself(view));
}

RC_GTEST_PROP(Shape, PermutedViewsWithGapsAreKnownToBeDisjoint, ()) {
  RC_ASSERT(!MayOverlapItself(AnyDisjointView()));
}

TEST(Shape, OverlapOfExpandedEmptyAndHugeViews) {
  EXPECT_TRUE(MayOverlapItself({{2, 3}, {0, 1}}));
  EXPECT_FALSE(MayOverlapItself({{1, 3}, {0, 1}}));
  EXPECT_FALSE(MayOverlapItself({{0, 3}, {0, 0}}));
  EXPECT_FALSE(MayOverlapItself({{}, {}}));
  EXPECT_FALSE(MayOverlapItself({{2, 2}, {kMin, 1}}));
  EXPECT_TRUE(MayOverlapItself({{4, 4}, {kMax, 1}}));  // cannot be computed: not certain
}

}  // namespace
}  // namespace aclnn_cpu
