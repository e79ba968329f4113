#include "base/parallel.h"

#include <algorithm>
#include <atomic>

#include "base/block_shares.h"
#include "base/cpu_count.h"
#include "base/env.h"
#include "base/futex.h"
#include "base/pool.h"

namespace aclnn_cpu {
namespace {

// Sharing work with a thread that is awake pays from about 15 us per thread.
constexpr double kMinSharedUs = 30;
// Waking a sleeping thread costs 15 to 110 us until it runs, so it pays only from about here.
constexpr double kMinWakeUs = 200;
// Shorter regions that follow each other closely have a thread woken once per this much work: it is
// still looking for the next one when that comes.
constexpr double kMinSeriesUs = 1000;
// Longest pause in such a series. The worker began to look before the region's end was noted and
// must still do so when the next one opens, so it is less than the time for which a worker looks.
constexpr int64_t kMaxPauseNs = 40'000;
static_assert(kMaxPauseNs < Pool::kLookNs);

constinit std::atomic<int> g_thread_count{0};
constinit std::atomic<int> g_forced{0};

// Of the series of shorter regions: the work since the last wake, and when it ended. Threads that
// open regions at the same time may mix it up, which costs a wake or saves one.
constinit std::atomic<double> g_series_us{0};
constinit std::atomic<int64_t> g_series_end_ns{0};

// Adds a region that is about to run; true if it is the one to wake a thread for.
bool SeriesPaysWake(double estimated_us) {
  const int64_t pause = MonotonicNs() - g_series_end_ns.load(std::memory_order_relaxed);
  double work = estimated_us;
  if (pause <= kMaxPauseNs) work += g_series_us.load(std::memory_order_relaxed);
  const bool pays = work >= kMinSeriesUs;
  g_series_us.store(pays ? 0 : work, std::memory_order_relaxed);
  return pays;
}

void RunRegion(int64_t blocks, int helpers, bool may_wake, double estimated_us,
               FunctionRef<void(int64_t block)> body) {
  Pool* pool = nullptr;
  if (helpers > 0 && may_wake) {
    pool = Pool::Get();
  } else if (helpers > 0 && estimated_us >= kMinSharedUs) {
    pool = Pool::GetIfMade();
    if (pool != nullptr && !pool->HasFreeWorker()) pool = nullptr;
  }
  if (pool == nullptr) {
    for (int64_t block = 0; block < blocks; ++block) body(block);
    return;
  }
  const bool forced = g_forced.load(std::memory_order_relaxed) > 0;
  if (forced && !Pool::InsideRegion() && pool->RunWithAll(blocks, helpers, body)) return;
  pool->Run(blocks, helpers, may_wake, body);
}

}  // namespace

int ThreadCount() {
  const int forced = g_forced.load(std::memory_order_relaxed);
  if (forced > 0) return forced;
  int count = g_thread_count.load(std::memory_order_relaxed);
  if (count == 0) {
    const int64_t wanted = EnvNumber(EnvVar::kNumThreads, 0);
    count = wanted > 0 ? static_cast<int>(wanted) : UsableCpuCount();
    g_thread_count.store(count, std::memory_order_relaxed);
  }
  return count;
}

void ParallelFor(int64_t blocks, double estimated_us, FunctionRef<void(int64_t block)> body) {
  const int helpers = static_cast<int>(std::min<int64_t>(ThreadCount(), blocks)) - 1;
  bool may_wake = g_forced.load(std::memory_order_relaxed) > 0 || estimated_us >= kMinWakeUs;
  const bool in_series = helpers > 0 && !may_wake && estimated_us >= kMinSharedUs;
  if (in_series) may_wake = SeriesPaysWake(estimated_us);
  RunRegion(blocks, helpers, may_wake, estimated_us, body);
  if (in_series) g_series_end_ns.store(MonotonicNs(), std::memory_order_relaxed);
}

void ParallelForSlots(int64_t blocks, int64_t slots, double estimated_us,
                      FunctionRef<void(int64_t block, int64_t slot)> body) {
  BlockShares shares(0, blocks, slots);
  ParallelFor(std::min(slots, blocks), estimated_us, [&](int64_t slot) {
    shares.RunAll(slot, [&](int64_t block) { body(block, slot); });
  });
}

void ForceThreadCountForTest(int threads) { g_forced.store(threads); }

void StopPool() {
  if (Pool* pool = Pool::GetIfMade()) pool->Stop();
}

}  // namespace aclnn_cpu
