#include "base/parallel.h"

#include <algorithm>
#include <atomic>

#include "base/cpu_count.h"
#include "base/env.h"
#include "base/pool.h"

namespace aclnn_cpu {
namespace {

// Sharing work with a thread that is awake pays from about 15 us per thread.
constexpr double kMinSharedUs = 30;
// Waking a sleeping thread costs 15 to 110 us until it runs, so it pays only from about here.
constexpr double kMinWakeUs = 200;

constinit std::atomic<int> g_thread_count{0};
constinit std::atomic<int> g_forced{0};

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
  const bool forced = g_forced.load(std::memory_order_relaxed) > 0;
  const int helpers = static_cast<int>(std::min<int64_t>(ThreadCount(), blocks)) - 1;
  const bool may_wake = forced || estimated_us >= kMinWakeUs;
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
  if (forced && !Pool::InsideRegion() && pool->RunWithAll(blocks, helpers, body)) return;
  pool->Run(blocks, helpers, may_wake, body);
}

void ForceThreadCountForTest(int threads) { g_forced.store(threads); }

void StopPool() {
  if (Pool* pool = Pool::GetIfMade()) pool->Stop();
}

}  // namespace aclnn_cpu
