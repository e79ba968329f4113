// Writing gridGrad.

// Per-target include guard
#if defined(ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_GRID_GRAD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_GRID_GRAD_INL_H_
#undef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_GRID_GRAD_INL_H_
#else
#define ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_GRID_GRAD_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "opapi/grid_sampler3d_backward/segment-inl.h"
#include "simd/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace grid_sampler3d_backward {
namespace HWY_NAMESPACE {

constexpr size_t kMostPlanarChannels = static_cast<size_t>(kPlanarChannels);

constexpr int64_t kUnknown = -2;  // no number of a plane or of its neighbour

// Points to be added together, in their order.
template <typename T>
struct Batch {
  size_t count;
  const Wide<T>* coordinates;                 // x, y, z, x, ...; readable up to whole vectors
  const Wide<T>* grads[kMostPlanarChannels];  // gradOutput, as a Grads class lays it out
  int64_t grid_grad;          // offset of the first point's x in gridGrad, the others follow it,
  const int64_t* grid_grads;  // unless this is not null: one offset for each
  // In which lower voxels lie, if the segment is inside() and in the slab; then all points are
  // owned or none is.
  int64_t last_plane;
  bool owned;
  bool streams;  // whether gridGrad goes past the caches
  bool is_inside() const { return last_plane != kUnknown; }
};

// Clears gridGrad of every segment whose number is `share` modulo the number of slabs: in mode
// nearest all of it is zeros, so it does not matter which task writes which part.
template <typename T>
HWY_NOINLINE void ClearGridGrad(const Problem& problem, const Slabs& slabs, int64_t sample,
                                int64_t share, T* grid_grad) {
  const int64_t step = problem.grid_grad.strides[3];
  const int64_t axis_step = problem.grid_grad.strides[4];
  for (int64_t i = share; i < slabs.segments(); i += slabs.count) {
    const SegmentPlace place = FindSegment(problem, slabs, sample, i);
    T* to = grid_grad + place.grid_grad;
    if (step == 3 && axis_step == 1) {
      std::fill_n(to, 3 * place.count, T{});
      continue;
    }
    for (size_t k = 0; k < place.count; ++k) {
      for (int64_t axis = 0; axis < 3; ++axis) {
        to[static_cast<int64_t>(k) * step + axis * axis_step] = T{};
      }
    }
  }
}

// gridGrad of a batch, point by point: slopes by the place times its derivative. Up to a vector of
// points more is written.
template <typename F>
HWY_INLINE void Interleave3(const Problem& problem, const Located<F>& located, size_t count,
                            const SlopesOfPoints<F>& slopes, F* HWY_RESTRICT to) {
  const PointTag<F> d;
  using V = hn::Vec<decltype(d)>;
  const bool constant = HasConstantFactors(problem);
  V factor[3];
  HWY_UNROLL(8)
  for (size_t axis = 0; axis < 3; ++axis) {
    const AxisRule<F> rule(problem.input.extents[4 - static_cast<int>(axis)], problem);
    factor[axis] = hn::Mul(hn::Set(d, rule.scale), hn::Set(d, F{0.5}));
  }
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    V result[3];
    HWY_UNROLL(8)
    for (size_t axis = 0; axis < 3; ++axis) {
      if (!constant) factor[axis] = hn::Load(d, located.factor[axis] + i);
      result[axis] = hn::Mul(hn::Load(d, slopes.axis[axis] + i), factor[axis]);
    }
    hn::StoreInterleaved3(result[0], result[1], result[2], d, to + 3 * i);
  }
}

// The numbers of the points that the task owns, to `list`, which has room for eight more. Returns
// how many.
template <typename F>
HWY_INLINE size_t ListOwned(const Owner<F>& owner, const Located<F>& located, size_t count,
                            uint8_t* list) {
  const PointTag<F> d;
  if (located.all_owned) {  // z need not be there
    std::iota(list, list + count, uint8_t{0});
    return count;
  }
  size_t n = 0;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    uint8_t bits[8];
    hn::StoreMaskBits(d, owner.Owns(d, hn::Load(d, located.z + i)), bits);
    uint32_t set = bits[0];
    if (count - i < hn::Lanes(d)) set &= (1u << (count - i)) - 1;
    n += AppendBitNumbers(set, i, list + n);
  }
  return n;
}

// Copies a row past the caches: what is written whole need not be read before.
template <typename T>
HWY_INLINE void StreamRow(const T* from, size_t count, T* to) {
  const hn::CappedTag<hwy::UnsignedFromSize<sizeof(T)>, 32 / sizeof(T)> d;
  using Bits = hn::TFromD<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i < count && reinterpret_cast<uintptr_t>(to + i) % (lanes * sizeof(T)) != 0; ++i) {
    to[i] = from[i];
  }
  for (; i + lanes <= count; i += lanes) {
    const auto v = hn::LoadU(d, reinterpret_cast<const Bits*>(from + i));
    hn::Stream(v, d, reinterpret_cast<Bits*>(to + i));
  }
  for (; i < count; ++i) to[i] = from[i];
}

// Writes gridGrad of the points that the task owns.
template <typename T>
HWY_NOINLINE void StoreGridGrad(const Problem& problem, Planes planes, const Batch<T>& batch,
                                const Located<Wide<T>>& located,
                                const SlopesOfPoints<Wide<T>>& slopes, T* grid_grad) {
  using F = Wide<T>;
  const size_t lanes = hn::Lanes(PointTag<F>());
  const size_t count = batch.count;
  const int64_t step = problem.grid_grad.strides[3];
  const int64_t axis_step = problem.grid_grad.strides[4];
  T* const to_segment = grid_grad + batch.grid_grad;
  const bool row = located.all_owned && batch.grid_grads == nullptr && step == 3 && axis_step == 1;
  if constexpr (std::is_same_v<T, F>) {
    const bool fits = row && !batch.streams && count % lanes == 0;
    if (fits) return Interleave3(problem, located, count, slopes, to_segment);
  }
  HWY_ALIGN F results[3 * (kPoints + kSlack)];
  Interleave3(problem, located, count, slopes, results);
  const bool streams = row && batch.streams;
  if constexpr (std::is_same_v<T, F>) {
    if (streams) return StreamRow(results, 3 * count, to_segment);
  }
  if (row && !streams) {
    return ::aclnn_cpu::HWY_NAMESPACE::NarrowRow(results, 3 * count, to_segment);
  }
  HWY_ALIGN T narrow[3 * (kPoints + kSlack)];
  ::aclnn_cpu::HWY_NAMESPACE::NarrowRow(results, 3 * count, narrow);
  if (streams) return StreamRow(narrow, 3 * count, to_segment);
  uint8_t owned[kPoints + 8];
  const Owner<F> owner(planes, problem.depth());
  const size_t owned_count = ListOwned(owner, located, count, owned);
  for (size_t n = 0; n < owned_count; ++n) {
    const size_t k = owned[n];
    T* to = batch.grid_grads != nullptr ? grid_grad + batch.grid_grads[k]
                                        : to_segment + static_cast<int64_t>(k) * step;
    if (axis_step == 1) {
      std::memcpy(to, narrow + 3 * k, 3 * sizeof(T));
    } else {
      for (size_t axis = 0; axis < 3; ++axis) {
        to[static_cast<int64_t>(axis) * axis_step] = narrow[3 * k + axis];
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace grid_sampler3d_backward
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
