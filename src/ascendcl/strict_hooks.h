#ifndef ACLNN_CPU_ASCENDCL_STRICT_HOOKS_H_
#define ACLNN_CPU_ASCENDCL_STRICT_HOOKS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "ascendcl/device_memory.h"
#include "ascendcl/strict_report.h"
#include "base/status.h"

// Where the rest of the library meets strict mode. To be called only if StrictOn().

namespace aclnn_cpu {

class EventRecord;
class FindingList;
class Stream;
struct EventWaits;
struct MemoryAccess;
struct OrderPoint;
struct StreamTask;

// ---- device memory, in place of DeviceMemory's own ----

// Addresses on which operators may rely are multiples of it.
inline constexpr uintptr_t kDeviceAlignment = 32;

StatusOr<void*> StrictAllocate(size_t bytes, MemoryKind kind, const AskedFor& asked_for);
Status StrictFree(void* address, MemoryKind kind);
std::optional<Allocation> StrictFind(const void* address);

// How many bytes from `address` on the caller has asked for; nothing if it is in no live block.
std::optional<size_t> StrictBytesFrom(const void* address);

// The address under which the library itself reaches device memory; any other stays as it is.
void* StrictTwin(const void* address);

// ---- accesses ----

// `address` belongs to a call that is refused: has it been freed?
void StrictOnRefused(const char* api, const char* argument, const void* address);

// The host reads or writes `count` bytes by a synchronous call.
void StrictOnHostAccess(const char* api, const char* argument, const void* address, size_t count,
                        bool is_write);

// `task` is going to be put on the stream: checks what it touches, but not in which order.
void StrictBeforeTask(const Stream& stream, const StreamTask& task);

// `task` becomes number `ticket` of the stream; nobody has run it yet. Its work gets the addresses
// that the library itself can use. The stream's lock is held.
void StrictOnTask(Stream& stream, const StreamTask& task, uint64_t ticket, FindingList* findings);

// The host knows that the stream has got past `ticket`.
void StrictOnReached(Stream& stream, uint64_t ticket) noexcept;

// The waits so far, and later that the host knows that the streams have got past them. Null if
// there were none.
std::shared_ptr<OrderPoint> StrictCopy(const EventWaits& waits);
void StrictOnReached(OrderPoint& waits);

// The stream is empty and takes nothing any more.
void StrictOnClosed(Stream& stream) noexcept;

// The record can never be reached.
void StrictOnAbandoned(EventRecord& record);

// ---- leaks ----

// A stream, event or context came from `api`, or was destroyed by its caller.
void StrictNoteCreated(const char* api, const void* handle);
void StrictNoteDestroyed(const void* handle);

// What is still alive, each thing once. A layer above adds what it knows.
void StrictReportLeaks(LeakTime time);
using LeakReporter = void (*)(LeakTime);
void StrictAddLeakReporter(LeakReporter reporter);

// aclInit: device memory may be older than that.
void StrictOnInit();

// aclFinalize: leaks, summary, and the old SIGSEGV handler.
void StrictOnFinalize();

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_ASCENDCL_STRICT_HOOKS_H_
