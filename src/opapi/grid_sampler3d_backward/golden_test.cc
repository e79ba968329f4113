#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_grid_sampler3d_backward.h"
#include "opapi/grid_sampler3d_backward/reference.h"
#include "support/compare.h"
#include "support/npy.h"
#include "support/tensor_builder.h"
#include "support/two_phases.h"

// Against results of another implementation: PyTorch's float64 kernel, see golden/make_golden.py.
namespace aclnn_cpu::grid_sampler3d_backward {
namespace {

using test::HostTensor;
using test::NpyArray;
using test::TensorBuilder;

constexpr const char* kCases[] = {"odd_sizes", "even_sizes", "thin", "far_outside",
                                  "many_channels"};

// In the order of the first axis of the golden results.
struct Modes {
  int64_t interpolation;
  int64_t padding;
  bool align;
};

Modes ModesOf(int64_t index) { return {index / 6, index / 2 % 3, index % 2 != 0}; }

struct GoldenCase {
  NpyArray grad_output;
  NpyArray input;
  NpyArray grid;
  NpyArray input_grad;  // [12, ...], like the next
  NpyArray grid_grad;
};

GoldenCase ReadCase(const std::string& name) {
  const auto read = [&name](const char* array) {
    return test::ReadNpy(std::string(ACLNN_CPU_SOURCE_DIR) +
                         "/src/opapi/grid_sampler3d_backward/golden/" + name + "_" + array +
                         ".npy");
  };
  return {read("grad_output"), read("input"), read("grid"), read("input_grad"), read("grid_grad")};
}

std::span<const double> Part(const NpyArray& array, int64_t index) {
  const size_t size = array.values.size() / static_cast<size_t>(array.shape[0]);
  return std::span<const double>(array.values).subspan(static_cast<size_t>(index) * size, size);
}

reference::Gradients Reference(const GoldenCase& data, const Modes& modes) {
  const test::Int64s& in = data.input.shape;
  const test::Int64s& out = data.grad_output.shape;
  const reference::Shape shape{
      in[0],         in[1],      in[2], in[3], in[4], out[2], out[3], out[4], modes.interpolation,
      modes.padding, modes.align};
  return reference::Backward<double>(shape, data.grad_output.values, data.input.values,
                                     data.grid.values);
}

// How exactly a result can be had.
struct Precision {
  double unit;      // relative error of one operation of the sums
  double relative;  // half a unit in the last place of a 16-bit result,
  double absolute;  // the same for subnormal numbers
};

Precision PrecisionOf(aclDataType dtype) {
  switch (dtype) {
    case ACL_FLOAT16:
      return {0x1p-23, 0x1p-11, 0x1p-25};
    case ACL_BF16:
      return {0x1p-23, 0x1p-8, 0};
    case ACL_FLOAT:
      return {0x1p-23, 0, 0};
    default:
      return {0x1p-52, 0, 0};
  }
}

// Inputs and places in the volume are exact in every dtype. What remains: one rounding of a 16-bit
// result, and the sums before. There each of `additions` additions, and about 8 operations on each
// term, lose at most one unit of the sum of the terms' absolute values, which is `magnitude`.
::testing::AssertionResult Agrees(std::span<const double> got, std::span<const double> want,
                                  std::span<const double> magnitude, double additions,
                                  const Precision& precision) {
  if (got.size() != want.size() || want.size() != magnitude.size())
    return ::testing::AssertionFailure() << got.size() << " values, want " << want.size();
  for (size_t i = 0; i < want.size(); ++i) {
    const double lost = (additions + 8) * precision.unit * magnitude[i];
    const double absolute = precision.absolute + lost * (1 + precision.relative);
    if (test::IsClose(got[i], want[i], {precision.relative, absolute})) continue;
    return ::testing::AssertionFailure()
           << "element " << i << " is " << got[i] << ", want " << want[i] << " within " << absolute
           << " + " << precision.relative << " of it";
  }
  return ::testing::AssertionSuccess();
}

// More than any element of these cases has.
double InputGradAdditions(const GoldenCase& data) {
  return static_cast<double>(data.grid.values.size()) / 3;
}
double GridGradAdditions(const GoldenCase& data) {
  return static_cast<double>(8 * data.input.shape[1]);
}

class Golden3d : public ::testing::TestWithParam<std::tuple<const char*, aclDataType>> {
 protected:
  static void SetUpTestSuite() { ASSERT_EQ(aclrtSetDevice(0), 0); }
};

TEST_P(Golden3d, OperatorAgreesWithPyTorch) {
  const auto [name, dtype] = GetParam();
  const GoldenCase data = ReadCase(name);
  const auto on_device = [dtype = dtype](const test::Int64s& shape, aclFormat format) {
    return TensorBuilder(dtype, shape).Format(format).OnDevice();
  };
  const auto input_tensor = [&](const NpyArray& array, aclFormat format) {
    HostTensor tensor = on_device(array.shape, format).Values(array.values).Build();
    EXPECT_EQ(tensor.Values(), array.values) << "the input is not exact in this dtype";
    return tensor;
  };
  const HostTensor grad_output = input_tensor(data.grad_output, ACL_FORMAT_NCDHW);
  const HostTensor input = input_tensor(data.input, ACL_FORMAT_NCDHW);
  const HostTensor grid = input_tensor(data.grid, ACL_FORMAT_NDHWC);
  const bool both[] = {true, true};
  aclBoolArray* const mask = aclCreateBoolArray(both, 2);
  const Precision precision = PrecisionOf(dtype);

  ASSERT_EQ(data.input_grad.shape[0], 12);
  test::DirtyWorkspace workspace(1);
  for (int64_t index = 0; index < 12; ++index) {
    const Modes modes = ModesOf(index);
    SCOPED_TRACE(::testing::Message() << "interpolation " << modes.interpolation << " padding "
                                      << modes.padding << " align " << modes.align);
    const HostTensor input_grad = on_device(data.input.shape, ACL_FORMAT_NCDHW).Build();
    const HostTensor grid_grad = on_device(data.grid.shape, ACL_FORMAT_NDHWC).Build();
    const auto phase_one = [&](uint64_t* size, aclOpExecutor** executor) {
      return aclnnGridSampler3DBackwardGetWorkspaceSize(
          grad_output.acl(), input.acl(), grid.acl(), modes.interpolation, modes.padding,
          modes.align, mask, input_grad.acl(), grid_grad.acl(), size, executor);
    };
    ASSERT_EQ(test::RunTwoPhases(phase_one, aclnnGridSampler3DBackward, workspace, nullptr), 0);
    const reference::Gradients magnitude = Reference(data, modes);
    EXPECT_TRUE(Agrees(input_grad.Values(), Part(data.input_grad, index),
                       magnitude.input_grad_magnitude, InputGradAdditions(data), precision));
    EXPECT_TRUE(Agrees(grid_grad.Values(), Part(data.grid_grad, index),
                       magnitude.grid_grad_magnitude, GridGradAdditions(data), precision));
  }
  aclDestroyBoolArray(mask);
}

INSTANTIATE_TEST_SUITE_P(GridSampler3DBackward, Golden3d,
                         ::testing::Combine(::testing::ValuesIn(kCases),
                                            ::testing::ValuesIn(test::kFloatDtypes)),
                         [](const auto& kind) {
                           return std::string(std::get<0>(kind.param)) + "_" +
                                  test::DtypeLabel(std::get<1>(kind.param));
                         });

TEST(GridSampler3DBackwardGolden, ReferenceAgreesWithPyTorch) {
  for (const char* name : kCases) {
    const GoldenCase data = ReadCase(name);
    for (int64_t index = 0; index < 12; ++index) {
      SCOPED_TRACE(::testing::Message() << name << " " << index);
      const reference::Gradients got = Reference(data, ModesOf(index));
      EXPECT_TRUE(Agrees(got.input_grad, Part(data.input_grad, index), got.input_grad_magnitude,
                         InputGradAdditions(data), PrecisionOf(ACL_DOUBLE)));
      EXPECT_TRUE(Agrees(got.grid_grad, Part(data.grid_grad, index), got.grid_grad_magnitude,
                         GridGradAdditions(data), PrecisionOf(ACL_DOUBLE)));
    }
  }
}

}  // namespace
}  // namespace aclnn_cpu::grid_sampler3d_backward
