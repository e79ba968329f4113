// The executor functions of aclnn/acl_meta.h. Rules: contract.md 4.2.
#include "aclnn/opdev/op_errno.h"
#include "ascendcl/api_call.h"
#include "nnopbase/arguments.h"
#include "nnopbase/executor.h"
#include "nnopbase/lists.h"
#include "nnopbase/tensor.h"

namespace aclnn_cpu {
namespace {

// The address lands in the tensor before the executor is looked at, as on CANN, and executors share
// the tensor's state: so neither the index nor a live executor is needed to find where it goes.
aclnnStatus SetAddress(const char* api, const aclOpExecutor* executor, const aclTensor* tensor,
                       void* addr) {
  return AclnnCall(api, [&]() -> Status {
    RETURN_IF_ERROR(RequirePointers(ACLNN_ERR_INNER_NULLPTR, {{"tensor", tensor}}));
    tensor->state->data = addr;
    return RequirePointers(ACLNN_ERR_INNER_NULLPTR, {{"executor", executor}});
  });
}

aclnnStatus SetListAddress(const char* api, const aclOpExecutor* executor, size_t index,
                           const aclTensorList* tensors, void* addr) {
  return AclnnCall(api, [&]() -> Status {
    RETURN_IF_ERROR(RequirePointers(ACLNN_ERR_INNER_NULLPTR, {{"tensors", tensors}}));
    if (index >= tensors->elements.size()) {
      FAIL(ACLNN_ERR_PARAM_INVALID, "relativeIndex is {}, must be below {}, the size of tensors",
           index, tensors->elements.size());
    }
    const aclTensor* const element = tensors->elements[index];
    if (element == nullptr) {
      FAIL(ACLNN_ERR_INNER_NULLPTR, "element {} of tensors is null, must not be null", index);
    }
    element->state->data = addr;
    return RequirePointers(ACLNN_ERR_INNER_NULLPTR, {{"executor", executor}});
  });
}

}  // namespace
}  // namespace aclnn_cpu

using aclnn_cpu::AclnnCall;
using aclnn_cpu::SetAddress;
using aclnn_cpu::SetListAddress;

extern "C" {

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
  return AclnnCall(__func__, [&] { return aclnn_cpu::MakeExecutorRepeatable(executor); });
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
  return AclnnCall(__func__, [&] { return aclnn_cpu::DestroyExecutor(executor); });
}

aclnnStatus aclSetInputTensorAddr(aclOpExecutor* executor, const size_t, aclTensor* tensor,
                                  void* addr) {
  return SetAddress(__func__, executor, tensor, addr);
}

aclnnStatus aclSetOutputTensorAddr(aclOpExecutor* executor, const size_t, aclTensor* tensor,
                                   void* addr) {
  return SetAddress(__func__, executor, tensor, addr);
}

aclnnStatus aclSetTensorAddr(aclOpExecutor* executor, const size_t, aclTensor* tensor, void* addr) {
  return SetAddress(__func__, executor, tensor, addr);
}

aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t,
                                         const size_t relativeIndex, aclTensorList* tensors,
                                         void* addr) {
  return SetListAddress(__func__, executor, relativeIndex, tensors, addr);
}

aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t,
                                          const size_t relativeIndex, aclTensorList* tensors,
                                          void* addr) {
  return SetListAddress(__func__, executor, relativeIndex, tensors, addr);
}

aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor* executor, size_t, const size_t relativeIndex,
                                    aclTensorList* tensors, void* addr) {
  return SetListAddress(__func__, executor, relativeIndex, tensors, addr);
}

// CANN exports each of the six in this spelling too.

aclnnStatus AclSetInputTensorAddr(aclOpExecutor* executor, const size_t, aclTensor* tensor,
                                  void* addr) {
  return SetAddress(__func__, executor, tensor, addr);
}

aclnnStatus AclSetOutputTensorAddr(aclOpExecutor* executor, const size_t, aclTensor* tensor,
                                   void* addr) {
  return SetAddress(__func__, executor, tensor, addr);
}

aclnnStatus AclSetTensorAddr(aclOpExecutor* executor, const size_t, aclTensor* tensor, void* addr) {
  return SetAddress(__func__, executor, tensor, addr);
}

aclnnStatus AclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t,
                                         const size_t relativeIndex, aclTensorList* tensors,
                                         void* addr) {
  return SetListAddress(__func__, executor, relativeIndex, tensors, addr);
}

aclnnStatus AclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t,
                                          const size_t relativeIndex, aclTensorList* tensors,
                                          void* addr) {
  return SetListAddress(__func__, executor, relativeIndex, tensors, addr);
}

aclnnStatus AclSetDynamicTensorAddr(aclOpExecutor* executor, size_t, const size_t relativeIndex,
                                    aclTensorList* tensors, void* addr) {
  return SetListAddress(__func__, executor, relativeIndex, tensors, addr);
}

}  // extern "C"
