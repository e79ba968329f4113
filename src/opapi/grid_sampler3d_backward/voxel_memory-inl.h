// The voxels of a slab as the variant channels last uses them: in the tensors themselves where they
// lie so, else in scratch memory.

// Per-target include guard
#if defined(ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_VOXEL_MEMORY_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_VOXEL_MEMORY_INL_H_
#undef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_VOXEL_MEMORY_INL_H_
#else
#define ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_VOXEL_MEMORY_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/checked_math.h"
#include "opapi/grid_sampler3d_backward/interleave-inl.h"
#include "opapi/grid_sampler3d_backward/segment-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace grid_sampler3d_backward {
namespace HWY_NAMESPACE {

// Rows are read and cleared as they are needed, so that they are in the cache then.
template <typename T>
class VoxelMemory {
 public:
  using F = Wide<T>;

  VoxelMemory() = default;

  // `scratch` has room for what slabs.value_elements and slabs.sum_elements say.
  VoxelMemory(const Problem& problem, const Slabs& slabs, Planes planes, const Buffers& buffers,
              int64_t sample, F* scratch)
      : problem_(&problem), slabs_(&slabs), channels_(static_cast<size_t>(problem.channels())) {
    const auto first = [&](const StridedView& volume) {
      return sample * volume.strides[0] + planes.begin * volume.strides[2];
    };
    const int64_t height = problem.input.extents[3];
    if (problem.reads_input()) {
      input_ = static_cast<const T*>(buffers.input) + first(problem.input);
      copy_ = scratch;
      values_ = Choose<const T, const F>(slabs.value_elements, scratch, input_);
      input_rows_ =
          height * std::min(planes.end + 1 - planes.begin, problem.depth() - planes.begin);
    }
    if (problem.want_input_grad) {
      input_grad_ = static_cast<T*>(buffers.input_grad) + first(problem.input_grad);
      sums_ = Choose(slabs.sum_elements, scratch + slabs.value_elements, input_grad_);
      sum_rows_ = height * (planes.end - planes.begin);
    }
  }

  // Of the slab's first voxel.
  const F* values() const { return values_; }
  F* sums() const { return sums_; }

  // To be called before points whose lower voxels have offsets up to `offset` are added.
  HWY_INLINE void PrepareFor(int64_t offset) {
    const int64_t end = offset + slabs_->plane + slabs_->row + 2;
    if (end > ready_ * slabs_->row) Prepare(CeilDiv(end, slabs_->row));
  }

  void Store() {
    Prepare(sum_rows_);
    if (slabs_->sum_elements == 0) return;
    const Dims& strides = problem_->input_grad.strides;
    ForEachRun(problem_->input_grad, 0, sum_rows_, [&](int64_t row, int64_t at, size_t count) {
      Deinterleave(sums_ + row * RowElements(), count, channels_,
                   static_cast<size_t>(slabs_->stride), input_grad_ + at, strides[4], strides[1]);
    });
  }

 private:
  // Scratch memory if there is some, else the tensor.
  template <typename Tensor, typename Element>
  static Element* Choose(int64_t scratch_elements, Element* scratch, Tensor* tensor) {
    if constexpr (std::is_same_v<T, F>) {
      if (scratch_elements == 0) return tensor;
    }
    return scratch;
  }

  int64_t RowElements() const { return slabs_->row * slabs_->stride; }

  // Calls run(row, offset in `volume`, voxels) for the rows [begin, end), as many at once as lie at
  // equal distances.
  template <typename Function>
  HWY_INLINE void ForEachRun(const StridedView& volume, int64_t begin, int64_t end, Function run) {
    const int64_t height = volume.extents[3];
    const bool joined = volume.strides[3] == volume.extents[4] * volume.strides[4];
    while (begin < end) {
      const int64_t y = begin % height;
      const int64_t rows = joined ? std::min(height - y, end - begin) : 1;
      run(begin, begin / height * volume.strides[2] + y * volume.strides[3],
          static_cast<size_t>(rows * slabs_->row));
      begin += rows;
    }
  }

  HWY_NOINLINE void Prepare(int64_t end) {
    const int64_t sums_end = std::min(end, sum_rows_);
    if (ready_ < sums_end) {
      std::memset(sums_ + ready_ * RowElements(), 0,
                  static_cast<size_t>((sums_end - ready_) * RowElements()) * sizeof(F));
    }
    if (slabs_->value_elements != 0) {
      const Dims& strides = problem_->input.strides;
      ForEachRun(problem_->input, ready_, std::min(end, input_rows_),
                 [&](int64_t row, int64_t at, size_t count) {
                   Interleave(input_ + at, strides[4], strides[1], count, channels_,
                              static_cast<size_t>(slabs_->stride), copy_ + row * RowElements());
                 });
    }
    ready_ = std::max(ready_, end);
  }

  const Problem* problem_;
  const Slabs* slabs_;
  size_t channels_;
  const T* input_ = nullptr;
  T* input_grad_ = nullptr;
  F* copy_ = nullptr;  // of input
  const F* values_ = nullptr;
  F* sums_ = nullptr;
  int64_t input_rows_ = 0;
  int64_t sum_rows_ = 0;
  int64_t ready_ = 0;  // the first row that is not
};

}  // namespace HWY_NAMESPACE
}  // namespace grid_sampler3d_backward
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
