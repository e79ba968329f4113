// Between tensors of any layout and quads: up to four channels of a voxel or point side by side,
// the missing ones zeros.

// Per-target include guard
#if defined(ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_QUAD_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_QUAD_ROWS_INL_H_
#undef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_QUAD_ROWS_INL_H_
#else
#define ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_QUAD_ROWS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "opapi/grid_sampler3d_backward/interleave-inl.h"
#include "opapi/grid_sampler3d_backward/segment-inl.h"
#include "simd/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace grid_sampler3d_backward {
namespace HWY_NAMESPACE {

constexpr size_t kQuad = static_cast<size_t>(kPlanarChannels);  // elements of a voxel
static_assert(kQuad * sizeof(float) == 16, "a voxel is a vector of 128 bits");

template <typename T>
HWY_INLINE void ReadQuad(const T* HWY_RESTRICT from, int64_t channel_step, size_t channels,
                         float* HWY_RESTRICT to) {
  HWY_UNROLL(8)
  for (size_t c = 0; c < kQuad; ++c) {
    to[c] = c < channels ? ToWide(from[static_cast<int64_t>(c) * channel_step]) : 0.0f;
  }
}

// Copies `count` places of at most four channels, widened, to quads. Distances in `from` are `step`
// from place to place and `channel_step` from channel to channel.
template <typename T>
HWY_NOINLINE void ReadQuads(const T* HWY_RESTRICT from, int64_t step, int64_t channel_step,
                            size_t count, size_t channels, float* HWY_RESTRICT to) {
  if (IsOneRow(step, channel_step, channels, kQuad)) {
    return ::aclnn_cpu::HWY_NAMESPACE::WidenRow(from, kQuad * count, to);
  }
  const PointTag<float> d;
  size_t i = 0;
  if (step == 1) {
    const size_t lanes = hn::Lanes(d);
    for (; i + lanes <= count; i += lanes) {
      hn::Vec<decltype(d)> v[kQuad];
      HWY_UNROLL(8)
      for (size_t c = 0; c < kQuad; ++c) {
        const T* channel = from + i + static_cast<int64_t>(c) * channel_step;
        v[c] = c < channels ? ::aclnn_cpu::HWY_NAMESPACE::LoadAsFloat(d, channel) : hn::Zero(d);
      }
      hn::StoreInterleaved4(v[0], v[1], v[2], v[3], d, to + kQuad * i);
    }
  }
  for (; i < count; ++i) {
    const T* place = from + static_cast<int64_t>(i) * step;
    ReadQuad(place, channel_step, channels, to + kQuad * i);
  }
}

// The way back, with rounding.
template <typename T>
HWY_NOINLINE void StoreQuads(const float* HWY_RESTRICT from, size_t count, size_t channels,
                             T* HWY_RESTRICT to, int64_t step, int64_t channel_step) {
  if (IsOneRow(step, channel_step, channels, kQuad)) {
    return ::aclnn_cpu::HWY_NAMESPACE::NarrowRow(from, kQuad * count, to);
  }
  const PointTag<float> d;
  size_t i = 0;
  if (step == 1) {
    const size_t lanes = hn::Lanes(d);
    for (; i + lanes <= count; i += lanes) {
      hn::Vec<decltype(d)> v[kQuad];
      hn::LoadInterleaved4(d, from + kQuad * i, v[0], v[1], v[2], v[3]);
      HWY_UNROLL(8)
      for (size_t c = 0; c < kQuad; ++c) {
        if (c >= channels) continue;
        T* channel = to + i + static_cast<int64_t>(c) * channel_step;
        ::aclnn_cpu::HWY_NAMESPACE::StoreFromFloat(v[c], d, channel);
      }
    }
  }
  for (; i < count; ++i) {
    T* place = to + static_cast<int64_t>(i) * step;
    HWY_UNROLL(8)
    for (size_t c = 0; c < kQuad; ++c) {
      if (c >= channels) continue;
      StoreNarrow(from[kQuad * i + c], place + static_cast<int64_t>(c) * channel_step);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace grid_sampler3d_backward
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
