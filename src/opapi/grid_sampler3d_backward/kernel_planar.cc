// The planar variant: up to four channels, each a volume of its own in scratch memory.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "opapi/grid_sampler3d_backward/kernel_planar.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "opapi/grid_sampler3d_backward/problem.h"
#include "opapi/grid_sampler3d_backward/slabs.h"
#include "simd/targets.h"

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE
#include "opapi/grid_sampler3d_backward/planar-inl.h"
#include "opapi/grid_sampler3d_backward/slab_memory-inl.h"
#include "opapi/grid_sampler3d_backward/walk-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace grid_sampler3d_backward {
namespace HWY_NAMESPACE {

// Targets without vectors, or with vectors whose size only the CPU knows, have the general variant.
#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE

bool HasSlabVariantsOnTarget() { return false; }
void RunPlanarOnTarget(const Plan&, const Buffers&, int64_t, int64_t) {}
void FindDepthsOnTarget(const Plan&, const Buffers&, int64_t) {}

#else

bool HasSlabVariantsOnTarget() { return true; }

template <typename T, size_t kChannels>
class PlanarTask {
 public:
  using F = Wide<T>;

  PlanarTask(const Plan& plan, const Buffers& buffers, int64_t task, int64_t slot)
      : problem_(plan.problem()),
        slabs_(plan.slabs()),
        buffers_(buffers),
        sample_(task / slabs_.count),
        planes_{task % slabs_.count * slabs_.planes,
                std::min((task % slabs_.count + 1) * slabs_.planes, problem_.depth())},
        rows_{slabs_.row, slabs_.plane},
        rules_(problem_),
        offsets_(slabs_, planes_),
        walk_(problem_, slabs_, buffers_, sample_, planes_) {
    F* scratch = reinterpret_cast<F*>(buffers.scratch) + slot * slabs_.slot_elements;
    for (size_t c = 0; c < kChannels; ++c) {
      const int64_t channel = static_cast<int64_t>(c);
      const T* input = static_cast<const T*>(buffers.input);
      T* input_grad = static_cast<T*>(buffers.input_grad);
      F* values = nullptr;
      F* sums = nullptr;
      if (problem_.reads_input()) {
        values = std::exchange(scratch, scratch + slabs_.cells);
        input += sample_ * problem_.input.strides[0] + channel * problem_.input.strides[1];
      }
      if (problem_.want_input_grad) {
        sums = std::exchange(scratch, scratch + slabs_.cells);
        input_grad +=
            sample_ * problem_.input_grad.strides[0] + channel * problem_.input_grad.strides[1];
      }
      memory_[c] =
          SlabMemory<T>(problem_, slabs_, planes_, problem_.reads_input() ? input : nullptr, values,
                        input_grad, sums);
      values_[c] = values;
      sums_[c] = sums;
    }
  }

  void Run() {
    if (problem_.want_grid_grad && !problem_.reads_input()) {
      ClearGridGrad(problem_, slabs_, sample_, planes_.begin / slabs_.planes,
                    static_cast<T*>(buffers_.grid_grad));
    }
    walk_.Run(&grads_, [this](const Batch<T>& batch) { Add(batch); });
    if (!problem_.want_input_grad) return;
    for (SlabMemory<T>& channel : memory_) channel.Store();
  }

 private:
  // Returns whether the products are there already.
  bool Locate(const Batch<T>& batch) {
    if (!batch.is_inside()) {
      LocatePoints(problem_, slabs_, planes_, batch.coordinates, batch.count, &located_);
      return false;
    }
    NoteInside(batch.last_plane, batch.owned, &located_);
    if (problem_.interpolation == Interpolation::kNearest) {
      LocateNearestInside(rules_, offsets_, batch.coordinates, batch.count, &located_);
      return false;
    }
    const bool multiply = problem_.want_input_grad;
    const auto locate = problem_.padding == Padding::kZeros ? LocateInside<true, kChannels, F>
                                                            : LocateInside<false, kChannels, F>;
    locate(rules_, offsets_, batch.coordinates, batch.count, batch.grads, &located_,
           multiply ? products_ : nullptr);
    return multiply;
  }

  void Add(const Batch<T>& batch) {
    const bool multiplied = Locate(batch);
    const bool gathers = problem_.reads_input() && located_.any_owned;
    const bool scatters = problem_.want_input_grad && located_.any_in_slab;
    if (!gathers && !scatters) return;
    for (SlabMemory<T>& channel : memory_) channel.PrepareFor(located_.last_plane);
    bool units = false;
    if (problem_.interpolation == Interpolation::kBilinear && slabs_.row > 16) {
      FindUnits(located_, batch.count, &units_);
      // With shorter runs than this, going from point to point is faster. Channels share the work
      // of telling where a unit lies.
      constexpr size_t kMostUnitsPerTwenty = kChannels == 1 ? 11 : 17;
      units = units_.count * 20 <= batch.count * kMostUnitsPerTwenty;
    }
    if (gathers) Gather(batch, units);
    if (!scatters) return;
    if (problem_.interpolation == Interpolation::kNearest) {
      for (size_t c = 0; c < kChannels; ++c) {
        ScatterNearest(located_.offset(), batch.count, batch.grads[c], sums_[c]);
      }
      return;
    }
    if (!multiplied) Multiply<kChannels>(located_, batch.count, batch.grads, products_);
    if (units) {
      ScatterUnits<kChannels>(located_, units_, rows_, products_, sums_);
      return;
    }
    for (size_t c = 0; c < kChannels; ++c) {
      ScatterPoints(located_, batch.count, rows_, products_[c], sums_[c]);
    }
  }

  void Gather(const Batch<T>& batch, bool units) {
    if (!AllFinite(batch)) {
      GatherWithTests(batch);
    } else if (units) {
      GatherUnits<kChannels>(located_, units_, rows_, values_, batch.grads, &slopes_);
    } else {
      GatherPoints<kChannels>(located_, batch.count, rows_, values_, batch.grads, &slopes_);
    }
    StoreGridGrad(problem_, planes_, batch, located_, slopes_, static_cast<T*>(buffers_.grid_grad));
  }

  static bool AllFinite(const Batch<T>& batch) {
    bool finite = true;
    for (size_t c = 0; c < kChannels; ++c) finite &= AreFinite(batch.grads[c], batch.count);
    return finite;
  }

  // An infinite or NaN gradOutput must not meet the zeros that stand for voxels outside.
  HWY_NOINLINE void GatherWithTests(const Batch<T>& batch) {
    for (size_t i = 0; i < batch.count; ++i) {
      const int64_t offset = located_.offset()[i];
      const uint32_t exists = ExistingCorners(problem_, slabs_, planes_, offset);
      F corners[8], low[3], high[3], result[3];
      for (size_t k = 0; k < 8; ++k) {
        F products[kChannels];
        for (size_t c = 0; c < kChannels; ++c) {
          const F v = rows_.From(values_[c] + offset)[k / 2][k % 2];
          products[c] = (exists >> k & 1) != 0 ? v * batch.grads[c][i] : F{0};
        }
        corners[k] = SumOfChannels<kChannels>(products);
      }
      for (size_t axis = 0; axis < 3; ++axis) {
        low[axis] = located_.low[axis][i];
        high[axis] = located_.high[axis][i];
      }
      Slopes(corners, low, high, F{0}, result);
      for (size_t axis = 0; axis < 3; ++axis) slopes_.axis[axis][i] = result[axis];
    }
  }

  const Problem& problem_;
  const Slabs& slabs_;
  const Buffers& buffers_;
  const int64_t sample_;
  const Planes planes_;
  const RowOffsets rows_;
  const Rules<F> rules_;
  const Offsets<PointTag<F> > offsets_;
  SlabMemory<T> memory_[kChannels];
  const F* values_[kChannels];
  F* sums_[kChannels];
  Walk<T> walk_;
  PlanarGrads<T> grads_{kChannels};
  Located<F> located_;
  Units units_;
  Products<F> products_[kChannels];
  SlopesOfPoints<F> slopes_;
};

template <typename T>
void RunPlanarOf(const Plan& plan, const Buffers& buffers, int64_t task, int64_t slot) {
  switch (plan.problem().channels()) {
    case 1:
      return PlanarTask<T, 1>(plan, buffers, task, slot).Run();
    case 2:
      return PlanarTask<T, 2>(plan, buffers, task, slot).Run();
    case 3:
      return PlanarTask<T, 3>(plan, buffers, task, slot).Run();
    default:
      return PlanarTask<T, 4>(plan, buffers, task, slot).Run();
  }
}

void RunPlanarOnTarget(const Plan& plan, const Buffers& buffers, int64_t task, int64_t slot) {
  switch (plan.problem().dtype) {
    case ACL_FLOAT16:
      return RunPlanarOf<Float16>(plan, buffers, task, slot);
    case ACL_BF16:
      return RunPlanarOf<BFloat16>(plan, buffers, task, slot);
    case ACL_DOUBLE:
      return RunPlanarOf<double>(plan, buffers, task, slot);
    default:
      return RunPlanarOf<float>(plan, buffers, task, slot);
  }
}

void FindDepthsOnTarget(const Plan& plan, const Buffers& buffers, int64_t block) {
  switch (plan.problem().dtype) {
    case ACL_FLOAT16:
      return FindDepths<Float16>(plan.problem(), plan.slabs(), buffers, block);
    case ACL_BF16:
      return FindDepths<BFloat16>(plan.problem(), plan.slabs(), buffers, block);
    case ACL_DOUBLE:
      return FindDepths<double>(plan.problem(), plan.slabs(), buffers, block);
    default:
      return FindDepths<float>(plan.problem(), plan.slabs(), buffers, block);
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace grid_sampler3d_backward
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclnn_cpu::grid_sampler3d_backward {

HWY_EXPORT(HasSlabVariantsOnTarget);
HWY_EXPORT(RunPlanarOnTarget);
HWY_EXPORT(FindDepthsOnTarget);

bool HasSlabVariants() { return ACLNN_CPU_DISPATCH(HasSlabVariantsOnTarget)(); }

void RunPlanar(const Plan& plan, const Buffers& buffers, int64_t task, int64_t slot) {
  ACLNN_CPU_DISPATCH(RunPlanarOnTarget)(plan, buffers, task, slot);
}

void FindDepths(const Plan& plan, const Buffers& buffers, int64_t block) {
  ACLNN_CPU_DISPATCH(FindDepthsOnTarget)(plan, buffers, block);
}

}  // namespace aclnn_cpu::grid_sampler3d_backward
#endif  // HWY_ONCE
