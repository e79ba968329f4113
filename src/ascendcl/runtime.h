#ifndef ACLNN_CPU_ASCENDCL_RUNTIME_H_
#define ACLNN_CPU_ASCENDCL_RUNTIME_H_

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "acl/acl_base.h"
#include "ascendcl/device_memory.h"
#include "ascendcl/event.h"
#include "ascendcl/handle_table.h"
#include "ascendcl/stream.h"
#include "base/status.h"

namespace aclnn_cpu {

inline constexpr size_t kSysParamCount = 4;  // aclSysParamOpt
using SysParams = std::array<std::optional<int64_t>, kSysParamCount>;

// The object behind an aclrtContext.
struct Context {
  Context(void* own_handle, int32_t device_id, bool is_primary)
      : handle(own_handle), device(device_id), primary(is_primary) {}

  void* const handle;
  const int32_t device;
  const bool primary;

  std::mutex mutex;  // guards what follows
  bool released = false;
  std::shared_ptr<Stream> default_stream;  // created when first needed
  SysParams sys_params;
};

struct Device {
  int64_t users = 0;        // aclrtSetDevice calls not yet taken back
  void* primary = nullptr;  // handle of the primary context while there are users
};

// All state of this layer. There is one, allocated at first use and never freed: calls may come
// from static destructors, and worker threads may still run at exit.
struct Runtime {
  Runtime();

  HandleTable<Context> contexts{HandleKind::kContext};
  HandleTable<Stream> streams{HandleKind::kStream};  // without the default streams
  HandleTable<Event> events{HandleKind::kEvent};
  DeviceMemory memory;

  std::mutex mutex;  // guards what follows
  uint64_t init_count = 0;
  bool finalized = false;
  std::vector<Device> devices;
  SysParams sys_params;
};

Runtime& TheRuntime();

// aclInit or aclrtSetDevice has succeeded: ends the state of ForkedWithoutInit().
void NoteInitialized();

// ---- contexts ----

void SetCurrentContextHandle(void* handle);

// The calling thread's context, or 107002.
StatusOr<std::shared_ptr<Context>> CurrentContext();

std::shared_ptr<Context> NewContext(int32_t device, bool primary);

// Finishes and destroys the streams of a context that is no longer in the table.
void ReleaseContext(Context& context);

// ---- streams and events ----

// The stream behind a handle, null standing for the default stream of the current context; 107017
// or 107002.
StatusOr<std::shared_ptr<Stream>> FindStream(aclrtStream handle);

// The same for calls that put something on the stream: without a context they fail even if the
// stream is known. A stream of another context gives 107003 if `same_context`.
StatusOr<std::shared_ptr<Stream>> FindStreamInContext(aclrtStream handle, bool same_context);

StatusOr<std::shared_ptr<Event>> FindEvent(aclrtEvent handle);

// All streams, or those of one device, default streams included.
inline constexpr int32_t kAllDevices = -1;
std::vector<std::shared_ptr<Stream>> StreamsOfDevice(int32_t device);

// ---- devices ----

int32_t DeviceCount();
Status CheckDevice(int32_t device);

// How many of `configured` devices ASCEND_RT_VISIBLE_DEVICES = `visible` shows: numbers in
// ascending order, separated by commas; reading stops at the first entry that is not one. Null
// shows all.
int32_t CountVisibleDevices(const char* visible, int32_t configured);

// ---- arguments ----

// Fails with 100000 for a null pointer.
Status RequireNotNull(const void* pointer, const char* argument);

// The deadline `timeout_ms` from now (-1: none), or 107000 for 0 and below -1.
StatusOr<int64_t> DeadlineAfter(int32_t timeout_ms);

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_ASCENDCL_RUNTIME_H_
