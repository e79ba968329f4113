#ifndef ACLNN_CPU_ASCENDCL_STRICT_STATE_H_
#define ACLNN_CPU_ASCENDCL_STRICT_STATE_H_

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>

#include "ascendcl/strict_arena.h"
#include "ascendcl/strict_order.h"
#include "ascendcl/strict_report.h"

namespace aclnn_cpu {

// A stream, event or context between its creation and its destruction by the caller.
struct CreatedHandle {
  const char* api;  // that created it
  CallStack stack;
};

// All that strict mode knows. Made at the first use and never deleted; a forked child starts with a
// new one, so that it does not share device memory with its parent.
struct StrictState {
  StrictState();

  StrictState* const inherited;  // what this process had when it was forked, if it was
  StrictArena arena;

  std::mutex mutex;  // guards what follows, and the arena's functions that want a lock
  uint64_t serial = 0;
  bool arena_was_full = false;
  std::deque<MemoryRecord> records;
  std::map<uintptr_t, MemoryRecord*> live;           // all allocations, by base
  std::map<uintptr_t, MemoryRecord*> freed_outside;  // those not in the arena, while not reused
  OrderEngine order;
  std::unordered_map<const void*, CreatedHandle> handles;

  // The allocation, live or freed, that `address` belongs to; nullptr if none. Needs the mutex.
  MemoryRecord* Find(const void* address) const;
};

StrictState& TheStrictState();

// The state if it exists. For signal handlers.
StrictState* StrictStateIfAny();

// The device memory of this process, or of one that it was forked from, that has the address;
// nullptr if it is none. For signal handlers too.
struct DeviceArena {
  StrictArena* arena;
  bool is_inherited;
};
DeviceArena FindArena(uintptr_t address);

FindingMemory Describe(const MemoryRecord& record);

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_ASCENDCL_STRICT_STATE_H_
