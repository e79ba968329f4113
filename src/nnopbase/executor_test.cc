#include "nnopbase/executor.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "nnopbase/fake_op_for_test.h"
#include "nnopbase/live_objects.h"

namespace aclnn_cpu {
namespace {

class ExecutorTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(aclrtSetDevice(0), 0);
    in_data_ = {1, 2, 3, 4};
    out_data_.fill(-777);
    in_ = MakeTensor({.dims = {4}, .data = in_data_.data()});
    out_ = MakeTensor({.dims = {4}, .data = out_data_.data()});
  }
  void TearDown() override { aclrtResetDevice(0); }

  Created CreateFake(FakePlan::Options options = {}) {
    return Create(FakeTask(in_, out_, std::move(options)));
  }
  bool OutputIsUntouched() const {
    aclrtSynchronizeStream(nullptr);
    return out_data_ == std::array<float, 4>{-777, -777, -777, -777};
  }
  bool OutputIsDoubled() const {
    aclrtSynchronizeStream(nullptr);
    return out_data_ == std::array<float, 4>{2, 4, 6, 8};
  }

  std::array<float, 4> in_data_;
  std::array<float, 4> out_data_;
  TensorPtr in_;
  TensorPtr out_;
  alignas(64) std::array<std::byte, 1024> workspace_{};
};

const FakePlan::Options kNeeds100Bytes{.workspace = {{"sums", 100}}};

TEST_F(ExecutorTest, RunsOnTheDefaultStream) {
  const Created created = CreateFake();
  ASSERT_NE(created.executor, nullptr);
  EXPECT_EQ(LaunchCode(created), 0);
  EXPECT_TRUE(OutputIsDoubled());
}

TEST_F(ExecutorTest, RunsOnAStream) {
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), 0);
  EXPECT_EQ(LaunchCode(CreateFake(), stream), 0);
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_TRUE(OutputIsDoubled());
  EXPECT_EQ(aclrtDestroyStream(stream), 0);
}

TEST_F(ExecutorTest, NoWorkspaceStaysNone) {
  const auto made = CreateFake();
  EXPECT_EQ(made.workspace_size, 0u);
  EXPECT_EQ(DestroyExecutor(made.executor).code(), 0);
}

TEST_F(ExecutorTest, PartsOfTheWorkspaceAreAlignedEach) {
  FakePlan plan({}, {}, {.workspace = {{"a", 1}, {"b", 64}, {"c", 65}, {"d", 0}}});
  EXPECT_EQ(plan.WorkspaceBytes(), 64 + 64 + 128);
  const auto made = CreateFake(kNeeds100Bytes);
  EXPECT_EQ(made.workspace_size, 128u + 64u);
  EXPECT_EQ(DestroyExecutor(made.executor).code(), 0);
}

TEST_F(ExecutorTest, AWorkspaceBeyondInt64FailsAndWritesNoResult) {
  uint64_t size = 77;
  aclOpExecutor* executor = reinterpret_cast<aclOpExecutor*>(&size);
  for (const std::vector<WorkspaceItem>& items :
       {std::vector<WorkspaceItem>{{"a", INT64_MAX - 10}},
        std::vector<WorkspaceItem>{{"a", INT64_MAX / 2}, {"b", INT64_MAX / 2 + 1}}}) {
    EXPECT_EQ(CreateExecutor(FakeTask(in_, out_, {.workspace = items}), &size, &executor).code(),
              561103);
  }
  EXPECT_EQ(size, 77u);
  EXPECT_EQ(executor, reinterpret_cast<aclOpExecutor*>(&size));
}

TEST_F(ExecutorTest, AnyAlignmentOfTheWorkspaceWorks) {
  for (size_t shift = 0; shift < 64; ++shift) {
    workspace_.fill(std::byte{1});
    std::byte* seen = nullptr;
    const Created created =
        CreateFake({.workspace = {{"sums", 100}},
                    .before = [&seen](const FakeRun& run) { seen = run.workspace; }});
    ASSERT_EQ(LaunchCode(created, nullptr, workspace_.data() + shift, created.workspace_size), 0);
    ASSERT_EQ(aclrtSynchronizeStream(nullptr), 0);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(seen) % 64, 0u);
    EXPECT_GE(seen, workspace_.data() + shift);
    EXPECT_LE(seen + 128, workspace_.data() + shift + created.workspace_size);
  }
}

TEST_F(ExecutorTest, NullExecutorIsRejectedFirst) {
  const Status status = Launch(nullptr, 5, nullptr, this);
  EXPECT_EQ(status.code(), 161001);
  EXPECT_EQ(status.message(), "executor is null, must not be null");
}

TEST_F(ExecutorTest, SecondLaunchIsRejectedAndDoesNothing) {
  const Created created = CreateFake();
  EXPECT_EQ(LaunchCode(created), 0);
  EXPECT_TRUE(OutputIsDoubled());
  out_data_.fill(-777);
  EXPECT_EQ(LaunchCode(created), 561000);
  EXPECT_TRUE(OutputIsUntouched());
}

TEST_F(ExecutorTest, ForeignPointersAreRejected) {
  int on_stack = 0;
  EXPECT_EQ(LaunchCode({0, reinterpret_cast<aclOpExecutor*>(&on_stack)}), 561000);
  EXPECT_EQ(LaunchCode({0, reinterpret_cast<aclOpExecutor*>(uintptr_t{1})}), 561000);
  EXPECT_EQ(LaunchCode({0, reinterpret_cast<aclOpExecutor*>(in_.get())}), 561000);
  // Before the workspace is looked at.
  EXPECT_EQ(LaunchCode({0, reinterpret_cast<aclOpExecutor*>(&on_stack)}, nullptr, nullptr, 9),
            561000);
}

TEST_F(ExecutorTest, DestroyedExecutorsAreRejected) {
  const Created created = CreateFake();
  EXPECT_EQ(DestroyExecutor(created.executor).code(), 0);
  EXPECT_EQ(LaunchCode(created), 561000);
}

class FailedLaunch : public ExecutorTest, public testing::WithParamInterface<bool> {
 protected:
  Created CreateFailing(FakePlan::Options options = {}) {
    const Created created = CreateFake(std::move(options));
    if (GetParam()) {
      EXPECT_EQ(MakeExecutorRepeatable(created.executor).code(), 0);
    }
    return created;
  }
};

INSTANTIATE_TEST_SUITE_P(Executor, FailedLaunch, testing::Bool(), [](const auto& repeatable) {
  return repeatable.param ? "Repeatable" : "OneShot";
});

TEST_P(FailedLaunch, NullWorkspaceWithASizeDestroysTheExecutor) {
  const Created created = CreateFailing();
  EXPECT_EQ(LaunchCode(created, nullptr, nullptr, 1), 161001);
  EXPECT_EQ(LaunchCode(created), 561000);
  EXPECT_TRUE(OutputIsUntouched());
}

TEST_P(FailedLaunch, TooSmallAWorkspaceDestroysTheExecutor) {
  for (const uint64_t size : {uint64_t{191}, uint64_t{1}, uint64_t{0}}) {
    const Created created = CreateFailing(kNeeds100Bytes);
    ASSERT_EQ(created.workspace_size, 192u);
    EXPECT_EQ(LaunchCode(created, nullptr, workspace_.data(), size), 161002);
    EXPECT_EQ(LaunchCode(created, nullptr, workspace_.data(), 192), 561000);
  }
  const Created created = CreateFailing(kNeeds100Bytes);
  EXPECT_EQ(LaunchCode(created, nullptr, nullptr, 0), 161002);
  EXPECT_EQ(LaunchCode(created, nullptr, workspace_.data(), 192), 561000);
  EXPECT_TRUE(OutputIsUntouched());
}

TEST_P(FailedLaunch, NullDataDestroysTheExecutor) {
  for (aclTensor* tensor : {in_.get(), out_.get()}) {
    const Created created = CreateFailing();
    void* address = nullptr;
    aclGetRawTensorAddr(tensor, &address);
    aclSetRawTensorAddr(tensor, nullptr);
    EXPECT_EQ(LaunchCode(created), 361001);
    aclSetRawTensorAddr(tensor, address);
    EXPECT_EQ(LaunchCode(created), 561000);
  }
  EXPECT_TRUE(OutputIsUntouched());
}

TEST_P(FailedLaunch, UnknownStreamDestroysTheExecutor) {
  const Created created = CreateFailing();
  EXPECT_EQ(LaunchCode(created, this), 361001);
  EXPECT_EQ(LaunchCode(created), 561000);
  EXPECT_TRUE(OutputIsUntouched());
}

TEST_P(FailedLaunch, TheWorkspaceIsCheckedBeforeDataAndStream) {
  aclSetRawTensorAddr(in_.get(), nullptr);
  EXPECT_EQ(LaunchCode(CreateFailing(), this, nullptr, 1), 161001);
  EXPECT_EQ(LaunchCode(CreateFailing(kNeeds100Bytes), this, nullptr, 0), 161002);
}

// The copy of an input this large cannot be allocated; nothing else of it is ever touched.
TEST_F(ExecutorTest, FailureToQueueEndsOnlyAOneShotExecutor) {
  const int64_t far = int64_t{1} << 50;
  const TensorPtr in =
      MakeTensor({.dims = {2}, .strides = {far}, .storage = {far * 2}, .data = out_data_.data()});
  const TensorPtr out = MakeTensor({.dims = {2}, .data = out_data_.data()});
  const Created once = Create(FakeTask(in, out));
  EXPECT_EQ(LaunchCode(once), 361001);
  EXPECT_EQ(LaunchCode(once), 561000);
  const Created repeatable = Create(FakeTask(in, out));
  EXPECT_EQ(MakeExecutorRepeatable(repeatable.executor).code(), 0);
  EXPECT_EQ(LaunchCode(repeatable), 361001);
  EXPECT_EQ(LaunchCode(repeatable), 361001);
  EXPECT_EQ(DestroyExecutor(repeatable.executor).code(), 0);
  EXPECT_TRUE(OutputIsUntouched());
}

TEST_F(ExecutorTest, MessagesNameArgumentValueAndWhatIsAllowed) {
  EXPECT_EQ(Launch(workspace_.data(), 5, CreateFake(kNeeds100Bytes).executor, nullptr).message(),
            "workspaceSize is 5, must be at least 192 as phase one said");
  EXPECT_EQ(Launch(nullptr, 5, CreateFake().executor, nullptr).message(),
            "workspace is null although workspaceSize is 5");
  aclSetRawTensorAddr(out_.get(), nullptr);
  EXPECT_EQ(Launch(nullptr, 0, CreateFake().executor, nullptr).message(),
            "the data pointer of out is null, must be device memory");
}

TEST_F(ExecutorTest, AWorkspaceThatIsNotNeededIsIgnored) {
  EXPECT_EQ(LaunchCode(CreateFake(), nullptr, workspace_.data(), 0), 0);
  EXPECT_EQ(LaunchCode(CreateFake(), nullptr, workspace_.data(), workspace_.size()), 0);
  EXPECT_TRUE(OutputIsDoubled());
}

TEST_F(ExecutorTest, DataThatAreNotAccessedMayBeNull) {
  const TensorPtr self = MakeTensor({.dims = {4}});
  OpTask task = FakeTask(in_, out_);
  task.args.push_back(TensorArg({"self", self.get()}, TensorUse::kNotAccessed));
  EXPECT_EQ(LaunchCode(Create(task)), 0);
  EXPECT_TRUE(OutputIsDoubled());
}

TEST_F(ExecutorTest, DataOfEmptyViewsMayBeNull) {
  const TensorPtr empty = MakeTensor({.dims = {0}});
  OpTask task = FakeTask(in_, out_);
  task.args.push_back(TensorArg({"more", empty.get()}, TensorUse::kRead));
  EXPECT_EQ(LaunchCode(Create(task)), 0);
  EXPECT_TRUE(OutputIsDoubled());
}

TEST_F(ExecutorTest, EmptyWorkSucceedsOnAnyStream) {
  const Created created = Create(EmptyTask());
  EXPECT_NE(created.executor, nullptr);
  EXPECT_EQ(created.workspace_size, 0u);
  EXPECT_EQ(LaunchCode(created, this), 0);
  EXPECT_EQ(LaunchCode(created, this), 561000);
  EXPECT_EQ(LaunchCode(Create(EmptyTask())), 0);
}

TEST_F(ExecutorTest, EmptyWorkStillWantsAWorkspaceWhereASizeIsGiven) {
  EXPECT_EQ(LaunchCode(Create(EmptyTask()), nullptr, nullptr, 1), 161001);
  EXPECT_EQ(LaunchCode(Create(EmptyTask()), nullptr, workspace_.data(), 1), 0);
}

TEST_F(ExecutorTest, RepeatableExecutorsRunAgain) {
  const Created created = CreateFake();
  EXPECT_EQ(MakeExecutorRepeatable(created.executor).code(), 0);
  for (int round = 0; round < 3; ++round) {
    out_data_.fill(-777);
    EXPECT_EQ(LaunchCode(created), 0);
    EXPECT_TRUE(OutputIsDoubled());
  }
  EXPECT_EQ(DestroyExecutor(created.executor).code(), 0);
  EXPECT_EQ(LaunchCode(created), 561000);
}

TEST_F(ExecutorTest, RepeatableExecutorsUseTheAddressesNowInTheTensors) {
  std::array<float, 8> other_in{0, 0, 10, 20, 30, 40, 0, 0};
  std::array<float, 8> other_out{};
  const Created created = CreateFake();
  EXPECT_EQ(MakeExecutorRepeatable(created.executor).code(), 0);
  EXPECT_EQ(LaunchCode(created), 0);
  EXPECT_EQ(aclSetInputTensorAddr(created.executor, 0, in_.get(), other_in.data() + 2), 0);
  EXPECT_EQ(aclSetOutputTensorAddr(created.executor, 0, out_.get(), other_out.data()), 0);
  EXPECT_EQ(LaunchCode(created), 0);
  EXPECT_TRUE(OutputIsDoubled());
  EXPECT_EQ(other_out, (std::array<float, 8>{20, 40, 60, 80, 0, 0, 0, 0}));
  EXPECT_EQ(DestroyExecutor(created.executor).code(), 0);
}

TEST_F(ExecutorTest, TheOffsetCountsElementsFromTheAddress) {
  std::array<float, 6> data{9, 9, 1, 2, 3, 4};
  const TensorPtr in = MakeTensor({.dims = {4}, .offset = 2, .storage = {6}, .data = data.data()});
  EXPECT_EQ(LaunchCode(Create(FakeTask(in, out_))), 0);
  EXPECT_TRUE(OutputIsDoubled());
}

TEST_F(ExecutorTest, LaterChangesOfTheTensorsShapeDoNotReachTheExecutor) {
  const Created created = CreateFake();
  const int64_t one = 1;
  EXPECT_EQ(
      aclInitTensor(in_.get(), &one, 1, ACL_DOUBLE, nullptr, 3, ACL_FORMAT_ND, &one, 1, nullptr),
      0);
  EXPECT_EQ(LaunchCode(created), 0);
  EXPECT_TRUE(OutputIsDoubled());
}

TEST_F(ExecutorTest, TensorsMayBeDestroyedBetweenThePhases) {
  const Created created = CreateFake();
  in_.reset();
  out_.reset();
  EXPECT_EQ(LaunchCode(created), 0);
  EXPECT_TRUE(OutputIsDoubled());
}

TEST_F(ExecutorTest, RepeatableAndDestroyRejectWhatIsNotAlive) {
  EXPECT_EQ(MakeExecutorRepeatable(nullptr).code(), 561103);
  EXPECT_EQ(DestroyExecutor(nullptr).code(), 561103);
  const Created created = CreateFake();
  EXPECT_EQ(LaunchCode(created), 0);
  EXPECT_EQ(MakeExecutorRepeatable(created.executor).code(), 561000);
  EXPECT_EQ(DestroyExecutor(created.executor).code(), 561000);
}

TEST_F(ExecutorTest, AnExecutorMayBeDestroyedUnused) {
  const int64_t before = CountLiveExecutors();
  const Created created = CreateFake();
  EXPECT_EQ(CountLiveExecutors(), before + 1);
  EXPECT_EQ(DestroyExecutor(created.executor).code(), 0);
  EXPECT_EQ(CountLiveExecutors(), before);
}

}  // namespace
}  // namespace aclnn_cpu
