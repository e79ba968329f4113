#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_grid_sampler3d_backward.h"
#include "opapi/grid_sampler3d_backward/test_util.h"
#include "support/tensor_builder.h"
#include "support/two_phases.h"

// The two public functions from phase one to synchronised results.
namespace aclnn_cpu::grid_sampler3d_backward {
namespace {

// The strides of an output that is not wanted are not checked, so they may be anything, and no
// address may be computed from them.
TEST(GridSampler3DBackwardApi, OutputsNotWantedMayHaveAnyStrides) {
  ASSERT_EQ(aclrtSetDevice(0), 0);
  const int64_t volume[] = {2, 2, 2, 2, 2};
  const int64_t points[] = {2, 2, 2, 2, 3};
  const int64_t storage[] = {1};
  for (const int64_t stride : {INT64_MAX, INT64_MIN, int64_t{-1}}) {
    const std::vector<int64_t> strides(5, stride);
    for (const bool want_input_grad : {true, false}) {
      const auto filled = [&](const Int64s& shape, double value) {
        const bool is_volume = shape[4] == 2;
        return TensorBuilder(ACL_FLOAT, shape)
            .Format(is_volume ? ACL_FORMAT_NCDHW : ACL_FORMAT_NDHWC)
            .OnDevice()
            .Filled(value)
            .Build();
      };
      const HostTensor input = filled({2, 2, 2, 2, 2}, 1);
      const HostTensor grad = filled({2, 2, 2, 2, 2}, 1);
      const HostTensor grid = filled({2, 2, 2, 2, 3}, 0);
      const HostTensor wanted = filled(want_input_grad ? input.shape() : grid.shape(), -7);
      aclTensor* const unwanted = aclCreateTensor(
          want_input_grad ? points : volume, 5, ACL_FLOAT, strides.data(), 0,
          want_input_grad ? ACL_FORMAT_NDHWC : ACL_FORMAT_NCDHW, storage, 1, nullptr);
      const BoolArray mask = MakeMask(want_input_grad, !want_input_grad);
      test::DirtyWorkspace workspace(1);
      const aclnnStatus code = test::RunTwoPhases(
          [&](uint64_t* size, aclOpExecutor** executor) {
            return aclnnGridSampler3DBackwardGetWorkspaceSize(
                grad.acl(), input.acl(), grid.acl(), 0, 0, true, mask.get(),
                want_input_grad ? wanted.acl() : unwanted,
                want_input_grad ? unwanted : wanted.acl(), size, executor);
          },
          aclnnGridSampler3DBackward, workspace, nullptr);
      EXPECT_EQ(code, 0) << stride;
      // Eight points in the middle of eight voxels: each voxel gets an eighth of each point. On a
      // volume that is 1 everywhere, moving a point changes nothing.
      EXPECT_EQ(wanted.Values(),
                std::vector<double>(want_input_grad ? 32 : 48, want_input_grad ? 1 : 0));
      aclDestroyTensor(unwanted);
    }
  }
  ASSERT_EQ(aclrtResetDevice(0), 0);
}

}  // namespace
}  // namespace aclnn_cpu::grid_sampler3d_backward
