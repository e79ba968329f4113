#ifndef ACLNN_CPU_ASCENDCL_DEVICE_MEMORY_H_
#define ACLNN_CPU_ASCENDCL_DEVICE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "base/status.h"

namespace aclnn_cpu {

enum class MemoryKind { kDevice, kHost };  // aclrtMalloc, aclrtMallocHost

struct Allocation {
  std::byte* base;
  size_t bytes;  // usable, not below what was asked for
  MemoryKind kind;
  uint64_t serial;  // counts allocations; tells apart blocks that got the same address
};

// What the caller called; the rest of the bytes is padding.
struct AskedFor {
  size_t bytes = 0;  // 0: all of them
  const char* api = "aclrtMalloc";
};

// The memory that the library has given out. Every allocation, free and question about an address
// goes through here, so that one place decides what device memory is. Thread-safe.
class DeviceMemory {
 public:
  // Uninitialised memory, 64-byte aligned; 2 MiB aligned with huge pages asked for from that size
  // on. `bytes` is more than 0. Fails with 207001. The host reaches device memory directly, except
  // in strict mode, for which `asked_for` is.
  StatusOr<void*> Allocate(size_t bytes, MemoryKind kind, const AskedFor& asked_for = {});

  // Fails with 107000 unless `address` is the start of a live allocation of this kind.
  Status Free(void* address, MemoryKind kind);

  // The live allocation that contains `address`.
  std::optional<Allocation> Find(const void* address) const;

 private:
  mutable std::mutex mutex_;
  std::map<uintptr_t, Allocation> live_;  // by base; guarded by mutex_
  uint64_t serial_ = 0;                   // guarded by mutex_
};

// Parts that the strict mode's own allocations share: 207001 if there is no memory, and 107000.
StatusOr<void*> AllocateFromHeap(size_t bytes);
Status NotAllocated(const void* address, MemoryKind kind);

// Memory of the computer or, if that is less, of the control group of this process.
struct MemoryInfo {
  size_t free_bytes;
  size_t total_bytes;
};
// `root` is put before the paths /proc and /sys, for tests.
MemoryInfo ReadMemoryInfo(const std::string& root = "");

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_ASCENDCL_DEVICE_MEMORY_H_
