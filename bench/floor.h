#ifndef ACLNN_CPU_BENCH_FLOOR_H_
#define ACLNN_CPU_BENCH_FLOOR_H_

#include <cstddef>
#include <cstdint>

#include "bench/harness.h"

// The fastest that memory can be written, copied and read here, by all threads in equal parts: what
// an operator's time is compared with.

namespace bench {

void VectorFill(std::byte* to, size_t bytes);
void StreamingFill(std::byte* to, size_t bytes);  // by non-temporal stores
void MemsetFill(std::byte* to, size_t bytes);
void Copy(const std::byte* from, size_t bytes, std::byte* to);
void Read(const std::byte* from, size_t bytes);

// Reads a byte of each line.
void Touch(const void* from, size_t bytes);

int64_t LastLevelCacheBytes();

// Makes the C library keep what is freed, so that no arm pays for fresh pages.
void KeepFreedMemory();

}  // namespace bench

#endif  // ACLNN_CPU_BENCH_FLOOR_H_
