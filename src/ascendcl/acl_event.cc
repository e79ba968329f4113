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

Status CreateEvent(aclrtEvent* handle, Event::Origin origin, uint32_t flags) {
  RETURN_IF_ERROR(RequireNotNull(handle, "event"));
  if (origin == Event::Origin::kCreateEventWithFlag && (flags == 0 || (flags & ~kEventFlags) != 0))
    FAIL(ACL_ERROR_RT_PARAM_INVALID, "flag is {:#x}, must be a non-empty set of bits of {:#x}",
         flags, kEventFlags);
  ASSIGN_OR_RETURN(const std::shared_ptr<Context> context, CurrentContext());
  *handle = TheRuntime().events.Insert(std::make_shared<Event>(origin, flags));
  if (StrictOn()) StrictNoteCreated("aclrtCreateEvent", *handle);
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

// A caller that asks learns that the work before the event is done.
void NoteIfReached(const Event& event) {
  const Event::Mark last = event.Last();
  if (last.record == nullptr || !last.record->reached()) return;
  if (const std::shared_ptr<Stream> stream = last.stream.lock())
    StrictOnReached(*stream, last.ticket);
}

// Shared by the three questions about an event. `answer` gets the event.
template <typename Value, typename Answer>
Status QueryEvent(aclrtEvent handle, Value* status, Answer answer) {
  RETURN_IF_ERROR(RequireNotNull(handle, "event"));
  RETURN_IF_ERROR(RequireNotNull(status, "status"));
  ASSIGN_OR_RETURN(const std::shared_ptr<Event> event, FindEvent(handle));
  *status = answer(*event);
  if (StrictOn()) NoteIfReached(*event);
  return Status();
}

StatusOr<int64_t> TimeOf(const Event& event, const char* argument) {
  const Event::Mark last = event.Last();
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
  ASSIGN_OR_RETURN(const int64_t start, TimeOf(*start_event, "startEvent"));
  ASSIGN_OR_RETURN(const int64_t end, TimeOf(*end_event, "endEvent"));
  *ms = static_cast<float>(static_cast<double>(end - start) / 1e6);
  return Status();
}

}  // namespace
}  // namespace aclnn_cpu

using aclnn_cpu::AclCall;
using aclnn_cpu::Event;
using aclnn_cpu::Status;
using aclnn_cpu::Stream;

aclError aclrtCreateEvent(aclrtEvent* event) {
  return AclCall("aclrtCreateEvent",
                 [&] { return aclnn_cpu::CreateEvent(event, Event::Origin::kCreateEvent, 0); });
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) {
  return AclCall("aclrtCreateEventWithFlag", [&] {
    return aclnn_cpu::CreateEvent(event, Event::Origin::kCreateEventWithFlag, flag);
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
    return aclnn_cpu::QueryEvent(event, status, [](const Event& known) {
      const Event::Mark last = known.Last();
      return last.record != nullptr && last.record->finished()
                 ? ACL_EVENT_RECORDED_STATUS_COMPLETE
                 : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    });
  });
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status) {
  return AclCall("aclrtQueryEvent", [&] {
    return aclnn_cpu::QueryEvent(event, status, [](const Event& known) {
      const Event::Mark last = known.Last();
      return last.record == nullptr || last.record->finished() ? ACL_EVENT_STATUS_COMPLETE
                                                               : ACL_EVENT_STATUS_NOT_READY;
    });
  });
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status) {
  return AclCall("aclrtQueryEventWaitStatus", [&] {
    return aclnn_cpu::QueryEvent(event, status, [](const Event& known) {
      return known.HasOpenWaits() ? ACL_EVENT_WAIT_STATUS_NOT_READY
                                  : ACL_EVENT_WAIT_STATUS_COMPLETE;
    });
  });
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
  return AclCall("aclrtEventElapsedTime",
                 [&] { return aclnn_cpu::ElapsedTime(ms, startEvent, endEvent); });
}
