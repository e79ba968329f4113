// Whether a view may be touched at all. Rules: contract.md 2, "View bounds" and "Overflow".
#include <optional>
#include <span>

#include "aclnn/opdev/op_errno.h"
#include "base/checked_math.h"
#include "base/shape.h"
#include "nnopbase/checks.h"

namespace aclnn_cpu {
namespace {

// All that the checks ask of a view, in one pass over its axes.
struct ViewFacts {
  int64_t negative_axis = -1;  // the first one
  bool count_fits = true;      // the number of elements, in bytes, is an int64
  bool range_fits = true;      // and so are both ends of what is touched
  bool is_contiguous = true;
  ElementRange range;  // from the data pointer on; `high` is one past the highest element
};

ViewFacts FactsOf(const TensorState& state) {
  ViewFacts facts;
  const int64_t element_bytes = DtypeBytes(state.dtype);
  ElementRange& range = facts.range;
  range = {state.offset, state.offset};
  int64_t count = 1;  // of the axes behind, which is their row-major stride
  int64_t ignored = 0;
  for (size_t axis = state.view_dims.size(); axis-- > 0;) {
    const int64_t extent = state.view_dims[axis];
    const int64_t stride = state.strides[axis];
    if (extent < 0) facts.negative_axis = static_cast<int64_t>(axis);
    if (extent != 1 && (stride != count || !facts.count_fits)) facts.is_contiguous = false;
    // After an overflow the numbers mean nothing any more, and nobody looks at them.
    int64_t reach = 0;
    facts.range_fits &= CheckedMul(stride, extent - 1, &reach);
    int64_t& bound = reach < 0 ? range.low : range.high;
    facts.range_fits &= CheckedAdd(bound, reach, &bound);
    facts.count_fits &= CheckedMul(count, extent, &count);
  }
  facts.count_fits = facts.count_fits && CheckedMul(count, element_bytes, &ignored);
  facts.range_fits = facts.range_fits && CheckedAdd(range.high, 1, &range.high) &&
                     CheckedMul(range.low, element_bytes, &ignored) &&
                     CheckedMul(range.high, element_bytes, &ignored);
  return facts;
}

}  // namespace

Status RequireViewInStorage(NamedTensor tensor) {
  const TensorState& state = tensor.state();
  if (IsEmpty(state.view_dims)) return Status();
  const ViewFacts facts = FactsOf(state);
  if (facts.negative_axis >= 0) {
    FAIL(ACLNN_ERR_INNER_NULLPTR, "dimension {} of {} is {}, must not be negative",
         facts.negative_axis, tensor.name,
         state.view_dims[static_cast<size_t>(facts.negative_axis)]);
  }
  if (!facts.count_fits) {
    FAIL(ACLNN_ERR_INNER_NULLPTR, "{} has a size in bytes that exceeds 2^63-1", tensor.name);
  }
  if (!facts.range_fits) {
    FAIL(ACLNN_ERR_INNER_NULLPTR,
         "{} has offset {} and strides that reach beyond 2^63-1, must stay inside its storage",
         tensor.name, state.offset);
  }
  // The real library looks no further at contiguous tensors, and callers rely on it: their
  // storageDims may be anything.
  if (facts.is_contiguous) return Status();

  const std::optional<int64_t> storage = ElementCount(state.storage_dims);
  if (!storage) {
    FAIL(ACLNN_ERR_INNER_NULLPTR, "storageDims of {} have a product beyond 2^63-1", tensor.name);
  }
  const ElementRange& range = facts.range;
  if (range.low < 0 || range.high > *storage) {
    FAIL(ACLNN_ERR_INNER_NULLPTR,
         "the view of {} covers elements {}..{} of its storage, which has {} (product of "
         "storageDims)",
         tensor.name, range.low, range.high - 1, *storage);
  }
  return Status();
}

}  // namespace aclnn_cpu
