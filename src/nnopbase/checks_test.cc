#include "nnopbase/checks.h"

#include <gtest/gtest.h>

#include <string>

#include "ascendcl/soc_table.h"
#include "nnopbase/tensor_for_test.h"

namespace aclnn_cpu {
namespace {

void ExpectError(const Status& status, int32_t code, const std::string& message) {
  EXPECT_EQ(status.code(), code);
  EXPECT_EQ(status.message(), message);
}

TEST(Checks, ResultPointersMustNotBeNull) {
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT_TRUE(RequireResultPointers(&size, &executor).ok());
  ExpectError(RequireResultPointers(nullptr, &executor), 161001,
              "workspaceSize is null, must not be null");
  ExpectError(RequireResultPointers(&size, nullptr), 161001, "executor is null, must not be null");
}

TEST(Checks, TheFirstNullTensorIsNamed) {
  const TensorPtr tensor = MakeTensor({.dims = {2}});
  EXPECT_TRUE(RequireNotNull({{"self", tensor.get()}}).ok());
  ExpectError(RequireNotNull({{"self", tensor.get()}, {"out", nullptr}, {"grid", nullptr}}), 161001,
              "out is null, must not be null");
}

TEST(Checks, Rank) {
  const TensorPtr tensor = MakeTensor({.dims = {1, 2, 3, 4}});
  const NamedTensor grid{"grid", tensor.get()};
  EXPECT_TRUE(RequireRank(grid, 4).ok());
  ExpectError(RequireRank(grid, 5), 161002, "grid has 4 dimensions, must have 5");
  EXPECT_TRUE(RequireRankOneOf(grid, {3, 4}).ok());
  ExpectError(RequireRankOneOf(grid, {2, 3}), 161002, "grid has 4 dimensions, must have 2 or 3");
}

TEST(Checks, RankZeroCounts) {
  const TensorPtr scalar = MakeTensor({.dims = {}});
  EXPECT_TRUE(RequireRank({"self", scalar.get()}, 0).ok());
  EXPECT_FALSE(IsEmptyTensor({"self", scalar.get()}));
}

TEST(Checks, SameRank) {
  const TensorPtr three = MakeTensor({.dims = {1, 2, 3}});
  const TensorPtr four = MakeTensor({.dims = {1, 2, 3, 4}});
  EXPECT_TRUE(RequireSameRank({"out", three.get()}, {"self", three.get()}).ok());
  ExpectError(RequireSameRank({"out", three.get()}, {"self", four.get()}), 161002,
              "out has 3 dimensions, must have 4 like self");
}

TEST(Checks, DimsMayBeZeroButNotNegative) {
  const TensorPtr zero = MakeTensor({.dims = {0, 2}});
  const TensorPtr negative = MakeTensor({.dims = {0, -2}});
  EXPECT_TRUE(RequireDimsNotNegative({"self", zero.get()}).ok());
  ExpectError(RequireDimsNotNegative({"self", negative.get()}), 161002,
              "dimension 1 of self is -2, must not be negative");
}

TEST(Checks, Dimensions) {
  const TensorPtr grid = MakeTensor({.dims = {1, 4, 5, 6, 2}});
  const TensorPtr gradient = MakeTensor({.dims = {1, 7, 4, 5, 6}});
  const NamedTensor named_grid{"grid", grid.get()};
  const NamedTensor named_gradient{"gradOutput", gradient.get()};
  EXPECT_TRUE(RequireDim(named_grid, 4, 2).ok());
  ExpectError(RequireDim(named_grid, 4, 3), 161002, "dimension 4 of grid is 2, must be 3");
  EXPECT_TRUE(RequireSameDim(named_grid, 1, named_gradient, 2).ok());
  ExpectError(RequireSameDim(named_grid, 1, named_gradient, 1), 161002,
              "dimension 1 of grid is 4, must be 7 like dimension 1 of gradOutput");
}

TEST(Checks, SameShapeIsExactAndIncludesTheRank) {
  const TensorPtr a = MakeTensor({.dims = {2, 3}});
  const TensorPtr b = MakeTensor({.dims = {2, 3, 1}});
  EXPECT_TRUE(RequireSameShape({"gridGrad", a.get()}, {"grid", a.get()}).ok());
  ExpectError(RequireSameShape({"gridGrad", a.get()}, {"grid", b.get()}), 161002,
              "shape of gridGrad is (2, 3), must be (2, 3, 1) like that of grid");
}

class DtypeChecks : public testing::Test {
 protected:
  ~DtypeChecks() override { ForceSocForTest(nullptr); }

  static constexpr SocSet kWithBfloat16 =
      SocBit(Soc::kAscend910B) | SocBit(Soc::kAscend910_93) | SocBit(Soc::kAscend950);
  static constexpr SupportRow kRows[] = {
      {ACL_FLOAT, kAllSocs, kAllSocs, nullptr},
      {ACL_FLOAT16, kAllSocs, kAllSocs, nullptr},
      {ACL_BF16, kWithBfloat16, kWithBfloat16, nullptr},
  };
  static constexpr OpInfo kInfo{.stem = "fake_backward",
                                .api = "aclnnFakeBackward",
                                .op_type = "FakeGrad",
                                .supported_socs = kWithBfloat16 | SocBit(Soc::kAscend910),
                                .support = kRows,
                                .formats = "ND",
                                .page_forbids = {}};
};

TEST_F(DtypeChecks, SupportDependsOnTheProduct) {
  const TensorPtr tensor = MakeTensor({.dims = {2}, .dtype = ACL_BF16});
  const NamedTensor gradient{"gradOutput", tensor.get()};
  ForceSocForTest("Ascend910B1");
  EXPECT_TRUE(RequireSupportedDtype(kInfo, gradient).ok());
  ForceSocForTest("Ascend310P3");
  ExpectError(RequireSupportedDtype(kInfo, gradient), 161002,
              "dtype of gradOutput is BFLOAT16, must be FLOAT or FLOAT16 on Ascend310P3");
}

TEST_F(DtypeChecks, UnlistedDtypesAreRejected) {
  const TensorPtr tensor = MakeTensor({.dims = {2}, .dtype = ACL_INT32});
  ForceSocForTest("Ascend910B1");
  ExpectError(RequireSupportedDtype(kInfo, {"self", tensor.get()}), 161002,
              "dtype of self is INT32, must be FLOAT, FLOAT16 or BFLOAT16 on Ascend910B1");
}

TEST_F(DtypeChecks, SupportedProduct) {
  ForceSocForTest("Ascend910A");
  EXPECT_TRUE(RequireSupportedSoc(kInfo).ok());
  ForceSocForTest("Ascend310B1");
  ExpectError(RequireSupportedSoc(kInfo), 561003,
              "aclnnFakeBackward has no kernel for Ascend310B1, the product must be one of "
              "Ascend910, Ascend910B, Ascend910_93, Ascend950");
}

TEST_F(DtypeChecks, SameDtype) {
  const TensorPtr a = MakeTensor({.dims = {2}, .dtype = ACL_FLOAT16});
  const TensorPtr b = MakeTensor({.dims = {2}, .dtype = static_cast<aclDataType>(50)});
  EXPECT_TRUE(RequireSameDtype({"grid", a.get()}, {"input", a.get()}).ok());
  ExpectError(RequireSameDtype({"grid", a.get()}, {"input", b.get()}), 161002,
              "grid is FLOAT16, must be dtype 50 like input");
}

TEST(Checks, SameFormat) {
  const TensorPtr a = MakeTensor({.dims = {2}, .format = ACL_FORMAT_NCHW});
  const TensorPtr b = MakeTensor({.dims = {2}, .format = ACL_FORMAT_NHWC});
  EXPECT_TRUE(RequireSameFormat({"self", a.get()}, {"gradOutput", a.get()}).ok());
  ExpectError(RequireSameFormat({"self", a.get()}, {"gradOutput", b.get()}), 161002,
              "format of self is NCHW, must be NHWC like that of gradOutput");
}

TEST(Checks, PrivateFormatsAreRejected) {
  const TensorPtr tensor = MakeTensor({.dims = {2}, .format = ACL_FORMAT_FRACTAL_NZ});
  const TensorPtr unknown = MakeTensor({.dims = {2}, .format = static_cast<aclFormat>(60)});
  ExpectError(RequirePublicFormat({"self", tensor.get()}), 161002,
              "format of self is FRACTAL_NZ, must be a public one such as ND, NCHW, NHWC, NCL, "
              "NCDHW, NDHWC");
  EXPECT_TRUE(RequirePublicFormat({"self", unknown.get()}).ok());
}

TEST(Checks, AttributesLieInAClosedRange) {
  EXPECT_TRUE(RequireAttribute("paddingMode", 0, 0, 2).ok());
  EXPECT_TRUE(RequireAttribute("paddingMode", 2, 0, 2).ok());
  ExpectError(RequireAttribute("paddingMode", 3, 0, 2), 161002,
              "paddingMode is 3, must be in 0..2");
  ExpectError(RequireAttribute("paddingMode", -1, 0, 2), 161002,
              "paddingMode is -1, must be in 0..2");
}

TEST(Checks, EmptyMeansOneZeroExtent) {
  const TensorPtr empty = MakeTensor({.dims = {3, 0, 2}});
  const TensorPtr full = MakeTensor({.dims = {3, 1, 2}});
  EXPECT_TRUE(IsEmptyTensor({"self", empty.get()}));
  EXPECT_FALSE(IsEmptyTensor({"self", full.get()}));
}

TEST(Checks, ViewOfCopiesExtentsAndStrides) {
  const TensorPtr tensor = MakeTensor({.dims = {2, 3}, .strides = {1, 2}});
  const StridedView view = ViewOf({"self", tensor.get()});
  EXPECT_EQ(view.extents, (Dims{2, 3}));
  EXPECT_EQ(view.strides, (Dims{1, 2}));
}

}  // namespace
}  // namespace aclnn_cpu
