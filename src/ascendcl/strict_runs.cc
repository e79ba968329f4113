#include "ascendcl/strict_runs.h"

#include <algorithm>
#include <cstdlib>

#include "base/checked_math.h"

namespace aclnn_cpu {
namespace {

struct Axis {
  int64_t extent;
  int64_t stride;  // bytes, positive
};

// The axes that a view is spread over, innermost first, strides in bytes and made positive.
std::vector<Axis> AxesOf(const MemoryAccess& access) {
  std::vector<Axis> axes;
  for (int axis = 0; axis < access.view.extents.size(); ++axis) {
    const int64_t extent = access.view.extents[axis];
    const int64_t stride = access.view.strides[axis];
    if (extent == 1 || stride == 0) continue;
    axes.push_back({extent, std::abs(stride) * access.element_bytes});
  }
  std::sort(axes.begin(), axes.end(),
            [](const Axis& a, const Axis& b) { return a.stride < b.stride; });
  return axes;
}

void SortAndMerge(std::vector<AddressRange>& runs) {
  std::sort(runs.begin(), runs.end(),
            [](const AddressRange& a, const AddressRange& b) { return a.begin < b.begin; });
  size_t kept = 0;
  for (size_t i = 1; i < runs.size(); ++i) {
    if (runs[i].begin <= runs[kept].end) {
      runs[kept].end = std::max(runs[kept].end, runs[i].end);
    } else {
      runs[++kept] = runs[i];
    }
  }
  if (!runs.empty()) runs.resize(kept + 1);
}

}  // namespace

std::optional<AddressRange> BoundsOf(const MemoryAccess& access) {
  if (IsEmpty(access.view.extents)) return std::nullopt;
  const std::optional<ElementRange> range = TouchedRange(access.view.extents, access.view.strides);
  int64_t low = 0;
  int64_t high = 0;
  if (!range || !CheckedMul(range->low, access.element_bytes, &low) ||
      !CheckedMul(range->high, access.element_bytes, &high))
    return std::nullopt;
  const auto first = reinterpret_cast<uintptr_t>(access.address);
  return AddressRange{
      first + static_cast<uintptr_t>(low),
      first + static_cast<uintptr_t>(high) + static_cast<uintptr_t>(access.element_bytes)};
}

std::optional<std::vector<AddressRange>> RunsOf(const MemoryAccess& access) {
  const std::optional<AddressRange> bounds = BoundsOf(access);
  if (!bounds) return std::nullopt;
  const std::vector<Axis> axes = AxesOf(access);
  // Axes that continue one another, or overlap, form one piece.
  auto piece = static_cast<uintptr_t>(access.element_bytes);
  size_t outer = 0;
  for (; outer < axes.size(); ++outer) {
    const Axis& axis = axes[outer];
    if (static_cast<uintptr_t>(axis.stride) > piece) break;
    piece += static_cast<uintptr_t>(axis.extent - 1) * static_cast<uintptr_t>(axis.stride);
  }
  std::vector<AddressRange> runs{{bounds->begin, bounds->begin + piece}};
  for (; outer < axes.size(); ++outer) {
    const auto [extent, stride] = axes[outer];
    const size_t block = runs.size();
    if (extent > kMostRuns / static_cast<int64_t>(block)) return std::nullopt;
    for (int64_t i = 1; i < extent; ++i) {
      const uintptr_t step = static_cast<uintptr_t>(i) * static_cast<uintptr_t>(stride);
      for (size_t j = 0; j < block; ++j) runs.push_back({runs[j].begin + step, runs[j].end + step});
    }
  }
  SortAndMerge(runs);
  return runs;
}

}  // namespace aclnn_cpu
