#include "ascendcl/stream.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cfenv>
#include <stdexcept>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "ascendcl/strict.h"
#include "ascendcl/work_for_test.h"
#include "base/futex.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace aclnn_cpu {
namespace {

using Help = Stream::Help;
using Queued = Stream::Queued;

class StreamTest : public ::testing::Test {
 protected:
  uint64_t Enqueue(std::unique_ptr<Work> work) {
    StreamTask task;
    task.work = std::move(work);
    const StatusOr<uint64_t> ticket = stream_->Enqueue(std::move(task));
    EXPECT_TRUE(ticket.ok()) << ticket.status().message();
    return ticket.ok() ? ticket.value() : 0;
  }
  Status Synchronize() {
    const uint64_t ticket = stream_->LastTicket();
    EXPECT_TRUE(stream_->WaitFor(ticket, Help::kAllowed));
    return stream_->TakeError(ticket);
  }
  void TearDown() override { stream_->Close(Queued::kFinish); }

  const std::shared_ptr<Stream> stream_ = std::make_shared<Stream>(nullptr, 0);
};

TEST_F(StreamTest, RunsTinyWorkOfAnIdleStreamOnTheCaller) {
  std::thread::id runner;
  const uint64_t ticket = Enqueue(WorkDoing([&] { runner = std::this_thread::get_id(); }, kTiny));
  EXPECT_EQ(runner, std::this_thread::get_id());
  EXPECT_EQ(ticket, 1u);
  EXPECT_TRUE(stream_->IsIdle());
}

// Strict mode has to see work as a task before it runs.
TEST_F(StreamTest, RunIfTinyRunsWorkOfAnIdleStreamOrDoesNothing) {
  const int possible = StrictOn() ? 0 : 1;
  int runs = 0;
  const auto count = [&runs] {
    ++runs;
    return Status();
  };
  FunctionWork tiny(count, kTiny);
  FunctionWork small(count, kSmall);
  EXPECT_EQ(stream_->RunIfTiny(tiny), possible == 1);
  EXPECT_EQ(stream_->LastTicket(), static_cast<uint64_t>(possible));
  EXPECT_TRUE(stream_->IsIdle());
  EXPECT_FALSE(stream_->RunIfTiny(small));
  Gate gate;
  Enqueue(gate.NewWork());
  ASSERT_TRUE(gate.WaitUntilEntered());
  EXPECT_FALSE(stream_->RunIfTiny(tiny));  // others come first
  gate.Open();
  EXPECT_TRUE(Synchronize().ok());
  stream_->Close(Queued::kFinish);
  EXPECT_FALSE(stream_->RunIfTiny(tiny));
  EXPECT_EQ(runs, possible);
}

TEST_F(StreamTest, FailureOfWorkThatRanAtOnceWaitsForTheSynchronisation) {
  FunctionWork failing([]() -> Status { throw std::bad_alloc(); }, kTiny);
  const bool ran = stream_->RunIfTiny(failing);
  EXPECT_EQ(ran, !StrictOn());
  EXPECT_EQ(Synchronize().code(), ran ? ACL_ERROR_RT_MEMORY_ALLOCATION : 0);
  EXPECT_TRUE(Synchronize().ok());
}

TEST_F(StreamTest, RunsLongerWorkWithoutHelp) {
  std::atomic<bool> ran{false};
  std::thread::id runner;
  Enqueue(WorkDoing(
      [&] {
        runner = std::this_thread::get_id();
        ran = true;
      },
      kLong));
  ASSERT_TRUE(Eventually([&] { return ran.load(); }));
  EXPECT_NE(runner, std::this_thread::get_id());
  EXPECT_TRUE(Eventually([&] { return stream_->IsIdle(); }));
}

TEST_F(StreamTest, QueuesTinyWorkBehindQueuedWork) {
  Gate gate;
  std::vector<int> order;
  Enqueue(gate.NewWork());
  ASSERT_TRUE(gate.WaitUntilEntered());
  Enqueue(WorkDoing([&] { order.push_back(1); }, kTiny));
  Enqueue(WorkDoing([&] { order.push_back(2); }, kTiny));
  EXPECT_FALSE(stream_->IsIdle());
  gate.Open();
  EXPECT_TRUE(Synchronize().ok());
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST_F(StreamTest, SynchronisingThreadRunsWorkTheWorkerHasNotStarted) {
  // A wait at the head keeps the worker from starting on what stands behind it.
  const auto record = std::make_shared<EventRecord>();
  StreamTask wait;
  wait.wait = EventWait{record, nullptr};
  ASSERT_TRUE(stream_->Enqueue(std::move(wait)).ok());
  std::atomic<int> ran{0};
  for (int i = 0; i < 100; ++i) Enqueue(WorkDoing([&] { ++ran; }, kSmall));
  EXPECT_EQ(ran, 0);
  record->Finish();
  EXPECT_TRUE(Synchronize().ok());
  EXPECT_EQ(ran, 100);
}

TEST_F(StreamTest, HelperStopsAtItsOwnTarget) {
  Gate gate;
  const uint64_t first = Enqueue(WorkDoing([] {}, kSmall));
  Enqueue(gate.NewWork());  // a helper that went on would be stuck in here
  EXPECT_TRUE(stream_->WaitFor(first, Help::kAllowed));
  gate.Open();
  EXPECT_TRUE(Synchronize().ok());
}

TEST_F(StreamTest, ReportsTheFirstFailureOnceAndGoesOn) {
  std::atomic<int> ran{0};
  Enqueue(WorkDoing([&] { ++ran; }, kSmall));
  Enqueue(WorkOf([] { return Status(561000, "first"); }, kSmall));
  Enqueue(WorkOf([] { return Status(561001, "second"); }, kTiny));
  Enqueue(WorkDoing([&] { ++ran; }, kSmall));
  const Status status = Synchronize();
  EXPECT_EQ(status.code(), 561000);
  EXPECT_EQ(status.message(), "first");
  EXPECT_EQ(ran, 2);
  EXPECT_TRUE(Synchronize().ok());
}

TEST_F(StreamTest, KeepsAFailureForTheSynchronisationThatCoversIt) {
  const uint64_t before = Enqueue(WorkDoing([] {}, kTiny));
  const uint64_t failing = Enqueue(WorkOf([] { return Status(561000, "bad"); }, kTiny));
  EXPECT_TRUE(stream_->TakeError(before).ok());
  EXPECT_EQ(stream_->TakeError(failing).code(), 561000);
}

TEST_F(StreamTest, TurnsExceptionsIntoCodes) {
  Enqueue(WorkOf([]() -> Status { throw std::bad_alloc(); }, kTiny));
  EXPECT_EQ(Synchronize().code(), ACL_ERROR_RT_MEMORY_ALLOCATION);
  Enqueue(WorkOf([]() -> Status { throw std::runtime_error("reason"); }, kSmall));
  const Status status = Synchronize();
  EXPECT_EQ(status.code(), ACL_ERROR_RT_INTERNAL_ERROR);
  EXPECT_NE(status.message().find("reason"), std::string::npos);
  Enqueue(WorkOf([]() -> Status { throw 7; }, kTiny));
  EXPECT_EQ(Synchronize().code(), ACL_ERROR_RT_INTERNAL_ERROR);
}

TEST_F(StreamTest, DestroysWorkBeforeItCountsAsDone) {
  const auto owned = std::make_shared<int>(0);
  Enqueue(WorkDoing([owned] {}, kSmall));
  EXPECT_TRUE(Synchronize().ok());
  EXPECT_EQ(owned.use_count(), 1);
}

TEST_F(StreamTest, WaitingWithADeadlineNeverHelps) {
  Gate gate;
  std::atomic<bool> ran_here{false};
  Enqueue(gate.NewWork());
  ASSERT_TRUE(gate.WaitUntilEntered());
  const std::thread::id here = std::this_thread::get_id();
  const uint64_t last =
      Enqueue(WorkDoing([&] { ran_here = std::this_thread::get_id() == here; }, kSmall));
  EXPECT_FALSE(stream_->WaitFor(last, Help::kForbidden, MonotonicNs() + 20'000'000));
  gate.Open();
  EXPECT_TRUE(stream_->WaitFor(last, Help::kForbidden, MonotonicNs() + 10'000'000'000));
  EXPECT_FALSE(ran_here);
}

TEST_F(StreamTest, FullQueueMakesTheEnqueuerHelp) {
  constexpr int kTasks = 5000;  // several times the capacity
  std::vector<int> order;
  for (int i = 0; i < kTasks; ++i) Enqueue(WorkDoing([&, i] { order.push_back(i); }, kSmall));
  EXPECT_TRUE(Synchronize().ok());
  ASSERT_EQ(order.size(), static_cast<size_t>(kTasks));
  for (int i = 0; i < kTasks; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

TEST_F(StreamTest, FullQueueBehindRunningWorkWaitsForIt) {
  Gate gate;
  Enqueue(gate.NewWork());
  ASSERT_TRUE(gate.WaitUntilEntered());
  std::atomic<int> enqueued{0};
  std::thread enqueuer([&] {
    for (int i = 0; i < 1500; ++i) {
      Enqueue(WorkDoing([] {}, kSmall));
      ++enqueued;
    }
  });
  ASSERT_TRUE(Eventually([&] { return enqueued == 1024; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(enqueued, 1024);
  gate.Open();
  enqueuer.join();
  EXPECT_TRUE(Synchronize().ok());
  EXPECT_EQ(enqueued, 1500);
}

TEST_F(StreamTest, StoppedWorkerStartsAgainOnDemand) {
  std::atomic<int> ran{0};
  for (int round = 1; round <= 20; ++round) {
    Enqueue(WorkDoing([&] { ++ran; }, kLong));
    stream_->StopWorker();  // ends only when the queue is empty
    EXPECT_EQ(ran, round);
  }
}

TEST_F(StreamTest, CloseFinishesWhatIsQueuedAndRefusesMore) {
  std::atomic<int> ran{0};
  for (int i = 0; i < 50; ++i) Enqueue(WorkDoing([&] { ++ran; }, kSmall));
  stream_->Close(Queued::kFinish);
  EXPECT_EQ(ran, 50);
  StreamTask task;
  task.work = WorkDoing([&] { ++ran; }, kTiny);
  EXPECT_EQ(stream_->Enqueue(std::move(task)).status().code(), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(ran, 50);
}

TEST_F(StreamTest, CloseDropsQueuedWorkButNotRunningWork) {
  Gate gate;
  std::atomic<int> ran{0};
  Enqueue(gate.NewWork());
  ASSERT_TRUE(gate.WaitUntilEntered());
  for (int i = 0; i < 50; ++i) Enqueue(WorkDoing([&] { ++ran; }, kSmall));
  StreamTask record_task;
  const auto record = std::make_shared<EventRecord>();
  record_task.record = record;
  ASSERT_TRUE(stream_->Enqueue(std::move(record_task)).ok());
  std::thread waiter(
      [&] { EXPECT_TRUE(stream_->WaitFor(stream_->LastTicket(), Help::kForbidden)); });
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    gate.Open();
  });
  stream_->Close(Queued::kDrop);
  EXPECT_EQ(gate.passed(), 1);
  EXPECT_EQ(ran, 0);
  EXPECT_TRUE(record->finished());
  EXPECT_TRUE(stream_->IsIdle());
  waiter.join();
  opener.join();
}

TEST_F(StreamTest, WorkerLeavesTheProcessSignalsToOtherThreads) {
  sigset_t mask;
  sigemptyset(&mask);
  Enqueue(WorkDoing([&] { pthread_sigmask(SIG_SETMASK, nullptr, &mask); }, kLong));
  ASSERT_TRUE(Eventually([&] { return stream_->IsIdle(); }));
  for (int blocked : {SIGINT, SIGTERM, SIGALRM, SIGUSR1, SIGCHLD})
    EXPECT_EQ(sigismember(&mask, blocked), 1) << blocked;
  for (int open : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP})
    EXPECT_EQ(sigismember(&mask, open), 0) << open;
}

// ---- floating-point environment ----

// Half of the smallest normal number: 2^-127, or 0 under flush-to-zero.
float HalfOfSmallest() {
  volatile float smallest = 0x1p-126f;
  volatile float half = 0.5f;
  return smallest * half;
}

TEST_F(StreamTest, CallersRoundingNeitherChangesResultsNorGetsLost) {
  volatile float one = 1.0f;
  volatile float tiny = 0x1p-60f;
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  std::atomic<int> wrong{0};
  const auto check = [&] {
    if (one + tiny != 1.0f) ++wrong;
  };
  const float upward_before = one + tiny;
  Enqueue(WorkDoing(check, kTiny));   // on this thread
  Enqueue(WorkDoing(check, kLong));   // on the worker, created under upward rounding
  Enqueue(WorkDoing(check, kSmall));  // by help or by the worker
  EXPECT_TRUE(Synchronize().ok());
  const int rounding_after = std::fegetround();
  const float upward_after = one + tiny;
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(rounding_after, FE_UPWARD);
  EXPECT_GT(upward_before, 1.0f);
  EXPECT_GT(upward_after, 1.0f);
}

#if defined(__x86_64__)
TEST_F(StreamTest, CallersFlushToZeroNeitherChangesResultsNorGetsLost) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040u);  // flush to zero, denormals are zero
  float inline_result = -1;
  float worker_result = -1;
  Enqueue(WorkDoing([&] { inline_result = HalfOfSmallest(); }, kTiny));
  Enqueue(WorkDoing([&] { worker_result = HalfOfSmallest(); }, kLong));
  EXPECT_TRUE(Synchronize().ok());
  const float flushed = HalfOfSmallest();
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(inline_result, 0x1p-127f);
  EXPECT_EQ(worker_result, 0x1p-127f);
  EXPECT_EQ(flushed, 0.0f);
  EXPECT_EQ(after & 0x8040u, 0x8040u);
}
#endif

}  // namespace
}  // namespace aclnn_cpu
