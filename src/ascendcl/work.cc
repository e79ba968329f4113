#include "ascendcl/work.h"

#include <utility>

#include "ascendcl/runtime.h"

namespace aclnn_cpu {
namespace {

// In a forked child a handle of the parent fails as a missing context does, because the remedy is
// the same: initialise again.
StatusOr<std::shared_ptr<Stream>> FindStreamForWork(aclrtStream stream) {
  if (ForkedWithoutInit()) return CurrentContext().status();
  return FindStream(stream);
}

}  // namespace

Status EnqueueWork(aclrtStream stream, std::unique_ptr<Work> work) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Stream> target, FindStreamForWork(stream));
  StreamTask task;
  task.work = std::move(work);
  return target->Enqueue(std::move(task)).status();
}

Status CheckStream(aclrtStream stream) { return FindStreamForWork(stream).status(); }

}  // namespace aclnn_cpu
