#ifndef ACLNN_CPU_NNOPBASE_EXECUTOR_H_
#define ACLNN_CPU_NNOPBASE_EXECUTOR_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "aclnn/acl_meta.h"
#include "base/shape.h"
#include "base/status.h"
#include "nnopbase/op_info.h"
#include "nnopbase/tensor.h"

namespace aclnn_cpu {

// A part of the workspace and what it is for, as `explain` prints it. The parts lie one after the
// other, each at the next multiple of kBufferAlignment.
struct WorkspaceItem {
  const char* purpose;
  int64_t bytes;
};

// What phase one decided about a call. Immutable; shared by all launches of an executor.
class OpPlan {
 public:
  virtual ~OpPlan() = default;
  OpPlan() = default;
  OpPlan(const OpPlan&) = delete;
  OpPlan& operator=(const OpPlan&) = delete;

  // Runs the kernel. `args` holds, in the order of OpTask::args, the address of the first element
  // of each view (null for arguments whose data are not used); `workspace` is 64-byte aligned and
  // WorkspaceBytes() long. Allocates nothing, checks nothing, logs nothing.
  virtual void Run(std::span<void* const> args, std::byte* workspace) const = 0;

  virtual std::span<const WorkspaceItem> Workspace() const = 0;
  virtual double EstimatedMicroseconds() const = 0;
  // One line: variant, blocks, what is accumulated where.
  virtual std::string Describe() const = 0;

  // Of all parts with their padding; INT64_MAX if that does not fit.
  int64_t WorkspaceBytes() const;
};

enum class TensorUse { kRead, kWrite, kNotAccessed };

struct TensorArg {
  TensorArg(NamedTensor argument, TensorUse how)
      : name(argument.name),
        tensor(argument.tensor->state),
        view(how == TensorUse::kNotAccessed ? StridedView() : tensor->facts.view),
        offset(tensor->offset),
        element_bytes(tensor->facts.element_bytes),
        low_byte(tensor->facts.low_byte),
        end_byte(tensor->facts.end_byte),
        use(how) {}

  // The kernel needs the data pointer.
  bool IsUsed() const { return use != TensorUse::kNotAccessed && low_byte != end_byte; }

  const char* name;
  std::shared_ptr<TensorState> tensor;
  StridedView view;  // as phase one saw it, like all below
  int64_t offset;    // elements
  int64_t element_bytes;
  int64_t low_byte;  // what the view touches, from the data pointer on; both 0 for empty views
  int64_t end_byte;
  TensorUse use;
};

struct TensorRole {
  NamedTensor tensor;
  TensorUse use;
};

// The arguments of a task, in the order of OpPlan::Run; made in place, because a copy costs atomic
// counts of references.
inline std::vector<TensorArg> ListTensorArgs(std::initializer_list<TensorRole> roles) {
  std::vector<TensorArg> list;
  list.reserve(roles.size());
  for (const TensorRole& role : roles) list.emplace_back(role.tensor, role.use);
  return list;
}

// More tensors than any operator takes.
inline constexpr size_t kMaxTensorArgs = 8;

// A checked and planned call. Empty work has no plan and no arguments; there are at most
// kMaxTensorArgs of them.
struct OpTask {
  const OpInfo* info;
  std::vector<TensorArg> args;
  std::shared_ptr<const OpPlan> plan;
};

// The end of phase one: makes the executor and writes both results, which stay untouched on
// failure. The size exceeds WorkspaceBytes() by what aligning any pointer may cost, unless it is 0.
Status CreateExecutor(OpTask task, uint64_t* workspace_size, aclOpExecutor** executor);

// Phase two of every operator, in the order of contract.md 4.3: executor null 161001; process
// forked and not initialised anew 361001; not alive 561000; workspace null although a size is given
// 161001; workspace too small 161002; a needed data pointer null, stream unknown, or null without a
// context 361001. The executor is gone after any of these. A failure to queue the work, 361001, or
// success ends only a non-repeatable one. Inputs that overlap an output are copied before the
// kernel runs.
//
// Of several threads that launch the same non-repeatable executor, one succeeds and the others get
// 561000.
Status Launch(void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
              aclrtStream stream);

// aclSetAclOpExecutorRepeatable and aclDestroyAclOpExecutor: null 561103, not alive 561000.
Status MakeExecutorRepeatable(aclOpExecutor* executor);
Status DestroyExecutor(aclOpExecutor* executor);

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_NNOPBASE_EXECUTOR_H_
