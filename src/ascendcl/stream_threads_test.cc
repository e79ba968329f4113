// Streams used by several threads at once.

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "acl/acl.h"
#include "ascendcl/stream.h"
#include "ascendcl/work_for_test.h"

namespace aclnn_cpu {
namespace {

using Help = Stream::Help;

constexpr int kThreads = 4;

void RunOnThreads(int threads, const std::function<void(int)>& body) {
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) running.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : running) thread.join();
}

uint64_t Enqueue(Stream& stream, std::unique_ptr<Work> work) {
  StreamTask task;
  task.work = std::move(work);
  const StatusOr<uint64_t> ticket = stream.Enqueue(std::move(task));
  EXPECT_TRUE(ticket.ok());
  return ticket.ok() ? ticket.value() : 0;
}

void Burn(double microseconds) {
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::nanoseconds(static_cast<int64_t>(microseconds * 1000));
  while (std::chrono::steady_clock::now() < end) {
  }
}

TEST(StreamThreads, KeepOrderAndCountWhileAllEnqueueAndSynchronise) {
  constexpr int kTasksEach = 400;
  const auto stream = std::make_shared<Stream>(nullptr, 0);
  // Not atomic on purpose: tasks of one stream must not overlap and must see one another's writes.
  int total = 0;
  std::vector<int> last(kThreads, -1);
  std::atomic<int> out_of_order{0};
  RunOnThreads(kThreads, [&](int thread) {
    for (int i = 0; i < kTasksEach; ++i) {
      const double microseconds = i % 7 == 0 ? 30 : (i % 3 == 0 ? 5 : 0.2);
      Enqueue(*stream, WorkDoing(
                           [&, thread, i, microseconds] {
                             Burn(microseconds);
                             int& mine = last[static_cast<size_t>(thread)];
                             if (mine != i - 1) ++out_of_order;
                             mine = i;
                             ++total;
                           },
                           microseconds));
      if (i % 5 == thread) stream->WaitFor(stream->LastTicket(), Help::kAllowed);
    }
    stream->WaitFor(stream->LastTicket(), Help::kAllowed);
    EXPECT_EQ(last[static_cast<size_t>(thread)], kTasksEach - 1);
  });
  stream->Close(Stream::Queued::kFinish);
  EXPECT_EQ(total, kThreads * kTasksEach);
  EXPECT_EQ(out_of_order, 0);
}

TEST(StreamThreads, QueryOnlyClientSeesEveryTaskEnd) {
  const auto stream = std::make_shared<Stream>(nullptr, 0);
  int value = 0;
  for (int i = 0; i < 300; ++i) {
    Enqueue(*stream, WorkDoing([&] { ++value; }, i % 2 == 0 ? kTiny : kSmall));
    ASSERT_TRUE(Eventually([&] { return stream->IsIdle(); }));
    EXPECT_EQ(value, i + 1);
  }
  stream->Close(Stream::Queued::kFinish);
}

TEST(StreamThreads, EnqueueAndSleepClientGetsItsWorkDone) {
  const auto stream = std::make_shared<Stream>(nullptr, 0);
  std::atomic<int> done{0};
  for (int i = 0; i < 20; ++i) {
    Enqueue(*stream, WorkDoing([&] { ++done; }, kSmall));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_TRUE(Eventually([&] { return done == 20; }));
  stream->Close(Stream::Queued::kFinish);
}

TEST(StreamThreads, SleepersWakeAtTheirOwnTargets) {
  const auto stream = std::make_shared<Stream>(nullptr, 0);
  Gate first_gate;
  Gate second_gate;
  const uint64_t first = Enqueue(*stream, first_gate.NewWork());
  const uint64_t second = Enqueue(*stream, second_gate.NewWork());
  std::atomic<int> woken{0};
  std::thread first_waiter([&] {
    EXPECT_TRUE(stream->WaitFor(first, Help::kForbidden));
    ++woken;
  });
  std::thread second_waiter([&] {
    EXPECT_TRUE(stream->WaitFor(second, Help::kForbidden));
    ++woken;
  });
  first_gate.Open();
  first_waiter.join();
  EXPECT_EQ(woken, 1);
  second_gate.Open();
  second_waiter.join();
  stream->Close(Stream::Queued::kFinish);
}

TEST(StreamThreads, StreamsWaitForOneAnothersEvents) {
  constexpr int kStreams = 4;
  constexpr int kRounds = 200;
  const DeviceForTest device;
  std::vector<aclrtStream> streams(kStreams);
  std::vector<aclrtEvent> events(kStreams);
  for (int i = 0; i < kStreams; ++i) {
    ASSERT_EQ(aclrtCreateStream(&streams[static_cast<size_t>(i)]), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateEvent(&events[static_cast<size_t>(i)]), ACL_SUCCESS);
  }
  // A token goes round: each stream adds to it after the one before has. Not atomic on purpose.
  int64_t token = 0;
  for (int step = 0; step < kRounds * kStreams; ++step) {
    const auto self = static_cast<size_t>(step % kStreams);
    const auto before = static_cast<size_t>((step + kStreams - 1) % kStreams);
    if (step > 0) {
      ASSERT_EQ(aclrtStreamWaitEvent(streams[self], events[before]), ACL_SUCCESS);
    }
    const double microseconds = step % 3 == 0 ? kTiny : kSmall;
    ASSERT_TRUE(
        EnqueueWork(streams[self], WorkDoing([&token, step] { token += step; }, microseconds))
            .ok());
    ASSERT_EQ(aclrtRecordEvent(events[self], streams[self]), ACL_SUCCESS);
  }
  ASSERT_EQ(aclrtSynchronizeEvent(events[kStreams - 1]), ACL_SUCCESS);
  const int64_t steps = kRounds * kStreams;
  EXPECT_EQ(token, steps * (steps - 1) / 2);
  for (aclrtEvent event : events) EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
  for (aclrtStream stream : streams) EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
}

TEST(StreamThreads, ObjectsAreCreatedUsedAndDestroyedSideBySide) {
  std::atomic<int> ran{0};
  RunOnThreads(kThreads, [&](int thread) {
    const DeviceForTest device;
    for (int i = 0; i < 60; ++i) {
      aclrtStream stream = nullptr;
      aclrtEvent event = nullptr;
      void* memory = nullptr;
      ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
      ASSERT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
      ASSERT_EQ(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
      EXPECT_EQ(aclrtMemsetAsync(memory, 4096, thread, 4096, stream), ACL_SUCCESS);
      EXPECT_TRUE(EnqueueWork(stream, WorkDoing([&] { ++ran; }, kSmall)).ok());
      EXPECT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
      EXPECT_EQ(aclrtStreamWaitEvent(nullptr, event), ACL_SUCCESS);
      EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
      EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
      EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
      EXPECT_EQ(aclrtDestroyStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
    }
  });
  EXPECT_EQ(ran, kThreads * 60);
}

TEST(StreamThreads, FinalizeWhileOthersWorkLosesNothing) {
  std::atomic<bool> stop{false};
  std::atomic<int> expected{0};
  std::atomic<int> ran{0};
  std::thread finalizer([&] {
    while (!stop) {
      aclInit(nullptr);
      EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
    }
  });
  RunOnThreads(2, [&](int) {
    const DeviceForTest device;
    aclrtStream stream = nullptr;
    ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    for (int i = 0; i < 300; ++i) {
      EXPECT_TRUE(EnqueueWork(stream, WorkDoing([&] { ++ran; }, kSmall)).ok());
      ++expected;
      if (i % 10 == 0) {
        EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 10000), ACL_SUCCESS);
      }
    }
    EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  });
  stop = true;
  finalizer.join();
  EXPECT_EQ(ran, expected);
}

}  // namespace
}  // namespace aclnn_cpu
