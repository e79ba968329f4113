// aclInit and its counterparts: contract.md 5.3, rows "aclInit" to "aclFinalizeReference" and
// "aclFinalize and resources".

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "acl/acl.h"
#include "ascendcl/work_for_test.h"

namespace aclnn_cpu {
namespace {

namespace fs = std::filesystem;

// Each test starts and ends with a finalized runtime.
class InitTest : public ::testing::Test {
 protected:
  void SetUp() override { aclFinalize(); }
  void TearDown() override { aclFinalize(); }
};

TEST_F(InitTest, TakesNoConfigurationAndEmptyOnes) {
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_EQ(aclInit(""), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
}

TEST_F(InitTest, TakesAReadableFile) {
  const fs::path path = fs::temp_directory_path() / ("aclnn_cpu_init_" + std::to_string(getpid()));
  std::ofstream(path) << "{}";
  EXPECT_EQ(aclInit(path.c_str()), ACL_SUCCESS);
  fs::remove(path);
}

TEST_F(InitTest, RefusesAPathThatCannotBeOpened) {
  EXPECT_EQ(aclInit("/no/such/folder/acl.json"), ACL_ERROR_INVALID_FILE);
  EXPECT_EQ(aclInit(fs::temp_directory_path().c_str()), ACL_ERROR_INVALID_FILE);
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);  // the failed calls did not count
}

TEST_F(InitTest, SecondInitIsAHarmlessRepeat) {
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE);
  EXPECT_EQ(aclInit("/no/such/file"), ACL_ERROR_REPEAT_INITIALIZE);  // looked at first
  uint64_t left = 99;
  EXPECT_EQ(aclFinalizeReference(&left), ACL_SUCCESS);
  EXPECT_EQ(left, 2u);  // both repeats counted
}

TEST_F(InitTest, FinalizeTakesBackAllInits) {
  aclInit(nullptr);
  aclInit(nullptr);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_EQ(aclFinalizeReference(nullptr), ACL_ERROR_REPEAT_FINALIZE);
  EXPECT_EQ(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
  EXPECT_EQ(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
}

TEST_F(InitTest, InitAfterFinalizeStartsAgain) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
    EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  }
}

TEST_F(InitTest, ReferencesAreTakenBackOneByOne) {
  for (int i = 0; i < 3; ++i) aclInit(nullptr);
  uint64_t left = 99;
  EXPECT_EQ(aclFinalizeReference(&left), ACL_SUCCESS);
  EXPECT_EQ(left, 2u);
  EXPECT_EQ(aclFinalizeReference(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclFinalizeReference(&left), ACL_SUCCESS);
  EXPECT_EQ(left, 0u);
  left = 99;
  EXPECT_EQ(aclFinalizeReference(&left), ACL_ERROR_REPEAT_FINALIZE);
  EXPECT_EQ(left, 0u);
  EXPECT_EQ(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);  // the last one was a real finalize
}

size_t ThreadsOfThisProcess() {
  const fs::directory_iterator threads("/proc/self/task");
  return static_cast<size_t>(std::distance(begin(threads), end(threads)));
}

TEST_F(InitTest, FinalizeFinishesWorkAndEndsTheThreads) {
  const size_t threads_before = ThreadsOfThisProcess();
  const DeviceForTest device;
  aclInit(nullptr);
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  std::atomic<int> ran{0};
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(EnqueueWork(stream, WorkDoing([&] { ++ran; }, kLong)).ok());
    ASSERT_TRUE(EnqueueWork(nullptr, WorkDoing([&] { ++ran; }, kLong)).ok());
  }
  EXPECT_GT(ThreadsOfThisProcess(), threads_before);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_EQ(ran, 60);
  EXPECT_TRUE(Eventually([&] { return ThreadsOfThisProcess() == threads_before; }));
}

TEST_F(InitTest, ResourcesStayUsableAfterFinalize) {
  const DeviceForTest device;
  aclInit(nullptr);
  aclrtStream stream = nullptr;
  void* memory = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  std::atomic<bool> ran{false};
  EXPECT_TRUE(EnqueueWork(stream, WorkDoing([&] { ran = true; }, kLong)).ok());
  EXPECT_TRUE(Eventually([&] { return ran.load(); }));  // a worker was started again
  EXPECT_EQ(aclrtMemset(memory, 64, 1, 64), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
}

TEST_F(InitTest, MostCallsWorkWithoutInit) {
  const DeviceForTest device;
  EXPECT_EQ(device.code(), ACL_SUCCESS);
  void* memory = nullptr;
  EXPECT_EQ(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
}

}  // namespace
}  // namespace aclnn_cpu
