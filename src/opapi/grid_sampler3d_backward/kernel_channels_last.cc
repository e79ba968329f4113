// The variant channels last: any number of channels, side by side in scratch memory.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "opapi/grid_sampler3d_backward/kernel_channels_last.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "opapi/grid_sampler3d_backward/problem.h"
#include "opapi/grid_sampler3d_backward/slabs.h"
#include "simd/targets.h"

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE
#include "opapi/grid_sampler3d_backward/channels_last-inl.h"
#include "opapi/grid_sampler3d_backward/interleave-inl.h"
#include "opapi/grid_sampler3d_backward/slab_memory-inl.h"
#include "opapi/grid_sampler3d_backward/walk-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace grid_sampler3d_backward {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE

void RunChannelsLastOnTarget(const Plan&, const Buffers&, int64_t, int64_t) {}

#else

// gradOutput as PlanarGrads has it, but with the channels of a point side by side.
template <typename T>
class InterleavedGrads {
 public:
  using F = Wide<T>;

  // `memory` holds 2 * kPoints * stride elements.
  InterleavedGrads(size_t channels, size_t stride, F* memory)
      : channels_(channels),
        stride_(stride),
        copy_(memory),
        collected_(memory + kPoints * stride) {}

  void Read(const Problem& problem, const T* grad_output, const SegmentPlace& place) {
    const Dims& strides = problem.grad_output.strides;
    const T* from = grad_output + place.grad_output;
    if constexpr (std::is_same_v<T, F>) {
      now_ = from;
      if (IsOneRow(strides[4], strides[1], channels_, stride_)) return;
    }
    Interleave(from, strides[4], strides[1], place.count, channels_, stride_, copy_);
    now_ = copy_;
  }
  void Collect(size_t i, size_t n) {
    std::memcpy(collected_ + n * stride_, now_ + i * stride_, stride_ * sizeof(F));
  }
  void FillBatch(bool collected, Batch<T>* batch) {
    batch->grads[0] = collected ? collected_ : now_;
  }

 private:
  const size_t channels_;
  const size_t stride_;
  F* const copy_;
  const F* now_ = nullptr;  // the segment's: a copy, or in place
  F* const collected_;
};

template <typename T>
class ChannelsLastTask {
 public:
  using F = Wide<T>;

  ChannelsLastTask(const Plan& plan, const Buffers& buffers, int64_t task, F* scratch)
      : problem_(plan.problem()),
        slabs_(plan.slabs()),
        buffers_(buffers),
        sample_(task / slabs_.count),
        planes_{task % slabs_.count * slabs_.planes,
                std::min((task % slabs_.count + 1) * slabs_.planes, problem_.depth())},
        channels_(static_cast<size_t>(problem_.channels())),
        stride_(static_cast<size_t>(slabs_.stride)),
        walk_(problem_, slabs_, buffers_, sample_, planes_),
        grads_(channels_, stride_, scratch) {
    scratch += 2 * kSegment * slabs_.stride;
    const T* input = static_cast<const T*>(buffers.input);
    T* input_grad = static_cast<T*>(buffers.input_grad);
    F* values = nullptr;
    F* sums = nullptr;
    if (problem_.reads_input()) {
      values = std::exchange(scratch, scratch + slabs_.cells * slabs_.stride);
      input += sample_ * problem_.input.strides[0];
    }
    if (problem_.want_input_grad) {
      sums = scratch;
      input_grad += sample_ * problem_.input_grad.strides[0];
    }
    memory_ = SlabMemory<T>(problem_, slabs_, planes_, channels_, stride_,
                            problem_.reads_input() ? input : nullptr, values, input_grad, sums);
    for (int64_t k = 0; k < 8; ++k) {
      const int64_t cells = k % 2 + k / 2 % 2 * slabs_.row + k / 4 * slabs_.plane;
      corners_[static_cast<size_t>(k)] = cells * slabs_.stride;
    }
  }

  void Run() {
    if (problem_.want_grid_grad && !problem_.reads_input()) {
      ClearGridGrad(problem_, slabs_, sample_, planes_.begin / slabs_.planes,
                    static_cast<T*>(buffers_.grid_grad));
    }
    walk_.Run(&grads_, [this](const Batch<T>& batch) { Add(batch); });
    if (problem_.want_input_grad) memory_.Store();
  }

 private:
  void Add(const Batch<T>& batch) {
    LocatePoints(problem_, slabs_, planes_, batch.coordinates, batch.count, &located_);
    memory_.PrepareFor(located_.last_plane);
    if (problem_.reads_input() && located_.any_owned) {
      SumChannels(located_, batch.count, stride_, corners_, memory_.values(), batch.grads[0],
                  &corner_sums_);
      if (!AreFinite(batch.grads[0], batch.count * stride_)) SumExistingCorners(batch);
      SlopesFromSums(located_, batch.count, corner_sums_, &slopes_);
      StoreGridGrad(problem_, planes_, batch, located_, &slopes_,
                    static_cast<T*>(buffers_.grid_grad));
    }
    if (problem_.want_input_grad && located_.any_in_slab) Scatter(batch);
  }

  void Scatter(const Batch<T>& batch) {
    if (problem_.interpolation == Interpolation::kNearest) {
      AddNearest(located_, batch.count, stride_, batch.grads[0], memory_.sums());
      return;
    }
    FindWeights(located_, batch.count, &weights_);
    size_t runs = 1;
    for (size_t i = 1; i < batch.count; ++i) {
      runs += located_.offset()[i] == located_.offset()[i - 1] + 1 ? 0 : 1;
    }
    if (3 * runs > batch.count || slabs_.row < 4) {
      AddPoints(located_, batch.count, stride_, corners_, weights_, batch.grads[0], memory_.sums());
      return;
    }
    constexpr size_t kLanes = hn::MaxLanes(PointTag<F>());
    size_t c = 0;
    for (; c + 2 * kLanes <= stride_; c += 2 * kLanes) {
      AddRuns<2>(located_, batch.count, stride_, corners_, weights_, batch.grads[0] + c,
                 memory_.sums() + c);
    }
    for (; c < stride_; c += kLanes) {
      AddRuns<1>(located_, batch.count, stride_, corners_, weights_, batch.grads[0] + c,
                 memory_.sums() + c);
    }
  }

  // An infinite or NaN gradOutput must not meet the zeros that stand for voxels outside.
  HWY_NOINLINE void SumExistingCorners(const Batch<T>& batch) {
    for (size_t i = 0; i < batch.count; ++i) {
      const uint32_t exists = ExistingCorners(problem_, slabs_, planes_, located_.offset()[i]);
      for (size_t k = 0; k < 8; ++k) {
        if ((exists >> k & 1) == 0) corner_sums_.of[i][kPlaceOfCorner[k]] = F{0};
      }
    }
  }

  const Problem& problem_;
  const Slabs& slabs_;
  const Buffers& buffers_;
  const int64_t sample_;
  const Planes planes_;
  const size_t channels_;
  const size_t stride_;
  SlabMemory<T> memory_;
  CornerOffsets corners_;
  Walk<T> walk_;
  InterleavedGrads<T> grads_;
  Located<F> located_;
  CornerSums<F> corner_sums_;
  CornerWeights<F> weights_;
  SlopesOfPoints<F> slopes_;
};

template <typename T>
void RunChannelsLastOf(const Plan& plan, const Buffers& buffers, int64_t task, int64_t slot) {
  Wide<T>* scratch = reinterpret_cast<Wide<T>*>(buffers.scratch);
  const int64_t elements = plan.slabs().slot_elements;
  ChannelsLastTask<T>(plan, buffers, task, scratch + slot * elements).Run();
}

void RunChannelsLastOnTarget(const Plan& plan, const Buffers& buffers, int64_t task, int64_t slot) {
  switch (plan.problem().dtype) {
    case ACL_FLOAT16:
      return RunChannelsLastOf<Float16>(plan, buffers, task, slot);
    case ACL_BF16:
      return RunChannelsLastOf<BFloat16>(plan, buffers, task, slot);
    case ACL_DOUBLE:
      return RunChannelsLastOf<double>(plan, buffers, task, slot);
    default:
      return RunChannelsLastOf<float>(plan, buffers, task, slot);
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace grid_sampler3d_backward
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclnn_cpu::grid_sampler3d_backward {

HWY_EXPORT(RunChannelsLastOnTarget);

void RunChannelsLast(const Plan& plan, const Buffers& buffers, int64_t task, int64_t slot) {
  ACLNN_CPU_DISPATCH(RunChannelsLastOnTarget)(plan, buffers, task, slot);
}

}  // namespace aclnn_cpu::grid_sampler3d_backward
#endif  // HWY_ONCE
