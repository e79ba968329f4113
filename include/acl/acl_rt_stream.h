/// Streams and events. Part of acl/acl_rt.h, whose head states the rules that hold for all
/// functions. C and C++.
///
/// A stream runs what is queued on it in order; streams run beside each other. A null stream stands
/// for the default stream of the current context, an ordinary stream without special ordering. An
/// event marks a point of a stream.
///
/// Handles are checked before the context: one that is unknown or was destroyed gives 107017. Small
/// work on an idle stream may run before the call that queues it returns, a thread that waits may
/// run queued work itself, and a call that queues on a stream with 1024 pieces of work waits until
/// there is room (ours).

#ifndef ACLNN_CPU_ACL_ACL_RT_STREAM_H_
#define ACLNN_CPU_ACL_ACL_RT_STREAM_H_

#include <stdint.h>

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Flags of aclrtCreateStreamWithConfig(). Accepted, no effect.
#define ACL_STREAM_FAST_LAUNCH 0x00000001U
#define ACL_STREAM_FAST_SYNC 0x00000002U
#define ACL_STREAM_PERSISTENT 0x00000004U
#define ACL_STREAM_HUGE 0x00000008U
#define ACL_STREAM_CPU_SCHEDULE 0x00000010U
#define ACL_STREAM_DEVICE_USE_ONLY 0x00000020U

/// Flags of aclrtCreateEventWithFlag(). Only ACL_EVENT_SYNC has an effect: streams can wait for the
/// event. Time is always recorded.
#define ACL_EVENT_SYNC 0x00000001U
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS 0x00000002U
#define ACL_EVENT_TIME_LINE 0x00000008U
#define ACL_EVENT_DEVICE_USE_ONLY 0x00000010U
#define ACL_EVENT_EXTERNAL 0x00000020U
#define ACL_EVENT_IPC 0x00000040U

/// Whether all work of a stream is done.
typedef enum aclrtStreamStatus {
  ACL_STREAM_STATUS_COMPLETE = 0,
  ACL_STREAM_STATUS_NOT_READY = 1,
  ACL_STREAM_STATUS_RESERVED = 0xFFFF
} aclrtStreamStatus;

/// Answer of the deprecated aclrtQueryEvent(). Mind the values: COMPLETE is 0 here, 1 below.
typedef enum aclrtEventStatus {
  ACL_EVENT_STATUS_COMPLETE = 0,
  ACL_EVENT_STATUS_NOT_READY = 1,
  ACL_EVENT_STATUS_RESERVED = 2
} aclrtEventStatus;

/// Whether the work before the last aclrtRecordEvent() is done.
typedef enum aclrtEventRecordedStatus {
  ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
  ACL_EVENT_RECORDED_STATUS_COMPLETE = 1
} aclrtEventRecordedStatus;

/// Whether the waits for an event are over.
typedef enum aclrtEventWaitStatus {
  ACL_EVENT_WAIT_STATUS_COMPLETE = 0,
  ACL_EVENT_WAIT_STATUS_NOT_READY = 1,
  ACL_EVENT_WAIT_STATUS_RESERVED = 0xFFFF
} aclrtEventWaitStatus;

// ---- streams ----

/// Creates a stream in the current context.
///
/// @param stream receives the handle; the caller destroys it
/// @return 0; 100000 null; 107002 no current context
ACL_FUNC_VISIBILITY aclError aclrtCreateStream(aclrtStream* stream);

/// The same with settings, which have no effect (ours).
///
/// @param stream as above
/// @param priority any value
/// @param flag any of the ACL_STREAM_ flags, combined with |
/// @return as above
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority,
                                                         uint32_t flag);

/// Destroys a stream. Blocks until its queued work is done; a wait for an event that nothing has
/// recorded is given up (ours).
///
/// @param stream handle
/// @return 0; 100000 null; 107017 unknown; 107002 no current context; 107003 of another context
ACL_FUNC_VISIBILITY aclError aclrtDestroyStream(aclrtStream stream);

/// Destroys a stream without running what is still queued; blocks only for work already running.
///
/// @param stream handle
/// @return as aclrtDestroyStream()
ACL_FUNC_VISIBILITY aclError aclrtDestroyStreamForce(aclrtStream stream);

/// Blocks until what was queued on a stream before this call is done.
///
/// @param stream handle of any context; null is the default stream of the current context
/// @return 0; 107017 unknown; 107002 null and no current context; else the code of the first queued
///   work of the stream that failed since the last such call
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStream(aclrtStream stream);

/// The same with a limit.
///
/// @param stream as above
/// @param timeout milliseconds, or -1 for no limit
/// @return as above; 107000 timeout is 0 or below -1; 507046 the limit was reached, work goes on
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);

/// Asks whether a stream is idle. Does not wait.
///
/// @param stream handle; null is the default stream of the current context
/// @param status receives ACL_STREAM_STATUS_COMPLETE or _NOT_READY
/// @return 0; 100000 status is null; 107017 unknown; 107002 null stream and no current context
ACL_FUNC_VISIBILITY aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status);

/// Lets the later work of a stream wait for an event, as last recorded when this is called. Queued,
/// the caller does not wait.
///
/// @param stream handle; null is the default stream of the current context
/// @param event event. One from aclrtCreateEventWithFlag() needs ACL_EVENT_SYNC; if it was never
///   recorded, the stream waits for the next record
/// @return 0; 100000 event is null; 107017 unknown stream or event; 107002 no current context;
///   207000 event without ACL_EVENT_SYNC; 107000 event from aclrtCreateEvent()
///   that was never recorded
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);

// ---- events ----

/// Creates an event. Streams can wait for it, once it was recorded.
///
/// @param event receives the handle; the caller destroys it
/// @return 0; 100000 null; 107002 no current context
ACL_FUNC_VISIBILITY aclError aclrtCreateEvent(aclrtEvent* event);

/// Creates an event for the purposes given.
///
/// @param event as above
/// @param flag ACL_EVENT_ flags, combined with |; not 0
/// @return 0; 100000 null; 107000 flag is 0 or has other bits; 107002 no current context
ACL_FUNC_VISIBILITY aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag);

/// Destroys an event. Records and waits already queued are not disturbed; a stream that waits for a
/// record which now cannot come goes on and reports 507000 when synchronised (ours).
///
/// @param event handle
/// @return 0; 100000 null; 107017 unknown
ACL_FUNC_VISIBILITY aclError aclrtDestroyEvent(aclrtEvent event);

/// Marks the present end of a stream: the event is complete when the work queued so far is done.
/// Recording again moves the mark.
///
/// @param event event
/// @param stream stream of the current context; null is its default stream
/// @return 0; 100000 event is null; 107017 unknown event or stream; 107002 no current context;
///   107003 stream of another context
ACL_FUNC_VISIBILITY aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);

/// Makes an event "never recorded" again, for use after a wait. Waits queued before are not
/// disturbed.
///
/// @param event event with ACL_EVENT_SYNC, or from aclrtCreateEvent()
/// @param stream stream of the current context; null is its default stream
/// @return as aclrtRecordEvent(); 207000 event without ACL_EVENT_SYNC
ACL_FUNC_VISIBILITY aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream);

/// Blocks until an event is complete; returns at once if it was never recorded.
///
/// @param event event
/// @return 0; 100000 null; 107017 unknown
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEvent(aclrtEvent event);

/// The same with a limit.
///
/// @param event event
/// @param timeout milliseconds, or -1 for no limit
/// @return 0; 107000 timeout is 0 or below -1; 100000 event is null; 107017 unknown; 507047 the
///   limit was reached
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout);

/// Asks whether an event is complete. Does not wait.
///
/// @param event event
/// @param status receives ACL_EVENT_RECORDED_STATUS_COMPLETE or, never recorded too, _NOT_READY
/// @return 0; 100000 a pointer is null; 107017 unknown
ACL_FUNC_VISIBILITY aclError aclrtQueryEventStatus(aclrtEvent event,
                                                   aclrtEventRecordedStatus* status);

/// Asks whether all aclrtStreamWaitEvent() calls for an event are over. Does not wait.
///
/// @param event event
/// @param status receives ACL_EVENT_WAIT_STATUS_COMPLETE or _NOT_READY
/// @return 0; 100000 a pointer is null; 107017 unknown
ACL_FUNC_VISIBILITY aclError aclrtQueryEventWaitStatus(aclrtEvent event,
                                                       aclrtEventWaitStatus* status);

/// Older form of aclrtQueryEventStatus().
///
/// @param event event
/// @param status receives ACL_EVENT_STATUS_NOT_READY or, never recorded too, _COMPLETE
/// @return 0; 100000 a pointer is null; 107017 unknown
ACL_DEPRECATED_MESSAGE("use aclrtQueryEventStatus")
ACL_FUNC_VISIBILITY aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status);

/// Time between two events, by this computer's steady clock.
///
/// @param ms receives milliseconds; negative if endEvent was reached first
/// @param startEvent, endEvent complete events
/// @return 0; 100000 a pointer is null; 107017 unknown; 507000 one was never recorded; 107006 one
///   is recorded but not complete
ACL_FUNC_VISIBILITY aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent,
                                                   aclrtEvent endEvent);

#ifdef __cplusplus
}
#endif

#endif  // ACLNN_CPU_ACL_ACL_RT_STREAM_H_
