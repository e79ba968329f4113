// Devices: contract.md 5.3, rows "device reference count", "aclrtSetDevice" to "aclrtGetRunMode",
// "aclrtGetSocName".

#include <gtest/gtest.h>

#include <thread>

#include "acl/acl.h"
#include "ascendcl/runtime.h"
#include "ascendcl/soc_table.h"
#include "ascendcl/work_for_test.h"

namespace aclnn_cpu {
namespace {

TEST(Device, SetMakesThePrimaryContextCurrent) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtContext first = nullptr;
  EXPECT_EQ(aclrtGetCurrentContext(&first), ACL_SUCCESS);
  std::thread([&] {
    int32_t id = -1;
    EXPECT_EQ(aclrtGetDevice(&id), ACL_ERROR_RT_CONTEXT_NULL);
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    aclrtContext same = nullptr;
    EXPECT_EQ(aclrtGetCurrentContext(&same), ACL_SUCCESS);
    EXPECT_EQ(same, first);
    EXPECT_EQ(aclrtGetDevice(&id), ACL_SUCCESS);
    EXPECT_EQ(id, 0);
  }).join();
  EXPECT_EQ(aclrtResetDeviceForce(0), ACL_SUCCESS);
}

TEST(Device, NumberOutsideTheRangeIsRefusedEverywhere) {
  for (int32_t id : {-1, 1, 1000, INT32_MAX, INT32_MIN}) {
    EXPECT_EQ(aclrtSetDevice(id), ACL_ERROR_RT_INVALID_DEVICEID) << id;
    EXPECT_EQ(aclrtResetDevice(id), ACL_ERROR_RT_INVALID_DEVICEID) << id;
    EXPECT_EQ(aclrtResetDeviceForce(id), ACL_ERROR_RT_INVALID_DEVICEID) << id;
  }
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("deviceId is -1, must be in 0..0"),
            std::string::npos);
}

TEST(Device, EverySetMustBeTakenBackOnce) {
  EXPECT_EQ(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  int32_t id = -1;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(aclrtGetDevice(&id), ACL_SUCCESS);
  }
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetDevice(&id), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
  EXPECT_EQ(aclrtResetDeviceForce(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
}

TEST(Device, ForcedResetReleasesAtOnce) {
  for (int i = 0; i < 3; ++i) ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDeviceForce(0), ACL_SUCCESS);
  int32_t id = -1;
  EXPECT_EQ(aclrtGetDevice(&id), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
}

TEST(Device, ReleaseFinishesWorkEndsStreamsAndKeepsMemory) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtStream stream = nullptr;
  void* memory = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtMalloc(&memory, 1000, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  std::atomic<int> ran{0};
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(EnqueueWork(stream, WorkDoing([&] { ++ran; }, kSmall)).ok());
    ASSERT_TRUE(EnqueueWork(nullptr, WorkDoing([&] { ++ran; }, kSmall)).ok());
  }
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(ran, 40);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
}

TEST(Device, SetAfterReleaseStartsANewContext) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtContext before = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&before), ACL_SUCCESS);
  ASSERT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  const DeviceForTest device;
  aclrtContext after = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&after), ACL_SUCCESS);
  EXPECT_NE(after, before);
  EXPECT_EQ(aclrtSetCurrentContext(before), ACL_ERROR_RT_PARAM_INVALID);
}

TEST(Device, ResetLeavesOtherContextsOfTheDeviceAlone) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtContext own = nullptr;
  ASSERT_EQ(aclrtCreateContext(&own, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  int32_t id = -1;
  EXPECT_EQ(aclrtGetDevice(&id), ACL_SUCCESS);
  EXPECT_EQ(id, 0);
  EXPECT_EQ(aclrtDestroyContext(own), ACL_SUCCESS);
}

TEST(Device, QuestionsNeedAPointer) {
  EXPECT_EQ(aclrtGetDevice(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetDeviceCount(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetRunMode(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetErrorVerbose(0, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetErrorVerbose(-1, nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST(Device, QuestionsAreAnswered) {
  uint32_t count = 0;
  EXPECT_EQ(aclrtGetDeviceCount(&count), ACL_SUCCESS);
  EXPECT_EQ(count, 1u);
  aclrtRunMode mode = ACL_DEVICE;
  EXPECT_EQ(aclrtGetRunMode(&mode), ACL_SUCCESS);
  EXPECT_EQ(mode, ACL_HOST);
}

TEST(Device, ReportsNoHardwareError) {
  aclrtErrorInfo info;
  std::memset(&info, 0xff, sizeof(info));
  EXPECT_EQ(aclrtGetErrorVerbose(0, &info), ACL_SUCCESS);
  EXPECT_EQ(info.errorType, ACL_RT_NO_ERROR);
  EXPECT_EQ(info.tryRepair, 0);
  EXPECT_EQ(info.hasDetail, 0);
  EXPECT_EQ(info.detail.uceInfo.arraySize, 0u);
  EXPECT_EQ(aclrtGetErrorVerbose(1, &info), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtGetErrorVerbose(-1, &info), ACL_ERROR_RT_INVALID_DEVICEID);
}

TEST(Device, SynchronizeWaitsForAllStreamsOfTheDevice) {
  const DeviceForTest device;
  aclrtContext other = nullptr;
  aclrtContext primary = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&primary), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateContext(&other, 0), ACL_SUCCESS);
  std::atomic<int> ran{0};
  for (aclrtContext context : {primary, other}) {
    ASSERT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
    aclrtStream stream = nullptr;
    ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    for (aclrtStream target : {stream, aclrtStream{nullptr}})
      ASSERT_TRUE(EnqueueWork(target, WorkDoing([&] { ++ran; }, kSmall)).ok());
  }
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  EXPECT_EQ(ran, 4);
  EXPECT_EQ(aclrtDestroyContext(other), ACL_SUCCESS);
}

TEST(Device, SynchronizeReportsFailedWorkOnce) {
  const DeviceForTest device;
  ASSERT_TRUE(EnqueueWork(nullptr, WorkOf([] { return Status(561000, "bad"); }, kSmall)).ok());
  EXPECT_EQ(aclrtSynchronizeDevice(), 561000);
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
}

TEST(Device, SynchronizeNeedsAContext) {
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(10), ACL_ERROR_RT_CONTEXT_NULL);
}

TEST(Device, SynchronizeWithTimeoutExpires) {
  const DeviceForTest device;
  Gate gate;
  ASSERT_TRUE(EnqueueWork(nullptr, gate.NewWork()).ok());
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(-2), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(5), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(-1), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(10000), ACL_SUCCESS);
}

TEST(Device, SocNameWorksBeforeInit) { EXPECT_STREQ(aclrtGetSocName(), "Ascend910B1"); }

TEST(Device, SocNameIsTheLongName) {
  ForceSocForTest("Ascend310P3");
  EXPECT_STREQ(aclrtGetSocName(), "Ascend310P3");
  ForceSocForTest(nullptr);
  EXPECT_STREQ(aclrtGetSocName(), "Ascend910B1");
}

// ASCEND_RT_VISIBLE_DEVICES: an ascending list, read up to the first bad entry.
TEST(VisibleDevices, CountsTheListedOnes) {
  EXPECT_EQ(CountVisibleDevices(nullptr, 3), 3);
  EXPECT_EQ(CountVisibleDevices("0", 3), 1);
  EXPECT_EQ(CountVisibleDevices("0,1,2", 3), 3);
  EXPECT_EQ(CountVisibleDevices("0,2", 3), 2);
  EXPECT_EQ(CountVisibleDevices("2", 3), 1);
}

TEST(VisibleDevices, StopsAtTheFirstBadEntry) {
  EXPECT_EQ(CountVisibleDevices("", 3), 0);
  EXPECT_EQ(CountVisibleDevices("0,x,2", 3), 1);
  EXPECT_EQ(CountVisibleDevices("0,2,1", 3), 2);    // not ascending
  EXPECT_EQ(CountVisibleDevices("0,0,1", 3), 1);    // twice
  EXPECT_EQ(CountVisibleDevices("0,1,3,2", 3), 2);  // no such device
  EXPECT_EQ(CountVisibleDevices("-1,0", 3), 0);
  EXPECT_EQ(CountVisibleDevices("0 ,1", 3), 0);
  EXPECT_EQ(CountVisibleDevices("1a", 3), 0);
  EXPECT_EQ(CountVisibleDevices("0,", 3), 1);
  EXPECT_EQ(CountVisibleDevices(",0", 3), 0);
  EXPECT_EQ(CountVisibleDevices("99999999999999999999", 3), 0);
}

}  // namespace
}  // namespace aclnn_cpu
