// Views that are more than a layout: expanded inputs, outputs that overlap themselves or inputs,
// data that are not needed.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_grid_sampler3d_backward.h"
#include "base/parallel.h"
#include "opapi/grid_sampler3d_backward/test_util.h"

namespace aclnn_cpu::grid_sampler3d_backward {
namespace {

CallSpec Spec(aclDataType dtype, bool channels_last) {
  CallSpec spec;
  spec.dtype = dtype;
  spec.channels_last = channels_last;
  spec.shape = {2, 3, 4, 3, 5, 2, 3, 4, 0, 1, false};
  return spec;
}

void ExpectSameResults(const TestCall& got, const TestCall& want) {
  EXPECT_TRUE(test::SameBits(got.spec.dtype, got.input_grad.bytes(), want.input_grad.bytes()));
  EXPECT_TRUE(test::SameBits(got.spec.dtype, got.grid_grad.bytes(), want.grid_grad.bytes()));
}

TEST(GridSampler3DBackwardViews, ExpandedInputsEqualTheirCopies) {
  for (aclDataType dtype : test::kFloatDtypes) {
    TestCall expanded(Spec(dtype, false));
    const auto expand = [&](HostTensor* tensor, const Int64s& strides) {
      *tensor = TensorBuilder(dtype, tensor->shape()).Strides(strides).Build();
    };
    expand(&expanded.grad_output, {0, 0, 0, 0, 0});
    expand(&expanded.input, {0, 60, 15, 5, 1});  // one volume for all samples
    expand(&expanded.grid, {0, 0, 12, 3, 1});
    test::Rng rng(11);
    FillAtRandom(&rng, &expanded);
    TestCall copied(expanded.spec);
    copied.grad_output.SetValues(expanded.grad_output.Values());
    copied.input.SetValues(expanded.input.Values());
    copied.grid.SetValues(expanded.grid.Values());
    expanded.Run();
    copied.Run();
    ExpectSameResults(expanded, copied);
  }
}

// What is left is what writing the elements in the row-major order of the caller's axes leaves.
TEST(GridSampler3DBackwardViews, OutputsThatOverlapThemselvesAreWrittenInRowMajorOrder) {
  for (aclDataType dtype : test::kFloatDtypes) {
    for (bool channels_last : {false, true}) {
      TestCall dense(Spec(dtype, channels_last));
      test::Rng rng(12);
      FillAtRandom(&rng, &dense);
      dense.Run();
      for (const Int64s& strides : {Int64s{0, 0, 0, 0, 0}, Int64s{1, 0, 2, 1, 1},
                                    Int64s{3, 2, 1, 0, 2}, Int64s{0, -1, 1, -2, 1}}) {
        TestCall call(dense.spec);
        call.grad_output.SetValues(dense.grad_output.Values());
        call.input.SetValues(dense.input.Values());
        call.grid.SetValues(dense.grid.Values());
        const auto overlapping = [&](const Int64s& shape) {
          return TensorBuilder(dtype, shape).Strides(strides).Margin(2).Build();
        };
        call.input_grad = TensorBuilder(dtype, call.spec.InputShape())
                              .Format(channels_last ? ACL_FORMAT_NDHWC : ACL_FORMAT_NCDHW)
                              .Strides(strides)
                              .Margin(2)
                              .Build();
        call.grid_grad = overlapping(call.spec.GridShape());
        HostTensor want_input_grad = overlapping(call.spec.InputShape());
        HostTensor want_grid_grad = overlapping(call.spec.GridShape());
        want_input_grad.SetValues(dense.input_grad.Values());
        want_grid_grad.SetValues(dense.grid_grad.Values());
        ForceThreadCountForTest(3);
        call.Run();
        ForceThreadCountForTest(0);
        EXPECT_TRUE(test::SameBits(dtype, call.input_grad.bytes(), want_input_grad.bytes()));
        EXPECT_TRUE(test::SameBits(dtype, call.grid_grad.bytes(), want_grid_grad.bytes()));
      }
    }
  }
}

// Both phases and the wait for the result.
void RunThroughApi(TestCall* call) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  const reference::Shape& shape = call->spec.shape;
  ASSERT_EQ(
      aclnnGridSampler3DBackwardGetWorkspaceSize(
          call->grad_output.acl(), call->input.acl(), call->grid.acl(), shape.interpolation_mode,
          shape.padding_mode, shape.align_corners, call->mask.get(), call->input_grad.acl(),
          call->grid_grad.acl(), &call->workspace_size, &call->executor),
      OK);
  const AlignedBuffer workspace(call->workspace_size);
  ASSERT_EQ(
      aclnnGridSampler3DBackward(workspace.data(), call->workspace_size, call->executor, nullptr),
      OK);
  ASSERT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST(GridSampler3DBackwardViews, OutputsMayOverlapInputs) {
  for (aclDataType dtype : test::kFloatDtypes) {
    TestCall apart(Spec(dtype, false));
    test::Rng rng(13);
    FillAtRandom(&rng, &apart);
    RunThroughApi(&apart);

    TestCall in_place(apart.spec);
    in_place.grad_output.SetValues(apart.grad_output.Values());
    in_place.input.SetValues(apart.input.Values());
    in_place.grid.SetValues(apart.grid.Values());
    in_place.input_grad =
        TensorBuilder(dtype, in_place.spec.InputShape()).SharingStorageOf(in_place.input).Build();
    in_place.grid_grad =
        TensorBuilder(dtype, in_place.spec.GridShape()).SharingStorageOf(in_place.grid).Build();
    RunThroughApi(&in_place);
    ExpectSameResults(in_place, apart);

    // gradOutput lies inside the volume that inputGrad overwrites.
    TestCall inside(apart.spec);
    inside.input.SetValues(apart.input.Values());
    inside.grid.SetValues(apart.grid.Values());
    inside.grad_output = TensorBuilder(dtype, inside.spec.GradOutputShape())
                             .SharingStorageOf(inside.input_grad)
                             .Build();
    inside.grad_output.SetValues(apart.grad_output.Values());
    RunThroughApi(&inside);
    ExpectSameResults(inside, apart);
  }
}

struct Need {
  int64_t interpolation;
  bool input_grad, grid_grad;
  bool reads_points, reads_input;
};

// Data that the result does not depend on are never touched and may be null.
TEST(GridSampler3DBackwardViews, UnneededDataMayBeNull) {
  constexpr Need kNeeds[] = {{0, true, true, true, true},   {0, true, false, true, false},
                             {0, false, true, true, true},  {1, true, true, true, false},
                             {1, true, false, true, false}, {1, false, true, false, false}};
  for (const Need& need : kNeeds) {
    CallSpec spec = Spec(ACL_FLOAT, false);
    spec.shape.interpolation_mode = need.interpolation;
    spec.want_input_grad = need.input_grad;
    spec.want_grid_grad = need.grid_grad;
    TestCall full(spec);
    test::Rng rng(14);
    FillAtRandom(&rng, &full);
    RunThroughApi(&full);
    TestCall sparse(spec);
    sparse.grad_output.SetValues(full.grad_output.Values());
    sparse.input.SetValues(full.input.Values());
    sparse.grid.SetValues(full.grid.Values());
    const auto drop = [](HostTensor* tensor) {
      *tensor = TensorBuilder(ACL_FLOAT, tensor->shape()).WithoutData().Build();
    };
    if (!need.reads_points) drop(&sparse.grad_output);
    if (!need.reads_points) drop(&sparse.grid);
    if (!need.reads_input) drop(&sparse.input);
    if (!need.input_grad) drop(&sparse.input_grad);
    if (!need.grid_grad) drop(&sparse.grid_grad);
    RunThroughApi(&sparse);
    if (need.input_grad) {
      EXPECT_EQ(sparse.InputGrad(), full.InputGrad());
    }
    if (need.grid_grad) {
      EXPECT_EQ(sparse.grid_grad.Values(), full.grid_grad.Values());
    }
  }
}

// 2^31 and more elements over one stored one: offsets are 64 bits wide. Public report GS29.
TEST(GridSampler3DBackwardViews, ReadsViewsOfMoreThanTwoToThe31Elements) {
  CallSpec spec;
  spec.want_input_grad = false;
  TestCall call(spec);
  const Int64s huge = {1, 1, 1, 32769, 65536};
  const Int64s nowhere(5, 0);
  call.input =
      TensorBuilder(ACL_FLOAT, huge).Strides(nowhere).ClaimStorage({1}).WithoutData().Build();
  float stored = 3;
  ASSERT_EQ(aclSetRawTensorAddr(call.input.acl(), &stored), OK);
  call.input_grad = TensorBuilder(ACL_FLOAT, huge).Strides(nowhere).WithoutData().Build();
  call.grad_output = TensorBuilder(ACL_FLOAT, {1, 1, 1, 1, 1}).Values({2}).Build();
  call.grid = TensorBuilder(ACL_FLOAT, {1, 1, 1, 1, 3}).Values({0.999984741, 1, 0}).Build();
  call.grid_grad = TensorBuilder(ACL_FLOAT, {1, 1, 1, 1, 3}).Build();
  RunThroughApi(&call);
  EXPECT_TRUE(test::AllClose(call.grid_grad.Values(), std::vector<double>{-98304, -98307, -1.5},
                             test::DefaultTolerance(ACL_FLOAT)));
}

// The index of the last voxel, 2^24 + 3, is no float; the nearest one lies behind the volume. A
// point that is clipped there must not be lost.
TEST(GridSampler3DBackwardViews, ClipsIntoVolumesLongerThanFloatsCount) {
  CallSpec spec;
  spec.want_input_grad = false;
  spec.shape.padding_mode = 1;
  spec.shape.align_corners = true;
  TestCall call(spec);
  const Int64s shape = {1, 1, 1, 2, (1 << 24) + 4};
  const Int64s strides = {0, 0, 0, 1, 0};  // value 3 at y = 0, 7 at y = 1
  call.input = TensorBuilder(ACL_FLOAT, shape).Strides(strides).Build();
  test::StoreElement(ACL_FLOAT, 3, call.input.data());
  test::StoreElement(ACL_FLOAT, 7, call.input.data() + sizeof(float));
  call.input_grad = TensorBuilder(ACL_FLOAT, shape).Strides(strides).WithoutData().Build();
  call.grad_output = TensorBuilder(ACL_FLOAT, {1, 1, 1, 1, 1}).Values({5}).Build();
  call.grid = TensorBuilder(ACL_FLOAT, {1, 1, 1, 1, 3}).Values({2, 0, 0}).Build();
  call.grid_grad = TensorBuilder(ACL_FLOAT, {1, 1, 1, 1, 3}).Build();
  call.Run();
  EXPECT_EQ(call.grid_grad.Values(), (std::vector<double>{0, (7 - 3) * 0.5 * 5, 0}));
}

// A call without work: every kind of it, through both phases.
TEST(GridSampler3DBackwardViews, EmptyWorkLeavesOutputsUntouched) {
  std::vector<CallSpec> specs(4, Spec(ACL_FLOAT16, false));
  specs[0].shape.n = 0;
  specs[1].shape.out_h = 0;
  specs[2].shape.d = 0;
  specs[3].want_input_grad = specs[3].want_grid_grad = false;
  for (size_t i = 0; i <= specs.size(); ++i) {
    TestCall call(i < specs.size() ? specs[i] : Spec(ACL_FLOAT16, false));
    if (i == specs.size()) call.mask = nullptr;
    RunThroughApi(&call);
    EXPECT_EQ(call.workspace_size, 0u);
    EXPECT_TRUE(call.input_grad.AllStorageIs(HostTensor::kUntouched));
    EXPECT_TRUE(call.grid_grad.AllStorageIs(HostTensor::kUntouched));
  }
}

}  // namespace
}  // namespace aclnn_cpu::grid_sampler3d_backward
