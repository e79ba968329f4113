#ifndef ACLNN_CPU_NNOPBASE_CHECKS_H_
#define ACLNN_CPU_NNOPBASE_CHECKS_H_

#include <cstdint>
#include <initializer_list>

#include "aclnn/acl_meta.h"
#include "base/shape.h"
#include "base/status.h"
#include "nnopbase/op_info.h"
#include "nnopbase/tensor.h"

namespace aclnn_cpu {

// The checks that operators share, one line each in a contract. Every function names in its message
// the argument, the value received and the values allowed. Codes: null pointers 161001, everything
// else 161002 unless said otherwise.

// The two result pointers of phase one, in CANN's order.
Status RequireResultPointers(const uint64_t* workspace_size, aclOpExecutor* const* executor);
// In the order given.
Status RequireNotNull(std::initializer_list<NamedTensor> tensors);

Status RequireRank(NamedTensor tensor, int64_t rank);
Status RequireRankOneOf(NamedTensor tensor, std::initializer_list<int64_t> ranks);
Status RequireSameRank(NamedTensor tensor, NamedTensor reference);
Status RequireDimsNotNegative(NamedTensor tensor);
Status RequireDim(NamedTensor tensor, int64_t axis, int64_t expected);
// dimension `axis` of `tensor` equals dimension `reference_axis` of `reference`.
Status RequireSameDim(NamedTensor tensor, int64_t axis, NamedTensor reference,
                      int64_t reference_axis);
Status RequireSameShape(NamedTensor tensor, NamedTensor reference);

Status RequireSupportedDtype(const OpInfo& info, NamedTensor tensor);
Status RequireSameDtype(NamedTensor tensor, NamedTensor reference);
Status RequireSameFormat(NamedTensor tensor, NamedTensor reference);
Status RequirePublicFormat(NamedTensor tensor);

// lowest <= value <= highest.
Status RequireAttribute(const char* name, int64_t value, int64_t lowest, int64_t highest);

// The view of a non-contiguous tensor stays inside its storage; neither bytes nor bounds overflow
// int64, and no extent is negative (these two also for contiguous tensors). Empty views pass.
// 561103.
Status RequireViewInStorage(NamedTensor tensor);

// The operator runs on the product this process pretends to be. 561003.
Status RequireSupportedSoc(const OpInfo& info);

bool IsEmptyTensor(NamedTensor tensor);
bool IsPrivateFormat(aclFormat format);

// Extents and strides as kernels use them; the tensor has at most kMaxRank axes.
StridedView ViewOf(NamedTensor tensor);

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_NNOPBASE_CHECKS_H_
