#include "base/futex.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <thread>

namespace aclnn_cpu {
namespace {

TEST(Futex, WaitReturnsAtOnceIfTheWordDiffers) {
  std::atomic<uint32_t> word{1};
  const int64_t start = MonotonicNs();
  FutexWait(word, 0, 5'000'000'000);
  EXPECT_LT(MonotonicNs() - start, 2'000'000'000);
}

TEST(Futex, WaitEndsAfterTheTimeout) {
  std::atomic<uint32_t> word{0};
  const int64_t start = MonotonicNs();
  while (MonotonicNs() - start < 20'000'000) FutexWait(word, 0, 20'000'000);
  EXPECT_EQ(word.load(), 0u);
}

TEST(Futex, WaitsThatFailLeaveErrnoAlone) {
  std::atomic<uint32_t> word{1};
  errno = EDOM;
  FutexWait(word, 0);  // EAGAIN
  EXPECT_EQ(errno, EDOM);
  FutexWait(word, 1, 1'000'000);  // ETIMEDOUT
  EXPECT_EQ(errno, EDOM);
}

TEST(Futex, AWakeEndsTheWait) {
  std::atomic<uint32_t> word{0};
  std::atomic<int> woken{0};
  auto sleep = [&] {
    while (word.load() == 0) FutexWait(word, 0);
    ++woken;
  };
  std::thread first(sleep);
  std::thread second(sleep);
  word.store(1);
  FutexWakeOne(word);
  FutexWakeAll(word);
  first.join();
  second.join();
  EXPECT_EQ(woken.load(), 2);
}

TEST(SpinUntil, TellsWhetherTheConditionCameTrue) {
  int looks = 0;
  EXPECT_TRUE(SpinUntil([&] { return ++looks == 100; }, 10'000'000'000));
  EXPECT_EQ(looks, 100);
  const int64_t start = MonotonicNs();
  EXPECT_FALSE(SpinUntil([] { return false; }, 1'000'000));
  EXPECT_GE(MonotonicNs() - start, 1'000'000);
}

}  // namespace
}  // namespace aclnn_cpu
