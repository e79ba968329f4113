#ifndef ACLNN_CPU_BASE_CACHE_SIZE_H_
#define ACLNN_CPU_BASE_CACHE_SIZE_H_

#include <cstdint>

namespace aclnn_cpu {

// Bytes of the last level of cache that the system reports, or 32 MiB where it does not tell.
int64_t LastLevelCacheBytes();

// Whether an output of so many bytes is better written past the caches: that saves reading its
// lines first, but what is written is gone from them.
bool ExceedsCache(double bytes);

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_BASE_CACHE_SIZE_H_
