#include "base/cache_size.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>

namespace aclnn_cpu {
namespace {

constexpr int64_t kTypicalBytes = int64_t{32} << 20;

// Of what one process finds free of a last-level cache, which big machines share among many.
constexpr double kMaxCachedBytes = 24 << 20;

constinit std::atomic<int64_t> g_bytes{0};

}  // namespace

int64_t LastLevelCacheBytes() {
  int64_t bytes = g_bytes.load(std::memory_order_relaxed);
  if (bytes != 0) return bytes;
#ifdef _SC_LEVEL3_CACHE_SIZE
  bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (bytes <= 0) bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
  if (bytes <= 0) bytes = kTypicalBytes;
  g_bytes.store(bytes, std::memory_order_relaxed);
  return bytes;
}

bool ExceedsCache(double bytes) {
  return bytes > std::min(0.75 * static_cast<double>(LastLevelCacheBytes()), kMaxCachedBytes);
}

}  // namespace aclnn_cpu
