// Results that go past the caches, which only big ones do by themselves.

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "opapi/grid_sampler3d_backward/test_util.h"
#include "simd/targets.h"

namespace aclnn_cpu::grid_sampler3d_backward {
namespace {

std::vector<std::byte> RunWith(const std::shared_ptr<const Plan>& plan, TestCall* call) {
  call->grid_grad.Fill(HostTensor::kUntouched);
  call->Run(plan);
  EXPECT_TRUE(call->grid_grad.OutsideViewIs(HostTensor::kUntouched));
  return {call->grid_grad.bytes().begin(), call->grid_grad.bytes().end()};
}

// Calm points, some of them in the next slab, and rows that are no whole vectors.
void FillCalm(TestCall* call) {
  test::Rng rng(5);
  FillAtRandom(&rng, call);
  const reference::Shape& s = call->spec.shape;
  const auto at = [](int64_t i, int64_t count) {
    return 2 * static_cast<double>(i) / static_cast<double>(count - 1) - 1;
  };
  std::vector<double> grid;
  for (int64_t i = 0; i < s.out_d * s.out_h * s.out_w; ++i) {
    grid.push_back(at(i % s.out_w, s.out_w) + 0.01);
    grid.push_back(at(i / s.out_w % s.out_h, s.out_h) * 0.9);
    grid.push_back(at(i / s.out_w / s.out_h, s.out_d) +
                   0.02 * std::sin(0.03 * static_cast<double>(i)));
  }
  call->grid.SetValues(grid);
}

// Whatever address gridGrad has: `margin` elements behind one of a whole vector.
TEST(GridSampler3DBackwardStreaming, GridGradIsTheSame) {
  if (!HasSlabVariants()) return;  // a target without vectors
  for (const aclDataType dtype : test::kFloatDtypes) {
    for (const int64_t margin : {0, 1, 2, 3, 5, 8, 16}) {
      CallSpec spec;
      spec.dtype = dtype;
      spec.shape = {1, 1, 37, 6, 33, 20, 9, 17, 0, 0, true};
      spec.margin = margin;
      TestCall call(spec);
      FillCalm(&call);
      const Problem problem = call.Prepare()->problem();
      const auto plan = [&](bool streams) {
        return std::make_shared<const Plan>(problem, Variant::kPlanar, streams);
      };
      const std::vector<std::byte> want = RunWith(plan(false), &call);
      for (const Target& target : UsableTargets()) {
        ForceTargetForTest(target);
        if (!HasSlabVariants()) continue;
        for (const int threads : {1, 2}) {
          ForceThreadCountForTest(threads);
          SCOPED_TRACE(std::string(target.name) + ", margin " + std::to_string(margin));
          EXPECT_TRUE(test::SameBits(dtype, RunWith(plan(true), &call), want));
        }
      }
      ForceThreadCountForTest(0);
      ResetTargetForTest();
    }
  }
}

TEST(GridSampler3DBackwardStreaming, IsForGridGradsBeyondTheCache) {
  if (!HasSlabVariants()) return;  // a target without vectors
  CallSpec spec;
  spec.shape = {1, 1, 32, 16, 16, 32, 16, 16, 0, 0, true};
  TestCall call(spec);
  EXPECT_FALSE(call.Prepare()->slabs().stream_grid_grad);
  Problem problem = call.Prepare()->problem();
  problem.grid.extents[1] = 32 << 10;  // 100 MB of float
  EXPECT_TRUE(Plan(problem, Variant::kPlanar).slabs().stream_grid_grad);
}

}  // namespace
}  // namespace aclnn_cpu::grid_sampler3d_backward
