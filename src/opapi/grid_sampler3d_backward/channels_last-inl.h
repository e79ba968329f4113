// The arithmetic of the variant channels last: points of a segment against voxels whose channels
// lie side by side, padded to a multiple of kChannelSums. Vectors go across channels. Voxels are
// given by the first one of the slab, gradOutput by the segment's; `stride` elements lie from one
// to the next in both.

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

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "opapi/grid_sampler3d_backward/segment-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace grid_sampler3d_backward {
namespace HWY_NAMESPACE {

constexpr size_t kGroup = static_cast<size_t>(kChannelSums);

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

// The Edges that count for input, and for the slab's part of inputGrad.
inline constexpr int32_t kEdgesOfInput = 0xff - kNoHighZInSlab;
inline constexpr int32_t kEdgesOfInputGrad = 0xff - kNoHighZInVolume;

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

// Sums over channels of input * gradOutput of a point.
template <typename F>
HWY_INLINE void SumPoint(const F* HWY_RESTRICT voxel, const CornerOffsets& corners,
                         const F* HWY_RESTRICT grads, size_t stride, F* HWY_RESTRICT to) {
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
      acc[k] = hn::Mul(hn::LoadU(d, voxel + corners[k] + part * kLanes), first);
    }
    for (size_t c = kGroup + part * kLanes; c < stride; c += kGroup) {
      const V grad = hn::LoadU(d, grads + c);
      HWY_UNROLL(8)
      for (size_t k = 0; k < 8; ++k) {
        acc[k] = hn::Add(acc[k], hn::Mul(hn::LoadU(d, voxel + corners[k] + c), grad));
      }
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
  HWY_UNROLL(8)
  for (size_t k = 0; k < 8; ++k) hwy::Prefetch(voxel + corners[k]);
}

// The same for all points. Of a missing corner the sum is 0; another one is read in its place.
// kPrefetch: points jump about.
template <bool kPrefetch, typename F>
HWY_NOINLINE void SumChannels(const Located<F>& located, size_t count, size_t stride,
                              const CornerOffsets& corners, const F* HWY_RESTRICT input,
                              const F* HWY_RESTRICT grads, CornerSums<F>* HWY_RESTRICT sums) {
  int32_t last_edges = 0;
  uint32_t missing = 0;
  CornerOffsets present = corners;
  for (size_t i = 0; i < count; ++i) {
    if constexpr (kPrefetch) PrefetchPoint(located, i + 2, stride, corners, input);
    F* to = sums->of[i];
    const int32_t edges = located.edges[i] & kEdgesOfInput;
    if (edges != last_edges) {
      last_edges = edges;
      missing = kMissingCorners.of[edges];
      const int64_t other = corners[static_cast<size_t>(std::countr_one(missing)) % 8];
      for (size_t k = 0; k < 8; ++k) present[k] = (missing >> k & 1) != 0 ? other : corners[k];
    }
    if (edges != kTouchesNothing) {
      const F* voxel = input + located.offset()[i] * static_cast<int64_t>(stride);
      SumPoint(voxel, present, grads + i * stride, stride, to);
    }
    if (missing == 0) continue;
    for (size_t k = 0; k < 8; ++k) {
      if ((missing >> k & 1) != 0) to[kPlaceOfCorner[k]] = F{0};
    }
  }
}

// The derivatives of all points from their corners.
template <typename F>
HWY_NOINLINE void SlopesFromSums(const Located<F>& located, size_t count, const CornerSums<F>& sums,
                                 SlopesOfPoints<F>* slopes) {
  const PointTag<F> d;
  using V = hn::Vec<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  for (size_t i = 0; i < count; i += lanes) {
    // Each load spreads half the vector's points; a corner's values are every second lane.
    V first[4], second[4], corners[8];
    hn::LoadInterleaved4(d, sums.of[i], first[0], first[1], first[2], first[3]);
    hn::LoadInterleaved4(d, sums.of[i + lanes / 2], second[0], second[1], second[2], second[3]);
    HWY_UNROLL(8)
    for (size_t k = 0; k < 8; ++k) {
      const size_t place = kPlaceOfCorner[k];
      corners[k] = place < 4 ? hn::ConcatEven(d, second[place], first[place])
                             : hn::ConcatOdd(d, second[place - 4], first[place - 4]);
    }
    StoreSlopes(d, located, i, corners, slopes);
  }
}

// The weights of the eight voxels.
template <typename F>
struct CornerWeights {
  HWY_ALIGN F of[8][kPoints];
};

template <typename F>
HWY_NOINLINE void FindWeights(const Located<F>& located, size_t count,
                              CornerWeights<F>* HWY_RESTRICT weights) {
  const PointTag<F> d;
  using V = hn::Vec<decltype(d)>;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    V side[3][2];
    HWY_UNROLL(8)
    for (size_t axis = 0; axis < 3; ++axis) {
      side[axis][0] = hn::Load(d, located.low[axis] + i);
      side[axis][1] = hn::Load(d, located.high[axis] + i);
    }
    HWY_UNROLL(8)
    for (size_t k = 0; k < 8; ++k) {
      const V xy = hn::Mul(side[0][k % 2], side[1][k / 2 % 2]);
      hn::Store(hn::Mul(xy, side[2][k / 4]), d, weights->of[k] + i);
    }
  }
}

// Adds all channels of a point to the corners that are not missing.
template <typename F>
HWY_NOINLINE void AddPointAtEdge(const Located<F>& located, size_t i, size_t stride,
                                 const CornerOffsets& corners, const CornerWeights<F>& weights,
                                 const F* HWY_RESTRICT grads, F* HWY_RESTRICT sums) {
  const PointTag<F> d;
  const uint32_t missing = kMissingCorners.of[located.edges[i] & kEdgesOfInputGrad];
  F* voxel = sums + located.offset()[i] * static_cast<int64_t>(stride);
  PrefetchPoint(located, i + 2, stride, corners, sums);
  for (size_t k = 0; k < 8; ++k) {
    if ((missing >> k & 1) != 0) continue;
    const auto weight = hn::Set(d, weights.of[k][i]);
    for (size_t c = 0; c < stride; c += hn::Lanes(d)) {
      F* to = voxel + corners[k] + c;
      const auto grad = hn::LoadU(d, grads + i * stride + c);
      hn::StoreU(hn::Add(hn::LoadU(d, to), hn::Mul(weight, grad)), d, to);
    }
  }
}

// Adds all channels of the points [begin, end), which have all corners, one after the other.
template <typename F>
HWY_NOINLINE void AddPoints(const Located<F>& located, size_t begin, size_t end, size_t stride,
                            const CornerOffsets& corners, const CornerWeights<F>& weights,
                            const F* HWY_RESTRICT grads, F* HWY_RESTRICT sums) {
  const PointTag<F> d;
  using V = hn::Vec<decltype(d)>;
  for (size_t i = begin; i < end; ++i) {
    F* voxel = sums + located.offset()[i] * static_cast<int64_t>(stride);
    PrefetchPoint(located, i + 2, stride, corners, sums);
    V weight[8];
    HWY_UNROLL(8)
    for (size_t k = 0; k < 8; ++k) weight[k] = hn::Set(d, weights.of[k][i]);
    for (size_t c = 0; c < stride; c += hn::Lanes(d)) {
      const V grad = hn::LoadU(d, grads + i * stride + c);
      HWY_UNROLL(8)
      for (size_t k = 0; k < 8; ++k) {
        F* to = voxel + corners[k] + c;
        hn::StoreU(hn::Add(hn::LoadU(d, to), hn::Mul(weight[k], grad)), d, to);
      }
    }
  }
}

template <typename F>
HWY_NOINLINE void AddNearest(const Located<F>& located, size_t count, size_t stride,
                             const F* HWY_RESTRICT grads, F* HWY_RESTRICT sums) {
  const PointTag<F> d;
  for (size_t i = 0; i < count; ++i) {
    if (located.edges[i] != 0) continue;
    F* voxel = sums + located.offset()[i] * static_cast<int64_t>(stride);
    for (size_t c = 0; c < stride; c += hn::Lanes(d)) {
      const auto grad = hn::LoadU(d, grads + i * stride + c);
      hn::StoreU(hn::Add(hn::LoadU(d, voxel + c), grad), d, voxel + c);
    }
  }
}

// Adds kVectors vectors of channels of the points [begin, end) to kRows rows of corners, of which
// the first one has the number `row`. Where a point follows the last one in the next voxel, its
// lower voxels are the last one's upper ones, which are still in registers.
template <size_t kRows, size_t kVectors, typename F>
HWY_NOINLINE void AddRuns(const Located<F>& located, size_t begin, size_t end, size_t stride,
                          size_t row, const CornerOffsets& corners, const CornerWeights<F>& weights,
                          const F* HWY_RESTRICT grads, F* HWY_RESTRICT sums) {
  const PointTag<F> d;
  using V = hn::Vec<decltype(d)>;
  constexpr size_t kLanes = hn::MaxLanes(PointTag<F>());
  const int64_t* rows = corners.data() + 2 * row;
  V upper[kRows][kVectors];
  F* voxel = nullptr;
  for (size_t i = begin; i < end; ++i) {
    const int32_t offset = located.offset()[i];
    if (located.offset()[i - 1] + 1 != offset || i == begin) {
      F* first = sums + offset * static_cast<int64_t>(stride);
      HWY_UNROLL(8)
      for (size_t r = 0; r < kRows; ++r) {
        HWY_UNROLL(8)
        for (size_t v = 0; v < kVectors; ++v) {
          if (i != begin) hn::StoreU(upper[r][v], d, voxel + rows[2 * r + 1] + v * kLanes);
        }
      }
      HWY_UNROLL(8)
      for (size_t r = 0; r < kRows; ++r) {
        HWY_UNROLL(8)
        for (size_t v = 0; v < kVectors; ++v) {
          upper[r][v] = hn::LoadU(d, first + rows[2 * r] + v * kLanes);
        }
      }
    }
    voxel = sums + offset * static_cast<int64_t>(stride);
    V grad[kVectors];
    HWY_UNROLL(8)
    for (size_t v = 0; v < kVectors; ++v) grad[v] = hn::LoadU(d, grads + i * stride + v * kLanes);
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      const V low = hn::Set(d, weights.of[2 * (row + r)][i]);
      const V high = hn::Set(d, weights.of[2 * (row + r) + 1][i]);
      HWY_UNROLL(8)
      for (size_t v = 0; v < kVectors; ++v) {
        hn::StoreU(hn::Add(upper[r][v], hn::Mul(low, grad[v])), d,
                   voxel + rows[2 * r] + v * kLanes);
        upper[r][v] =
            hn::Add(hn::LoadU(d, voxel + rows[2 * r + 1] + v * kLanes), hn::Mul(high, grad[v]));
      }
    }
  }
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(8)
    for (size_t v = 0; v < kVectors; ++v) {
      hn::StoreU(upper[r][v], d, voxel + rows[2 * r + 1] + v * kLanes);
    }
  }
}

// The same for all channels.
template <size_t kRows, typename F>
HWY_INLINE void AddRunsOfRows(const Located<F>& located, size_t begin, size_t end, size_t stride,
                              size_t row, const CornerOffsets& corners,
                              const CornerWeights<F>& weights, const F* grads, F* sums) {
  constexpr size_t kLanes = hn::MaxLanes(PointTag<F>());
  size_t c = 0;
  for (; c + 2 * kLanes <= stride; c += 2 * kLanes) {
    AddRuns<kRows, 2>(located, begin, end, stride, row, corners, weights, grads + c, sums + c);
  }
  for (; c < stride; c += kLanes) {
    AddRuns<kRows, 1>(located, begin, end, stride, row, corners, weights, grads + c, sums + c);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace grid_sampler3d_backward
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
