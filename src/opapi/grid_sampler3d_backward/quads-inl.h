// The arithmetic of the variant quads: up to four channels of a voxel side by side, the missing
// ones zeros, so that a voxel is one vector of 128 bits, and a voxel and its neighbour along x are
// one of 256. In scratch memory that has neighbours around the slab, so that all eight voxels of a
// point can be read and added to. Row offsets and pointers count elements, four for each voxel.

// Per-target include guard
#if defined(ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_QUADS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_QUADS_INL_H_
#undef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_QUADS_INL_H_
#else
#define ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_QUADS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "opapi/grid_sampler3d_backward/channels_last-inl.h"
#include "opapi/grid_sampler3d_backward/planar-inl.h"
#include "opapi/grid_sampler3d_backward/quad_rows-inl.h"
#include "opapi/grid_sampler3d_backward/segment-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace grid_sampler3d_backward {
namespace HWY_NAMESPACE {

using QuadTag = hn::FixedTag<float, kQuad>;

// Of four quads in each half of the vectors the sums, as SumOfChannels() adds: a missing channel
// adds a zero, whose sign Slopes() forgets. They stand in the order 0, 2, 1, 3.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V SumQuads(D d, const V (&quads)[4]) {
  const hn::Repartition<double, D> d64;
  const auto halves = [&](V a, V b) {  // a0 + a2, a1 + a3, b0 + b2, b1 + b3
    const auto x = hn::BitCast(d64, a);
    const auto y = hn::BitCast(d64, b);
    return hn::Add(hn::BitCast(d, hn::OddEven(y, x)),
                   hn::BitCast(d, hn::Shuffle01(hn::OddEven(x, y))));
  };
  const V low = halves(quads[0], quads[1]);
  const V high = halves(quads[2], quads[3]);
  return hn::Add(hn::OddEven(high, low), hn::Shuffle2301(hn::OddEven(low, high)));
}

// Where the lower voxel of a point stands.
template <typename P>
HWY_INLINE P* QuadOf(const Located<float>& located, size_t i, P* voxels) {
  return voxels + static_cast<int64_t>(kQuad) * located.offset()[i];
}

// Sums over channels of input * gradOutput, for all points.
inline HWY_NOINLINE void GatherQuads(const Located<float>& located, size_t count,
                                     const RowOffsets& row_offsets,
                                     const float* HWY_RESTRICT values,
                                     const float* HWY_RESTRICT grads,
                                     CornerSums<float>* HWY_RESTRICT sums) {
  const PointTag<float> d;
  using V = hn::Vec<decltype(d)>;
  constexpr size_t kLanes = hn::MaxLanes(PointTag<float>());
  const RowOffsets rows = row_offsets;
  for (size_t i = 0; i < count; ++i) {
    const auto from = rows.From(QuadOf(located, i, values));
    const V g = hn::LoadDup128(d, grads + kQuad * i);
    HWY_UNROLL(8)
    for (size_t lane = 0; lane < 2 * kQuad; lane += kLanes) {
      V products[4];
      HWY_UNROLL(8)
      for (size_t r = 0; r < 4; ++r) products[r] = hn::Mul(hn::LoadU(d, from[r] + lane), g);
      hn::Store(SumQuads(d, products), d, sums->of[i] + lane);
    }
  }
}

// Adds weight * gradOutput to the eight voxels of each point. A voxel is always read and written
// whole, at the same address: a load that overlaps two earlier stores has to wait for both.
inline HWY_NOINLINE void ScatterQuads(const Located<float>& located, size_t count,
                                      const RowOffsets& row_offsets, const Products<float>& weights,
                                      const float* HWY_RESTRICT grads, float* HWY_RESTRICT sums) {
  const QuadTag d;
  const RowOffsets rows = row_offsets;
  for (size_t i = 0; i < count; ++i) {
    const auto to = rows.From(QuadOf(located, i, sums));
    const float* weight = weights.low(0) + i;
    const auto g = hn::Load(d, grads + kQuad * i);
    HWY_UNROLL(8)
    for (size_t r = 0; r < 4; ++r) {
      const auto low = hn::Mul(hn::Set(d, weight[Products<float>::kLow[r]]), g);
      const auto high = hn::Mul(hn::Set(d, weight[Products<float>::kHigh[r]]), g);
      hn::Store(hn::Add(hn::Load(d, to[r]), low), d, to[r]);
      hn::Store(hn::Add(hn::Load(d, to[r] + kQuad), high), d, to[r] + kQuad);
    }
  }
}

// Mode nearest: adds gradOutput to the voxel of each point.
inline HWY_NOINLINE void ScatterNearestQuads(const Located<float>& located, size_t count,
                                             const float* HWY_RESTRICT grads,
                                             float* HWY_RESTRICT sums) {
  const QuadTag d;
  for (size_t i = 0; i < count; ++i) {
    float* to = QuadOf(located, i, sums);
    hn::Store(hn::Add(hn::Load(d, to), hn::Load(d, grads + kQuad * i)), d, to);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace grid_sampler3d_backward
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
