#include "base/threads.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "base/futex.h"

namespace aclnn_cpu {
namespace {

TEST(StartThread, BlocksSignalsExceptThoseOfFaults) {
  struct Seen {
    bool interrupt, child, fault, bus, trap;
  } seen{};
  pthread_t thread;
  ASSERT_TRUE(StartThread(
      &thread,
      [](void* argument) -> void* {
        sigset_t blocked;
        pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
        *static_cast<Seen*>(argument) = {
            sigismember(&blocked, SIGINT) == 1, sigismember(&blocked, SIGCHLD) == 1,
            sigismember(&blocked, SIGSEGV) == 1, sigismember(&blocked, SIGBUS) == 1,
            sigismember(&blocked, SIGTRAP) == 1};
        return nullptr;
      },
      &seen));
  pthread_join(thread, nullptr);
  EXPECT_TRUE(seen.interrupt);
  EXPECT_TRUE(seen.child);
  EXPECT_FALSE(seen.fault);
  EXPECT_FALSE(seen.bus);
  EXPECT_FALSE(seen.trap);
}

TEST(StartThread, LeavesTheCallersSignalsAlone) {
  sigset_t before{};  // the kernel fills in a part only
  sigset_t after{};
  pthread_sigmask(SIG_BLOCK, nullptr, &before);
  pthread_t thread;
  ASSERT_TRUE(StartThread(
      &thread, [](void*) -> void* { return nullptr; }, nullptr));
  pthread_join(thread, nullptr);
  pthread_sigmask(SIG_BLOCK, nullptr, &after);
  EXPECT_EQ(std::memcmp(&before, &after, sizeof(before)), 0);
}

// A thread that sleeps until told to restore its mask, and what it found then.
struct Sleeper {
  pthread_t thread{};
  std::atomic<pid_t> tid{0};
  std::atomic<uint32_t> awake{0};
  Placement placement;
  CpuMask restored{};

  static void* Main(void* argument) {
    auto* self = static_cast<Sleeper*>(argument);
    self->tid = gettid();
    while (self->awake.load() == 0) FutexWait(self->awake, 0);
    self->placement.Restore();
    sched_getaffinity(0, sizeof(self->restored), self->restored.data());
    return nullptr;
  }
};

TEST(Placement, KeepsTheSleeperOffTheWakersCpuUntilItRestores) {
  CpuMask all{};
  ASSERT_EQ(sched_getaffinity(0, sizeof(all), all.data()), 0);
  Sleeper sleeper;
  ASSERT_TRUE(StartThread(&sleeper.thread, Sleeper::Main, &sleeper));
  while (sleeper.tid.load() == 0) sched_yield();
  sleeper.placement.KeepOffThisCpu(sleeper.tid);
  CpuMask while_asleep{};
  ASSERT_EQ(sched_getaffinity(sleeper.tid, sizeof(while_asleep), while_asleep.data()), 0);
  sleeper.awake = 1;
  FutexWakeOne(sleeper.awake);
  pthread_join(sleeper.thread, nullptr);
  // Where there is a single CPU it cannot be avoided.
  const int cpus = CPU_COUNT_S(sizeof(all), all.data());
  EXPECT_EQ(CPU_COUNT_S(sizeof(while_asleep), while_asleep.data()), cpus > 1 ? cpus - 1 : 1);
  EXPECT_TRUE(CPU_EQUAL_S(sizeof(all), sleeper.restored.data(), all.data()));
}

}  // namespace
}  // namespace aclnn_cpu
