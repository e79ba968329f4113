// A forked child has no runtime until it starts one: runtime.md section 6.

#include <gtest/gtest.h>

#include <string>

#include "acl/acl.h"
#include "ascendcl/work_for_test.h"
#include "base/child_for_test.h"

namespace aclnn_cpu {
namespace {

constexpr const char* kText =
    "this process was forked after aclInit; call aclInit and aclrtSetDevice again";

// A child prints "ok" if everything it looked at was right, else what was not.
#define CHILD_EXPECT(condition)                                  \
  do {                                                           \
    if (!(condition)) std::printf("not true: %s; ", #condition); \
  } while (false)

template <typename Body>
void ExpectChildOk(const Body& body) {
  EXPECT_EQ(OutputOfChild({},
                          [&] {
                            body();
                            std::printf("ok");
                          }),
            "ok");
}

bool RecentErrorHas(const char* words) {
  const char* const text = aclGetRecentErrMsg();
  return text != nullptr && std::string(text).find(words) != std::string::npos;
}

class ForkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(device_.code(), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&stream_), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateEvent(&event_), ACL_SUCCESS);
    ASSERT_EQ(aclrtMalloc(&memory_, 4096, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    // The stream has a worker, which the child will not have.
    ASSERT_TRUE(EnqueueWork(stream_, WorkDoing([] {}, kLong)).ok());
  }
  void TearDown() override {
    EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
    EXPECT_EQ(aclrtFree(memory_), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyEvent(event_), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(stream_), ACL_SUCCESS);
  }

  const DeviceForTest device_;
  aclrtStream stream_ = nullptr;
  aclrtEvent event_ = nullptr;
  void* memory_ = nullptr;
};

TEST_F(ForkTest, ChildHasNoContextAndIsToldWhy) {
  EXPECT_FALSE(ForkedWithoutInit());
  ExpectChildOk([&] {
    void* more = nullptr;
    CHILD_EXPECT(ForkedWithoutInit());
    CHILD_EXPECT(aclrtMalloc(&more, 64, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_ERROR_RT_CONTEXT_NULL);
    CHILD_EXPECT(RecentErrorHas(kText));
    CHILD_EXPECT(aclrtSynchronizeStream(nullptr) == ACL_ERROR_RT_CONTEXT_NULL);
    CHILD_EXPECT(RecentErrorHas(kText));
    CHILD_EXPECT(aclrtSynchronizeDevice() == ACL_ERROR_RT_CONTEXT_NULL);
    CHILD_EXPECT(aclrtCreateEvent(&more) == ACL_ERROR_RT_CONTEXT_NULL);
    // Tiny and long work alike, with and without a handle of the parent.
    for (aclrtStream stream : {stream_, aclrtStream{nullptr}}) {
      CHILD_EXPECT(FindStreamForWork(stream).status().code() == ACL_ERROR_RT_CONTEXT_NULL);
      for (double microseconds : {kTiny, kLong}) {
        const Status status = EnqueueWork(stream, WorkDoing([] {}, microseconds));
        CHILD_EXPECT(status.code() == ACL_ERROR_RT_CONTEXT_NULL);
        CHILD_EXPECT(status.message().find(kText) != std::string::npos);
      }
    }
  });
  EXPECT_FALSE(ForkedWithoutInit());
}

TEST_F(ForkTest, HandlesAndMemoryOfTheParentAreUnknownInTheChild) {
  ExpectChildOk([&] {
    CHILD_EXPECT(aclrtSynchronizeStream(stream_) == ACL_ERROR_RT_INVALID_HANDLE);
    CHILD_EXPECT(RecentErrorHas(kText));
    CHILD_EXPECT(aclrtDestroyStream(stream_) == ACL_ERROR_RT_INVALID_HANDLE);
    CHILD_EXPECT(aclrtSynchronizeEvent(event_) == ACL_ERROR_RT_INVALID_HANDLE);
    CHILD_EXPECT(aclrtFree(memory_) == ACL_ERROR_RT_PARAM_INVALID);
    // Also once the child has a runtime, whose handles are others.
    CHILD_EXPECT(aclrtSetDevice(0) == ACL_SUCCESS);
    aclrtStream own = nullptr;
    CHILD_EXPECT(aclrtCreateStream(&own) == ACL_SUCCESS);
    CHILD_EXPECT(own != stream_);
    CHILD_EXPECT(aclrtSynchronizeStream(stream_) == ACL_ERROR_RT_INVALID_HANDLE);
    CHILD_EXPECT(aclrtFree(memory_) == ACL_ERROR_RT_PARAM_INVALID);
  });
}

TEST_F(ForkTest, ChildCanStartItsOwnRuntime) {
  ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
  ExpectChildOk([&] {
    CHILD_EXPECT(aclInit(nullptr) == ACL_SUCCESS);  // no repeat: it is the child's first
    CHILD_EXPECT(!ForkedWithoutInit());
    CHILD_EXPECT(aclrtSynchronizeStream(nullptr) == ACL_ERROR_RT_CONTEXT_NULL);
    CHILD_EXPECT(!RecentErrorHas(kText));
    CHILD_EXPECT(aclrtSetDevice(0) == ACL_SUCCESS);
    aclrtStream stream = nullptr;
    CHILD_EXPECT(aclrtCreateStream(&stream) == ACL_SUCCESS);
    std::atomic<int> ran{0};
    for (int i = 0; i < 10; ++i)
      CHILD_EXPECT(EnqueueWork(stream, WorkDoing([&] { ++ran; }, i % 2 ? kTiny : kLong)).ok());
    CHILD_EXPECT(aclrtSynchronizeStream(stream) == ACL_SUCCESS);
    CHILD_EXPECT(ran == 10);
    CHILD_EXPECT(aclrtDestroyStream(stream) == ACL_SUCCESS);
    CHILD_EXPECT(aclrtResetDevice(0) == ACL_SUCCESS);
    CHILD_EXPECT(aclFinalize() == ACL_SUCCESS);
  });
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
}

TEST_F(ForkTest, SetDeviceAloneStartsTheChildsRuntimeToo) {
  ExpectChildOk([] {
    CHILD_EXPECT(aclrtSetDevice(-1) == ACL_ERROR_RT_INVALID_DEVICEID);
    CHILD_EXPECT(ForkedWithoutInit());
    CHILD_EXPECT(aclrtSetDevice(0) == ACL_SUCCESS);
    CHILD_EXPECT(!ForkedWithoutInit());
    CHILD_EXPECT(EnqueueWork(nullptr, WorkDoing([] {}, kLong)).ok());
    CHILD_EXPECT(aclrtSynchronizeStream(nullptr) == ACL_SUCCESS);
  });
}

TEST_F(ForkTest, FinalizeWithoutAnyInitSucceedsOnce) {
  ExpectChildOk([] {  // a child starts with a runtime on which nothing was called
    CHILD_EXPECT(aclFinalizeReference(nullptr) == ACL_ERROR_REPEAT_FINALIZE);
    CHILD_EXPECT(aclFinalize() == ACL_SUCCESS);
    CHILD_EXPECT(aclFinalize() == ACL_ERROR_REPEAT_FINALIZE);
    CHILD_EXPECT(aclInit(nullptr) == ACL_SUCCESS);
    CHILD_EXPECT(aclFinalize() == ACL_SUCCESS);
  });
}

TEST_F(ForkTest, GrandchildStartsFromNothingAgain) {
  ExpectChildOk([] {
    CHILD_EXPECT(aclrtSetDevice(0) == ACL_SUCCESS);
    const std::string grandchild = OutputOfChild(
        {}, [] { std::printf("%d %d", ForkedWithoutInit(), aclrtSynchronizeStream(nullptr)); });
    CHILD_EXPECT(grandchild == "1 107002");
  });
}

}  // namespace
}  // namespace aclnn_cpu
