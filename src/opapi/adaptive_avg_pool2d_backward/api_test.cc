#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "opapi/adaptive_avg_pool2d_backward/test_util.h"
#include "support/compare.h"
#include "support/rng.h"
#include "support/tensor_builder.h"

// The two public functions from phase one to synchronised results.
namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace {

using test::HostTensor;
using test::Int64s;
using test::Rng;
using test::TensorBuilder;

TensorBuilder DeviceTensor(aclDataType dtype, const Int64s& shape) {
  return TensorBuilder(dtype, shape).OnDevice();
}

class AdaptiveAvgPool2dBackwardApi : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(aclrtSetDevice(0), 0);
    ASSERT_EQ(aclrtCreateStream(&stream_), 0);
  }
  void TearDown() override {
    workspace_ = nullptr;
    EXPECT_EQ(aclrtDestroyStream(stream_), 0);
    EXPECT_EQ(aclrtResetDevice(0), 0);
  }

  aclOpExecutor* Prepare(const HostTensor& grad, const HostTensor& self, const HostTensor& out) {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(grad.acl(), self.acl(), out.acl(),
                                                             &size, &executor),
              0);
    workspace_bytes_ = size;
    workspace_ = size == 0 ? nullptr : test::AllocateOnDevice(size);
    EXPECT_EQ(aclrtMemset(workspace_.get(), size, 0xff, size), 0);  // 0 bytes are nothing to do
    return executor;
  }

  int32_t LaunchAndWait(aclOpExecutor* executor) {
    const int32_t code =
        aclnnAdaptiveAvgPool2dBackward(workspace_.get(), workspace_bytes_, executor, stream_);
    EXPECT_EQ(aclrtSynchronizeStream(stream_), 0);
    return code;
  }

  int32_t Call(const HostTensor& grad, const HostTensor& self, const HostTensor& out) {
    return LaunchAndWait(Prepare(grad, self, out));
  }

  // `self` is never read, so it needs no memory.
  static HostTensor SelfFor(const HostTensor& grad, const HostTensor& out) {
    return DeviceTensor(grad.dtype(), out.shape()).WithoutData().Build();
  }

  aclrtStream stream_ = nullptr;
  std::shared_ptr<std::byte[]> workspace_;
  uint64_t workspace_bytes_ = 0;
};

TEST_F(AdaptiveAvgPool2dBackwardApi, ComputesTheDocumentedExample) {
  const HostTensor grad = DeviceTensor(ACL_FLOAT, {1, 1, 2, 2}).Values({6, 12, 18, 24}).Build();
  const HostTensor self = DeviceTensor(ACL_FLOAT, {1, 1, 3, 3}).Filled(1).Build();
  const HostTensor out = DeviceTensor(ACL_FLOAT, {1, 1, 3, 3}).Build();
  ASSERT_EQ(Call(grad, self, out), 0);
  EXPECT_EQ(out.Values(), (std::vector<double>{1.5, 4.5, 3, 6, 15, 9, 4.5, 10.5, 6}));
  EXPECT_TRUE(self.AllStorageIs(1));
}

TEST_F(AdaptiveAvgPool2dBackwardApi, MatchesTheReferenceForEveryDtypeAndRank) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    for (const Int64s& leading : {Int64s{3}, Int64s{2, 5}}) {
      SCOPED_TRACE(std::string(test::DtypeLabel(dtype)) + " " + std::to_string(leading.size()));
      Int64s grad_shape = leading;
      grad_shape.insert(grad_shape.end(), {7, 6});
      Int64s out_shape = leading;
      out_shape.insert(out_shape.end(), {31, 45});
      const HostTensor grad = DeviceTensor(dtype, grad_shape)
                                  .Values(Rng(3).UniformVector(test::CountOf(grad_shape), -9, 9))
                                  .Build();
      const HostTensor out = DeviceTensor(dtype, out_shape).Build();
      ASSERT_EQ(Call(grad, SelfFor(grad, out), out), 0);
      EXPECT_TRUE(MatchesReference(grad, out));
    }
  }
}

// Big enough to be queued and cut into blocks.
TEST_F(AdaptiveAvgPool2dBackwardApi, MatchesTheReferenceForQueuedWork) {
  const HostTensor grad = DeviceTensor(ACL_FLOAT, {2, 32, 13, 13})
                              .Values(Rng(4).UniformVector(2 * 32 * 169, -1, 1))
                              .Build();
  const HostTensor out = DeviceTensor(ACL_FLOAT, {2, 32, 112, 112}).Build();
  ASSERT_EQ(Call(grad, SelfFor(grad, out), out), 0);
  EXPECT_TRUE(MatchesReference(grad, out));
}

TEST_F(AdaptiveAvgPool2dBackwardApi, LeavesTheGapsOfAStridedOutAlone) {
  const HostTensor grad = DeviceTensor(ACL_BF16, {2, 2, 2}).Values(Rng(5).DyadicVector(8)).Build();
  for (const test::Layout layout : test::kLayouts) {
    const HostTensor out = DeviceTensor(ACL_BF16, {2, 5, 3}).InLayout(layout).Margin(4).Build();
    ASSERT_EQ(Call(grad, SelfFor(grad, out), out), 0);
    EXPECT_TRUE(MatchesReference(grad, out)) << test::LayoutLabel(layout);
    EXPECT_TRUE(out.OutsideViewIs(HostTensor::kUntouched)) << test::LayoutLabel(layout);
  }
}

TEST_F(AdaptiveAvgPool2dBackwardApi, OutMayLieInTheMemoryOfSelf) {
  const HostTensor grad =
      DeviceTensor(ACL_FLOAT, {1, 2, 2, 2}).Values(Rng(6).DyadicVector(8)).Build();
  const HostTensor self = DeviceTensor(ACL_FLOAT, {1, 2, 5, 4}).Filled(3).Build();
  const HostTensor out = DeviceTensor(ACL_FLOAT, {1, 2, 5, 4}).SharingStorageOf(self).Build();
  ASSERT_EQ(Call(grad, self, out), 0);
  EXPECT_TRUE(MatchesReference(grad, out));
}

TEST_F(AdaptiveAvgPool2dBackwardApi, GradOutputMayOverlapOut) {
  const std::vector<double> values = Rng(7).DyadicVector(12);
  const HostTensor apart = DeviceTensor(ACL_FLOAT, {3, 2, 2}).Values(values).Build();
  for (int64_t shift : {0, 1, 30, 44}) {
    const HostTensor memory = DeviceTensor(ACL_FLOAT, {200}).Build();
    const HostTensor out =
        DeviceTensor(ACL_FLOAT, {3, 4, 4}).Margin(8).SharingStorageOf(memory).Build();
    const HostTensor grad = DeviceTensor(ACL_FLOAT, {3, 2, 2})
                                .Margin(shift)
                                .SharingStorageOf(memory)
                                .Values(values)
                                .Build();
    ASSERT_EQ(Call(grad, SelfFor(grad, out), out), 0);
    EXPECT_TRUE(MatchesReference(apart, out)) << shift;
  }
}

TEST_F(AdaptiveAvgPool2dBackwardApi, EmptyWorkLeavesOutUntouched) {
  const HostTensor grad = DeviceTensor(ACL_FLOAT, {1, 1, 0, 4}).Build();
  const HostTensor out = DeviceTensor(ACL_FLOAT, {1, 1, 8, 4}).Build();
  uint64_t size = 1;
  aclOpExecutor* executor = nullptr;
  const HostTensor self = SelfFor(grad, out);
  ASSERT_EQ(aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(grad.acl(), self.acl(), out.acl(), &size,
                                                           &executor),
            0);
  EXPECT_EQ(size, 0u);
  ASSERT_NE(executor, nullptr);
  EXPECT_EQ(aclnnAdaptiveAvgPool2dBackward(nullptr, 0, executor, stream_), 0);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), 0);
  EXPECT_TRUE(out.AllStorageIs(HostTensor::kUntouched));
}

TEST_F(AdaptiveAvgPool2dBackwardApi, RejectedCallsLeaveOutUntouched) {
  const HostTensor grad = DeviceTensor(ACL_FLOAT, {1, 2, 2, 2}).Filled(1).Build();
  const HostTensor out = DeviceTensor(ACL_FLOAT, {1, 2, 4, 4}).Build();
  const HostTensor self = DeviceTensor(ACL_FLOAT, {1, 2, 4, 5}).WithoutData().Build();
  uint64_t size = 99;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(grad.acl(), self.acl(), out.acl(), &size,
                                                           &executor),
            561103);
  EXPECT_EQ(size, 99u);
  EXPECT_EQ(executor, nullptr);
  EXPECT_TRUE(out.AllStorageIs(HostTensor::kUntouched));
}

TEST_F(AdaptiveAvgPool2dBackwardApi, ARepeatableExecutorReadsNewValues) {
  HostTensor grad = DeviceTensor(ACL_FLOAT, {1, 1, 1, 1}).Values({4}).Build();
  const HostTensor out = DeviceTensor(ACL_FLOAT, {1, 1, 2, 2}).Build();
  aclOpExecutor* executor = Prepare(grad, SelfFor(grad, out), out);
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(executor), 0);
  ASSERT_EQ(LaunchAndWait(executor), 0);
  EXPECT_EQ(out.Values(), (std::vector<double>(4, 1)));
  grad.Set(0, 8);
  ASSERT_EQ(LaunchAndWait(executor), 0);
  EXPECT_EQ(out.Values(), (std::vector<double>(4, 2)));
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
}

TEST_F(AdaptiveAvgPool2dBackwardApi, LaunchingTwiceFailsAndChangesNothing) {
  const HostTensor grad = DeviceTensor(ACL_FLOAT, {1, 1, 1, 1}).Values({4}).Build();
  HostTensor out = DeviceTensor(ACL_FLOAT, {1, 1, 2, 2}).Build();
  aclOpExecutor* executor = Prepare(grad, SelfFor(grad, out), out);
  ASSERT_EQ(LaunchAndWait(executor), 0);
  out.Fill(5);
  EXPECT_EQ(LaunchAndWait(executor), 561000);
  EXPECT_TRUE(out.AllStorageIs(5));
}

TEST_F(AdaptiveAvgPool2dBackwardApi, SelfMayLackDataButTheOthersMayNot) {
  const HostTensor grad = DeviceTensor(ACL_FLOAT, {1, 1, 1, 1}).Values({4}).Build();
  const HostTensor no_grad = DeviceTensor(ACL_FLOAT, {1, 1, 1, 1}).WithoutData().Build();
  const HostTensor out = DeviceTensor(ACL_FLOAT, {1, 1, 2, 2}).Build();
  const HostTensor no_out = DeviceTensor(ACL_FLOAT, {1, 1, 2, 2}).WithoutData().Build();
  EXPECT_EQ(Call(no_grad, SelfFor(grad, out), out), 361001);
  EXPECT_EQ(Call(grad, SelfFor(grad, out), no_out), 361001);
  EXPECT_TRUE(out.AllStorageIs(HostTensor::kUntouched));
  EXPECT_EQ(Call(grad, SelfFor(grad, out), out), 0);
}

// Public reports: 1/(H*W) must not be rounded to float16 first; sums must not be kept in float16.
TEST_F(AdaptiveAvgPool2dBackwardApi, HalfPrecisionIsRoundedOnceAtTheEnd) {
  const HostTensor one = DeviceTensor(ACL_FLOAT16, {1, 1, 1, 1}).Values({9000}).Build();
  const HostTensor big = DeviceTensor(ACL_FLOAT16, {1, 1, 300, 300}).Build();
  ASSERT_EQ(Call(one, SelfFor(one, big), big), 0);
  EXPECT_EQ(big.Get(0), test::RoundTo(ACL_FLOAT16, 0.1));

  const HostTensor ones = DeviceTensor(ACL_FLOAT16, {1, 1, 64, 64}).Filled(1).Build();
  const HostTensor sum = DeviceTensor(ACL_FLOAT16, {1, 1, 1, 1}).Build();
  ASSERT_EQ(Call(ones, SelfFor(ones, sum), sum), 0);
  EXPECT_EQ(sum.Get(0), 4096);

  const HostTensor row =
      DeviceTensor(ACL_FLOAT16, {1, 1, 1, 4}).Values({60000, 60000, -60000, -49984}).Build();
  ASSERT_EQ(Call(row, SelfFor(row, sum), sum), 0);
  EXPECT_EQ(sum.Get(0), 10016);
}

// Descriptors are used again for the next call: phase one sees what aclInitTensor made of them.
TEST_F(AdaptiveAvgPool2dBackwardApi, PhaseOneSeesTheTensorAsItWasInitialisedLast) {
  const HostTensor grad = DeviceTensor(ACL_FLOAT, {1, 1, 1, 2}).Values({2, 4}).Build();
  const HostTensor out = DeviceTensor(ACL_FLOAT, {1, 1, 1, 4}).Build();
  const HostTensor self = SelfFor(grad, out);
  const auto initialise = [](const HostTensor& tensor, const Int64s& dims, const Int64s& strides,
                             aclDataType dtype) {
    const int64_t storage = test::CountOf(tensor.shape());
    return aclInitTensor(tensor.acl(), dims.data(), dims.size(), dtype, strides.data(), 0,
                         ACL_FORMAT_ND, &storage, 1, tensor.data());
  };
  ASSERT_EQ(Call(grad, self, out), 0);
  EXPECT_EQ(out.Values(), (std::vector<double>{1, 1, 2, 2}));

  // Another shape, and the same memory.
  ASSERT_EQ(initialise(out, {1, 1, 2, 2}, {4, 4, 2, 1}, ACL_FLOAT), 0);
  ASSERT_EQ(initialise(self, {1, 1, 2, 2}, {4, 4, 2, 1}, ACL_FLOAT), 0);
  ASSERT_EQ(Call(grad, self, out), 0);
  EXPECT_EQ(out.Values(), (std::vector<double>{1, 2, 1, 2}));

  // The same shape with other strides.
  ASSERT_EQ(initialise(out, {1, 1, 2, 2}, {4, 4, 1, 2}, ACL_FLOAT), 0);
  ASSERT_EQ(Call(grad, self, out), 0);
  EXPECT_EQ(out.Values(), (std::vector<double>{1, 1, 2, 2}));

  // A dtype that does not fit the others.
  ASSERT_EQ(initialise(grad, {1, 1, 1, 2}, {2, 2, 2, 1}, ACL_FLOAT16), 0);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(grad.acl(), self.acl(), out.acl(), &size,
                                                           &executor),
            161002);
}

}  // namespace
}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
