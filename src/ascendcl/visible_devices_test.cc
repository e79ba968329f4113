// Several devices: the environment is read once per process, so this program sets its own first.

#include <gtest/gtest.h>

#include <cstdlib>

#include "acl/acl.h"

namespace aclnn_cpu {
namespace {

const int environment_is_set =
    setenv("ACLNN_CPU_DEVICES", "4", 1) + setenv("ASCEND_RT_VISIBLE_DEVICES", "0,2,3,1", 1);

TEST(SeveralDevices, CountIsWhatIsConfiguredAndVisible) {
  ASSERT_EQ(environment_is_set, 0);
  uint32_t count = 0;
  EXPECT_EQ(aclrtGetDeviceCount(&count), ACL_SUCCESS);
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(aclrtSetDevice(3), ACL_ERROR_RT_INVALID_DEVICEID);
}

TEST(SeveralDevices, HaveOnePrimaryContextAndCountEach) {
  aclrtContext contexts[3] = {};
  for (int32_t id = 0; id < 3; ++id) {
    ASSERT_EQ(aclrtSetDevice(id), ACL_SUCCESS);
    ASSERT_EQ(aclrtGetCurrentContext(&contexts[id]), ACL_SUCCESS);
    int32_t found = -1;
    EXPECT_EQ(aclrtGetDevice(&found), ACL_SUCCESS);
    EXPECT_EQ(found, id);
  }
  EXPECT_NE(contexts[0], contexts[1]);
  EXPECT_NE(contexts[1], contexts[2]);
  EXPECT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(1), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
  EXPECT_EQ(aclrtSetCurrentContext(contexts[1]), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtSetCurrentContext(contexts[2]), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(2), ACL_SUCCESS);
}

}  // namespace
}  // namespace aclnn_cpu
