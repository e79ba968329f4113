#ifndef ACLNN_CPU_ASCENDCL_STRICT_ARENA_H_
#define ACLNN_CPU_ASCENDCL_STRICT_ARENA_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "ascendcl/device_memory.h"
#include "ascendcl/strict_history.h"
#include "ascendcl/strict_stack.h"

namespace aclnn_cpu {

// One allocation, live or freed. Never deleted, so that a pointer from the arena's table stays good
// without a lock.
struct MemoryRecord {
  uintptr_t base = 0;
  size_t bytes = 0;   // as asked for
  size_t usable = 0;  // what may be touched without harm
  MemoryKind kind = MemoryKind::kDevice;
  uint64_t serial = 0;
  bool in_arena = false;
  CallStack allocated;
  std::atomic<bool> live{true};
  std::atomic<bool> opened{false};   // the host touched it and may do so from now on
  std::atomic<bool> noticed{false};  // what `opened` means for the history has been done
  bool leak_reported = false;
  std::unique_ptr<MemoryHistory> history;  // guarded by the lock of StrictState
};

// Device memory that the host cannot touch. One sparse file is mapped twice: the view whose
// addresses callers get is not accessible, kernels and copies use the other one, the twin.
// Addresses are handed out in ascending order and used again only when they have run out, so a
// stale pointer meets a freed block and not somebody else's.
//
// Functions marked (*) may be called at any time from any thread, signal handlers included; for the
// others the caller holds a lock.
class StrictArena {
 public:
  // Reserves up to `most_bytes`, less where the system refuses; false if even little is refused.
  bool Reserve(size_t most_bytes);

  size_t bytes() const { return bytes_; }

  bool Contains(uintptr_t address) const { return address - caller_ < bytes_; }  // (*)

  // The address under which the library reaches what the caller knows as `address`; others than
  // those of the arena stay as they are. (*)
  void* Twin(const void* address) const {
    const auto number = reinterpret_cast<uintptr_t>(address);
    return reinterpret_cast<void*>(Contains(number) ? number - caller_ + twin_ : number);
  }

  // Places a block; `record` gets its base. False if there is no room.
  bool Place(MemoryRecord* record, size_t alignment);
  // The block stays known as freed; its memory goes back to the system, for small blocks later.
  void Release(MemoryRecord* record);

  // The allocation, live or freed, whose pages or guard page hold `address`; nullptr if none. (*)
  MemoryRecord* Find(uintptr_t address) const;

  // Makes a block accessible to the host, or the page of an address that is in no block. (*)
  void OpenToHost(const MemoryRecord* record, uintptr_t address) const;

 private:
  struct FreedBlock {
    size_t pages;
    uint64_t order;  // counts frees
  };

  bool MapViews(size_t bytes);
  size_t TakeFreshPages(size_t pages, size_t alignment_pages);
  size_t TakeFreedPages(size_t pages, size_t alignment_pages);
  void GiveBack(size_t first_page, size_t pages);

  uintptr_t caller_ = 0;
  uintptr_t twin_ = 0;
  size_t bytes_ = 0;
  std::atomic<MemoryRecord*>* owners_ = nullptr;  // by page
  size_t next_page_ = 0;
  std::map<size_t, FreedBlock> freed_;  // by first page, guard pages included
  uint64_t frees_ = 0;
  std::vector<size_t> kept_;  // first pages of freed blocks whose memory was not given back yet
  size_t kept_bytes_ = 0;
};

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_ASCENDCL_STRICT_ARENA_H_
