#include <algorithm>
#include <cstring>
#include <string_view>

#include "acl/acl.h"
#include "ascendcl/api_call.h"
#include "ascendcl/runtime.h"

namespace aclnn_cpu {
namespace {

// The CANN release whose interface and checks are implemented. There is no CANN installation to
// read another one from.
constexpr std::string_view kCannVersion = "9.1.0";
constexpr std::string_view kCannVersionParts[] = {"9", "1", "0", "0"};

// Names of CANN's packages: those that releases 8 and 9 install, in the spelling of their folders.
constexpr std::string_view kPackages[] = {
    "runtime",    "compiler",   "bisheng-compiler", "hccl",   "toolkit", "oam-tools",      "opp",
    "opp-kernel", "ops-legacy", "ops-math",         "ops-nn", "ops-cv",  "ascend-toolkit", "cann",
    "driver",     "firmware",
};

// CANN takes '_' and '-' in a package name for the same.
bool IsSamePackage(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return x == y || (x == '_' && y == '-'); });
}

Status GetVersionStr(const char* package, char* version) {
  RETURN_IF_ERROR(RequireNotNull(version, "versionStr"));
  RETURN_IF_ERROR(RequireNotNull(package, "pkgName"));
  const bool known =
      std::any_of(std::begin(kPackages), std::end(kPackages),
                  [&](std::string_view name) { return IsSamePackage(package, name); });
  if (!known) FAIL(ACL_ERROR_INVALID_FILE, "pkgName is {}, which is no CANN package", package);
  *std::copy(kCannVersion.begin(), kCannVersion.end(), version) = '\0';
  return Status();
}

Status GetCannVersion(aclCANNPackageName name, aclCANNPackageVersion* version) {
  RETURN_IF_ERROR(RequireNotNull(version, "version"));
  const auto number = static_cast<int64_t>(name);
  if (number < ACL_PKG_NAME_CANN || number > ACL_PKG_NAME_DRIVER)
    FAIL(ACL_ERROR_INVALID_PARAM, "name is {}, must be in {}..{}", number,
         static_cast<int>(ACL_PKG_NAME_CANN), static_cast<int>(ACL_PKG_NAME_DRIVER));
  *version = aclCANNPackageVersion{};
  std::copy(kCannVersion.begin(), kCannVersion.end(), version->version);
  char* const parts[] = {version->majorVersion, version->minorVersion, version->releaseVersion,
                         version->patchVersion};
  for (size_t i = 0; i < std::size(parts); ++i)
    std::copy(kCannVersionParts[i].begin(), kCannVersionParts[i].end(), parts[i]);
  return Status();
}

}  // namespace
}  // namespace aclnn_cpu

using aclnn_cpu::AclCall;
using aclnn_cpu::Status;

aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion) {
  return AclCall("aclrtGetVersion", [&]() -> Status {
    RETURN_IF_ERROR(aclnn_cpu::RequireNotNull(majorVersion, "majorVersion"));
    RETURN_IF_ERROR(aclnn_cpu::RequireNotNull(minorVersion, "minorVersion"));
    RETURN_IF_ERROR(aclnn_cpu::RequireNotNull(patchVersion, "patchVersion"));
    *majorVersion = ACL_MAJOR_VERSION;
    *minorVersion = ACL_MINOR_VERSION;
    *patchVersion = ACL_PATCH_VERSION;
    return Status();
  });
}

aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion* version) {
  return AclCall("aclsysGetCANNVersion", [&] { return aclnn_cpu::GetCannVersion(name, version); });
}

aclError aclsysGetVersionStr(char* pkgName, char* versionStr) {
  return AclCall("aclsysGetVersionStr",
                 [&] { return aclnn_cpu::GetVersionStr(pkgName, versionStr); });
}
