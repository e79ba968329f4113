#ifndef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_SLABS_H_
#define ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_SLABS_H_

#include <cstddef>
#include <cstdint>

#include "base/shape.h"

namespace aclnn_cpu::grid_sampler3d_backward {

struct Problem;

// The variants planar and quads take up to this many channels.
inline constexpr int64_t kPlanarChannels = 4;

// Points that are handled together: consecutive ones, with equal distances in all tensors.
inline constexpr int64_t kSegment = 128;

// How the variants that work in slabs cut a call; from shapes and strides alone. A task owns some
// planes along D of one sample, a slab: it sums this part of inputGrad in scratch memory, walking
// the points in order, and computes gridGrad of the points whose lower voxel lies in the slab. So
// every result is the same whatever the slabs are.
//
// Planar: each plane, row and voxel in scratch has neighbours that belong to no voxel of the
// volume, so that the kernel need not ask whether a voxel exists: the plane before and after the
// slab, a row before and after each plane, a voxel before and after each row. The row (voxel) after
// one plane (row) is the one before the next. Quads: the same, with four elements for each offset.
//
// Channels last: voxels lie without gaps, as in a dense tensor, so that such a tensor is used in
// place of scratch. Points near the border are told apart by their Located::edges.
struct Slabs {
  int64_t planes = 1;  // of a slab
  int64_t count = 1;   // slabs per sample
  int64_t slots = 1;   // tasks that can run at once: each has its own scratch memory

  // Voxel (z, y, x) of a slab that begins at plane z0 has the offset
  // origin + (z - z0) * plane + y * row + x, which is never negative, also of neighbours.
  int64_t row = 0;
  int64_t plane = 0;
  int64_t origin = 0;
  int64_t cells = 0;  // offsets are smaller
  // Elements of all channels of a voxel, padding included, and of all that a slot holds.
  int64_t stride = 0;
  int64_t slot_elements = 0;
  // Channels last, elements: scratch for the slab's part of input, one plane behind it included,
  // and for that of inputGrad. 0: not wanted, or the tensor itself serves.
  int64_t value_elements = 0;
  int64_t sum_elements = 0;

  bool stream_grid_grad = false;  // past the caches, as it would not stay there anyway

  // The points of a sample are `runs` runs of `run` points whose distances are equal in grid,
  // gridGrad and gradOutput; a segment does not cross their borders.
  int64_t run = 0;
  int64_t runs = 0;
  int64_t segments_per_run = 0;

  int64_t segments() const { return runs * segments_per_run; }
  // Where a point that touches no voxel of the slab is put; its eight voxels are neighbours only.
  int64_t nowhere() const { return origin - plane - 2 * row - 1; }
};

}  // namespace aclnn_cpu::grid_sampler3d_backward

#endif  // ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_SLABS_H_
