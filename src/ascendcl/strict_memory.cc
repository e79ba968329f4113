// Device memory in strict mode.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "acl/acl_base.h"
#include "ascendcl/strict.h"
#include "ascendcl/strict_access.h"
#include "ascendcl/strict_findings.h"
#include "ascendcl/strict_hooks.h"
#include "ascendcl/strict_signal.h"
#include "ascendcl/strict_state.h"

namespace aclnn_cpu {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;

struct FreeCall {
  const char* api;
  const char* argument;
};

FreeCall CallOf(MemoryKind kind) {
  return kind == MemoryKind::kDevice ? FreeCall{"aclrtFree", "devPtr"}
                                     : FreeCall{"aclrtFreeHost", "hostPtr"};
}

void AddBadFree(const void* address, MemoryKind kind, const MemoryRecord* record,
                FindingList& findings) {
  FindingKind finding = FindingKind::kForeignPointer;
  std::string message;
  const auto number = reinterpret_cast<uintptr_t>(address);
  if (record == nullptr) {
    message = FindArena(number).is_inherited
                  ? fmt::format("{} is device memory of the process that this one was forked from",
                                address)
                  : fmt::format("{} is no address that the library has given out", address);
  } else if (number < record->base) {
    message = fmt::format("{} lies {} bytes before an allocation, must be its start", address,
                          record->base - number);
  } else if (record->base != number) {
    message = fmt::format("{} lies {} bytes inside an allocation, must be its start", address,
                          number - record->base);
  } else if (!record->live.load()) {
    finding = FindingKind::kDoubleFree;
    message = fmt::format("{} was freed before", address);
  } else {
    message = record->kind == MemoryKind::kDevice
                  ? fmt::format("{} is device memory, which aclrtFree frees", address)
                  : fmt::format("{} is host memory, which aclrtFreeHost frees", address);
  }
  const FindingMemory memory = record != nullptr ? Describe(*record) : FindingMemory{};
  const FreeCall call = CallOf(kind);
  findings.Add({.kind = finding,
                .api = call.api,
                .argument = call.argument,
                .message = message,
                .memory = record != nullptr ? &memory : nullptr});
}

// The arena is only address space, so it would promise more memory than there is.
Status CheckMemoryExists(size_t bytes) {
  static constinit std::atomic<size_t> total{0};
  if (total.load() == 0) total.store(ReadMemoryInfo().total_bytes);
  if (bytes <= total.load() || total.load() == 0) return Status();
  FAIL(ACL_ERROR_RT_MEMORY_ALLOCATION, "out of memory: size is {}", bytes);
}

// Gives the record a place; 207001 if there is none.
Status Place(StrictState& state, MemoryRecord& record) {
  const size_t alignment = record.usable >= kHugePage ? kHugePage : 1;
  if (record.kind == MemoryKind::kDevice) {
    if (state.arena.Place(&record, alignment)) return Status();
    if (state.arena.bytes() != 0 && !std::exchange(state.arena_was_full, true))
      PrintStrictNote(
          "strict mode: the address space for device memory is full; accesses by the host to what "
          "is "
          "allocated beyond it cannot be seen");
  }
  ASSIGN_OR_RETURN(void* const address, AllocateFromHeap(record.usable));
  record.base = reinterpret_cast<uintptr_t>(address);
  // The heap has used these addresses again.
  auto next = state.freed_outside.lower_bound(record.base);
  while (next != state.freed_outside.end() && next->first < record.base + record.usable)
    next = state.freed_outside.erase(next);
  return Status();
}

}  // namespace

StatusOr<void*> StrictAllocate(size_t bytes, MemoryKind kind, const AskedFor& asked_for) {
  RETURN_IF_ERROR(CheckMemoryExists(bytes));
  StrictState& state = TheStrictState();
  const bool is_device = kind == MemoryKind::kDevice;
  const CallStack stack = CaptureStack();
  const std::lock_guard lock(state.mutex);
  if (is_device) InstallHostAccessHandler();
  MemoryRecord& record = state.records.emplace_back();
  record.bytes = asked_for.bytes == 0 ? bytes : asked_for.bytes;
  record.api = asked_for.api;
  record.usable = bytes;
  record.kind = kind;
  record.serial = ++state.serial;
  record.allocated = stack;
  record.history = std::make_unique<MemoryHistory>(record.bytes, !is_device);
  const Status placed = Place(state, record);
  if (!placed.ok()) {
    state.records.pop_back();
    return placed;
  }
  state.live.emplace(record.base, &record);
  return reinterpret_cast<void*>(record.base);
}

Status StrictFree(void* address, MemoryKind kind) {
  StrictState& state = TheStrictState();
  FindingList findings;
  const std::lock_guard lock(state.mutex);
  MemoryRecord* const record = state.Find(address);
  if (record == nullptr || record->base != reinterpret_cast<uintptr_t>(address) ||
      !record->live.load() || record->kind != kind) {
    AddBadFree(address, kind, record, findings);
    return NotAllocated(address, kind);
  }
  const FreeCall call = CallOf(kind);
  CheckFree(state, *record, call.api, call.argument, findings);
  record->live.store(false);
  record->history.reset();
  state.live.erase(record->base);
  if (record->in_arena) {
    state.arena.Release(record);
  } else {
    state.freed_outside.insert_or_assign(record->base, record);
    std::free(address);
  }
  return Status();
}

std::optional<Allocation> StrictFind(const void* address) {
  StrictState& state = TheStrictState();
  const std::lock_guard lock(state.mutex);
  const MemoryRecord* const record = state.Find(address);
  if (record == nullptr || !record->live.load() ||
      reinterpret_cast<uintptr_t>(address) - record->base >= record->usable)
    return std::nullopt;
  return Allocation{reinterpret_cast<std::byte*>(record->base), record->usable, record->kind,
                    record->serial};
}

std::optional<size_t> StrictBytesFrom(const void* address) {
  StrictState& state = TheStrictState();
  const std::lock_guard lock(state.mutex);
  const MemoryRecord* const record = state.Find(address);
  const auto number = reinterpret_cast<uintptr_t>(address);
  if (record == nullptr || !record->live.load() || number < record->base) return std::nullopt;
  const size_t offset = number - record->base;
  return offset < record->bytes ? record->bytes - offset : 0;
}

void* StrictTwin(const void* address) {
  const DeviceArena found = FindArena(reinterpret_cast<uintptr_t>(address));
  return found.arena != nullptr ? found.arena->Twin(address) : const_cast<void*>(address);
}

}  // namespace aclnn_cpu
