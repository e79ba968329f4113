// A segment of points, placed in the scratch memory of a slab.

// Per-target include guard
#if defined(ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_SEGMENT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_SEGMENT_INL_H_
#undef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_SEGMENT_INL_H_
#else
#define ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_SEGMENT_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "base/checked_math.h"
#include "opapi/grid_sampler3d_backward/coordinates-inl.h"
#include "opapi/grid_sampler3d_backward/interpolation-inl.h"
#include "opapi/grid_sampler3d_backward/problem.h"
#include "opapi/grid_sampler3d_backward/slabs.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace grid_sampler3d_backward {
namespace HWY_NAMESPACE {

// Here and in the files that include this one, loops over arrays of vectors are HWY_UNROLLed: the
// vectors stay in registers only then, and GCC does not do so by itself at -O2.

// Vectors across points. At most 256 bits: the bits that say where runs of points begin fit in a
// byte then, and a transposition takes two steps within 128 bits and one across.
template <typename F>
using PointTag = hn::CappedTag<F, 32 / sizeof(F)>;

constexpr size_t kPoints = static_cast<size_t>(kSegment);
// Before and after the points of an array: whole vectors around any point are read.
constexpr size_t kSlack = 16;

// Of each byte the numbers of its set bits, one in each byte of the entry, lowest first.
struct BitNumbers {
  constexpr BitNumbers() : of{} {
    for (uint64_t byte = 0; byte < 256; ++byte) {
      uint64_t shift = 0;
      for (uint64_t bit = 0; bit < 8; ++bit) {
        if ((byte >> bit & 1) == 0) continue;
        of[byte] |= bit << shift;
        shift += 8;
      }
    }
  }
  uint64_t of[256];
};
inline constexpr BitNumbers kBitNumbers;

// Appends first + b for each set bit b of a byte; eight bytes are written. Returns how many count.
HWY_INLINE size_t AppendBitNumbers(uint32_t bits, size_t first, uint8_t* to) {
  const uint64_t numbers = kBitNumbers.of[bits] + first * 0x0101010101010101u;
  std::memcpy(to, &numbers, sizeof(numbers));
  return static_cast<size_t>(__builtin_popcount(bits));
}

// Segments are read long before they are needed: pages end the streams that the processor sees.
constexpr ptrdiff_t kPointsAhead = 3 * static_cast<ptrdiff_t>(kPoints);

// `count` elements, which need not exist.
template <typename T>
HWY_INLINE void Prefetch(const T* memory, size_t count) {
  constexpr size_t kLine = 64;
  const char* from = reinterpret_cast<const char*>(memory);
  HWY_UNROLL(8)
  for (size_t i = 0; i < count * sizeof(T); i += kLine) __builtin_prefetch(from + i);
}

using Planes = Range;  // that a task owns

// A sample's points as the kernel walks them.
struct SegmentPlace {
  int64_t grid;  // offsets of the first point, elements
  int64_t grad_output;
  int64_t grid_grad;
  size_t count;
  int64_t rest;  // points from the first one to the end of their run
};

// Where the points are not one run.
HWY_NOINLINE inline SegmentPlace FindSegmentOfRuns(const Problem& problem, const Slabs& slabs,
                                                   int64_t sample, int64_t segment) {
  const int64_t in_run = segment % slabs.segments_per_run * kSegment;
  const int64_t first = segment / slabs.segments_per_run * slabs.run + in_run;
  const Dims& extents = problem.grid.extents;
  const int64_t w = first % extents[3];
  const int64_t h = first / extents[3] % extents[2];
  const int64_t d = first / extents[3] / extents[2];
  const auto offset = [&](const Dims& s, int axis) {
    return sample * s[0] + d * s[axis] + h * s[axis + 1] + w * s[axis + 2];
  };
  return {offset(problem.grid.strides, 1), offset(problem.grad_output.strides, 2),
          offset(problem.grid_grad.strides, 1),
          static_cast<size_t>(std::min(kSegment, slabs.run - in_run)), slabs.run - in_run};
}

HWY_INLINE SegmentPlace FindSegment(const Problem& problem, const Slabs& slabs, int64_t sample,
                                    int64_t segment) {
  if (slabs.runs != 1) return FindSegmentOfRuns(problem, slabs, sample, segment);
  const int64_t first = segment * kSegment;
  const auto offset = [&](const Dims& s, int axis) { return sample * s[0] + first * s[axis + 2]; };
  return {offset(problem.grid.strides, 1), offset(problem.grad_output.strides, 2),
          offset(problem.grid_grad.strides, 1),
          static_cast<size_t>(std::min(kSegment, slabs.run - first)), slabs.run - first};
}

// True if the derivative of the place by the coordinate is AxisRule's scale / 2 for all points.
inline bool HasConstantFactors(const Problem& problem) {
  return problem.padding == Padding::kZeros && problem.interpolation == Interpolation::kBilinear;
}

// The points of a segment and where they lie.
template <typename F>
struct Located {
  HWY_ALIGN F low[3][kPoints + kSlack];  // weights of the lower voxel along x, y, z
  HWY_ALIGN F high[3][kPoints + kSlack];
  HWY_ALIGN F factor[3][kPoints];  // not filled if HasConstantFactors()
  HWY_ALIGN F z[kPoints];          // index of the lower voxel
  HWY_ALIGN int32_t offsets[kSlack + kPoints + kSlack];
  HWY_ALIGN int32_t edges[kPoints + kSlack];  // channels last: of locate_voxels-inl.h
  int64_t last_plane;  // in which the lower voxel of a point that touches the slab lies
  bool any_in_slab;    // touches a voxel of the slab
  bool any_owned;      // gridGrad is the task's business
  bool all_owned;

  // Of the lower voxel in scratch memory, with edges from the slab's first voxel. offset()[-1] is
  // the neighbour of no offset.
  const int32_t* offset() const { return offsets + kSlack; }
};

// The derivatives of a segment by the place.
template <typename F>
struct SlopesOfPoints {
  HWY_ALIGN F axis[3][kPoints + kSlack];
};

// Points are owned by the slab with their lower voxel; if that lies outside, by the nearest one.
template <typename F>
struct Owner {
  Owner(Planes planes, int64_t depth)
      : begin(planes.begin == 0 ? std::numeric_limits<F>::lowest() : static_cast<F>(planes.begin)),
        end(planes.end == depth ? std::numeric_limits<F>::max() : static_cast<F>(planes.end)) {}
  template <class D>
  HWY_INLINE hn::Mask<D> Owns(D d, hn::Vec<D> z) const {
    return hn::And(hn::Ge(z, hn::Set(d, begin)), hn::Lt(z, hn::Set(d, end)));
  }
  F begin;
  F end;
};

// Of whole numbers in [0, 2^23).
template <class D>
HWY_INLINE hn::Vec<hn::Rebind<int32_t, D>> ToInt32(D d, hn::Vec<D> v) {
  const hn::Rebind<int32_t, D> di;
  if constexpr (sizeof(hn::TFromD<D>) == sizeof(int32_t)) {
    // Highway's conversion takes care of values that do not fit, which costs more than all this.
    const auto whole = hn::Set(d, 0x1p23f);
    return hn::Sub(hn::BitCast(di, hn::Add(v, whole)), hn::BitCast(di, whole));
  } else {
    return hn::DemoteTo(di, v);
  }
}

// Locate() for bilinear interpolation with padding by zeros and axes below 2^24. False lanes of the
// result: the place is NaN or far outside; then its weights are only known to be finite.
template <class D, class V = hn::Vec<D>, typename F = hn::TFromD<D>>
HWY_INLINE hn::Mask<D> LocateInZeros(D d, const AxisRule<F>& rule, V coordinates, V* low,
                                     V* weight_low, V* weight_high) {
  V v = Unnormalise(d, rule, coordinates);
  const auto usable = hn::Lt(hn::Abs(v), hn::Set(d, F{1 << 24}));
  v = hn::IfThenElseZero(usable, v);
  *low = hn::Floor(v);
  *weight_low = hn::Sub(hn::Add(*low, hn::Set(d, F{1})), v);
  *weight_high = hn::Sub(v, *low);
  return usable;
}

// What stands before and after the offsets of a segment. Kernels look at most two points ahead.
template <typename F>
HWY_INLINE void FrameOffsets(const Slabs& slabs, size_t count, Located<F>* located) {
  constexpr int64_t kLanes = hn::MaxLanes(PointTag<F>());
  int32_t* const offsets = located->offsets + kSlack;
  offsets[-1] = -2;
  std::fill_n(offsets + RoundUp(static_cast<int64_t>(count), kLanes), 2,
              static_cast<int32_t>(slabs.nowhere()));
}

template <bool kSimple, typename F>
HWY_INLINE void LocatePointsOf(const Problem& problem, const Slabs& slabs, Planes planes,
                               const F* HWY_RESTRICT coordinates, size_t count,
                               Located<F>* HWY_RESTRICT located) {
  const PointTag<F> d;
  using V = hn::Vec<decltype(d)>;
  const hn::Rebind<int32_t, decltype(d)> di;
  const Dims& extents = problem.input.extents;
  const AxisRule<F> rules[3] = {AxisRule<F>(extents[4], problem), AxisRule<F>(extents[3], problem),
                                AxisRule<F>(extents[2], problem)};
  const bool nearest = problem.interpolation == Interpolation::kNearest;
  const F before = nearest ? F{0} : F{-1};  // how far outside the lower voxel may be
  const V lowest = hn::Set(d, before);
  const V last_x = hn::Set(d, static_cast<F>(extents[4] - 1));
  const V last_y = hn::Set(d, static_cast<F>(extents[3] - 1));
  const V first_z = hn::Set(d, static_cast<F>(planes.begin) + before);
  const V last_z = hn::Set(d, static_cast<F>(planes.end - 1));
  const Owner<F> owner(planes, extents[2]);
  // Offsets are below 2^23, so that float holds them exactly.
  const V row = hn::Set(d, static_cast<F>(slabs.row));
  const V plane = hn::Set(d, static_cast<F>(slabs.plane));
  const V origin = hn::Set(d, static_cast<F>(slabs.origin));
  const V slab_z = hn::Set(d, static_cast<F>(planes.begin));
  const V nowhere = hn::Set(d, static_cast<F>(slabs.nowhere()));
  V last = first_z;
  auto in_slab = hn::Ne(lowest, lowest);
  auto owned = hn::Ne(lowest, lowest);
  auto foreign = hn::Ne(lowest, lowest);
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    V c[3], low[3];
    hn::LoadInterleaved3(d, coordinates + 3 * i, c[0], c[1], c[2]);
    auto usable = hn::Eq(lowest, lowest);
    HWY_UNROLL(8)
    for (size_t axis = 0; axis < 3; ++axis) {
      V weight_low, weight_high, factor;
      if constexpr (kSimple) {
        usable = hn::And(
            usable, LocateInZeros(d, rules[axis], c[axis], &low[axis], &weight_low, &weight_high));
      } else {
        Locate(d, rules[axis], c[axis], &low[axis], &weight_low, &weight_high, &factor);
        hn::Store(factor, d, located->factor[axis] + i);
      }
      hn::Store(weight_low, d, located->low[axis] + i);
      hn::Store(weight_high, d, located->high[axis] + i);
    }
    hn::Store(low[2], d, located->z + i);
    const auto x_fits = hn::And(hn::Ge(low[0], lowest), hn::Le(low[0], last_x));
    const auto y_fits = hn::And(hn::Ge(low[1], lowest), hn::Le(low[1], last_y));
    const auto z_fits = hn::And(hn::Ge(low[2], first_z), hn::Le(low[2], last_z));
    const auto fits = hn::And(hn::And(z_fits, usable), hn::And(x_fits, y_fits));
    const V in_plane = hn::Add(hn::Add(low[0], origin), hn::Mul(low[1], row));
    const V offset = hn::Add(in_plane, hn::Mul(hn::Sub(low[2], slab_z), plane));
    hn::StoreU(ToInt32(d, hn::IfThenElse(fits, offset, nowhere)), di,
               located->offsets + kSlack + i);
    // Lanes behind the last point count as well: harmless, these are hints.
    in_slab = hn::Or(in_slab, fits);
    last = hn::Max(last, hn::IfThenElse(fits, low[2], first_z));
    const auto mine = owner.Owns(d, low[2]);
    owned = hn::Or(owned, mine);
    foreign = hn::Or(foreign, hn::Not(mine));
  }
  FrameOffsets(slabs, count, located);
  located->last_plane = static_cast<int64_t>(hn::GetLane(hn::MaxOfLanes(d, last)));
  located->any_in_slab = !hn::AllFalse(d, in_slab);
  located->any_owned = !hn::AllFalse(d, owned);
  located->all_owned = hn::AllFalse(d, foreign);
}

template <typename F>
HWY_NOINLINE void LocatePoints(const Problem& problem, const Slabs& slabs, Planes planes,
                               const F* coordinates, size_t count, Located<F>* located) {
  if (HasConstantFactors(problem)) {
    LocatePointsOf<true>(problem, slabs, planes, coordinates, count, located);
  } else {
    LocatePointsOf<false>(problem, slabs, planes, coordinates, count, located);
  }
}

template <class D, class V = hn::Vec<D>, typename F = hn::TFromD<D>>
HWY_INLINE void StoreSlopes(D d, const Located<F>& located, size_t i, const V* corners,
                            SlopesOfPoints<F>* slopes) {
  V low[3], high[3], result[3];
  HWY_UNROLL(8)
  for (size_t axis = 0; axis < 3; ++axis) {
    low[axis] = hn::LoadU(d, located.low[axis] + i);
    high[axis] = hn::LoadU(d, located.high[axis] + i);
  }
  Slopes(corners, low, high, hn::Zero(d), result);
  HWY_UNROLL(8)
  for (size_t axis = 0; axis < 3; ++axis) hn::StoreU(result[axis], d, slopes->axis[axis] + i);
}

// Of the eight voxels around an offset those that exist, as bits.
inline uint32_t ExistingCorners(const Problem& problem, const Slabs& slabs, Planes planes,
                                int64_t offset) {
  if (offset == slabs.nowhere()) return 0;
  const Dims& extents = problem.input.extents;
  const int64_t from_corner = offset - slabs.origin + slabs.plane + slabs.row + 1;
  const int64_t x = from_corner % slabs.row - 1;
  const int64_t y = from_corner % slabs.plane / slabs.row - 1;
  const int64_t z = from_corner / slabs.plane - 1 + planes.begin;
  uint32_t bits = 0;
  for (uint32_t k = 0; k < 8; ++k) {
    const int64_t at[3] = {x + k % 2, y + k / 2 % 2, z + k / 4};
    bool exists = true;
    for (int axis = 0; axis < 3; ++axis) {
      exists = exists && at[axis] >= 0 && at[axis] < extents[4 - axis];
    }
    if (exists) bits |= 1u << k;
  }
  return bits;
}

}  // namespace HWY_NAMESPACE
}  // namespace grid_sampler3d_backward
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
