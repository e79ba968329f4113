#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "stress/device_test.h"
#include "stress/workload.h"
#include "support/compare.h"

namespace aclnn_cpu::test {
namespace {

using Bytes = std::vector<std::byte>;

class StressStreams : public DeviceTest {};

void ExpectResults(const std::vector<Workload>& workloads, const std::vector<Bytes>& want) {
  for (size_t i = 0; i < workloads.size(); ++i) EXPECT_TRUE(workloads[i].ResultsAre(want[i]));
}

TEST_F(StressStreams, EightThreadsWithStreamsOfTheirOwn) {
  const std::vector<Bytes> want = ResultsOfOneThread();
  OnThreads(8, [&](int index) {
    ASSERT_EQ(aclrtSetDevice(0), 0);
    {
      const Stream stream;
      std::vector<Workload> workloads = AllWorkloads();
      for (int round = 0; round < 8; ++round) {
        for (size_t i = 0; i < workloads.size(); ++i) {
          // Threads are at different operators at the same time.
          Workload& workload = workloads[(i + static_cast<size_t>(index)) % workloads.size()];
          ASSERT_EQ(workload.Run(stream.get()), 0);
        }
        ExpectResults(workloads, want);
      }
    }
    EXPECT_EQ(aclrtResetDevice(0), 0);
  });
}

TEST_F(StressStreams, FiveThreadsOnOneStream) {
  const std::vector<Bytes> want = ResultsOfOneThread();
  const Stream stream;
  OnThreads(5, [&](int index) {
    ASSERT_EQ(aclrtSetDevice(0), 0);
    std::vector<Workload> workloads = AllWorkloads();
    for (int round = 0; round < 10; ++round) {
      for (Workload& workload : workloads) {
        // Waiting after each call and after all of them: waiters help, and have others' work done.
        const bool wait_now = (round + index) % 2 == 0;
        ASSERT_EQ(wait_now ? workload.Run(stream.get()) : workload.Launch(stream.get()), 0);
      }
      ASSERT_EQ(aclrtSynchronizeStream(stream.get()), 0);
      ExpectResults(workloads, want);
    }
    EXPECT_EQ(aclrtResetDevice(0), 0);
  });
}

TEST_F(StressStreams, WatchersDoNotDisturbAStream) {
  const std::vector<Bytes> want = ResultsOfOneThread();
  const Stream stream;
  const Event event;
  std::atomic<bool> done{false};
  OnThreads(4, [&](int index) {
    ASSERT_EQ(aclrtSetDevice(0), 0);
    if (index == 0) {
      std::vector<Workload> workloads = AllWorkloads();
      for (int round = 0; round < 10; ++round) {
        for (Workload& workload : workloads) {
          ASSERT_EQ(workload.Launch(stream.get()), 0);
          ASSERT_EQ(aclrtRecordEvent(event.get(), stream.get()), 0);
        }
        ASSERT_EQ(aclrtSynchronizeStream(stream.get()), 0);
        ExpectResults(workloads, want);
      }
      done.store(true);
    }
    while (!done.load()) {
      aclrtStreamStatus stream_status = ACL_STREAM_STATUS_RESERVED;
      aclrtEventRecordedStatus event_status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
      EXPECT_EQ(aclrtStreamQuery(stream.get(), &stream_status), 0);
      EXPECT_EQ(aclrtQueryEventStatus(event.get(), &event_status), 0);
      if (index == 1) {
        EXPECT_EQ(aclrtSynchronizeEvent(event.get()), 0);
      } else if (index == 2) {
        EXPECT_EQ(aclrtSynchronizeDevice(), 0);
      } else if (index == 3) {
        const aclError code = aclrtSynchronizeStreamWithTimeout(stream.get(), 1);
        EXPECT_TRUE(code == 0 || code == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT) << code;
      }
    }
    EXPECT_EQ(aclrtResetDevice(0), 0);
  });
}

// Phase one needs no context, and phase two none if it is given a stream that exists.
TEST_F(StressStreams, PhasesOnDifferentThreadsWithoutContext) {
  const std::vector<Bytes> want = ResultsOfOneThread();
  const Stream stream;
  std::vector<Workload> workloads = AllWorkloads();
  for (size_t i = 0; i < workloads.size(); ++i) {
    const Op op = workloads[i].kind().op;
    for (const bool one_without_context : {false, true}) {
      SCOPED_TRACE(Label(workloads[i].kind()));
      workloads[i].SpoilResults();
      DirtyWorkspace workspace(3);
      uint64_t size = 0;
      aclOpExecutor* executor = nullptr;
      // Declared out here: in one direction phase two needs them still.
      const Arguments arguments = workloads[i].MakeArguments();
      const auto phase_one = [&] { ASSERT_EQ(arguments.PhaseOne(&size, &executor), 0); };
      void* memory = nullptr;
      const auto phase_two = [&] {
        ASSERT_EQ(PhaseTwo(op, memory, size, executor, stream.get()), 0);
      };
      const auto without_context = [](auto phase) {
        std::thread([&phase] {
          aclrtContext context = nullptr;
          ASSERT_EQ(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL);
          phase();
        }).join();
      };
      if (one_without_context) {
        without_context(phase_one);
        memory = workspace.Make(size);
        phase_two();
      } else {
        phase_one();
        memory = workspace.Make(size);
        without_context(phase_two);
      }
      ASSERT_EQ(aclrtSynchronizeStream(stream.get()), 0);
      EXPECT_TRUE(workloads[i].ResultsAre(want[i]));
    }
  }
}

TEST_F(StressStreams, ContextsOnSeveralDevices) {
  uint32_t devices = 0;
  ASSERT_EQ(aclrtGetDeviceCount(&devices), 0);
  ASSERT_EQ(devices, static_cast<uint32_t>(kDevices));
  const std::vector<Bytes> want = ResultsOfOneThread();
  const Stream shared;
  OnThreads(2 * kDevices, [&](int index) {
    const int device = index % kDevices;
    ASSERT_EQ(aclrtSetDevice(device), 0);
    std::vector<Workload> workloads = AllWorkloads();
    for (int round = 0; round < 2; ++round) {
      aclrtContext context = nullptr;
      ASSERT_EQ(aclrtCreateContext(&context, device), 0);
      int32_t current = -1;
      EXPECT_EQ(aclrtGetDevice(&current), 0);
      EXPECT_EQ(current, device);
      {
        const Stream own;
        // The default stream of this context, a stream of it, and one of a foreign context.
        for (aclrtStream stream : {aclrtStream{nullptr}, own.get(), shared.get()}) {
          for (Workload& workload : workloads) ASSERT_EQ(workload.Launch(stream), 0);
          ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
          ExpectResults(workloads, want);
        }
      }
      for (Workload& workload : workloads) ASSERT_EQ(workload.Launch(nullptr), 0);
      ASSERT_EQ(aclrtDestroyContext(context), 0);  // waits for the default stream
      ASSERT_EQ(aclrtSetDevice(device), 0);
      ExpectResults(workloads, want);
      EXPECT_EQ(aclrtResetDevice(device), 0);
    }
    EXPECT_EQ(aclrtResetDevice(device), 0);
  });
}

// The sampler writes inputGrad on one stream, the pool reads it as gradOutput on another; the
// sampler's next result must not overtake the pool.
class Chain {
 public:
  Chain() {
    for (int i = 0; i < 2; ++i)
      producers_.push_back(std::make_unique<Workload>(kProducer, static_cast<uint64_t>(i) + 1));
    const HostTensor& volume = producers_[0]->memory(3);
    between_ = TensorBuilder(volume.dtype(), volume.shape()).OnDevice().Build();
    for (int i = 0; i < kLinks; ++i)
      outs_.push_back(TensorBuilder(volume.dtype(), OutShape()).OnDevice().Build());
    dirty_.reserve(2 * kLinks);
  }

  // Link i samples input i % 2.
  void Produce(int i, aclrtStream stream) {
    const Workload& from = *producers_[static_cast<size_t>(i % 2)];
    std::vector<HostTensor> tensors;
    for (size_t at = 0; at < 5; ++at) {
      const HostTensor& memory = at == 3 ? between_ : from.memory(at);
      tensors.push_back(TensorBuilder(memory.dtype(), memory.shape())
                            .Format(FormatOf(Op::kSampler, at))
                            .SharingStorageOf(memory)
                            .Build());
    }
    Launch(Arguments(Op::kSampler, std::move(tensors)), stream);
  }

  void Consume(int i, aclrtStream stream) {
    const Int64s& volume = between_.shape();
    const Int64s planes = {volume[1], volume[2] * volume[3], volume[4]};
    const aclDataType dtype = between_.dtype();
    std::vector<HostTensor> tensors;
    tensors.push_back(TensorBuilder(dtype, planes).SharingStorageOf(between_).Build());
    tensors.push_back(TensorBuilder(dtype, OutShape()).WithoutData().Build());
    tensors.push_back(
        TensorBuilder(dtype, OutShape()).SharingStorageOf(outs_[static_cast<size_t>(i)]).Build());
    Launch(Arguments(Op::kPool, std::move(tensors)), stream);
  }

  static constexpr int kLinks = 12;
  const HostTensor& out(int i) const { return outs_[static_cast<size_t>(i)]; }

 private:
  static constexpr Kind kProducer{Op::kSampler, Size::kBig, ACL_FLOAT};
  static Int64s OutShape() { return {8, 90, 101}; }

  void Launch(const Arguments& arguments, aclrtStream stream) {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    ASSERT_EQ(arguments.PhaseOne(&size, &executor), 0);
    // Not shared between links: they may run at the same time.
    dirty_.push_back(std::make_unique<DirtyWorkspace>(dirty_.size()));
    ASSERT_EQ(PhaseTwo(arguments.op(), dirty_.back()->Make(size), size, executor, stream), 0);
  }

  std::vector<std::unique_ptr<Workload>> producers_;
  HostTensor between_;
  std::vector<HostTensor> outs_;
  std::vector<std::unique_ptr<DirtyWorkspace>> dirty_;
};

// The start is held back until the whole chain is queued, so that only the events keep its order.
TEST_F(StressStreams, EventsOrderTwoStreams) {
  Chain serial;
  for (int i = 0; i < Chain::kLinks; ++i) {
    serial.Produce(i, nullptr);
    serial.Consume(i, nullptr);
    ASSERT_EQ(aclrtSynchronizeStream(nullptr), 0);
  }
  ASSERT_FALSE(SameBits(ACL_FLOAT, serial.out(0).CopyOfBytes(), serial.out(1).CopyOfBytes()));

  for (int round = 0; round < 10; ++round) {
    Chain chain;
    std::vector<std::unique_ptr<Event>> events;
    const Stream sampling;
    const Stream pooling;
    Gate gate(sampling.get());
    const auto pass = [&events](aclrtStream from, aclrtStream to) {
      events.push_back(std::make_unique<Event>());
      ASSERT_EQ(aclrtRecordEvent(events.back()->get(), from), 0);
      ASSERT_EQ(aclrtStreamWaitEvent(to, events.back()->get()), 0);
    };
    for (int i = 0; i < Chain::kLinks; ++i) {
      chain.Produce(i, sampling.get());
      pass(sampling.get(), pooling.get());
      chain.Consume(i, pooling.get());
      pass(pooling.get(), sampling.get());
    }
    gate.Open();
    ASSERT_EQ(aclrtSynchronizeStream(sampling.get()), 0);
    ASSERT_EQ(aclrtSynchronizeStream(pooling.get()), 0);
    for (int i = 0; i < Chain::kLinks; ++i)
      ASSERT_TRUE(SameBits(ACL_FLOAT, chain.out(i).CopyOfBytes(), serial.out(i).CopyOfBytes()))
          << "link " << i;
  }
}

}  // namespace
}  // namespace aclnn_cpu::test
