#include "base/light_mutex.h"

#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

namespace aclnn_cpu {
namespace {

TEST(FutexMutex, OneThreadAtATime) {
  FutexMutex mutex;
  int64_t count = 0;  // a plain number: lost additions show
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20'000; ++k) {
        const std::lock_guard lock(mutex);
        ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 80'000);
}

TEST(FutexMutex, SleepersGetItOneAfterTheOther) {
  FutexMutex mutex;
  int passed = 0;
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex);
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        const std::lock_guard inner(mutex);
        ++passed;
      });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // most of them sleep by now
    EXPECT_EQ(passed, 0);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(passed, 3);
}

}  // namespace
}  // namespace aclnn_cpu
