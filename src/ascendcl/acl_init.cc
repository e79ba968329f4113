#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>

#include "acl/acl.h"
#include "ascendcl/api_call.h"
#include "ascendcl/runtime.h"
#include "ascendcl/strict.h"
#include "ascendcl/strict_hooks.h"
#include "base/parallel.h"

namespace aclnn_cpu {
namespace {

// The configuration has no effect here, but a wrong path is found out as on CANN.
Status CheckConfigFile(const char* path) {
  if (path == nullptr || *path == '\0') return Status();
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    FAIL(ACL_ERROR_INVALID_FILE, "configPath {} cannot be opened: errno {}", path, errno);
  struct stat properties;
  const bool is_folder = fstat(file, &properties) != 0 || S_ISDIR(properties.st_mode);
  close(file);
  if (is_folder) FAIL(ACL_ERROR_INVALID_FILE, "configPath {} must be a file", path);
  return Status();
}

Status Initialize(const char* config_path) {
  Runtime& runtime = TheRuntime();
  const std::lock_guard lock(runtime.mutex);
  if (runtime.init_count > 0) {
    ++runtime.init_count;
    FAIL(ACL_ERROR_REPEAT_INITIALIZE, "called {} times without aclFinalize", runtime.init_count);
  }
  RETURN_IF_ERROR(CheckConfigFile(config_path));
  runtime.init_count = 1;
  runtime.finalized = false;
  NoteInitialized();
  if (StrictOn()) StrictOnInit();
  return Status();
}

// Ends what only costs: threads. Everything that callers hold handles of stays usable.
void StopThreads() {
  const std::vector<std::shared_ptr<Stream>> streams = StreamsOfDevice(kAllDevices);
  // Nobody may be left to record an event that a stream waits for.
  for (const std::shared_ptr<Stream>& stream : streams) stream->GiveUpOpenWaits();
  // First all work, then the workers: streams may wait for one another's events.
  for (const std::shared_ptr<Stream>& stream : streams)
    stream->WaitFor(stream->LastTicket(), Stream::Help::kAllowed);
  for (const std::shared_ptr<Stream>& stream : streams) stream->StopWorker();
  for (const std::shared_ptr<Stream>& stream : streams) stream->KeepOpenWaits();
  StopPool();
  if (StrictOn()) StrictOnFinalize();
}

Status Finalize() {
  Runtime& runtime = TheRuntime();
  {
    const std::lock_guard lock(runtime.mutex);
    if (runtime.finalized) FAIL(ACL_ERROR_REPEAT_FINALIZE, "called again without aclInit between");
    runtime.finalized = true;
    runtime.init_count = 0;
  }
  StopThreads();
  return Status();
}

Status FinalizeReference(uint64_t* references_left) {
  Runtime& runtime = TheRuntime();
  {
    const std::lock_guard lock(runtime.mutex);
    const uint64_t count = runtime.init_count;
    if (count > 0) {
      --runtime.init_count;
      runtime.finalized = count == 1;
    }
    if (references_left != nullptr) *references_left = runtime.init_count;
    if (count == 0) FAIL(ACL_ERROR_REPEAT_FINALIZE, "no aclInit is left to take back");
    if (count > 1) return Status();
  }
  StopThreads();
  return Status();
}

}  // namespace
}  // namespace aclnn_cpu

using aclnn_cpu::AclCall;

aclError aclInit(const char* configPath) {
  return AclCall("aclInit", [&] { return aclnn_cpu::Initialize(configPath); });
}

aclError aclFinalize(void) {
  return AclCall("aclFinalize", [] { return aclnn_cpu::Finalize(); });
}

aclError aclFinalizeReference(uint64_t* refCount) {
  return AclCall("aclFinalizeReference", [&] { return aclnn_cpu::FinalizeReference(refCount); });
}
