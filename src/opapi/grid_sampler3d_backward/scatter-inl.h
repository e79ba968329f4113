// What channels_last-inl.h is for gridGrad, for inputGrad.

// Per-target include guard
#if defined(ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_SCATTER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_SCATTER_INL_H_
#undef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_SCATTER_INL_H_
#else
#define ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_SCATTER_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "opapi/grid_sampler3d_backward/channels_last-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace grid_sampler3d_backward {
namespace HWY_NAMESPACE {

// The weights of the eight voxels.
template <typename F>
struct CornerWeights {
  HWY_ALIGN F of[8][kPoints];
};

template <typename F>
HWY_NOINLINE void FindWeights(const Located<F>& located, size_t count,
                              CornerWeights<F>* HWY_RESTRICT weights) {
  const PointTag<F> d;
  using V = hn::Vec<decltype(d)>;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    V side[3][2];
    HWY_UNROLL(8)
    for (size_t axis = 0; axis < 3; ++axis) {
      side[axis][0] = hn::Load(d, located.low[axis] + i);
      side[axis][1] = hn::Load(d, located.high[axis] + i);
    }
    HWY_UNROLL(8)
    for (size_t k = 0; k < 8; ++k) {
      const V xy = hn::Mul(side[0][k % 2], side[1][k / 2 % 2]);
      hn::Store(hn::Mul(xy, side[2][k / 4]), d, weights->of[k] + i);
    }
  }
}

// Adds all channels of a point to the corners that are not missing.
template <typename F>
HWY_NOINLINE void AddPointAtEdge(const Located<F>& located, size_t i, size_t stride,
                                 const CornerOffsets& corners, const CornerWeights<F>& weights,
                                 const F* HWY_RESTRICT grads, F* HWY_RESTRICT sums) {
  const PointTag<F> d;
  const uint32_t missing = kMissingCorners.of[located.edges[i] & kEdgesOfInputGrad];
  F* voxel = sums + located.offset()[i] * static_cast<int64_t>(stride);
  PrefetchPoint(located, i + 2, stride, corners, sums);
  for (size_t k = 0; k < 8; ++k) {
    if ((missing >> k & 1) != 0) continue;
    const auto weight = hn::Set(d, weights.of[k][i]);
    for (size_t c = 0; c < stride; c += hn::Lanes(d)) {
      F* to = voxel + corners[k] + c;
      const auto grad = hn::LoadU(d, grads + i * stride + c);
      hn::StoreU(hn::Add(hn::LoadU(d, to), hn::Mul(weight, grad)), d, to);
    }
  }
}

// Adds all channels of the points [begin, end), which have all corners, one after the other.
template <size_t kStride, typename F>
HWY_NOINLINE void AddPoints(const Located<F>& located, size_t begin, size_t end, size_t any_stride,
                            const CornerOffsets& corners, const CornerWeights<F>& weights,
                            const F* HWY_RESTRICT grads, F* HWY_RESTRICT sums) {
  const PointTag<F> d;
  using V = hn::Vec<decltype(d)>;
  const size_t stride = kStride != 0 ? kStride : any_stride;
  const int64_t row = corners[2];
  const int64_t plane = corners[4];
  for (size_t i = begin; i < end; ++i) {
    F* voxel = sums + located.offset()[i] * static_cast<int64_t>(stride);
    F* rows[4] = {voxel, voxel + row, voxel + plane, voxel + plane + row};
    PrefetchPoint(located, i + 2, stride, corners, sums);
    V weight[8];
    HWY_UNROLL(8)
    for (size_t k = 0; k < 8; ++k) weight[k] = hn::Set(d, weights.of[k][i]);
    const auto add = [&](size_t c) HWY_ATTR {
      const V grad = hn::LoadU(d, grads + i * stride + c);
      HWY_UNROLL(8)
      for (size_t k = 0; k < 8; ++k) {
        F* to = rows[k / 2] + k % 2 * stride + c;
        hn::StoreU(hn::Add(hn::LoadU(d, to), hn::Mul(weight[k], grad)), d, to);
      }
    };
    if constexpr (kStride != 0) {
      HWY_UNROLL(8)
      for (size_t c = 0; c < kStride; c += hn::MaxLanes(PointTag<F>())) add(c);
    } else {
      for (size_t c = 0; c < stride; c += hn::Lanes(d)) add(c);
    }
  }
}

template <typename F>
HWY_NOINLINE void AddNearest(const Located<F>& located, size_t count, size_t stride,
                             const F* HWY_RESTRICT grads, F* HWY_RESTRICT sums) {
  const PointTag<F> d;
  for (size_t i = 0; i < count; ++i) {
    if (located.edges[i] != 0) continue;
    F* voxel = sums + located.offset()[i] * static_cast<int64_t>(stride);
    for (size_t c = 0; c < stride; c += hn::Lanes(d)) {
      const auto grad = hn::LoadU(d, grads + i * stride + c);
      hn::StoreU(hn::Add(hn::LoadU(d, voxel + c), grad), d, voxel + c);
    }
  }
}

// Adds kVectors vectors of channels of the points [begin, end) to kRows rows of corners, of which
// the first one has the number `row`. Where a point follows the last one in the next voxel, its
// lower voxels are the last one's upper ones, which are still in registers.
template <size_t kRows, size_t kVectors, size_t kStride, typename F>
HWY_NOINLINE void AddRuns(const Located<F>& located, size_t begin, size_t end, size_t any_stride,
                          size_t row, const CornerOffsets& corners, const CornerWeights<F>& weights,
                          const F* HWY_RESTRICT grads, F* HWY_RESTRICT sums) {
  const PointTag<F> d;
  using V = hn::Vec<decltype(d)>;
  constexpr size_t kLanes = hn::MaxLanes(PointTag<F>());
  const size_t stride = kStride != 0 ? kStride : any_stride;
  const int64_t to_row = corners[2];
  const int64_t to_plane = corners[4];
  const int32_t* const offsets = located.offset();
  const F* const weight = weights.of[2 * row];
  sums += corners[2 * row];
  V upper[kRows][kVectors];
  const auto store_upper = [&](F* voxel) HWY_ATTR {
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      F* to = voxel + r % 2 * to_row + r / 2 * to_plane + stride;
      HWY_UNROLL(8)
      for (size_t v = 0; v < kVectors; ++v) hn::StoreU(upper[r][v], d, to + v * kLanes);
    }
  };
  const auto load_lower = [&](const F* voxel) HWY_ATTR {
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      const F* from = voxel + r % 2 * to_row + r / 2 * to_plane;
      HWY_UNROLL(8)
      for (size_t v = 0; v < kVectors; ++v) upper[r][v] = hn::LoadU(d, from + v * kLanes);
    }
  };
  F* voxel = sums + offsets[begin] * static_cast<int64_t>(stride);
  load_lower(voxel);
  for (size_t i = begin;;) {
    V grad[kVectors];
    HWY_UNROLL(8)
    for (size_t v = 0; v < kVectors; ++v) grad[v] = hn::LoadU(d, grads + i * stride + v * kLanes);
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      F* to = voxel + r % 2 * to_row + r / 2 * to_plane;
      const V low = hn::Set(d, weight[2 * r * kPoints + i]);
      const V high = hn::Set(d, weight[(2 * r + 1) * kPoints + i]);
      HWY_UNROLL(8)
      for (size_t v = 0; v < kVectors; ++v) {
        hn::StoreU(hn::Add(upper[r][v], hn::Mul(low, grad[v])), d, to + v * kLanes);
        upper[r][v] = hn::Add(hn::LoadU(d, to + stride + v * kLanes), hn::Mul(high, grad[v]));
      }
    }
    if (++i == end) break;
    if (HWY_LIKELY(offsets[i] == offsets[i - 1] + 1)) {
      voxel += stride;
      continue;
    }
    store_upper(voxel);
    voxel = sums + offsets[i] * static_cast<int64_t>(stride);
    load_lower(voxel);
  }
  store_upper(voxel);
}

// The same for all channels.
template <size_t kRows, typename F>
HWY_INLINE void AddRunsOfRows(const Located<F>& located, size_t begin, size_t end, size_t stride,
                              size_t row, const CornerOffsets& corners,
                              const CornerWeights<F>& weights, const F* grads, F* sums) {
  constexpr size_t kLanes = hn::MaxLanes(PointTag<F>());
  const auto pairs =
      ForStride(stride, [](auto known) { return AddRuns<kRows, 2, decltype(known)::value, F>; });
  size_t c = 0;
  for (; c + 2 * kLanes <= stride; c += 2 * kLanes) {
    pairs(located, begin, end, stride, row, corners, weights, grads + c, sums + c);
  }
  if (c == stride) return;
  const auto single =
      ForStride(stride, [](auto known) { return AddRuns<kRows, 1, decltype(known)::value, F>; });
  single(located, begin, end, stride, row, corners, weights, grads + c, sums + c);
}

}  // namespace HWY_NAMESPACE
}  // namespace grid_sampler3d_backward
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
