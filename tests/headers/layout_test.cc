// Compiled, not run: values, types and prototypes of the public headers as C++ sees them.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "acl/acl.h"
#include "aclnn/opdev/op_errno.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "aclnnop/aclnn_grid_sampler3d_backward.h"

#define EXPECT_VALUE(name, value) static_assert((name) == (value), #name);
#include "expected_values.inc"
#undef EXPECT_VALUE

static_assert(std::is_same<aclError, int>::value, "aclError");
static_assert(std::is_same<aclnnStatus, std::int32_t>::value, "aclnnStatus");
static_assert(std::is_same<aclFloat16, std::uint16_t>::value, "aclFloat16");
static_assert(std::is_same<aclrtStream, void*>::value, "aclrtStream");
static_assert(std::is_same<aclrtEvent, void*>::value, "aclrtEvent");
static_assert(std::is_same<aclrtContext, void*>::value, "aclrtContext");

// Enumerations cross the border as int.
static_assert(sizeof(aclDataType) == sizeof(int), "aclDataType");
static_assert(sizeof(aclFormat) == sizeof(int), "aclFormat");
static_assert(sizeof(aclrtMemcpyKind) == sizeof(int), "aclrtMemcpyKind");
static_assert(sizeof(aclrtMemMallocPolicy) == sizeof(int), "aclrtMemMallocPolicy");
static_assert(sizeof(aclrtMemAttr) == sizeof(int), "aclrtMemAttr");
static_assert(sizeof(aclSysParamOpt) == sizeof(int), "aclSysParamOpt");

static_assert(sizeof(aclCANNPackageVersion) == 128 + 4 * 64 + 128, "aclCANNPackageVersion");
static_assert(offsetof(aclCANNPackageVersion, majorVersion) == 128, "majorVersion");
static_assert(offsetof(aclCANNPackageVersion, reserved) == 128 + 4 * 64, "reserved");
static_assert(sizeof(aclrtMemUceInfo) == sizeof(void*) + 15 * sizeof(std::size_t),
              "aclrtMemUceInfo");
static_assert(offsetof(aclrtErrorInfo, errorType) == 4, "errorType");
static_assert(offsetof(aclrtErrorInfo, detail) == 8, "detail");
static_assert(sizeof(aclrtErrorInfo) == 8 + sizeof(std::size_t) + 20 * sizeof(aclrtMemUceInfo),
              "aclrtErrorInfo");

// A failing code must work as a template argument and a case label.
template <aclnnStatus code>
struct Labelled {
  static constexpr bool IsOk() { return code == OK; }
};
static_assert(Labelled<OK>::IsOk() && !Labelled<ACLNN_ERR_INNER>::IsOk(), "OK");

constexpr bool IsParameterError(aclError code) {
  return code == ACL_ERROR_INVALID_PARAM || code == ACL_ERROR_RT_PARAM_INVALID;
}
static_assert(IsParameterError(100000) && IsParameterError(107000) && !IsParameterError(0),
              "usable in constant expressions");

extern "C" {
#include "expected_prototypes.inc"
}
