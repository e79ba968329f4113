// Whether a view may be touched at all. Rules: contract.md 2, "View bounds" and "Overflow".
#include <optional>
#include <span>

#include "aclnn/opdev/op_errno.h"
#include "base/checked_math.h"
#include "base/shape.h"
#include "nnopbase/checks.h"

namespace aclnn_cpu {
namespace {

// Lowest and one past the highest element that the view touches, counted from the data pointer;
// nullopt if that, or the same in bytes, does not fit in int64.
std::optional<ElementRange> StorageRange(const TensorState& state) {
  const std::optional<ElementRange> touched = TouchedRange(state.view_dims, state.strides);
  if (!touched) return std::nullopt;
  ElementRange range;
  int64_t bytes = 0;
  const int64_t element_bytes = DtypeBytes(state.dtype);
  if (!CheckedAdd(state.offset, touched->low, &range.low) ||
      !CheckedAdd(state.offset, touched->high, &range.high) ||
      !CheckedAdd(range.high, 1, &range.high) || !CheckedMul(range.low, element_bytes, &bytes) ||
      !CheckedMul(range.high, element_bytes, &bytes)) {
    return std::nullopt;
  }
  return range;
}

}  // namespace

Status RequireViewInStorage(NamedTensor tensor) {
  const TensorState& state = tensor.state();
  if (IsEmpty(state.view_dims)) return Status();
  for (size_t axis = 0; axis < state.view_dims.size(); ++axis) {
    if (state.view_dims[axis] < 0) {
      FAIL(ACLNN_ERR_INNER_NULLPTR, "dimension {} of {} is {}, must not be negative", axis,
           tensor.name, state.view_dims[axis]);
    }
  }
  const std::optional<int64_t> count = ElementCount(state.view_dims);
  int64_t bytes = 0;
  if (!count || !CheckedMul(*count, DtypeBytes(state.dtype), &bytes)) {
    FAIL(ACLNN_ERR_INNER_NULLPTR, "{} has a size in bytes that exceeds 2^63-1", tensor.name);
  }

  const std::optional<ElementRange> range = StorageRange(state);
  if (!range) {
    FAIL(ACLNN_ERR_INNER_NULLPTR,
         "{} has offset {} and strides that reach beyond 2^63-1, must stay inside its storage",
         tensor.name, state.offset);
  }
  // The real library looks no further at contiguous tensors, and callers rely on it: their
  // storageDims may be anything.
  if (IsContiguous(state.view_dims, state.strides)) return Status();

  const std::optional<int64_t> storage = ElementCount(state.storage_dims);
  if (!storage) {
    FAIL(ACLNN_ERR_INNER_NULLPTR, "storageDims of {} have a product beyond 2^63-1", tensor.name);
  }
  if (range->low < 0 || range->high > *storage) {
    FAIL(ACLNN_ERR_INNER_NULLPTR,
         "the view of {} covers elements {}..{} of its storage, which has {} (product of "
         "storageDims)",
         tensor.name, range->low, range->high - 1, *storage);
  }
  return Status();
}

}  // namespace aclnn_cpu
