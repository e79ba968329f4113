// Contexts: contract.md 5.3, row "contexts".

#include <gtest/gtest.h>

#include <thread>

#include "acl/acl.h"
#include "ascendcl/work_for_test.h"

namespace aclnn_cpu {
namespace {

TEST(Context, CreateMakesItCurrentInTheCallingThreadOnly) {
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
  aclrtContext current = nullptr;
  EXPECT_EQ(aclrtGetCurrentContext(&current), ACL_SUCCESS);
  EXPECT_EQ(current, context);
  std::thread([] {
    aclrtContext other = nullptr;
    EXPECT_EQ(aclrtGetCurrentContext(&other), ACL_ERROR_RT_CONTEXT_NULL);
  }).join();
  EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
}

TEST(Context, CreateChecksItsArguments) {
  EXPECT_EQ(aclrtCreateContext(nullptr, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtCreateContext(nullptr, 99), ACL_ERROR_INVALID_PARAM);  // null comes first
  aclrtContext context = nullptr;
  EXPECT_EQ(aclrtCreateContext(&context, -1), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtCreateContext(&context, 1), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(context, nullptr);
}

TEST(Context, DestroyRefusesNullForeignPrimaryAndDestroyedContexts) {
  EXPECT_EQ(aclrtDestroyContext(nullptr), ACL_ERROR_INVALID_PARAM);
  int foreign = 0;
  EXPECT_EQ(aclrtDestroyContext(&foreign), ACL_ERROR_RT_CONTEXT_NULL);
  {
    const DeviceForTest device;
    aclrtContext primary = nullptr;
    ASSERT_EQ(aclrtGetCurrentContext(&primary), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyContext(primary), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtGetCurrentContext(&primary), ACL_SUCCESS);  // it is still there
  }
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyContext(context), ACL_ERROR_RT_CONTEXT_NULL);
}

TEST(Context, DestroyedContextIsNoLongerCurrent) {
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
  aclrtContext current = nullptr;
  EXPECT_EQ(aclrtGetCurrentContext(&current), ACL_ERROR_RT_CONTEXT_NULL);
  void* memory = nullptr;
  EXPECT_EQ(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
}

TEST(Context, DestroyFinishesQueuedWorkAndEndsTheStreams) {
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  std::atomic<int> ran{0};
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(EnqueueWork(stream, WorkDoing([&] { ++ran; }, kSmall)).ok());
    ASSERT_TRUE(EnqueueWork(nullptr, WorkDoing([&] { ++ran; }, kSmall)).ok());
  }
  EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
  EXPECT_EQ(ran, 40);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
}

TEST(Context, SetCurrentSwitchesBetweenContexts) {
  aclrtContext first = nullptr;
  aclrtContext second = nullptr;
  ASSERT_EQ(aclrtCreateContext(&first, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateContext(&second, 0), ACL_SUCCESS);
  EXPECT_NE(first, second);
  aclrtContext current = nullptr;
  EXPECT_EQ(aclrtSetCurrentContext(first), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetCurrentContext(&current), ACL_SUCCESS);
  EXPECT_EQ(current, first);
  std::thread([&] {
    EXPECT_EQ(aclrtSetCurrentContext(second), ACL_SUCCESS);
    EXPECT_EQ(aclrtGetCurrentContext(&current), ACL_SUCCESS);
    EXPECT_EQ(current, second);
  }).join();
  EXPECT_EQ(aclrtGetCurrentContext(&current), ACL_SUCCESS);
  EXPECT_EQ(current, first);
  EXPECT_EQ(aclrtDestroyContext(first), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyContext(second), ACL_SUCCESS);
}

TEST(Context, SetCurrentRefusesNullAndUnknown) {
  EXPECT_EQ(aclrtSetCurrentContext(nullptr), ACL_ERROR_INVALID_PARAM);
  int foreign = 0;
  EXPECT_EQ(aclrtSetCurrentContext(&foreign), ACL_ERROR_RT_PARAM_INVALID);
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetCurrentContext(context), ACL_ERROR_RT_PARAM_INVALID);
}

TEST(Context, GetCurrentNeedsAPointerAndAContext) {
  EXPECT_EQ(aclrtGetCurrentContext(nullptr), ACL_ERROR_INVALID_PARAM);
  aclrtContext context = nullptr;
  EXPECT_EQ(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL);
}

TEST(Context, StreamHandleOfAContextIsNoContext) {
  const DeviceForTest device;
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetCurrentContext(stream), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
}

}  // namespace
}  // namespace aclnn_cpu
