// Between the caller's tensors and the scratch memory of a slab.

// Per-target include guard
#if defined(ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_SLAB_MEMORY_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_SLAB_MEMORY_INL_H_
#undef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_SLAB_MEMORY_INL_H_
#else
#define ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_SLAB_MEMORY_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "opapi/grid_sampler3d_backward/segment-inl.h"
#include "simd/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace grid_sampler3d_backward {
namespace HWY_NAMESPACE {

using ::aclnn_cpu::HWY_NAMESPACE::NarrowRow;
using ::aclnn_cpu::HWY_NAMESPACE::WidenRow;

// `count` elements at distance `step`, widened.
template <typename T>
HWY_INLINE void CopyIn(const T* HWY_RESTRICT from, int64_t step, size_t count,
                       Wide<T>* HWY_RESTRICT to) {
  if (step == 1) return WidenRow(from, count, to);
  for (size_t i = 0; i < count; ++i) to[i] = Widen(from[static_cast<int64_t>(i) * step]);
}

template <typename T>
HWY_INLINE void CopyOut(const Wide<T>* HWY_RESTRICT from, size_t count, T* HWY_RESTRICT to,
                        int64_t step) {
  if (step == 1) return NarrowRow(from, count, to);
  for (size_t i = 0; i < count; ++i) Narrow(from[i], to + static_cast<int64_t>(i) * step);
}

// Zero for neighbours that are no voxels. Points that the task owns read the planes from the slab's
// first one to the one behind its last, the plane before the volume, and what is around nowhere().
template <typename T>
void FillInput(const Problem& problem, const Slabs& slabs, Planes planes, const T* channel,
               Wide<T>* scratch) {
  using F = Wide<T>;
  const Dims& strides = problem.input.strides;
  const size_t width = static_cast<size_t>(problem.input.extents[4]);
  const int64_t height = problem.input.extents[3];
  F* const slab = scratch + slabs.origin;  // voxel (0, 0) of the slab's first plane
  F* const nowhere = scratch + slabs.nowhere();
  if (planes.begin == 0) {
    std::fill(nowhere, slab - slabs.row, F{0});
  } else {
    std::fill_n(nowhere, slabs.row + 2, F{0});
    std::fill_n(nowhere + slabs.plane, slabs.row + 2, F{0});
  }
  const int64_t end = std::min(planes.end + 1, problem.depth());
  for (int64_t z = planes.begin; z < end; ++z) {
    F* plane = slab + (z - planes.begin) * slabs.plane;
    std::fill(plane - slabs.row - 1, plane, F{0});
    for (int64_t y = 0; y < height; ++y) {
      F* row = plane + y * slabs.row;
      CopyIn(channel + z * strides[2] + y * strides[3], strides[4], width, row);
      std::fill(row + width, row + slabs.row, F{0});
    }
  }
  F* behind = slab + (end - planes.begin) * slabs.plane - slabs.row - 1;
  const int64_t rest = end <= planes.end ? slabs.plane + slabs.row : slabs.row;
  std::fill_n(behind, rest + 2, F{0});
}

template <typename T>
void StoreSlab(const Problem& problem, const Slabs& slabs, Planes planes, const Wide<T>* scratch,
               T* channel) {
  const Dims& strides = problem.input_grad.strides;
  const size_t width = static_cast<size_t>(problem.input.extents[4]);
  for (int64_t z = planes.begin; z < planes.end; ++z) {
    const Wide<T>* plane = scratch + slabs.origin + (z - planes.begin) * slabs.plane;
    for (int64_t y = 0; y < problem.input.extents[3]; ++y) {
      CopyOut(plane + y * slabs.row, width, channel + z * strides[2] + y * strides[3], strides[4]);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace grid_sampler3d_backward
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
