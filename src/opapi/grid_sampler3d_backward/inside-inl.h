// Segments whose points all lie inside the volume. Most do; then nearly all of LocatePoints() falls
// away, and the extremes of the coordinates tell it, for the places grow with the coordinates.

// Per-target include guard
#if defined(ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_INSIDE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_INSIDE_INL_H_
#undef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_INSIDE_INL_H_
#else
#define ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_INSIDE_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "opapi/grid_sampler3d_backward/segment-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace grid_sampler3d_backward {
namespace HWY_NAMESPACE {

// What is known of a segment before its points are located.
struct SegmentRange {
  int32_t first;            // the first and last plane in which lower voxels lie
  int32_t last_and_inside;  // 2 * last + inside
  int32_t last() const { return last_and_inside >> 1; }
  // True if coordinates are finite, and along y and z no padding acts and the lower voxel is one
  // of the volume or, padded with zeros, the neighbour of one.
  bool inside() const { return (last_and_inside & 1) != 0; }
};
static_assert(sizeof(SegmentRange) == 8, "plan.cc sets so many bytes aside");

// Places along an axis where no padding acts.
template <class D>
class Inside {
 public:
  using V = hn::Vec<D>;
  using F = hn::TFromD<D>;

  explicit Inside(const AxisRule<F>& rule)
      : factor_(hn::Set(D(), rule.align_corners ? F{0.5} : rule.scale)),
        corner_(hn::Set(D(), rule.align_corners ? F{0} : F{1})),
        factor_after_(hn::Set(D(), rule.align_corners ? rule.scale : F{0.5})),
        begin_(hn::Set(D(), -Margin(rule))),
        end_(hn::Set(D(), rule.last_voxel + Margin(rule))) {}

  // What Unnormalise() gives, without a branch. Reflect() leaves places inside as they are: these
  // are whole multiples of a bit that their distance from the mirror still has room for.
  HWY_INLINE V Place(V coordinates) const {
    const V from_minus_1 = hn::Add(coordinates, hn::Set(D(), F{1}));
    return hn::Mul(hn::Sub(hn::Mul(from_minus_1, factor_), corner_), factor_after_);
  }
  HWY_INLINE hn::Mask<D> Contains(V v) const { return hn::And(hn::Gt(v, begin_), hn::Lt(v, end_)); }

 private:
  static F Margin(const AxisRule<F>& rule) {
    if (rule.padding != Padding::kZeros) return 0;
    return rule.interpolation == Interpolation::kNearest ? F{0.5} : F{1};
  }

  V factor_, corner_, factor_after_;
  V begin_, end_;
};

// How the coordinates along x, y and z are treated.
template <typename F>
struct Rules {
  using D = PointTag<F>;
  explicit Rules(const Problem& problem)
      : axes{AxisRule<F>(problem.input.extents[4], problem),
             AxisRule<F>(problem.input.extents[3], problem),
             AxisRule<F>(problem.input.extents[2], problem)},
        inside{Inside<D>(axes[0]), Inside<D>(axes[1]), Inside<D>(axes[2])} {}

  AxisRule<F> axes[3];
  Inside<D> inside[3];
};

// The lower voxels along z, as LocatePoints() finds them.
template <class D, class V = hn::Vec<D>, typename F = hn::TFromD<D>>
HWY_INLINE V LowerPlane(D d, const AxisRule<F>& rule, V coordinates) {
  V low, weight_low, weight_high, factor;
  if (rule.padding == Padding::kZeros && rule.interpolation == Interpolation::kBilinear) {
    LocateInZeros(d, rule, coordinates, &low, &weight_low, &weight_high);
  } else {
    Locate(d, rule, coordinates, &low, &weight_low, &weight_high, &factor);
  }
  return low;
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE SegmentRange RangeOf(D d, V first, V last, bool inside) {
  const auto to_int = [](hn::TFromD<D> v) {
    constexpr auto kMost = hn::TFromD<D>{1 << 24};  // volumes have less planes
    return static_cast<int32_t>(std::min(std::max(v, -kMost), kMost));
  };
  return {to_int(hn::GetLane(hn::MinOfLanes(d, first))),
          2 * to_int(hn::GetLane(hn::MaxOfLanes(d, last))) + (inside ? 1 : 0)};
}

// FindRange() for any points.
template <typename F>
HWY_NOINLINE SegmentRange FindRangePointByPoint(const AxisRule<F>& rule, const F* coordinates,
                                                size_t count) {
  const PointTag<F> d;
  auto first = hn::Set(d, std::numeric_limits<F>::max());
  auto last = hn::Neg(first);
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::Vec<decltype(d)> x, y, z;
    hn::LoadInterleaved3(d, coordinates + 3 * i, x, y, z);
    z = LowerPlane(d, rule, z);
    first = hn::Min(first, z);
    last = hn::Max(last, z);
  }
  return RangeOf(d, first, last, false);
}

// The least and the greatest coordinates of a segment, in any lane. `finite`: all are.
template <typename V>
struct Extremes {
  V least[3];
  V most[3];
  bool finite;
};

// Reads up to whole vectors of points, which must not widen the range.
template <class D, class V = hn::Vec<D>, typename F = hn::TFromD<D>>
HWY_INLINE Extremes<V> FindExtremes(D d, const F* HWY_RESTRICT coordinates, size_t count) {
  const size_t lanes = hn::Lanes(d);
  // Three vectors hold points as they lie: each lane always belongs to the same axis.
  V least[3], most[3], sum[3];
  HWY_UNROLL(8)
  for (size_t k = 0; k < 3; ++k) {
    least[k] = most[k] = hn::LoadU(d, coordinates + k * lanes);
    sum[k] = hn::Zero(d);
  }
  for (size_t i = 0; i < count; i += lanes) {
    HWY_UNROLL(8)
    for (size_t k = 0; k < 3; ++k) {
      const V v = hn::LoadU(d, coordinates + 3 * i + k * lanes);
      least[k] = hn::Min(least[k], v);
      most[k] = hn::Max(most[k], v);
      sum[k] = hn::Add(sum[k], v);
    }
  }
  Extremes<V> result;
  HWY_ALIGN F points[2][3 * hn::MaxLanes(D())];
  // Once infinite or NaN, sums stay so.
  auto finite = hn::Eq(hn::Zero(d), hn::Zero(d));
  HWY_UNROLL(8)
  for (size_t k = 0; k < 3; ++k) {
    const V largest = hn::Set(d, std::numeric_limits<F>::max());
    finite = hn::And(finite, hn::Le(hn::Abs(sum[k]), largest));
    hn::Store(least[k], d, points[0] + k * lanes);
    hn::Store(most[k], d, points[1] + k * lanes);
  }
  result.finite = hn::AllTrue(d, finite);
  hn::LoadInterleaved3(d, points[0], result.least[0], result.least[1], result.least[2]);
  hn::LoadInterleaved3(d, points[1], result.most[0], result.most[1], result.most[2]);
  return result;
}

template <typename F>
HWY_INLINE SegmentRange FindRange(const Rules<F>& rules, const F* coordinates, size_t count) {
  const PointTag<F> d;
  const auto extremes = FindExtremes(d, coordinates, count);
  const AxisRule<F>& rule = rules.axes[2];
  const bool nearest = rule.interpolation == Interpolation::kNearest;
  if (!extremes.finite) return FindRangePointByPoint(rule, coordinates, count);
  auto inside = hn::Eq(hn::Zero(d), hn::Zero(d));
  HWY_UNROLL(8)
  for (size_t axis = 1; axis < 3; ++axis) {
    const auto& place = rules.inside[axis];
    inside = hn::And(inside, place.Contains(place.Place(extremes.least[axis])));
    inside = hn::And(inside, place.Contains(place.Place(extremes.most[axis])));
  }
  const bool all_inside = hn::AllTrue(d, inside);
  if (all_inside) {
    const auto& place = rules.inside[2];
    const auto whole = [nearest](auto v) { return nearest ? hn::Round(v) : hn::Floor(v); };
    return RangeOf(d, whole(place.Place(extremes.least[2])), whole(place.Place(extremes.most[2])),
                   true);
  }
  // Places grow with the coordinates unless they are reflected or so large that they are dropped.
  const auto is_small = [&](auto c) {
    return hn::AllTrue(d, hn::Lt(hn::Abs(Unnormalise(d, rule, c)), hn::Set(d, F{1 << 24})));
  };
  if (rule.padding == Padding::kReflection || !is_small(extremes.least[2]) ||
      !is_small(extremes.most[2])) {
    return FindRangePointByPoint(rule, coordinates, count);
  }
  return RangeOf(d, LowerPlane(d, rule, extremes.least[2]), LowerPlane(d, rule, extremes.most[2]),
                 false);
}

// Weight times gradOutput for the lower and the upper voxel of each row: eight arrays at constant
// distances, so that one address is enough for all.
template <typename F>
class Products {
 public:
  static constexpr size_t kStep = kSlack + kPoints + kSlack;
  static constexpr size_t kLow[4] = {0, 2 * kStep, 4 * kStep, 6 * kStep};  // from low(0)
  static constexpr size_t kHigh[4] = {kStep, 3 * kStep, 5 * kStep, 7 * kStep};

  const F* low(size_t row) const { return of_ + kSlack + kLow[row]; }
  const F* high(size_t row) const { return of_ + kSlack + kHigh[row]; }
  F* low(size_t row) { return of_ + kSlack + kLow[row]; }
  F* high(size_t row) { return of_ + kSlack + kHigh[row]; }

 private:
  HWY_ALIGN F of_[8 * kStep];
};

// The products of a vector of points with every channel. `x`, `y`, `z`: the weights of the lower
// and the upper voxels.
template <size_t kChannels, class D, class V = hn::Vec<D>, typename F = hn::TFromD<D>>
HWY_INLINE void StoreProducts(D d, const V* x, const V* y, const V* z, const F* const* grads,
                              size_t i, Products<F>* HWY_RESTRICT products) {
  V g[kChannels];
  HWY_UNROLL(8)
  for (size_t c = 0; c < kChannels; ++c) g[c] = hn::LoadU(d, grads[c] + i);
  HWY_UNROLL(8)
  for (size_t r = 0; r < 4; ++r) {
    const V low = hn::Mul(hn::Mul(x[0], y[r % 2]), z[r / 2]);
    const V high = hn::Mul(hn::Mul(x[1], y[r % 2]), z[r / 2]);
    HWY_UNROLL(8)
    for (size_t c = 0; c < kChannels; ++c) {
      hn::Store(hn::Mul(low, g[c]), d, products[c].low(r) + i);
      hn::Store(hn::Mul(high, g[c]), d, products[c].high(r) + i);
    }
  }
}

// Offsets in a slab from whole numbers. Points that do not fit are put nowhere.
template <class D>
class Offsets {
 public:
  using V = hn::Vec<D>;
  using F = hn::TFromD<D>;

  Offsets(const Slabs& slabs, Planes planes)
      : row_(hn::Set(D(), static_cast<F>(slabs.row))),
        plane_(hn::Set(D(), static_cast<F>(slabs.plane))),
        origin_(hn::Set(D(), static_cast<F>(slabs.origin))),
        first_plane_(hn::Set(D(), static_cast<F>(planes.begin))),
        nowhere_(hn::Set(D(), static_cast<F>(slabs.nowhere()))) {}

  HWY_INLINE void Store(V x, V y, V z, hn::Mask<D> fits, int32_t* to) const {
    const V in_plane = hn::Add(hn::Add(x, origin_), hn::Mul(y, row_));
    const V offset = hn::Add(in_plane, hn::Mul(hn::Sub(z, first_plane_), plane_));
    hn::StoreU(ToInt32(D(), hn::IfThenElse(fits, offset, nowhere_)), hn::Rebind<int32_t, D>(), to);
  }

 private:
  V row_, plane_, origin_, first_plane_, nowhere_;
};

// What is known of a segment that is inside and in the slab, before its points are located.
template <typename F>
HWY_INLINE void NoteInside(int64_t last_plane, bool owned, Located<F>* located) {
  located->offsets[kSlack - 1] = -2;
  located->last_plane = last_plane;
  located->any_in_slab = true;
  located->any_owned = located->all_owned = owned;
}

// LocatePoints() for a segment that is inside and in the slab, though x may lie anywhere. Fills the
// arrays alone, `z` excepted. `kZeros`: the padding. If `products` is not null, also these.
template <bool kZeros, size_t kChannels, typename F>
HWY_NOINLINE void LocateInside(const Rules<F>& rules, const Offsets<PointTag<F>>& offsets,
                               const F* HWY_RESTRICT coordinates, size_t count,
                               const F* const* grads, Located<F>* HWY_RESTRICT located,
                               Products<F>* HWY_RESTRICT products) {
  const PointTag<F> d;
  using D = decltype(d);
  using V = hn::Vec<D>;
  const V lowest = hn::Set(d, kZeros ? F{-1} : F{0});
  const V last = hn::Set(d, rules.axes[0].last_voxel);
  V factor[3];
  HWY_UNROLL(8)
  for (size_t axis = 0; axis < 3; ++axis) {
    factor[axis] = hn::Mul(hn::Set(d, rules.axes[axis].scale), hn::Set(d, F{0.5}));
  }
  V ahead[3];  // coordinates, loaded before the stores that they would have to be checked against
  hn::LoadInterleaved3(d, coordinates, ahead[0], ahead[1], ahead[2]);
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    V v[3], low[3], weights[3][2];
    HWY_UNROLL(8)
    for (size_t axis = 0; axis < 3; ++axis) v[axis] = ahead[axis];
    const V x = v[0];
    const size_t next = i + hn::Lanes(d) < count ? i + hn::Lanes(d) : i;
    hn::LoadInterleaved3(d, coordinates + 3 * next, ahead[0], ahead[1], ahead[2]);
    HWY_UNROLL(8)
    for (size_t axis = 0; axis < 3; ++axis) {
      v[axis] = rules.inside[axis].Place(v[axis]);
      if (kZeros && axis == 0) {
        // Any place outside will do, but weights have to be finite.
        v[0] = hn::Max(hn::Min(v[0], hn::Add(last, hn::Set(d, F{2}))), hn::Set(d, F{-2}));
      }
      low[axis] = hn::Floor(v[axis]);
      weights[axis][0] = hn::Sub(hn::Add(low[axis], hn::Set(d, F{1})), v[axis]);
      weights[axis][1] = hn::Sub(v[axis], low[axis]);
    }
    if constexpr (!kZeros) {
      V x_factor = factor[0];
      if (!hn::AllTrue(d, rules.inside[0].Contains(v[0]))) {
        Locate(d, rules.axes[0], x, &low[0], &weights[0][0], &weights[0][1], &x_factor);
      }
      hn::Store(x_factor, d, located->factor[0] + i);
      hn::Store(factor[1], d, located->factor[1] + i);
      hn::Store(factor[2], d, located->factor[2] + i);
    }
    HWY_UNROLL(8)
    for (size_t axis = 0; axis < 3; ++axis) {
      hn::Store(weights[axis][0], d, located->low[axis] + i);
      hn::Store(weights[axis][1], d, located->high[axis] + i);
    }
    const auto fits = hn::And(hn::Ge(low[0], lowest), hn::Le(low[0], last));
    offsets.Store(low[0], low[1], low[2], fits, located->offsets + kSlack + i);
    if (products == nullptr) continue;
    StoreProducts<kChannels>(d, weights[0], weights[1], weights[2], grads, i, products);
  }
}

// The same for mode nearest, of which only the offsets are wanted.
template <typename F>
HWY_NOINLINE void LocateNearestInside(const Rules<F>& rules, const Offsets<PointTag<F>>& offsets,
                                      const F* HWY_RESTRICT coordinates, size_t count,
                                      Located<F>* HWY_RESTRICT located) {
  const PointTag<F> d;
  using D = decltype(d);
  using V = hn::Vec<D>;
  const bool zeros = rules.axes[0].padding == Padding::kZeros;
  const V last = hn::Set(d, rules.axes[0].last_voxel);
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    V x, y, z;
    hn::LoadInterleaved3(d, coordinates + 3 * i, x, y, z);
    const V place = rules.inside[0].Place(x);
    V low = hn::Round(place);
    if (!zeros && !hn::AllTrue(d, rules.inside[0].Contains(place))) {
      V weight_low, weight_high, factor;
      Locate(d, rules.axes[0], x, &low, &weight_low, &weight_high, &factor);
    }
    const auto fits = hn::And(hn::Ge(low, hn::Zero(d)), hn::Le(low, last));
    offsets.Store(low, hn::Round(rules.inside[1].Place(y)), hn::Round(rules.inside[2].Place(z)),
                  fits, located->offsets + kSlack + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace grid_sampler3d_backward
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
