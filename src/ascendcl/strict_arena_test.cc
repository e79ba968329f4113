#include "ascendcl/strict_arena.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <deque>
#include <map>
#include <random>

namespace aclnn_cpu {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kArena = size_t{64} << 20;  // the least there is
constexpr size_t kHugePage = size_t{2} << 20;

class StrictArenaTest : public ::testing::Test {
 protected:
  StrictArenaTest() { EXPECT_TRUE(arena_.Reserve(kArena)); }

  MemoryRecord* Place(size_t bytes, size_t alignment = 1) {
    MemoryRecord& record = records_.emplace_back();
    record.bytes = record.usable = bytes;
    return arena_.Place(&record, alignment) ? &record : nullptr;
  }
  void Release(MemoryRecord* record) {
    record->live = false;
    arena_.Release(record);
  }

  StrictArena arena_;

 private:
  std::deque<MemoryRecord> records_;
};

TEST_F(StrictArenaTest, AddressesRiseUntilTheyHaveRunOut) {
  uintptr_t last = 0;
  for (int i = 0; i < 1000; ++i) {
    MemoryRecord* const record = Place(100);
    ASSERT_NE(record, nullptr);
    EXPECT_GT(record->base, last);
    last = record->base;
    Release(record);
  }
}

TEST_F(StrictArenaTest, AnAddressIsUsedAgainOnlyAfterAllOthers) {
  MemoryRecord* const first = Place(100);
  const uintptr_t base = first->base;
  Release(first);
  size_t others = 0;
  for (;; ++others) {
    MemoryRecord* const record = Place(100);
    ASSERT_NE(record, nullptr);
    if (record->base == base) break;
    Release(record);
  }
  // A block and its guard take two pages; a few at the start belong to nobody.
  EXPECT_GT(others, kArena / (2 * kPage) - 100);
}

// Blocks of all sizes come and go, many times round: none overlap, all are found, alignment holds.
TEST_F(StrictArenaTest, LiveBlocksNeverMeetHoweverOftenTheAddressesAreUsedAgain) {
  std::mt19937 random(5);
  std::map<uintptr_t, MemoryRecord*> live;
  size_t refused = 0;
  for (int step = 0; step < 20'000; ++step) {
    const size_t bytes = size_t{1} << random() % 22;
    const size_t alignment = bytes >= kHugePage / 2 ? kHugePage : 1;
    if (MemoryRecord* const record = Place(bytes, alignment)) {
      EXPECT_EQ(record->base % std::max(alignment, kPage), 0U);
      const auto after = live.lower_bound(record->base);
      if (after != live.end()) {
        EXPECT_GE(after->first, record->base + bytes + kPage);
      }
      if (after != live.begin()) {
        EXPECT_GE(record->base, std::prev(after)->first + std::prev(after)->second->bytes + kPage);
      }
      live.emplace(record->base, record);
      EXPECT_EQ(arena_.Find(record->base + bytes - 1), record);
      // Its memory is its own: nothing of a freed block is given back under it.
      *static_cast<char*>(arena_.Twin(reinterpret_cast<void*>(record->base))) = 1;
    } else {
      ++refused;
    }
    while (live.size() > 40) {
      const auto victim = std::next(live.begin(), random() % 40);
      EXPECT_EQ(*static_cast<char*>(arena_.Twin(reinterpret_cast<void*>(victim->first))), 1);
      Release(victim->second);
      live.erase(victim);
    }
  }
  EXPECT_LT(refused, 1000U);
}

TEST_F(StrictArenaTest, ABlockThatOnlyFitsIntoSeveralFreedOnesIsPlaced) {
  std::vector<MemoryRecord*> blocks;
  while (MemoryRecord* const record = Place(size_t{1} << 20)) blocks.push_back(record);
  EXPECT_EQ(Place(size_t{3} << 20), nullptr);
  for (size_t i = 10; i < 14; ++i) Release(blocks[i]);
  MemoryRecord* const big = Place(size_t{3} << 20);
  ASSERT_NE(big, nullptr);
  EXPECT_EQ(big->base, blocks[10]->base);
  EXPECT_EQ(arena_.Find(blocks[12]->base), big);
  EXPECT_EQ(arena_.Find(blocks[13]->base + kPage), blocks[13]);  // the rest is still known as freed
}

TEST_F(StrictArenaTest, BetweenTwoBlocksTheNearerOneIsFound) {
  MemoryRecord* const first = Place(100);
  MemoryRecord* const second = Place(100);
  EXPECT_EQ(arena_.Find(first->base + 100), first);
  EXPECT_EQ(arena_.Find(second->base - 4), second);
  EXPECT_EQ(arena_.Find(first->base - 4), first);
  EXPECT_EQ(arena_.Find(second->base + 101), second);
}

TEST_F(StrictArenaTest, BelowTheFirstBlockNothingIsFoundFarAway) {
  const MemoryRecord* const first = Place(100);
  EXPECT_TRUE(arena_.Contains(first->base - 10 * kPage));
  EXPECT_EQ(arena_.Find(first->base - 10 * kPage), nullptr);
}

TEST_F(StrictArenaTest, PagesSkippedForAlignmentAreUsedWhenTheirTurnComes) {
  size_t placed = 0;
  for (; MemoryRecord* const record = Place(kHugePage, kHugePage); ++placed)
    EXPECT_EQ(record->base % kHugePage, 0U);
  EXPECT_GT(placed, 10U);
  // Each has left nearly 2 MiB behind.
  size_t small = 0;
  while (Place(kHugePage / 2) != nullptr) ++small;
  EXPECT_GE(small, placed - 2);
}

// Whether the system can read there.
bool IsReadable(uintptr_t address) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const bool readable = write(ends[1], reinterpret_cast<void*>(address), 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return readable;
}

TEST_F(StrictArenaTest, WhatWasOpenedIsClosedForTheNextOwner) {
  MemoryRecord* const block = Place(kArena / 2);
  const uintptr_t base = block->base;
  EXPECT_FALSE(IsReadable(base));
  Release(block);
  EXPECT_TRUE(arena_.OpenToHost(block, base));
  EXPECT_TRUE(arena_.OpenToHost(block, base + kArena / 2));  // its guard page
  EXPECT_TRUE(IsReadable(base));
  EXPECT_TRUE(IsReadable(base + kArena / 2));
  const MemoryRecord* const next = Place(kArena / 2);
  ASSERT_EQ(next->base, base);
  EXPECT_FALSE(IsReadable(base));
  EXPECT_FALSE(IsReadable(base + kArena / 2));
}

TEST_F(StrictArenaTest, BlocksBeyondAllSizesAreRefused) { EXPECT_EQ(Place(SIZE_MAX), nullptr); }

}  // namespace
}  // namespace aclnn_cpu
