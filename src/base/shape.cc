#include "base/shape.h"

#include <array>
#include <cstddef>

#include "base/checked_math.h"

namespace aclnn_cpu {

std::optional<int64_t> ElementCount(std::span<const int64_t> extents) {
  if (IsEmpty(extents)) return 0;  // even if the other extents overflow
  int64_t count = 1;
  for (int64_t extent : extents) {
    if (!CheckedMul(count, extent, &count)) return std::nullopt;
  }
  return count;
}

std::optional<Dims> RowMajorStrides(const Dims& extents) {
  Dims strides(std::span<const int64_t>{extents});
  int64_t stride = 1;
  for (int axis = extents.size() - 1; axis >= 0; --axis) {
    strides[axis] = stride;
    // The product over all axes is no stride: it may overflow.
    if (axis > 0 && !CheckedMul(stride, extents[axis], &stride)) return std::nullopt;
  }
  return strides;
}

bool IsContiguous(std::span<const int64_t> extents, std::span<const int64_t> strides) {
  if (IsEmpty(extents)) return true;
  int64_t expected = 1;
  bool overflow = false;
  for (size_t axis = extents.size(); axis-- > 0;) {
    if (extents[axis] == 1) continue;
    if (overflow || strides[axis] != expected) return false;
    overflow = !CheckedMul(expected, extents[axis], &expected);
  }
  return true;
}

std::optional<ElementRange> TouchedRange(std::span<const int64_t> extents,
                                         std::span<const int64_t> strides) {
  ElementRange range;
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    int64_t reach = 0;
    if (!CheckedMul(strides[axis], extents[axis] - 1, &reach)) return std::nullopt;
    int64_t& bound = reach < 0 ? range.low : range.high;
    if (!CheckedAdd(bound, reach, &bound)) return std::nullopt;
  }
  return range;
}

bool MayOverlapItself(const StridedView& view) {
  if (IsEmpty(view.extents)) return false;
  struct Axis {
    uint64_t step;
    uint64_t reach;  // distance from the first to the last index
  };
  std::array<Axis, kMaxRank> axes{};  // by rising step
  size_t count = 0;
  for (int i = 0; i < view.extents.size(); ++i) {
    if (view.extents[i] == 1) continue;
    const int64_t stride = view.strides[i];
    Axis axis{};
    axis.step =
        stride < 0 ? uint64_t{0} - static_cast<uint64_t>(stride) : static_cast<uint64_t>(stride);
    const auto steps = static_cast<uint64_t>(view.extents[i] - 1);
    if (__builtin_mul_overflow(axis.step, steps, &axis.reach)) return true;
    size_t place = count++;
    for (; place > 0 && axes[place - 1].step > axis.step; --place) axes[place] = axes[place - 1];
    axes[place] = axis;
  }
  // Disjoint for certain if each step jumps over everything that the smaller steps reach together.
  uint64_t reached = 0;
  for (size_t i = 0; i < count; ++i) {
    if (axes[i].step <= reached) return true;
    if (__builtin_add_overflow(reached, axes[i].reach, &reached)) return true;
  }
  return false;
}

}  // namespace aclnn_cpu
