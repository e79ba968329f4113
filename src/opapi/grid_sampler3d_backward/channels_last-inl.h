// The arithmetic of the variant channels last: points of a segment against voxels whose channels
// lie side by side, padded to a multiple of kChannelSums. Vectors go across channels. Voxels are
// given by the first one of the slab, gradOutput by the segment's; `stride` elements lie from one
// to the next in both. Here what gridGrad is made of; scatter-inl.h has inputGrad.

// Per-target include guard
#if defined(ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_CHANNELS_LAST_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_CHANNELS_LAST_INL_H_
#undef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_CHANNELS_LAST_INL_H_
#else
#define ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_CHANNELS_LAST_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "opapi/grid_sampler3d_backward/interleave-inl.h"
#include "opapi/grid_sampler3d_backward/locate_voxels-inl.h"
#include "opapi/grid_sampler3d_backward/segment-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace grid_sampler3d_backward {
namespace HWY_NAMESPACE {

constexpr size_t kGroup = static_cast<size_t>(kChannelSums);

// What choose(std::integral_constant<size_t, kStride>) gives for a stride. Those of the most common
// numbers of channels are known at compile time, 0 stands for others.
template <typename Function>
HWY_INLINE auto ForStride(size_t stride, Function choose) {
  switch (stride) {
    case 8:
      return choose(std::integral_constant<size_t, 8>());
    case 16:
      return choose(std::integral_constant<size_t, 16>());
    case 32:
      return choose(std::integral_constant<size_t, 32>());
    default:
      return choose(std::integral_constant<size_t, 0>());
  }
}

// Offsets, in elements, of the eight voxels around a point from its lower voxel.
using CornerOffsets = std::array<int64_t, 8>;

// The sums over channels of a segment's points. Corner k stands at kPlaceOfCorner[k], which is
// where SumGroups() leaves it.
template <typename F>
struct CornerSums {
  HWY_ALIGN F of[kPoints][8];
};
inline constexpr size_t kPlaceOfCorner[8] = {0, 4, 2, 6, 1, 5, 3, 7};

// Of the eight corners those that sums of Edges say are missing, as bits.
struct MissingCorners {
  constexpr MissingCorners() : of{} {
    for (uint32_t edges = 0; edges < 256; ++edges) {
      uint32_t missing = (edges & kTouchesNothing) != 0 ? 0xff : 0;
      missing |= ((edges & kNoLowX) != 0 ? 0x55 : 0) | ((edges & kNoHighX) != 0 ? 0xaa : 0);
      missing |= ((edges & kNoLowY) != 0 ? 0x33 : 0) | ((edges & kNoHighY) != 0 ? 0xcc : 0);
      missing |= (edges & kNoLowZ) != 0 ? 0x0f : 0;
      missing |= (edges & (kNoHighZInSlab | kNoHighZInVolume)) != 0 ? 0xf0 : 0;
      of[edges] = static_cast<uint8_t>(missing);
    }
  }
  uint8_t of[256];
};
inline constexpr MissingCorners kMissingCorners;

// SumOfSums() of the eight partial sums of each corner. Steps add lanes that SumOfSums() adds.
template <class D, class V = hn::Vec<D>, size_t kParts>
HWY_INLINE void SumGroups(D d, const V (&sums)[kParts][8], hn::TFromD<D>* HWY_RESTRICT to) {
  using F = hn::TFromD<D>;
  // One half of `a` and one of `b` plus the other halves: a blend and a shuffle.
  const auto halves = [&](const V& a, const V& b) {
    return hn::Add(hn::ConcatUpperLower(d, b, a), hn::ConcatLowerUpper(d, b, a));
  };
  if constexpr (kParts == 1 && sizeof(F) == 4) {
    const hn::Repartition<double, D> d64;
    const auto quarters = [&](V a, V b) {
      const auto x = hn::BitCast(d64, a);
      const auto y = hn::BitCast(d64, b);
      return hn::Add(hn::BitCast(d, hn::OddEven(y, x)),
                     hn::BitCast(d, hn::Shuffle01(hn::OddEven(x, y))));
    };
    const V(&s)[8] = sums[0];
    const V low = quarters(halves(s[0], s[1]), halves(s[2], s[3]));
    const V high = quarters(halves(s[4], s[5]), halves(s[6], s[7]));
    hn::Store(hn::Add(hn::OddEven(high, low), hn::Shuffle2301(hn::OddEven(low, high))), d, to);
  } else if constexpr (kParts == 2) {
    const auto quarters = [&](V a, V b) {
      if constexpr (sizeof(F) == 4) {
        return hn::Add(hn::OddEven(b, a), hn::Shuffle2301(hn::OddEven(a, b)));
      } else {
        return hn::Add(hn::OddEven(b, a), hn::Shuffle01(hn::OddEven(a, b)));
      }
    };
    V s[8];
    HWY_UNROLL(8)
    for (size_t k = 0; k < 8; ++k) s[k] = hn::Add(sums[0][k], sums[1][k]);
    const V outer = quarters(halves(s[0], s[1]), halves(s[4], s[5]));
    const V inner = quarters(halves(s[2], s[3]), halves(s[6], s[7]));
    hn::Store(hn::ConcatLowerLower(d, inner, outer), d, to);
    hn::Store(hn::ConcatUpperUpper(d, inner, outer), d, to + 4);
  } else {
    HWY_ALIGN F lanes[kGroup];
    HWY_UNROLL(8)
    for (size_t k = 0; k < 8; ++k) {
      HWY_UNROLL(8)
      for (size_t part = 0; part < kParts; ++part) {
        hn::Store(sums[part][k], d, lanes + part * hn::Lanes(d));
      }
      to[kPlaceOfCorner[k]] = SumOfSums(lanes);
    }
  }
}

// Sums over channels of input * gradOutput of a point. Corner k begins at corner(k). `kStride`:
// the stride, or 0 if it is not known at compile time.
template <size_t kStride, typename F, typename Function>
HWY_INLINE void SumPoint(Function corner, const F* HWY_RESTRICT grads, size_t stride,
                         F* HWY_RESTRICT to) {
  const PointTag<F> d;
  using V = hn::Vec<decltype(d)>;
  constexpr size_t kLanes = hn::MaxLanes(PointTag<F>());
  constexpr size_t kParts = kGroup / kLanes;
  V sums[kParts][8];
  // One part after the other: so their sums stay in registers.
  HWY_UNROLL(8)
  for (size_t part = 0; part < kParts; ++part) {
    V acc[8];
    const V first = hn::LoadU(d, grads + part * kLanes);
    HWY_UNROLL(8)
    for (size_t k = 0; k < 8; ++k) {
      acc[k] = hn::Mul(hn::LoadU(d, corner(k) + part * kLanes), first);
    }
    const auto add = [&](size_t c) HWY_ATTR {
      const V grad = hn::LoadU(d, grads + c);
      HWY_UNROLL(8)
      for (size_t k = 0; k < 8; ++k) {
        acc[k] = hn::Add(acc[k], hn::Mul(hn::LoadU(d, corner(k) + c), grad));
      }
    };
    if constexpr (kStride != 0) {
      HWY_UNROLL(8)
      for (size_t c = kGroup; c < kStride; c += kGroup) add(c + part * kLanes);
    } else {
      for (size_t c = kGroup; c < stride; c += kGroup) add(c + part * kLanes);
    }
    HWY_UNROLL(8)
    for (size_t k = 0; k < 8; ++k) sums[part][k] = acc[k];
  }
  SumGroups(d, sums, to);
}

template <typename F>
HWY_INLINE void PrefetchPoint(const Located<F>& located, size_t i, size_t stride,
                              const CornerOffsets& corners, const F* voxels) {
  const F* voxel = voxels + located.offset()[i] * static_cast<int64_t>(stride);
  const F* rows[4] = {voxel, voxel + corners[2], voxel + corners[4],
                      voxel + corners[4] + corners[2]};
  HWY_UNROLL(8)
  for (size_t r = 0; r < 4; ++r) {
    hwy::Prefetch(rows[r]);
    hwy::Prefetch(rows[r] + stride);
  }
}

// The same for the points [begin, end). Of a missing corner the sum is 0; another one is read in
// its place.
template <typename F>
HWY_NOINLINE void SumAtEdge(const Located<F>& located, size_t begin, size_t end, size_t stride,
                            const CornerOffsets& corners, const F* HWY_RESTRICT input,
                            const F* HWY_RESTRICT grads, CornerSums<F>* HWY_RESTRICT sums) {
  int32_t last_edges = 0;
  uint32_t missing = 0;
  CornerOffsets present = corners;
  for (size_t i = begin; i < end; ++i) {
    F* to = sums->of[i];
    const int32_t edges = located.edges[i] & kEdgesOfInput;
    if (edges == kTouchesNothing) {
      std::fill_n(to, 8, F{0});
      continue;
    }
    if (edges != last_edges) {
      last_edges = edges;
      missing = kMissingCorners.of[edges];
      const int64_t other = corners[static_cast<size_t>(std::countr_one(missing))];
      for (size_t k = 0; k < 8; ++k) present[k] = (missing >> k & 1) != 0 ? other : corners[k];
    }
    const F* voxel = input + located.offset()[i] * static_cast<int64_t>(stride);
    SumPoint<0>([&](size_t k) { return voxel + present[k]; }, grads + i * stride, stride, to);
    for (uint32_t left = missing; left != 0; left &= left - 1) {
      to[kPlaceOfCorner[std::countr_zero(left)]] = F{0};
    }
  }
}

// The same for points that have all corners. kPrefetch: points jump about. Where they do not,
// processors fetch ahead by themselves, but not past the end of a page, which a row of voxels may
// just fill; copies of tensors that are not `in_place` are in the cache. Of the four rows of voxels
// the last is new.
template <size_t kStride, bool kPrefetch, typename F>
HWY_NOINLINE void SumWhole(const Located<F>& located, size_t begin, size_t end, size_t any_stride,
                           const CornerOffsets& corners, const F* HWY_RESTRICT input,
                           const F* HWY_RESTRICT grads, bool in_place,
                           CornerSums<F>* HWY_RESTRICT sums) {
  constexpr size_t kAhead = 2048 / sizeof(F);
  const size_t stride = kStride != 0 ? kStride : any_stride;
  const int64_t row = corners[2];
  const int64_t plane = corners[4];
  for (size_t i = begin; i < end; ++i) {
    if constexpr (kPrefetch) PrefetchPoint(located, i + 2, stride, corners, input);
    const F* voxel = input + located.offset()[i] * static_cast<int64_t>(stride);
    const F* rows[4] = {voxel, voxel + row, voxel + plane, voxel + plane + row};
    if (!kPrefetch && in_place) {
      hwy::Prefetch(rows[3] + kAhead);
      hwy::Prefetch(grads + i * stride + kAhead);
    }
    SumPoint<kStride>([&](size_t k) { return rows[k / 2] + k % 2 * stride; }, grads + i * stride,
                      stride, sums->of[i]);
  }
}

// The derivatives of all points from their corners.
template <typename F>
HWY_NOINLINE void SlopesFromSums(const Located<F>& located, size_t count, const CornerSums<F>& sums,
                                 SlopesOfPoints<F>* slopes) {
  const PointTag<F> d;
  using V = hn::Vec<decltype(d)>;
  constexpr size_t kLanes = hn::MaxLanes(PointTag<F>());
  for (size_t i = 0; i < count; i += kLanes) {
    V places[8];
    HWY_UNROLL(8)
    for (size_t first = 0; first < 8; first += kLanes) {
      HWY_UNROLL(8)
      for (size_t k = 0; k < kLanes; ++k) places[first + k] = hn::Load(d, sums.of[i + k] + first);
      TransposeTile(d, places + first);
    }
    V corners[8];
    HWY_UNROLL(8)
    for (size_t k = 0; k < 8; ++k) corners[k] = places[kPlaceOfCorner[k]];
    StoreSlopes(d, located, i, corners, slopes);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace grid_sampler3d_backward
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
