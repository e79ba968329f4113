#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "opapi/adaptive_avg_pool2d_backward/reference.h"
#include "opapi/adaptive_avg_pool2d_backward/test_util.h"
#include "support/compare.h"
#include "support/npy.h"
#include "support/tensor_builder.h"
#include "support/two_phases.h"

// Against results of another implementation: PyTorch's float64 kernel, see golden/make_golden.py.
namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace {

using test::HostTensor;
using test::NpyArray;
using test::TensorBuilder;
using test::Tolerance;

constexpr const char* kCases[] = {"dividing",   "non_dividing", "overlapping",
                                  "upsampling", "mixed",        "one_by_one",
                                  "same_size",  "rank3",        "wide_rows"};

NpyArray Golden(const std::string& name) {
  return test::ReadNpy(std::string(ACLNN_CPU_SOURCE_DIR) +
                       "/src/opapi/adaptive_avg_pool2d_backward/golden/" + name + ".npy");
}

// The inputs are exact in every dtype. What remains: one rounding of the result, relative to it,
// and the sums before. No element of these cases has more than 16 terms; each of the 16 additions
// and the division of each term lose at most one `unit` of the sum of the terms' absolute values.
::testing::AssertionResult Agrees(const std::vector<double>& got, const NpyArray& want,
                                  const NpyArray& grad, double unit, double rounding) {
  std::vector<double> absolute = grad.values;
  for (double& value : absolute) value = std::fabs(value);
  const std::vector<double> magnitude =
      ReferenceBackward(ReferenceShapeOf(grad.shape, want.shape), absolute);
  if (got.size() != want.values.size())
    return ::testing::AssertionFailure() << got.size() << " values, want " << want.values.size();
  for (size_t i = 0; i < got.size(); ++i) {
    const Tolerance tolerance{rounding, 17 * unit * magnitude[i] * (1 + rounding)};
    if (test::IsClose(got[i], want.values[i], tolerance)) continue;
    return ::testing::AssertionFailure()
           << "element " << i << " is " << got[i] << ", want " << want.values[i] << " within "
           << tolerance.atol << " + " << tolerance.rtol << " of it";
  }
  return ::testing::AssertionSuccess();
}

class Golden2d : public ::testing::TestWithParam<std::tuple<const char*, aclDataType>> {
 protected:
  static void SetUpTestSuite() { ASSERT_EQ(aclrtSetDevice(0), 0); }
};

TEST_P(Golden2d, OperatorAgreesWithPyTorch) {
  const auto [name, dtype] = GetParam();
  const NpyArray grad = Golden(std::string(name) + "_grad_output");
  const NpyArray want = Golden(std::string(name) + "_out");
  const HostTensor grad_output =
      TensorBuilder(dtype, grad.shape).OnDevice().Values(grad.values).Build();
  ASSERT_EQ(grad_output.Values(), grad.values) << "the input is not exact in this dtype";
  const HostTensor self = TensorBuilder(dtype, want.shape).WithoutData().Build();
  const HostTensor out = TensorBuilder(dtype, want.shape).OnDevice().Build();

  test::DirtyWorkspace workspace(1);
  const auto phase_one = [&](uint64_t* size, aclOpExecutor** executor) {
    return aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(grad_output.acl(), self.acl(), out.acl(),
                                                          size, executor);
  };
  ASSERT_EQ(test::RunTwoPhases(phase_one, aclnnAdaptiveAvgPool2dBackward, workspace, nullptr), 0);
  // Half a unit in the last place of a 16-bit result; none of these results is subnormal.
  const double rounding = dtype == ACL_FLOAT16 ? 0x1p-11 : dtype == ACL_BF16 ? 0x1p-8 : 0;
  EXPECT_TRUE(Agrees(out.Values(), want, grad, 0x1p-23, rounding));
}

INSTANTIATE_TEST_SUITE_P(AdaptiveAvgPool2dBackward, Golden2d,
                         ::testing::Combine(::testing::ValuesIn(kCases),
                                            ::testing::Values(ACL_FLOAT, ACL_FLOAT16, ACL_BF16)),
                         [](const auto& kind) {
                           return std::string(std::get<0>(kind.param)) + "_" +
                                  test::DtypeLabel(std::get<1>(kind.param));
                         });

TEST(AdaptiveAvgPool2dBackwardGolden, ReferenceAgreesWithPyTorch) {
  for (const char* name : kCases) {
    SCOPED_TRACE(name);
    const NpyArray grad = Golden(std::string(name) + "_grad_output");
    const NpyArray want = Golden(std::string(name) + "_out");
    const std::vector<double> got =
        ReferenceBackward(ReferenceShapeOf(grad.shape, want.shape), grad.values);
    EXPECT_TRUE(Agrees(got, want, grad, 0x1p-52, 0));
  }
}

}  // namespace
}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
