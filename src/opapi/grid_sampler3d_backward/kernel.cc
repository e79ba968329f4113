#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "opapi/grid_sampler3d_backward/kernel.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/shape.h"
#include "opapi/grid_sampler3d_backward/coordinates-inl.h"
#include "opapi/grid_sampler3d_backward/points-inl.h"
#include "opapi/grid_sampler3d_backward/problem.h"
#include "simd/convert-inl.h"
#include "simd/targets.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace grid_sampler3d_backward {
namespace HWY_NAMESPACE {

// The voxels of inputGrad that a block owns.
struct Region {
  int64_t sample;
  Range channels;
  Range planes;
};

template <typename F>
HWY_INLINE bool TouchesPlanes(const Chunk<F>& chunk, Range planes) {
  for (size_t i = 0; i < static_cast<size_t>(chunk.count); ++i) {
    const int64_t z_low = static_cast<int64_t>(chunk.axes[kZ].low[i]);
    if (z_low + 1 >= planes.begin && z_low < planes.end) return true;
  }
  return false;
}

// Adds the contributions of all points of the sample to the region, in the order of the points.
template <typename T>
void AddToRegion(const Plan& plan, const Buffers& buffers, const Region& region,
                 const Dims& strides, Wide<T>* sums) {
  using F = Wide<T>;
  const Problem& problem = plan.problem();
  const PointReader<T> reader(problem, buffers.grid, region.sample);
  const T* grad_output = static_cast<const T*>(buffers.grad_output);
  const int64_t grad_channel = problem.grad_output.strides[1];
  Chunk<F> chunk;
  std::array<Tap<F>, 8> taps;
  const int64_t points = problem.points();
  for (int64_t first = 0; first < points; first += static_cast<int64_t>(kChunk)) {
    reader.Read(first, std::min(points - first, static_cast<int64_t>(kChunk)), &chunk);
    if (!TouchesPlanes(chunk, region.planes)) continue;
    reader.PlaceXY(&chunk);
    for (size_t i = 0; i < static_cast<size_t>(chunk.count); ++i) {
      const size_t count = FindTaps(problem, region.planes, strides, chunk, i, &taps);
      for (int64_t c = region.channels.begin; c < region.channels.end && count != 0; ++c) {
        const F g = ToWide(grad_output[chunk.grad_output[i] + c * grad_channel]);
        F* channel = sums + (region.sample * strides[0] + c * strides[1]);
        for (size_t k = 0; k < count; ++k) channel[taps[k].offset] += taps[k].weight * g;
      }
    }
  }
}

// Calls row(offset in a, offset in b, number of elements, stride in a, stride in b) for all rows of
// the region in two [N, C, D, H, W] tensors; (C, D, H, W) or (D, H, W, C) from outermost to
// innermost.
template <typename Row>
HWY_INLINE void ForEachRow(const Region& region, const Problem& problem, bool channels_last,
                           const Dims& a, const Dims& b, Row row) {
  const Range ranges[4] = {
      region.channels, region.planes, {0, problem.input.extents[3]}, {0, problem.input.extents[4]}};
  const int order[2][4] = {{0, 1, 2, 3}, {1, 2, 3, 0}};
  const int* axes = order[channels_last ? 1 : 0];
  const auto offset = [&](const Dims& strides, int64_t i, int64_t j, int64_t k) {
    return region.sample * strides[0] + i * strides[axes[0] + 1] + j * strides[axes[1] + 1] +
           k * strides[axes[2] + 1] + ranges[axes[3]].begin * strides[axes[3] + 1];
  };
  const int64_t count = ranges[axes[3]].end - ranges[axes[3]].begin;
  for (int64_t i = ranges[axes[0]].begin; i < ranges[axes[0]].end; ++i) {
    for (int64_t j = ranges[axes[1]].begin; j < ranges[axes[1]].end; ++j) {
      for (int64_t k = ranges[axes[2]].begin; k < ranges[axes[2]].end; ++k) {
        row(offset(a, i, j, k), offset(b, i, j, k), count, a[axes[3] + 1], b[axes[3] + 1]);
      }
    }
  }
}

template <typename F>
void ClearRegion(const Problem& problem, const Region& region, const Dims& strides, F* sums) {
  const Dims& extents = problem.input.extents;
  if (strides[4] == 1 && strides[3] == extents[4] && strides[2] == strides[3] * extents[3]) {
    const int64_t count = (region.planes.end - region.planes.begin) * strides[2];
    for (int64_t c = region.channels.begin; c < region.channels.end; ++c) {
      const int64_t at =
          region.sample * strides[0] + c * strides[1] + region.planes.begin * strides[2];
      std::memset(sums + at, 0, static_cast<size_t>(count) * sizeof(F));
    }
    return;
  }
  ForEachRow(region, problem, strides[1] == 1, strides, strides,
             [sums](int64_t at, int64_t, int64_t count, int64_t stride, int64_t) {
               if (stride == 1) {
                 std::memset(sums + at, 0, static_cast<size_t>(count) * sizeof(F));
               } else {
                 for (int64_t i = 0; i < count; ++i) sums[at + i * stride] = F{0};
               }
             });
}

// Rounds sums of the workspace and writes them in the caller's row-major order.
template <typename T>
void StoreRegion(const Plan& plan, const Buffers& buffers, const Region& region,
                 const Dims& sum_strides) {
  const Wide<T>* sums = reinterpret_cast<const Wide<T>*>(buffers.sums);
  T* output = static_cast<T*>(buffers.input_grad);
  ForEachRow(region, plan.problem(), plan.problem().channels_last, sum_strides,
             plan.problem().input_grad.strides,
             [=](int64_t from, int64_t to, int64_t count, int64_t step_from, int64_t step_to) {
               for (int64_t i = 0; i < count; ++i) {
                 StoreNarrow(sums[from + i * step_from], output + (to + i * step_to));
               }
             });
}

template <typename T>
void InputGradBlock(const Plan& plan, const Buffers& buffers, const Region& region) {
  using F = Wide<T>;
  const Problem& problem = plan.problem();
  if (plan.sums_in_workspace()) {
    const Dims strides = *RowMajorStrides(problem.input.extents);
    F* sums = reinterpret_cast<F*>(buffers.sums);
    ClearRegion(problem, region, strides, sums);
    AddToRegion<T>(plan, buffers, region, strides, sums);
    if (!plan.input_grad_overlaps_itself()) StoreRegion<T>(plan, buffers, region, strides);
  } else if constexpr (std::is_same_v<T, F>) {  // 16-bit sums are always in the workspace
    const Dims& strides = problem.input_grad.strides;
    F* sums = static_cast<F*>(buffers.input_grad);
    ClearRegion(problem, region, strides, sums);
    AddToRegion<T>(plan, buffers, region, strides, sums);
  }
}

template <typename T>
void GridGradBlock(const Plan& plan, const Buffers& buffers, int64_t sample, Range points) {
  using F = Wide<T>;
  const Problem& problem = plan.problem();
  // Nearest: gridGrad is all zeros, whatever the points are.
  const PointReader<T> reader(problem, problem.reads_input() ? buffers.grid : nullptr, sample);
  const T* grad_output = static_cast<const T*>(buffers.grad_output);
  const T* input = static_cast<const T*>(buffers.input);
  if (problem.reads_input()) input += sample * problem.input.strides[0];
  T* grid_grad = static_cast<T*>(buffers.grid_grad);
  const int64_t step = problem.grid_grad.strides[4];
  Chunk<F> chunk;
  SlopesOfChunk<F> slopes = {};
  for (int64_t first = points.begin; first < points.end; first += static_cast<int64_t>(kChunk)) {
    reader.Read(first, std::min(points.end - first, static_cast<int64_t>(kChunk)), &chunk);
    if (problem.reads_input()) {
      reader.PlaceXY(&chunk);
      FindSlopes(problem, grad_output, input, chunk, &slopes);
    }
    for (size_t i = 0; i < static_cast<size_t>(chunk.count); ++i) {
      T* to = grid_grad + chunk.grid_grad[i];
      for (int axis = kX; axis <= kZ; ++axis) StoreNarrow(slopes.axis[axis][i], to + axis * step);
    }
  }
}

template <typename T>
void BlockOf(const Plan& plan, const Buffers& buffers, int64_t block) {
  const Problem& problem = plan.problem();
  const Blocks& blocks = plan.blocks();
  if (block < blocks.input_grad) {
    const int64_t slab = block % blocks.slabs;
    const int64_t group = block / blocks.slabs % blocks.channel_groups;
    const int64_t sample = block / blocks.slabs / blocks.channel_groups;
    InputGradBlock<T>(
        plan, buffers,
        {sample,
         {group * blocks.channels, std::min((group + 1) * blocks.channels, problem.channels())},
         {slab * blocks.planes, std::min((slab + 1) * blocks.planes, problem.depth())}});
  } else {
    const int64_t group = (block - blocks.input_grad) % blocks.point_groups;
    const int64_t sample = (block - blocks.input_grad) / blocks.point_groups;
    GridGradBlock<T>(
        plan, buffers, sample,
        {group * blocks.points, std::min((group + 1) * blocks.points, problem.points())});
  }
}

template <typename T>
void WriteAll(const Plan& plan, const Buffers& buffers) {
  const Problem& problem = plan.problem();
  const Dims strides = *RowMajorStrides(problem.input.extents);
  for (int64_t sample = 0; sample < problem.samples(); ++sample) {
    StoreRegion<T>(plan, buffers, {sample, {0, problem.channels()}, {0, problem.depth()}}, strides);
  }
}

void RunBlockOnTarget(const Plan& plan, const Buffers& buffers, int64_t block) {
  switch (plan.problem().dtype) {
    case ACL_FLOAT16:
      return BlockOf<Float16>(plan, buffers, block);
    case ACL_BF16:
      return BlockOf<BFloat16>(plan, buffers, block);
    case ACL_DOUBLE:
      return BlockOf<double>(plan, buffers, block);
    default:
      return BlockOf<float>(plan, buffers, block);
  }
}

void WriteAllOnTarget(const Plan& plan, const Buffers& buffers) {
  switch (plan.problem().dtype) {
    case ACL_FLOAT16:
      return WriteAll<Float16>(plan, buffers);
    case ACL_BF16:
      return WriteAll<BFloat16>(plan, buffers);
    case ACL_DOUBLE:
      return WriteAll<double>(plan, buffers);
    default:
      return WriteAll<float>(plan, buffers);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace grid_sampler3d_backward
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclnn_cpu::grid_sampler3d_backward {

HWY_EXPORT(RunBlockOnTarget);
HWY_EXPORT(WriteAllOnTarget);

void RunBlock(const Plan& plan, const Buffers& buffers, int64_t block) {
  ACLNN_CPU_DISPATCH(RunBlockOnTarget)(plan, buffers, block);
}

void WriteOverlappingInputGrad(const Plan& plan, const Buffers& buffers) {
  ACLNN_CPU_DISPATCH(WriteAllOnTarget)(plan, buffers);
}

}  // namespace aclnn_cpu::grid_sampler3d_backward
#endif  // HWY_ONCE
