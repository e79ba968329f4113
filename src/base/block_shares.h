#ifndef ACLNN_CPU_BASE_BLOCK_SHARES_H_
#define ACLNN_CPU_BASE_BLOCK_SHARES_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

namespace aclnn_cpu {

// Hands out blocks to several threads. Each begins with a share of neighbouring blocks that is the
// same in every region of as many blocks and threads: what it wrote the last time may still be in
// the caches of its core, and taking a line from another core's cache costs more than writing it.
// A thread whose share is used up goes on with what is left of the others'.
class BlockShares {
 public:
  // Of the blocks [first, end), among `threads` (> 0). More threads than kMostShares share some.
  BlockShares(int64_t first, int64_t end, int64_t threads)
      : threads_(threads), count_(std::min(threads, kMostShares)) {
    const int64_t blocks = std::max<int64_t>(end - first, 0);
    for (int64_t i = 0; i < count_; ++i) {
      shares_[static_cast<size_t>(i)].next.store(first, std::memory_order_relaxed);
      first += blocks / count_ + (i < blocks % count_ ? 1 : 0);
      shares_[static_cast<size_t>(i)].end = first;
    }
  }

  bool Any() const {
    return std::any_of(shares_.begin(), shares_.begin() + count_, [](const Share& share) {
      return share.next.load(std::memory_order_relaxed) < share.end;
    });
  }

  // Calls body(block) for blocks that nobody else has taken until there are none, beginning with
  // the share of `thread`, a number below `threads`.
  template <typename Body>
  void RunAll(int64_t thread, const Body& body) {
    const int64_t own = thread * count_ / threads_;
    for (int64_t i = 0; i < count_; ++i) {
      Share& share = shares_[static_cast<size_t>((own + i) % count_)];
      while (share.next.load(std::memory_order_relaxed) < share.end) {
        const int64_t block = share.next.fetch_add(1, std::memory_order_relaxed);
        if (block >= share.end) break;
        body(block);
      }
    }
  }

 private:
  static constexpr int64_t kMostShares = 16;

  struct alignas(64) Share {  // a cache line to itself: its thread writes it for every block
    std::atomic<int64_t> next;
    int64_t end;
  };

  const int64_t threads_;
  const int64_t count_;
  std::array<Share, kMostShares> shares_;
};

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_BASE_BLOCK_SHARES_H_
