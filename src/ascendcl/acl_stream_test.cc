// Streams: contract.md 5.3, rows "streams and contexts", "aclrtCreateStream" to "aclrtStreamQuery",
// and the queueing of work.

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "acl/acl.h"
#include "ascendcl/work_for_test.h"

namespace aclnn_cpu {
namespace {

// A handle that was one.
aclrtStream DestroyedStream() {
  aclrtStream stream = nullptr;
  EXPECT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  return stream;
}

// Two contexts with a stream each; the second is current.
struct TwoContexts {
  TwoContexts() {
    EXPECT_EQ(aclrtCreateContext(&first, 0), ACL_SUCCESS);
    EXPECT_EQ(aclrtCreateStream(&stream_of_first), ACL_SUCCESS);
    EXPECT_EQ(aclrtCreateContext(&second, 0), ACL_SUCCESS);
  }
  ~TwoContexts() {
    aclrtDestroyContext(first);
    aclrtDestroyContext(second);
  }
  aclrtContext first = nullptr;
  aclrtContext second = nullptr;
  aclrtStream stream_of_first = nullptr;
};

TEST(StreamApi, CreateNeedsAPointerAndAContext) {
  EXPECT_EQ(aclrtCreateStream(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtCreateStreamWithConfig(nullptr, 0, 0), ACL_ERROR_INVALID_PARAM);
  aclrtStream stream = nullptr;
  EXPECT_EQ(aclrtCreateStream(&stream), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(aclrtCreateStreamWithConfig(&stream, 0, 0), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(stream, nullptr);
}

TEST(StreamApi, ConfigurationHasNoEffect) {
  const DeviceForTest device;
  for (uint32_t flag : {0u, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC, ~0u}) {
    aclrtStream stream = nullptr;
    EXPECT_EQ(aclrtCreateStreamWithConfig(&stream, 7, flag), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  }
}

TEST(StreamApi, DestroyedAndForeignHandlesAreUnknownEverywhere) {
  const DeviceForTest device;
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  int foreign = 0;
  for (aclrtStream stream : {DestroyedStream(), aclrtStream{&foreign}, aclrtStream{event}}) {
    aclrtStreamStatus status;
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 1), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtStreamQuery(stream, &status), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtStreamWaitEvent(stream, event), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtRecordEvent(event, stream), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtResetEvent(event, stream), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtDestroyStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtDestroyStreamForce(stream), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(FindStreamForWork(stream).status().code(), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(
        EnqueueWork(stream, WorkDoing([] { ADD_FAILURE() << "work of an unknown stream"; }, kTiny))
            .code(),
        ACL_ERROR_RT_INVALID_HANDLE);
  }
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
}

TEST(StreamApi, UnknownHandleIsFoundOutBeforeAMissingContext) {
  aclrtStream stream = nullptr;
  {
    const DeviceForTest device;
    stream = DestroyedStream();
  }
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
}

TEST(StreamApi, DestroyRefusesNullForeignContextAndNoContext) {
  TwoContexts contexts;
  EXPECT_EQ(aclrtDestroyStream(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtDestroyStreamForce(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtDestroyStream(contexts.stream_of_first), ACL_ERROR_RT_STREAM_CONTEXT);
  EXPECT_EQ(aclrtDestroyStreamForce(contexts.stream_of_first), ACL_ERROR_RT_STREAM_CONTEXT);
  std::thread([&] {
    EXPECT_EQ(aclrtDestroyStream(contexts.stream_of_first), ACL_ERROR_RT_CONTEXT_NULL);
  }).join();
  ASSERT_EQ(aclrtSetCurrentContext(contexts.first), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(contexts.stream_of_first), ACL_SUCCESS);
}

TEST(StreamApi, DestroyFinishesQueuedWork) {
  const DeviceForTest device;
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  std::atomic<int> ran{0};
  for (int i = 0; i < 50; ++i)
    ASSERT_TRUE(EnqueueWork(stream, WorkDoing([&] { ++ran; }, kSmall)).ok());
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(ran, 50);
}

TEST(StreamApi, ForcedDestroyDropsQueuedWork) {
  const DeviceForTest device;
  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC), ACL_SUCCESS);
  std::atomic<int> ran{0};
  ASSERT_EQ(aclrtStreamWaitEvent(stream, event), ACL_SUCCESS);  // nobody will record it
  for (int i = 0; i < 50; ++i)
    ASSERT_TRUE(EnqueueWork(stream, WorkDoing([&] { ++ran; }, kTiny)).ok());
  EXPECT_EQ(aclrtDestroyStreamForce(stream), ACL_SUCCESS);
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
}

TEST(StreamApi, SynchronizeWorksAcrossContextsAndWithoutOne) {
  TwoContexts contexts;
  std::atomic<bool> ran{false};
  ASSERT_TRUE(EnqueueWork(contexts.stream_of_first, WorkDoing([&] { ran = true; }, kSmall)).ok());
  EXPECT_EQ(aclrtSynchronizeStream(contexts.stream_of_first), ACL_SUCCESS);
  EXPECT_TRUE(ran);
  std::thread([&] {
    EXPECT_EQ(aclrtSynchronizeStream(contexts.stream_of_first), ACL_SUCCESS);
    aclrtStreamStatus status;
    EXPECT_EQ(aclrtStreamQuery(contexts.stream_of_first, &status), ACL_SUCCESS);
  }).join();
}

TEST(StreamApi, NullIsTheDefaultStreamOfTheCurrentContext) {
  aclrtStreamStatus status;
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(nullptr, 1), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(aclrtStreamQuery(nullptr, &status), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(FindStreamForWork(nullptr).status().code(), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(EnqueueWork(nullptr, WorkDoing([] {}, kTiny)).code(), ACL_ERROR_RT_CONTEXT_NULL);

  TwoContexts contexts;
  Gate gate;
  ASSERT_TRUE(EnqueueWork(nullptr, gate.NewWork()).ok());
  EXPECT_EQ(aclrtStreamQuery(nullptr, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_STREAM_STATUS_NOT_READY);
  ASSERT_EQ(aclrtSetCurrentContext(contexts.first), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamQuery(nullptr, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_STREAM_STATUS_COMPLETE);  // another default stream
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  gate.Open();
  ASSERT_EQ(aclrtSetCurrentContext(contexts.second), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_EQ(gate.passed(), 1);
}

TEST(StreamApi, SynchronizeReturnsTheFirstFailureOnce) {
  const DeviceForTest device;
  ASSERT_TRUE(EnqueueWork(nullptr, WorkOf([] { return Status(561000, "why"); }, kTiny)).ok());
  ASSERT_TRUE(EnqueueWork(nullptr, WorkOf([] { return Status(561001, "b"); }, kSmall)).ok());
  aclGetRecentErrMsg();
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), 561000);
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("why"), std::string::npos);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  ASSERT_TRUE(EnqueueWork(nullptr, WorkOf([] { return Status(561002, "c"); }, kSmall)).ok());
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(nullptr, 10000), 561002);
}

TEST(StreamApi, TimeoutMustBePositiveOrMinusOne) {
  const DeviceForTest device;
  for (int32_t timeout : {0, -2, INT32_MIN})
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(nullptr, timeout), ACL_ERROR_RT_PARAM_INVALID);
  for (int32_t timeout : {-1, 1, INT32_MAX})
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(nullptr, timeout), ACL_SUCCESS);
}

TEST(StreamApi, TimeoutExpiresAndTheWorkGoesOn) {
  const DeviceForTest device;
  Gate gate;
  ASSERT_TRUE(EnqueueWork(nullptr, gate.NewWork()).ok());
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(nullptr, 30), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(30));
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(nullptr, -1), ACL_SUCCESS);
  EXPECT_EQ(gate.passed(), 1);
}

TEST(StreamApi, QueryTellsWhetherWorkIsLeftAndRunsNone) {
  const DeviceForTest device;
  aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
  EXPECT_EQ(aclrtStreamQuery(nullptr, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtStreamQuery(nullptr, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_STREAM_STATUS_COMPLETE);
  std::thread::id runner;
  ASSERT_TRUE(
      EnqueueWork(nullptr, WorkDoing([&] { runner = std::this_thread::get_id(); }, kLong)).ok());
  EXPECT_TRUE(Eventually([&] {
    EXPECT_EQ(aclrtStreamQuery(nullptr, &status), ACL_SUCCESS);
    return status == ACL_STREAM_STATUS_COMPLETE;
  }));
  EXPECT_NE(runner, std::this_thread::get_id());
}

TEST(StreamApi, WorkRunsInOrderOnOneStreamAndSideBySideOnTwo) {
  const DeviceForTest device;
  aclrtStream first = nullptr;
  aclrtStream second = nullptr;
  ASSERT_EQ(aclrtCreateStream(&first), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&second), ACL_SUCCESS);
  Gate gate;
  std::atomic<bool> behind_gate{false};
  std::atomic<bool> beside_gate{false};
  ASSERT_TRUE(EnqueueWork(first, gate.NewWork()).ok());
  ASSERT_TRUE(EnqueueWork(first, WorkDoing([&] { behind_gate = true; }, kTiny)).ok());
  ASSERT_TRUE(EnqueueWork(second, WorkDoing([&] { beside_gate = true; }, kLong)).ok());
  EXPECT_TRUE(Eventually([&] { return beside_gate.load(); }));
  EXPECT_FALSE(behind_gate);
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeStream(first), ACL_SUCCESS);
  EXPECT_TRUE(behind_gate);
  EXPECT_EQ(aclrtDestroyStream(first), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(second), ACL_SUCCESS);
}

}  // namespace
}  // namespace aclnn_cpu
