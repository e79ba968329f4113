// Whether a view may be touched at all. Rules: contract.md 2, "View bounds" and "Overflow".
#include <optional>
#include <span>

#include "aclnn/opdev/op_errno.h"
#include "base/checked_math.h"
#include "base/shape.h"
#include "nnopbase/checks.h"

namespace aclnn_cpu {
namespace {

// All that the check asks of a view, in one pass over its axes.
struct Bounds {
  int64_t negative_axis = -1;  // the first one
  bool count_fits = true;      // the number of elements, in bytes, is an int64
  bool range_fits = true;      // and so are both ends of what is touched
  bool is_contiguous = true;
  ElementRange range;  // from the data pointer on; `high` is one past the highest element
};

Bounds BoundsOf(const TensorState& state) {
  Bounds bounds;
  const int64_t element_bytes = DtypeBytes(state.dtype);
  ElementRange& range = bounds.range;
  range = {state.offset, state.offset};
  int64_t count = 1;  // of the axes behind, which is their row-major stride
  int64_t ignored = 0;
  for (size_t axis = state.view_dims.size(); axis-- > 0;) {
    const int64_t extent = state.view_dims[axis];
    const int64_t stride = state.strides[axis];
    if (extent < 0) bounds.negative_axis = static_cast<int64_t>(axis);
    if (extent != 1 && (stride != count || !bounds.count_fits)) bounds.is_contiguous = false;
    // After an overflow the numbers mean nothing any more, and nobody looks at them.
    int64_t steps = 0;
    int64_t reach = 0;
    bounds.range_fits &= CheckedAdd(extent, -1, &steps) && CheckedMul(stride, steps, &reach);
    int64_t& bound = reach < 0 ? range.low : range.high;
    bounds.range_fits &= CheckedAdd(bound, reach, &bound);
    bounds.count_fits &= CheckedMul(count, extent, &count);
  }
  bounds.count_fits = bounds.count_fits && CheckedMul(count, element_bytes, &ignored);
  bounds.range_fits = bounds.range_fits && CheckedAdd(range.high, 1, &range.high) &&
                      CheckedMul(range.low, element_bytes, &ignored) &&
                      CheckedMul(range.high, element_bytes, &ignored);
  return bounds;
}

// The checks in their order.
enum class Fault { kNone, kNegativeExtent, kBytes, kRange, kStorageProduct, kOutsideStorage };

Fault FaultOf(const TensorState& state, const Bounds& bounds) {
  if (bounds.negative_axis >= 0) return Fault::kNegativeExtent;
  if (!bounds.count_fits) return Fault::kBytes;
  if (!bounds.range_fits) return Fault::kRange;
  // The real library looks no further at contiguous tensors, and callers rely on it: their
  // storageDims may be anything.
  if (bounds.is_contiguous) return Fault::kNone;
  const std::optional<int64_t> storage = ElementCount(state.storage_dims);
  if (!storage) return Fault::kStorageProduct;
  const ElementRange& range = bounds.range;
  return range.low < 0 || range.high > *storage ? Fault::kOutsideStorage : Fault::kNone;
}

}  // namespace

void DescribeView(TensorState& state) {
  ViewFacts facts;
  if (state.rank() <= kMaxRank) {
    facts.view = {Dims(std::span<const int64_t>(state.view_dims)),
                  Dims(std::span<const int64_t>(state.strides))};
  }
  facts.is_empty = IsEmpty(state.view_dims);
  facts.element_bytes = DtypeBytes(state.dtype);
  const Bounds bounds = BoundsOf(state);
  facts.stays_in_storage = facts.is_empty || FaultOf(state, bounds) == Fault::kNone;
  if (bounds.range_fits && !facts.is_empty) {
    facts.low_byte = bounds.range.low * facts.element_bytes;
    facts.end_byte = bounds.range.high * facts.element_bytes;
  }
  state.facts = facts;
}

Status ViewOutsideStorage(NamedTensor tensor) {
  const TensorState& state = tensor.state();
  const Bounds bounds = BoundsOf(state);
  switch (FaultOf(state, bounds)) {
    case Fault::kNone:
      break;
    case Fault::kNegativeExtent:
      FAIL(ACLNN_ERR_INNER_NULLPTR, "dimension {} of {} is {}, must not be negative",
           bounds.negative_axis, tensor.name,
           state.view_dims[static_cast<size_t>(bounds.negative_axis)]);
    case Fault::kBytes:
      FAIL(ACLNN_ERR_INNER_NULLPTR, "{} has a size in bytes that exceeds 2^63-1", tensor.name);
    case Fault::kRange:
      FAIL(ACLNN_ERR_INNER_NULLPTR,
           "{} has offset {} and strides that reach beyond 2^63-1, must stay inside its storage",
           tensor.name, state.offset);
    case Fault::kStorageProduct:
      FAIL(ACLNN_ERR_INNER_NULLPTR, "storageDims of {} have a product beyond 2^63-1", tensor.name);
    case Fault::kOutsideStorage:
      FAIL(ACLNN_ERR_INNER_NULLPTR,
           "the view of {} covers elements {}..{} of its storage, which has {} (product of "
           "storageDims)",
           tensor.name, bounds.range.low, bounds.range.high - 1,
           ElementCount(state.storage_dims).value_or(0));
  }
  return Status();
}

}  // namespace aclnn_cpu
