// Every variant of the kernel gives the bits of the general one, "points", whatever the grid.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "opapi/grid_sampler3d_backward/test_util.h"
#include "simd/targets.h"

namespace aclnn_cpu::grid_sampler3d_backward {
namespace {

// What kind of points a call has.
enum class Points {
  kAny,
  kIdentity,
  kCalm,
  kSteep,
  kRandom,
  kOutside,
  kBigAndNan,
  kInside,    // the volume
  kXOutside,  // along y and z inside
};

constexpr Points kAllPoints[] = {Points::kAny,       Points::kIdentity, Points::kCalm,
                                 Points::kSteep,     Points::kRandom,   Points::kOutside,
                                 Points::kBigAndNan, Points::kInside,   Points::kXOutside};

double CoordinateOf(Points points, test::Rng* rng, size_t axis, double place, double other,
                    int64_t size, int64_t out_size) {
  const double scale = static_cast<double>(std::max<int64_t>(out_size - 1, 1));
  const double at = 2 * place / scale - 1;  // -1 to 1 over the points of the axis
  const double voxel = 2.0 / static_cast<double>(std::max<int64_t>(size - 1, 1));
  switch (points) {
    case Points::kIdentity:
      return at;
    case Points::kCalm:
      return at + voxel * (0.37 + 0.8 * std::sin(other * 0.11));
    case Points::kSteep:
      return at + voxel * 4 * std::sin(other * 0.4 + place * 0.3);
    case Points::kRandom:
      return rng->Uniform(-1, 1);
    case Points::kOutside:
      return at * 1.7 + 0.4;
    case Points::kInside:
      // The outermost points a tenth of a voxel from the border of half-pixel places.
      return at * std::max(0.0, 1 - 1.2 / static_cast<double>(size));
    case Points::kXOutside:
      return axis != 0 ? at * 0.6 : rng->Integer(0, 19) == 0 ? rng->Uniform(-1e30, 1e30) : at * 1.5;
    case Points::kBigAndNan:
      return rng->Integer(0, 9) == 0    ? rng->Uniform(-1e9, 1e9)
             : rng->Integer(0, 30) == 0 ? std::nan("")
                                        : at;
    default:
      return AnyCoordinate(rng, size, true);
  }
}

void Fill(Points points, uint64_t seed, TestCall* call) {
  test::Rng rng(seed);
  FillAtRandom(&rng, call);
  const reference::Shape& s = call->spec.shape;
  const int64_t sizes[] = {s.w, s.h, s.d};
  const int64_t out_sizes[] = {s.out_w, s.out_h, s.out_d};
  std::vector<double> grid;
  for (int64_t i = 0; i < s.n * s.out_d * s.out_h * s.out_w; ++i) {
    const double at[] = {static_cast<double>(i % s.out_w),
                         static_cast<double>(i / s.out_w % s.out_h),
                         static_cast<double>(i / s.out_w / s.out_h % s.out_d)};
    for (size_t axis = 0; axis < 3; ++axis) {
      grid.push_back(CoordinateOf(points, &rng, axis, at[axis],
                                  at[(axis + 1) % 3] + at[(axis + 2) % 3], sizes[axis],
                                  out_sizes[axis]));
    }
  }
  call->grid.SetValues(grid);
}

struct Result {
  explicit Result(const TestCall& call)
      : input_grad(call.input_grad.bytes().begin(), call.input_grad.bytes().end()),
        grid_grad(call.grid_grad.bytes().begin(), call.grid_grad.bytes().end()) {}
  std::vector<std::byte> input_grad, grid_grad;
};

Result RunAs(TestCall* call, std::optional<Variant> variant) {
  call->input_grad.Fill(HostTensor::kUntouched);
  call->grid_grad.Fill(HostTensor::kUntouched);
  call->Run(variant);
  return Result(*call);
}

// The variant chosen for the call and those with slabs that suit its channels, though the volume
// may be so small that they are not chosen.
std::vector<Variant> VariantsToTry(TestCall* call) {
  std::vector<Variant> variants = {call->Prepare()->variant()};
  if (!HasSlabVariants() || !call->Prepare()->problem().reads_grid_and_grad_output())
    return variants;
  const auto add = [&](Variant variant) {
    if (variant != variants[0]) variants.push_back(variant);
  };
  if (call->spec.shape.c > 4) {
    add(Variant::kChannelsLast);
    return variants;
  }
  add(Variant::kPlanar);
  if (call->spec.dtype != ACL_DOUBLE) add(Variant::kQuads);
  return variants;
}

// Compares these, on all targets and numbers of threads, with the general one. Returns the variant
// chosen on the best target.
Variant ExpectEqualsPoints(TestCall* call) {
  const Result want = RunAs(call, Variant::kPoints);
  const Variant best = call->Prepare()->variant();
  for (const Target& target : UsableTargets()) {
    ForceTargetForTest(target);
    for (int threads : {1, 2, 8}) {
      ForceThreadCountForTest(threads);
      for (const Variant variant : VariantsToTry(call)) {
        SCOPED_TRACE(std::string(target.name) + ", threads " + std::to_string(threads) + ", " +
                     call->Prepare(variant)->Describe());
        const Result got = RunAs(call, variant);
        EXPECT_TRUE(test::SameBits(call->spec.dtype, got.input_grad, want.input_grad));
        EXPECT_TRUE(test::SameBits(call->spec.dtype, got.grid_grad, want.grid_grad));
      }
      if (::testing::Test::HasFailure()) break;
    }
  }
  ForceThreadCountForTest(0);
  ResetTargetForTest();
  return best;
}

struct Case {
  const char* name;
  int64_t size[8];  // N, C, D, H, W, Do, Ho, Wo
};

// Widths around the lengths of vectors, axes of one voxel, one and several slabs, several runs.
constexpr Case kCases[] = {
    {"one_slab", {1, 1, 9, 10, 11, 7, 9, 12}},  {"slabs", {2, 1, 37, 6, 33, 20, 9, 17}},
    {"wide", {1, 2, 6, 5, 64, 6, 5, 64}},       {"odd", {1, 3, 12, 9, 29, 11, 9, 31}},
    {"narrow", {1, 4, 18, 7, 3, 18, 7, 5}},     {"flat", {1, 1, 1, 1, 40, 3, 3, 40}},
    {"column", {1, 3, 34, 1, 1, 40, 2, 3}},     {"line", {1, 2, 16, 16, 1, 16, 16, 4}},
    {"three", {2, 3, 37, 6, 33, 20, 9, 17}},    {"two", {1, 2, 21, 7, 24, 9, 9, 40}},
    {"five", {1, 5, 8, 7, 9, 8, 9, 11}},        {"eight", {2, 8, 18, 6, 7, 20, 6, 7}},
    {"seventeen", {1, 17, 5, 6, 30, 5, 6, 29}}, {"forty", {1, 40, 5, 4, 6, 5, 7, 6}},
    {"few", {2, 12, 9, 8, 10, 3, 4, 9}},        {"thin", {1, 8, 19, 20, 1, 19, 20, 3}},
    {"sixteen", {1, 16, 5, 6, 30, 5, 6, 29}},   {"thirty_two", {2, 32, 4, 5, 9, 4, 5, 17}},
    {"flat_eight", {1, 8, 1, 9, 40, 3, 9, 40}}, {"row_of_eight", {1, 8, 17, 1, 30, 20, 3, 30}},
};

class GridSampler3DBackwardVariants : public ::testing::TestWithParam<Case> {
 protected:
  CallSpec Spec(aclDataType dtype, int64_t interpolation, int64_t padding,
                bool align_corners) const {
    const auto& size = GetParam().size;
    CallSpec spec;
    spec.dtype = dtype;
    spec.shape = {size[0], size[1], size[2],       size[3], size[4],      size[5],
                  size[6], size[7], interpolation, padding, align_corners};
    return spec;
  }
};

TEST_P(GridSampler3DBackwardVariants, AllKindsOfPointsAndModes) {
  uint64_t seed = 0;
  for (Points points : kAllPoints) {
    for (int64_t padding : {0, 1, 2}) {
      for (bool channels_last : {false, true}) {
        const bool align_corners = ++seed % 2 == 0;
        CallSpec spec = Spec(ACL_FLOAT, seed % 5 == 0 ? 1 : 0, padding, align_corners);
        spec.channels_last = channels_last;
        TestCall call(spec);
        Fill(points, seed, &call);
        SCOPED_TRACE("case " + std::to_string(seed));
        ExpectEqualsPoints(&call);
      }
    }
  }
}

TEST_P(GridSampler3DBackwardVariants, AllDtypesAndMasks) {
  uint64_t seed = 100;
  for (aclDataType dtype : test::kFloatDtypes) {
    for (Points points : {Points::kCalm, Points::kSteep}) {
      for (int mask : {1, 2, 3}) {
        CallSpec spec = Spec(dtype, 0, static_cast<int64_t>(seed % 3), seed % 2 == 0);
        spec.want_input_grad = (mask & 1) != 0;
        spec.want_grid_grad = (mask & 2) != 0;
        spec.channels_last = seed % 4 < 2;
        TestCall call(spec);
        Fill(points, ++seed, &call);
        SCOPED_TRACE("case " + std::to_string(seed));
        ExpectEqualsPoints(&call);
      }
    }
  }
}

// Whole segments inside the volume, where padding, rounding and x beyond the border matter.
TEST_P(GridSampler3DBackwardVariants, PointsInsideInAllModes) {
  uint64_t seed = 200;
  for (Points points : {Points::kInside, Points::kXOutside, Points::kIdentity}) {
    for (int64_t interpolation : {0, 1}) {
      for (int64_t padding : {0, 1, 2}) {
        for (bool align_corners : {false, true}) {
          ++seed;  // 12 modes, so that each of them meets other dtypes
          const aclDataType dtype =
              points == Points::kInside
                  ? ACL_FLOAT
                  : test::kFloatDtypes[(seed + seed / 12) % std::size(test::kFloatDtypes)];
          TestCall call(Spec(dtype, interpolation, padding, align_corners));
          Fill(points, seed, &call);
          SCOPED_TRACE("case " + std::to_string(seed));
          ExpectEqualsPoints(&call);
        }
      }
    }
  }
}

TEST_P(GridSampler3DBackwardVariants, StridedViews) {
  constexpr size_t kCount = std::size(test::kLayouts);
  for (size_t shift = 0; shift < kCount; ++shift) {
    CallSpec spec = Spec(ACL_FLOAT, 0, 0, true);
    for (size_t i = 0; i < spec.layouts.size(); ++i) {
      spec.layouts[i] = test::kLayouts[(i + shift) % kCount];
    }
    spec.margin = 1;
    TestCall call(spec);
    Fill(Points::kCalm, shift, &call);
    SCOPED_TRACE("shift " + std::to_string(shift));
    ExpectEqualsPoints(&call);
    EXPECT_TRUE(call.input_grad.OutsideViewIs(HostTensor::kUntouched));
    EXPECT_TRUE(call.grid_grad.OutsideViewIs(HostTensor::kUntouched));
  }
}

// The zeros that stand for voxels outside the volume must not meet an infinite gradient.
TEST_P(GridSampler3DBackwardVariants, NonFiniteData) {
  constexpr double kNonFinite[] = {INFINITY, -INFINITY, NAN};
  for (Points points : {Points::kIdentity, Points::kCalm, Points::kRandom, Points::kOutside}) {
    for (int64_t padding : {0, 1}) {
      CallSpec spec = Spec(ACL_FLOAT, 0, padding, true);
      spec.channels_last = padding == 1;
      TestCall call(spec);
      Fill(points, 7, &call);
      test::Rng rng(static_cast<uint64_t>(padding));
      for (HostTensor* tensor : {&call.input, &call.grad_output}) {
        for (int i = 0; i < 4; ++i) {
          tensor->Set(rng.Integer(0, tensor->count() - 1), kNonFinite[rng.Integer(0, 2)]);
        }
      }
      ExpectEqualsPoints(&call);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, GridSampler3DBackwardVariants, ::testing::ValuesIn(kCases),
                         [](const ::testing::TestParamInfo<Case>& row) {
                           return std::string(row.param.name);
                         });

// Axes of one point, with strides that belong to a bigger tensor, do not cut the points into runs.
TEST(GridSampler3DBackwardVariants, OneColumnOfPoints) {
  for (const bool one_row : {false, true}) {
    CallSpec spec;
    const int64_t rows = one_row ? 1 : 11;
    spec.shape = {1, 1, 9, 10, 30, 40, rows, 1, 0, 0, true};
    TestCall call(spec);
    // Of 5 columns of points the first; of 7 rows too.
    const auto strides = [&](int64_t point, int64_t element) {
      const int64_t plane = (one_row ? 7 : rows) * 5 * point;
      return Int64s{40 * plane, plane, 5 * point, point, element};
    };
    const Int64s grad_strides = {0, 0, strides(1, 1)[1], 5, 1};
    call.grad_output =
        TensorBuilder(ACL_FLOAT, spec.GradOutputShape()).Strides(grad_strides).Build();
    call.grid = TensorBuilder(ACL_FLOAT, spec.GridShape()).Strides(strides(3, 1)).Build();
    call.grid_grad = TensorBuilder(ACL_FLOAT, spec.GridShape()).Strides(strides(4, 1)).Build();
    Fill(Points::kCalm, 5, &call);
    if (HasSlabVariants()) {
      EXPECT_EQ(call.Prepare(Variant::kPlanar)->slabs().runs, 1);
    }
    ExpectEqualsPoints(&call);
    EXPECT_TRUE(call.grid_grad.OutsideViewIs(HostTensor::kUntouched));
  }
}

TEST(GridSampler3DBackwardVariants, AreChosenByShape) {
  if (!HasSlabVariants()) return;  // a target without vectors
  const auto chosen = [](int64_t channels, int64_t points, aclDataType dtype = ACL_FLOAT,
                         int64_t interpolation = 0, int64_t width = 30, int64_t depth = 40) {
    CallSpec spec;
    spec.dtype = dtype;
    spec.shape = {1, channels, depth, 16, width, points, 16, 30, interpolation, 0, true};
    return TestCall(spec).Prepare()->variant();
  };
  EXPECT_EQ(chosen(1, 40), Variant::kPlanar);
  EXPECT_EQ(chosen(2, 40), Variant::kPlanar);
  EXPECT_EQ(chosen(2, 40, ACL_FLOAT, 0, 40, 32), Variant::kPlanarOrQuads);
  EXPECT_EQ(chosen(2, 40, ACL_FLOAT, 0, 2, 32), Variant::kPlanar);
  EXPECT_EQ(chosen(2, 40, ACL_FLOAT, 1, 40, 32), Variant::kPlanar);
  EXPECT_EQ(chosen(3, 40, ACL_BF16, 0, 40, 32), Variant::kPlanarOrQuads);
  EXPECT_EQ(chosen(3, 40, ACL_FLOAT16, 1), Variant::kQuads);
  EXPECT_EQ(chosen(3, 40, ACL_DOUBLE), Variant::kPlanar);
  CallSpec side_by_side;
  side_by_side.channels_last = true;
  side_by_side.shape = {1, 3, 40, 16, 30, 40, 16, 30, 0, 0, true};
  EXPECT_EQ(TestCall(side_by_side).Prepare()->variant(), Variant::kQuads);
  EXPECT_EQ(chosen(4, 5), Variant::kQuads);
  EXPECT_EQ(chosen(4, 5, ACL_DOUBLE), Variant::kPlanar);
  EXPECT_EQ(chosen(5, 40), Variant::kChannelsLast);
  EXPECT_EQ(chosen(64, 5), Variant::kChannelsLast);
  EXPECT_EQ(chosen(1, 1), Variant::kPoints);
  EXPECT_EQ(chosen(64, 1), Variant::kPoints);
}

// Nothing but the shape and the grid decides, so that every number of threads does the same.
TEST(GridSampler3DBackwardVariants, QuadsAreChosenByTheGrid) {
  if (!HasSlabVariants()) return;  // a target without vectors
  const auto uses_quads = [](int64_t channels, Points points, aclDataType dtype = ACL_FLOAT) {
    CallSpec spec;
    spec.dtype = dtype;
    spec.shape = {1, channels, 32, 16, 64, 32, 16, 64, 0, 0, true};
    TestCall call(spec);
    Fill(points, 1, &call);
    Buffers buffers{};
    buffers.grid = call.grid.data();
    return call.Prepare()->UsesQuads(buffers);
  };
  EXPECT_FALSE(uses_quads(1, Points::kRandom));
  EXPECT_FALSE(uses_quads(2, Points::kCalm));
  EXPECT_TRUE(uses_quads(2, Points::kRandom));
  EXPECT_FALSE(uses_quads(3, Points::kIdentity));  // hardly any rounding in rows of 64
  EXPECT_TRUE(uses_quads(3, Points::kSteep));
  EXPECT_TRUE(uses_quads(3, Points::kRandom, ACL_FLOAT16));
  EXPECT_TRUE(uses_quads(4, Points::kIdentity));
  EXPECT_FALSE(uses_quads(3, Points::kRandom, ACL_DOUBLE));
}

// Zeros of both signs, as masked images have: where the bits of sums show how they were made.
TEST(GridSampler3DBackwardVariants, ImagesWithZeros) {
  CallSpec spec;
  spec.shape = {1, 2, 8, 9, 30, 8, 9, 30, 0, 0, true};
  TestCall call(spec);
  Fill(Points::kCalm, 3, &call);
  test::Rng rng(4);
  for (int64_t i = 0; i < call.input.count(); ++i) {
    if (rng.Integer(0, 3) != 0) call.input.Set(i, rng.Integer(0, 1) == 0 ? 0.0 : -0.0);
  }
  for (int64_t i = 0; i < call.grad_output.count(); i += 3) call.grad_output.Set(i, -0.0);
  EXPECT_EQ(ExpectEqualsPoints(&call) == Variant::kPlanar, HasSlabVariants());
}

}  // namespace
}  // namespace aclnn_cpu::grid_sampler3d_backward
