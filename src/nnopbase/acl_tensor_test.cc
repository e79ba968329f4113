#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "nnopbase/tensor_for_test.h"

namespace aclnn_cpu {
namespace {

using Values = std::vector<int64_t>;

template <typename Getter>
Values Get(Getter getter, const aclTensor* tensor) {
  int64_t* values = nullptr;
  uint64_t count = 99;
  EXPECT_EQ(getter(tensor, &values, &count), 0);
  EXPECT_NE(values, nullptr);
  const std::unique_ptr<int64_t[]> owner(values);  // delete[], as callers do
  return Values(values, values + count);
}

int64_t Offset(const aclTensor* tensor) {
  int64_t offset = -1;
  EXPECT_EQ(aclGetViewOffset(tensor, &offset), 0);
  return offset;
}

void* Address(const aclTensor* tensor) {
  void* address = nullptr;
  EXPECT_EQ(aclGetRawTensorAddr(tensor, &address), 0);
  return address;
}

aclDataType Dtype(const aclTensor* tensor) {
  aclDataType dtype = ACL_DT_UNDEFINED;
  EXPECT_EQ(aclGetDataType(tensor, &dtype), 0);
  return dtype;
}

aclFormat Format(const aclTensor* tensor) {
  aclFormat format = ACL_FORMAT_UNDEFINED;
  EXPECT_EQ(aclGetFormat(tensor, &format), 0);
  return format;
}

TEST(CreateTensor, StoresWhatItIsGiven) {
  float data[64];
  const TensorPtr tensor = MakeTensor({.dims = {2, 3},
                                       .strides = {1, 2},
                                       .offset = 5,
                                       .storage = {64},
                                       .dtype = ACL_FLOAT16,
                                       .format = ACL_FORMAT_NCHW,
                                       .data = data});
  EXPECT_EQ(Get(aclGetViewShape, tensor.get()), (Values{2, 3}));
  EXPECT_EQ(Get(aclGetViewStrides, tensor.get()), (Values{1, 2}));
  EXPECT_EQ(Get(aclGetStorageShape, tensor.get()), (Values{64}));
  EXPECT_EQ(Offset(tensor.get()), 5);
  EXPECT_EQ(Dtype(tensor.get()), ACL_FLOAT16);
  EXPECT_EQ(Format(tensor.get()), ACL_FORMAT_NCHW);
  EXPECT_EQ(Address(tensor.get()), data);  // without the offset
}

TEST(CreateTensor, CopiesTheArrays) {
  Values dims{2, 3};
  Values strides{7, 1};
  Values storage{20};
  const TensorPtr tensor(aclCreateTensor(dims.data(), 2, ACL_FLOAT, strides.data(), 0,
                                         ACL_FORMAT_ND, storage.data(), 1, nullptr));
  dims = {9, 9};
  strides = {9, 9};
  storage = {9};
  EXPECT_EQ(Get(aclGetViewShape, tensor.get()), (Values{2, 3}));
  EXPECT_EQ(Get(aclGetViewStrides, tensor.get()), (Values{7, 1}));
  EXPECT_EQ(Get(aclGetStorageShape, tensor.get()), (Values{20}));
}

TEST(CreateTensor, NullStridesMeanRowMajor) {
  EXPECT_EQ(Get(aclGetViewStrides, MakeTensor({.dims = {2, 3, 4, 5}}).get()),
            (Values{60, 20, 5, 1}));
  EXPECT_EQ(Get(aclGetViewStrides, MakeTensor({.dims = {2, 0, 4}}).get()), (Values{0, 4, 1}));
}

TEST(CreateTensor, RankZeroIsAllowed) {
  const TensorPtr tensor(
      aclCreateTensor(nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr));
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(Get(aclGetViewShape, tensor.get()), Values());
  EXPECT_EQ(Get(aclGetStorageShape, tensor.get()), Values());
}

TEST(CreateTensor, NullDimsWithACountGiveNull) {
  const int64_t dims[] = {2};
  EXPECT_EQ(aclCreateTensor(nullptr, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 1, nullptr),
            nullptr);
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("viewDims is null"), std::string::npos);
  EXPECT_EQ(aclCreateTensor(dims, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 1, nullptr),
            nullptr);
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("storageDims is null"), std::string::npos);
}

TEST(CreateTensor, TooManyDimsToHoldGiveNull) {
  const int64_t dims[] = {2};
  EXPECT_EQ(
      aclCreateTensor(dims, UINT64_MAX, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 1, nullptr),
      nullptr);
  EXPECT_NE(aclGetRecentErrMsg(), nullptr);
}

TEST(CreateTensor, ValuesAreNotValidated) {
  const TensorPtr tensor = MakeTensor({.dims = {-1, INT64_MAX, INT64_MAX},
                                       .offset = INT64_MIN,
                                       .storage = {-5},
                                       .dtype = static_cast<aclDataType>(50),
                                       .format = ACL_FORMAT_FRACTAL_NZ});
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(Get(aclGetViewShape, tensor.get()), (Values{-1, INT64_MAX, INT64_MAX}));
  EXPECT_EQ(Get(aclGetStorageShape, tensor.get()), (Values{-5}));
  EXPECT_EQ(Offset(tensor.get()), INT64_MIN);
  EXPECT_EQ(Dtype(tensor.get()), static_cast<aclDataType>(50));
  EXPECT_EQ(Format(tensor.get()), ACL_FORMAT_FRACTAL_NZ);
}

TEST(CreateTensor, AddressesNeedNoAlignment) {
  char data[16];
  EXPECT_EQ(Address(MakeTensor({.dims = {2}, .data = data + 1}).get()), data + 1);
}

TEST(CreateTensor, ManyDimsAreKept) {
  const Values dims(40, 1);
  EXPECT_EQ(Get(aclGetViewShape, MakeTensor({.dims = dims}).get()), dims);
}

TEST(InitTensor, NullTensorIsRejected) {
  EXPECT_EQ(
      aclInitTensor(nullptr, nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr),
      161001);
}

TEST(InitTensor, ReplacesEverything) {
  float old_data[8];
  float new_data[8];
  const TensorPtr tensor = MakeTensor({.dims = {2}, .data = old_data});
  const Values dims{3, 4};
  const Values strides{1, 3};
  const Values storage{12};
  EXPECT_EQ(aclInitTensor(tensor.get(), dims.data(), 2, ACL_DOUBLE, strides.data(), 6,
                          ACL_FORMAT_NHWC, storage.data(), 1, new_data),
            0);
  EXPECT_EQ(Get(aclGetViewShape, tensor.get()), dims);
  EXPECT_EQ(Get(aclGetViewStrides, tensor.get()), strides);
  EXPECT_EQ(Get(aclGetStorageShape, tensor.get()), storage);
  EXPECT_EQ(Offset(tensor.get()), 6);
  EXPECT_EQ(Dtype(tensor.get()), ACL_DOUBLE);
  EXPECT_EQ(Format(tensor.get()), ACL_FORMAT_NHWC);
  EXPECT_EQ(Address(tensor.get()), new_data);
}

TEST(InitTensor, KeepsDimsAndAddressThatAreNotGiven) {
  float data[8];
  const TensorPtr tensor =
      MakeTensor({.dims = {2, 3}, .strides = {1, 2}, .storage = {8}, .data = data});
  const Values unused{9};
  // Null with a count, and a pointer with count 0: neither replaces anything.
  EXPECT_EQ(aclInitTensor(tensor.get(), nullptr, 2, ACL_FLOAT16, nullptr, 1, ACL_FORMAT_NCL,
                          unused.data(), 0, nullptr),
            0);
  EXPECT_EQ(Get(aclGetViewShape, tensor.get()), (Values{2, 3}));
  EXPECT_EQ(Get(aclGetStorageShape, tensor.get()), (Values{8}));
  EXPECT_EQ(Address(tensor.get()), data);
  EXPECT_EQ(Get(aclGetViewStrides, tensor.get()), (Values{3, 1}));  // null: row-major again
  EXPECT_EQ(Offset(tensor.get()), 1);
  EXPECT_EQ(Dtype(tensor.get()), ACL_FLOAT16);
  EXPECT_EQ(Format(tensor.get()), ACL_FORMAT_NCL);
}

TEST(InitTensor, StridesBelongToAKeptViewOnlyIfTheirNumberFits) {
  const TensorPtr tensor = MakeTensor({.dims = {2, 3}});
  const Values strides{1, 2};
  EXPECT_EQ(aclInitTensor(tensor.get(), nullptr, 2, ACL_FLOAT, strides.data(), 0, ACL_FORMAT_ND,
                          nullptr, 0, nullptr),
            0);
  EXPECT_EQ(Get(aclGetViewStrides, tensor.get()), strides);
  EXPECT_EQ(aclInitTensor(tensor.get(), nullptr, 0, ACL_FLOAT, strides.data(), 0, ACL_FORMAT_ND,
                          nullptr, 0, nullptr),
            0);
  EXPECT_EQ(Get(aclGetViewStrides, tensor.get()), (Values{3, 1}));
}

TEST(GetTensor, NullArgumentsAreRejected) {
  const TensorPtr owner = MakeTensor({.dims = {2}});
  const aclTensor* tensor = owner.get();
  int64_t* values = nullptr;
  uint64_t count = 0;
  for (auto getter : {aclGetViewShape, aclGetStorageShape, aclGetViewStrides}) {
    EXPECT_EQ(getter(nullptr, &values, &count), 161001);
    EXPECT_EQ(getter(tensor, nullptr, &count), 161001);
    EXPECT_EQ(getter(tensor, &values, nullptr), 161001);
  }
  EXPECT_EQ(values, nullptr);
  int64_t offset = 0;
  EXPECT_EQ(aclGetViewOffset(nullptr, &offset), 161001);
  EXPECT_EQ(aclGetViewOffset(tensor, nullptr), 161001);
  aclFormat format = ACL_FORMAT_ND;
  EXPECT_EQ(aclGetFormat(nullptr, &format), 161001);
  EXPECT_EQ(aclGetFormat(tensor, nullptr), 161001);
  aclDataType dtype = ACL_FLOAT;
  EXPECT_EQ(aclGetDataType(nullptr, &dtype), 161001);
  EXPECT_EQ(aclGetDataType(tensor, nullptr), 161001);
  void* address = nullptr;
  EXPECT_EQ(aclGetRawTensorAddr(nullptr, &address), 161001);
  EXPECT_EQ(aclGetRawTensorAddr(tensor, nullptr), 161001);
}

TEST(RawTensorAddr, SetAndGetTheBaseAddress) {
  float a[4];
  float b[4];
  const TensorPtr tensor = MakeTensor({.dims = {2}, .offset = 1, .data = a});
  EXPECT_EQ(aclSetRawTensorAddr(tensor.get(), b), 0);
  EXPECT_EQ(Address(tensor.get()), b);
  EXPECT_EQ(aclSetRawTensorAddr(tensor.get(), nullptr), 0);
  EXPECT_EQ(Address(tensor.get()), nullptr);
  EXPECT_EQ(aclSetRawTensorAddr(nullptr, b), 161001);
}

TEST(DestroyTensor, NullIsFine) { EXPECT_EQ(aclDestroyTensor(nullptr), 0); }

}  // namespace
}  // namespace aclnn_cpu
