#ifndef ACLNN_CPU_NNOPBASE_OP_WORK_H_
#define ACLNN_CPU_NNOPBASE_OP_WORK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ascendcl/work.h"
#include "base/aligned_buffer.h"
#include "base/status.h"
#include "nnopbase/executor.h"

namespace aclnn_cpu {

// One launch of an operator. Holds addresses and views, no tensor object. Whoever runs it at once
// keeps the task meanwhile; before it is queued, it must own the task's plan.
class OpWork : public Work {
 public:
  // `bases` are the data pointers of task.args, read once by the caller; those whose data are
  // needed are not null. `workspace` is aligned. Accesses() is empty unless `notes_accesses`.
  // Throws std::bad_alloc if copies of inputs do not fit in memory.
  OpWork(const OpTask& task, std::span<void* const> bases, std::byte* workspace,
         bool notes_accesses);
  // The same work, which owns the plan.
  OpWork(OpWork&& other, std::shared_ptr<const OpPlan> plan);

  Status Run() override;
  const char* Api() const override { return api_; }
  bool IsOperator() const override { return true; }
  std::span<const MemoryAccess> Accesses() const override { return accesses_; }
  void UseTwins(Twin twin) override;
  double EstimatedMicroseconds() const override;

  int64_t CopiedBytes() const;

 private:
  // An input that overlaps an output: its bytes, gaps between strided elements included, move to
  // `copy` before the kernel runs.
  struct InputCopy {
    const std::byte* source;
    AlignedBuffer copy;
  };

  void NoteAccesses(const OpTask& task, std::span<void* const> bases);
  void CopyOverlappingInputs(const OpTask& task, std::span<void* const> bases);

  const char* const api_;
  const OpPlan* const plan_;
  const std::shared_ptr<const OpPlan> owned_plan_;
  // Of the first elements, as OpPlan::Run takes them; as many as there are arguments.
  std::array<void*, kMaxTensorArgs> addresses_{};
  size_t address_count_;
  std::vector<MemoryAccess> accesses_;  // in the caller's addresses
  std::vector<InputCopy> copies_;
  std::byte* workspace_;
};

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_NNOPBASE_OP_WORK_H_
