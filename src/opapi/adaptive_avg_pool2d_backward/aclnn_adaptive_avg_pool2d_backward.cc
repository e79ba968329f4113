#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"

#include "ascendcl/api_call.h"
#include "ascendcl/strict.h"
#include "nnopbase/executor.h"
#include "opapi/adaptive_avg_pool2d_backward/plan.h"

namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace {

StatusOr<OpTask> MakeTask(const Args& args) {
  ASSIGN_OR_RETURN(const Problem& problem, CheckContract(args));
  if (StrictOn()) CheckPage(args);
  if (problem.is_empty) return OpTask{&Info(), {}, nullptr};
  ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, MakePlan(problem));
  return OpTask{&Info(),
                ListTensorArgs({{{"gradOutput", args.gradOutput}, TensorUse::kRead},
                                {{"self", args.self}, TensorUse::kNotAccessed},
                                {{"out", args.out}, TensorUse::kWrite}}),
                std::move(plan)};
}

}  // namespace
}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward

namespace op = aclnn_cpu::adaptive_avg_pool2d_backward;

extern "C" {

ACLNN_API aclnnStatus aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(const aclTensor* gradOutput,
                                                                     const aclTensor* self,
                                                                     aclTensor* out,
                                                                     uint64_t* workspaceSize,
                                                                     aclOpExecutor** executor) {
  return aclnn_cpu::AclnnCall(__func__, [&]() -> aclnn_cpu::Status {
    ASSIGN_OR_RETURN(aclnn_cpu::OpTask task,
                     op::MakeTask({gradOutput, self, out, workspaceSize, executor}));
    return aclnn_cpu::CreateExecutor(std::move(task), workspaceSize, executor);
  });
}

ACLNN_API aclnnStatus aclnnAdaptiveAvgPool2dBackward(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor,
                                                     const aclrtStream stream) {
  return aclnn_cpu::AclnnCall(
      __func__, [&] { return aclnn_cpu::Launch(workspace, workspaceSize, executor, stream); });
}

}  // extern "C"
