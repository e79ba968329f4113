#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "acl/acl.h"

namespace aclnn_cpu {
namespace {

TEST(Version, IsThatOfTheHeaders) {
  int32_t major = 0;
  int32_t minor = 0;
  int32_t patch = -1;
  EXPECT_EQ(aclrtGetVersion(&major, &minor, &patch), ACL_SUCCESS);
  EXPECT_EQ(major, 1);
  EXPECT_EQ(minor, 17);
  EXPECT_EQ(patch, 0);
  EXPECT_EQ(aclrtGetVersion(nullptr, &minor, &patch), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetVersion(&major, nullptr, &patch), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetVersion(&major, &minor, nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST(Version, EveryPackageHasThatOfTheReleaseWeFollow) {
  for (int name = ACL_PKG_NAME_CANN; name <= ACL_PKG_NAME_DRIVER; ++name) {
    aclCANNPackageVersion version;
    std::memset(&version, 0x7f, sizeof(version));
    ASSERT_EQ(aclsysGetCANNVersion(static_cast<aclCANNPackageName>(name), &version), ACL_SUCCESS);
    EXPECT_STREQ(version.version, "9.1.0");
    EXPECT_STREQ(version.majorVersion, "9");
    EXPECT_STREQ(version.minorVersion, "1");
    EXPECT_STREQ(version.releaseVersion, "0");
    EXPECT_STREQ(version.patchVersion, "0");
    EXPECT_STREQ(version.reserved, "");
  }
}

TEST(Version, OfPackageRefusesNullAndUnknownNumbers) {
  aclCANNPackageVersion version;
  EXPECT_EQ(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, nullptr), ACL_ERROR_INVALID_PARAM);
  for (int name : {-1, 8, 1000})
    EXPECT_EQ(aclsysGetCANNVersion(static_cast<aclCANNPackageName>(name), &version),
              ACL_ERROR_INVALID_PARAM);
}

aclError VersionOf(std::string name, std::string* version) {
  char text[ACL_PKG_VERSION_MAX_SIZE] = "untouched";
  const aclError code = aclsysGetVersionStr(name.data(), text);
  *version = text;
  return code;
}

TEST(Version, TextOfPackagesByName) {
  std::string version;
  for (const char* name : {"runtime", "compiler", "bisheng-compiler", "hccl", "toolkit", "opp",
                           "ops-legacy", "ops_legacy", "opp_kernel", "driver"}) {
    EXPECT_EQ(VersionOf(name, &version), ACL_SUCCESS) << name;
    EXPECT_EQ(version, "9.1.0");
  }
}

TEST(Version, TextRefusesNullAndUnknownNames) {
  char name[] = "runtime";
  char text[ACL_PKG_VERSION_MAX_SIZE];
  EXPECT_EQ(aclsysGetVersionStr(nullptr, text), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclsysGetVersionStr(name, nullptr), ACL_ERROR_INVALID_PARAM);
  std::string version;
  for (const char* unknown : {"", "runtim", "runtime2", "no-such-package"}) {
    EXPECT_EQ(VersionOf(unknown, &version), ACL_ERROR_INVALID_FILE) << unknown;
    EXPECT_EQ(version, "untouched");
  }
}

}  // namespace
}  // namespace aclnn_cpu
