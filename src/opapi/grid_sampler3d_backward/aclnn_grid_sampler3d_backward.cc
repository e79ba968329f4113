#include "aclnnop/aclnn_grid_sampler3d_backward.h"

#include <memory>
#include <utility>

#include "ascendcl/api_call.h"
#include "ascendcl/strict.h"
#include "nnopbase/executor.h"
#include "opapi/grid_sampler3d_backward/problem.h"

namespace aclnn_cpu::grid_sampler3d_backward {
namespace {

StatusOr<OpTask> MakeTask(const Args& args) {
  ASSIGN_OR_RETURN(const Problem problem, CheckContract(args));
  if (StrictOn()) CheckPage(args);
  if (problem.is_empty) return OpTask{&Info(), {}, nullptr};
  ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, MakePlan(problem));
  const auto use = [](bool used, TensorUse how) { return used ? how : TensorUse::kNotAccessed; };
  const TensorUse points = use(problem.reads_grid_and_grad_output(), TensorUse::kRead);
  return OpTask{
      &Info(),
      ListTensorArgs(
          {{{"gradOutput", args.gradOutput}, points},
           {{"input", args.input}, use(problem.reads_input(), TensorUse::kRead)},
           {{"grid", args.grid}, points},
           {{"inputGrad", args.inputGrad}, use(problem.want_input_grad, TensorUse::kWrite)},
           {{"gridGrad", args.gridGrad}, use(problem.want_grid_grad, TensorUse::kWrite)}}),
      std::move(plan)};
}

}  // namespace
}  // namespace aclnn_cpu::grid_sampler3d_backward

namespace op = aclnn_cpu::grid_sampler3d_backward;

extern "C" {

ACLNN_API aclnnStatus aclnnGridSampler3DBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* input, const aclTensor* grid,
    int64_t interpolationMode, int64_t paddingMode, bool alignCorners,
    const aclBoolArray* outputMask, aclTensor* inputGrad, aclTensor* gridGrad,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclnn_cpu::AclnnCall(__func__, [&]() -> aclnn_cpu::Status {
    ASSIGN_OR_RETURN(
        aclnn_cpu::OpTask task,
        op::MakeTask({gradOutput, input, grid, interpolationMode, paddingMode, alignCorners,
                      outputMask, inputGrad, gridGrad, workspaceSize, executor}));
    return aclnn_cpu::CreateExecutor(std::move(task), workspaceSize, executor);
  });
}

ACLNN_API aclnnStatus aclnnGridSampler3DBackward(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream) {
  return aclnn_cpu::AclnnCall(
      __func__, [&] { return aclnn_cpu::Launch(workspace, workspaceSize, executor, stream); });
}

}  // extern "C"
