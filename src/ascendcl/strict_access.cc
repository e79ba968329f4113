// Every access to memory that the library knows about, checked against the allocations and against
// what came before it.
#include "ascendcl/strict_access.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "ascendcl/stream.h"
#include "ascendcl/strict_findings.h"
#include "ascendcl/strict_hooks.h"
#include "ascendcl/strict_runs.h"

namespace aclnn_cpu {
namespace {

constexpr const char* kWorkspace = "workspace";

bool IsWorkspace(const char* argument) { return std::strcmp(argument, kWorkspace) == 0; }

// Who accesses memory.
struct Accessor {
  const char* api;
  Agent agent = kHostAgent;
  uint64_t ticket = 0;
  const void* stream = nullptr;
  bool is_operator = false;
};

// The checks of one access. The state's mutex is held.
class AccessCheck {
 public:
  AccessCheck(StrictState& state, const Accessor& who, const MemoryAccess& access,
              FindingList& findings)
      : state_(state), who_(who), access_(access), findings_(findings) {
    base_ = access.base != nullptr ? access.base : access.address;
    record_ = state.Find(base_);
  }

  void CheckMemory() const {
    CheckUse();
    if (!MayBeUsed()) return;
    CheckAlignment();
    CheckBounds();
  }

  void CheckUse() const {
    if (record_ == nullptr) {
      CheckUnknown();
    } else if (!record_->live.load()) {
      // Memory of the heap that was freed may have been given to others by now.
      if (record_->in_arena || who_.is_operator)
        Report(FindingKind::kUseAfterFree, fmt::format("{} was freed", base_));
    } else if (!MayBeUsed()) {
      Report(FindingKind::kHostPointer,
             fmt::format("{} is host memory of aclrtMallocHost, must be device memory", base_));
    }
  }

  void CheckOrder() {
    if (!MayBeUsed()) return;
    MemoryHistory& history = *record_->history;
    if (state_.arena.IsOpen(*record_) && !record_->noticed.exchange(true))
      history.Forget({0, record_->bytes});
    const std::optional<AddressRange> bounds = BoundsOf(access_);
    if (!bounds) return;
    const std::optional<std::vector<AddressRange>> pieces = RunsOf(access_);
    if (!pieces) {
      CountUnchecked();
      if (access_.is_write) history.Forget(Offsets(*bounds));
      return;
    }
    std::vector<ByteRun> runs;
    runs.reserve(pieces->size());
    for (const AddressRange& piece : *pieces) {
      const ByteRun run = Offsets(piece);
      if (run.begin < run.end) runs.push_back(run);
    }
    const AccessNames names{who_.api, access_.argument, who_.ticket, who_.stream};
    bool unchecked = false;
    const std::optional<Conflict> conflict =
        who_.agent == kHostAgent ? state_.order.HostAccess(history, runs, access_.is_write)
                                 : state_.order.StreamAccess(who_.agent, history, runs,
                                                             access_.is_write, names, &unchecked);
    if (unchecked) CountUnchecked();
    if (conflict) ReportConflict(*conflict);
  }

 private:
  void Report(FindingKind kind, const std::string& message) const {
    const FindingMemory memory = record_ != nullptr ? Describe(*record_) : FindingMemory{};
    findings_.Add({.kind = kind,
                   .api = who_.api,
                   .argument = access_.argument,
                   .message = message,
                   .memory = record_ != nullptr ? &memory : nullptr});
  }

  bool MayBeUsed() const {
    return record_ != nullptr && record_->live.load() &&
           (!who_.is_operator || record_->kind != MemoryKind::kHost);
  }

  void CheckUnknown() const {
    const DeviceArena found = FindArena(reinterpret_cast<uintptr_t>(base_));
    if (found.is_inherited) {
      Report(
          FindingKind::kForeignPointer,
          fmt::format("{} is device memory of the process that this one was forked from", base_));
    } else if (found.arena != nullptr) {
      Report(FindingKind::kForeignPointer,
             fmt::format("{} is an address of the device at which nothing is allocated", base_));
    } else if (who_.is_operator) {
      Report(FindingKind::kHostPointer,
             fmt::format("{} is not device memory: aclrtMalloc has not given it out", base_));
    }
  }

  void CheckAlignment() const {
    const auto number = reinterpret_cast<uintptr_t>(base_);
    if (!who_.is_operator || number % kDeviceAlignment == 0) return;
    Report(FindingKind::kUnaligned,
           fmt::format("the address {} is {} bytes above a multiple of {}", base_,
                       number % kDeviceAlignment, kDeviceAlignment));
  }

  // The workspace is checked at the launch, against the size that the caller claims.
  void CheckBounds() const {
    if (IsWorkspace(access_.argument)) return;
    const std::optional<AddressRange> bounds = BoundsOf(access_);
    const uintptr_t end = record_->base + record_->bytes;
    if (!bounds || (bounds->begin >= record_->base && bounds->end <= end)) return;
    Report(FindingKind::kViewOutOfBounds,
           fmt::format("bytes {}..{} from the start of the allocation are accessed, it has {}",
                       static_cast<int64_t>(bounds->begin - record_->base),
                       static_cast<int64_t>(bounds->end - record_->base) - 1, record_->bytes));
  }

  // The part inside the allocation.
  ByteRun Offsets(const AddressRange& range) const {
    const uintptr_t end = record_->base + record_->bytes;
    const uintptr_t begin = std::clamp(range.begin, record_->base, end);
    return {begin - record_->base, std::clamp(range.end, begin, end) - record_->base};
  }

  void ReportConflict(const Conflict& conflict) const {
    const auto [begin, end] = conflict.bytes;
    if (conflict.uninitialised) {
      Report(FindingKind::kUninitialised,
             fmt::format("bytes {}..{} of the allocation are read, nothing has written them", begin,
                         end - 1));
      return;
    }
    const AccessNames& earlier = conflict.earlier.names;
    const bool workspace = IsWorkspace(access_.argument) || IsWorkspace(earlier.argument);
    const bool is_free = std::strncmp(who_.api, "aclrtFree", 9) == 0;
    const std::string stream = earlier.stream == nullptr ? std::string("the default stream")
                                                         : fmt::format("stream {}", earlier.stream);
    Report(workspace ? FindingKind::kWorkspace : FindingKind::kUnsynchronised,
           fmt::format("this {} of bytes {}..{} is not ordered after the {} by {} ({}), task {} of "
                       "{}; wait for the stream or for an event first",
                       is_free            ? "free"
                       : access_.is_write ? "write"
                                          : "read",
                       begin, end - 1, conflict.earlier_is_write ? "write" : "read", earlier.api,
                       earlier.argument, earlier.ticket, stream));
  }

  StrictState& state_;
  const Accessor who_;
  const MemoryAccess& access_;
  FindingList& findings_;
  const void* base_;
  MemoryRecord* record_;
};

// `count` bytes as an access.
MemoryAccess Bytes(const char* argument, const void* address, size_t count, bool is_write) {
  const auto extent = static_cast<int64_t>(std::min<size_t>(count, INT64_MAX));
  return {argument, address, StridedView{{extent}, {1}}, 1, is_write};
}

Agent AgentOf(StrictState& state, Stream& stream) {
  if (stream.order_agent == kHostAgent) stream.order_agent = state.order.AddStream();
  return stream.order_agent;
}

const std::shared_ptr<OrderPoint>& PointOf(std::shared_ptr<OrderPoint>& point) {
  if (point == nullptr) point = std::make_shared<OrderPoint>();
  return point;
}

// Streams end in destructors, which cannot fail: without memory, order is lost.
template <typename Change>
void ChangeOrder(Change change) noexcept {
  try {
    StrictState& state = TheStrictState();
    const std::lock_guard lock(state.mutex);
    change(state.order);
  } catch (...) {
  }
}

}  // namespace

void CheckFree(StrictState& state, MemoryRecord& record, const char* api, const char* argument,
               FindingList& findings) {
  const MemoryAccess whole =
      Bytes(argument, reinterpret_cast<const void*>(record.base), record.bytes, true);
  AccessCheck(state, {.api = api}, whole, findings).CheckOrder();
}

void StrictOnHostAccess(const char* api, const char* argument, const void* address, size_t count,
                        bool is_write) {
  StrictState& state = TheStrictState();
  const MemoryAccess access = Bytes(argument, address, count, is_write);
  FindingList findings;
  const std::lock_guard lock(state.mutex);
  AccessCheck check(state, {.api = api}, access, findings);
  check.CheckMemory();
  check.CheckOrder();
}

void StrictOnRefused(const char* api, const char* argument, const void* address) {
  StrictState& state = TheStrictState();
  const MemoryAccess access = Bytes(argument, address, 1, false);
  FindingList findings;
  const std::lock_guard lock(state.mutex);
  AccessCheck(state, {.api = api}, access, findings).CheckUse();
}

void StrictBeforeTask(const Stream& stream, const StreamTask& task) {
  if (task.work == nullptr) return;
  StrictState& state = TheStrictState();
  FindingList findings;
  const std::lock_guard lock(state.mutex);
  const Accessor who{task.work->Api(), kHostAgent, 0, stream.handle(), task.work->IsOperator()};
  for (const MemoryAccess& access : task.work->Accesses())
    AccessCheck(state, who, access, findings).CheckMemory();
}

void StrictOnTask(Stream& stream, const StreamTask& task, uint64_t ticket, FindingList* findings) {
  StrictState& state = TheStrictState();
  const std::lock_guard lock(state.mutex);
  const Agent agent = AgentOf(state, stream);
  if (task.record != nullptr) {
    state.order.Record(agent, ticket, PointOf(task.record->order_point));
  } else if (task.wait.record != nullptr) {
    state.order.Wait(agent, ticket, PointOf(task.wait.record->order_point));
    if (task.wait.waits != nullptr)  // null: a wait for a record of no event, as tests have it
      state.order.AddWait(agent, *PointOf(task.wait.waits->order_point));
  } else {
    state.order.BeginTask(agent, ticket);
    const Accessor who{task.work->Api(), agent, ticket, stream.handle(), task.work->IsOperator()};
    for (const MemoryAccess& access : task.work->Accesses())
      AccessCheck(state, who, access, *findings).CheckOrder();
    // Once it is on the stream, it only reads and writes, so this is where its addresses change.
    task.work->UseTwins(StrictTwin);
  }
}

void StrictOnReached(Stream& stream, uint64_t ticket) noexcept {
  ChangeOrder([&](OrderEngine& order) {
    if (stream.order_agent != kHostAgent) order.HostReaches(stream.order_agent, ticket);
  });
}

void StrictOnClosed(Stream& stream) noexcept {
  ChangeOrder([&](OrderEngine& order) {
    if (stream.order_agent != kHostAgent) order.RemoveStream(stream.order_agent);
    stream.order_agent = kHostAgent;
  });
}

std::shared_ptr<OrderPoint> StrictCopy(const EventWaits& waits) {
  StrictState& state = TheStrictState();
  const std::lock_guard lock(state.mutex);
  return waits.order_point == nullptr ? nullptr : std::make_shared<OrderPoint>(*waits.order_point);
}

void StrictOnReached(OrderPoint& waits) {
  StrictState& state = TheStrictState();
  const std::lock_guard lock(state.mutex);
  state.order.HostReaches(waits);
}

void StrictOnAbandoned(EventRecord& record) {
  StrictState& state = TheStrictState();
  const std::lock_guard lock(state.mutex);
  if (record.order_point != nullptr) record.order_point->state = OrderPoint::State::kAbandoned;
}

}  // namespace aclnn_cpu
