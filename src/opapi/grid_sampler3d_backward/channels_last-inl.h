// The arithmetic of the variant channels last: points of a segment against voxels in scratch memory
// whose channels lie side by side, padded to a multiple of kChannelSums. Vectors go across
// channels.

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

// SumOfSums() of the eight partial sums of each corner.
template <class D, class V = hn::Vec<D>, size_t kParts>
HWY_INLINE void SumGroups(D d, const V (&sums)[8][kParts], hn::TFromD<D>* HWY_RESTRICT to) {
  using F = hn::TFromD<D>;
  if constexpr (kParts == 1 && sizeof(F) == 4) {
    const hn::Repartition<double, D> d64;
    const auto pairs = [&](const V& a, const V& b) {  // halves of a and b added, side by side
      return hn::Add(hn::ConcatLowerLower(d, b, a), hn::ConcatUpperUpper(d, b, a));
    };
    const auto fold = [&](V a, V b) {  // the same with the quarters
      const auto x = hn::BitCast(d64, a);
      const auto y = hn::BitCast(d64, b);
      return hn::Add(hn::BitCast(d, hn::InterleaveLower(d64, x, y)),
                     hn::BitCast(d, hn::InterleaveUpper(d64, x, y)));
    };
    const V low = fold(pairs(sums[0][0], sums[1][0]), pairs(sums[2][0], sums[3][0]));
    const V high = fold(pairs(sums[4][0], sums[5][0]), pairs(sums[6][0], sums[7][0]));
    const V even = hn::OddEven(hn::DupEven(high), low);
    const V odd = hn::OddEven(high, hn::DupOdd(low));
    hn::Store(hn::Add(even, odd), d, to);
  } else {
    HWY_ALIGN F lanes[kGroup];
    HWY_UNROLL(8)
    for (size_t k = 0; k < 8; ++k) {
      HWY_UNROLL(8)
      for (size_t part = 0; part < kParts; ++part) {
        hn::Store(sums[k][part], d, lanes + part * hn::Lanes(d));
      }
      to[kPlaceOfCorner[k]] = SumOfSums(lanes);
    }
  }
}

// Sums over channels of input * gradOutput, for all points. `stride` elements lie between voxels
// and between the points of `grads`.
template <typename F>
HWY_NOINLINE void SumChannels(const Located<F>& located, size_t count, size_t stride,
                              const CornerOffsets& corners, const F* HWY_RESTRICT input,
                              const F* HWY_RESTRICT grads, CornerSums<F>* HWY_RESTRICT sums) {
  const PointTag<F> d;
  using V = hn::Vec<decltype(d)>;
  constexpr size_t kLanes = hn::MaxLanes(PointTag<F>());
  constexpr size_t kParts = kGroup / kLanes;
  for (size_t i = 0; i < count; ++i) {
    const F* voxel = input + located.offset()[i] * static_cast<int64_t>(stride);
    const F* next = input + located.offset()[i + 2] * static_cast<int64_t>(stride);
    HWY_UNROLL(8)
    for (size_t k = 0; k < 8; ++k) hwy::Prefetch(next + corners[k]);
    const F* g = grads + i * stride;
    V acc[8][kParts];
    HWY_UNROLL(8)
    for (auto& corner : acc) {
      HWY_UNROLL(8)
      for (V& part : corner) part = hn::Zero(d);
    }
    for (size_t c = 0; c < stride; c += kGroup) {
      HWY_UNROLL(8)
      for (size_t part = 0; part < kParts; ++part) {
        const size_t at = c + part * kLanes;
        const V grad = hn::LoadU(d, g + at);
        HWY_UNROLL(8)
        for (size_t k = 0; k < 8; ++k) {
          const V value = hn::Load(d, voxel + corners[k] + at);
          acc[k][part] = hn::Add(acc[k][part], hn::Mul(value, grad));
        }
      }
    }
    SumGroups(d, acc, sums->of[i]);
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

// Adds all channels of the points, one after the other.
template <typename F>
HWY_NOINLINE void AddPoints(const Located<F>& located, size_t count, size_t stride,
                            const CornerOffsets& corners, const CornerWeights<F>& weights,
                            const F* HWY_RESTRICT grads, F* HWY_RESTRICT sums) {
  const PointTag<F> d;
  using V = hn::Vec<decltype(d)>;
  for (size_t i = 0; i < count; ++i) {
    F* voxel = sums + located.offset()[i] * static_cast<int64_t>(stride);
    const F* next = sums + located.offset()[i + 2] * static_cast<int64_t>(stride);
    HWY_UNROLL(8)
    for (size_t k = 0; k < 8; ++k) hwy::Prefetch(next + corners[k]);
    V weight[8];
    HWY_UNROLL(8)
    for (size_t k = 0; k < 8; ++k) weight[k] = hn::Set(d, weights.of[k][i]);
    for (size_t c = 0; c < stride; c += hn::Lanes(d)) {
      const V grad = hn::LoadU(d, grads + i * stride + c);
      HWY_UNROLL(8)
      for (size_t k = 0; k < 8; ++k) {
        F* to = voxel + corners[k] + c;
        hn::Store(hn::Add(hn::Load(d, to), hn::Mul(weight[k], grad)), d, to);
      }
    }
  }
}

template <typename F>
HWY_NOINLINE void AddNearest(const Located<F>& located, size_t count, size_t stride,
                             const F* HWY_RESTRICT grads, F* HWY_RESTRICT sums) {
  const PointTag<F> d;
  for (size_t i = 0; i < count; ++i) {
    F* voxel = sums + located.offset()[i] * static_cast<int64_t>(stride);
    for (size_t c = 0; c < stride; c += hn::Lanes(d)) {
      hn::Store(hn::Add(hn::Load(d, voxel + c), hn::LoadU(d, grads + i * stride + c)), d,
                voxel + c);
    }
  }
}

// Adds kVectors vectors of channels of the points. Where a point follows the last one in the next
// voxel, its lower voxels are the last one's upper ones, which are still in registers.
template <int kVectors, typename F>
HWY_NOINLINE void AddRuns(const Located<F>& located, size_t count, size_t stride,
                          const CornerOffsets& corners, const CornerWeights<F>& weights,
                          const F* HWY_RESTRICT grads, F* HWY_RESTRICT sums) {
  const PointTag<F> d;
  using V = hn::Vec<decltype(d)>;
  constexpr size_t kLanes = hn::MaxLanes(PointTag<F>());
  V upper[4][kVectors];
  F* voxel = nullptr;
  for (size_t i = 0; i < count; ++i) {
    const int32_t offset = located.offset()[i];
    if (located.offset()[i - 1] + 1 != offset || i == 0) {
      F* begin = sums + offset * static_cast<int64_t>(stride);
      HWY_UNROLL(8)
      for (size_t r = 0; r < 4; ++r) {
        HWY_UNROLL(8)
        for (size_t v = 0; v < kVectors; ++v) {
          if (i != 0) hn::Store(upper[r][v], d, voxel + corners[2 * r + 1] + v * kLanes);
        }
      }
      HWY_UNROLL(8)
      for (size_t r = 0; r < 4; ++r) {
        HWY_UNROLL(8)
        for (size_t v = 0; v < kVectors; ++v) {
          upper[r][v] = hn::Load(d, begin + corners[2 * r] + v * kLanes);
        }
      }
    }
    voxel = sums + offset * static_cast<int64_t>(stride);
    V grad[kVectors];
    HWY_UNROLL(8)
    for (size_t v = 0; v < kVectors; ++v) grad[v] = hn::LoadU(d, grads + i * stride + v * kLanes);
    HWY_UNROLL(8)
    for (size_t r = 0; r < 4; ++r) {
      const V low = hn::Set(d, weights.of[2 * r][i]);
      const V high = hn::Set(d, weights.of[2 * r + 1][i]);
      HWY_UNROLL(8)
      for (size_t v = 0; v < kVectors; ++v) {
        hn::Store(hn::Add(upper[r][v], hn::Mul(low, grad[v])), d,
                  voxel + corners[2 * r] + v * kLanes);
        upper[r][v] =
            hn::Add(hn::Load(d, voxel + corners[2 * r + 1] + v * kLanes), hn::Mul(high, grad[v]));
      }
    }
  }
  HWY_UNROLL(8)
  for (size_t r = 0; r < 4; ++r) {
    HWY_UNROLL(8)
    for (size_t v = 0; v < kVectors; ++v) {
      hn::Store(upper[r][v], d, voxel + corners[2 * r + 1] + v * kLanes);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace grid_sampler3d_backward
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
