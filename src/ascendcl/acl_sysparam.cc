#include <iterator>
#include <mutex>

#include "acl/acl.h"
#include "ascendcl/api_call.h"
#include "ascendcl/runtime.h"

namespace aclnn_cpu {
namespace {

// Largest value by aclSysParamOpt; the smallest is 0. Values are stored and read back; none has an
// effect, since every operator is deterministic anyway.
constexpr int64_t kMaxValue[] = {
    3,  // ACL_OPT_DETERMINISTIC
    1,  // ACL_OPT_ENABLE_DEBUG_KERNEL
    1,  // ACL_OPT_STRONG_CONSISTENCY
    1,  // ACL_OPT_ENABLE_KERNEL_EARLY_START
};
static_assert(std::size(kMaxValue) == kSysParamCount);

enum class Scope { kContext, kProcess };

Status CheckOpt(aclSysParamOpt opt, Scope scope) {
  const auto number = static_cast<int64_t>(opt);
  const int64_t last =
      scope == Scope::kContext ? ACL_OPT_STRONG_CONSISTENCY : ACL_OPT_ENABLE_KERNEL_EARLY_START;
  if (number < 0 || number > last)
    FAIL(ACL_ERROR_INVALID_PARAM, "opt is {}, must be in 0..{}", number, last);
  return Status();
}

Status CheckValue(aclSysParamOpt opt, int64_t value) {
  const int64_t max_value = kMaxValue[opt];
  if (value < 0 || value > max_value)
    FAIL(ACL_ERROR_RT_PARAM_INVALID, "value is {} for opt {}, must be in 0..{}", value,
         static_cast<int>(opt), max_value);
  return Status();
}

Status Read(const SysParams& params, aclSysParamOpt opt, int64_t* value) {
  const std::optional<int64_t> found = params[static_cast<size_t>(opt)];
  if (!found.has_value())
    FAIL(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "opt {} was never set", static_cast<int>(opt));
  *value = *found;
  return Status();
}

}  // namespace
}  // namespace aclnn_cpu

using aclnn_cpu::AclCall;
using aclnn_cpu::Scope;
using aclnn_cpu::Status;

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return AclCall("aclrtCtxSetSysParamOpt", [&]() -> Status {
    RETURN_IF_ERROR(aclnn_cpu::CheckOpt(opt, Scope::kContext));
    RETURN_IF_ERROR(aclnn_cpu::CheckValue(opt, value));
    ASSIGN_OR_RETURN(const auto context, aclnn_cpu::CurrentContext());
    const std::lock_guard lock(context->mutex);
    context->sys_params[static_cast<size_t>(opt)] = value;
    return Status();
  });
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return AclCall("aclrtCtxGetSysParamOpt", [&]() -> Status {
    RETURN_IF_ERROR(aclnn_cpu::RequireNotNull(value, "value"));
    RETURN_IF_ERROR(aclnn_cpu::CheckOpt(opt, Scope::kContext));
    ASSIGN_OR_RETURN(const auto context, aclnn_cpu::CurrentContext());
    const std::lock_guard lock(context->mutex);
    return aclnn_cpu::Read(context->sys_params, opt, value);
  });
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return AclCall("aclrtSetSysParamOpt", [&]() -> Status {
    RETURN_IF_ERROR(aclnn_cpu::CheckOpt(opt, Scope::kProcess));
    RETURN_IF_ERROR(aclnn_cpu::CheckValue(opt, value));
    aclnn_cpu::Runtime& runtime = aclnn_cpu::TheRuntime();
    const std::lock_guard lock(runtime.mutex);
    runtime.sys_params[static_cast<size_t>(opt)] = value;
    return Status();
  });
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return AclCall("aclrtGetSysParamOpt", [&]() -> Status {
    RETURN_IF_ERROR(aclnn_cpu::RequireNotNull(value, "value"));
    RETURN_IF_ERROR(aclnn_cpu::CheckOpt(opt, Scope::kProcess));
    aclnn_cpu::Runtime& runtime = aclnn_cpu::TheRuntime();
    const std::lock_guard lock(runtime.mutex);
    return aclnn_cpu::Read(runtime.sys_params, opt, value);
  });
}
