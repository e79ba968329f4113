#include <mutex>

#include "acl/acl.h"
#include "ascendcl/api_call.h"
#include "ascendcl/runtime.h"
#include "ascendcl/strict.h"
#include "ascendcl/strict_hooks.h"

namespace aclnn_cpu {
namespace {

Status CreateStream(const char* api, aclrtStream* handle) {
  RETURN_IF_ERROR(RequireNotNull(handle, "stream"));
  ASSIGN_OR_RETURN(const std::shared_ptr<Context> context, CurrentContext());
  const std::lock_guard lock(context->mutex);
  if (context->released)
    FAIL(ACL_ERROR_RT_CONTEXT_NULL, "context {} is being destroyed", context->handle);
  auto stream = std::make_shared<Stream>(context->handle, context->device);
  *handle = TheRuntime().streams.Insert(stream);
  stream->SetHandle(*handle);
  if (StrictOn()) StrictNoteCreated(api, *handle);
  return Status();
}

Status DestroyStream(aclrtStream handle, Stream::Queued queued) {
  RETURN_IF_ERROR(RequireNotNull(handle, "stream"));
  ASSIGN_OR_RETURN(const std::shared_ptr<Stream> stream, FindStreamInContext(handle, true));
  if (TheRuntime().streams.Remove(handle) == nullptr)
    FAIL(ACL_ERROR_RT_INVALID_HANDLE, "stream {} is being destroyed by another thread", handle);
  stream->Close(queued);
  if (StrictOn()) StrictNoteDestroyed(handle);
  return Status();
}

Status SynchronizeStream(aclrtStream handle, int64_t deadline_ns, Stream::Help help) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Stream> stream, FindStream(handle));
  const uint64_t ticket = stream->LastTicket();
  if (!stream->WaitFor(ticket, help, deadline_ns))
    FAIL(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "stream {} still has work after the timeout", handle);
  return stream->TakeError(ticket);
}

Status QueryStream(aclrtStream handle, aclrtStreamStatus* status) {
  RETURN_IF_ERROR(RequireNotNull(status, "status"));
  ASSIGN_OR_RETURN(const std::shared_ptr<Stream> stream, FindStream(handle));
  const uint64_t ticket = stream->LastTicket();
  const bool idle = stream->IsDone(ticket);
  *status = idle ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
  if (idle && StrictOn()) StrictOnReached(*stream, ticket);
  return Status();
}

}  // namespace
}  // namespace aclnn_cpu

using aclnn_cpu::AclCall;
using aclnn_cpu::Status;
using aclnn_cpu::Stream;

aclError aclrtCreateStream(aclrtStream* stream) {
  constexpr const char* kApi = "aclrtCreateStream";
  return AclCall(kApi, [&] { return aclnn_cpu::CreateStream(kApi, stream); });
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t /*priority*/,
                                     uint32_t /*flag*/) {
  constexpr const char* kApi = "aclrtCreateStreamWithConfig";
  return AclCall(kApi, [&] { return aclnn_cpu::CreateStream(kApi, stream); });
}

aclError aclrtDestroyStream(aclrtStream stream) {
  return AclCall("aclrtDestroyStream",
                 [&] { return aclnn_cpu::DestroyStream(stream, Stream::Queued::kFinish); });
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
  return AclCall("aclrtDestroyStreamForce",
                 [&] { return aclnn_cpu::DestroyStream(stream, Stream::Queued::kDrop); });
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
  return AclCall("aclrtSynchronizeStream", [&] {
    return aclnn_cpu::SynchronizeStream(stream, Stream::kNoDeadline, Stream::Help::kAllowed);
  });
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
  return AclCall("aclrtSynchronizeStreamWithTimeout", [&]() -> Status {
    ASSIGN_OR_RETURN(const int64_t deadline, aclnn_cpu::DeadlineAfter(timeout));
    return aclnn_cpu::SynchronizeStream(stream, deadline, Stream::Help::kForbidden);
  });
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
  return AclCall("aclrtStreamQuery", [&] { return aclnn_cpu::QueryStream(stream, status); });
}
