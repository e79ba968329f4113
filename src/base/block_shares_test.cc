#include "base/block_shares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <thread>
#include <vector>

namespace aclnn_cpu {
namespace {

std::vector<int64_t> TakeAll(BlockShares& shares, int64_t thread) {
  std::vector<int64_t> taken;
  shares.RunAll(thread, [&](int64_t block) { taken.push_back(block); });
  return taken;
}

std::vector<int64_t> Range(int64_t first, int64_t end) {
  std::vector<int64_t> range(static_cast<size_t>(end - first));
  std::iota(range.begin(), range.end(), first);
  return range;
}

TEST(BlockSharesTest, OneThreadTakesAllBlocksInOrder) {
  BlockShares shares(3, 20, 1);
  EXPECT_TRUE(shares.Any());
  EXPECT_EQ(TakeAll(shares, 0), Range(3, 20));
  EXPECT_FALSE(shares.Any());
}

TEST(BlockSharesTest, OneThreadAmongSeveralTakesAllIfNobodyElseComes) {
  BlockShares shares(0, 50, 4);
  EXPECT_EQ(TakeAll(shares, 0), Range(0, 50));
}

TEST(BlockSharesTest, EachThreadBeginsWithNeighbouringBlocksOfItsOwn) {
  // 11 blocks among 3 threads: 4, 4 and 3.
  const std::vector<std::vector<int64_t>> expected = {Range(0, 4), Range(4, 8), Range(8, 11)};
  for (int64_t thread = 0; thread < 3; ++thread) {
    BlockShares shares(0, 11, 3);
    std::vector<int64_t> taken = TakeAll(shares, thread);
    const auto& share = expected[static_cast<size_t>(thread)];
    ASSERT_GE(taken.size(), share.size());
    taken.resize(share.size());
    EXPECT_EQ(taken, share) << thread;
  }
}

TEST(BlockSharesTest, MoreThreadsThanSharesBeginWhereTheirOwnPartLies) {
  for (int64_t thread = 0; thread < 64; ++thread) {
    BlockShares shares(0, 6400, 64);
    const int64_t first = TakeAll(shares, thread).front();
    EXPECT_LE(first, thread * 100) << thread;
    EXPECT_GT(first, (thread - 4) * 100) << thread;
  }
}

TEST(BlockSharesTest, WhatIsLeftOfTheOthersIsTakenNext) {
  BlockShares shares(0, 11, 3);
  EXPECT_EQ(TakeAll(shares, 1), (std::vector<int64_t>{4, 5, 6, 7, 8, 9, 10, 0, 1, 2, 3}));
  EXPECT_EQ(TakeAll(shares, 0), Range(0, 0));
}

TEST(BlockSharesTest, FewerBlocksThanThreads) {
  BlockShares shares(0, 2, 8);
  EXPECT_EQ(TakeAll(shares, 5), Range(0, 2));
  BlockShares none(4, 4, 8);
  EXPECT_FALSE(none.Any());
  EXPECT_EQ(TakeAll(none, 0), Range(0, 0));
}

TEST(BlockSharesTest, AnyNumberOfThreadsTakesEveryBlockOnce) {
  for (int threads : {2, 3, 16, 17, 40}) {
    std::vector<int> runs(1000, 0);  // plain ints: each has one owner
    BlockShares shares(0, 1000, threads);
    std::vector<std::thread> takers;
    for (int i = 0; i < threads; ++i) {
      takers.emplace_back(
          [&, i] { shares.RunAll(i, [&](int64_t block) { ++runs[static_cast<size_t>(block)]; }); });
    }
    for (std::thread& taker : takers) taker.join();
    EXPECT_EQ(std::count(runs.begin(), runs.end(), 1), 1000) << threads;
  }
}

}  // namespace
}  // namespace aclnn_cpu
