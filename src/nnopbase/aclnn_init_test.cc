#include <gtest/gtest.h>

#include "aclnn/aclnn_base.h"

// As frameworks declare them.
extern "C" {
int InitHugeMemThreadLocal(void*, bool);
void UnInitHugeMemThreadLocal(void*, bool);
void ReleaseHugeMem(void*, bool);
}

namespace aclnn_cpu {
namespace {

TEST(AclnnInit, AnyConfigurationIsAccepted) {
  EXPECT_EQ(aclnnInit(nullptr), 0);
  EXPECT_EQ(aclnnInit(""), 0);
  EXPECT_EQ(aclnnInit("/there/is/no/such/file.json"), 0);
  EXPECT_EQ(aclnnInit("/"), 0);
}

TEST(AclnnInit, FinalizeSucceedsAnyNumberOfTimes) {
  EXPECT_EQ(aclnnFinalize(), 0);
  EXPECT_EQ(aclnnFinalize(), 0);
}

TEST(HugeMem, HasNoEffect) {
  EXPECT_EQ(InitHugeMemThreadLocal(nullptr, false), 0);
  UnInitHugeMemThreadLocal(nullptr, true);
  ReleaseHugeMem(nullptr, false);
}

TEST(DumpOpTensors, AnyNullPointerIsRejected) {
  aclTensor* tensors[1] = {nullptr};
  int stream = 0;  // any address: nothing looks behind it
  EXPECT_EQ(aclDumpOpTensors("Type", "name", tensors, 1, 0, &stream), 0);
  EXPECT_EQ(aclDumpOpTensors(nullptr, "name", tensors, 1, 0, &stream), 161001);
  EXPECT_EQ(aclDumpOpTensors("Type", nullptr, tensors, 1, 0, &stream), 161001);
  EXPECT_EQ(aclDumpOpTensors("Type", "name", nullptr, 1, 0, &stream), 161001);
  EXPECT_EQ(aclDumpOpTensors("Type", "name", tensors, 1, 0, nullptr), 161001);
}

}  // namespace
}  // namespace aclnn_cpu
