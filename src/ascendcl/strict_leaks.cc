// What is still alive at aclFinalize and when the process ends.
#include <fmt/core.h>

#include <atomic>
#include <iterator>
#include <string>
#include <string_view>

#include "ascendcl/strict.h"
#include "ascendcl/strict_findings.h"
#include "ascendcl/strict_hooks.h"
#include "ascendcl/strict_signal.h"
#include "ascendcl/strict_state.h"

namespace aclnn_cpu {
namespace {

constinit std::atomic<LeakReporter> reporter_above{nullptr};

void AddMemory(StrictState& state, LeakTime time, FindingList& findings) {
  for (const auto& [base, record] : state.live) {
    if (record->leak_reported) continue;
    record->leak_reported = true;
    FindingMemory memory = Describe(*record);
    const CallStack stack = memory.allocated;
    memory.allocated.depth = 0;  // once is enough
    const bool is_device = record->kind == MemoryKind::kDevice;
    const std::string message =
        fmt::format("{} bytes were not freed with {} {}", record->bytes,
                    is_device ? "aclrtFree" : "aclrtFreeHost", LeakTimeText(time));
    findings.Add({.kind = FindingKind::kLeak,
                  .api = memory.api,
                  .argument = is_device ? "devPtr" : "hostPtr",
                  .message = message,
                  .memory = &memory,
                  .stack = &stack,
                  .stack_title = "allocated from"});
  }
}

struct HandleWords {
  std::string_view created_by;  // with or without more behind it
  const char* what;
  const char* destroyed_by;
};

constexpr HandleWords kHandleWords[] = {
    {"aclrtCreateStream", "stream", "aclrtDestroyStream"},
    {"aclrtCreateEvent", "event", "aclrtDestroyEvent"},
    {"aclrtCreateContext", "context", "aclrtDestroyContext"},
};

void AddHandles(StrictState& state, LeakTime time, FindingList& findings) {
  for (const auto& [handle, created] : state.handles) {
    for (const HandleWords& words : kHandleWords) {
      if (!std::string_view(created.api).starts_with(words.created_by)) continue;
      const std::string message = fmt::format("{} {} was not destroyed with {} {}", words.what,
                                              handle, words.destroyed_by, LeakTimeText(time));
      findings.Add({.kind = FindingKind::kLeak,
                    .api = created.api,
                    .argument = words.what,
                    .message = message,
                    .stack = &created.stack,
                    .stack_title = "created from"});
    }
  }
  state.handles.clear();
}

// Later than handlers of atexit and destructors of the program's static objects, which may still
// free what they hold.
[[gnu::destructor]] void AtExit() {
  if (strict_internal::mode.load() <= StrictMode::kOff) return;
  try {
    StrictReportLeaks(LeakTime::kExit);
    PrintStrictSummary();
  } catch (...) {
    // Out of memory for a text: the exit status is not ours to change.
  }
}

}  // namespace

void StrictNoteCreated(const char* api, const void* handle) {
  StrictState& state = TheStrictState();
  const CreatedHandle created{api, CaptureStack()};
  const std::lock_guard lock(state.mutex);
  state.handles.emplace(handle, created);
}

void StrictNoteDestroyed(const void* handle) {
  StrictState& state = TheStrictState();
  const std::lock_guard lock(state.mutex);
  state.handles.erase(handle);
}

void StrictReportLeaks(LeakTime time) {
  if (StrictState* const state = StrictStateIfAny()) {
    FindingList findings;
    findings.ReportAt(time);
    const std::lock_guard lock(state->mutex);
    AddMemory(*state, time, findings);
    AddHandles(*state, time, findings);
  }
  if (const LeakReporter above = reporter_above.load()) above(time);
}

void StrictAddLeakReporter(LeakReporter reporter) { reporter_above.store(reporter); }

void StrictOnInit() {
  if (StrictState* const state = StrictStateIfAny()) {
    const std::lock_guard lock(state->mutex);
    InstallHostAccessHandler();
  }
}

void StrictOnFinalize() {
  StrictReportLeaks(LeakTime::kFinalize);
  PrintStrictSummary();
  if (StrictState* const state = StrictStateIfAny()) {
    const std::lock_guard lock(state->mutex);
    RemoveHostAccessHandler();
  }
}

}  // namespace aclnn_cpu
