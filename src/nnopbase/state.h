#ifndef ACLNN_CPU_NNOPBASE_STATE_H_
#define ACLNN_CPU_NNOPBASE_STATE_H_

#include <mutex>
#include <unordered_map>

#include "ascendcl/handle_table.h"
#include "ascendcl/strict_stack.h"

namespace aclnn_cpu {

class Executor;
class LiveObject;
struct OpInfo;

// Strict mode's memory of an executor, which outlives it.
enum class ExecutorFate { kWaiting, kLaunched, kFailed, kDestroyed };
struct ExecutorTrace {
  const OpInfo* info;
  CallStack created;
  ExecutorFate fate = ExecutorFate::kWaiting;
  bool repeatable = false;
  bool launched = false;
  bool reported = false;
};

// Everything that nnopbase keeps between calls. Made at the first use and never deleted. A forked
// child starts with a new one: the parent's locks may be held by threads that do not exist there.
struct NnopState {
  HandleTable<Executor> executors{HandleKind::kExecutor};
  std::mutex objects_mutex;
  LiveObject* first_object = nullptr;  // head of the list that LiveObject keeps
  std::mutex traces_mutex;
  std::unordered_map<const void*, ExecutorTrace> executor_traces;  // strict mode only
  size_t most_traces = 100'000;  // at which those of executors that are used up are dropped
};

NnopState& State();

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_NNOPBASE_STATE_H_
