#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "aclnn/opdev/op_errno.h"
#include "base/parallel.h"
#include "opapi/grid_sampler3d_backward/test_util.h"

namespace aclnn_cpu::grid_sampler3d_backward {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A dense problem of any size, without tensors.
Problem MakeProblem(aclDataType dtype, const Dims& input, const Dims& points) {
  Problem problem;
  problem.dtype = dtype;
  problem.want_input_grad = problem.want_grid_grad = true;
  const auto dense = [](const Dims& extents) {
    return StridedView{extents, *RowMajorStrides(extents)};
  };
  problem.input = problem.input_grad = dense(input);
  problem.grad_output = dense({input[0], input[1], points[0], points[1], points[2]});
  problem.grid = problem.grid_grad = dense({input[0], points[0], points[1], points[2], 3});
  return problem;
}

TEST(GridSampler3DBackwardPlan, BlocksCoverEverythingOnce) {
  const int64_t inputs[][5] = {{1, 1, 1, 1, 1},   {1, 1, 160, 192, 160}, {1, 3, 5, 96, 96},
                               {4, 32, 16, 3, 3}, {2, 7, 2, 64, 64},     {40, 5, 3, 3, 3},
                               {1, 2048, 9, 2, 2}};
  const int64_t grids[][3] = {{1, 1, 1}, {1, 1, 65}, {7, 40, 40}, {96, 96, 96}};
  for (const auto& in : inputs) {
    for (const auto& out : grids) {
      const Plan plan(
          MakeProblem(ACL_FLOAT, {in[0], in[1], in[2], in[3], in[4]}, {out[0], out[1], out[2]}),
          Variant::kPoints);
      const Blocks& blocks = plan.blocks();
      SCOPED_TRACE(plan.Describe());
      const auto covers = [](int64_t count, int64_t groups, int64_t size) {
        return groups * size >= count && (groups - 1) * size < count;
      };
      EXPECT_TRUE(covers(in[1], blocks.channel_groups, blocks.channels));
      EXPECT_TRUE(covers(in[2], blocks.slabs, blocks.planes));
      EXPECT_TRUE(covers(out[0] * out[1] * out[2], blocks.point_groups, blocks.points));
      EXPECT_EQ(blocks.input_grad, in[0] * blocks.channel_groups * blocks.slabs);
      EXPECT_EQ(blocks.grid_grad, in[0] * blocks.point_groups);
    }
  }
}

TEST(GridSampler3DBackwardPlan, BlocksDoNotDependOnThreads) {
  for (int64_t channels : {3, 8}) {
    const Problem problem = MakeProblem(ACL_FLOAT, {1, channels, 32, 32, 32}, {32, 32, 32});
    for (Variant variant : {ChooseVariant(problem), Variant::kPoints}) {
      ForceThreadCountForTest(1);
      const std::string with_one = Plan(problem, variant).Describe();
      ForceThreadCountForTest(7);
      const std::string with_seven = Plan(problem, variant).Describe();
      ForceThreadCountForTest(0);
      EXPECT_EQ(with_one, with_seven);
    }
  }
}

TEST(GridSampler3DBackwardPlan, OneSampleOfOneChannelIsSharedOut) {
  const Plan plan(MakeProblem(ACL_FLOAT, {1, 1, 64, 64, 64}, {64, 64, 64}), Variant::kPoints);
  EXPECT_GE(plan.blocks().input_grad, 4);
  EXPECT_GE(plan.blocks().grid_grad, 16);
}

TEST(GridSampler3DBackwardPlan, WorkspaceHoldsTheSumsThatAreRounded) {
  const int64_t elements = 2 * 3 * 4 * 5 * 6;
  const auto bytes = [](const Problem& problem) { return Plan(problem).WorkspaceBytes(); };
  for (aclDataType dtype : test::kFloatDtypes) {
    SCOPED_TRACE(test::DtypeLabel(dtype));
    const bool rounds = dtype == ACL_FLOAT16 || dtype == ACL_BF16;
    const int64_t sum_bytes = dtype == ACL_DOUBLE ? 8 : 4;
    Problem problem = MakeProblem(dtype, {2, 3, 4, 5, 6}, {2, 2, 2});
    EXPECT_EQ(bytes(problem), rounds ? elements * 4 : 0);
    problem.input_grad.strides[1] = 0;  // channels meet
    EXPECT_EQ(bytes(problem), elements * sum_bytes);
    problem.want_input_grad = false;
    EXPECT_EQ(bytes(problem), 0);
  }
}

TEST(GridSampler3DBackwardPlan, RejectsSumsThatCannotBeAddressed) {
  Problem problem = MakeProblem(ACL_FLOAT16, {1, 1, 1, 1, 1}, {1, 1, 1});
  problem.input = problem.input_grad =
      StridedView{{1, 1, int64_t{1} << 21, int64_t{1} << 20, int64_t{1} << 20}, {0, 0, 0, 0, 0}};
  EXPECT_EQ(MakePlan(problem).status().code(), ACLNN_ERR_INNER_NULLPTR);
  problem.want_input_grad = false;
  EXPECT_TRUE(MakePlan(problem).ok());
}

TEST(GridSampler3DBackwardPlan, EstimateGrowsWithTheWork) {
  const auto estimate = [](const Dims& input, const Dims& points) {
    return Plan(MakeProblem(ACL_FLOAT, input, points)).EstimatedMicroseconds();
  };
  const double small = estimate({1, 1, 4, 4, 4}, {2, 2, 2});
  EXPECT_GT(small, 0);
  EXPECT_LT(small, 10);
  EXPECT_GT(estimate({1, 1, 64, 64, 64}, {64, 64, 64}), 1000);
  EXPECT_GT(estimate({1, 8, 4, 4, 4}, {2, 2, 2}), small);
  EXPECT_GT(estimate({1, 1, 4, 4, 4}, {4, 4, 4}), small);
  EXPECT_GT(estimate({1, 1, 64, 64, 64}, {2, 2, 2}), small);
}

TEST(GridSampler3DBackwardPlan, AFewPointsOfAVolumeUsedInPlaceAreTinyWork) {
  Problem problem = MakeProblem(ACL_FLOAT, {1, 16, 256, 256, 256}, {1, 2, 3});
  for (StridedView* view : {&problem.input, &problem.input_grad, &problem.grad_output}) {
    const Dims& e = view->extents;  // NDHWC
    view->strides = {e[1] * e[2] * e[3] * e[4], 1, e[3] * e[4] * e[1], e[4] * e[1], e[1]};
  }
  problem.want_input_grad = false;
  const Plan plan(problem);
  EXPECT_THAT(plan.Describe(), HasSubstr("channels last: "));
  EXPECT_THAT(plan.Describe(), HasSubstr("input in place"));
  EXPECT_LT(plan.EstimatedMicroseconds(), 10);
}

TEST(GridSampler3DBackwardPlan, DescribesItself) {
  Problem problem = MakeProblem(ACL_FLOAT16, {1, 2, 3, 4, 5}, {1, 1, 2});
  problem.padding = Padding::kReflection;
  EXPECT_EQ(
      Plan(problem).Describe(),
      "points: bilinear reflection align_corners=false; inputGrad: 1 blocks of 2 channels x 3 "
      "planes, summed in the workspace; gridGrad: 1 blocks of 4096 points");
  problem.want_grid_grad = false;
  EXPECT_THAT(Plan(problem).Describe(), Not(HasSubstr("gridGrad")));
}

TEST(GridSampler3DBackwardPlan, SlabsStayWithinTheWorkspaceLimit) {
  const int64_t inputs[][5] = {{1, 1, 64, 64, 64},    {1, 1, 160, 192, 160}, {1, 3, 96, 96, 96},
                               {2, 16, 32, 64, 64},   {4, 32, 16, 16, 16},   {100, 2, 30, 40, 2},
                               {8, 1, 256, 256, 256}, {1, 5, 8, 8, 8},       {3, 1, 2, 2, 2},
                               {1, 2, 40, 20, 30},    {1, 4, 64, 64, 64},    {2, 3, 9, 8, 40}};
  for (const auto& in : inputs) {
    for (aclDataType dtype : test::kFloatDtypes) {
      for (int64_t factor : {1, 3, 16}) {  // of the number of points
        const Dims input{in[0], in[1], in[2], in[3], in[4]};
        const Plan plan(MakeProblem(dtype, input, {in[2] * factor, in[3], in[4]}));
        SCOPED_TRACE(plan.Describe());
        if (plan.variant() == Variant::kPoints) continue;
        EXPECT_LE(plan.WorkspaceBytes(), *ElementCount(input) * 10);
        EXPECT_GE(plan.slabs().planes * plan.slabs().count, in[2]);
        EXPECT_LT(plan.slabs().planes * (plan.slabs().count - 1), in[2]);
        EXPECT_EQ(plan.slabs().run * plan.slabs().runs, plan.problem().points());
      }
    }
  }
}

TEST(GridSampler3DBackwardPlan, WorkspaceHoldsEitherLayout) {
  if (!HasSlabVariants()) return;  // a target without vectors
  const Problem problem = MakeProblem(ACL_FLOAT, {1, 3, 48, 40, 56}, {48, 40, 56});
  const auto bytes = [&](Variant variant) { return Plan(problem, variant).WorkspaceBytes(); };
  const Plan plan(problem);
  EXPECT_EQ(plan.variant(), Variant::kPlanarOrQuads);
  EXPECT_EQ(plan.WorkspaceBytes(), std::max(bytes(Variant::kPlanar), bytes(Variant::kQuads)));
  EXPECT_EQ(plan.slabs().count, plan.quads().count);
  EXPECT_EQ(plan.slabs().slot_elements, CutIntoSlabs(problem, Variant::kPlanar).slot_elements);
  EXPECT_EQ(plan.quads().slot_elements, CutIntoSlabs(problem, Variant::kQuads).slot_elements);
  EXPECT_THAT(plan.Describe(), HasSubstr("planar or quads: "));
  EXPECT_THAT(Plan(problem, Variant::kQuads).Describe(), HasSubstr("quads: "));
}

// Filled up to four channels, fewer slabs fit into the workspace at once: with several threads that
// may cost more than quads save.
TEST(GridSampler3DBackwardPlan, QuadsAreNoChoiceWhereFarFewerTasksCouldRunAtOnce) {
  if (!HasSlabVariants()) return;  // a target without vectors
  struct Row {
    Dims input;
    int64_t planar_slots, quads_slots;
    Variant chosen;
  };
  const Row rows[] = {{{1, 2, 48, 48, 48}, 2, 1, Variant::kPlanar},
                      {{2, 2, 16, 64, 64}, 3, 1, Variant::kPlanar},
                      {{1, 2, 96, 96, 96}, 6, 3, Variant::kPlanar},
                      {{1, 3, 40, 16, 30}, 2, 1, Variant::kPlanar},
                      {{1, 2, 32, 32, 30}, 1, 1, Variant::kPlanarOrQuads},
                      {{1, 3, 48, 48, 48}, 2, 2, Variant::kPlanarOrQuads},
                      {{1, 3, 96, 96, 96}, 6, 4, Variant::kPlanarOrQuads}};
  for (const Row& row : rows) {
    const Dims& in = row.input;
    const Problem problem = MakeProblem(ACL_FLOAT, in, {in[2], in[3], in[4]});
    SCOPED_TRACE(in[1] * 1000 + in[4]);
    EXPECT_EQ(Plan(problem, Variant::kPlanar).slabs().slots, row.planar_slots);
    EXPECT_EQ(Plan(problem, Variant::kQuads).slabs().slots, row.quads_slots);
    EXPECT_EQ(ChooseVariant(problem), row.chosen);
  }
}

TEST(GridSampler3DBackwardPlan, DenseChannelsLastVolumesAreUsedInPlace) {
  const Problem base = MakeProblem(ACL_FLOAT, {1, 16, 8, 9, 10}, {8, 9, 10});
  const auto slabs = [](const Problem& problem) {
    return CutIntoSlabs(problem, Variant::kChannelsLast);
  };
  const auto last = [](StridedView* view) {
    const Dims& e = view->extents;
    view->strides = {e[1] * e[2] * e[3] * e[4], 1, e[3] * e[4] * e[1], e[4] * e[1], e[1]};
  };
  EXPECT_GT(slabs(base).value_elements, 0);
  EXPECT_GT(slabs(base).sum_elements, 0);
  Problem problem = base;
  last(&problem.input);
  EXPECT_EQ(slabs(problem).value_elements, 0);
  EXPECT_EQ(slabs(problem).sum_elements, slabs(base).sum_elements);
  last(&problem.input_grad);
  EXPECT_EQ(slabs(problem).sum_elements, 0);
  Problem rounded = problem;
  rounded.dtype = ACL_FLOAT16;
  EXPECT_GT(slabs(rounded).sum_elements, 0);
  Problem sliced = problem;
  sliced.input.strides[4] *= 2;
  EXPECT_GT(slabs(sliced).value_elements, 0);
  // Nothing is copied, so that points may be few.
  problem.grid.extents = problem.grid_grad.extents = {1, 1, 1, 2, 3};
  problem.grad_output.extents = {1, 16, 1, 1, 2};
  EXPECT_EQ(ChooseVariant(problem), HasSlabVariants() ? Variant::kChannelsLast : Variant::kPoints);
}

TEST(GridSampler3DBackwardPlan, SlabsAreSharedOut) {
  if (!HasSlabVariants()) return;  // a target without vectors
  const Plan volume(MakeProblem(ACL_FLOAT, {1, 1, 64, 64, 64}, {64, 64, 64}));
  EXPECT_EQ(volume.variant(), Variant::kPlanar);
  EXPECT_GE(volume.slabs().slots, 3);
  EXPECT_THAT(volume.Describe(), HasSubstr("planar: bilinear zeros"));
  const Plan batch(MakeProblem(ACL_FLOAT, {2, 16, 32, 64, 64}, {32, 64, 64}));
  EXPECT_EQ(batch.variant(), Variant::kChannelsLast);
  EXPECT_GE(batch.slabs().slots, 3);
  EXPECT_THAT(batch.Describe(), HasSubstr("channels last: "));
}

}  // namespace
}  // namespace aclnn_cpu::grid_sampler3d_backward
