// How a task of the slab variants walks the points of its sample.

// Per-target include guard
#if defined(ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_WALK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_WALK_INL_H_
#undef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_WALK_INL_H_
#else
#define ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_WALK_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>

#include "opapi/grid_sampler3d_backward/inside-inl.h"
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
  bool is_inside() const { return last_plane != kUnknown; }
};

// Copies of points, where they cannot be read in place.
template <typename F>
struct PointBuffer {
  HWY_ALIGN F coordinates[3 * (kPoints + kSlack)];
  int64_t grid_grads[kPoints];
};

// The coordinates of `count` points at offset `first`: in place or copied to `buffer`. Up to whole
// vectors the first point follows again.
template <typename T>
HWY_INLINE const Wide<T>* ReadCoordinates(const Problem& problem, const T* grid, int64_t first,
                                          size_t count, Wide<T>* HWY_RESTRICT buffer) {
  using F = Wide<T>;
  const PointTag<F> d;
  const T* from = grid + first;
  const int64_t step = problem.grid.strides[3];
  const int64_t axis_step = problem.grid.strides[4];
  if (step == 3 && axis_step == 1) {
    if constexpr (std::is_same_v<T, F>) {
      if (count % hn::Lanes(d) == 0) return from;
    }
    ::aclnn_cpu::HWY_NAMESPACE::WidenRow(from, 3 * count, buffer);
  } else {
    for (size_t i = 0; i < count; ++i) {
      const T* point = from + static_cast<int64_t>(i) * step;
      for (int64_t axis = 0; axis < 3; ++axis) {
        buffer[3 * i + static_cast<size_t>(axis)] = ToWide(point[axis * axis_step]);
      }
    }
  }
  for (size_t i = 0; i < 3 * hn::Lanes(d); ++i) buffer[3 * count + i] = buffer[i % 3];
  return buffer;
}

// gradOutput of the points at hand: of a segment, and of the points that were collected from
// segments. One array for each channel, of which kSlack elements behind the last point may be read.
template <typename T>
class PlanarGrads {
 public:
  using F = Wide<T>;

  explicit PlanarGrads(size_t channels) : channels_(channels) {}

  void Read(const Problem& problem, const T* grad_output, const SegmentPlace& place) {
    const int64_t step = problem.grad_output.strides[4];
    const T* from = grad_output + place.grad_output;
    for (size_t c = 0; c < channels_; ++c, from += problem.grad_output.strides[1]) {
      if constexpr (std::is_same_v<T, F>) {
        now_[c] = from;
        if (step == 1 && place.rest >= static_cast<int64_t>(place.count + kSlack)) continue;
      }
      F* to = copies_[c];
      now_[c] = to;
      if (step == 1) {
        ::aclnn_cpu::HWY_NAMESPACE::WidenRow(from, place.count, to);
      } else {
        for (size_t i = 0; i < place.count; ++i) {
          to[i] = ToWide(from[static_cast<int64_t>(i) * step]);
        }
      }
      std::fill_n(to + place.count, kSlack, F{0});
    }
  }
  // Makes `count` points of the segment collected ones, from number `n` on.
  void Collect(const uint8_t* HWY_RESTRICT points, size_t count, size_t n) {
    for (size_t c = 0; c < channels_; ++c) {
      for (size_t k = 0; k < count; ++k) collected_[c][n + k] = now_[c][points[k]];
    }
  }
  void FillBatch(bool collected, Batch<T>* batch) {
    for (size_t c = 0; c < channels_; ++c) {
      if (collected) std::fill_n(collected_[c] + batch->count, kSlack, F{0});
      batch->grads[c] = collected ? collected_[c] : now_[c];
    }
  }

 private:
  const size_t channels_;
  const F* now_[kMostPlanarChannels];  // the segment's: in place or copies
  HWY_ALIGN F copies_[kMostPlanarChannels][kPoints + kSlack];
  HWY_ALIGN F collected_[kMostPlanarChannels][kPoints + kSlack];
};

// Fills the SegmentRanges of a block of segments.
template <typename T>
void FindDepths(const Problem& problem, const Slabs& slabs, const Buffers& buffers, int64_t block) {
  using F = Wide<T>;
  SegmentRange* ranges = reinterpret_cast<SegmentRange*>(buffers.depths);
  const Rules<F> rules(problem);
  HWY_ALIGN F copy[3 * (kPoints + kSlack)];
  const int64_t all = problem.samples() * slabs.segments();
  const int64_t end = std::min(all, (block + 1) * kSegmentsPerDepthBlock);
  for (int64_t i = block * kSegmentsPerDepthBlock; i < end; ++i) {
    const SegmentPlace place =
        FindSegment(problem, slabs, i / slabs.segments(), i % slabs.segments());
    const F* coordinates = ReadCoordinates(problem, static_cast<const T*>(buffers.grid), place.grid,
                                           place.count, copy);
    ranges[i] = FindRange(rules, coordinates, place.count);
  }
}

// Calls add(batch) for the points of the sample in their order; at least for those that touch the
// slab or are owned by it. Where only few points of a segment do, they are collected.
template <typename T>
class Walk {
 public:
  using F = Wide<T>;

  Walk(const Problem& problem, const Slabs& slabs, const Buffers& buffers, int64_t sample,
       Planes planes)
      : problem_(problem),
        slabs_(slabs),
        buffers_(buffers),
        sample_(sample),
        rules_(problem),
        owner_(planes, problem.depth()),
        // Points whose upper voxel lies in the slab's first plane count.
        first_(planes.begin == 0 ? owner_.begin : owner_.begin - 1) {}

  template <class Grads, typename Function>
  void Run(Grads* grads, Function add) {
    const SegmentRange* ranges = reinterpret_cast<const SegmentRange*>(buffers_.depths);
    ranges += sample_ * slabs_.segments();
    for (int64_t i = 0; i < slabs_.segments(); ++i) {
      if (slabs_.count > 1 && Misses(ranges[i])) continue;
      const SegmentPlace place = FindSegment(problem_, slabs_, sample_, i);
      const F* coordinates = ReadCoordinates(problem_, static_cast<const T*>(buffers_.grid),
                                             place.grid, place.count, now_.coordinates);
      const SegmentRange range =
          slabs_.count > 1 ? ranges[i] : FindRange(rules_, coordinates, place.count);
      const F first = static_cast<F>(range.first);
      const bool ends_here = static_cast<F>(range.last()) < owner_.end;
      const bool all = first >= first_ && ends_here;
      const bool owned = all && first >= owner_.begin;
      const bool alike = owned || (all && static_cast<F>(range.last()) < owner_.begin);
      const size_t chosen = all ? place.count : Choose(coordinates, place.count);
      grads->Read(problem_, static_cast<const T*>(buffers_.grad_output), place);
      if (2 * chosen < place.count) {
        Collect(coordinates, place, chosen, grads, add);
        continue;
      }
      Flush(grads, add);
      const int64_t last_plane = alike && range.inside() ? range.last() : kUnknown;
      Batch<T> batch{place.count, coordinates, {}, place.grid_grad, nullptr, last_plane, owned};
      grads->FillBatch(false, &batch);
      add(batch);
    }
    Flush(grads, add);
  }

 private:
  bool Misses(const SegmentRange& range) const {
    return static_cast<F>(range.last()) < first_ || static_cast<F>(range.first) >= owner_.end;
  }

  // Lists the points that are needed.
  size_t Choose(const F* coordinates, size_t count) {
    const PointTag<F> d;
    const auto first = hn::Set(d, first_);
    const auto end = hn::Set(d, owner_.end);
    size_t n = 0;
    for (size_t i = 0; i < count; i += hn::Lanes(d)) {
      hn::Vec<decltype(d)> x, y, z;
      hn::LoadInterleaved3(d, coordinates + 3 * i, x, y, z);
      z = LowerPlane(d, rules_.axes[2], z);
      uint8_t bits[8];
      hn::StoreMaskBits(d, hn::And(hn::Ge(z, first), hn::Lt(z, end)), bits);
      uint32_t set = bits[0];
      if (count - i < hn::Lanes(d)) set &= (1u << (count - i)) - 1;
      n += AppendBitNumbers(set, i, chosen_ + n);
    }
    return n;
  }

  template <class Grads, typename Function>
  void Collect(const F* coordinates, const SegmentPlace& place, size_t chosen, Grads* grads,
               Function add) {
    for (size_t done = 0; done < chosen;) {
      if (collected_ == kPoints) Flush(grads, add);
      const size_t count = std::min(chosen - done, kPoints - collected_);
      CollectSome(coordinates, place, chosen_ + done, count);
      grads->Collect(chosen_ + done, count, collected_);
      collected_ += count;
      done += count;
    }
  }

  HWY_INLINE void CollectSome(const F* HWY_RESTRICT coordinates, const SegmentPlace& place,
                              const uint8_t* HWY_RESTRICT points, size_t count) {
    const int64_t step = problem_.grid_grad.strides[3];
    F* to = rest_.coordinates + 3 * collected_;
    int64_t* offsets = rest_.grid_grads + collected_;
    for (size_t k = 0; k < count; ++k) {
      std::memcpy(to + 3 * k, coordinates + 3 * points[k], 3 * sizeof(F));
      offsets[k] = place.grid_grad + points[k] * step;
    }
    if (!problem_.want_grid_grad) return;
    // Written when the rest is full; until then the cache has time to fetch it.
    const T* grid_grad = static_cast<const T*>(buffers_.grid_grad);
    for (size_t k = 0; k < count; ++k) __builtin_prefetch(grid_grad + offsets[k], 1);
  }

  template <class Grads, typename Function>
  void Flush(Grads* grads, Function add) {
    if (collected_ == 0) return;
    std::fill_n(rest_.coordinates + 3 * collected_, 3 * kSlack, F{0});
    Batch<T> batch{collected_, rest_.coordinates, {}, 0, rest_.grid_grads, kUnknown, false};
    grads->FillBatch(true, &batch);
    add(batch);
    collected_ = 0;
  }

  const Problem& problem_;
  const Slabs& slabs_;
  const Buffers& buffers_;
  const int64_t sample_;
  const Rules<F> rules_;
  const Owner<F> owner_;
  const F first_;
  PointBuffer<F> now_;
  PointBuffer<F> rest_;
  size_t collected_ = 0;
  uint8_t chosen_[kPoints + 8];
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

// True if `count` elements, up to whole vectors, are neither infinite nor NaN.
template <typename F>
HWY_INLINE bool AreFinite(const F* values, size_t count) {
  const PointTag<F> d;
  const auto largest = hn::Set(d, std::numeric_limits<F>::max());
  auto finite = hn::Eq(largest, largest);
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    finite = hn::And(finite, hn::Le(hn::Abs(hn::LoadU(d, values + i)), largest));
  }
  return hn::AllTrue(d, finite);
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
    if (row && count % lanes == 0) return Interleave3(problem, located, count, slopes, to_segment);
  }
  HWY_ALIGN F results[3 * (kPoints + kSlack)];
  Interleave3(problem, located, count, slopes, results);
  if (row) return ::aclnn_cpu::HWY_NAMESPACE::NarrowRow(results, 3 * count, to_segment);
  HWY_ALIGN T narrow[3 * (kPoints + kSlack)];
  ::aclnn_cpu::HWY_NAMESPACE::NarrowRow(results, 3 * count, narrow);
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
