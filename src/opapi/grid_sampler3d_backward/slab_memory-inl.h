// Between the caller's tensors and the scratch memory of a slab.

// Per-target include guard
#if defined(ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_SLAB_MEMORY_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_SLAB_MEMORY_INL_H_
#undef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_SLAB_MEMORY_INL_H_
#else
#define ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_SLAB_MEMORY_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "opapi/grid_sampler3d_backward/interleave-inl.h"
#include "opapi/grid_sampler3d_backward/quad_rows-inl.h"
#include "opapi/grid_sampler3d_backward/segment-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace grid_sampler3d_backward {
namespace HWY_NAMESPACE {

// Rows of one channel below this length are copied element by element. They have one neighbour.
constexpr int64_t kShortRow = 8;

// Rows are fetched before they are copied.
constexpr int64_t kRowsAhead = 8;

// One channel of a slab, or all of them as quads. Planes are read and cleared as they are needed,
// so that they are in the cache then.
template <typename T, size_t kElements = 1>
class SlabMemory {
 public:
  using F = Wide<T>;
  static constexpr bool kQuads = kElements == kQuad;

  SlabMemory() = default;

  // `input` and `input_grad` are the first elements of the sample's channel, or first channel, null
  // where not wanted; so are `values` and `sums`, which have room for the slab.
  SlabMemory(const Problem& problem, const Slabs& slabs, Planes planes, const T* input, F* values,
             T* input_grad, F* sums)
      : problem_(&problem),
        slabs_(&slabs),
        planes_(planes),
        input_(input),
        values_(values),
        input_grad_(input_grad),
        sums_(sums),
        ready_(planes.begin) {
    if (input_ != nullptr) FillNowhere();
    if (sums_ != nullptr) Clear(sums_, 0, At(planes.begin, -1, -1));
  }

  const F* values() const { return values_; }
  F* sums() const { return sums_; }

  // To be called before points whose lower voxels lie in the planes up to `z` are added.
  HWY_INLINE void PrepareFor(int64_t z) {
    const int64_t last = std::min(z + 1, planes_.end);
    while (ready_ <= last) PreparePlane(ready_++);
  }

  void Store() {
    PrepareFor(planes_.end);
    const Dims& extents = problem_->input.extents;
    const Dims& strides = problem_->input_grad.strides;
    for (int64_t z = planes_.begin; z < planes_.end; ++z) {
      if (!kQuads && extents[4] < kShortRow) {
        StoreShortRows(sums_ + At(z, 0, 0), input_grad_ + z * strides[2],
                       std::make_integer_sequence<int, kShortRow>());
        continue;
      }
      for (int64_t y = 0; y < extents[3]; ++y) {
        const F* from = sums_ + At(z, y, 0);
        T* to = input_grad_ + z * strides[2] + y * strides[3];
        const size_t width = static_cast<size_t>(extents[4]);
        if constexpr (kQuads) {
          StoreQuads(from, width, channels(), to, strides[4], strides[1]);
        } else {
          Deinterleave(from, width, 1, 1, to, strides[4], strides[1]);
        }
      }
    }
  }

 private:
  static constexpr int64_t kStep = static_cast<int64_t>(kElements);

  size_t channels() const { return static_cast<size_t>(problem_->channels()); }

  // Where a voxel, or a neighbour, stands.
  int64_t At(int64_t z, int64_t y, int64_t x) const {
    const int64_t cell = (z - planes_.begin) * slabs_->plane + y * slabs_->row + x;
    return (slabs_->origin + cell) * kStep;
  }

  static void Clear(F* memory, int64_t begin, int64_t end) {
    std::fill(memory + begin, memory + end, F{0});
  }

  // What points read that touch no voxel, and the plane before the volume.
  void FillNowhere() {
    const int64_t nowhere = slabs_->nowhere() * kStep;
    if (planes_.begin == 0) return Clear(values_, nowhere, At(0, -1, -1));
    const int64_t rows = (slabs_->row + 2) * kStep;
    Clear(values_, nowhere, nowhere + rows);
    const int64_t next_plane = nowhere + slabs_->plane * kStep;
    Clear(values_, next_plane, next_plane + rows);
  }

  // The plane, its row before and the one behind, if nothing else follows.
  HWY_NOINLINE void PreparePlane(int64_t z) {
    const bool last = z == planes_.end;
    if (sums_ != nullptr) {
      Clear(sums_, At(z, -1, -1), last ? slabs_->cells * kStep : At(z + 1, -1, -1));
    }
    if (input_ == nullptr) return;
    if (z == problem_->depth()) return Clear(values_, At(z, -1, -1), At(z + 1, 0, 1));
    const Dims& strides = problem_->input.strides;
    const int64_t width = problem_->input.extents[4];
    Clear(values_, At(z, -1, -1), At(z, 0, 0));
    if (!kQuads && width < kShortRow) {
      ReadShortRows(input_ + z * strides[2], values_ + At(z, 0, 0),
                    std::make_integer_sequence<int, kShortRow>());
      return Clear(values_, At(z + 1, -1, -1), At(z + 1, 0, 1));
    }
    for (int64_t y = 0; y < problem_->input.extents[3]; ++y) {
      F* to = values_ + At(z, y, 0);
      const T* from = input_ + z * strides[2] + y * strides[3];
      Prefetch(from + kRowsAhead * strides[3], static_cast<size_t>(width));
      if constexpr (kQuads) {
        ReadQuads(from, strides[4], strides[1], static_cast<size_t>(width), channels(), to);
      } else {
        Interleave(from, strides[4], strides[1], static_cast<size_t>(width), 1, 1, to);
      }
      ClearVectors(to + width * kStep, (slabs_->row - width) * kStep);
    }
    Clear(values_, At(z + 1, -1, -1), At(z + 1, 0, 1));
  }

  // The rows of a plane, whose number of voxels is one of kWidths: the compiler unrolls them.
  template <int... kWidths>
  HWY_INLINE void ReadShortRows(const T* from, F* to, std::integer_sequence<int, kWidths...>) {
    (ReadShortRows<kWidths>(from, to), ...);
  }
  template <int kWidth>
  HWY_INLINE void ReadShortRows(const T* from, F* to) {
    const Dims& extents = problem_->input.extents;
    if (extents[4] != kWidth) return;
    const Dims& strides = problem_->input.strides;
    for (int64_t y = 0; y < extents[3]; ++y, from += strides[3], to += slabs_->row) {
      HWY_UNROLL(8)
      for (int64_t x = 0; x < kWidth; ++x) to[x] = ToWide(from[x * strides[4]]);
      to[kWidth] = F{0};
    }
  }

  template <int... kWidths>
  HWY_INLINE void StoreShortRows(const F* from, T* to, std::integer_sequence<int, kWidths...>) {
    (StoreShortRows<kWidths>(from, to), ...);
  }
  template <int kWidth>
  HWY_INLINE void StoreShortRows(const F* from, T* to) {
    const Dims& extents = problem_->input.extents;
    if (extents[4] != kWidth) return;
    const Dims& strides = problem_->input_grad.strides;
    for (int64_t y = 0; y < extents[3]; ++y, from += slabs_->row, to += strides[3]) {
      HWY_UNROLL(8)
      for (int64_t x = 0; x < kWidth; ++x) StoreNarrow(from[x], to + x * strides[4]);
    }
  }

  // At least `count` elements, and up to a vector more, which are written afterwards.
  HWY_INLINE static void ClearVectors(F* to, int64_t count) {
    const PointTag<F> d;
    for (int64_t i = 0; i < count; i += static_cast<int64_t>(hn::Lanes(d))) {
      hn::StoreU(hn::Zero(d), d, to + i);
    }
  }

  const Problem* problem_;
  const Slabs* slabs_;
  Planes planes_;
  const T* input_;
  F* values_;
  T* input_grad_;
  F* sums_;
  int64_t ready_;  // the first plane that is not
};

}  // namespace HWY_NAMESPACE
}  // namespace grid_sampler3d_backward
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
