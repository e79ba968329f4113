#include <memory>
#include <utility>

#include "acl/acl.h"
#include "ascendcl/api_call.h"
#include "ascendcl/runtime.h"
#include "ascendcl/strict.h"
#include "ascendcl/strict_hooks.h"

namespace aclnn_cpu {
namespace {

constexpr uint32_t kEventFlags = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS |
                                 ACL_EVENT_TIME_LINE | ACL_EVENT_DEVICE_USE_ONLY |
                                 ACL_EVENT_EXTERNAL | ACL_EVENT_IPC;

Status CreateEvent(const char* api, aclrtEvent* handle, Event::Origin origin, uint32_t flags) {
  RETURN_IF_ERROR(RequireNotNull(handle, "event"));
  if (origin == Event::Origin::kCreateEventWithFlag && (flags == 0 || (flags & ~kEventFlags) != 0))
    FAIL(ACL_ERROR_RT_PARAM_INVALID, "flag is {:#x}, must be a non-empty set of bits of {:#x}",
         flags, kEventFlags);
  ASSIGN_OR_RETURN(const std::shared_ptr<Context> context, CurrentContext());
  *handle = TheRuntime().events.Insert(std::make_shared<Event>(origin, flags));
  if (StrictOn()) StrictNoteCreated(api, *handle);
  return Status();
}

Status DestroyEvent(aclrtEvent handle) {
  RETURN_IF_ERROR(RequireNotNull(handle, "event"));
  RETURN_IF_ERROR(FindEvent(handle).status());
  TheRuntime().events.Remove(handle);
  if (StrictOn()) StrictNoteDestroyed(handle);
  return Status();
}

// The two arguments of calls that tie an event to a stream.
struct EventAndStream {
  std::shared_ptr<Event> event;
  std::shared_ptr<Stream> stream;
};

StatusOr<EventAndStream> FindBoth(aclrtEvent event_handle, aclrtStream stream_handle) {
  RETURN_IF_ERROR(RequireNotNull(event_handle, "event"));
  ASSIGN_OR_RETURN(std::shared_ptr<Event> event, FindEvent(event_handle));
  ASSIGN_OR_RETURN(std::shared_ptr<Stream> stream, FindStreamInContext(stream_handle, true));
  return EventAndStream{std::move(event), std::move(stream)};
}

Status RecordEvent(aclrtEvent event_handle, aclrtStream stream_handle) {
  ASSIGN_OR_RETURN(const EventAndStream both, FindBoth(event_handle, stream_handle));
  std::shared_ptr<EventRecord> record = both.event->BeginRecord();
  StreamTask task;
  task.record = record;
  const StatusOr<uint64_t> ticket = both.stream->Enqueue(std::move(task));
  if (!ticket.ok()) {
    both.event->CancelRecord(std::move(record));
    return ticket.status();
  }
  both.event->CommitRecord(std::move(record), both.stream, ticket.value());
  return Status();
}

Status WaitEvent(aclrtStream stream_handle, aclrtEvent event_handle) {
  RETURN_IF_ERROR(RequireNotNull(event_handle, "event"));
  ASSIGN_OR_RETURN(const std::shared_ptr<Event> event, FindEvent(event_handle));
  ASSIGN_OR_RETURN(const std::shared_ptr<Stream> stream, FindStream(stream_handle));
  StreamTask task;
  ASSIGN_OR_RETURN(task.wait, event->BeginWait());
  return stream->Enqueue(std::move(task)).status();
}

Status SynchronizeEvent(aclrtEvent handle, int64_t deadline_ns, Stream::Help help) {
  RETURN_IF_ERROR(RequireNotNull(handle, "event"));
  ASSIGN_OR_RETURN(const std::shared_ptr<Event> event, FindEvent(handle));
  const Event::Mark last = event->Last();
  if (last.record == nullptr) return Status();
  // A stream that is gone has finished its work.
  const std::shared_ptr<Stream> stream = last.stream.lock();
  if (stream == nullptr || stream->WaitFor(last.ticket, help, deadline_ns)) return Status();
  FAIL(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "event {} is not reached after the timeout", handle);
}

// The caller has been told that the work before the event is done.
void StrictOnTold(const Event::Mark& mark) {
  if (const std::shared_ptr<Stream> stream = mark.stream.lock())
    StrictOnReached(*stream, mark.ticket);
}

// Shared by the two questions about a record.
template <typename Value>
Status QueryEvent(aclrtEvent handle, Value* status, Value if_done, Value if_pending,
                  Value if_never_recorded) {
  RETURN_IF_ERROR(RequireNotNull(handle, "event"));
  RETURN_IF_ERROR(RequireNotNull(status, "status"));
  ASSIGN_OR_RETURN(const std::shared_ptr<Event> event, FindEvent(handle));
  const Event::Mark last = event->Last();
  const bool done = last.record != nullptr && last.record->finished();
  *status = done ? if_done : last.record != nullptr ? if_pending : if_never_recorded;
  if (done && StrictOn()) StrictOnTold(last);
  return Status();
}

Status QueryWaits(aclrtEvent handle, aclrtEventWaitStatus* status) {
  RETURN_IF_ERROR(RequireNotNull(handle, "event"));
  RETURN_IF_ERROR(RequireNotNull(status, "status"));
  ASSIGN_OR_RETURN(const std::shared_ptr<Event> event, FindEvent(handle));
  // Taken before the answer, which does not speak of waits that come in between.
  const std::shared_ptr<OrderPoint> so_far = StrictOn() ? StrictCopy(event->waits()) : nullptr;
  const bool open = event->HasOpenWaits();
  *status = open ? ACL_EVENT_WAIT_STATUS_NOT_READY : ACL_EVENT_WAIT_STATUS_COMPLETE;
  if (!open && so_far != nullptr) StrictOnReached(*so_far);
  return Status();
}

StatusOr<int64_t> TimeOf(const Event::Mark& last, const char* argument) {
  if (last.record == nullptr)
    FAIL(ACL_ERROR_RT_INTERNAL_ERROR, "{} was never recorded, must be recorded", argument);
  if (!last.record->finished())
    FAIL(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
         "{} is recorded but not reached yet, must be synchronised first", argument);
  return last.record->time_ns();
}

Status ElapsedTime(float* ms, aclrtEvent start_handle, aclrtEvent end_handle) {
  RETURN_IF_ERROR(RequireNotNull(ms, "ms"));
  RETURN_IF_ERROR(RequireNotNull(start_handle, "startEvent"));
  RETURN_IF_ERROR(RequireNotNull(end_handle, "endEvent"));
  ASSIGN_OR_RETURN(const std::shared_ptr<Event> start_event, FindEvent(start_handle));
  ASSIGN_OR_RETURN(const std::shared_ptr<Event> end_event, FindEvent(end_handle));
  const Event::Mark start_mark = start_event->Last();
  const Event::Mark end_mark = end_event->Last();
  ASSIGN_OR_RETURN(const int64_t start, TimeOf(start_mark, "startEvent"));
  ASSIGN_OR_RETURN(const int64_t end, TimeOf(end_mark, "endEvent"));
  *ms = static_cast<float>(static_cast<double>(end - start) / 1e6);
  if (StrictOn()) {
    StrictOnTold(start_mark);
    StrictOnTold(end_mark);
  }
  return Status();
}

}  // namespace
}  // namespace aclnn_cpu

using aclnn_cpu::AclCall;
using aclnn_cpu::Event;
using aclnn_cpu::Status;
using aclnn_cpu::Stream;

aclError aclrtCreateEvent(aclrtEvent* event) {
  constexpr const char* kApi = "aclrtCreateEvent";
  return AclCall(
      kApi, [&] { return aclnn_cpu::CreateEvent(kApi, event, Event::Origin::kCreateEvent, 0); });
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) {
  constexpr const char* kApi = "aclrtCreateEventWithFlag";
  return AclCall(kApi, [&] {
    return aclnn_cpu::CreateEvent(kApi, event, Event::Origin::kCreateEventWithFlag, flag);
  });
}

aclError aclrtDestroyEvent(aclrtEvent event) {
  return AclCall("aclrtDestroyEvent", [&] { return aclnn_cpu::DestroyEvent(event); });
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  return AclCall("aclrtRecordEvent", [&] { return aclnn_cpu::RecordEvent(event, stream); });
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
  return AclCall("aclrtResetEvent", [&]() -> Status {
    ASSIGN_OR_RETURN(const auto both, aclnn_cpu::FindBoth(event, stream));
    // At once rather than in stream order, for the host too: waits took their record when they were
    // enqueued, and a later wait or question must not get the old record.
    return both.event->Reset();
  });
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  return AclCall("aclrtStreamWaitEvent", [&] { return aclnn_cpu::WaitEvent(stream, event); });
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
  return AclCall("aclrtSynchronizeEvent", [&] {
    return aclnn_cpu::SynchronizeEvent(event, Stream::kNoDeadline, Stream::Help::kAllowed);
  });
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
  return AclCall("aclrtSynchronizeEventWithTimeout", [&]() -> Status {
    ASSIGN_OR_RETURN(const int64_t deadline, aclnn_cpu::DeadlineAfter(timeout));
    return aclnn_cpu::SynchronizeEvent(event, deadline, Stream::Help::kForbidden);
  });
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
  return AclCall("aclrtQueryEventStatus", [&] {
    return aclnn_cpu::QueryEvent(event, status, ACL_EVENT_RECORDED_STATUS_COMPLETE,
                                 ACL_EVENT_RECORDED_STATUS_NOT_READY,
                                 ACL_EVENT_RECORDED_STATUS_NOT_READY);
  });
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status) {
  return AclCall("aclrtQueryEvent", [&] {
    return aclnn_cpu::QueryEvent(event, status, ACL_EVENT_STATUS_COMPLETE,
                                 ACL_EVENT_STATUS_NOT_READY, ACL_EVENT_STATUS_COMPLETE);
  });
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status) {
  return AclCall("aclrtQueryEventWaitStatus", [&] { return aclnn_cpu::QueryWaits(event, status); });
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
  return AclCall("aclrtEventElapsedTime",
                 [&] { return aclnn_cpu::ElapsedTime(ms, startEvent, endEvent); });
}
