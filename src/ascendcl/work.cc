#include "ascendcl/work.h"

#include <utility>

#include "ascendcl/runtime.h"

namespace aclnn_cpu {

// In a forked child a handle of the parent fails as a missing context does, because the remedy is
// the same: initialise again.
StatusOr<std::shared_ptr<Stream>> FindStreamForWork(aclrtStream stream) {
  if (ForkedWithoutInit()) return CurrentContext().status();
  return FindStream(stream);
}

Status EnqueueWork(Stream& stream, std::unique_ptr<Work> work) {
  StreamTask task;
  task.work = std::move(work);
  return stream.Enqueue(std::move(task)).status();
}

bool RunIfTiny(Stream& stream, Work& work) { return stream.RunIfTiny(work); }

Status EnqueueWork(aclrtStream stream, std::unique_ptr<Work> work) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Stream> target, FindStreamForWork(stream));
  return EnqueueWork(*target, std::move(work));
}

}  // namespace aclnn_cpu
