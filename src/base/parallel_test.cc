#include "base/parallel.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/futex.h"
#include "base/threads.h"

namespace aclnn_cpu {
namespace {

// Whatever the machine has, so that there is a thread to wake.
const bool g_two_threads = setenv("ACLNN_CPU_NUM_THREADS", "2", 1) == 0;

// Estimates that make a region wake threads, or not.
constexpr double kLongUs = 1e6;
constexpr double kShortUs = 1;

int PoolThreads() {
  int count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    if (name == "aclnn-pool") ++count;
  }
  return count;
}

// Ids of the threads that ran a region, each of which must run every block once.
std::set<pid_t> RunAndCheck(int64_t blocks, double estimated_us) {
  std::vector<int> runs(static_cast<size_t>(blocks), 0);  // plain ints: each has one owner
  std::mutex mutex;
  std::set<pid_t> threads;
  ParallelFor(blocks, estimated_us, [&](int64_t block) {
    ++runs[static_cast<size_t>(block)];
    const std::lock_guard<std::mutex> lock(mutex);
    threads.insert(gettid());
  });
  EXPECT_EQ(std::count(runs.begin(), runs.end(), 1), blocks);
  return threads;
}

// Not inlined, or the compiler might move the division across a change of the rounding mode.
volatile double g_three = 3.0;
__attribute__((noinline)) double OneThird() { return 1 / g_three; }

// Restores what a test changed.
class ParallelForTest : public ::testing::Test {
 protected:
  ~ParallelForTest() override {
    ForceThreadCountForTest(0);
    StopPool();
  }
};

TEST_F(ParallelForTest, TakesTheNumberOfThreadsFromTheEnvironment) {
  ASSERT_TRUE(g_two_threads);
  EXPECT_EQ(ThreadCount(), 2);
}

TEST_F(ParallelForTest, NoBlocksCallNothing) {
  ForceThreadCountForTest(3);
  ParallelFor(0, kLongUs, [](int64_t) { ADD_FAILURE(); });
  ParallelFor(-1, kLongUs, [](int64_t) { ADD_FAILURE(); });
}

TEST_F(ParallelForTest, UsesExactlyTheForcedNumberOfThreads) {
  for (int threads : {1, 2, 3, 7}) {
    ForceThreadCountForTest(threads);
    EXPECT_EQ(ThreadCount(), threads);
    for (int64_t blocks : {1, 2, 3, 6, 7, 8, 100}) {
      const auto expected = static_cast<size_t>(std::min<int64_t>(threads, blocks));
      for (int repeat = 0; repeat < 20; ++repeat) {
        ASSERT_EQ(RunAndCheck(blocks, kShortUs).size(), expected) << threads << " " << blocks;
      }
    }
  }
}

TEST_F(ParallelForTest, RunsEveryBlockOnceWithoutForcing) {
  for (double estimate : {kShortUs, 100.0, kLongUs}) {
    for (int64_t blocks : {1, 2, 5, 1000}) {
      for (int repeat = 0; repeat < 50; ++repeat) RunAndCheck(blocks, estimate);
    }
  }
}

TEST_F(ParallelForTest, ShortRegionsRunInOrderOnTheCaller) {
  StopPool();  // nobody is awake
  std::vector<int64_t> order;
  ParallelFor(5, kShortUs, [&](int64_t block) { order.push_back(block); });
  EXPECT_EQ(order, (std::vector<int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(PoolThreads(), 0);
}

TEST_F(ParallelForTest, RegionsNest) {
  for (int threads : {2, 3, 7}) {
    ForceThreadCountForTest(threads);
    std::vector<std::vector<int>> runs(8, std::vector<int>(9, 0));
    ParallelFor(8, kLongUs, [&](int64_t outer) {
      ParallelFor(9, kLongUs, [&, outer](int64_t inner) {
        ++runs[static_cast<size_t>(outer)][static_cast<size_t>(inner)];
      });
    });
    for (const std::vector<int>& row : runs) EXPECT_EQ(std::count(row.begin(), row.end(), 1), 9);
  }
}

TEST_F(ParallelForTest, ManyCallersAtOnce) {
  for (int forced : {0, 3}) {
    ForceThreadCountForTest(forced);
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 8; ++caller) {
      callers.emplace_back([] {
        for (int repeat = 0; repeat < 60; ++repeat) {
          RunAndCheck(repeat % 17, repeat % 3 == 0 ? 100.0 : kLongUs);
        }
      });
    }
    for (std::thread& caller : callers) caller.join();
  }
}

TEST_F(ParallelForTest, TheResultOfEveryBlockIsVisibleAfterwards) {
  ForceThreadCountForTest(4);
  for (int repeat = 1; repeat <= 300; ++repeat) {
    std::vector<int64_t> squares(64, 0);
    ParallelFor(64, kLongUs,
                [&](int64_t block) { squares[static_cast<size_t>(block)] = block * repeat; });
    int64_t sum = 0;
    for (int64_t square : squares) sum += square;
    ASSERT_EQ(sum, 63 * 64 / 2 * repeat);
  }
}

TEST_F(ParallelForTest, SleepingWorkersWakeAgain) {
  ForceThreadCountForTest(3);
  for (int repeat = 0; repeat < 5; ++repeat) {
    EXPECT_EQ(RunAndCheck(10, kLongUs).size(), 3u);
    std::this_thread::sleep_for(std::chrono::milliseconds(3));  // far beyond the 50 us of looking
  }
  EXPECT_EQ(PoolThreads(), 2);
}

// Without forcing, nobody waits for a worker: a region may end before one joins. So try for long.
TEST_F(ParallelForTest, LongRegionsGetHelpWithoutForcing) {
  bool helped = false;
  for (int repeat = 0; repeat < 100 && !helped; ++repeat) {
    std::atomic<bool> other_thread{false};
    const pid_t caller = gettid();
    ParallelFor(1000, kLongUs, [&](int64_t) {
      if (gettid() != caller) other_thread = true;
      const int64_t end = MonotonicNs() + 50'000;
      while (MonotonicNs() < end && !other_thread) CpuPause();
    });
    helped = other_thread;
  }
  EXPECT_TRUE(helped);
}

TEST_F(ParallelForTest, AWorkerBeginsWithTheSameBlocksEveryTime) {
  const pid_t caller = gettid();
  int helped = 0;
  for (int repeat = 0; repeat < 100 && helped < 5; ++repeat) {
    std::atomic<int64_t> first{-1};  // of the worker's
    ParallelFor(8, kLongUs, [&](int64_t block) {
      int64_t none = -1;
      if (gettid() != caller) first.compare_exchange_strong(none, block);
      const int64_t end = MonotonicNs() + 200'000;
      while (MonotonicNs() < end && first == -1) CpuPause();
    });
    if (first == -1) continue;
    // The caller, which has had the time to take its own four, may have gone on with the worker's.
    EXPECT_GE(first, 4);
    ++helped;
  }
  EXPECT_EQ(helped, 5);
}

void RunMediumRegions(int count, std::chrono::microseconds pause) {
  for (int i = 0; i < count; ++i) {
    ParallelFor(2, 100, [](int64_t) {});
    if (pause.count() > 0) std::this_thread::sleep_for(pause);
  }
}

TEST_F(ParallelForTest, MediumRegionsWithPausesWakeNobody) {
  StopPool();
  RunMediumRegions(100, std::chrono::microseconds(200));
  EXPECT_EQ(PoolThreads(), 0);
}

TEST_F(ParallelForTest, SeriesOfMediumRegionsGetsAThread) {
  StopPool();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));  // ends any series
  RunMediumRegions(9, std::chrono::microseconds(0));          // less than 1 ms of work
  EXPECT_EQ(PoolThreads(), 0);
  // Again, because being held up between two regions ends a series too.
  for (int repeat = 0; repeat < 1000 && PoolThreads() == 0; ++repeat)
    RunMediumRegions(20, std::chrono::microseconds(0));
  EXPECT_EQ(PoolThreads(), 1);
}

TEST_F(ParallelForTest, StopPoolEndsTheThreadsAndTheNextRegionStartsNewOnes) {
  ForceThreadCountForTest(3);
  for (int repeat = 0; repeat < 5; ++repeat) {
    EXPECT_EQ(RunAndCheck(9, kLongUs).size(), 3u);
    EXPECT_EQ(PoolThreads(), 2);
    if (repeat % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    StopPool();
    EXPECT_EQ(PoolThreads(), 0);
  }
  StopPool();
}

TEST_F(ParallelForTest, StopPoolMayMeetOpenRegions) {
  ForceThreadCountForTest(3);
  std::atomic<bool> done{false};
  std::thread stopper([&] {
    while (!done) StopPool();
  });
  for (int repeat = 0; repeat < 100; ++repeat) RunAndCheck(8, kLongUs);
  done = true;
  stopper.join();
}

TEST_F(ParallelForTest, WorkersHaveTheDefaultRoundingMode) {
  StopPool();
  const double nearest = OneThird();  // below the exact third
  std::fesetround(FE_UPWARD);         // would be inherited by the workers that start now
  ForceThreadCountForTest(3);
  const pid_t caller = gettid();
  std::atomic<int> by_workers{0};
  std::atomic<int> by_caller{0};
  ParallelFor(3, kLongUs, [&](int64_t) {
    (gettid() == caller ? by_caller : by_workers) += OneThird() == nearest;
  });
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(by_workers.load(), 2);
  EXPECT_EQ(by_caller.load(), 0);  // the caller's own mode is left alone
}

TEST_F(ParallelForTest, WorkersBlockTheClientsSignalsAndMayUseAllCpus) {
  ForceThreadCountForTest(3);
  CpuMask all{};
  sched_getaffinity(0, sizeof(all), all.data());
  const pid_t caller = gettid();
  std::atomic<int> blocked{0};
  std::atomic<int> unrestricted{0};
  for (int repeat = 0; repeat < 3; ++repeat) {
    ParallelFor(3, kLongUs, [&](int64_t) {
      if (gettid() == caller) return;
      sigset_t mask;
      pthread_sigmask(SIG_BLOCK, nullptr, &mask);
      blocked += sigismember(&mask, SIGINT) == 1 && sigismember(&mask, SIGSEGV) == 0;
      CpuMask mine{};
      sched_getaffinity(0, sizeof(mine), mine.data());
      unrestricted += CPU_EQUAL_S(sizeof(mine), mine.data(), all.data());
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // so that the next one wakes them
  }
  EXPECT_EQ(blocked.load(), 6);
  EXPECT_EQ(unrestricted.load(), 6);
}

}  // namespace
}  // namespace aclnn_cpu
