#include <gtest/gtest.h>

#include "aclnn/acl_meta.h"
#include "nnopbase/lists.h"
#include "nnopbase/live_objects.h"
#include "nnopbase/tensor_for_test.h"

namespace aclnn_cpu {
namespace {

TEST(Lists, KeepTheElementPointers) {
  const aclTensor* tensors[] = {MakeTensor({.dims = {1}}).release(),
                                MakeTensor({.dims = {2}}).release()};
  aclTensorList* list = aclCreateTensorList(tensors, 2);
  EXPECT_EQ(list->elements, (std::vector<const aclTensor*>{tensors[0], tensors[1]}));
  uint64_t size = 0;
  EXPECT_EQ(aclGetTensorListSize(list, &size), 0);
  EXPECT_EQ(size, 2u);
  EXPECT_EQ(aclDestroyTensorList(list), 0);
}

TEST(Lists, DestroyTheirElements) {
  const int64_t tensors_before = CountLiveObjects(ObjectKind::kTensor);
  const int64_t scalars_before = CountLiveObjects(ObjectKind::kScalar);
  const aclTensor* tensors[] = {MakeTensor({.dims = {1}}).release(), nullptr,
                                MakeTensor({.dims = {2}}).release()};
  int32_t value = 1;
  const aclScalar* scalars[] = {aclCreateScalar(&value, ACL_INT32)};
  aclTensorList* tensor_list = aclCreateTensorList(tensors, 3);
  aclScalarList* scalar_list = aclCreateScalarList(scalars, 1);
  uint64_t size = 0;
  EXPECT_EQ(aclGetScalarListSize(scalar_list, &size), 0);
  EXPECT_EQ(size, 1u);
  EXPECT_EQ(CountLiveObjects(ObjectKind::kTensor), tensors_before + 2);
  EXPECT_EQ(CountLiveObjects(ObjectKind::kScalar), scalars_before + 1);
  EXPECT_EQ(aclDestroyTensorList(tensor_list), 0);
  EXPECT_EQ(aclDestroyScalarList(scalar_list), 0);
  EXPECT_EQ(CountLiveObjects(ObjectKind::kTensor), tensors_before);
  EXPECT_EQ(CountLiveObjects(ObjectKind::kScalar), scalars_before);
}

TEST(Lists, NullOrNoElementsGiveAnEmptyList) {
  aclTensorList* list = aclCreateTensorList(nullptr, 0);
  ASSERT_NE(list, nullptr);
  uint64_t size = 9;
  EXPECT_EQ(aclGetTensorListSize(list, &size), 0);
  EXPECT_EQ(size, 0u);
  aclDestroyTensorList(list);
}

TEST(Lists, NullArgumentsOfTheGettersAreRejected) {
  aclTensorList* tensors = aclCreateTensorList(nullptr, 0);
  aclScalarList* scalars = aclCreateScalarList(nullptr, 0);
  uint64_t size = 0;
  EXPECT_EQ(aclGetTensorListSize(nullptr, &size), 161001);
  EXPECT_EQ(aclGetTensorListSize(tensors, nullptr), 161001);
  EXPECT_EQ(aclGetScalarListSize(nullptr, &size), 161001);
  EXPECT_EQ(aclGetScalarListSize(scalars, nullptr), 161001);
  aclDestroyTensorList(tensors);
  aclDestroyScalarList(scalars);
}

TEST(Lists, DestroyingNullIsFine) {
  EXPECT_EQ(aclDestroyTensorList(nullptr), 0);
  EXPECT_EQ(aclDestroyScalarList(nullptr), 0);
}

}  // namespace
}  // namespace aclnn_cpu
