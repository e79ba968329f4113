// The arithmetic of the variant points: from point to point, straight from the tensors.

// Per-target include guard
#if defined(ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_POINTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_POINTS_INL_H_
#undef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_POINTS_INL_H_
#else
#define ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_POINTS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <type_traits>

#include "opapi/grid_sampler3d_backward/coordinates-inl.h"
#include "opapi/grid_sampler3d_backward/interpolation-inl.h"
#include "opapi/grid_sampler3d_backward/problem.h"
#include "simd/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace grid_sampler3d_backward {
namespace HWY_NAMESPACE {

// A voxel that a point touches.
template <typename F>
struct Tap {
  int64_t offset;  // from the sample's first voxel, elements
  size_t corner;   // 0 to 7, x running fastest, then y
  F weight;
};

// Lists the voxels of point `i` that lie in the volume and in `planes`, in a fixed order; voxels of
// weight 0 too: their value may be NaN or infinite. `strides` are those of [N, C, D, H, W]. Returns
// their number.
template <typename F>
HWY_INLINE size_t FindTaps(const Problem& problem, Range planes, const Dims& strides,
                           const Chunk<F>& chunk, size_t i, std::array<Tap<F>, 8>* taps) {
  const int64_t width = problem.input.extents[4];
  const int64_t height = problem.input.extents[3];
  const int64_t x_low = static_cast<int64_t>(chunk.axes[kX].low[i]);
  const int64_t y_low = static_cast<int64_t>(chunk.axes[kY].low[i]);
  const int64_t z_low = static_cast<int64_t>(chunk.axes[kZ].low[i]);
  const int64_t sides = problem.interpolation == Interpolation::kNearest ? 1 : 2;
  const F wx[2] = {chunk.axes[kX].weight_low[i], chunk.axes[kX].weight_high[i]};
  const F wy[2] = {chunk.axes[kY].weight_low[i], chunk.axes[kY].weight_high[i]};
  const F wz[2] = {chunk.axes[kZ].weight_low[i], chunk.axes[kZ].weight_high[i]};
  size_t count = 0;
  for (int64_t dz = 0; dz < sides; ++dz) {
    const int64_t z = z_low + dz;
    if (z < planes.begin || z >= planes.end) continue;
    for (int64_t dy = 0; dy < sides; ++dy) {
      const int64_t y = y_low + dy;
      if (y < 0 || y >= height) continue;
      for (int64_t dx = 0; dx < sides; ++dx) {
        const int64_t x = x_low + dx;
        if (x < 0 || x >= width) continue;
        (*taps)[count++] = {z * strides[2] + y * strides[3] + x * strides[4],
                            static_cast<size_t>(4 * dz + 2 * dy + dx), wx[dx] * wy[dy] * wz[dz]};
      }
    }
  }
  return count;
}

// The derivatives by the coordinates.
template <typename F>
struct SlopesOfChunk {
  HWY_ALIGN F axis[3][kChunk];
};

template <typename T>
HWY_INLINE void FindSlopesOfPoint(const Problem& problem, const T* grad_output, const T* input,
                                  const Chunk<Wide<T>>& chunk, size_t i,
                                  SlopesOfChunk<Wide<T>>* slopes) {
  using F = Wide<T>;
  std::array<Tap<F>, 8> taps;
  const Range planes{0, problem.depth()};
  const size_t count = FindTaps(problem, planes, problem.input.strides, chunk, i, &taps);
  const int64_t grad_channel = problem.grad_output.strides[1];
  const int64_t input_channel = problem.input.strides[1];
  F sums[8][kChannelSums] = {};  // by corner
  for (int64_t c = 0; c < problem.channels() && count != 0; ++c) {
    const F g = ToWide(grad_output[chunk.grad_output[i] + c * grad_channel]);
    const T* channel = input + c * input_channel;
    for (size_t k = 0; k < count; ++k) {
      sums[taps[k].corner][c % kChannelSums] += ToWide(channel[taps[k].offset]) * g;
    }
  }
  F corners[8], low[3], high[3], result[3];
  for (size_t k = 0; k < 8; ++k) corners[k] = SumOfSums(sums[k]);
  for (int axis = kX; axis <= kZ; ++axis) {
    low[axis] = chunk.axes[axis].weight_low[i];
    high[axis] = chunk.axes[axis].weight_high[i];
  }
  Slopes(corners, low, high, F{0}, result);
  for (int axis = kX; axis <= kZ; ++axis) {
    slopes->axis[axis][i] = result[axis] * chunk.axes[axis].factor[i];
  }
}

#if HWY_HAVE_SCALABLE

template <typename T>
HWY_INLINE bool HasVectorSlopes(const Problem&) {
  return false;
}
template <typename T>
HWY_INLINE void FindSlopesOfVector(const Problem&, const T*, const T*, const Chunk<Wide<T>>&,
                                   size_t, SlopesOfChunk<Wide<T>>*) {}

#else

// True if Wide<T> and indices of its size hold all voxels' offsets in a channel, and steps past the
// axes' ends.
template <typename T>
HWY_INLINE bool HasVectorSlopes(const Problem& problem) {
  constexpr int64_t kMost =
      sizeof(Wide<T>) == 4 ? std::numeric_limits<int32_t>::max() : int64_t{1} << 52;
  int64_t reach = 0;
  for (size_t axis = 2; axis < 5; ++axis) {
    const int64_t extent = problem.input.extents[axis];
    if (extent == 1) continue;  // the stride may be anything and leads nowhere
    if (extent > int64_t{1} << 23) return false;
    const int64_t stride = std::abs(problem.input.strides[axis]);
    if (stride > kMost / extent) return false;
    reach += stride * extent;
    if (reach > kMost) return false;
  }
  return true;
}

// Elements of T at base + index.
template <typename T, class D, class VI>
HWY_INLINE hn::Vec<D> GatherAsFloat(D d, const T* base, VI index) {
  if constexpr (std::is_same_v<T, Wide<T>>) {
    return hn::GatherIndex(d, base, index);
  } else {
    HWY_ALIGN hn::TFromD<hn::RebindToSigned<D>> indices[hn::MaxLanes(D())];
    HWY_ALIGN Wide<T> values[hn::MaxLanes(D())];
    hn::Store(index, hn::RebindToSigned<D>(), indices);
    for (size_t i = 0; i < hn::Lanes(d); ++i) values[i] = ToWide(base[indices[i]]);
    return hn::Load(d, values);
  }
}

// The voxels of one side of the points along an axis.
template <class D>
struct Side {
  hn::Vec<hn::RebindToSigned<D>> offset;  // of the nearest one that exists
  hn::Mask<D> exists;
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE Side<D> FindSide(D d, V index, int64_t extent, int64_t stride) {
  using F = hn::TFromD<D>;
  const hn::RebindToSigned<D> di;
  const V last = hn::Set(d, static_cast<F>(extent - 1));
  const V inside = hn::Min(hn::Max(index, hn::Zero(d)), last);
  if constexpr (sizeof(F) == sizeof(int32_t)) {
    const auto step = hn::Set(di, static_cast<int32_t>(stride));
    return {hn::Mul(hn::ConvertTo(di, inside), step), hn::Eq(inside, index)};
  } else {
    const V step = hn::Set(d, static_cast<F>(stride));
    return {hn::ConvertTo(di, hn::Mul(inside, step)), hn::Eq(inside, index)};
  }
}

// FindSlopesOfPoint() of as many points as a vector has lanes, from point `first` on.
template <typename T>
HWY_NOINLINE void FindSlopesOfVector(const Problem& problem, const T* grad_output, const T* input,
                                     const Chunk<Wide<T>>& chunk, size_t first,
                                     SlopesOfChunk<Wide<T>>* slopes) {
  using F = Wide<T>;
  const hn::ScalableTag<F> d;
  using D = hn::ScalableTag<F>;
  using V = hn::Vec<D>;
  constexpr size_t kLanes = hn::MaxLanes(D());
  Side<D> sides[3][2];
  V low[3], high[3];
  for (size_t axis = 0; axis < 3; ++axis) {
    const V index = hn::Load(d, chunk.axes[axis].low + first);
    const int64_t extent = problem.input.extents[4 - axis];
    const int64_t stride = problem.input.strides[4 - axis];
    sides[axis][0] = FindSide(d, index, extent, stride);
    sides[axis][1] = FindSide(d, hn::Add(index, hn::Set(d, F{1})), extent, stride);
    low[axis] = hn::Load(d, chunk.axes[axis].weight_low + first);
    high[axis] = hn::Load(d, chunk.axes[axis].weight_high + first);
  }
  hn::Vec<hn::RebindToSigned<D>> offsets[8];
  for (size_t k = 0; k < 8; ++k) {
    const auto yz = hn::Add(sides[1][k / 2 % 2].offset, sides[2][k / 4].offset);
    offsets[k] = hn::Add(sides[0][k % 2].offset, yz);
  }
  // Lanes behind the last point take part.
  int64_t points[kLanes];
  const size_t last = static_cast<size_t>(chunk.count) - 1;
  for (size_t i = 0; i < kLanes; ++i) points[i] = chunk.grad_output[std::min(first + i, last)];
  V sums[8][kChannelSums];
  for (auto& corner : sums) {
    for (V& sum : corner) sum = hn::Zero(d);
  }
  for (int64_t c = 0; c < problem.channels(); ++c) {
    const T* grads = grad_output + c * problem.grad_output.strides[1];
    HWY_ALIGN F lanes[kLanes];
    for (size_t i = 0; i < kLanes; ++i) lanes[i] = ToWide(grads[points[i]]);
    const V grad = hn::Load(d, lanes);
    const T* channel = input + c * problem.input.strides[1];
    for (size_t k = 0; k < 8; ++k) {
      V& sum = sums[k][c % kChannelSums];
      sum = hn::Add(sum, hn::Mul(GatherAsFloat(d, channel, offsets[k]), grad));
    }
  }
  V corners[8], result[3];
  for (size_t k = 0; k < 8; ++k) {
    const auto in_plane = hn::And(sides[0][k % 2].exists, sides[1][k / 2 % 2].exists);
    corners[k] = hn::IfThenElseZero(hn::And(in_plane, sides[2][k / 4].exists), SumOfSums(sums[k]));
  }
  Slopes(corners, low, high, hn::Zero(d), result);
  for (size_t axis = 0; axis < 3; ++axis) {
    const V factor = hn::Load(d, chunk.axes[axis].factor + first);
    hn::Store(hn::Mul(result[axis], factor), d, slopes->axis[axis] + first);
  }
}

#endif  // HWY_HAVE_SCALABLE

// `input` begins with the sample, `grad_output` does not.
template <typename T>
void FindSlopes(const Problem& problem, const T* grad_output, const T* input,
                const Chunk<Wide<T>>& chunk, SlopesOfChunk<Wide<T>>* slopes) {
  const size_t count = static_cast<size_t>(chunk.count);
  if (HasVectorSlopes<T>(problem)) {
    for (size_t i = 0; i < count; i += hn::Lanes(hn::ScalableTag<Wide<T>>())) {
      FindSlopesOfVector(problem, grad_output, input, chunk, i, slopes);
    }
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    FindSlopesOfPoint(problem, grad_output, input, chunk, i, slopes);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace grid_sampler3d_backward
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
