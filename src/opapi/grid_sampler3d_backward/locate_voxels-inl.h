// LocatePoints() for the variant channels last, which also wants to know of which points all eight
// voxels exist. Those of most vectors do; they take a short way.

// Per-target include guard
#if defined(ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_LOCATE_VOXELS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_LOCATE_VOXELS_INL_H_
#undef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_LOCATE_VOXELS_INL_H_
#else
#define ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_LOCATE_VOXELS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "opapi/grid_sampler3d_backward/inside-inl.h"
#include "opapi/grid_sampler3d_backward/segment-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace grid_sampler3d_backward {
namespace HWY_NAMESPACE {

// Which of the eight voxels of a point are missing, as bits. Planes of inputGrad end with the slab,
// those of input with the volume.
enum Edge : int32_t {
  kNoLowX = 1,
  kNoHighX = 2,
  kNoLowY = 4,
  kNoHighY = 8,
  kNoLowZ = 16,  // lies before the slab
  kNoHighZInSlab = 32,
  kNoHighZInVolume = 64,
  kTouchesNothing = 128,
};

// The Edges that count for input, and for the slab's part of inputGrad.
inline constexpr int32_t kEdgesOfInput = 0xff - kNoHighZInSlab;
inline constexpr int32_t kEdgesOfInputGrad = 0xff - kNoHighZInVolume;

// Sums of Edges of points with the lower voxels `low`, where `fits`.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V FindEdges(D d, const Problem& problem, Planes planes, const V* low, hn::Mask<D> fits) {
  using F = hn::TFromD<D>;
  const auto touches_nothing = hn::Set(d, static_cast<F>(kTouchesNothing));
  if (problem.interpolation == Interpolation::kNearest) {
    return hn::IfThenZeroElse(fits, touches_nothing);
  }
  const auto bit = [d](hn::Mask<D> mask, Edge edge) {
    return hn::IfThenElseZero(mask, hn::Set(d, static_cast<F>(edge)));
  };
  const auto is = [d](V v, int64_t index) { return hn::Eq(v, hn::Set(d, static_cast<F>(index))); };
  const Dims& extents = problem.input.extents;
  const V x = hn::Add(bit(is(low[0], -1), kNoLowX), bit(is(low[0], extents[4] - 1), kNoHighX));
  const V y = hn::Add(bit(is(low[1], -1), kNoLowY), bit(is(low[1], extents[3] - 1), kNoHighY));
  const V z = hn::Add(bit(is(low[2], planes.begin - 1), kNoLowZ),
                      hn::Add(bit(is(low[2], planes.end - 1), kNoHighZInSlab),
                              bit(is(low[2], extents[2] - 1), kNoHighZInVolume)));
  return hn::IfThenElse(fits, hn::Add(hn::Add(x, y), z), touches_nothing);
}

// A bit for each point of a segment.
class PointBits {
 public:
  static constexpr size_t kWord = 64;

  void Clear() { std::fill_n(words_, kPoints / kWord, uint64_t{0}); }
  void Add(size_t i, uint64_t bits) { words_[i / kWord] |= bits << i % kWord; }
  bool Has(size_t i) const { return (words_[i / kWord] >> i % kWord & 1) != 0; }
  // A point up to which all bits from `i` on are as this one; there may be more of them.
  size_t EndOfEqual(size_t i, size_t count) const {
    const uint64_t word = words_[i / kWord] >> i % kWord;
    const int equal = (word & 1) != 0 ? std::countr_one(word) : std::countr_zero(word);
    return std::min({i + static_cast<size_t>(equal), (i / kWord + 1) * kWord, count});
  }

 private:
  uint64_t words_[kPoints / kWord];
};

// What is known of a segment once its points are located.
struct VoxelsOfSegment {
  PointBits misses_input;       // points without all eight voxels, of input
  PointBits misses_input_grad;  // and of the slab's part of inputGrad
  int64_t largest_offset;       // less than 0 if the points touch nothing
  size_t runs;  // about: how many points do not lie in the voxel behind the last one's
};

// Locates points in a slab.
template <typename F>
class VoxelLocator {
 public:
  using D = PointTag<F>;
  using V = hn::Vec<D>;

  VoxelLocator(const Problem& problem, const Slabs& slabs, Planes planes)
      : problem_(problem), slabs_(slabs), planes_(planes), rules_(problem) {}

  HWY_NOINLINE void Locate(const F* HWY_RESTRICT coordinates, size_t count,
                           Located<F>* HWY_RESTRICT located,
                           VoxelsOfSegment* HWY_RESTRICT voxels) const {
    voxels->misses_input.Clear();
    voxels->misses_input_grad.Clear();
    if (HasConstantFactors(problem_)) {
      LocateOf<true>(coordinates, count, located, voxels);
    } else {
      LocateOf<false>(coordinates, count, located, voxels);
    }
    FrameOffsets(slabs_, count, located);
    LookAtOffsets(count, *located, voxels);
  }

 private:
  static constexpr size_t kLanes = hn::MaxLanes(D());

  // Where offsets follow from whole numbers, which floats hold exactly.
  struct Steps {
    explicit Steps(const Slabs& slabs, Planes planes)
        : row(hn::Set(D(), static_cast<F>(slabs.row))),
          plane(hn::Set(D(), static_cast<F>(slabs.plane))),
          slab_z(hn::Set(D(), static_cast<F>(planes.begin))) {}
    HWY_INLINE V Offset(const V* low) const {
      const V in_plane = hn::Add(low[0], hn::Mul(low[1], row));
      return hn::Add(in_plane, hn::Mul(hn::Sub(low[2], slab_z), plane));
    }
    V row, plane, slab_z;
  };

  template <bool kZeros>
  HWY_INLINE void LocateOf(const F* HWY_RESTRICT coordinates, size_t count,
                           Located<F>* HWY_RESTRICT located,
                           VoxelsOfSegment* HWY_RESTRICT voxels) const {
    const D d;
    const bool nearest = problem_.interpolation == Interpolation::kNearest;
    const Owner<F> owner(planes_, problem_.input.extents[2]);
    const Steps steps(slabs_, planes_);
    const V first_z = hn::Set(d, static_cast<F>(planes_.begin));
    V end[3], factor[3];
    HWY_UNROLL(8)
    for (size_t axis = 0; axis < 3; ++axis) {
      end[axis] = hn::Set(d, rules_.axes[axis].last_voxel);
      factor[axis] = hn::Mul(hn::Set(d, rules_.axes[axis].scale), hn::Set(d, F{0.5}));
    }
    end[2] = hn::Set(d, static_cast<F>(planes_.end - 1));
    bool in_slab = false;
    auto owned = hn::Lt(first_z, first_z);
    auto foreign = owned;
    for (size_t i = 0; i < count; i += kLanes) {
      V c[3], v[3], low[3];
      hn::LoadInterleaved3(d, coordinates + 3 * i, c[0], c[1], c[2]);
      auto whole = hn::Eq(first_z, first_z);
      HWY_UNROLL(8)
      for (size_t axis = 0; axis < 3; ++axis) {
        v[axis] = rules_.inside[axis].Place(c[axis]);
        // Where padding acts, also on the border itself.
        const auto begins = kZeros ? hn::Ge(v[axis], axis == 2 ? first_z : hn::Zero(d))
                                   : hn::Gt(v[axis], axis == 2 ? first_z : hn::Zero(d));
        whole = hn::And(whole, hn::And(begins, hn::Lt(v[axis], end[axis])));
      }
      if (HWY_UNLIKELY(nearest || !hn::AllTrue(d, whole))) {
        in_slab |= LocateVector<kZeros>(steps, i, c, low, located, voxels);
      } else {
        in_slab = true;
        LocateWhole<kZeros>(steps, i, v, factor, low, located);
      }
      hn::Store(low[2], d, located->z + i);
      const auto mine = owner.Owns(d, low[2]);
      owned = hn::Or(owned, mine);
      foreign = hn::Or(foreign, hn::Not(mine));
    }
    located->any_in_slab = in_slab;
    located->any_owned = !hn::AllFalse(d, owned);
    located->all_owned = hn::AllFalse(d, foreign);
  }

  // The points from number `i` on, all of whose voxels exist.
  template <bool kZeros>
  static HWY_INLINE void LocateWhole(const Steps& steps, size_t i, const V* v, const V* factor,
                                     V* low, Located<F>* HWY_RESTRICT located) {
    const D d;
    const hn::Rebind<int32_t, D> di;
    HWY_UNROLL(8)
    for (size_t axis = 0; axis < 3; ++axis) {
      low[axis] = hn::Floor(v[axis]);
      const V weight_low = hn::Sub(hn::Add(low[axis], hn::Set(d, F{1})), v[axis]);
      hn::Store(weight_low, d, located->low[axis] + i);
      hn::Store(hn::Sub(v[axis], low[axis]), d, located->high[axis] + i);
      if (!kZeros) hn::Store(factor[axis], d, located->factor[axis] + i);
    }
    hn::StoreU(ToInt32(d, steps.Offset(low)), di, located->offsets + kSlack + i);
    hn::Store(hn::Zero(di), di, located->edges + i);
  }

  // The points from number `i` on, wherever they lie. False if none touches the slab.
  template <bool kZeros>
  HWY_INLINE bool LocateVector(const Steps& steps, size_t i, const V* c, V* low,
                               Located<F>* HWY_RESTRICT located,
                               VoxelsOfSegment* HWY_RESTRICT voxels) const {
    const D d;
    const hn::Rebind<int32_t, D> di;
    const Dims& extents = problem_.input.extents;
    const bool nearest = problem_.interpolation == Interpolation::kNearest;
    const F before = nearest ? F{0} : F{-1};  // how far outside the lower voxel may be
    const V first[3] = {hn::Set(d, before), hn::Set(d, before),
                        hn::Set(d, static_cast<F>(planes_.begin) + before)};
    const V last[3] = {hn::Set(d, static_cast<F>(extents[4] - 1)),
                       hn::Set(d, static_cast<F>(extents[3] - 1)),
                       hn::Set(d, static_cast<F>(planes_.end - 1))};
    auto fits = hn::Eq(first[0], first[0]);
    HWY_UNROLL(8)
    for (size_t axis = 0; axis < 3; ++axis) {
      V weight_low, weight_high, factor;
      const AxisRule<F>& rule = rules_.axes[axis];
      if constexpr (kZeros) {
        fits =
            hn::And(fits, LocateInZeros(d, rule, c[axis], &low[axis], &weight_low, &weight_high));
      } else {
        HWY_NAMESPACE::Locate(d, rule, c[axis], &low[axis], &weight_low, &weight_high, &factor);
        hn::Store(factor, d, located->factor[axis] + i);
      }
      hn::Store(weight_low, d, located->low[axis] + i);
      hn::Store(weight_high, d, located->high[axis] + i);
      fits = hn::And(fits, hn::And(hn::Ge(low[axis], first[axis]), hn::Le(low[axis], last[axis])));
    }
    // Converted as whole numbers from 0 on.
    const auto origin = hn::Set(d, static_cast<F>(slabs_.origin));
    const auto nowhere = hn::Set(d, static_cast<F>(slabs_.nowhere()));
    const auto offset = hn::IfThenElse(fits, hn::Add(steps.Offset(low), origin), nowhere);
    const auto offsets =
        hn::Sub(ToInt32(d, offset), hn::Set(di, static_cast<int32_t>(slabs_.origin)));
    hn::StoreU(offsets, di, located->offsets + kSlack + i);
    const auto edges = ToInt32(d, FindEdges(d, problem_, planes_, low, fits));
    hn::Store(edges, di, located->edges + i);
    Note(i, hn::And(edges, hn::Set(di, kEdgesOfInput)), &voxels->misses_input);
    Note(i, hn::And(edges, hn::Set(di, kEdgesOfInputGrad)), &voxels->misses_input_grad);
    return !hn::AllFalse(d, fits);
  }

  static HWY_INLINE void Note(size_t i, hn::Vec<hn::Rebind<int32_t, D>> edges, PointBits* bits) {
    const hn::Rebind<int32_t, D> di;
    uint8_t set[8] = {};
    hn::StoreMaskBits(di, hn::Ne(edges, hn::Zero(di)), set);
    bits->Add(i, set[0]);
  }

  static HWY_INLINE void LookAtOffsets(size_t count, const Located<F>& located,
                                       VoxelsOfSegment* voxels) {
    const hn::Rebind<int32_t, D> di;
    auto largest = hn::Set(di, std::numeric_limits<int32_t>::min());
    auto continued = hn::Zero(di);  // each adds -1
    // Behind the last point there are points that touch nothing, or that are unknown but in the
    // slab.
    for (size_t i = 0; i < count; i += kLanes) {
      const auto offset = hn::LoadU(di, located.offset() + i);
      const auto next = hn::Add(hn::LoadU(di, located.offset() + i - 1), hn::Set(di, 1));
      largest = hn::Max(largest, offset);
      continued = hn::Add(continued, hn::VecFromMask(di, hn::Eq(offset, next)));
    }
    voxels->largest_offset = hn::GetLane(hn::MaxOfLanes(di, largest));
    voxels->runs =
        count - std::min(count, static_cast<size_t>(-hn::GetLane(hn::SumOfLanes(di, continued))));
  }

  const Problem& problem_;
  const Slabs& slabs_;
  const Planes planes_;
  const Rules<F> rules_;
};

}  // namespace HWY_NAMESPACE
}  // namespace grid_sampler3d_backward
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
