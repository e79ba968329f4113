#include "nnopbase/executor.h"

#include <array>
#include <atomic>
#include <new>
#include <span>
#include <utility>

#include "aclnn/opdev/op_errno.h"
#include "ascendcl/strict.h"
#include "ascendcl/work.h"
#include "base/aligned_buffer.h"
#include "base/checked_math.h"
#include "base/log.h"
#include "nnopbase/arguments.h"
#include "nnopbase/checks.h"
#include "nnopbase/op_work.h"
#include "nnopbase/state.h"
#include "nnopbase/strict_launch.h"

namespace aclnn_cpu {

// Behind an aclOpExecutor handle.
class Executor {
 public:
  Executor(OpTask task, uint64_t needed_bytes)
      : task_(std::move(task)), needed_bytes_(needed_bytes) {}

  const OpTask& task() const { return task_; }
  uint64_t needed_bytes() const { return needed_bytes_; }  // as phase one reported
  bool repeatable() const { return repeatable_.load(std::memory_order_relaxed); }
  void MakeRepeatable() { repeatable_.store(true, std::memory_order_relaxed); }

 private:
  const OpTask task_;
  const uint64_t needed_bytes_;
  std::atomic<bool> repeatable_{false};
};

namespace {

// `api` as StrictOnDeadExecutor wants it.
Status NotAlive(const char* api, const aclOpExecutor* executor) {
  if (StrictOn()) StrictOnDeadExecutor(api, executor);
  FAIL(ACLNN_ERR_INNER,
       "executor {} is not alive (launched already, destroyed, or not from phase one), "
       "must come from a phase one whose work was not launched yet",
       static_cast<const void*>(executor));
}

std::byte* AlignUp(void* pointer) {
  constexpr uintptr_t kMask = kBufferAlignment - 1;
  return reinterpret_cast<std::byte*>((reinterpret_cast<uintptr_t>(pointer) + kMask) & ~kMask);
}

Status CheckWorkspace(const Executor& executor, const void* workspace, uint64_t workspace_size) {
  if (workspace_size > 0 && workspace == nullptr) {
    FAIL(ACLNN_ERR_PARAM_NULLPTR, "workspace is null although workspaceSize is {}", workspace_size);
  }
  if (workspace_size < executor.needed_bytes()) {
    FAIL(ACLNN_ERR_PARAM_INVALID, "workspaceSize is {}, must be at least {} as phase one said",
         workspace_size, executor.needed_bytes());
  }
  return Status();
}

// What a launch finds out once and keeps.
struct LaunchTarget {
  std::array<void*, kMaxTensorArgs> pointers{};  // of the arguments' data, as they are now
  std::shared_ptr<Stream> stream;
};

// The data pointers of needed arguments may not lack.
Status ReadDataPointers(const OpTask& task, std::span<void*> pointers) {
  for (size_t i = 0; i < task.args.size(); ++i) {
    const TensorArg& arg = task.args[i];
    pointers[i] = arg.tensor->data.load(std::memory_order_acquire);
    if (arg.IsUsed() && pointers[i] == nullptr) {
      FAIL(ACLNN_ERR_RUNTIME_ERROR, "the data pointer of {} is null, must be device memory",
           arg.name);
    }
  }
  return Status();
}

// Steps 3 to 5 of contract.md 4.3.
Status CheckLaunch(const Executor& executor, const void* workspace, uint64_t workspace_size,
                   aclrtStream stream, LaunchTarget* target) {
  RETURN_IF_ERROR(CheckWorkspace(executor, workspace, workspace_size));
  if (executor.task().plan == nullptr) return Status();
  RETURN_IF_ERROR(ReadDataPointers(executor.task(), target->pointers));
  StatusOr<std::shared_ptr<Stream>> found = FindStreamForWork(stream);
  if (!found.ok()) FAIL(ACLNN_ERR_RUNTIME_ERROR, "{}", found.status().message());
  target->stream = std::move(found).value();
  return Status();
}

Status QueueWork(const OpTask& task, const LaunchTarget& target, void* workspace) {
  try {
    OpWork work(task, target.pointers, AlignUp(workspace), StrictOn());
    // Copies would outlive the moment at which others see the work done.
    if (work.CopiedBytes() == 0 && RunIfTiny(*target.stream, work)) return Status();
    const Status status =
        EnqueueWork(*target.stream, std::make_unique<OpWork>(std::move(work), task.plan));
    if (!status.ok()) FAIL(ACLNN_ERR_RUNTIME_ERROR, "{}", status.message());
    return Status();
  } catch (const std::bad_alloc&) {
    FAIL(ACLNN_ERR_RUNTIME_ERROR,
         "no memory to queue the work of {}, or to copy the inputs that overlap one of its outputs",
         task.info->api);
  }
}

}  // namespace

int64_t OpPlan::WorkspaceBytes() const {
  constexpr int64_t kAlignment = kBufferAlignment;
  int64_t total = 0;
  for (const WorkspaceItem& item : Workspace()) {
    if (item.bytes > INT64_MAX - kAlignment ||
        !CheckedAdd(total, RoundUp(item.bytes, kAlignment), &total)) {
      return INT64_MAX;
    }
  }
  return total;
}

Status CreateExecutor(OpTask task, uint64_t* workspace_size, aclOpExecutor** executor) {
  uint64_t needed_bytes = 0;
  if (task.plan != nullptr) {
    const int64_t plan_bytes = task.plan->WorkspaceBytes();
    if (plan_bytes == INT64_MAX) {
      FAIL(ACLNN_ERR_INNER_NULLPTR, "{} needs a workspace beyond 2^63-1 bytes", task.info->api);
    }
    if (plan_bytes > 0) needed_bytes = static_cast<uint64_t>(plan_bytes) + kBufferAlignment;
  }
  if (LogEnabled(LogModule::kOp, LogLevel::kDebug)) {
    Log(LogModule::kOp, LogLevel::kDebug, "{}: {}, workspace {} bytes", task.info->api,
        task.plan != nullptr ? task.plan->Describe() : "empty work", needed_bytes);
  }
  const OpInfo& info = *task.info;
  void* const handle =
      State().executors.Insert(std::make_shared<Executor>(std::move(task), needed_bytes));
  if (StrictOn()) StrictOnExecutor(handle, info);
  *workspace_size = needed_bytes;
  *executor = static_cast<aclOpExecutor*>(handle);
  return Status();
}

Status Launch(void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
              aclrtStream stream) {
  RETURN_IF_ERROR(RequirePointers(ACLNN_ERR_PARAM_NULLPTR, {{"executor", executor}}));
  if (ForkedWithoutInit()) {
    FAIL(ACLNN_ERR_RUNTIME_ERROR, "{}", kForkedText);
  }
  HandleTable<Executor>& executors = State().executors;
  // Of several threads with one handle, the one that takes it out goes on.
  const std::shared_ptr<Executor> live =
      executors.FindOrRemove(executor, [](const Executor& found) { return found.repeatable(); });
  if (live == nullptr) return NotAlive(nullptr, executor);
  if (StrictOn())
    StrictOnLaunch(executor, live->task(), live->needed_bytes(), workspace, workspace_size);

  LaunchTarget target;
  Status status = CheckLaunch(*live, workspace, workspace_size, stream, &target);
  if (!status.ok()) {
    executors.Remove(executor);  // a repeatable one too
    if (StrictOn()) StrictOnExecutorGone(executor, ExecutorFate::kFailed);
    return status;
  }
  if (live->task().plan == nullptr) return status;
  return QueueWork(live->task(), target, workspace);
}

Status MakeExecutorRepeatable(aclOpExecutor* executor) {
  RETURN_IF_ERROR(RequirePointers(ACLNN_ERR_INNER_NULLPTR, {{"executor", executor}}));
  const std::shared_ptr<Executor> live = State().executors.Find(executor);
  if (live == nullptr) return NotAlive("aclSetAclOpExecutorRepeatable", executor);
  live->MakeRepeatable();
  if (StrictOn()) StrictOnRepeatable(executor);
  return Status();
}

Status DestroyExecutor(aclOpExecutor* executor) {
  RETURN_IF_ERROR(RequirePointers(ACLNN_ERR_INNER_NULLPTR, {{"executor", executor}}));
  if (State().executors.Remove(executor) == nullptr)
    return NotAlive("aclDestroyAclOpExecutor", executor);
  if (StrictOn()) StrictOnExecutorGone(executor, ExecutorFate::kDestroyed);
  return Status();
}

}  // namespace aclnn_cpu
