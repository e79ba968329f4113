// The variant channels last: any number of channels, side by side in the tensors or in scratch
// memory.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "opapi/grid_sampler3d_backward/kernel_channels_last.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "opapi/grid_sampler3d_backward/problem.h"
#include "opapi/grid_sampler3d_backward/slabs.h"
#include "simd/targets.h"

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE
#include "opapi/grid_sampler3d_backward/channels_last-inl.h"
#include "opapi/grid_sampler3d_backward/interleave-inl.h"
#include "opapi/grid_sampler3d_backward/locate_voxels-inl.h"
#include "opapi/grid_sampler3d_backward/scatter-inl.h"
#include "opapi/grid_sampler3d_backward/voxel_memory-inl.h"
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
  void Collect(const uint8_t* points, size_t count, size_t n) {
    for (size_t k = 0; k < count; ++k) {
      std::memcpy(collected_ + (n + k) * stride_, now_ + points[k] * stride_, stride_ * sizeof(F));
    }
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

// With fewer points, doing one row at a time does not pay.
constexpr size_t kShortRun = 3;

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
        grads_(channels_, stride_, scratch),
        locator_(problem_, slabs_, planes_) {
    scratch += 2 * kSegment * slabs_.stride;
    memory_ = VoxelMemory<T>(problem_, slabs_, planes_, buffers, sample_, scratch);
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
    locator_.Locate(batch.coordinates, batch.count, &located_, &voxels_);
    memory_.PrepareFor(voxels_.largest_offset);
    jumps_ = 3 * voxels_.runs > batch.count;
    if (problem_.reads_input() && located_.any_owned) {
      Gather(batch);
      SlopesFromSums(located_, batch.count, corner_sums_, &slopes_);
      StoreGridGrad(problem_, planes_, batch, located_, slopes_,
                    static_cast<T*>(buffers_.grid_grad));
    }
    if (problem_.want_input_grad && located_.any_in_slab) Scatter(batch);
  }

  void Gather(const Batch<T>& batch) {
    const PointBits& misses = voxels_.misses_input;
    const bool in_place = slabs_.value_elements == 0;
    const auto sum_whole = ForStride(stride_, [this](auto known) {
      return jumps_ ? SumWhole<decltype(known)::value, true, F>
                    : SumWhole<decltype(known)::value, false, F>;
    });
    for (size_t begin = 0, end; begin < batch.count; begin = end) {
      end = misses.EndOfEqual(begin, batch.count);
      const F* grads = batch.grads[0];
      if (misses.Has(begin)) {
        SumAtEdge(located_, begin, end, stride_, corners_, memory_.values(), grads, &corner_sums_);
      } else {
        sum_whole(located_, begin, end, stride_, corners_, memory_.values(), grads, in_place,
                  &corner_sums_);
      }
    }
  }

  void Scatter(const Batch<T>& batch) {
    if (problem_.interpolation == Interpolation::kNearest) {
      AddNearest(located_, batch.count, stride_, batch.grads[0], memory_.sums());
      return;
    }
    FindWeights(located_, batch.count, &weights_);
    const PointBits& misses = voxels_.misses_input_grad;
    for (size_t begin = 0, end; begin < batch.count; begin = end) {
      end = misses.EndOfEqual(begin, batch.count);
      if (misses.Has(begin)) {
        AddAtEdge(batch, begin, end);
      } else {
        AddWholePoints(batch, begin, end);
      }
    }
  }

  void AddAtEdge(const Batch<T>& batch, size_t begin, size_t points_end) {
    const auto edges_of = [&](size_t i) { return located_.edges[i] & kEdgesOfInputGrad; };
    for (size_t end; begin < points_end; begin = end) {
      const int32_t edges = edges_of(begin);
      end = begin + 1;
      while (end < points_end && edges_of(end) == edges && Continues(end)) ++end;
      if (edges != kTouchesNothing) AddRunAtEdge(batch, begin, end, kMissingCorners.of[edges]);
    }
  }

  void AddWholePoints(const Batch<T>& batch, size_t begin, size_t end) {
    if (jumps_) {
      const auto add =
          ForStride(stride_, [](auto known) { return AddPoints<decltype(known)::value, F>; });
      add(located_, begin, end, stride_, corners_, weights_, batch.grads[0], memory_.sums());
    } else {
      AddRunsOfRows<4>(located_, begin, end, stride_, 0, corners_, weights_, batch.grads[0],
                       memory_.sums());
    }
  }

  // One run. Its rows are different ones, so that each may be done by itself.
  void AddRunAtEdge(const Batch<T>& batch, size_t begin, size_t end, uint32_t missing) {
    const bool whole_rows = (missing & 0x55) == (missing >> 1 & 0x55);
    if (!whole_rows || end - begin < kShortRun) {
      for (size_t i = begin; i < end; ++i) {
        AddPointAtEdge(located_, i, stride_, corners_, weights_, batch.grads[0], memory_.sums());
      }
      return;
    }
    for (size_t row = 0; row < 4; ++row) {
      if ((missing >> 2 * row & 1) != 0) continue;
      AddRunsOfRows<1>(located_, begin, end, stride_, row, corners_, weights_, batch.grads[0],
                       memory_.sums());
    }
  }

  bool Continues(size_t i) const { return located_.offset()[i] == located_.offset()[i - 1] + 1; }

  const Problem& problem_;
  const Slabs& slabs_;
  const Buffers& buffers_;
  const int64_t sample_;
  const Planes planes_;
  const size_t channels_;
  const size_t stride_;
  VoxelMemory<T> memory_;
  CornerOffsets corners_;
  Walk<T> walk_;
  InterleavedGrads<T> grads_;
  const VoxelLocator<F> locator_;
  Located<F> located_;
  VoxelsOfSegment voxels_;
  bool jumps_ = false;
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
