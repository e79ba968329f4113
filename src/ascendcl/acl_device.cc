#include <mutex>
#include <utility>

#include "acl/acl.h"
#include "ascendcl/api_call.h"
#include "ascendcl/runtime.h"
#include "ascendcl/soc_table.h"
#include "ascendcl/strict.h"
#include "ascendcl/strict_hooks.h"

namespace aclnn_cpu {
namespace {

Status SetDevice(int32_t device_id) {
  RETURN_IF_ERROR(CheckDevice(device_id));
  Runtime& runtime = TheRuntime();
  const std::lock_guard lock(runtime.mutex);
  Device& device = runtime.devices[static_cast<size_t>(device_id)];
  if (device.users == 0) device.primary = NewContext(device_id, true)->handle;
  ++device.users;
  SetCurrentContextHandle(device.primary);
  NoteInitialized();
  return Status();
}

enum class Reset { kOneUser, kAllUsers };

Status ResetDevice(int32_t device_id, Reset reset) {
  RETURN_IF_ERROR(CheckDevice(device_id));
  Runtime& runtime = TheRuntime();
  std::shared_ptr<Context> primary;
  {
    const std::lock_guard lock(runtime.mutex);
    Device& device = runtime.devices[static_cast<size_t>(device_id)];
    if (device.users == 0)
      FAIL(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "device {} is not set, or was reset already",
           device_id);
    device.users = reset == Reset::kAllUsers ? 0 : device.users - 1;
    if (device.users != 0) return Status();
    primary = runtime.contexts.Remove(std::exchange(device.primary, nullptr));
  }
  ReleaseContext(*primary);
  return Status();
}

Status SynchronizeDevice(int64_t deadline_ns, Stream::Help help) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Context> context, CurrentContext());
  const std::vector<std::shared_ptr<Stream>> streams = StreamsOfDevice(context->device);
  std::vector<uint64_t> tickets;
  for (const std::shared_ptr<Stream>& stream : streams) tickets.push_back(stream->LastTicket());
  for (size_t i = 0; i < streams.size(); ++i) {
    if (!streams[i]->WaitUntilDone(tickets[i], help, deadline_ns))
      FAIL(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "device {} still has work after the timeout",
           context->device);
  }
  // Only now: a wait that failed says nothing, not even of the streams that were done.
  if (StrictOn()) {
    for (size_t i = 0; i < streams.size(); ++i) StrictOnReached(*streams[i], tickets[i]);
  }
  Status first;
  for (size_t i = 0; i < streams.size(); ++i) {
    Status status = streams[i]->TakeError(tickets[i]);
    if (first.ok()) first = std::move(status);
  }
  return first;
}

Status GetErrorVerbose(int32_t device_id, aclrtErrorInfo* error_info) {
  RETURN_IF_ERROR(RequireNotNull(error_info, "errorInfo"));
  RETURN_IF_ERROR(CheckDevice(device_id));
  *error_info = aclrtErrorInfo{};
  error_info->errorType = ACL_RT_NO_ERROR;
  return Status();
}

}  // namespace
}  // namespace aclnn_cpu

using aclnn_cpu::AclCall;
using aclnn_cpu::Status;
using aclnn_cpu::Stream;

aclError aclrtSetDevice(int32_t deviceId) {
  return AclCall("aclrtSetDevice", [&] { return aclnn_cpu::SetDevice(deviceId); });
}

aclError aclrtResetDevice(int32_t deviceId) {
  return AclCall("aclrtResetDevice",
                 [&] { return aclnn_cpu::ResetDevice(deviceId, aclnn_cpu::Reset::kOneUser); });
}

aclError aclrtResetDeviceForce(int32_t deviceId) {
  return AclCall("aclrtResetDeviceForce",
                 [&] { return aclnn_cpu::ResetDevice(deviceId, aclnn_cpu::Reset::kAllUsers); });
}

aclError aclrtGetDevice(int32_t* deviceId) {
  return AclCall("aclrtGetDevice", [&]() -> Status {
    RETURN_IF_ERROR(aclnn_cpu::RequireNotNull(deviceId, "deviceId"));
    ASSIGN_OR_RETURN(const auto context, aclnn_cpu::CurrentContext());
    *deviceId = context->device;
    return Status();
  });
}

aclError aclrtGetDeviceCount(uint32_t* count) {
  return AclCall("aclrtGetDeviceCount", [&]() -> Status {
    RETURN_IF_ERROR(aclnn_cpu::RequireNotNull(count, "count"));
    *count = static_cast<uint32_t>(aclnn_cpu::DeviceCount());
    return Status();
  });
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
  return AclCall("aclrtGetRunMode", [&]() -> Status {
    RETURN_IF_ERROR(aclnn_cpu::RequireNotNull(runMode, "runMode"));
    *runMode = ACL_HOST;
    return Status();
  });
}

aclError aclrtSynchronizeDevice(void) {
  return AclCall("aclrtSynchronizeDevice", [] {
    return aclnn_cpu::SynchronizeDevice(Stream::kNoDeadline, Stream::Help::kAllowed);
  });
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
  return AclCall("aclrtSynchronizeDeviceWithTimeout", [&]() -> Status {
    ASSIGN_OR_RETURN(const int64_t deadline, aclnn_cpu::DeadlineAfter(timeout));
    return aclnn_cpu::SynchronizeDevice(deadline, Stream::Help::kForbidden);
  });
}

aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo* errorInfo) {
  return AclCall("aclrtGetErrorVerbose",
                 [&] { return aclnn_cpu::GetErrorVerbose(deviceId, errorInfo); });
}

const char* aclrtGetSocName(void) {
  const char* name = nullptr;
  AclCall("aclrtGetSocName", [&] {
    name = aclnn_cpu::CurrentSocName();
    return Status();
  });
  return name;
}
