#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "nnopbase/fake_op_for_test.h"
#include "nnopbase/live_objects.h"

namespace aclnn_cpu {
namespace {

constexpr int kThreads = 4;

// Runs `body(thread index)` on kThreads threads that start together.
template <typename Body>
void OnThreads(Body body) {
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      ready.fetch_add(1);
      while (ready.load() < kThreads) std::this_thread::yield();
      body(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

struct Buffers {
  std::array<float, 4> in{1, 2, 3, 4};
  std::array<float, 4> out{-777, -777, -777, -777};
  TensorPtr in_tensor = MakeTensor({.dims = {4}, .data = in.data()});
  TensorPtr out_tensor = MakeTensor({.dims = {4}, .data = out.data()});
};

class ExecutorThreads : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(aclrtSetDevice(0), 0);
    ASSERT_EQ(aclrtCreateStream(&stream_), 0);
  }
  void TearDown() override {
    EXPECT_EQ(aclrtDestroyStream(stream_), 0);
    aclrtResetDevice(0);
  }

  aclrtStream stream_ = nullptr;
};

TEST_F(ExecutorThreads, OneOfSeveralLaunchesOfAnExecutorSucceeds) {
  for (int round = 0; round < 200; ++round) {
    Buffers buffers;
    std::atomic<int> runs{0};
    const Created created =
        Create(FakeTask(buffers.in_tensor, buffers.out_tensor,
                        {.before = [&runs](const FakeRun&) { runs.fetch_add(1); }}));
    std::atomic<int> succeeded{0};
    std::atomic<int> rejected{0};
    OnThreads([&](int) {
      const int32_t code = LaunchCode(created, stream_);
      if (code == 0) succeeded.fetch_add(1);
      if (code == 561000) rejected.fetch_add(1);
    });
    ASSERT_EQ(aclrtSynchronizeStream(stream_), 0);
    ASSERT_EQ(succeeded.load(), 1);
    ASSERT_EQ(rejected.load(), kThreads - 1);
    ASSERT_EQ(runs.load(), 1);
  }
}

TEST_F(ExecutorThreads, LaunchAndDestroyMayRace) {
  for (int round = 0; round < 200; ++round) {
    Buffers buffers;
    const Created created = Create(FakeTask(buffers.in_tensor, buffers.out_tensor));
    std::atomic<int> launched{0};
    std::atomic<int> destroyed{0};
    OnThreads([&](int i) {
      if (i == 0) {
        launched.fetch_add(LaunchCode(created, stream_) == 0 ? 1 : 0);
      } else {
        destroyed.fetch_add(aclDestroyAclOpExecutor(created.executor) == 0 ? 1 : 0);
      }
    });
    ASSERT_EQ(aclrtSynchronizeStream(stream_), 0);
    ASSERT_EQ(launched.load() + destroyed.load(), 1);
  }
}

TEST_F(ExecutorThreads, ARepeatableExecutorRunsForAllThreads) {
  Buffers buffers;
  std::atomic<int> runs{0};
  const Created created =
      Create(FakeTask(buffers.in_tensor, buffers.out_tensor,
                      {.before = [&runs](const FakeRun&) { runs.fetch_add(1); }}));
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(created.executor), 0);
  OnThreads([&](int) {
    for (int i = 0; i < 100; ++i) EXPECT_EQ(LaunchCode(created, stream_), 0);
  });
  EXPECT_EQ(aclrtSynchronizeStream(stream_), 0);
  EXPECT_EQ(runs.load(), 100 * kThreads);
  EXPECT_EQ(buffers.out, (std::array<float, 4>{2, 4, 6, 8}));
  EXPECT_EQ(aclDestroyAclOpExecutor(created.executor), 0);
}

TEST_F(ExecutorThreads, AddressesMayChangeWhileAnotherThreadLaunches) {
  Buffers a;
  Buffers b;
  const Created created = Create(FakeTask(a.in_tensor, a.out_tensor));
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(created.executor), 0);
  OnThreads([&](int i) {
    for (int round = 0; round < 200; ++round) {
      if (i == 0) {
        float* const address = round % 2 == 0 ? a.out.data() : b.out.data();
        EXPECT_EQ(aclSetOutputTensorAddr(created.executor, 0, a.out_tensor.get(), address), 0);
      } else {
        EXPECT_EQ(LaunchCode(created, stream_), 0);
      }
    }
  });
  EXPECT_EQ(aclrtSynchronizeStream(stream_), 0);
  EXPECT_EQ(aclDestroyAclOpExecutor(created.executor), 0);
}

TEST_F(ExecutorThreads, PhasesMayRunOnDifferentThreads) {
  Buffers buffers;
  Created created;
  std::thread([&] { created = Create(FakeTask(buffers.in_tensor, buffers.out_tensor)); }).join();
  std::thread([&] { EXPECT_EQ(LaunchCode(created, stream_), 0); }).join();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), 0);
  EXPECT_EQ(buffers.out, (std::array<float, 4>{2, 4, 6, 8}));
}

TEST_F(ExecutorThreads, WithoutAContextTheDefaultStreamIsMissing) {
  Buffers buffers;
  const Created created = Create(FakeTask(buffers.in_tensor, buffers.out_tensor));
  int32_t code = 0;
  std::thread([&] { code = LaunchCode(created); }).join();
  EXPECT_EQ(code, 361001);
  EXPECT_EQ(LaunchCode(created, stream_), 561000);
  EXPECT_EQ(buffers.out[0], -777);
}

// The caller destroys tensors, executor and everything but the data as soon as phase two returns.
TEST_F(ExecutorThreads, QueuedWorkNeedsNeitherTensorsNorExecutor) {
  std::array<float, 4> in{0, 0, 0, 0};
  std::array<float, 4> out{};
  std::atomic<bool> open{false};
  TensorPtr in_tensor = MakeTensor({.dims = {4}, .data = in.data()});
  TensorPtr out_tensor = MakeTensor({.dims = {4}, .data = out.data()});
  const Created created = Create(
      FakeTask(in_tensor, out_tensor, {.estimated_us = 1e6, .before = [&open](const FakeRun&) {
                                         while (!open.load()) std::this_thread::yield();
                                       }}));
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(created.executor), 0);
  ASSERT_EQ(LaunchCode(created, stream_), 0);
  in_tensor.reset();
  out_tensor.reset();
  ASSERT_EQ(aclDestroyAclOpExecutor(created.executor), 0);
  in = {1, 2, 3, 4};
  open.store(true);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), 0);
  EXPECT_EQ(out, (std::array<float, 4>{2, 4, 6, 8}));
}

// Earlier work of the stream writes the input that the second launch has to copy.
TEST_F(ExecutorThreads, OverlappingInputsAreCopiedInStreamOrder) {
  std::array<float, 4> source{1, 2, 3, 4};
  std::array<float, 5> shared{};
  std::atomic<bool> open{false};
  const TensorPtr in = MakeTensor({.dims = {4}, .data = source.data()});
  const TensorPtr middle = MakeTensor({.dims = {4}, .data = shared.data()});
  const TensorPtr shifted = MakeTensor({.dims = {4}, .data = shared.data() + 1});
  const Created first =
      Create(FakeTask(in, middle, {.estimated_us = 1e6, .before = [&open](const FakeRun&) {
                                     while (!open.load()) std::this_thread::yield();
                                   }}));
  const Created second = Create(FakeTask(middle, shifted));
  ASSERT_EQ(LaunchCode(first, stream_), 0);
  ASSERT_EQ(LaunchCode(second, stream_), 0);
  open.store(true);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), 0);
  EXPECT_EQ(shared, (std::array<float, 5>{2, 4, 8, 12, 16}));
}

TEST_F(ExecutorThreads, ObjectsMayBeCreatedAndDestroyedOnAnyThread) {
  const int64_t before = CountLiveObjects(ObjectKind::kTensor);
  std::array<TensorPtr, kThreads> kept;
  OnThreads([&kept](int i) {
    for (int round = 0; round < 200; ++round) {
      kept[static_cast<size_t>(i)] = MakeTensor({.dims = {round}});
    }
  });
  EXPECT_EQ(CountLiveObjects(ObjectKind::kTensor), before + kThreads);
  for (TensorPtr& tensor : kept) tensor.reset();
  EXPECT_EQ(CountLiveObjects(ObjectKind::kTensor), before);
}

}  // namespace
}  // namespace aclnn_cpu
