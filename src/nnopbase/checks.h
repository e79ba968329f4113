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
//
// A call of a tiny operator is over in a microsecond, so what is right must cost next to nothing:
// the comparisons are inlined, the errors (the functions without comments) are not.

inline int64_t DimOf(NamedTensor tensor, int64_t axis) {
  return tensor.state().view_dims[static_cast<size_t>(axis)];
}

Status NullPointer(const char* name);
Status WrongRank(NamedTensor tensor, std::initializer_list<int64_t> ranks);
Status RankDiffers(NamedTensor tensor, NamedTensor reference);
Status DimNegative(NamedTensor tensor, int64_t axis);
Status WrongDim(NamedTensor tensor, int64_t axis, int64_t expected);
Status DimDiffers(NamedTensor tensor, int64_t axis, NamedTensor reference, int64_t reference_axis);
Status DtypeUnsupported(const OpInfo& info, NamedTensor tensor);
Status DtypeDiffers(NamedTensor tensor, NamedTensor reference);
Status FormatDiffers(NamedTensor tensor, NamedTensor reference);
Status WrongAttribute(const char* name, int64_t value, int64_t lowest, int64_t highest);
Status ViewOutsideStorage(NamedTensor tensor);
Status SocUnsupported(const OpInfo& info);

// The two result pointers of phase one, in CANN's order.
inline Status RequireResultPointers(const uint64_t* workspace_size,
                                    aclOpExecutor* const* executor) {
  if (workspace_size == nullptr) return NullPointer("workspaceSize");
  if (executor == nullptr) return NullPointer("executor");
  return Status();
}
// In the order given.
inline Status RequireNotNull(std::initializer_list<NamedTensor> tensors) {
  for (const NamedTensor& argument : tensors) {
    if (argument.tensor == nullptr) return NullPointer(argument.name);
  }
  return Status();
}

inline Status RequireRankOneOf(NamedTensor tensor, std::initializer_list<int64_t> ranks) {
  for (const int64_t rank : ranks) {
    if (tensor.state().rank() == rank) return Status();
  }
  return WrongRank(tensor, ranks);
}
inline Status RequireRank(NamedTensor tensor, int64_t rank) {
  return RequireRankOneOf(tensor, {rank});
}
inline Status RequireSameRank(NamedTensor tensor, NamedTensor reference) {
  if (tensor.state().rank() == reference.state().rank()) return Status();
  return RankDiffers(tensor, reference);
}
inline Status RequireDimsNotNegative(NamedTensor tensor) {
  for (int64_t axis = 0; axis < tensor.state().rank(); ++axis) {
    if (DimOf(tensor, axis) < 0) return DimNegative(tensor, axis);
  }
  return Status();
}
inline Status RequireDim(NamedTensor tensor, int64_t axis, int64_t expected) {
  if (DimOf(tensor, axis) == expected) return Status();
  return WrongDim(tensor, axis, expected);
}
// dimension `axis` of `tensor` equals dimension `reference_axis` of `reference`.
inline Status RequireSameDim(NamedTensor tensor, int64_t axis, NamedTensor reference,
                             int64_t reference_axis) {
  if (DimOf(tensor, axis) == DimOf(reference, reference_axis)) return Status();
  return DimDiffers(tensor, axis, reference, reference_axis);
}
Status RequireSameShape(NamedTensor tensor, NamedTensor reference);

inline Status RequireSupportedDtype(const OpInfo& info, NamedTensor tensor) {
  const SocSet soc = SocBit(CurrentSoc());
  for (const SupportRow& row : info.support) {
    if ((row.accepted & soc) != 0 && row.dtype == tensor.state().dtype) return Status();
  }
  return DtypeUnsupported(info, tensor);
}
inline Status RequireSameDtype(NamedTensor tensor, NamedTensor reference) {
  if (tensor.state().dtype == reference.state().dtype) return Status();
  return DtypeDiffers(tensor, reference);
}
inline Status RequireSameFormat(NamedTensor tensor, NamedTensor reference) {
  if (tensor.state().format == reference.state().format) return Status();
  return FormatDiffers(tensor, reference);
}
Status RequirePublicFormat(NamedTensor tensor);

// lowest <= value <= highest.
inline Status RequireAttribute(const char* name, int64_t value, int64_t lowest, int64_t highest) {
  if (lowest <= value && value <= highest) return Status();
  return WrongAttribute(name, value, lowest, highest);
}

// The view of a non-contiguous tensor stays inside its storage; neither bytes nor bounds overflow
// int64, and no extent is negative (these two also for contiguous tensors). Empty views pass.
// 561103.
inline Status RequireViewInStorage(NamedTensor tensor) {
  if (tensor.state().facts.stays_in_storage) return Status();
  return ViewOutsideStorage(tensor);
}

// The operator runs on the product this process pretends to be. 561003.
inline Status RequireSupportedSoc(const OpInfo& info) {
  if ((info.supported_socs & SocBit(CurrentSoc())) != 0) return Status();
  return SocUnsupported(info);
}

inline bool IsEmptyTensor(NamedTensor tensor) { return tensor.state().facts.is_empty; }
bool IsPrivateFormat(aclFormat format);

// Extents and strides as kernels use them; the tensor has at most kMaxRank axes.
inline const StridedView& ViewOf(NamedTensor tensor) { return tensor.state().facts.view; }

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_NNOPBASE_CHECKS_H_
