// The arithmetic of the planar variant: points of a segment against planes of single channels in
// scratch memory. Two ways to the same bits:
//
// - Units. Where neighbouring points lie in neighbouring voxels, a run of points adds to a run of
//   voxels, and up to a vector of them is done at once. A unit is the part of a run whose lower
//   voxels lie in one window, an aligned vector of voxels. Windows are always read and written
//   whole, at the same address: a load that overlaps two earlier stores has to wait for both.
//   Voxel by voxel the order of the additions is that of the points: the upper voxel of a point
//   comes before the lower voxel of the next one.
// - Point by point, where the runs are short.

// Per-target include guard
#if defined(ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_PLANAR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_PLANAR_INL_H_
#undef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_PLANAR_INL_H_
#else
#define ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_PLANAR_INL_H_
#endif

#include <hwy/highway.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "opapi/grid_sampler3d_backward/inside-inl.h"
#include "opapi/grid_sampler3d_backward/segment-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace grid_sampler3d_backward {
namespace HWY_NAMESPACE {

// The four rows of voxels around a point, y running faster than z.
struct RowOffsets {
  template <typename P>
  HWY_INLINE std::array<P*, 4> From(P* lower_voxel) const {
    return {lower_voxel, lower_voxel + row, lower_voxel + plane, lower_voxel + plane + row};
  }
  int64_t row;
  int64_t plane;
};

// Where units begin, in ascending order, and behind them the number of points.
struct Units {
  uint8_t begin[kPoints + 8];
  size_t count;
};

// Without branches that depend on the data: the list grows by whole bytes of bits.
template <typename F>
HWY_INLINE void FindUnits(const Located<F>& located, size_t count, Units* units) {
  const hn::CappedTag<int32_t, 8> d;
  const size_t lanes = hn::Lanes(d);
  const auto one = hn::Set(d, 1);
  const auto in_window = hn::Set(d, static_cast<int32_t>(hn::Lanes(PointTag<F>())) - 1);
  const int32_t* offset = located.offset();
  size_t n = 0;
  for (size_t i = 0; i < count; i += lanes) {
    const auto here = hn::LoadU(d, offset + i);
    const auto next = hn::Add(hn::LoadU(d, offset + i - 1), one);
    const auto begins = hn::Or(hn::Ne(here, next), hn::Eq(hn::And(here, in_window), hn::Zero(d)));
    uint8_t bits[8];
    hn::StoreMaskBits(d, begins, bits);
    uint32_t set = bits[0];
    if (count - i < lanes) set &= (1u << (count - i)) - 1;
    n += AppendBitNumbers(set, i, units->begin + n);
  }
  units->begin[n] = static_cast<uint8_t>(count);
  units->count = n;
}

// What SumOfSums() does with the products of up to four channels.
template <size_t kChannels, class V>
HWY_INLINE V SumOfChannels(const V (&products)[kChannels]) {
  if constexpr (kChannels == 1) return products[0];
  if constexpr (kChannels == 2) return Add(products[0], products[1]);
  if constexpr (kChannels == 3) return Add(Add(products[0], products[2]), products[1]);
  if constexpr (kChannels == 4) {
    return Add(Add(products[0], products[2]), Add(products[1], products[3]));
  }
}

// Slopes unit by unit: a whole vector each, whose lanes behind the unit the next one overwrites.
template <size_t kChannels, typename F>
HWY_NOINLINE void GatherUnits(const Located<F>& located, const Units& units,
                              const RowOffsets& row_offsets, const F* const* input,
                              const F* const* grads, SlopesOfPoints<F>* slopes) {
  const PointTag<F> d;
  using V = hn::Vec<decltype(d)>;
  // Copies: the compiler takes it that vectors may be stored anywhere.
  const RowOffsets rows = row_offsets;
  const size_t end = units.count;
  for (size_t u = 0; u < end; ++u) {
    const size_t i = units.begin[u];
    const int64_t at = located.offset()[i];
    V products[8][kChannels];
    HWY_UNROLL(8)
    for (size_t c = 0; c < kChannels; ++c) {
      const V g = hn::LoadU(d, grads[c] + i);
      const auto from = rows.From(input[c] + at);
      HWY_UNROLL(8)
      for (size_t k = 0; k < 8; ++k) {
        products[k][c] = hn::Mul(hn::LoadU(d, from[k / 2] + k % 2), g);
      }
    }
    V corners[8];
    HWY_UNROLL(8)
    for (size_t k = 0; k < 8; ++k) corners[k] = SumOfChannels<kChannels>(products[k]);
    StoreSlopes(d, located, i, corners, slopes);
  }
}

// Slopes of points anywhere. The two voxels of a row are copied as one; the copies are read when
// all of them have reached the cache.
template <size_t kChannels, typename F>
HWY_NOINLINE void GatherPoints(const Located<F>& located, size_t count, const RowOffsets& rows,
                               const F* const* input, const F* const* grads,
                               SlopesOfPoints<F>* slopes) {
  const PointTag<F> d;
  using V = hn::Vec<decltype(d)>;
  HWY_ALIGN F pairs[kChannels][4][2 * kPoints];
  for (size_t i = 0; i < count; ++i) {
    const int64_t at = located.offset()[i];
    HWY_UNROLL(8)
    for (size_t c = 0; c < kChannels; ++c) {
      const auto from = rows.From(input[c] + at);
      HWY_UNROLL(8)
      for (size_t r = 0; r < 4; ++r) std::memcpy(&pairs[c][r][2 * i], from[r], 2 * sizeof(F));
    }
  }
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    V corners[8];
    HWY_UNROLL(8)
    for (size_t r = 0; r < 4; ++r) {
      V low[kChannels], high[kChannels];
      HWY_UNROLL(8)
      for (size_t c = 0; c < kChannels; ++c) {
        const V g = hn::LoadU(d, grads[c] + i);
        hn::LoadInterleaved2(d, &pairs[c][r][2 * i], low[c], high[c]);
        low[c] = hn::Mul(low[c], g);
        high[c] = hn::Mul(high[c], g);
      }
      corners[2 * r] = SumOfChannels<kChannels>(low);
      corners[2 * r + 1] = SumOfChannels<kChannels>(high);
    }
    StoreSlopes(d, located, i, corners, slopes);
  }
}

template <size_t kChannels, typename F>
HWY_NOINLINE void Multiply(const Located<F>& located, size_t count, const F* const* grads,
                           Products<F>* HWY_RESTRICT products) {
  const PointTag<F> d;
  using V = hn::Vec<decltype(d)>;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    const V x[2] = {hn::Load(d, located.low[0] + i), hn::Load(d, located.high[0] + i)};
    const V y[2] = {hn::Load(d, located.low[1] + i), hn::Load(d, located.high[1] + i)};
    const V z[2] = {hn::Load(d, located.low[2] + i), hn::Load(d, located.high[2] + i)};
    StoreProducts<kChannels>(d, x, y, z, grads, i, products);
  }
}

// Masks of the lanes [begin, end).
template <class D>
struct LaneRange {
  using U = hn::TFromD<hn::RebindToUnsigned<D>>;
  static constexpr size_t kLanes = hn::MaxLanes(D());
  constexpr LaneRange() : ones{} {
    for (size_t i = kLanes; i < 2 * kLanes; ++i) ones[i] = static_cast<U>(~U{0});
  }
  HWY_INLINE hn::Vec<D> operator()(D d, size_t begin, size_t end) const {
    const hn::RebindToUnsigned<D> du;
    const auto from = hn::LoadU(du, ones + kLanes - begin);
    return hn::BitCast(d, hn::And(from, hn::LoadU(du, ones + 2 * kLanes - end)));
  }
  U ones[3 * kLanes];  // zeros, ones, zeros
};

// Adds a segment's products to the channels. Lanes outside a unit add +0, which changes nothing:
// sums begin with +0 and so never are -0.
template <size_t kChannels, typename F>
HWY_NOINLINE void ScatterUnits(const Located<F>& located, const Units& units,
                               const RowOffsets& row_offsets, const Products<F>* products,
                               F* const* sums) {
  const PointTag<F> d;
  using V = hn::Vec<decltype(d)>;
  static constexpr LaneRange<PointTag<F>> kRange;
  constexpr size_t kLanes = kRange.kLanes;
  const RowOffsets rows = row_offsets;
  const int32_t* offset = located.offset();
  const size_t count = units.count;
  const size_t points = units.begin[count];
  for (size_t u = 0; u < count; ++u) {
    const size_t i = units.begin[u];
    const size_t end = units.begin[u + 1];
    const int32_t at = offset[i];
    const size_t lane = static_cast<size_t>(at) % kLanes;
    const bool continues = offset[i - 1] + 1 == at;
    const size_t end_lane = lane + (end - i);
    const V low_mask = kRange(d, lane, end_lane);
    const V high_mask = kRange(d, lane + (continues ? 0 : 1), HWY_MIN(end_lane + 1, kLanes));
    HWY_UNROLL(8)
    for (size_t c = 0; c < kChannels; ++c) {
      const auto window = rows.From(sums[c] + at - lane);
      const F* from = products[c].low(0) + i - lane;
      HWY_UNROLL(8)
      for (size_t r = 0; r < 4; ++r) {
        const V low = hn::And(hn::LoadU(d, from + Products<F>::kLow[r]), low_mask);
        const V high = hn::And(hn::LoadU(d, from + Products<F>::kHigh[r] - 1), high_mask);
        hn::StoreU(hn::Add(hn::Add(hn::LoadU(d, window[r]), high), low), d, window[r]);
      }
    }
    // The upper voxel of a run's last point may lie in the next window.
    if (end_lane != kLanes) continue;
    if (end < points && offset[end] == offset[end - 1] + 1) continue;
    const V first_lane = kRange(d, 0, 1);
    HWY_UNROLL(8)
    for (size_t c = 0; c < kChannels; ++c) {
      const auto window = rows.From(sums[c] + at - lane + kLanes);
      HWY_UNROLL(8)
      for (size_t r = 0; r < 4; ++r) {
        const V high = hn::And(hn::LoadU(d, products[c].high(r) + end - 1), first_lane);
        hn::StoreU(hn::Add(hn::LoadU(d, window[r]), high), d, window[r]);
      }
    }
  }
}

template <typename F>
HWY_NOINLINE void ScatterPoints(const Located<F>& located, size_t count, const RowOffsets& rows,
                                const Products<F>& products, F* HWY_RESTRICT sums) {
  for (size_t i = 0; i < count; ++i) {
    const auto at = rows.From(sums + located.offset()[i]);
    const F* from = products.low(0) + i;
    HWY_UNROLL(8)
    for (size_t r = 0; r < 4; ++r) {
      at[r][0] += from[products.kLow[r]];
      at[r][1] += from[products.kHigh[r]];
    }
  }
}

template <typename F>
HWY_NOINLINE void ScatterNearest(const int32_t* HWY_RESTRICT offsets, size_t count,
                                 const F* HWY_RESTRICT grads, F* HWY_RESTRICT sums) {
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    HWY_UNROLL(8)
    for (size_t k = 0; k < 4; ++k) sums[offsets[i + k]] += grads[i + k];
  }
  for (; i < count; ++i) sums[offsets[i]] += grads[i];
}

}  // namespace HWY_NAMESPACE
}  // namespace grid_sampler3d_backward
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
