#ifndef ACLNN_CPU_TESTS_STRESS_DEVICE_TEST_H_
#define ACLNN_CPU_TESTS_STRESS_DEVICE_TEST_H_

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "acl/acl.h"

namespace aclnn_cpu::test {

inline constexpr int kDevices = 3;

// A test between aclInit and aclFinalize, device 0 current.
class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    // Takes effect in the first test of a process: the library reads its environment once.
    setenv("ACLNN_CPU_DEVICES", "3", 1);
    ASSERT_EQ(aclInit(nullptr), 0);
    ASSERT_EQ(aclrtSetDevice(0), 0);
  }
  void TearDown() override {
    EXPECT_EQ(aclrtResetDevice(0), 0);
    EXPECT_EQ(aclFinalize(), 0);
  }
};

// Calls body(index) on `count` new threads, which start at the same time, and waits for them.
template <typename Body>
void OnThreads(int count, Body body) {
  std::atomic<int> missing{count};
  std::vector<std::thread> threads;
  for (int index = 0; index < count; ++index) {
    threads.emplace_back([&missing, &body, index] {
      missing.fetch_sub(1);
      while (missing.load() > 0) std::this_thread::yield();
      body(index);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

class Stream {
 public:
  Stream() { EXPECT_EQ(aclrtCreateStream(&stream_), 0); }
  ~Stream() { EXPECT_EQ(aclrtDestroyStream(stream_), 0); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  aclrtStream get() const { return stream_; }

 private:
  aclrtStream stream_ = nullptr;
};

class Event {
 public:
  Event() { EXPECT_EQ(aclrtCreateEventWithFlag(&event_, ACL_EVENT_SYNC), 0); }
  ~Event() { EXPECT_EQ(aclrtDestroyEvent(event_), 0); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  aclrtEvent get() const { return event_; }

 private:
  aclrtEvent event_ = nullptr;
};

// Holds back whatever is enqueued on `stream` behind it until Open(): the stream waits for an event
// that is recorded then.
class Gate {
 public:
  explicit Gate(aclrtStream stream) : stream_(stream) {
    EXPECT_EQ(aclrtStreamWaitEvent(stream, event_.get()), 0);
  }

  void Open() {
    aclrtStreamStatus status = ACL_STREAM_STATUS_COMPLETE;
    EXPECT_EQ(aclrtStreamQuery(stream_, &status), 0);
    EXPECT_EQ(status, ACL_STREAM_STATUS_NOT_READY) << "nothing was held back";
    EXPECT_EQ(aclrtRecordEvent(event_.get(), opener_.get()), 0);
  }

 private:
  aclrtStream stream_;
  Event event_;
  Stream opener_;
};

}  // namespace aclnn_cpu::test

#endif  // ACLNN_CPU_TESTS_STRESS_DEVICE_TEST_H_
