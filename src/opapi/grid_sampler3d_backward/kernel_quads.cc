// The variant quads: up to four channels side by side in scratch memory, for points without long
// runs.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "opapi/grid_sampler3d_backward/kernel_quads.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "opapi/grid_sampler3d_backward/problem.h"
#include "opapi/grid_sampler3d_backward/slabs.h"
#include "simd/targets.h"

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE
#include "opapi/grid_sampler3d_backward/quads-inl.h"
#include "opapi/grid_sampler3d_backward/slab_memory-inl.h"
#include "opapi/grid_sampler3d_backward/walk-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace grid_sampler3d_backward {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE

void RunQuadsOnTarget(const Plan&, const Buffers&, int64_t, int64_t) {}
int64_t RunsPerHundredOnTarget(const Plan&, const Buffers&) { return 0; }

#else

// gradOutput as PlanarGrads has it, but as quads.
template <typename T>
class QuadGrads {
 public:
  explicit QuadGrads(size_t channels) : channels_(channels) {}

  void Read(const Problem& problem, const T* grad_output, const SegmentPlace& place) {
    from_ = grad_output + place.grad_output;
    step_ = problem.grad_output.strides[4];
    channel_step_ = problem.grad_output.strides[1];
  }
  void Collect(const uint8_t* points, size_t count, size_t n) {
    for (size_t k = 0; k < count; ++k) {
      ReadQuad(from_ + points[k] * step_, channel_step_, channels_, collected_ + kQuad * (n + k));
    }
  }
  void FillBatch(bool collected, Batch<T>* batch) {
    float* grads = collected ? collected_ : now_;
    if (!collected) ReadQuads(from_, step_, channel_step_, batch->count, channels_, now_);
    std::fill_n(grads + kQuad * batch->count, kSlack, 0.0f);
    batch->grads[0] = grads;
  }

 private:
  const size_t channels_;
  const T* from_ = nullptr;
  int64_t step_ = 0;
  int64_t channel_step_ = 0;
  HWY_ALIGN float now_[kQuad * kPoints + kSlack];
  HWY_ALIGN float collected_[kQuad * kPoints + kSlack];
};

template <typename T>
class QuadsTask {
 public:
  QuadsTask(const Plan& plan, const Buffers& buffers, int64_t task, int64_t slot)
      : problem_(plan.problem()),
        slabs_(plan.quads()),
        buffers_(buffers),
        sample_(task / slabs_.count),
        planes_{task % slabs_.count * slabs_.planes,
                std::min((task % slabs_.count + 1) * slabs_.planes, problem_.depth())},
        rows_{static_cast<int64_t>(kQuad) * slabs_.row, static_cast<int64_t>(kQuad) * slabs_.plane},
        rules_(problem_),
        offsets_(slabs_, planes_),
        walk_(problem_, slabs_, buffers_, sample_, planes_),
        grads_(static_cast<size_t>(problem_.channels())) {
    std::fill_n(ones_, kPoints + kSlack, 1.0f);
    float* values = reinterpret_cast<float*>(buffers.scratch) + slot * slabs_.slot_elements;
    float* sums = values;
    const T* input = nullptr;
    T* input_grad = nullptr;
    if (problem_.reads_input()) {
      sums += slabs_.cells * static_cast<int64_t>(kQuad);
      input = static_cast<const T*>(buffers.input) + sample_ * problem_.input.strides[0];
    }
    if (problem_.want_input_grad) {
      input_grad = static_cast<T*>(buffers.input_grad) + sample_ * problem_.input_grad.strides[0];
    }
    memory_ = SlabMemory<T, kQuad>(problem_, slabs_, planes_, input, values, input_grad,
                                   problem_.want_input_grad ? sums : nullptr);
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
  // Returns whether the weights are there already.
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
    const auto locate = problem_.padding == Padding::kZeros ? LocateInside<true, 1, float>
                                                            : LocateInside<false, 1, float>;
    locate(rules_, offsets_, batch.coordinates, batch.count, once_, &located_,
           problem_.want_input_grad ? &weights_ : nullptr);
    return problem_.want_input_grad;
  }

  void Add(const Batch<T>& batch) {
    const bool weighted = Locate(batch);
    const bool gathers = problem_.reads_input() && located_.any_owned;
    const bool scatters = problem_.want_input_grad && located_.any_in_slab;
    if (!gathers && !scatters) return;
    memory_.PrepareFor(located_.last_plane);
    if (gathers) Gather(batch);
    if (!scatters) return;
    const float* grads = batch.grads[0];
    if (problem_.interpolation == Interpolation::kNearest) {
      return ScatterNearestQuads(located_, batch.count, grads, memory_.sums());
    }
    if (!weighted) Multiply<1>(located_, batch.count, once_, &weights_);
    ScatterQuads(located_, batch.count, rows_, weights_, grads, memory_.sums());
  }

  void Gather(const Batch<T>& batch) {
    const float* grads = batch.grads[0];
    if (AreFinite(grads, kQuad * batch.count)) {
      GatherQuads(located_, batch.count, rows_, memory_.values(), grads, &corner_sums_);
    } else {
      GatherWithTests(batch);
    }
    SlopesFromSums(located_, batch.count, corner_sums_, &slopes_);
    StoreGridGrad(problem_, planes_, batch, located_, slopes_, static_cast<T*>(buffers_.grid_grad));
  }

  // An infinite or NaN gradOutput must not meet the zeros that stand for voxels outside.
  HWY_NOINLINE void GatherWithTests(const Batch<T>& batch) {
    for (size_t i = 0; i < batch.count; ++i) {
      const uint32_t exists = ExistingCorners(problem_, slabs_, planes_, located_.offset()[i]);
      const auto from = rows_.From(QuadOf(located_, i, memory_.values()));
      const float* grads = batch.grads[0] + kQuad * i;
      for (size_t k = 0; k < 8; ++k) {
        float products[kQuad] = {};
        for (size_t c = 0; c < kQuad && (exists >> k & 1) != 0; ++c) {
          products[c] = from[k / 2][k % 2 * kQuad + c] * grads[c];
        }
        corner_sums_.of[i][kPlaceOfCorner[k]] = SumOfChannels<kQuad>(products);
      }
    }
  }

  const Problem& problem_;
  const Slabs& slabs_;
  const Buffers& buffers_;
  const int64_t sample_;
  const Planes planes_;
  const RowOffsets rows_;
  const Rules<float> rules_;
  const Offsets<PointTag<float> > offsets_;
  SlabMemory<T, kQuad> memory_;
  Walk<T> walk_;
  QuadGrads<T> grads_;
  Located<float> located_;
  // What makes weights of products with gradOutput.
  HWY_ALIGN float ones_[kPoints + kSlack];
  const float* const once_[1] = {ones_};
  Products<float> weights_;
  CornerSums<float> corner_sums_;
  SlopesOfPoints<float> slopes_;
};

void RunQuadsOnTarget(const Plan& plan, const Buffers& buffers, int64_t task, int64_t slot) {
  switch (plan.problem().dtype) {
    case ACL_FLOAT16:
      return QuadsTask<Float16>(plan, buffers, task, slot).Run();
    case ACL_BF16:
      return QuadsTask<BFloat16>(plan, buffers, task, slot).Run();
    default:
      return QuadsTask<float>(plan, buffers, task, slot).Run();
  }
}

int64_t RunsPerHundredOnTarget(const Plan& plan, const Buffers& buffers) {
  switch (plan.problem().dtype) {
    case ACL_FLOAT16:
      return RunsPerHundredOf<Float16>(plan.problem(), plan.slabs(), buffers);
    case ACL_BF16:
      return RunsPerHundredOf<BFloat16>(plan.problem(), plan.slabs(), buffers);
    default:
      return RunsPerHundredOf<float>(plan.problem(), plan.slabs(), buffers);
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace grid_sampler3d_backward
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclnn_cpu::grid_sampler3d_backward {

HWY_EXPORT(RunQuadsOnTarget);
HWY_EXPORT(RunsPerHundredOnTarget);

void RunQuads(const Plan& plan, const Buffers& buffers, int64_t task, int64_t slot) {
  ACLNN_CPU_DISPATCH(RunQuadsOnTarget)(plan, buffers, task, slot);
}

int64_t RunsPerHundred(const Plan& plan, const Buffers& buffers) {
  return ACLNN_CPU_DISPATCH(RunsPerHundredOnTarget)(plan, buffers);
}

}  // namespace aclnn_cpu::grid_sampler3d_backward
#endif  // HWY_ONCE
