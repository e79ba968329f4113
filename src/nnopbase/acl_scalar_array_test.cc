#include <gtest/gtest.h>

#include <complex>
#include <cstring>

#include "aclnn/acl_meta.h"
#include "nnopbase/scalar_array.h"

namespace aclnn_cpu {
namespace {

TEST(Arrays, CopyTheirValues) {
  int64_t integers[] = {1, -2, 3};
  float floats[] = {0.5f, 1.5f};
  bool flags[] = {true, false, true, true};
  aclIntArray* int_array = aclCreateIntArray(integers, 3);
  aclFloatArray* float_array = aclCreateFloatArray(floats, 2);
  aclBoolArray* bool_array = aclCreateBoolArray(flags, 4);
  integers[1] = 9;
  floats[1] = 9;
  flags[1] = true;
  EXPECT_EQ(int_array->values, (std::vector<int64_t>{1, -2, 3}));
  EXPECT_EQ(float_array->values, (std::vector<float>{0.5f, 1.5f}));
  EXPECT_EQ(bool_array->values, (std::vector<uint8_t>{1, 0, 1, 1}));
  EXPECT_EQ(aclDestroyIntArray(int_array), 0);
  EXPECT_EQ(aclDestroyFloatArray(float_array), 0);
  EXPECT_EQ(aclDestroyBoolArray(bool_array), 0);
}

TEST(Arrays, SizesAreReported) {
  const int64_t integers[] = {1, 2, 3};
  const float floats[] = {1, 2};
  const bool flags[] = {true};
  aclIntArray* int_array = aclCreateIntArray(integers, 3);
  aclFloatArray* float_array = aclCreateFloatArray(floats, 2);
  aclBoolArray* bool_array = aclCreateBoolArray(flags, 1);
  uint64_t size = 0;
  EXPECT_EQ(aclGetIntArraySize(int_array, &size), 0);
  EXPECT_EQ(size, 3u);
  EXPECT_EQ(aclGetFloatArraySize(float_array, &size), 0);
  EXPECT_EQ(size, 2u);
  EXPECT_EQ(aclGetBoolArraySize(bool_array, &size), 0);
  EXPECT_EQ(size, 1u);
  EXPECT_EQ(aclGetIntArraySize(int_array, nullptr), 161001);
  EXPECT_EQ(aclGetFloatArraySize(float_array, nullptr), 161001);
  EXPECT_EQ(aclGetBoolArraySize(bool_array, nullptr), 161001);
  EXPECT_EQ(aclGetIntArraySize(nullptr, &size), 161001);
  EXPECT_EQ(aclGetFloatArraySize(nullptr, &size), 161001);
  EXPECT_EQ(aclGetBoolArraySize(nullptr, &size), 161001);
  aclDestroyIntArray(int_array);
  aclDestroyFloatArray(float_array);
  aclDestroyBoolArray(bool_array);
}

TEST(Arrays, NullOrNoValuesGiveAnEmptyArray) {
  const bool flags[] = {true};
  for (aclBoolArray* array : {aclCreateBoolArray(nullptr, 5), aclCreateBoolArray(flags, 0)}) {
    ASSERT_NE(array, nullptr);
    uint64_t size = 9;
    EXPECT_EQ(aclGetBoolArraySize(array, &size), 0);
    EXPECT_EQ(size, 0u);
    aclDestroyBoolArray(array);
  }
  aclIntArray* int_array = aclCreateIntArray(nullptr, 5);
  aclFloatArray* float_array = aclCreateFloatArray(nullptr, 5);
  ASSERT_NE(int_array, nullptr);
  ASSERT_NE(float_array, nullptr);
  EXPECT_TRUE(int_array->values.empty());
  EXPECT_TRUE(float_array->values.empty());
  aclDestroyIntArray(int_array);
  aclDestroyFloatArray(float_array);
}

TEST(Arrays, ABoolThatIsNeitherZeroNorOneCountsAsTrue) {
  const uint8_t bytes[] = {2, 0, 255};
  bool flags[3];
  std::memcpy(flags, bytes, 3);
  aclBoolArray* array = aclCreateBoolArray(flags, 3);
  EXPECT_EQ(array->size(), 3u);
  EXPECT_TRUE((*array)[0]);
  EXPECT_FALSE((*array)[1]);
  EXPECT_TRUE((*array)[2]);
  EXPECT_EQ(array->values, (std::vector<uint8_t>{1, 0, 1}));
  aclDestroyBoolArray(array);
}

TEST(Arrays, TooManyValuesToHoldGiveNull) {
  const int64_t value = 0;
  EXPECT_EQ(aclCreateIntArray(&value, UINT64_MAX), nullptr);
}

TEST(Scalars, HoldOneElement) {
  float value = 2.5f;
  aclScalar* scalar = aclCreateScalar(&value, ACL_FLOAT);
  value = 0;
  ASSERT_NE(scalar, nullptr);
  EXPECT_EQ(scalar->dtype, ACL_FLOAT);
  float held = 0;
  std::memcpy(&held, scalar->value.data(), sizeof(held));
  EXPECT_EQ(held, 2.5f);
  EXPECT_EQ(aclDestroyScalar(scalar), 0);
}

TEST(Scalars, HoldTheLargestType) {
  std::complex<double> value(1.25, -3.5);
  aclScalar* scalar = aclCreateScalar(&value, ACL_COMPLEX128);
  std::complex<double> held;
  std::memcpy(&held, scalar->value.data(), sizeof(held));
  EXPECT_EQ(held, value);
  aclDestroyScalar(scalar);
}

TEST(Scalars, ReadNoMoreThanOneElement) {
  uint8_t value = 7;  // anything behind it is out of bounds, which AddressSanitizer sees
  aclScalar* scalar = aclCreateScalar(&value, ACL_UINT8);
  EXPECT_EQ(scalar->value[0], std::byte{7});
  EXPECT_EQ(scalar->value[1], std::byte{0});
  aclDestroyScalar(scalar);
  scalar = aclCreateScalar(&value, static_cast<aclDataType>(50));
  ASSERT_NE(scalar, nullptr);
  EXPECT_EQ(scalar->value[0], std::byte{0});
  aclDestroyScalar(scalar);
}

TEST(Scalars, NullValueGivesNull) { EXPECT_EQ(aclCreateScalar(nullptr, ACL_FLOAT), nullptr); }

TEST(Destroy, NullIsFine) {
  EXPECT_EQ(aclDestroyScalar(nullptr), 0);
  EXPECT_EQ(aclDestroyIntArray(nullptr), 0);
  EXPECT_EQ(aclDestroyFloatArray(nullptr), 0);
  EXPECT_EQ(aclDestroyBoolArray(nullptr), 0);
}

}  // namespace
}  // namespace aclnn_cpu
