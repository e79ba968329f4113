#include <gtest/gtest.h>

#include "nnopbase/checks.h"
#include "nnopbase/tensor.h"

namespace aclnn_cpu {
namespace {

TEST(Names, DtypesAreCalledAsInCannsDocuments) {
  EXPECT_EQ(DtypeName(ACL_FLOAT), "FLOAT");
  EXPECT_EQ(DtypeName(ACL_FLOAT16), "FLOAT16");
  EXPECT_EQ(DtypeName(ACL_BF16), "BFLOAT16");
  EXPECT_EQ(DtypeName(ACL_DOUBLE), "DOUBLE");
  EXPECT_EQ(DtypeName(ACL_FLOAT4_E1M2), "FLOAT4_E1M2");
  EXPECT_EQ(DtypeName(ACL_DT_UNDEFINED), "UNDEFINED");
}

TEST(Names, UnknownValuesAreShownAsNumbers) {
  EXPECT_EQ(DtypeName(static_cast<aclDataType>(50)), "dtype 50");
  EXPECT_EQ(FormatName(static_cast<aclFormat>(-7)), "format -7");
  EXPECT_FALSE(IsKnownDtype(static_cast<aclDataType>(50)));
  EXPECT_TRUE(IsKnownDtype(ACL_COMPLEX128));
}

TEST(Names, Formats) {
  EXPECT_EQ(FormatName(ACL_FORMAT_NCDHW), "NCDHW");
  EXPECT_EQ(FormatName(ACL_FORMAT_ND), "ND");
  EXPECT_EQ(FormatName(ACL_FRACTAL_Z_3D), "FRACTAL_Z_3D");
}

// contract.md 2.1, row 11.
TEST(Names, PrivateFormatsAreTheElevenOfTheContract) {
  for (int value = -1; value <= 60; ++value) {
    const bool expected = value == 3 || value == 4 || value == 12 || value == 29 || value == 32 ||
                          value == 33 || (50 <= value && value <= 54);
    EXPECT_EQ(IsPrivateFormat(static_cast<aclFormat>(value)), expected) << value;
  }
}

// contract.md 5.3, aclDataTypeSize.
TEST(Names, DtypeBytes) {
  EXPECT_EQ(DtypeBytes(ACL_FLOAT), 4);
  EXPECT_EQ(DtypeBytes(ACL_FLOAT16), 2);
  EXPECT_EQ(DtypeBytes(ACL_BF16), 2);
  EXPECT_EQ(DtypeBytes(ACL_DOUBLE), 8);
  EXPECT_EQ(DtypeBytes(static_cast<aclDataType>(50)), 8);
}

}  // namespace
}  // namespace aclnn_cpu
