#include "base/light_mutex.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <cerrno>
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

// A signal ends the system call of a thread that waits.
TEST(FutexMutex, AWaitThatIsInterruptedLeavesErrnoAlone) {
  struct sigaction action = {};
  struct sigaction old;
  action.sa_handler = [](int) {};
  ASSERT_EQ(sigaction(SIGUSR1, &action, &old), 0);
  FutexMutex mutex;
  int error = 0;
  {
    std::thread thread;
    {
      const std::lock_guard lock(mutex);
      thread = std::thread([&] {
        errno = EDOM;
        const std::lock_guard inner(mutex);
        error = errno;
      });
      for (int i = 0; i < 20; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ASSERT_EQ(pthread_kill(thread.native_handle(), SIGUSR1), 0);
      }
    }
    thread.join();
  }
  EXPECT_EQ(error, EDOM);
  ASSERT_EQ(sigaction(SIGUSR1, &old, nullptr), 0);
}

}  // namespace
}  // namespace aclnn_cpu
