#include "opapi/adaptive_avg_pool2d_backward/plan.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/parallel.h"

namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace {

StridedView Packed(const Dims& extents) { return {extents, RowMajorStrides(extents).value()}; }

Problem MakeProblem(const Dims& grad, const Dims& out, aclDataType dtype = ACL_FLOAT) {
  Problem problem;
  problem.grad_dtype = problem.out_dtype = dtype;
  problem.grad = Packed(grad);
  problem.out = Packed(out);
  return problem;
}

std::shared_ptr<const Plan> PlanFor(const Problem& problem) {
  StatusOr<std::shared_ptr<const Plan>> plan = MakePlan(problem);
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  return std::move(plan).value();
}

TEST(AdaptiveAvgPool2dBackwardPlan, BlocksCutTheRowsWithoutGapOrOverlap) {
  const Problem problem = MakeProblem({2, 3, 2, 2}, {2, 3, 7, 5});
  for (int64_t blocks : {1, 2, 5, 41, 42}) {
    const Plan plan(problem, Variant::kPlanes, blocks, false);
    EXPECT_EQ(plan.FirstUnit(0), 0);
    EXPECT_EQ(plan.FirstUnit(blocks), 42);
    for (int64_t block = 0; block < blocks; ++block) {
      const int64_t rows = plan.FirstUnit(block + 1) - plan.FirstUnit(block);
      EXPECT_GE(rows, 42 / blocks);
      EXPECT_LE(rows, 42 / blocks + 1);
    }
  }
}

TEST(AdaptiveAvgPool2dBackwardPlan, BlocksOfManyPlanesBeginWithGroupsOfWholeOnes) {
  const Problem problem = MakeProblem({5, 101, 2, 2}, {5, 101, 7, 5});
  const Plan plan(problem, Variant::kPlanes, 15, false);
  EXPECT_EQ(plan.FirstUnit(15), 5 * 101 * 7);
  for (int64_t block = 0; block < 15; ++block) {
    EXPECT_EQ(plan.FirstUnit(block) % (8 * 7), 0);
    EXPECT_GE(plan.FirstUnit(block + 1) - plan.FirstUnit(block), 4 * 8 * 7);
    EXPECT_LE(plan.FirstUnit(block + 1) - plan.FirstUnit(block), 6 * 8 * 7);
  }
}

TEST(AdaptiveAvgPool2dBackwardPlan, BigWorkHasManyBlocksAndSmallWorkOne) {
  EXPECT_GE(PlanFor(MakeProblem({128, 2048, 2, 2}, {128, 2048, 7, 7}))->blocks(), 100);
  EXPECT_EQ(PlanFor(MakeProblem({1, 1, 3, 2}, {1, 1, 4, 2}))->blocks(), 1);
}

TEST(AdaptiveAvgPool2dBackwardPlan, TinyWorkIsEstimatedFarBelowTenMicroseconds) {
  EXPECT_LT(PlanFor(MakeProblem({1, 1, 3, 2}, {1, 1, 4, 2}))->EstimatedMicroseconds(), 2);
}

TEST(AdaptiveAvgPool2dBackwardPlan, TheEstimateGrowsWithTheWork) {
  const double one = PlanFor(MakeProblem({1, 8, 7, 7}, {1, 8, 56, 56}))->EstimatedMicroseconds();
  const double ten = PlanFor(MakeProblem({10, 8, 7, 7}, {10, 8, 56, 56}))->EstimatedMicroseconds();
  EXPECT_NEAR(ten / one, 10, 0.5);
}

TEST(AdaptiveAvgPool2dBackwardPlan, DoesNotDependOnTheNumberOfThreads) {
  const Problem problem = MakeProblem({4, 64, 7, 7}, {4, 64, 56, 56}, ACL_FLOAT16);
  ForceThreadCountForTest(1);
  const std::shared_ptr<const Plan> one = PlanFor(problem);
  ForceThreadCountForTest(7);
  const std::shared_ptr<const Plan> seven = PlanFor(problem);
  ForceThreadCountForTest(0);
  EXPECT_EQ(one->Describe(), seven->Describe());
  EXPECT_EQ(one->WorkspaceBytes(), seven->WorkspaceBytes());
  EXPECT_EQ(one->EstimatedMicroseconds(), seven->EstimatedMicroseconds());
}

TEST(AdaptiveAvgPool2dBackwardPlan, OutThatMeetsItselfIsOneBlock) {
  Problem problem = MakeProblem({4, 64, 7, 7}, {4, 64, 56, 56});
  EXPECT_GT(PlanFor(problem)->blocks(), 1);
  problem.out.strides[1] = 0;
  EXPECT_EQ(PlanFor(problem)->blocks(), 1);
}

struct Part {
  int64_t begin;
  int64_t bytes;
};

void ExpectAlignedAndApart(const std::vector<Part>& parts, int64_t end) {
  for (size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].begin % 64, 0);
    EXPECT_LE(parts[i].begin + parts[i].bytes, i + 1 < parts.size() ? parts[i + 1].begin : end);
  }
}

TEST(AdaptiveAvgPool2dBackwardPlan, PartsOfTheWorkspaceAreAlignedAndApart) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16}) {
    const int64_t element = dtype == ACL_FLOAT ? 4 : 2;
    const Problem problem = MakeProblem({2, 3, 5, 13}, {2, 3, 7, 19}, dtype);
    const RowsLayout rows(problem);
    ExpectAlignedAndApart({{rows.row_windows, 5 * 16},
                           {rows.column_windows, 13 * 16},
                           {rows.divisors[0], 13 * 4},
                           {rows.divisors[1], 13 * 4}},
                          rows.parts.tables);
    ExpectAlignedAndApart(
        {{rows.grad_row, 13 * 4}, {rows.column_sums, 13 * 4}, {rows.narrowed, 19 * element}},
        rows.parts.slot_stride);
    const PlanesLayout planes(problem);
    ExpectAlignedAndApart({{planes.row_covers, 7 * 8},
                           {planes.divisors, 5 * 13 * 4},
                           {planes.offsets, 19 * 8},
                           {planes.lanes[0], 19 * 4},
                           {planes.lanes[1], 19 * 4},
                           {planes.second_masks, 19 * 4}},
                          planes.parts.tables);
    ExpectAlignedAndApart({{planes.quotients, (6 * 13 + kMaxLanes) * 4},
                           {planes.gathered, 13 * 4},
                           {planes.sums, (13 + kMaxLanes) * 4},
                           {planes.float_row, 19 * 4},
                           {planes.row, 19 * element}},
                          planes.parts.slot_stride);
    const ChannelsLastLayout pixels(problem);
    ExpectAlignedAndApart({{pixels.row_windows, 5 * 16},
                           {pixels.column_windows, 13 * 16},
                           {pixels.column_covers, 19 * 16}},
                          pixels.parts.tables);
    ExpectAlignedAndApart({{pixels.pixel, 3 * 4},
                           {pixels.sums[0], 3 * 13 * 4},
                           {pixels.sums[1], 3 * 13 * 4},
                           {pixels.sums[2], 3 * 13 * 4}},
                          pixels.parts.slot_stride);
  }
}

TEST(AdaptiveAvgPool2dBackwardPlan, WorkspaceHoldsTablesAndTheScratchOfEachSlot) {
  const Problem problem = MakeProblem({2, 3, 5, 13}, {2, 3, 7, 19});
  for (const Variant variant : {Variant::kPlanes, Variant::kRows}) {
    const Plan plan(problem, variant, 9, false);
    EXPECT_EQ(plan.slots(), 5);
    EXPECT_EQ(plan.WorkspaceBytes(), plan.parts().tables + 5 * plan.parts().slot_stride);
  }
}

TEST(AdaptiveAvgPool2dBackwardPlan, TakesTheFirstVariantThatApplies) {
  const auto variant_of = [](const Problem& problem) { return PlanFor(problem)->variant(); };
  EXPECT_EQ(variant_of(MakeProblem({2, 3, 1, 1}, {2, 3, 7, 5})), Variant::kGlobal);
  Problem problem = MakeProblem({2, 3, 2, 2}, {2, 3, 7, 5});
  EXPECT_EQ(variant_of(problem), Variant::kPlanes);
  problem.out.strides = {210, 70, 5, 1};  // gaps between the planes
  EXPECT_EQ(variant_of(problem), Variant::kPlanes);
  problem.out.strides = {105, 1, 15, 3};
  EXPECT_EQ(variant_of(problem), Variant::kChannelsLast);
  problem.out.strides = {210, 70, 10, 2};
  EXPECT_EQ(variant_of(problem), Variant::kRows);
  problem.out.strides = {0, 35, 5, 1};  // meets itself
  EXPECT_EQ(variant_of(problem), Variant::kRows);
}

TEST(AdaptiveAvgPool2dBackwardPlan, DescribesItselfInOneLine) {
  const std::string line =
      Plan(MakeProblem({2, 3, 2, 2}, {2, 3, 7, 5}), Variant::kPlanes, 4, true).Describe();
  EXPECT_EQ(line.find('\n'), std::string::npos);
  for (const char* part : {"planes", "4 block", "7x5", "2x2", "FLOAT", "past the caches"}) {
    EXPECT_NE(line.find(part), std::string::npos) << part << " in: " << line;
  }
}

TEST(AdaptiveAvgPool2dBackwardPlan, RejectsExtentsWhoseTablesCannotBeAddressed) {
  constexpr int64_t kHuge = int64_t{1} << 59;
  for (const Dims& extents : {Dims{1, 1, 1, kHuge}, Dims{1, 1, kHuge, 1}}) {
    Problem problem = MakeProblem({1, 1, 1, 1}, {1, 1, 2, 2});
    problem.grad = {extents, {0, 0, 0, 0}};
    const StatusOr<std::shared_ptr<const Plan>> plan = MakePlan(problem);
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.status().code(), 561103);
    EXPECT_NE(plan.status().message().find(std::to_string(kHuge)), std::string_view::npos);
  }
}

}  // namespace
}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
