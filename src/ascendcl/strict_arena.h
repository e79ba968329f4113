#ifndef ACLNN_CPU_ASCENDCL_STRICT_ARENA_H_
#define ACLNN_CPU_ASCENDCL_STRICT_ARENA_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

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
  const char* api = nullptr;  // that allocated it
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
// Addresses are handed out in ascending order, round and round, so that one is used again only
// after all others had their turn: a stale pointer meets a freed block and not somebody else's.
//
// Functions marked (*) may be called at any time from any thread, signal handlers included; for the
// others the caller holds a lock.
class StrictArena {
 public:
  // Reserves up to `most_bytes`, less where the system refuses; false if even little is refused, or
  // if the system's pages are bigger than ours.
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

  // The allocation, live or freed, that `address` belongs to. One between two blocks, where nothing
  // is, belongs to the nearer one, so it may lie below the base. nullptr if there is none. (*)
  MemoryRecord* Find(uintptr_t address) const;

  // Whether the address lies in pages of the block, behind its end included. (*)
  static bool HasPage(const MemoryRecord& record, uintptr_t address);

  // Makes a block accessible to the host, or the page of an address that is in no block. Where the
  // system refuses, which it does for many blocks, everything. False if even that is refused. (*)
  bool OpenToHost(const MemoryRecord* record, uintptr_t address);

  // Whether the host may have touched the block without being seen. (*)
  bool IsOpen(const MemoryRecord& record) const {
    return record.opened.load() || (record.in_arena && all_opened_.load());
  }
  bool all_opened() const { return all_opened_.load(); }  // (*)

 private:
  bool MapViews(size_t bytes);
  size_t FindGap(size_t from, size_t pages, size_t alignment_pages) const;
  size_t TakePages(size_t pages, size_t alignment_pages);
  void GiveBack(size_t first_page, size_t pages);
  void GiveBackKept(size_t begin, size_t end);

  uintptr_t caller_ = 0;
  uintptr_t twin_ = 0;
  size_t bytes_ = 0;
  std::atomic<MemoryRecord*>* owners_ = nullptr;  // by page
  std::map<size_t, size_t> gaps_;  // pages of no live block, from first to end; no two meet
  size_t cursor_ = 0;              // where the search for a gap goes on
  std::map<size_t, size_t> kept_;  // freed pages whose memory was not given back yet, likewise
  size_t kept_bytes_ = 0;
  std::atomic<bool> any_opened_{false};
  std::atomic<bool> all_opened_{false};
};

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_ASCENDCL_STRICT_ARENA_H_
