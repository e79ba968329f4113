#include "ascendcl/runtime.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>
#include <utility>

#include "acl/acl_rt.h"
#include "ascendcl/strict.h"
#include "ascendcl/strict_hooks.h"
#include "ascendcl/work.h"
#include "base/env.h"
#include "base/futex.h"

namespace aclnn_cpu {
namespace {

constinit std::atomic<Runtime*> the_runtime{nullptr};
constinit std::atomic<bool> forked{false};
constinit std::atomic<bool> fork_handler_registered{false};
// A number, so that it needs no destructor; a handle that is no longer live means no context.
constinit thread_local void* current_context = nullptr;

// The parent's runtime is abandoned, not cleaned up: its mutexes may have been locked by threads
// that do not exist in the child.
void ForgetRuntimeInForkedChild() {
  the_runtime.store(nullptr, std::memory_order_relaxed);
  forked.store(true, std::memory_order_relaxed);
}

Status NoContext() {
  if (ForkedWithoutInit()) FAIL(ACL_ERROR_RT_CONTEXT_NULL, "{}", kForkedText);
  FAIL(ACL_ERROR_RT_CONTEXT_NULL,
       "the calling thread has no current context; call aclrtSetDevice or aclrtSetCurrentContext");
}

Status UnknownHandle(const char* what, const void* handle) {
  if (ForkedWithoutInit())
    FAIL(ACL_ERROR_RT_INVALID_HANDLE, "{} {} is unknown: {}", what, handle, kForkedText);
  FAIL(ACL_ERROR_RT_INVALID_HANDLE, "{} {} is unknown or was destroyed", what, handle);
}

StatusOr<std::shared_ptr<Stream>> DefaultStream(Context& context) {
  const std::lock_guard lock(context.mutex);
  if (context.released) return NoContext();
  if (context.default_stream == nullptr)
    context.default_stream = std::make_shared<Stream>(context.handle, context.device);
  return context.default_stream;
}

}  // namespace

Runtime::Runtime() : devices(static_cast<size_t>(DeviceCount())) {}

Runtime& TheRuntime() {
  if (Runtime* const runtime = the_runtime.load(std::memory_order_acquire)) return *runtime;
  auto fresh = std::make_unique<Runtime>();
  // Handlers are inherited by forked children, so one registration serves all generations.
  if (!fork_handler_registered.exchange(true))
    pthread_atfork(nullptr, nullptr, ForgetRuntimeInForkedChild);
  Runtime* expected = nullptr;
  if (the_runtime.compare_exchange_strong(expected, fresh.get(), std::memory_order_acq_rel))
    return *fresh.release();
  return *expected;
}

bool ForkedWithoutInit() { return forked.load(std::memory_order_relaxed); }

void NoteInitialized() { forked.store(false, std::memory_order_relaxed); }

// ---- contexts ----

void SetCurrentContextHandle(void* handle) { current_context = handle; }

StatusOr<std::shared_ptr<Context>> CurrentContext() {
  if (current_context == nullptr) return NoContext();
  std::shared_ptr<Context> context = TheRuntime().contexts.Find(current_context);
  if (context == nullptr) return NoContext();
  return context;
}

std::shared_ptr<Context> NewContext(int32_t device, bool primary) {
  void* const handle = NewHandle(HandleKind::kContext);
  auto context = std::make_shared<Context>(handle, device, primary);
  TheRuntime().contexts.InsertAs(handle, context);
  return context;
}

void ReleaseContext(Context& context) {
  std::shared_ptr<Stream> default_stream;
  {
    const std::lock_guard lock(context.mutex);
    context.released = true;  // from now on no stream can be added
    default_stream = std::exchange(context.default_stream, nullptr);
  }
  std::vector<std::shared_ptr<Stream>> streams = TheRuntime().streams.RemoveIf(
      [&](const Stream& stream) { return stream.context() == context.handle; });
  if (default_stream != nullptr) streams.push_back(std::move(default_stream));
  // First in all of them: one may wait for what comes after an open wait in another.
  for (const std::shared_ptr<Stream>& stream : streams) stream->GiveUpOpenWaits();
  for (const std::shared_ptr<Stream>& stream : streams) {
    stream->Close(Stream::Queued::kFinish);
    if (StrictOn()) StrictNoteDestroyed(stream->handle());
  }
}

// ---- streams and events ----

StatusOr<std::shared_ptr<Stream>> FindStream(aclrtStream handle) {
  if (handle == nullptr) {
    ASSIGN_OR_RETURN(const std::shared_ptr<Context> context, CurrentContext());
    return DefaultStream(*context);
  }
  std::shared_ptr<Stream> stream = TheRuntime().streams.Find(handle);
  if (stream == nullptr) return UnknownHandle("stream", handle);
  return stream;
}

StatusOr<std::shared_ptr<Stream>> FindStreamInContext(aclrtStream handle, bool same_context) {
  ASSIGN_OR_RETURN(std::shared_ptr<Stream> stream, FindStream(handle));
  ASSIGN_OR_RETURN(const std::shared_ptr<Context> context, CurrentContext());
  if (same_context && stream->context() != context->handle)
    FAIL(ACL_ERROR_RT_STREAM_CONTEXT, "stream {} belongs to context {}, current is context {}",
         handle, stream->context(), context->handle);
  return stream;
}

StatusOr<std::shared_ptr<Event>> FindEvent(aclrtEvent handle) {
  std::shared_ptr<Event> event = TheRuntime().events.Find(handle);
  if (event == nullptr) return UnknownHandle("event", handle);
  return event;
}

std::vector<std::shared_ptr<Stream>> StreamsOfDevice(int32_t device) {
  Runtime& runtime = TheRuntime();
  std::vector<std::shared_ptr<Stream>> streams = runtime.streams.All();
  for (const std::shared_ptr<Context>& context : runtime.contexts.All()) {
    const std::lock_guard lock(context->mutex);
    if (context->default_stream != nullptr) streams.push_back(context->default_stream);
  }
  if (device != kAllDevices)
    std::erase_if(streams, [&](const auto& stream) { return stream->device() != device; });
  return streams;
}

// ---- devices ----

int32_t DeviceCount() {
  const auto configured = static_cast<int32_t>(EnvNumber(EnvVar::kDevices, 1));
  return CountVisibleDevices(EnvText(EnvVar::kVisibleDevices), configured);
}

Status CheckDevice(int32_t device) {
  const int32_t count = DeviceCount();
  if (device >= 0 && device < count) return Status();
  if (count == 0)
    FAIL(ACL_ERROR_RT_INVALID_DEVICEID, "deviceId is {}, but no device is visible", device);
  FAIL(ACL_ERROR_RT_INVALID_DEVICEID, "deviceId is {}, must be in 0..{}", device, count - 1);
}

int32_t CountVisibleDevices(const char* visible, int32_t configured) {
  if (visible == nullptr) return configured;
  const char* const end = visible + std::strlen(visible);
  int32_t count = 0;
  int32_t previous = -1;
  for (const char* next = visible; next < end;) {
    int32_t device = 0;
    const auto parsed = std::from_chars(next, end, device);
    const bool complete = parsed.ec == std::errc() && (parsed.ptr == end || *parsed.ptr == ',');
    if (!complete || device <= previous || device >= configured) break;
    previous = device;
    ++count;
    next = parsed.ptr == end ? end : parsed.ptr + 1;
  }
  return count;
}

// ---- arguments ----

Status RequireNotNull(const void* pointer, const char* argument) {
  if (pointer != nullptr) return Status();
  FAIL(ACL_ERROR_INVALID_PARAM, "{} is null, must not be null", argument);
}

StatusOr<int64_t> DeadlineAfter(int32_t timeout_ms) {
  if (timeout_ms == -1) return Stream::kNoDeadline;
  if (timeout_ms <= 0)
    FAIL(ACL_ERROR_RT_PARAM_INVALID, "timeout is {}, must be -1 or at least 1", timeout_ms);
  return MonotonicNs() + int64_t{timeout_ms} * 1'000'000;
}

}  // namespace aclnn_cpu
