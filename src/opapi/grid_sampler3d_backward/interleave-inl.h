// Between tensors of any layout and arrays whose channels lie side by side.

// Per-target include guard
#if defined(ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_INTERLEAVE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_INTERLEAVE_INL_H_
#undef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_INTERLEAVE_INL_H_
#else
#define ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_INTERLEAVE_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "opapi/grid_sampler3d_backward/segment-inl.h"
#include "simd/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace grid_sampler3d_backward {
namespace HWY_NAMESPACE {

// As many rows as a vector has lanes, transposed in place.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void TransposeTile(D d, V* rows) {
  constexpr size_t kLanes = hn::MaxLanes(D());
  V pairs[kLanes];
  HWY_UNROLL(8)
  for (size_t i = 0; i < kLanes; i += 2) {  // rows i and i + 1, element by element
    pairs[i] = hn::InterleaveLower(d, rows[i], rows[i + 1]);
    pairs[i + 1] = hn::InterleaveUpper(d, rows[i], rows[i + 1]);
  }
  V* quads = rows;
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    quads = pairs;
  } else {
    const hn::Repartition<double, D> d64;
    HWY_UNROLL(8)
    for (size_t i = 0; i < kLanes; i += 4) {
      HWY_UNROLL(8)
      for (size_t j = 0; j < 2; ++j) {
        const auto a = hn::BitCast(d64, pairs[i + j]);
        const auto b = hn::BitCast(d64, pairs[i + j + 2]);
        quads[i + 2 * j] = hn::BitCast(d, hn::InterleaveLower(d64, a, b));
        quads[i + 2 * j + 1] = hn::BitCast(d, hn::InterleaveUpper(d64, a, b));
      }
    }
  }
  // In each block of 128 bits there is one column of as many rows as it has elements.
  constexpr size_t kBlock = 16 / sizeof(hn::TFromD<D>);
  static_assert(kLanes == kBlock || kLanes == 2 * kBlock);
  HWY_UNROLL(8)
  for (size_t i = 0; i < kBlock; ++i) {
    if constexpr (kLanes == kBlock) {
      rows[i] = quads[i];
    } else {
      const V low = quads[i];
      const V high = quads[i + kBlock];
      rows[i] = hn::ConcatLowerLower(d, high, low);
      rows[i + kBlock] = hn::ConcatUpperUpper(d, high, low);
    }
  }
}

// True if places whose channels and distances are these lie as in an array of `stride`.
inline bool IsOneRow(int64_t step, int64_t channel_step, size_t channels, size_t stride) {
  return channels == stride && step == static_cast<int64_t>(stride) &&
         (channel_step == 1 || channels == 1);
}

// Copies `count` places of `channels` channels, widened, to `to`, where a place takes `stride`
// elements, the last ones zeros. Distances in `from` are `step` from place to place and
// `channel_step` from channel to channel.
template <typename T>
HWY_NOINLINE void Interleave(const T* HWY_RESTRICT from, int64_t step, int64_t channel_step,
                             size_t count, size_t channels, size_t stride,
                             Wide<T>* HWY_RESTRICT to) {
  using F = Wide<T>;
  const auto place = [&](size_t i) { return from + static_cast<int64_t>(i) * step; };
  if (IsOneRow(step, channel_step, channels, stride)) {
    return ::aclnn_cpu::HWY_NAMESPACE::WidenRow(from, count * stride, to);
  }
  if (channel_step == 1 && stride > 1) {
    for (size_t i = 0; i < count; ++i) {
      ::aclnn_cpu::HWY_NAMESPACE::WidenRow(place(i), channels, to + i * stride);
      std::fill(to + i * stride + channels, to + (i + 1) * stride, F{0});
    }
    return;
  }
  const PointTag<F> d;
  constexpr size_t kLanes = hn::MaxLanes(PointTag<F>());
  const size_t tiled = step == 1 && stride > 1 ? count / kLanes * kLanes : 0;
  for (size_t c = 0; c < stride && tiled != 0; c += kLanes) {
    for (size_t i = 0; i < tiled; i += kLanes) {
      hn::Vec<decltype(d)> rows[kLanes];
      HWY_UNROLL(8)
      for (size_t k = 0; k < kLanes; ++k) {
        const T* row = place(i) + static_cast<int64_t>(c + k) * channel_step;
        rows[k] = c + k < channels ? ::aclnn_cpu::HWY_NAMESPACE::LoadAsFloat(d, row) : hn::Zero(d);
      }
      TransposeTile(d, rows);
      HWY_UNROLL(8)
      for (size_t k = 0; k < kLanes; ++k) hn::StoreU(rows[k], d, to + (i + k) * stride + c);
    }
  }
  for (size_t i = tiled; i < count; ++i) {
    for (size_t c = 0; c < channels; ++c) {
      to[i * stride + c] = ToWide(place(i)[static_cast<int64_t>(c) * channel_step]);
    }
    for (size_t c = channels; c < stride; ++c) to[i * stride + c] = F{0};
  }
}

// The way back, with rounding.
template <typename T>
HWY_NOINLINE void Deinterleave(const Wide<T>* HWY_RESTRICT from, size_t count, size_t channels,
                               size_t stride, T* HWY_RESTRICT to, int64_t step,
                               int64_t channel_step) {
  const auto place = [&](size_t i) { return to + static_cast<int64_t>(i) * step; };
  if (IsOneRow(step, channel_step, channels, stride)) {
    return ::aclnn_cpu::HWY_NAMESPACE::NarrowRow(from, count * stride, to);
  }
  if (channel_step == 1 && stride > 1) {
    for (size_t i = 0; i < count; ++i) {
      ::aclnn_cpu::HWY_NAMESPACE::NarrowRow(from + i * stride, channels, place(i));
    }
    return;
  }
  const PointTag<Wide<T>> d;
  constexpr size_t kLanes = hn::MaxLanes(PointTag<Wide<T>>());
  const size_t tiled = step == 1 && stride > 1 ? count / kLanes * kLanes : 0;
  for (size_t c = 0; c < channels && tiled != 0; c += kLanes) {
    for (size_t i = 0; i < tiled; i += kLanes) {
      hn::Vec<decltype(d)> rows[kLanes];
      HWY_UNROLL(8)
      for (size_t k = 0; k < kLanes; ++k) rows[k] = hn::LoadU(d, from + (i + k) * stride + c);
      TransposeTile(d, rows);
      HWY_UNROLL(8)
      for (size_t k = 0; k < std::min(kLanes, channels - c); ++k) {
        T* row = place(i) + static_cast<int64_t>(c + k) * channel_step;
        ::aclnn_cpu::HWY_NAMESPACE::StoreFromFloat(rows[k], d, row);
      }
    }
  }
  for (size_t i = tiled; i < count; ++i) {
    for (size_t c = 0; c < channels; ++c) {
      StoreNarrow(from[i * stride + c], place(i) + static_cast<int64_t>(c) * channel_step);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace grid_sampler3d_backward
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
