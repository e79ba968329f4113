// Events: contract.md 5.3, rows "events" and "streams and contexts".

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "ascendcl/work_for_test.h"

// aclrtQueryEvent is deprecated, but has to work.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace aclnn_cpu {
namespace {

aclrtEventRecordedStatus RecordedStatus(aclrtEvent event) {
  auto status = static_cast<aclrtEventRecordedStatus>(99);
  EXPECT_EQ(aclrtQueryEventStatus(event, &status), ACL_SUCCESS);
  return status;
}

aclrtEventStatus OldStatus(aclrtEvent event) {
  aclrtEventStatus status = ACL_EVENT_STATUS_RESERVED;
  EXPECT_EQ(aclrtQueryEvent(event, &status), ACL_SUCCESS);
  return status;
}

aclrtEventWaitStatus WaitStatus(aclrtEvent event) {
  aclrtEventWaitStatus status = ACL_EVENT_WAIT_STATUS_RESERVED;
  EXPECT_EQ(aclrtQueryEventWaitStatus(event, &status), ACL_SUCCESS);
  return status;
}

class EventApi : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(aclrtCreateStream(&stream_), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&other_), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateEvent(&event_), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateEventWithFlag(&sync_event_, ACL_EVENT_SYNC), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateEventWithFlag(&time_event_, ACL_EVENT_TIME_LINE), ACL_SUCCESS);
  }
  void TearDown() override {
    for (aclrtEvent event : {event_, sync_event_, time_event_}) aclrtDestroyEvent(event);
    gate_.Open();
    for (aclrtStream stream : {stream_, other_}) aclrtDestroyStream(stream);
  }

  Gate gate_;
  const DeviceForTest device_;
  aclrtStream stream_ = nullptr;
  aclrtStream other_ = nullptr;
  aclrtEvent event_ = nullptr;
  aclrtEvent sync_event_ = nullptr;
  aclrtEvent time_event_ = nullptr;
};

TEST_F(EventApi, NullsAreRefused) {
  aclrtEventRecordedStatus recorded;
  aclrtEventStatus old_status;
  aclrtEventWaitStatus wait;
  float ms = 0;
  EXPECT_EQ(aclrtCreateEvent(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtCreateEventWithFlag(nullptr, ACL_EVENT_SYNC), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtCreateEventWithFlag(nullptr, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtDestroyEvent(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtRecordEvent(nullptr, stream_), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtResetEvent(nullptr, stream_), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtStreamWaitEvent(stream_, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtSynchronizeEvent(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(nullptr, 1), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtQueryEventStatus(nullptr, &recorded), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtQueryEventStatus(event_, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtQueryEvent(nullptr, &old_status), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtQueryEvent(event_, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtQueryEventWaitStatus(nullptr, &wait), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtQueryEventWaitStatus(event_, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtEventElapsedTime(nullptr, event_, event_), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtEventElapsedTime(&ms, nullptr, event_), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtEventElapsedTime(&ms, event_, nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST_F(EventApi, DestroyedAndForeignHandlesAreUnknown) {
  aclrtEvent destroyed = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&destroyed), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyEvent(destroyed), ACL_SUCCESS);
  int foreign = 0;
  for (aclrtEvent event : {destroyed, aclrtEvent{&foreign}, aclrtEvent{stream_}}) {
    aclrtEventRecordedStatus recorded;
    aclrtEventStatus old_status;
    aclrtEventWaitStatus wait;
    float ms = 0;
    EXPECT_EQ(aclrtDestroyEvent(event), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtRecordEvent(event, stream_), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtResetEvent(event, stream_), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtStreamWaitEvent(stream_, event), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event, 1), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtQueryEventStatus(event, &recorded), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtQueryEvent(event, &old_status), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtQueryEventWaitStatus(event, &wait), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtEventElapsedTime(&ms, event, event_), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtEventElapsedTime(&ms, event_, event), ACL_ERROR_RT_INVALID_HANDLE);
  }
}

TEST_F(EventApi, FlagMustBeASetOfKnownBits) {
  aclrtEvent event = nullptr;
  for (uint32_t flag : {0u, 0x4u, 0x80u, 0x80000000u, ACL_EVENT_SYNC | 0x4u})
    EXPECT_EQ(aclrtCreateEventWithFlag(&event, flag), ACL_ERROR_RT_PARAM_INVALID) << flag;
  EXPECT_EQ(event, nullptr);
  for (uint32_t flag : {ACL_EVENT_SYNC, ACL_EVENT_CAPTURE_STREAM_PROGRESS, ACL_EVENT_TIME_LINE,
                        ACL_EVENT_DEVICE_USE_ONLY, ACL_EVENT_EXTERNAL, ACL_EVENT_IPC,
                        ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE}) {
    EXPECT_EQ(aclrtCreateEventWithFlag(&event, flag), ACL_SUCCESS) << flag;
    EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
  }
}

TEST_F(EventApi, WithoutAContextOnlyStreamlessCallsWork) {
  ASSERT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  std::thread([&] {
    aclrtEvent event = nullptr;
    EXPECT_EQ(aclrtCreateEvent(&event), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtCreateEventWithFlag(&event, 0), ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(aclrtRecordEvent(event_, stream_), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtRecordEvent(event_, nullptr), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtResetEvent(event_, stream_), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtStreamWaitEvent(nullptr, event_), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtSynchronizeEvent(event_), ACL_SUCCESS);
    EXPECT_EQ(RecordedStatus(event_), ACL_EVENT_RECORDED_STATUS_COMPLETE);
  }).join();
}

TEST_F(EventApi, RecordAndResetRefuseStreamsOfAnotherContext) {
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtRecordEvent(event_, stream_), ACL_ERROR_RT_STREAM_CONTEXT);
  EXPECT_EQ(aclrtResetEvent(event_, stream_), ACL_ERROR_RT_STREAM_CONTEXT);
  EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
}

TEST_F(EventApi, NeverRecorded) {
  EXPECT_EQ(aclrtSynchronizeEvent(event_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event_, 1), ACL_SUCCESS);
  EXPECT_EQ(OldStatus(event_), ACL_EVENT_STATUS_COMPLETE);
  EXPECT_EQ(RecordedStatus(event_), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT_EQ(WaitStatus(event_), ACL_EVENT_WAIT_STATUS_COMPLETE);
  EXPECT_EQ(aclrtStreamWaitEvent(stream_, event_), ACL_ERROR_RT_PARAM_INVALID);
  float ms = 7;
  EXPECT_EQ(aclrtEventElapsedTime(&ms, event_, event_), ACL_ERROR_RT_INTERNAL_ERROR);
  ASSERT_EQ(aclrtRecordEvent(time_event_, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtEventElapsedTime(&ms, time_event_, event_), ACL_ERROR_RT_INTERNAL_ERROR);
  EXPECT_EQ(aclrtEventElapsedTime(&ms, event_, time_event_), ACL_ERROR_RT_INTERNAL_ERROR);
  EXPECT_EQ(ms, 7);
}

TEST_F(EventApi, RecordedButNotReached) {
  ASSERT_TRUE(EnqueueWork(stream_, gate_.NewWork()).ok());
  ASSERT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  EXPECT_EQ(OldStatus(event_), ACL_EVENT_STATUS_NOT_READY);
  EXPECT_EQ(RecordedStatus(event_), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  float ms = 0;
  EXPECT_EQ(aclrtEventElapsedTime(&ms, event_, event_), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event_, 5), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
  gate_.Open();
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event_, 10000), ACL_SUCCESS);
  EXPECT_EQ(OldStatus(event_), ACL_EVENT_STATUS_COMPLETE);
  EXPECT_EQ(RecordedStatus(event_), ACL_EVENT_RECORDED_STATUS_COMPLETE);
}

TEST_F(EventApi, SynchronizeTimeoutMustBePositiveOrMinusOne) {
  for (int32_t timeout : {0, -2, INT32_MIN}) {
    EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event_, timeout), ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(aclrtSynchronizeEventWithTimeout(nullptr, timeout), ACL_ERROR_RT_PARAM_INVALID);
  }
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event_, -1), ACL_SUCCESS);
}

TEST_F(EventApi, SynchronizeWaitsForTheRecordButNotForLaterWork) {
  std::atomic<int> before{0};
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(EnqueueWork(stream_, WorkDoing([&] { ++before; }, kSmall)).ok());
  ASSERT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  ASSERT_TRUE(EnqueueWork(stream_, gate_.NewWork()).ok());
  EXPECT_EQ(aclrtSynchronizeEvent(event_), ACL_SUCCESS);
  EXPECT_EQ(before, 20);
  EXPECT_EQ(gate_.passed(), 0);
}

TEST_F(EventApi, StreamWaitsForTheEventOfAnother) {
  std::atomic<bool> ran{false};
  ASSERT_TRUE(EnqueueWork(stream_, gate_.NewWork()).ok());
  ASSERT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other_, event_), ACL_SUCCESS);
  ASSERT_TRUE(EnqueueWork(other_, WorkDoing([&] { ran = true; }, kTiny)).ok());
  EXPECT_EQ(WaitStatus(event_), ACL_EVENT_WAIT_STATUS_NOT_READY);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(other_, 10), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  EXPECT_FALSE(ran);
  gate_.Open();
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
  EXPECT_TRUE(ran);
  EXPECT_EQ(WaitStatus(event_), ACL_EVENT_WAIT_STATUS_COMPLETE);
}

TEST_F(EventApi, WaitForAReachedEventDoesNotHoldUp) {
  ASSERT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeEvent(event_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other_, event_), ACL_SUCCESS);
  aclrtStreamStatus status;
  EXPECT_EQ(aclrtStreamQuery(other_, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_STREAM_STATUS_COMPLETE);
}

TEST_F(EventApi, WaitKeepsTheRecordItSawWhenEnqueued) {
  Gate second_gate;
  ASSERT_TRUE(EnqueueWork(stream_, gate_.NewWork()).ok());
  ASSERT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other_, event_), ACL_SUCCESS);
  ASSERT_TRUE(EnqueueWork(stream_, second_gate.NewWork()).ok());
  ASSERT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  gate_.Open();
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(other_, 10000), ACL_SUCCESS);
  EXPECT_EQ(second_gate.passed(), 0);
  EXPECT_EQ(RecordedStatus(event_), ACL_EVENT_RECORDED_STATUS_NOT_READY);  // the later record
  second_gate.Open();
  EXPECT_EQ(aclrtSynchronizeEvent(event_), ACL_SUCCESS);
}

TEST_F(EventApi, NeverRecordedSyncEventIsWaitedForUntilALaterRecord) {
  std::atomic<bool> ran{false};
  ASSERT_EQ(aclrtStreamWaitEvent(other_, sync_event_), ACL_SUCCESS);
  ASSERT_TRUE(EnqueueWork(other_, WorkDoing([&] { ran = true; }, kTiny)).ok());
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(other_, 10), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  // For the host it still is never recorded.
  EXPECT_EQ(aclrtSynchronizeEvent(sync_event_), ACL_SUCCESS);
  EXPECT_EQ(RecordedStatus(sync_event_), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT_FALSE(ran);
  ASSERT_EQ(aclrtRecordEvent(sync_event_, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
  EXPECT_TRUE(ran);
}

TEST_F(EventApi, WaitAndResetNeedTheSyncFlag) {
  ASSERT_EQ(aclrtRecordEvent(time_event_, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamWaitEvent(other_, time_event_), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_EQ(aclrtResetEvent(time_event_, stream_), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  for (aclrtEvent event : {event_, sync_event_}) {
    ASSERT_EQ(aclrtRecordEvent(event, stream_), ACL_SUCCESS);
    EXPECT_EQ(aclrtStreamWaitEvent(other_, event), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetEvent(event, other_), ACL_SUCCESS);
  }
}

TEST_F(EventApi, ResetMakesItNeverRecordedWithoutDisturbingEarlierWaits) {
  ASSERT_TRUE(EnqueueWork(stream_, gate_.NewWork()).ok());
  ASSERT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other_, event_), ACL_SUCCESS);
  ASSERT_EQ(aclrtResetEvent(event_, other_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(other_, 10), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  gate_.Open();
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
  EXPECT_EQ(RecordedStatus(event_), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT_EQ(OldStatus(event_), ACL_EVENT_STATUS_COMPLETE);
}

TEST_F(EventApi, DestroyingAnEventLeavesItsRecordsAndWaitsAlone) {
  aclrtEvent event = nullptr;
  std::atomic<bool> ran{false};
  ASSERT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  ASSERT_TRUE(EnqueueWork(stream_, gate_.NewWork()).ok());
  ASSERT_EQ(aclrtRecordEvent(event, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other_, event), ACL_SUCCESS);
  ASSERT_TRUE(EnqueueWork(other_, WorkDoing([&] { ran = true; }, kTiny)).ok());
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
  EXPECT_FALSE(ran);
  gate_.Open();
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
  EXPECT_TRUE(ran);
}

TEST_F(EventApi, WaitThatCanNeverEndFailsInsteadOfHanging) {
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other_, event), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_ERROR_RT_INTERNAL_ERROR);
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
}

TEST_F(EventApi, ElapsedTimeIsInMillisecondsAndSigned) {
  ASSERT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  ASSERT_TRUE(
      EnqueueWork(
          stream_,
          WorkDoing([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }, kLong))
          .ok());
  ASSERT_EQ(aclrtRecordEvent(time_event_, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeEvent(time_event_), ACL_SUCCESS);
  float ms = 0;
  EXPECT_EQ(aclrtEventElapsedTime(&ms, event_, time_event_), ACL_SUCCESS);
  EXPECT_GE(ms, 20.0f);
  EXPECT_LT(ms, 5000.0f);
  float reversed = 0;
  EXPECT_EQ(aclrtEventElapsedTime(&reversed, time_event_, event_), ACL_SUCCESS);
  EXPECT_EQ(reversed, -ms);
  EXPECT_EQ(aclrtEventElapsedTime(&ms, event_, event_), ACL_SUCCESS);
  EXPECT_EQ(ms, 0.0f);
}

TEST_F(EventApi, NullStreamIsTheDefaultStream) {
  ASSERT_TRUE(EnqueueWork(nullptr, gate_.NewWork()).ok());
  ASSERT_EQ(aclrtRecordEvent(event_, nullptr), ACL_SUCCESS);
  EXPECT_EQ(RecordedStatus(event_), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  ASSERT_EQ(aclrtStreamWaitEvent(other_, event_), ACL_SUCCESS);
  gate_.Open();
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(nullptr, event_), ACL_SUCCESS);
  ASSERT_EQ(aclrtResetEvent(event_, nullptr), ACL_SUCCESS);
}

TEST_F(EventApi, StreamDestroyedByForceReachesItsEvents) {
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(stream, sync_event_), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(event_, stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other_, event_), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStreamForce(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(other_, 10000), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEvent(event_), ACL_SUCCESS);
}

// A wait for an event that nothing has recorded must not keep a process from ending: it fails
// instead. `other_` waits for what comes after that wait in `stream_`.
TEST_F(EventApi, FinalizeGivesUpWaitsForEventsThatNothingRecorded) {
  ASSERT_EQ(aclrtStreamWaitEvent(stream_, sync_event_), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other_, event_), ACL_SUCCESS);
  aclInit(nullptr);  // in case an earlier test has finalized
  ASSERT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_ERROR_RT_INTERNAL_ERROR);
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
  // Afterwards such waits hold up their stream again.
  ASSERT_EQ(aclrtStreamWaitEvent(stream_, sync_event_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream_, 10), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  ASSERT_EQ(aclrtRecordEvent(sync_event_, other_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

TEST_F(EventApi, DestroyingStreamsAndContextsGivesUpOpenWaitsToo) {
  ASSERT_EQ(aclrtStreamWaitEvent(stream_, sync_event_), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(stream_), ACL_SUCCESS);
  aclrtContext before = nullptr;
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&before), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
  aclrtStream first = nullptr;
  aclrtStream second = nullptr;
  ASSERT_EQ(aclrtCreateStream(&first), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&second), ACL_SUCCESS);
  for (const auto& [waiting, after] : {std::pair(first, second), std::pair(second, first)}) {
    ASSERT_EQ(aclrtStreamWaitEvent(waiting, sync_event_), ACL_SUCCESS);
    ASSERT_EQ(aclrtRecordEvent(event_, waiting), ACL_SUCCESS);
    ASSERT_EQ(aclrtStreamWaitEvent(after, event_), ACL_SUCCESS);
  }
  EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetCurrentContext(before), ACL_SUCCESS);
}

// The thread that fills the queue is the one that records the event.
TEST_F(EventApi, QueueBehindAWaitForALaterRecordGrows) {
  constexpr int kTasks = 5000;  // several times what a queue holds
  std::atomic<int> ran{0};
  ASSERT_EQ(aclrtStreamWaitEvent(stream_, sync_event_), ACL_SUCCESS);
  bool in_order = true;
  for (int i = 0; i < kTasks; ++i)
    ASSERT_TRUE(EnqueueWork(stream_, WorkDoing([&, i] { in_order &= ran++ == i; }, kTiny)).ok());
  EXPECT_EQ(ran, 0);
  ASSERT_EQ(aclrtRecordEvent(sync_event_, other_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(ran, kTasks);
  EXPECT_TRUE(in_order);
}

TEST_F(EventApi, UnknownEventComesBeforeTheMissingContext) {
  std::thread([] {
    const aclrtEvent unknown = reinterpret_cast<aclrtEvent>(0x1234);
    EXPECT_EQ(aclrtStreamWaitEvent(nullptr, unknown), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtRecordEvent(unknown, nullptr), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtResetEvent(unknown, nullptr), ACL_ERROR_RT_INVALID_HANDLE);
  }).join();
}

}  // namespace
}  // namespace aclnn_cpu
