#include <gtest/gtest.h>

#include <string>

#include "aclnn/acl_meta.h"
#include "nnopbase/fake_op_for_test.h"

namespace aclnn_cpu {
namespace {

void* Address(const aclTensor* tensor) {
  void* address = nullptr;
  EXPECT_EQ(aclGetRawTensorAddr(tensor, &address), 0);
  return address;
}

template <typename Function>
struct Named {
  const char* name;
  Function* call;
};
using SetOne = Named<aclnnStatus(aclOpExecutor*, size_t, aclTensor*, void*)>;
using SetInList = Named<aclnnStatus(aclOpExecutor*, size_t, size_t, aclTensorList*, void*)>;

template <typename Parameter>
std::string NameOf(const testing::TestParamInfo<Parameter>& info) {
  return info.param.name;
}

class SetTensorAddr : public testing::TestWithParam<SetOne> {};
INSTANTIATE_TEST_SUITE_P(Executor, SetTensorAddr,
                         testing::Values(SetOne{"aclInput", aclSetInputTensorAddr},
                                         SetOne{"aclOutput", aclSetOutputTensorAddr},
                                         SetOne{"acl", aclSetTensorAddr},
                                         SetOne{"AclInput", AclSetInputTensorAddr},
                                         SetOne{"AclOutput", AclSetOutputTensorAddr},
                                         SetOne{"Acl", AclSetTensorAddr}),
                         NameOf<SetOne>);

TEST_P(SetTensorAddr, ChangesTheTensorWhateverTheIndex) {
  float data[2];
  const Created created = Create(EmptyTask());
  const TensorPtr tensor = MakeTensor({.dims = {2}});
  for (const size_t index : {size_t{0}, size_t{7}, SIZE_MAX}) {
    aclSetRawTensorAddr(tensor.get(), nullptr);
    EXPECT_EQ(GetParam().call(created.executor, index, tensor.get(), data), 0);
    EXPECT_EQ(Address(tensor.get()), data);
  }
  EXPECT_EQ(DestroyExecutor(created.executor).code(), 0);
}

TEST_P(SetTensorAddr, NullTensorIsRejected) {
  const Created created = Create(EmptyTask());
  EXPECT_EQ(GetParam().call(created.executor, 0, nullptr, nullptr), 561103);
  EXPECT_EQ(DestroyExecutor(created.executor).code(), 0);
}

TEST_P(SetTensorAddr, NullExecutorIsRejectedAfterTheAddressIsSet) {
  float data[2];
  const TensorPtr tensor = MakeTensor({.dims = {2}});
  EXPECT_EQ(GetParam().call(nullptr, 0, tensor.get(), data), 561103);
  EXPECT_EQ(Address(tensor.get()), data);
}

class SetDynamicTensorAddr : public testing::TestWithParam<SetInList> {
 protected:
  void SetUp() override {
    created_ = Create(EmptyTask());
    const aclTensor* tensors[] = {MakeTensor({.dims = {2}}).release(), nullptr,
                                  MakeTensor({.dims = {2}}).release()};
    third_ = tensors[2];
    list_ = aclCreateTensorList(tensors, 3);
  }
  void TearDown() override {
    EXPECT_EQ(DestroyExecutor(created_.executor).code(), 0);
    aclDestroyTensorList(list_);
  }

  Created created_;
  const aclTensor* third_ = nullptr;
  aclTensorList* list_ = nullptr;
  float data_[2] = {};
};
INSTANTIATE_TEST_SUITE_P(Executor, SetDynamicTensorAddr,
                         testing::Values(SetInList{"aclInput", aclSetDynamicInputTensorAddr},
                                         SetInList{"aclOutput", aclSetDynamicOutputTensorAddr},
                                         SetInList{"acl", aclSetDynamicTensorAddr},
                                         SetInList{"AclInput", AclSetDynamicInputTensorAddr},
                                         SetInList{"AclOutput", AclSetDynamicOutputTensorAddr},
                                         SetInList{"Acl", AclSetDynamicTensorAddr}),
                         NameOf<SetInList>);

TEST_P(SetDynamicTensorAddr, ChangesTheElementWhateverTheFirstIndex) {
  EXPECT_EQ(GetParam().call(created_.executor, 42, 2, list_, data_), 0);
  EXPECT_EQ(Address(third_), data_);
}

TEST_P(SetDynamicTensorAddr, ChecksListThenIndexThenElementThenExecutor) {
  EXPECT_EQ(GetParam().call(nullptr, 0, 9, nullptr, data_), 561103);
  EXPECT_EQ(GetParam().call(nullptr, 0, 3, list_, data_), 161002);
  EXPECT_EQ(GetParam().call(created_.executor, 0, SIZE_MAX, list_, data_), 161002);
  EXPECT_EQ(GetParam().call(created_.executor, 0, 1, list_, data_), 561103);
  EXPECT_EQ(Address(third_), nullptr);
  EXPECT_EQ(GetParam().call(nullptr, 0, 2, list_, data_), 561103);
  EXPECT_EQ(Address(third_), data_);
}

TEST(ExecutorFunctions, Repeatable) {
  const Created created = Create(EmptyTask());
  EXPECT_EQ(aclSetAclOpExecutorRepeatable(nullptr), 561103);
  EXPECT_EQ(aclSetAclOpExecutorRepeatable(created.executor), 0);
  EXPECT_EQ(aclSetAclOpExecutorRepeatable(created.executor), 0);
  EXPECT_EQ(aclDestroyAclOpExecutor(created.executor), 0);
  EXPECT_EQ(aclSetAclOpExecutorRepeatable(created.executor), 561000);
}

TEST(ExecutorFunctions, Destroy) {
  const Created created = Create(EmptyTask());
  int foreign = 0;
  EXPECT_EQ(aclDestroyAclOpExecutor(nullptr), 561103);
  EXPECT_EQ(aclDestroyAclOpExecutor(created.executor), 0);
  EXPECT_EQ(aclDestroyAclOpExecutor(created.executor), 561000);
  EXPECT_EQ(aclDestroyAclOpExecutor(reinterpret_cast<aclOpExecutor*>(&foreign)), 561000);
}

}  // namespace
}  // namespace aclnn_cpu
