#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "aclnn/opdev/op_errno.h"
#include "stress/device_test.h"
#include "stress/workload.h"
#include "support/rng.h"

namespace aclnn_cpu::test {
namespace {

using Bytes = std::vector<std::byte>;

class StressLifetime : public DeviceTest {};

// Makes and destroys objects of many sizes, so that freed tensors and arrays do not keep their old
// content.
void ReuseFreedMemory() {
  const std::vector<int64_t> numbers(32, 0x5a5a5a5a);
  const bool flags[32] = {};
  std::vector<aclTensor*> tensors;
  std::vector<aclBoolArray*> arrays;
  for (uint64_t rank = 0; rank < 32; ++rank) {
    tensors.push_back(aclCreateTensor(numbers.data(), rank, ACL_BOOL, numbers.data(), 0x5a5a5a5a,
                                      ACL_FORMAT_ND, numbers.data(), rank, nullptr));
    arrays.push_back(aclCreateBoolArray(flags, rank));
  }
  for (const aclTensor* tensor : tensors) EXPECT_EQ(aclDestroyTensor(tensor), 0);
  for (const aclBoolArray* array : arrays) EXPECT_EQ(aclDestroyBoolArray(array), 0);
}

TEST_F(StressLifetime, TensorsAndArraysMayGoBeforeTheWorkRuns) {
  const std::vector<Bytes> want = ResultsOfOneThread();
  for (int round = 0; round < 5; ++round) {
    const Stream stream;
    std::vector<Workload> workloads = AllWorkloads();
    Gate gate(stream.get());
    for (Workload& workload : workloads) {
      ASSERT_EQ(workload.Launch(stream.get()), 0);  // destroys all objects before it returns
      ReuseFreedMemory();
    }
    gate.Open();
    ASSERT_EQ(aclrtSynchronizeStream(stream.get()), 0);
    for (size_t i = 0; i < workloads.size(); ++i) EXPECT_TRUE(workloads[i].ResultsAre(want[i]));
  }
}

TEST_F(StressLifetime, DestroyingAStreamFinishesItsWork) {
  const std::vector<Bytes> want = ResultsOfOneThread();
  std::vector<Workload> workloads = AllWorkloads();
  for (int round = 0; round < 5; ++round) {
    {
      const Stream stream;
      for (Workload& workload : workloads) ASSERT_EQ(workload.Launch(stream.get()), 0);
    }
    for (size_t i = 0; i < workloads.size(); ++i) EXPECT_TRUE(workloads[i].ResultsAre(want[i]));
  }
}

// The workspace may hold anything, start at any address, and nothing beside it is touched.
TEST_F(StressLifetime, NothingDependsOnTheWorkspace) {
  constexpr size_t kCanary = 256;
  const std::vector<Bytes> want = ResultsOfOneThread();
  const Stream stream;
  std::vector<Workload> workloads = AllWorkloads();
  Rng rng(11);
  for (int round = 0; round < 6; ++round) {
    for (size_t i = 0; i < workloads.size(); ++i) {
      workloads[i].SpoilResults();
      uint64_t size = 0;
      aclOpExecutor* executor = nullptr;
      const Arguments arguments = workloads[i].MakeArguments();
      ASSERT_EQ(arguments.PhaseOne(&size, &executor), 0);
      const size_t shift = kCanary + static_cast<size_t>(round % 4 == 0 ? 0 : rng.Integer(1, 63));
      std::vector<unsigned char> before(shift + size + kCanary);
      const auto content = [&]() -> unsigned char {
        if (round % 3 != 0) return static_cast<unsigned char>(rng.Bits());
        return round % 2 == 0 ? 0xff : 0x00;  // NaNs; zeros
      };
      for (unsigned char& byte : before) byte = content();
      const std::shared_ptr<std::byte[]> memory = AllocateOnDevice(before.size());
      ASSERT_EQ(aclrtMemcpy(memory.get(), before.size(), before.data(), before.size(),
                            ACL_MEMCPY_HOST_TO_DEVICE),
                0);
      ASSERT_EQ(PhaseTwo(workloads[i].kind().op, size == 0 ? nullptr : memory.get() + shift, size,
                         executor, stream.get()),
                0);
      ASSERT_EQ(aclrtSynchronizeStream(stream.get()), 0);
      EXPECT_TRUE(workloads[i].ResultsAre(want[i]));
      std::vector<unsigned char> after(before.size());
      ASSERT_EQ(aclrtMemcpy(after.data(), after.size(), memory.get(), after.size(),
                            ACL_MEMCPY_DEVICE_TO_HOST),
                0);
      EXPECT_EQ(std::memcmp(after.data(), before.data(), shift), 0);
      EXPECT_EQ(std::memcmp(&after[shift + size], &before[shift + size], kCanary), 0);
    }
  }
}

// A repeatable executor goes from thread to thread; each launches it on a stream of its own, with
// addresses of its own, while the launches before may still be running.
TEST_F(StressLifetime, RepeatableExecutorMovesFromThreadToThread) {
  constexpr int kThreads = 6;
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(Label(kind));
    Workload first(kind, 100);
    const Arguments arguments = first.MakeArguments();
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    ASSERT_EQ(arguments.PhaseOne(&size, &executor), 0);
    ASSERT_EQ(aclSetAclOpExecutorRepeatable(executor), 0);

    std::atomic<int> turn{0};
    OnThreads(kThreads, [&](int index) {
      ASSERT_EQ(aclrtSetDevice(0), 0);
      {
        const Stream stream;
        Workload own(kind, static_cast<uint64_t>(index));
        ASSERT_EQ(own.Run(stream.get()), 0);
        const Bytes want = own.Results();
        own.SpoilResults();
        DirtyWorkspace workspace(9);
        void* const workspace_memory = workspace.Make(size);
        for (int round = 0; round < 5; ++round) {
          while (turn.load() != round * kThreads + index) std::this_thread::yield();
          for (size_t at = 0; at < (kind.op == Op::kPool ? 3 : 5); ++at) {
            void* const address = own.memory(at).data();
            EXPECT_EQ(at < own.first_output()
                          ? aclSetInputTensorAddr(executor, at, arguments.tensor(at), address)
                          : aclSetOutputTensorAddr(executor, at - own.first_output(),
                                                   arguments.tensor(at), address),
                      0);
          }
          EXPECT_EQ(PhaseTwo(kind.op, workspace_memory, size, executor, stream.get()), 0);
          turn.fetch_add(1);
          EXPECT_EQ(aclrtSynchronizeStream(stream.get()), 0);
          EXPECT_TRUE(own.ResultsAre(want));
          own.SpoilResults();
        }
      }
      EXPECT_EQ(aclrtResetDevice(0), 0);
    });
    EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
  }
}

// Of many threads that launch one executor at once, exactly one may run it.
TEST_F(StressLifetime, ExecutorIsUsedOnce) {
  const Stream stream;
  for (int round = 0; round < 200; ++round) {
    Workload workload({Op::kPool, Size::kTiny, ACL_FLOAT});
    const Arguments arguments = workload.MakeArguments();
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    ASSERT_EQ(arguments.PhaseOne(&size, &executor), 0);
    DirtyWorkspace workspace(1);
    void* const memory = workspace.Make(size);
    std::atomic<int> successes{0};
    OnThreads(4, [&](int) {
      const aclnnStatus code = PhaseTwo(Op::kPool, memory, size, executor, stream.get());
      EXPECT_TRUE(code == 0 || code == ACLNN_ERR_INNER) << code;
      if (code == 0) successes.fetch_add(1);
    });
    EXPECT_EQ(successes.load(), 1);
    ASSERT_EQ(aclrtSynchronizeStream(stream.get()), 0);
  }
}

// Half of the threads work, the others create and destroy everything there is, with work on it.
TEST_F(StressLifetime, CreatingAndDestroyingBesideWork) {
  const std::vector<Bytes> want = ResultsOfOneThread();
  OnThreads(6, [&](int index) {
    ASSERT_EQ(aclrtSetDevice(0), 0);
    std::vector<Workload> workloads = AllWorkloads();
    if (index % 2 == 0) {
      const Stream stream;
      for (int round = 0; round < 8; ++round) {
        for (size_t i = 0; i < workloads.size(); ++i) {
          ASSERT_EQ(workloads[i].Run(stream.get()), 0);
          ASSERT_TRUE(workloads[i].ResultsAre(want[i]));
        }
      }
    } else {
      for (int round = 0; round < 30; ++round) {
        const size_t i = static_cast<size_t>(round) % workloads.size();
        aclrtContext context = nullptr;
        ASSERT_EQ(aclrtCreateContext(&context, 0), 0);
        {
          const Event ready;
          const Event done;
          const Stream front;
          const Stream back;
          ASSERT_EQ(aclrtRecordEvent(ready.get(), front.get()), 0);
          ASSERT_EQ(aclrtStreamWaitEvent(back.get(), ready.get()), 0);
          ASSERT_EQ(workloads[i].Launch(back.get()), 0);
          ASSERT_EQ(aclrtRecordEvent(done.get(), back.get()), 0);
          ASSERT_EQ(aclrtSynchronizeEvent(done.get()), 0);
          ASSERT_TRUE(workloads[i].ResultsAre(want[i]));
          ASSERT_EQ(workloads[i].Launch(back.get()), 0);
        }
        ASSERT_TRUE(workloads[i].ResultsAre(want[i]));
        ASSERT_EQ(aclrtDestroyContext(context), 0);
      }
      ASSERT_EQ(aclrtSetDevice(0), 0);
      EXPECT_EQ(aclrtResetDevice(0), 0);
    }
    EXPECT_EQ(aclrtResetDevice(0), 0);
  });
}

}  // namespace
}  // namespace aclnn_cpu::test
