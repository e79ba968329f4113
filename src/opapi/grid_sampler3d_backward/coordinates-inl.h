// Stage one of the kernel: reads points and turns normalised coordinates into voxels and weights,
// one axis of a chunk of points at a time, in vectors across points. In float or double, the
// operator's compute precision, with the steps in the order README.md gives, so that floor()
// decides as it does on a card.

// Per-target include guard
#if defined(ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_COORDINATES_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_COORDINATES_INL_H_
#undef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_COORDINATES_INL_H_
#else
#define ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_COORDINATES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/shape.h"
#include "opapi/grid_sampler3d_backward/problem.h"
#include "simd/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace grid_sampler3d_backward {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using ::aclnn_cpu::HWY_NAMESPACE::StoreNarrow;
using ::aclnn_cpu::HWY_NAMESPACE::ToWide;
using ::aclnn_cpu::HWY_NAMESPACE::Wide;

// A half-open range of indices along one axis.
struct Range {
  int64_t begin;
  int64_t end;
};

// Points per chunk: a multiple of every vector length, small enough for the stack.
constexpr size_t kChunk = 64;

// A coordinate that lies outside every volume.
constexpr double kOutside = -100;

// How coordinates along one axis are treated.
template <typename F>
struct AxisRule {
  AxisRule(int64_t size, const Problem& problem)
      : interpolation(problem.interpolation),
        padding(problem.padding),
        align_corners(problem.align_corners),
        scale(static_cast<F>(align_corners ? size - 1 : size)),
        last_voxel(static_cast<F>(size - 1)),
        mirror(align_corners ? F{0} : F{-0.5}) {
    // Where F cannot hold size - 1, rounding up would clip to a place behind the volume.
    if (static_cast<double>(last_voxel) > static_cast<double>(size - 1)) {
      last_voxel = std::nextafter(last_voxel, F{0});
    }
  }

  Interpolation interpolation;
  Padding padding;
  bool align_corners;
  F scale;       // voxels between the coordinates -1 and 1
  F last_voxel;  // the place to clip to
  F mirror;      // reflection: the lower mirror; the upper one is `scale` above
};

// The coordinates of a chunk along one axis.
template <typename F>
struct AxisPoints {
  HWY_ALIGN F low[kChunk];          // in: normalised coordinates; out: index of the lower voxel
  HWY_ALIGN F weight_low[kChunk];   // of the voxel `low`
  HWY_ALIGN F weight_high[kChunk];  // of the voxel `low` + 1; nearest does not use it
  HWY_ALIGN F factor[kChunk];       // derivative of the place by the normalised coordinate
};

// Ties to even. Adding 2^(mantissa bits) leaves no bits for a fraction; Highway's own Round is not
// exact on the scalar target.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V RoundHalfEven(D d, V v) {
  using F = hn::TFromD<D>;
  const V whole = hn::Set(d, F{1} / std::numeric_limits<F>::epsilon());
  const V magnitude = hn::Abs(v);
  const V rounded = hn::Sub(hn::Add(magnitude, whole), whole);
  return hn::IfThenElse(hn::Lt(magnitude, whole), hn::CopySign(rounded, v), v);
}

// fmod(t, period) lane by lane, for the rare points that lie more than a volume away.
template <class D, class V = hn::Vec<D>>
HWY_NOINLINE V Remainder(D d, V t, hn::TFromD<D> period) {
  HWY_ALIGN hn::TFromD<D> lanes[HWY_MAX_BYTES / sizeof(hn::TFromD<D>)];
  hn::Store(t, d, lanes);
  for (size_t i = 0; i < hn::Lanes(d); ++i) lanes[i] = std::fmod(lanes[i], period);
  return hn::Load(d, lanes);
}

// Mirrors *v at both ends until it is inside. The remainder by the double period decides whether
// the number of mirrorings is odd; the quotient floor(t / span), which rounds, would sometimes be
// wrong by one. NaN stays NaN and infinity becomes NaN.
template <class D, class V = hn::Vec<D>, typename F = hn::TFromD<D>>
HWY_INLINE void Reflect(D d, const AxisRule<F>& rule, V* v, V* factor) {
  if (rule.scale == 0) {  // one voxel, corners aligned: *v is 0 already, or NaN
    *factor = hn::Zero(d);
    return;
  }
  const V low = hn::Set(d, rule.mirror);
  const V span = hn::Set(d, rule.scale);
  const F period = 2 * rule.scale;
  const V from_low = hn::Sub(*v, low);
  V t = hn::Abs(from_low);
  if (!hn::AllFalse(d, hn::Ge(t, hn::Set(d, period)))) t = Remainder(d, t, period);
  const auto odd = hn::Ge(t, span);
  *v = hn::Add(hn::IfThenElse(odd, hn::Sub(span, hn::Sub(t, span)), t), low);
  const auto flip = hn::Xor(odd, hn::Lt(from_low, hn::Zero(d)));
  *factor = hn::IfThenElse(flip, hn::Neg(*factor), *factor);
}

// A place exactly on the border counts as clipped. NaN stays NaN.
template <class D, class V = hn::Vec<D>, typename F = hn::TFromD<D>>
HWY_INLINE void Clip(D d, const AxisRule<F>& rule, V* v, V* factor) {
  const V last = hn::Set(d, rule.last_voxel);
  const auto below = hn::Le(*v, hn::Zero(d));
  const auto above = hn::Ge(*v, last);
  *v = hn::IfThenZeroElse(below, hn::IfThenElse(above, last, *v));
  *factor = hn::IfThenZeroElse(hn::Or(below, above), *factor);
}

// Normalised coordinates in voxels, before padding.
template <class D, class V = hn::Vec<D>, typename F = hn::TFromD<D>>
HWY_INLINE V Unnormalise(D d, const AxisRule<F>& rule, V coordinates) {
  const V one = hn::Set(d, F{1});
  const V half = hn::Set(d, F{0.5});
  const V scale = hn::Set(d, rule.scale);
  const V from_minus_1 = hn::Add(coordinates, one);
  return rule.align_corners ? hn::Mul(hn::Mul(from_minus_1, half), scale)
                            : hn::Mul(hn::Sub(hn::Mul(from_minus_1, scale), one), half);
}

// Places coordinates along one axis: *low, the index of the lower voxel (nearest: of the voxel),
// the weights of this voxel and the next one, and the derivative of the place. Points that NaN,
// infinity or sheer size puts nowhere go to kOutside, so that every index fits in int32.
template <class D, class V = hn::Vec<D>, typename F = hn::TFromD<D>>
HWY_INLINE void Locate(D d, const AxisRule<F>& rule, V coordinates, V* low, V* weight_low,
                       V* weight_high, V* factor) {
  const V one = hn::Set(d, F{1});
  const V half = hn::Set(d, F{0.5});
  const V scale = hn::Set(d, rule.scale);
  const V lowest = hn::Set(d, static_cast<F>(std::numeric_limits<int32_t>::min()));
  // The largest value of F that is not above 2^31 - 2.
  const V highest = hn::Set(d, sizeof(F) == 4 ? F{2147483520} : static_cast<F>(2147483646));
  V v = Unnormalise(d, rule, coordinates);
  *factor = hn::Mul(scale, half);
  if (rule.padding == Padding::kReflection) Reflect(d, rule, &v, factor);
  if (rule.padding != Padding::kZeros) Clip(d, rule, &v, factor);
  const auto usable = hn::And(hn::Ge(v, lowest), hn::Le(v, highest));
  v = hn::IfThenElse(usable, v, hn::Set(d, static_cast<F>(kOutside)));
  if (rule.interpolation == Interpolation::kNearest) {
    *low = RoundHalfEven(d, v);
    *weight_low = one;
    *weight_high = hn::Zero(d);
    return;
  }
  *low = hn::Floor(v);
  // Of a whole number the lower weight is 1, also where adding 1 changes nothing.
  *weight_low = hn::IfThenElse(hn::Eq(*low, v), one, hn::Sub(hn::Add(*low, one), v));
  *weight_high = hn::Sub(v, *low);
}

// Places a whole chunk along one axis.
template <typename F>
HWY_INLINE void LocateAxis(const AxisRule<F>& rule, AxisPoints<F>* points) {
  const hn::ScalableTag<F> d;
  for (size_t i = 0; i < kChunk; i += hn::Lanes(d)) {
    hn::Vec<decltype(d)> low, weight_low, weight_high, factor;
    Locate(d, rule, hn::Load(d, points->low + i), &low, &weight_low, &weight_high, &factor);
    hn::Store(low, d, points->low + i);
    hn::Store(weight_low, d, points->weight_low + i);
    hn::Store(weight_high, d, points->weight_high + i);
    hn::Store(factor, d, points->factor + i);
  }
}

enum Axis { kX = 0, kY = 1, kZ = 2 };

// Up to kChunk consecutive points of one sample, placed in the volume.
template <typename F>
struct Chunk {
  int64_t count;
  int64_t grad_output[kChunk];  // offset of the point's first channel, elements
  int64_t grid_grad[kChunk];    // offset of the point's x, elements
  AxisPoints<F> axes[3];
};

// Reads a sample's points in row-major order and places them along z; PlaceXY() does the rest,
// which is wasted on chunks that miss a slab.
template <typename T>
class PointReader {
 public:
  using F = Wide<T>;

  // `grid` is null where only the positions of the points are wanted.
  PointReader(const Problem& problem, const void* grid, int64_t sample)
      : problem_(problem),
        grid_(static_cast<const T*>(grid)),
        sample_(sample),
        rules_{AxisRule<F>(problem_.input.extents[4], problem_),
               AxisRule<F>(problem_.input.extents[3], problem_),
               AxisRule<F>(problem_.input.extents[2], problem_)} {}

  // The points [first, first + count), 0 < count <= kChunk.
  HWY_INLINE void Read(int64_t first, int64_t count, Chunk<F>* chunk) const {
    ReadPositions(first, count, chunk);
    if (grid_ != nullptr) LocateAxis(rules_[kZ], &chunk->axes[kZ]);
  }

  HWY_INLINE void PlaceXY(Chunk<F>* chunk) const {
    LocateAxis(rules_[kX], &chunk->axes[kX]);
    LocateAxis(rules_[kY], &chunk->axes[kY]);
  }

 private:
  void ReadPositions(int64_t first, int64_t count, Chunk<F>* chunk) const {
    const Dims& extents = problem_.grid.extents;
    const Dims& grid = problem_.grid.strides;
    const Dims& grid_grad = problem_.grid_grad.strides;
    const Dims& grad_output = problem_.grad_output.strides;
    int64_t w = first % extents[3];
    int64_t h = first / extents[3] % extents[2];
    int64_t d = first / extents[3] / extents[2];
    chunk->count = count;
    for (int64_t i = 0; i < count; ++i) {
      const size_t at = static_cast<size_t>(i);
      chunk->grad_output[at] =
          sample_ * grad_output[0] + d * grad_output[2] + h * grad_output[3] + w * grad_output[4];
      chunk->grid_grad[at] =
          sample_ * grid_grad[0] + d * grid_grad[1] + h * grid_grad[2] + w * grid_grad[3];
      if (grid_ != nullptr) {
        const T* point = grid_ + (sample_ * grid[0] + d * grid[1] + h * grid[2] + w * grid[3]);
        for (int axis = kX; axis <= kZ; ++axis) {
          chunk->axes[axis].low[at] = ToWide(point[axis * grid[4]]);
        }
      }
      if (++w < extents[3]) continue;
      w = 0;
      if (++h < extents[2]) continue;
      h = 0;
      ++d;
    }
    // Whole vectors are computed; the lanes behind the last point are never read.
    for (int axis = kX; axis <= kZ; ++axis) {
      std::fill(chunk->axes[axis].low + count, chunk->axes[axis].low + kChunk, F{0});
    }
  }

  const Problem& problem_;
  const T* grid_;
  int64_t sample_;
  AxisRule<F> rules_[3];
};

}  // namespace HWY_NAMESPACE
}  // namespace grid_sampler3d_backward
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
