#include "nnopbase/live_objects.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <mutex>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "nnopbase/fake_op_for_test.h"
#include "nnopbase/state.h"

namespace aclnn_cpu {
namespace {

// Exit status of a forked child that runs `body`.
int InChild(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(LiveObjects, AreCountedByKind) {
  const int64_t before = CountLiveObjects(ObjectKind::kIntArray);
  const int64_t floats_before = CountLiveObjects(ObjectKind::kFloatArray);
  aclIntArray* first = aclCreateIntArray(nullptr, 0);
  aclIntArray* second = aclCreateIntArray(nullptr, 0);
  aclIntArray* third = aclCreateIntArray(nullptr, 0);
  EXPECT_EQ(CountLiveObjects(ObjectKind::kIntArray), before + 3);
  EXPECT_EQ(CountLiveObjects(ObjectKind::kFloatArray), floats_before);
  aclDestroyIntArray(second);
  EXPECT_EQ(CountLiveObjects(ObjectKind::kIntArray), before + 2);
  aclDestroyIntArray(third);
  aclDestroyIntArray(first);
  EXPECT_EQ(CountLiveObjects(ObjectKind::kIntArray), before);
}

TEST(LiveObjects, EveryKindComesAndGoes) {
  float value = 0;
  const int64_t counts[] = {
      CountLiveObjects(ObjectKind::kTensor),     CountLiveObjects(ObjectKind::kScalar),
      CountLiveObjects(ObjectKind::kFloatArray), CountLiveObjects(ObjectKind::kBoolArray),
      CountLiveObjects(ObjectKind::kTensorList), CountLiveObjects(ObjectKind::kScalarList)};
  const auto expect = [&counts](int64_t more) {
    EXPECT_EQ(CountLiveObjects(ObjectKind::kTensor), counts[0] + more);
    EXPECT_EQ(CountLiveObjects(ObjectKind::kScalar), counts[1] + more);
    EXPECT_EQ(CountLiveObjects(ObjectKind::kFloatArray), counts[2] + more);
    EXPECT_EQ(CountLiveObjects(ObjectKind::kBoolArray), counts[3] + more);
    EXPECT_EQ(CountLiveObjects(ObjectKind::kTensorList), counts[4] + more);
    EXPECT_EQ(CountLiveObjects(ObjectKind::kScalarList), counts[5] + more);
  };
  TensorPtr tensor = MakeTensor({.dims = {1}});
  aclScalar* scalar = aclCreateScalar(&value, ACL_FLOAT);
  aclFloatArray* floats = aclCreateFloatArray(nullptr, 0);
  aclBoolArray* flags = aclCreateBoolArray(nullptr, 0);
  aclTensorList* tensors = aclCreateTensorList(nullptr, 0);
  aclScalarList* scalars = aclCreateScalarList(nullptr, 0);
  expect(1);
  tensor.reset();
  aclDestroyScalar(scalar);
  aclDestroyFloatArray(floats);
  aclDestroyBoolArray(flags);
  aclDestroyTensorList(tensors);
  aclDestroyScalarList(scalars);
  expect(0);
}

TEST(LiveObjects, FailedCreationLeavesNone) {
  const int64_t before = CountLiveObjects(ObjectKind::kTensor);
  EXPECT_EQ(aclCreateTensor(nullptr, 3, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr),
            nullptr);
  EXPECT_EQ(CountLiveObjects(ObjectKind::kTensor), before);
}

TEST(Fork, TheChildCountsItsOwnObjectsAndMayDestroyInheritedOnes) {
  TensorPtr inherited = MakeTensor({.dims = {1}});
  const int result = InChild([&inherited] {
    if (CountLiveObjects(ObjectKind::kTensor) != 0) return 1;
    TensorPtr own = MakeTensor({.dims = {1}});
    inherited.reset();
    if (CountLiveObjects(ObjectKind::kTensor) != 1) return 2;
    own.reset();
    return CountLiveObjects(ObjectKind::kTensor) == 0 ? 0 : 3;
  });
  EXPECT_EQ(result, 0);
}

// As if another thread of the parent created an object at that moment: in the child nobody would
// ever unlock.
TEST(Fork, ALockHeldAtTheForkDoesNotStopTheChild) {
  TensorPtr inherited = MakeTensor({.dims = {1}});
  std::unique_lock lock(State().objects_mutex);
  const int result = InChild([&inherited] {
    alarm(20);
    inherited.reset();
    const TensorPtr own = MakeTensor({.dims = {1}});
    return CountLiveObjects(ObjectKind::kTensor) == 1 ? 0 : 1;
  });
  lock.unlock();
  EXPECT_EQ(result, 0);
}

TEST(Fork, TheChildCannotLaunchUntilItSetsADevice) {
  float in_data[2] = {1, 2};
  float out_data[2] = {-777, -777};
  const TensorPtr in = MakeTensor({.dims = {2}, .data = in_data});
  const TensorPtr out = MakeTensor({.dims = {2}, .data = out_data});
  ASSERT_EQ(aclrtSetDevice(0), 0);
  const Created inherited = Create(FakeTask(in, out));
  const int result = InChild([&] {
    if (LaunchCode(inherited) != 361001) return 1;
    const Status status = Launch(nullptr, 0, Create(FakeTask(in, out)).executor, nullptr);
    if (status.code() != 361001) return 2;
    if (status.message().find("forked after aclInit") == std::string::npos) return 3;
    if (LaunchCode(Create(EmptyTask())) != 361001) return 4;
    if (LaunchCode({0, nullptr}) != 161001) return 5;
    if (aclInit(nullptr) != 0 || aclrtSetDevice(0) != 0) return 6;
    if (LaunchCode(inherited) != 561000) return 7;
    if (LaunchCode(Create(FakeTask(in, out))) != 0) return 8;
    if (aclrtSynchronizeStream(nullptr) != 0) return 9;
    return out_data[1] == 4 ? 0 : 10;
  });
  EXPECT_EQ(result, 0);
  EXPECT_EQ(out_data[1], -777);
  EXPECT_EQ(LaunchCode(inherited), 0);  // the parent goes on
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), 0);
  EXPECT_EQ(out_data[1], 4);
  aclrtResetDevice(0);
}

}  // namespace
}  // namespace aclnn_cpu
