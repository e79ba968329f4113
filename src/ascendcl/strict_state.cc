#include "ascendcl/strict_state.h"

#include <fmt/core.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstring>
#include <iterator>
#include <memory>

#include "ascendcl/strict.h"
#include "ascendcl/strict_signal.h"
#include "base/env.h"

namespace aclnn_cpu {

namespace strict_internal {
constinit std::atomic<StrictMode> mode{StrictMode::kUnread};
}  // namespace strict_internal

namespace {

constexpr size_t kArenaBytes = size_t{64} << 30;

constinit std::atomic<StrictState*> the_state{nullptr};
constinit std::atomic<StrictState*> the_inherited_state{nullptr};
constinit std::atomic<bool> fork_handler_registered{false};
constinit std::atomic<bool> is_being_made{false};

// Who has one makes the state. Not a mutex, which a forked child may find locked for ever.
struct MakingTurn {
  MakingTurn() {
    while (is_being_made.exchange(true, std::memory_order_acquire)) sched_yield();
  }
  ~MakingTurn() { is_being_made.store(false, std::memory_order_release); }
};

void ForgetStateInForkedChild() {
  StrictState* const state = the_state.exchange(nullptr, std::memory_order_relaxed);
  if (state != nullptr) the_inherited_state.store(state, std::memory_order_relaxed);
  is_being_made.store(false, std::memory_order_relaxed);
  ForgetReportersInForkedChild();
}

}  // namespace

StrictMode strict_internal::ReadMode() {
  StrictMode read = StrictMode::kOff;
  const char* const text = EnvText(EnvVar::kStrict);
  const bool is_rejected = text != nullptr && std::strcmp(text, "0") != 0 &&
                           std::strcmp(text, "1") != 0 && std::strcmp(text, "abort") != 0;
  if (text != nullptr && std::strcmp(text, "1") == 0) {
    read = StrictMode::kReport;
  } else if (text != nullptr && std::strcmp(text, "abort") == 0) {
    read = StrictMode::kAbort;
  } else if (is_rejected) {
    RejectEnv(EnvVar::kStrict, "0, 1 or abort");
  }
  if (read != StrictMode::kOff) {
    FixReportPath();
    if (!fork_handler_registered.exchange(true))
      pthread_atfork(nullptr, nullptr, ForgetStateInForkedChild);
  }
  StrictMode expected = StrictMode::kUnread;
  if (mode.compare_exchange_strong(expected, read) && is_rejected) {
    // Who asks for strict mode would take silence for "no findings".
    PrintStrictNote(fmt::format(
        "strict mode: ACLNN_CPU_STRICT is \"{}\", must be 0, 1 or abort; it is off", text));
  }
  return mode.load();
}

void ForceStrictForTest(StrictMode mode) { strict_internal::mode.store(mode); }

StrictState::StrictState() : inherited(the_inherited_state.load(std::memory_order_relaxed)) {
  if (!arena.Reserve(kArenaBytes)) {
    PrintStrictNote(
        "strict mode: the system refuses the address space for device memory; accesses by the host "
        "and uses after free cannot be seen in this process");
  }
}

StrictState& TheStrictState() {
  if (StrictState* const state = StrictStateIfAny()) return *state;
  // The first call loads a library, which a signal handler must not do; nor may one wait for that
  // while others wait here.
  CaptureStack();
  const MakingTurn turn;
  if (StrictState* const state = StrictStateIfAny()) return *state;
  auto fresh = std::make_unique<StrictState>();
  the_state.store(fresh.get(), std::memory_order_release);
  return *fresh.release();
}

StrictState* StrictStateIfAny() { return the_state.load(std::memory_order_acquire); }

DeviceArena FindArena(uintptr_t address) {
  StrictState* const own = StrictStateIfAny();
  if (own != nullptr && own->arena.Contains(address)) return {&own->arena, false};
  StrictState* state = the_inherited_state.load(std::memory_order_relaxed);
  for (; state != nullptr; state = state->inherited) {
    if (state->arena.Contains(address)) return {&state->arena, true};
  }
  return {nullptr, false};
}

MemoryRecord* StrictState::Find(const void* address) const {
  const auto number = reinterpret_cast<uintptr_t>(address);
  if (arena.Contains(number)) return arena.Find(number);
  for (const auto* table : {&live, &freed_outside}) {
    auto next = table->upper_bound(number);
    if (next == table->begin()) continue;
    MemoryRecord* const record = std::prev(next)->second;
    if (!record->in_arena && number - record->base < record->usable) return record;
  }
  return nullptr;
}

FindingMemory Describe(const MemoryRecord& record) {
  return {reinterpret_cast<const void*>(record.base), record.bytes, record.api, !record.live.load(),
          record.allocated};
}

}  // namespace aclnn_cpu
