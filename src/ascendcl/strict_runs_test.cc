#include "ascendcl/strict_runs.h"

#include <gtest/gtest.h>

#include <set>

namespace aclnn_cpu {
namespace {

constexpr uintptr_t kFirst = 0x10000;

MemoryAccess Access(Dims extents, Dims strides, int64_t element_bytes = 4) {
  return {"x", reinterpret_cast<const void*>(kFirst), {extents, strides}, element_bytes, true};
}

// The bytes of the runs, and those of every element of the view one by one.
std::set<uintptr_t> BytesOfRuns(const MemoryAccess& access) {
  std::set<uintptr_t> bytes;
  const std::vector<AddressRange> runs = RunsOf(access).value();
  for (const auto& [begin, end] : runs) {
    for (uintptr_t byte = begin; byte < end; ++byte) {
      EXPECT_TRUE(bytes.insert(byte).second) << "twice: " << byte;
    }
  }
  return bytes;
}

std::set<uintptr_t> BytesOfElements(const MemoryAccess& access) {
  std::set<uintptr_t> bytes;
  const int64_t count = ElementCount(access.view.extents).value();
  for (int64_t index = 0; index < count; ++index) {
    int64_t rest = index;
    int64_t element = 0;
    for (int axis = access.view.extents.size(); axis-- > 0;) {
      element += rest % access.view.extents[axis] * access.view.strides[axis];
      rest /= access.view.extents[axis];
    }
    for (int64_t byte = 0; byte < access.element_bytes; ++byte)
      bytes.insert(kFirst + static_cast<uintptr_t>(element * access.element_bytes + byte));
  }
  return bytes;
}

TEST(StrictRuns, CoverExactlyTheElements) {
  for (const MemoryAccess& access : {
           Access({}, {}),
           Access({3, 4}, {4, 1}),
           Access({3, 4}, {-4, -1}),
           Access({4, 3}, {1, 4}),
           Access({3, 4}, {5, 1}),
           Access({3, 4}, {10, 2}),
           Access({2, 3, 2, 3}, {50, 1, 25, -7}),
           Access({3, 4}, {0, 1}),
           Access({3, 4}, {1, 1}),
           Access({3, 4}, {2, 3}, 2),
           Access({2, 2, 3}, {1, 7, 20}, 8),
       }) {
    EXPECT_EQ(BytesOfRuns(access), BytesOfElements(access));
  }
}

TEST(StrictRuns, AnyOrderOfPackedAxesIsOneRun) {
  EXPECT_EQ(RunsOf(Access({2, 3, 4}, {12, 4, 1}))->size(), 1u);
  EXPECT_EQ(RunsOf(Access({3, 4, 2}, {4, 1, 12}))->size(), 1u);
  EXPECT_EQ(RunsOf(Access({1000, 1000, 1000}, {-1000000, 1, -1000}))->size(), 1u);
  EXPECT_EQ(RunsOf(Access({3, 4}, {5, 1}))->size(), 3u);
}

TEST(StrictRuns, TooManyPiecesAreRefused) {
  EXPECT_EQ(RunsOf(Access({kMostRuns}, {2}))->size(), static_cast<size_t>(kMostRuns));
  EXPECT_FALSE(RunsOf(Access({kMostRuns + 1}, {2})).has_value());
  EXPECT_FALSE(RunsOf(Access({100, 100}, {1000, 2})).has_value());
}

TEST(StrictRuns, AnEmptyViewTouchesNothing) {
  EXPECT_FALSE(RunsOf(Access({3, 0}, {1, 1})).has_value());
  EXPECT_FALSE(BoundsOf(Access({0}, {1})).has_value());
}

}  // namespace
}  // namespace aclnn_cpu
