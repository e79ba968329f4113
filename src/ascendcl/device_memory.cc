#include "ascendcl/device_memory.h"

#include <sys/mman.h>

#include <cstdlib>

#include "acl/acl_base.h"
#include "ascendcl/strict.h"
#include "ascendcl/strict_hooks.h"

namespace aclnn_cpu {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kHugePage = size_t{2} << 20;

}  // namespace

StatusOr<void*> AllocateFromHeap(size_t bytes) {
  const size_t alignment = bytes >= kHugePage ? kHugePage : kAlignment;
  if (bytes > SIZE_MAX - kHugePage)
    FAIL(ACL_ERROR_RT_MEMORY_ALLOCATION, "size is {}, more than an address space holds", bytes);
  const size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  // posix_memalign rather than aligned_alloc, whose size must be a multiple of the alignment.
  void* address = nullptr;
  if (posix_memalign(&address, alignment, rounded) != 0)
    FAIL(ACL_ERROR_RT_MEMORY_ALLOCATION, "out of memory: size is {}", bytes);
  // Only a hint; huge pages make first use cheaper where the kernel grants them.
  if (bytes >= kHugePage) madvise(address, rounded / kHugePage * kHugePage, MADV_HUGEPAGE);
  return address;
}

StatusOr<void*> DeviceMemory::Allocate(size_t bytes, MemoryKind kind, const AskedFor& asked_for) {
  if (StrictOn()) return StrictAllocate(bytes, kind, asked_for);
  ASSIGN_OR_RETURN(void* const address, AllocateFromHeap(bytes));
  try {
    const std::lock_guard lock(mutex_);
    auto* const base = static_cast<std::byte*>(address);
    live_.emplace(reinterpret_cast<uintptr_t>(address), Allocation{base, bytes, kind, ++serial_});
  } catch (...) {
    std::free(address);
    throw;
  }
  return address;
}

Status NotAllocated(const void* address, MemoryKind kind) {
  FAIL(ACL_ERROR_RT_PARAM_INVALID, "address {} is not a live allocation of {}", address,
       kind == MemoryKind::kDevice ? "aclrtMalloc" : "aclrtMallocHost");
}

Status DeviceMemory::Free(void* address, MemoryKind kind) {
  if (StrictOn()) return StrictFree(address, kind);
  {
    const std::lock_guard lock(mutex_);
    const auto found = live_.find(reinterpret_cast<uintptr_t>(address));
    if (found == live_.end() || found->second.kind != kind) return NotAllocated(address, kind);
    live_.erase(found);
  }
  std::free(address);
  return Status();
}

std::optional<Allocation> DeviceMemory::Find(const void* address) const {
  if (StrictOn()) return StrictFind(address);
  const auto key = reinterpret_cast<uintptr_t>(address);
  const std::lock_guard lock(mutex_);
  auto next = live_.upper_bound(key);
  if (next == live_.begin()) return std::nullopt;
  const Allocation& allocation = std::prev(next)->second;
  if (key - reinterpret_cast<uintptr_t>(allocation.base) >= allocation.bytes) return std::nullopt;
  return allocation;
}

}  // namespace aclnn_cpu
