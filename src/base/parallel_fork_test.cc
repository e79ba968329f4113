#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>

#include "base/child_for_test.h"
#include "base/parallel.h"

namespace aclnn_cpu {
namespace {

void PrintSum() {
  int64_t squares[10] = {};
  ParallelFor(10, 1e6, [&](int64_t block) { squares[block] = block * block; });
  int64_t sum = 0;
  for (int64_t square : squares) sum += square;
  std::printf("%d;", static_cast<int>(sum));
}

TEST(ParallelForAfterFork, WorksInTheChildAndStillInTheParent) {
  for (int threads : {0, 3}) {
    ForceThreadCountForTest(threads);
    PrintSum();  // the parent's pool exists now
    for (int repeat = 0; repeat < 20; ++repeat) {
      EXPECT_EQ(OutputOfChild({}, PrintSum), "285;");
      int64_t calls[4] = {};
      ParallelFor(4, 1e6, [&](int64_t block) { ++calls[block]; });
      EXPECT_EQ(calls[0] + calls[1] + calls[2] + calls[3], 4);
    }
  }
  ForceThreadCountForTest(0);
}

TEST(ParallelForAfterFork, WorksInTheChildOfAChild) {
  ForceThreadCountForTest(3);
  PrintSum();
  EXPECT_EQ(OutputOfChild({},
                          [] {
                            PrintSum();
                            std::printf("%s", OutputOfChild({}, PrintSum).c_str());
                          }),
            "285;285;");
  ForceThreadCountForTest(0);
}

TEST(ParallelForAfterFork, WorksThoughAnotherThreadHoldsTheParentsPool) {
  ForceThreadCountForTest(2);
  std::atomic<bool> done{false};
  std::thread busy([&] {
    while (!done) ParallelFor(4, 1e6, [](int64_t) {});
  });
  for (int repeat = 0; repeat < 100; ++repeat) {
    ASSERT_EQ(OutputOfChild({}, PrintSum), "285;") << repeat;
  }
  done = true;
  busy.join();
  ForceThreadCountForTest(0);
}

TEST(ParallelForAfterFork, StopPoolInTheChildDoesNotWaitForTheParentsThreads) {
  ForceThreadCountForTest(3);
  PrintSum();
  EXPECT_EQ(OutputOfChild({},
                          [] {
                            StopPool();
                            PrintSum();
                            StopPool();
                          }),
            "285;");
  ForceThreadCountForTest(0);
}

}  // namespace
}  // namespace aclnn_cpu
