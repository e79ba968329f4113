#ifndef ACLNN_CPU_NNOPBASE_STATE_H_
#define ACLNN_CPU_NNOPBASE_STATE_H_

#include <mutex>

#include "ascendcl/handle_table.h"

namespace aclnn_cpu {

class Executor;
class LiveObject;

// Everything that nnopbase keeps between calls. Made at the first use and never deleted. A forked
// child starts with a new one: the parent's locks may be held by threads that do not exist there.
struct NnopState {
  HandleTable<Executor> executors{HandleKind::kExecutor};
  std::mutex objects_mutex;
  LiveObject* first_object = nullptr;  // head of the list that LiveObject keeps
};

NnopState& State();

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_NNOPBASE_STATE_H_
