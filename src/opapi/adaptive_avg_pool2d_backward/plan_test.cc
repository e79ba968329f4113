#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "opapi/adaptive_avg_pool2d_backward/problem.h"

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
    const Plan plan(problem, blocks);
    EXPECT_EQ(plan.FirstRow(0), 0);
    EXPECT_EQ(plan.FirstRow(blocks), 42);
    for (int64_t block = 0; block < blocks; ++block) {
      const int64_t rows = plan.FirstRow(block + 1) - plan.FirstRow(block);
      EXPECT_GE(rows, 42 / blocks);
      EXPECT_LE(rows, 42 / blocks + 1);
    }
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

TEST(AdaptiveAvgPool2dBackwardPlan, PartsOfTheWorkspaceAreAlignedAndApart) {
  for (const aclDataType out_dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE}) {
    Problem problem = MakeProblem({2, 3, 1, 1}, {2, 3, 7, 19});
    problem.out_dtype = out_dtype;
    problem.grad = Packed({2, 3, 5, 33});
    const Plan plan(problem, 4);
    const WorkspaceLayout& at = plan.layout();
    const int64_t element = out_dtype == ACL_DOUBLE ? 8 : out_dtype == ACL_FLOAT ? 4 : 2;
    struct Part {
      int64_t begin;
      int64_t bytes;
    };
    std::vector<Part> parts = {{at.row_windows, 5 * 16},
                               {at.column_windows, 33 * 16},
                               {at.divisors, 33 * 4},
                               {at.divisors + at.divisor_stride, 33 * 4}};
    for (int64_t block = 0; block < 4; ++block) {
      const int64_t own = at.scratch + block * at.block_stride;
      parts.push_back({own + at.grad_row, 33 * 4});
      parts.push_back({own + at.column_sums, 33 * 4});
      parts.push_back({own + at.out_row, 19 * 4});
      if (out_dtype != ACL_FLOAT) parts.push_back({own + at.narrowed, 19 * element});
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      EXPECT_EQ(parts[i].begin % 64, 0);
      const int64_t end = parts[i].begin + parts[i].bytes;
      EXPECT_LE(end, i + 1 < parts.size() ? parts[i + 1].begin : plan.WorkspaceBytes());
    }
  }
}

TEST(AdaptiveAvgPool2dBackwardPlan, DescribesItselfInOneLine) {
  const std::string line = Plan(MakeProblem({2, 3, 2, 2}, {2, 3, 7, 5}), 4).Describe();
  EXPECT_EQ(line.find('\n'), std::string::npos);
  for (const char* part : {"rows", "4 block", "7x5", "2x2", "FLOAT"}) {
    EXPECT_NE(line.find(part), std::string::npos) << part << " in: " << line;
  }
}

TEST(AdaptiveAvgPool2dBackwardPlan, RejectsWidthsWhoseRowsCannotBeAddressed) {
  Problem problem = MakeProblem({1, 1, 1, 1}, {1, 1, 2, 2});
  problem.grad = {{1, 1, 1, int64_t{1} << 59}, {0, 0, 0, 0}};
  const StatusOr<std::shared_ptr<const Plan>> plan = MakePlan(problem);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.status().code(), 561103);
  EXPECT_NE(plan.status().message().find(std::to_string(int64_t{1} << 59)), std::string::npos);
}

}  // namespace
}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
