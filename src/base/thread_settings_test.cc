// What the environment says about threads. Read once per process, so each test asks in a child and
// the parent never does.

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "base/child_for_test.h"
#include "base/cpu_count.h"
#include "base/parallel.h"
#include "base/threads.h"

namespace aclnn_cpu {
namespace {

void PrintThreadCount() { std::printf("%d", ThreadCount()); }

TEST(ThreadCount, IsThatOfTheEnvironment) {
  EXPECT_EQ(OutputOfChild({{"ACLNN_CPU_NUM_THREADS", "5"}}, PrintThreadCount), "5");
  EXPECT_EQ(OutputOfChild({{"ACLNN_CPU_NUM_THREADS", "1024"}}, PrintThreadCount), "1024");
}

TEST(ThreadCount, IsThatOfTheUsableCpusOtherwise) {
  const std::string cpus = std::to_string(UsableCpuCount());
  EXPECT_EQ(OutputOfChild({}, PrintThreadCount), cpus);
  EXPECT_EQ(OutputOfChild({{"ACLNN_CPU_NUM_THREADS", "0"}}, PrintThreadCount), cpus);
}

TEST(ThreadCount, ForcingWinsUntilItIsTakenBack) {
  EXPECT_EQ(OutputOfChild({{"ACLNN_CPU_NUM_THREADS", "5"}},
                          [] {
                            ForceThreadCountForTest(2);
                            PrintThreadCount();
                            ForceThreadCountForTest(0);
                            PrintThreadCount();
                          }),
            "25");
}

TEST(ThreadCount, OfOneRunsEverythingOnTheCallerInOrder) {
  EXPECT_EQ(OutputOfChild({{"ACLNN_CPU_NUM_THREADS", "1"}},
                          [] {
                            const pid_t caller = gettid();
                            ParallelFor(4, 1e9, [=](int64_t block) {
                              if (gettid() == caller) std::printf("%d", static_cast<int>(block));
                            });
                          }),
            "0123");
}

// The number of CPUs that a thread may use after it was to be kept off the one it runs on.
void PrintCpusLeft() {
  Placement placement;
  placement.KeepOffThisCpu(gettid());
  CpuMask mask{};
  sched_getaffinity(0, sizeof(mask), mask.data());
  std::printf("%d", CPU_COUNT_S(sizeof(mask), mask.data()));
}

TEST(Placement, CanBeSwitchedOff) {
  CpuMask mask{};
  ASSERT_EQ(sched_getaffinity(0, sizeof(mask), mask.data()), 0);
  const int cpus = CPU_COUNT_S(sizeof(mask), mask.data());
  EXPECT_EQ(OutputOfChild({{"ACLNN_CPU_POOL_PLACEMENT", "0"}}, PrintCpusLeft),
            std::to_string(cpus));
  const int fewer = cpus > 1 ? cpus - 1 : 1;
  EXPECT_EQ(OutputOfChild({{"ACLNN_CPU_POOL_PLACEMENT", "1"}}, PrintCpusLeft),
            std::to_string(fewer));
  EXPECT_EQ(OutputOfChild({}, PrintCpusLeft), std::to_string(fewer));
}

}  // namespace
}  // namespace aclnn_cpu
