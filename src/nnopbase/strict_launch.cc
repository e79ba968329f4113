#include "nnopbase/strict_launch.h"

#include <fmt/core.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ascendcl/strict.h"
#include "ascendcl/strict_findings.h"
#include "ascendcl/strict_runs.h"
#include "base/checked_math.h"
#include "nnopbase/state.h"

namespace aclnn_cpu {
namespace {

struct LaunchCheck {
  const OpTask& task;
  const void* workspace;
  uint64_t workspace_size;

  void Report(FindingKind kind, const char* argument, const std::string& message) const {
    ReportFinding({.kind = kind, .api = task.info->api, .argument = argument, .message = message});
  }
};

// Where the argument's view lies now.
std::optional<MemoryAccess> AccessOf(const TensorArg& arg) {
  const auto base = reinterpret_cast<uintptr_t>(arg.tensor->data.load());
  if (arg.use == TensorUse::kNotAccessed || base == 0) return std::nullopt;
  const auto offset =
      static_cast<uintptr_t>(arg.offset) * static_cast<uintptr_t>(arg.element_bytes);
  return MemoryAccess{arg.name, reinterpret_cast<const void*>(base + offset), arg.view,
                      arg.element_bytes, arg.use == TensorUse::kWrite};
}

void CheckWorkspaceMemory(const LaunchCheck& check) {
  const std::optional<size_t> bytes = StrictBytesFrom(check.workspace);
  if (!bytes || check.workspace_size <= *bytes) return;  // no memory: reported when it is queued
  check.Report(FindingKind::kWorkspace, "workspace",
               fmt::format("workspaceSize is {}, the allocation has {} bytes from there on",
                           check.workspace_size, *bytes));
}

void CheckWorkspaceIsApart(const LaunchCheck& check) {
  const auto begin = reinterpret_cast<uintptr_t>(check.workspace);
  const uintptr_t end = begin + std::min<uint64_t>(check.workspace_size, UINTPTR_MAX - begin);
  for (const TensorArg& arg : check.task.args) {
    const std::optional<MemoryAccess> access = AccessOf(arg);
    if (!access) continue;
    const std::optional<AddressRange> bounds = BoundsOf(*access);
    if (!bounds || bounds->end <= begin || end <= bounds->begin) continue;
    const std::optional<std::vector<AddressRange>> runs = RunsOf(*access);
    if (!runs) {
      CountUnchecked();
      continue;
    }
    for (const AddressRange& run : *runs) {
      if (run.end <= begin || end <= run.begin) continue;
      check.Report(FindingKind::kWorkspace, "workspace",
                   fmt::format("the workspace {}, {} bytes, overlaps the tensor {}",
                               check.workspace, check.workspace_size, arg.name));
      break;
    }
  }
}

void CheckWorkspace(const LaunchCheck& check, uint64_t needed_bytes) {
  if (check.workspace == nullptr && (check.workspace_size > 0 || needed_bytes > 0)) {
    check.Report(FindingKind::kWorkspace, "workspace",
                 fmt::format("workspace is null, workspaceSize {}, phase one said {}",
                             check.workspace_size, needed_bytes));
    return;
  }
  if (check.workspace_size < needed_bytes) {
    check.Report(
        FindingKind::kWorkspace, "workspaceSize",
        fmt::format("workspaceSize is {}, phase one said {}", check.workspace_size, needed_bytes));
    return;
  }
  if (needed_bytes == 0) return;
  const uintptr_t above = reinterpret_cast<uintptr_t>(check.workspace) % kDeviceAlignment;
  if (above != 0)
    check.Report(FindingKind::kUnaligned, "workspace",
                 fmt::format("the address {} is {} bytes above a multiple of {}", check.workspace,
                             above, kDeviceAlignment));
  CheckWorkspaceMemory(check);
  CheckWorkspaceIsApart(check);
}

// What a view that is not contiguous may touch. For contiguous ones storageDims may be anything.
void CheckStorage(const LaunchCheck& check, const TensorArg& arg) {
  if (arg.use == TensorUse::kNotAccessed || IsContiguous(arg.view.extents, arg.view.strides))
    return;
  const std::optional<size_t> there = StrictBytesFrom(arg.tensor->data.load());
  const std::optional<int64_t> elements = ElementCount(arg.tensor->storage_dims);
  int64_t bytes = 0;
  if (!there || !elements || !CheckedMul(*elements, arg.element_bytes, &bytes)) return;
  if (static_cast<uint64_t>(bytes) <= *there) return;
  check.Report(FindingKind::kViewOutOfBounds, arg.name,
               fmt::format("its storage has {} bytes by storageDims, the allocation {} from the "
                           "data pointer on",
                           bytes, *there));
}

std::string PhaseOneOf(const OpInfo& info) { return std::string(info.api) + "GetWorkspaceSize"; }

const char* FateOf(ExecutorFate fate) {
  switch (fate) {
    case ExecutorFate::kDestroyed:
      return "was destroyed before";
    case ExecutorFate::kFailed:
      return "is gone since its launch failed";
    default:
      return "was launched before and is not repeatable";
  }
}

bool IsAlive(const ExecutorTrace& trace) {
  return trace.fate == ExecutorFate::kWaiting ||
         (trace.fate == ExecutorFate::kLaunched && trace.repeatable);
}

}  // namespace

void StrictOnExecutor(const void* executor, const OpInfo& info) {
  NnopState& state = State();
  const CallStack stack = CaptureStack();
  const std::lock_guard lock(state.traces_mutex);
  if (state.executor_traces.size() >= state.most_traces) {
    std::erase_if(state.executor_traces, [](const auto& entry) { return !IsAlive(entry.second); });
    // Not again for each of many that are alive.
    state.most_traces = std::max(state.most_traces, 2 * state.executor_traces.size());
  }
  state.executor_traces.emplace(executor, ExecutorTrace{.info = &info, .created = stack});
}

void StrictOnLaunch(const void* executor, const OpTask& task, uint64_t needed_bytes,
                    const void* workspace, uint64_t workspace_size) {
  NnopState& state = State();
  {
    const std::lock_guard lock(state.traces_mutex);
    const auto trace = state.executor_traces.find(executor);
    if (trace != state.executor_traces.end()) {
      trace->second.fate = ExecutorFate::kLaunched;
      trace->second.launched = true;
    }
  }
  const LaunchCheck check{task, workspace, workspace_size};
  CheckWorkspace(check, needed_bytes);
  for (const TensorArg& arg : task.args) {
    if (arg.tensor->destroyed.load())
      check.Report(FindingKind::kExecutor, arg.name, "the tensor was destroyed before this launch");
    CheckStorage(check, arg);
  }
}

void StrictOnDeadExecutor(const char* api, const void* executor) {
  NnopState& state = State();
  std::optional<ExecutorTrace> trace;
  {
    const std::lock_guard lock(state.traces_mutex);
    const auto found = state.executor_traces.find(executor);
    if (found != state.executor_traces.end()) trace = found->second;
  }
  const char* const fate = trace ? FateOf(trace->fate) : "does not come from a phase one";
  if (api == nullptr && trace) api = trace->info->api;
  const std::string message = fmt::format("executor {} {}", executor, fate);
  ReportFinding(
      {.kind = FindingKind::kExecutor, .api = api, .argument = "executor", .message = message});
}

void StrictOnRepeatable(const void* executor) {
  NnopState& state = State();
  const std::lock_guard lock(state.traces_mutex);
  const auto trace = state.executor_traces.find(executor);
  if (trace != state.executor_traces.end()) trace->second.repeatable = true;
}

void StrictOnExecutorGone(const void* executor, ExecutorFate fate) {
  NnopState& state = State();
  const std::lock_guard lock(state.traces_mutex);
  const auto trace = state.executor_traces.find(executor);
  if (trace != state.executor_traces.end()) trace->second.fate = fate;
}

void ReportLiveExecutors(LeakTime time) {
  NnopState& state = State();
  FindingList findings;
  findings.ReportAt(time);
  const std::lock_guard lock(state.traces_mutex);
  for (auto& [executor, trace] : state.executor_traces) {
    if (!IsAlive(trace) || trace.reported) continue;
    trace.reported = true;
    const std::string api = PhaseOneOf(*trace.info);
    const std::string message = fmt::format(
        "executor {} was never {} {}", executor,
        trace.launched ? "destroyed, although it is repeatable" : "launched nor destroyed",
        LeakTimeText(time));
    findings.Add({.kind = FindingKind::kExecutor,
                  .api = api.c_str(),
                  .argument = "executor",
                  .message = message,
                  .stack = &trace.created,
                  .stack_title = "created from"});
  }
}

void ReportNnopLeaks(LeakTime time) {
  ReportLiveObjects(time);
  ReportLiveExecutors(time);
}

}  // namespace aclnn_cpu
