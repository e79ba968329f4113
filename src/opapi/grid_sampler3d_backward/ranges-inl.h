// What a look at the grid tells before points are located.

// Per-target include guard
#if defined(ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_RANGES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_RANGES_INL_H_
#undef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_RANGES_INL_H_
#else
#define ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_RANGES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/checked_math.h"
#include "opapi/grid_sampler3d_backward/inside-inl.h"
#include "opapi/grid_sampler3d_backward/segment-inl.h"
#include "simd/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace grid_sampler3d_backward {
namespace HWY_NAMESPACE {

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
    Prefetch(from + 3 * kPointsAhead, 3 * count);
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

// Every so many segments are looked at, or fewer, so that there are not too many.
constexpr int64_t kSegmentsPerSample = 8;
constexpr int64_t kMostSamples = 64;

// Of the points of a segment but for the first one: how many begin a run.
template <typename F>
HWY_NOINLINE size_t CountRuns(const Rules<F>& rules, const F* coordinates, size_t count) {
  const PointTag<F> d;
  HWY_ALIGN F low[3][kPoints + kSlack];
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::Vec<decltype(d)> c[3];
    hn::LoadInterleaved3(d, coordinates + 3 * i, c[0], c[1], c[2]);
    HWY_UNROLL(8)
    for (size_t axis = 0; axis < 3; ++axis) {
      hn::Store(LowerPlane(d, rules.axes[axis], c[axis]), d, low[axis] + i);
    }
  }
  const auto one = hn::Set(d, F{1});
  size_t runs = 0;
  for (size_t i = 1; i < count; i += hn::Lanes(d)) {
    const auto differs = [&](size_t axis, auto from_last) {
      const auto last = hn::LoadU(d, low[axis] + i - 1);
      return hn::Ne(hn::LoadU(d, low[axis] + i), hn::Add(last, from_last));
    };
    const auto begins =
        hn::Or(differs(0, one), hn::Or(differs(1, hn::Zero(d)), differs(2, hn::Zero(d))));
    runs += hn::CountTrue(d, hn::And(begins, hn::FirstN(d, count - i)));
  }
  return runs;
}

template <typename T>
int64_t RunsPerHundredOf(const Problem& problem, const Slabs& slabs, const Buffers& buffers) {
  using F = Wide<T>;
  const Rules<F> rules(problem);
  HWY_ALIGN F copy[3 * (kPoints + kSlack)];
  const int64_t all = problem.samples() * slabs.segments();
  const int64_t step = std::max(kSegmentsPerSample, CeilDiv(all, kMostSamples));
  size_t points = 1;
  size_t runs = 1;
  for (int64_t i = all / 2 % step; i < all; i += step) {
    const SegmentPlace place =
        FindSegment(problem, slabs, i / slabs.segments(), i % slabs.segments());
    const F* coordinates = ReadCoordinates(problem, static_cast<const T*>(buffers.grid), place.grid,
                                           place.count, copy);
    points += place.count - 1;
    runs += CountRuns(rules, coordinates, place.count);
  }
  return static_cast<int64_t>(100 * runs / points);
}

}  // namespace HWY_NAMESPACE
}  // namespace grid_sampler3d_backward
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
