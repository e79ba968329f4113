#ifndef ACLNN_CPU_NNOPBASE_STRICT_LAUNCH_H_
#define ACLNN_CPU_NNOPBASE_STRICT_LAUNCH_H_

#include <cstdint>

#include "ascendcl/strict_hooks.h"
#include "nnopbase/executor.h"
#include "nnopbase/op_info.h"
#include "nnopbase/state.h"

// What strict mode knows about executors and the objects of acl_meta.h. To be called only if
// StrictOn().

namespace aclnn_cpu {

// Phase one has made the executor.
void StrictOnExecutor(const void* executor, const OpInfo& info);

// Phase two with an executor that is alive, before its own checks. `needed_bytes` is the workspace
// size that phase one reported.
void StrictOnLaunch(const void* executor, const OpTask& task, uint64_t needed_bytes,
                    const void* workspace, uint64_t workspace_size);

// `api` with an executor that is not alive; null: phase two.
void StrictOnDeadExecutor(const char* api, const void* executor);

void StrictOnRepeatable(const void* executor);
// Destroyed, or removed because its launch failed.
void StrictOnExecutorGone(const void* executor, ExecutorFate fate);

// Objects and executors that are still there; a LeakReporter.
void ReportLiveObjects(LeakTime time);
void ReportLiveExecutors(LeakTime time);
void ReportNnopLeaks(LeakTime time);

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_NNOPBASE_STRICT_LAUNCH_H_
