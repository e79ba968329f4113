#include "acl/acl.h"
#include "ascendcl/api_call.h"
#include "ascendcl/runtime.h"
#include "ascendcl/strict.h"
#include "ascendcl/strict_hooks.h"

namespace aclnn_cpu {
namespace {

Status CreateContext(aclrtContext* handle, int32_t device) {
  RETURN_IF_ERROR(RequireNotNull(handle, "context"));
  RETURN_IF_ERROR(CheckDevice(device));
  *handle = NewContext(device, false)->handle;
  if (StrictOn()) StrictNoteCreated("aclrtCreateContext", *handle);
  SetCurrentContextHandle(*handle);
  NoteInitialized();
  return Status();
}

Status DestroyContext(aclrtContext handle) {
  RETURN_IF_ERROR(RequireNotNull(handle, "context"));
  Runtime& runtime = TheRuntime();
  std::shared_ptr<Context> context = runtime.contexts.Find(handle);
  if (context != nullptr && context->primary)
    FAIL(ACL_ERROR_RT_CONTEXT_NULL,
         "context {} is the primary context of device {}, which only aclrtResetDevice ends", handle,
         context->device);
  context = runtime.contexts.Remove(handle);
  if (context == nullptr)
    FAIL(ACL_ERROR_RT_CONTEXT_NULL, "context {} is unknown or was destroyed", handle);
  ReleaseContext(*context);
  if (StrictOn()) StrictNoteDestroyed(handle);
  return Status();
}

Status SetCurrentContext(aclrtContext handle) {
  RETURN_IF_ERROR(RequireNotNull(handle, "context"));
  if (TheRuntime().contexts.Find(handle) == nullptr)
    FAIL(ACL_ERROR_RT_PARAM_INVALID, "context {} is unknown or was destroyed", handle);
  SetCurrentContextHandle(handle);
  return Status();
}

Status GetCurrentContext(aclrtContext* handle) {
  RETURN_IF_ERROR(RequireNotNull(handle, "context"));
  ASSIGN_OR_RETURN(const std::shared_ptr<Context> context, CurrentContext());
  *handle = context->handle;
  return Status();
}

}  // namespace
}  // namespace aclnn_cpu

using aclnn_cpu::AclCall;

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
  return AclCall("aclrtCreateContext", [&] { return aclnn_cpu::CreateContext(context, deviceId); });
}

aclError aclrtDestroyContext(aclrtContext context) {
  return AclCall("aclrtDestroyContext", [&] { return aclnn_cpu::DestroyContext(context); });
}

aclError aclrtSetCurrentContext(aclrtContext context) {
  return AclCall("aclrtSetCurrentContext", [&] { return aclnn_cpu::SetCurrentContext(context); });
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
  return AclCall("aclrtGetCurrentContext", [&] { return aclnn_cpu::GetCurrentContext(context); });
}
