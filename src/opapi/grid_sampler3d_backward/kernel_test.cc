#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/parallel.h"
#include "opapi/grid_sampler3d_backward/test_util.h"
#include "simd/targets.h"

namespace aclnn_cpu::grid_sampler3d_backward {
namespace {

std::vector<std::byte> Copy(std::span<const std::byte> bytes) {
  return {bytes.begin(), bytes.end()};
}

// Runs the call on every usable target with 1, 2, 3 and 7 threads; all bits must be equal. Leaves
// the results in the call.
void RunOnAllTargetsAndThreads(TestCall* call) {
  std::vector<std::byte> input_grad, grid_grad;
  for (const Target& target : UsableTargets()) {
    ForceTargetForTest(target);
    for (int threads : {1, 2, 3, 7}) {
      SCOPED_TRACE(std::string(target.name) + ", threads " + std::to_string(threads));
      ForceThreadCountForTest(threads);
      call->input_grad.Fill(HostTensor::kUntouched);
      call->grid_grad.Fill(HostTensor::kUntouched);
      call->Run();
      if (input_grad.empty()) {
        input_grad = Copy(call->input_grad.bytes());
        grid_grad = Copy(call->grid_grad.bytes());
      }
      EXPECT_TRUE(test::SameBits(call->spec.dtype, call->input_grad.bytes(), input_grad));
      EXPECT_TRUE(test::SameBits(call->spec.dtype, call->grid_grad.bytes(), grid_grad));
    }
  }
  ForceThreadCountForTest(0);
  ResetTargetForTest();
}

// The results in the call equal the reference; what must not be written still holds its filling.
void ExpectReference(const TestCall& call) {
  const reference::Gradients want = call.Reference();
  if (call.spec.want_input_grad) {
    EXPECT_TRUE(NearReference(call.spec.dtype, call.InputGrad(), want.input_grad,
                              want.input_grad_magnitude))
        << "inputGrad";
    EXPECT_TRUE(call.input_grad.OutsideViewIs(HostTensor::kUntouched));
  } else {
    EXPECT_TRUE(call.input_grad.AllStorageIs(HostTensor::kUntouched));
  }
  if (call.spec.want_grid_grad) {
    EXPECT_TRUE(NearReference(call.spec.dtype, call.grid_grad.Values(), want.grid_grad,
                              want.grid_grad_magnitude))
        << "gridGrad";
    EXPECT_TRUE(call.grid_grad.OutsideViewIs(HostTensor::kUntouched));
  } else {
    EXPECT_TRUE(call.grid_grad.AllStorageIs(HostTensor::kUntouched));
  }
}

void Check(const CallSpec& spec, uint64_t seed) {
  TestCall call(spec);
  test::Rng rng(seed);
  FillAtRandom(&rng, &call);
  RunOnAllTargetsAndThreads(&call);
  ExpectReference(call);
}

// Small odd sizes, axes of one voxel, more points than a chunk, several samples.
constexpr int64_t kSizes[][8] = {{2, 3, 3, 5, 7, 2, 3, 5},
                                 {1, 1, 1, 1, 1, 1, 1, 1},
                                 {1, 5, 4, 1, 9, 1, 7, 11},
                                 {3, 2, 1, 6, 2, 4, 1, 33}};

using Mode = std::tuple<aclDataType, bool, int64_t, int64_t>;

std::string ModeName(const ::testing::TestParamInfo<Mode>& info) {
  const auto [dtype, channels_last, interpolation, padding] = info.param;
  constexpr const char* kPadding[] = {"zeros", "border", "reflection"};
  return std::string(test::DtypeLabel(dtype)) + (channels_last ? "_ndhwc" : "_ncdhw") +
         (interpolation == 1 ? "_nearest_" : "_bilinear_") + kPadding[padding];
}

class GridSampler3DBackwardKernel : public ::testing::TestWithParam<Mode> {
 protected:
  CallSpec Spec(const int64_t (&size)[8], bool align_corners) const {
    const auto [dtype, channels_last, interpolation, padding] = GetParam();
    CallSpec spec;
    spec.dtype = dtype;
    spec.channels_last = channels_last;
    spec.shape = {size[0], size[1], size[2],       size[3], size[4],      size[5],
                  size[6], size[7], interpolation, padding, align_corners};
    return spec;
  }
};

TEST_P(GridSampler3DBackwardKernel, EqualsReferenceOnAllTargetsAndThreads) {
  constexpr bool kMasks[][2] = {{true, true}, {true, false}, {false, true}};
  uint64_t seed = 1;
  for (const auto& size : kSizes) {
    for (bool align_corners : {false, true}) {
      for (const auto& mask : kMasks) {
        SCOPED_TRACE("case " + std::to_string(seed));
        CallSpec spec = Spec(size, align_corners);
        spec.want_input_grad = mask[0];
        spec.want_grid_grad = mask[1];
        Check(spec, seed++);
      }
    }
  }
}

// NaN and infinity in the data reach exactly the elements that the formula says: voxels inside the
// volume count even with weight 0, which makes infinity a NaN; voxels outside do not count.
TEST_P(GridSampler3DBackwardKernel, NonFiniteDataSpreadAsInTheReference) {
  for (uint64_t seed : {300u, 301u, 302u, 303u}) {
    TestCall call(Spec(kSizes[seed % 4], seed % 2 == 0));
    test::Rng rng(seed);
    FillAtRandom(&rng, &call);
    for (HostTensor* tensor : {&call.input, &call.grad_output}) {
      constexpr double kNonFinite[] = {INFINITY, -INFINITY, NAN};
      for (int i = 0; i < 3; ++i) {
        tensor->Set(rng.Integer(0, tensor->count() - 1), kNonFinite[rng.Integer(0, 2)]);
      }
    }
    SCOPED_TRACE("seed " + std::to_string(seed));
    RunOnAllTargetsAndThreads(&call);
    ExpectReference(call);
  }
}

// Every argument once in every layout, the layouts of a call differing from each other.
TEST_P(GridSampler3DBackwardKernel, ReadsAndWritesStridedViews) {
  constexpr size_t kCount = std::size(test::kLayouts);
  for (size_t shift = 0; shift < kCount; ++shift) {
    CallSpec spec = Spec(kSizes[shift % 2 == 0 ? 0 : 2], shift % 2 == 0);
    for (size_t argument = 0; argument < spec.layouts.size(); ++argument) {
      spec.layouts[argument] = test::kLayouts[(argument + shift) % kCount];
    }
    spec.margin = static_cast<int64_t>(shift);
    SCOPED_TRACE("shift " + std::to_string(shift));
    Check(spec, 100 + shift);
  }
}

// Large enough to be cut into channel groups, slabs and several blocks of points.
TEST_P(GridSampler3DBackwardKernel, EqualsReferenceWhenCutIntoBlocks) {
  for (int64_t channels : {1, 9}) {
    const int64_t size[8] = {1, channels, 5, 6, 7, 21, 28, 29};
    CallSpec spec = Spec(size, channels == 1);
    spec.margin = 1;
    spec.layouts[3] = channels == 1 ? Layout::kGaps : Layout::kContiguous;
    TestCall call(spec);
    const std::shared_ptr<const Plan> plan = call.Prepare();
    ASSERT_NE(plan, nullptr);
    EXPECT_GT(plan->blocks().input_grad, 1);
    EXPECT_GT(plan->blocks().grid_grad, 1);
    Check(spec, 200 + static_cast<uint64_t>(channels));
  }
}

INSTANTIATE_TEST_SUITE_P(All, GridSampler3DBackwardKernel,
                         ::testing::Combine(::testing::ValuesIn(test::kFloatDtypes),
                                            ::testing::Bool(), ::testing::Values(0, 1),
                                            ::testing::Values(0, 1, 2)),
                         ModeName);

// A batch of equal samples is cut otherwise than one sample alone; every sample must get its bits.
TEST(GridSampler3DBackwardKernel, BitsDoNotDependOnThePartition) {
  for (aclDataType dtype : test::kFloatDtypes) {
    CallSpec spec;
    spec.dtype = dtype;
    spec.shape = {1, 6, 6, 5, 4, 15, 14, 14, 0, 0, false};
    TestCall alone(spec);
    test::Rng rng(7);
    FillAtRandom(&rng, &alone);
    alone.Run();
    spec.shape.n = 16;
    TestCall batch(spec);
    const auto repeat = [](const HostTensor& one, HostTensor* many) {
      const std::vector<double> values = one.Values();
      for (int64_t i = 0; i < many->count(); ++i) {
        many->Set(i, values[static_cast<size_t>(i) % values.size()]);
      }
    };
    repeat(alone.input, &batch.input);
    repeat(alone.grad_output, &batch.grad_output);
    repeat(alone.grid, &batch.grid);
    EXPECT_NE(alone.Prepare()->blocks().input_grad * 16, batch.Prepare()->blocks().input_grad);
    batch.Run();
    const size_t volume = alone.input_grad.bytes().size();
    const size_t points = alone.grid_grad.bytes().size();
    for (size_t n = 0; n < 16; ++n) {
      EXPECT_TRUE(test::SameBits(dtype, batch.input_grad.bytes().subspan(n * volume, volume),
                                 alone.input_grad.bytes()));
      EXPECT_TRUE(test::SameBits(dtype, batch.grid_grad.bytes().subspan(n * points, points),
                                 alone.grid_grad.bytes()));
    }
  }
}

CallSpec AnySpec() {
  const auto extent = [] { return *rc::gen::inRange<int64_t>(1, 7); };
  CallSpec spec;
  spec.dtype = *rc::gen::elementOf(
      std::vector<aclDataType>(std::begin(test::kFloatDtypes), std::end(test::kFloatDtypes)));
  spec.channels_last = *rc::gen::arbitrary<bool>();
  for (int64_t* size : {&spec.shape.n, &spec.shape.c, &spec.shape.d, &spec.shape.h, &spec.shape.w,
                        &spec.shape.out_d, &spec.shape.out_h, &spec.shape.out_w}) {
    *size = extent();
  }
  spec.shape.interpolation_mode = *rc::gen::inRange<int64_t>(0, 2);
  spec.shape.padding_mode = *rc::gen::inRange<int64_t>(0, 3);
  spec.shape.align_corners = *rc::gen::arbitrary<bool>();
  for (Layout& layout : spec.layouts) {
    layout = test::kLayouts[*rc::gen::inRange<size_t>(0, std::size(test::kLayouts))];
  }
  spec.margin = *rc::gen::inRange<int64_t>(0, 4);
  return spec;
}

TEST(GridSampler3DBackwardKernel, EqualsReferenceForAnyCall) {
  EXPECT_TRUE(rc::check([] {
    TestCall call(AnySpec());
    test::Rng rng(*rc::gen::arbitrary<uint64_t>());
    FillAtRandom(&rng, &call);
    call.Run();
    const reference::Gradients want = call.Reference();
    RC_ASSERT(static_cast<bool>(NearReference(call.spec.dtype, call.InputGrad(), want.input_grad,
                                              want.input_grad_magnitude)));
    RC_ASSERT(static_cast<bool>(NearReference(call.spec.dtype, call.grid_grad.Values(),
                                              want.grid_grad, want.grid_grad_magnitude)));
  }));
}

}  // namespace
}  // namespace aclnn_cpu::grid_sampler3d_backward
