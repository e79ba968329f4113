#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/mman.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/parallel.h"
#include "opapi/adaptive_avg_pool2d_backward/plan.h"
#include "opapi/adaptive_avg_pool2d_backward/reference.h"
#include "opapi/adaptive_avg_pool2d_backward/test_util.h"
#include "simd/targets.h"
#include "support/compare.h"
#include "support/rng.h"
#include "support/tensor_builder.h"

namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace {

using test::HostTensor;
using test::Int64s;
using test::Layout;
using test::Rng;
using test::TensorBuilder;

constexpr aclDataType kDtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// How a run is carried out; must never show in the result.
struct Way {
  Target target;
  Variant variant;
  int threads;
  int64_t blocks;
  bool streaming = false;
};

// Every variant that applies, on every usable target and by several numbers of threads, with blocks
// enough for all of them.
std::vector<Way> Ways(const Problem& problem) {
  std::vector<Way> ways;
  for (const Variant variant : kVariants) {
    if (!Applies(variant, problem)) continue;
    const int64_t units = Units(variant, problem);
    for (const Target& target : UsableTargets()) {
      for (int threads : {1, 2, 3, 7})
        ways.push_back({target, variant, threads, std::min<int64_t>(units, threads)});
      ways.push_back({target, variant, 2, units, true});
    }
  }
  return ways;
}

StatusOr<Problem> ProblemOf(const HostTensor& grad, const HostTensor& out) {
  const HostTensor self = TensorBuilder(grad.dtype(), out.shape()).WithoutData().Build();
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  return CheckContract({grad.acl(), self.acl(), out.acl(), &size, &executor});
}

void* FirstElement(const HostTensor& tensor) {
  return tensor.data() + tensor.offset() * test::ElementBytes(tensor.dtype());
}

void RunPlan(const Plan& plan, void* grad, void* out) {
  // Dirty, because the kernel must not rely on what a workspace holds.
  const AlignedBuffer workspace(static_cast<size_t>(plan.WorkspaceBytes()));
  if (workspace.size() > 0) std::memset(workspace.data(), 0xff, workspace.size());
  void* const args[] = {grad, nullptr, out};
  plan.Run(args, workspace.data());
}

void RunOneWay(const Way& way, const HostTensor& grad, const HostTensor& out) {
  const StatusOr<Problem> problem = ProblemOf(grad, out);
  ASSERT_TRUE(problem.ok()) << problem.status().message();
  const Plan plan(problem.value(), way.variant, way.blocks, way.streaming);
  ForceTargetForTest(way.target);
  ForceThreadCountForTest(way.threads);
  RunPlan(plan, FirstElement(grad), FirstElement(out));
  ForceThreadCountForTest(0);
  ResetTargetForTest();
}

// Runs every way from the same memory: the first result must match the reference and leave what
// lies around the view alone, all others must equal it bit by bit. Leaves the result in `out`.
void CheckEveryWay(const HostTensor& grad, HostTensor* out) {
  const StatusOr<Problem> problem = ProblemOf(grad, *out);
  ASSERT_TRUE(problem.ok()) << problem.status().message();
  std::vector<std::byte> first;
  for (const Way& way : Ways(problem.value())) {
    SCOPED_TRACE(std::string(way.target.name) + ", " + VariantName(way.variant) + ", " +
                 std::to_string(way.threads) + " threads, " + std::to_string(way.blocks) +
                 " blocks");
    out->Fill(HostTensor::kUntouched);
    RunOneWay(way, grad, *out);
    if (first.empty()) {
      ASSERT_TRUE(MatchesReference(grad, *out));
      ASSERT_TRUE(out->OutsideViewIs(HostTensor::kUntouched));
      first.assign(out->bytes().begin(), out->bytes().end());
    } else {
      ASSERT_TRUE(test::SameBits(out->dtype(), out->bytes(), first));
    }
  }
}

HostTensor RandomGrad(aclDataType dtype, const Int64s& shape, Layout layout, uint64_t seed) {
  Rng rng(seed);
  return TensorBuilder(dtype, shape)
      .InLayout(layout)
      .Margin(3)
      .Filled(kInfinity)  // must not enter a result
      .Values(rng.UniformVector(test::CountOf(shape), -8, 8))
      .Build();
}

struct Shapes {
  Int64s grad;
  Int64s out;
};

// Dividing and not, pooled and upsampled, global, rank 3 and 4, widths around those of vectors.
const std::vector<Shapes>& TestedShapes() {
  static const std::vector<Shapes>* const shapes = new std::vector<Shapes>{
      {{1, 1, 1, 1}, {1, 1, 1, 1}},     {{2, 3, 1, 1}, {2, 3, 5, 9}},
      {{2, 2, 3, 2}, {2, 2, 7, 5}},     {{1, 3, 2, 4}, {1, 3, 4, 16}},
      {{3, 1, 5, 4}, {3, 1, 2, 3}},     {{1, 2, 17, 33}, {1, 2, 3, 5}},
      {{1, 2, 4, 7}, {1, 2, 9, 8}},     {{1, 2, 3, 8}, {1, 2, 10, 15}},
      {{1, 1, 6, 16}, {1, 1, 6, 17}},   {{1, 1, 2, 31}, {1, 1, 3, 31}},
      {{3, 3, 3}, {3, 10, 33}},         {{2, 1, 65}, {2, 4, 64}},
      {{5, 9, 9}, {5, 4, 56}},          {{1, 2, 1}, {1, 40, 1}},
      {{2, 9, 6, 6}, {2, 9, 14, 14}},   {{1, 3, 14, 14}, {1, 3, 16, 16}},
      {{2, 5, 14, 14}, {2, 5, 7, 7}},   {{1, 2, 3, 5}, {1, 2, 32, 32}},
      {{1, 1, 3, 130}, {1, 1, 4, 131}}, {{1, 1, 5, 300}, {1, 1, 3, 302}},
      {{1, 1, 2, 128}, {1, 1, 5, 128}}, {{1, 1, 70, 70}, {1, 1, 90, 90}},
      {{1, 1, 90, 70}, {1, 1, 70, 90}}, {{2, 67, 1, 1}, {2, 67, 5, 17}},
      {{1, 17, 2, 3}, {1, 17, 5, 4}},   {{1, 3, 7, 21}, {1, 3, 3, 7}},
      {{1, 2, 9, 44}, {1, 2, 5, 11}},   {{1, 2, 200, 180}, {1, 2, 9, 45}},
      {{1, 3, 9, 38}, {1, 3, 3, 19}},   {{3, 2, 2}, {3, 2, 1}},
      {{2, 3, 6}, {2, 1, 3}},           {{2, 2, 6, 10}, {2, 2, 3, 5}},
  };
  return *shapes;
}

class EveryWay : public ::testing::TestWithParam<aclDataType> {};

TEST_P(EveryWay, MatchesTheReferenceOnEveryLayout) {
  uint64_t seed = 1;
  for (const Shapes& shapes : TestedShapes()) {
    for (const Layout grad_layout : test::kLayouts) {
      for (const Layout out_layout : test::kLayouts) {
        SCOPED_TRACE(std::to_string(seed) + " " + test::LayoutLabel(grad_layout) + " to " +
                     test::LayoutLabel(out_layout));
        const HostTensor grad = RandomGrad(GetParam(), shapes.grad, grad_layout, seed++);
        HostTensor out =
            TensorBuilder(GetParam(), shapes.out).InLayout(out_layout).Margin(5).Build();
        ASSERT_NO_FATAL_FAILURE(CheckEveryWay(grad, &out));
      }
    }
  }
}

TEST_P(EveryWay, ReadsExpandedGradOutput) {
  for (const Int64s& strides : {Int64s{0, 0, 0, 0}, Int64s{0, 0, 0, 1}, Int64s{0, 1, 3, 0}}) {
    const HostTensor grad = TensorBuilder(GetParam(), {2, 3, 3, 5})
                                .Strides(strides)
                                .Values(Rng(5).UniformVector(90, -4, 4))
                                .Build();
    HostTensor out = TensorBuilder(GetParam(), {2, 3, 7, 11}).Build();
    ASSERT_NO_FATAL_FAILURE(CheckEveryWay(grad, &out));
  }
}

TEST_P(EveryWay, NanAndInfinitySpreadOverTheirWindowsOnly) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  // Windows of 3 rows and columns that share their outermost ones: 0..2, 2..4.
  HostTensor grad = TensorBuilder(GetParam(), {4, 2, 2})
                        .Values({nan, 1, 1, 1, kInfinity, 1, 1, 1, kInfinity, -kInfinity, 1, 1,
                                 kInfinity, 1, 1, -kInfinity})
                        .Build();
  HostTensor out = TensorBuilder(GetParam(), {4, 5, 5}).Build();
  ASSERT_NO_FATAL_FAILURE(CheckEveryWay(grad, &out));
  EXPECT_TRUE(std::isnan(out.Get(0)));
  EXPECT_TRUE(std::isnan(out.Get(12)));     // the centre belongs to all four
  EXPECT_TRUE(std::isfinite(out.Get(13)));  // and its neighbour not to the first
  EXPECT_EQ(out.Get(25 + 12), kInfinity);
  EXPECT_TRUE(std::isnan(out.Get(50 + 2)));  // Inf - Inf
  EXPECT_EQ(out.Get(50 + 3), -kInfinity);
}

// Planes of numbers that stay finite and planes of others take different ways within one run.
TEST_P(EveryWay, PlanesOfAnyNumbersStandSideBySide) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double huge = GetParam() == ACL_FLOAT16 ? 65504 : 0x1.fep127;
  const double special[] = {1, nan, kInfinity, -kInfinity, huge, -huge, 0x1p-130, -0.0};
  for (const Shapes& shapes : {Shapes{{8, 6, 6}, {8, 14, 14}}, Shapes{{8, 14, 14}, {8, 16, 16}},
                               Shapes{{8, 7, 3}, {8, 7, 6}}, Shapes{{8, 2, 2}, {8, 3, 11}},
                               Shapes{{8, 3, 5}, {8, 9, 33}}, Shapes{{8, 9, 6}, {8, 2, 14}}}) {
    const int64_t plane = shapes.grad[1] * shapes.grad[2];
    std::vector<double> values = Rng(9).UniformVector(8 * plane, -4, 4);
    for (int64_t i = 0; i < 8; ++i) {
      for (const int64_t at : {int64_t{0}, plane / 2, plane / 2 + 1}) {
        values[static_cast<size_t>(i * plane + at)] = special[i];
      }
    }
    const HostTensor grad = TensorBuilder(GetParam(), shapes.grad).Values(values).Build();
    HostTensor out = TensorBuilder(GetParam(), shapes.out).Margin(3).Build();
    ASSERT_NO_FATAL_FAILURE(CheckEveryWay(grad, &out));
  }
}

// A NaN that signals becomes quiet on whatever way it reaches out, and keeps its payload.
TEST(AdaptiveAvgPool2dBackwardKernel, SignallingNanBecomesQuiet) {
  for (const Shapes& shapes : {Shapes{{1, 6, 6}, {1, 14, 14}}, Shapes{{1, 14, 14}, {1, 16, 16}},
                               Shapes{{1, 1, 1}, {1, 14, 14}}, Shapes{{1, 8, 8}, {1, 4, 4}}}) {
    HostTensor grad = TensorBuilder(ACL_BF16, shapes.grad).Filled(1).Build();
    const uint16_t signalling = 0x7f81;
    std::memcpy(grad.data(), &signalling, sizeof(signalling));
    HostTensor out = TensorBuilder(ACL_BF16, shapes.out).Build();
    ASSERT_NO_FATAL_FAILURE(CheckEveryWay(grad, &out));
    uint16_t first = 0;
    std::memcpy(&first, out.data(), sizeof(first));
    EXPECT_EQ(first, 0x7fc1);
  }
}

INSTANTIATE_TEST_SUITE_P(AdaptiveAvgPool2dBackward, EveryWay, ::testing::ValuesIn(kDtypes),
                         [](const ::testing::TestParamInfo<aclDataType>& parameter) {
                           return test::DtypeLabel(parameter.param);
                         });

TEST(AdaptiveAvgPool2dBackwardKernel, GlobalPoolingStoresEveryFloatDtype) {
  for (const aclDataType from : kDtypes) {
    for (const aclDataType to : test::kFloatDtypes) {
      for (const Layout layout : test::kLayouts) {
        SCOPED_TRACE(std::string(test::DtypeLabel(from)) + " to " + test::DtypeLabel(to));
        const HostTensor grad = RandomGrad(from, {2, 5, 1, 1}, Layout::kContiguous, 7);
        HostTensor out = TensorBuilder(to, {2, 5, 3, 11}).InLayout(layout).Build();
        ASSERT_NO_FATAL_FAILURE(CheckEveryWay(grad, &out));
      }
    }
  }
}

TEST(AdaptiveAvgPool2dBackwardKernel, RandomProblemsMatchTheReference) {
  const auto property = [] {
    const auto extent = [](int limit) { return int64_t{*rc::gen::inRange(1, limit)}; };
    const int64_t n = extent(3);
    const int64_t c = extent(4);
    const Int64s grad_shape = {n, c, extent(20), extent(40)};
    const Int64s out_shape = {n, c, extent(20), extent(70)};
    const aclDataType dtype = *rc::gen::elementOf(std::vector<aclDataType>(kDtypes, kDtypes + 3));
    const std::vector<Layout> layouts(std::begin(test::kLayouts), std::end(test::kLayouts));
    const HostTensor grad = RandomGrad(dtype, grad_shape, *rc::gen::elementOf(layouts),
                                       *rc::gen::arbitrary<uint64_t>());
    const HostTensor out =
        TensorBuilder(dtype, out_shape).InLayout(*rc::gen::elementOf(layouts)).Margin(2).Build();
    const Problem problem = ProblemOf(grad, out).value();
    Way way = *rc::gen::elementOf(Ways(problem));
    way.blocks = *rc::gen::inRange<int64_t>(1, Units(way.variant, problem) + 1);
    RunOneWay(way, grad, out);
    const ::testing::AssertionResult result = MatchesReference(grad, out);
    if (!result) RC_FAIL(result.message());
    RC_ASSERT(out.OutsideViewIs(HostTensor::kUntouched));
  };
  EXPECT_TRUE(rc::check("random problems", property));
}

// Elements that share memory get what row-major writing leaves, so one block works in order.
TEST(AdaptiveAvgPool2dBackwardKernel, OutThatMeetsItselfKeepsTheLastWrite) {
  const HostTensor grad = RandomGrad(ACL_FLOAT, {2, 2, 3, 3}, Layout::kContiguous, 3);
  HostTensor plain = TensorBuilder(ACL_FLOAT, {2, 2, 7, 8}).Build();
  RunOneWay({CurrentTarget(), Variant::kRows, 1, 1}, grad, plain);
  for (const Int64s& strides : {Int64s{0, 0, 0, 0}, Int64s{0, 0, 8, 1}, Int64s{10, 3, 2, 1}}) {
    const HostTensor out = TensorBuilder(ACL_FLOAT, {2, 2, 7, 8}).Strides(strides).Build();
    HostTensor want = TensorBuilder(ACL_FLOAT, {2, 2, 7, 8}).Strides(strides).Build();
    want.SetValues(plain.Values());
    const StatusOr<Problem> problem = ProblemOf(grad, out);
    ASSERT_TRUE(problem.ok()) << problem.status().message();
    const StatusOr<std::shared_ptr<const Plan>> plan = MakePlan(problem.value());
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    ForceThreadCountForTest(3);
    RunPlan(*plan.value(), FirstElement(grad), FirstElement(out));
    ForceThreadCountForTest(0);
    EXPECT_TRUE(test::SameBits(ACL_FLOAT, out.bytes(), want.bytes()));
  }
}

// Public reports: window bounds computed in float or in 32 bits go wrong here.
TEST(AdaptiveAvgPool2dBackwardKernel, WindowBoundsAreExactForLongRows) {
  for (const int64_t width : {8191, 65537, 100003}) {
    for (const int64_t grad_width : {width - 1, width / 3, width + 7}) {
      const HostTensor grad = RandomGrad(ACL_FLOAT, {1, 1, 1, grad_width}, Layout::kContiguous, 11);
      HostTensor out = TensorBuilder(ACL_FLOAT, {1, 1, 1, width}).Build();
      for (const Variant variant : {Variant::kPlanes, Variant::kRows}) {
        RunOneWay({CurrentTarget(), variant, 1, 1}, grad, out);
        EXPECT_TRUE(MatchesReference(grad, out)) << grad_width << " to " << width;
      }
    }
  }
  for (const int64_t height : {8191, 65537}) {
    const HostTensor grad = RandomGrad(ACL_FLOAT, {1, 1, height - 1, 1}, Layout::kContiguous, 12);
    HostTensor out = TensorBuilder(ACL_FLOAT, {1, 1, height, 1}).Build();
    for (const Variant variant : {Variant::kPlanes, Variant::kRows}) {
      RunOneWay({CurrentTarget(), variant, 2, 5}, grad, out);
      EXPECT_TRUE(MatchesReference(grad, out)) << height;
    }
  }
}

// Address space without memory behind it, so that strides beyond 32 bits need no RAM.
class SparseFloats {
 public:
  explicit SparseFloats(int64_t count)
      : bytes_(static_cast<size_t>(count) * sizeof(float)),
        data_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~SparseFloats() {
    if (ok()) munmap(data_, bytes_);
  }
  SparseFloats(const SparseFloats&) = delete;
  SparseFloats& operator=(const SparseFloats&) = delete;
  bool ok() const { return data_ != MAP_FAILED; }
  float* data() const { return static_cast<float*>(data_); }

 private:
  size_t bytes_;
  void* data_;
};

TEST(AdaptiveAvgPool2dBackwardKernel, StridesBeyond32BitsReachTheirElements) {
  const int64_t far = (int64_t{1} << 31) + 17;  // elements
  const SparseFloats grad(far + 2);
  const SparseFloats out(far + 4);
  ASSERT_TRUE(grad.ok() && out.ok());
  grad.data()[0] = 2;
  grad.data()[1] = 4;
  grad.data()[far] = 6;
  grad.data()[far + 1] = 8;
  Problem problem;
  problem.grad_dtype = problem.out_dtype = ACL_FLOAT;
  problem.grad = {{2, 1, 1, 2}, {far, 0, 0, 1}};
  problem.out = {{2, 1, 1, 4}, {far, 0, 0, 1}};
  RunPlan(Plan(problem, Variant::kRows, 2, false), grad.data(), out.data());
  const std::vector<float> got = {out.data()[0], out.data()[3], out.data()[far],
                                  out.data()[far + 3]};
  EXPECT_EQ(got, (std::vector<float>{1, 2, 3, 4}));
}

// The reference by its own derivative: the pooling is linear, so central differences are exact up
// to rounding.
TEST(AdaptiveAvgPool2dBackwardReference, IsTheGradientOfTheForwardPass) {
  for (const Shapes& shapes : TestedShapes()) {
    if (test::CountOf(shapes.out) * test::CountOf(shapes.grad) > 200'000) continue;  // too slow
    const ReferenceShape shape = ReferenceShapeOf(shapes.grad, shapes.out);
    Rng rng(17);
    std::vector<double> self = rng.UniformVector(test::CountOf(shapes.out), -1, 1);
    const std::vector<double> grad = rng.UniformVector(test::CountOf(shapes.grad), -1, 1);
    const std::vector<double> analytic = ReferenceBackward(shape, grad);
    for (size_t i = 0; i < self.size(); ++i) {
      const auto loss = [&](double step) {
        std::vector<double> moved = self;
        moved[i] += step;
        const std::vector<double> pooled = ReferenceForward(shape, moved);
        double sum = 0;
        for (size_t k = 0; k < grad.size(); ++k) sum += grad[k] * pooled[k];
        return sum;
      };
      EXPECT_NEAR((loss(0.5) - loss(-0.5)), analytic[i], 1e-11);
    }
  }
}

}  // namespace
}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
