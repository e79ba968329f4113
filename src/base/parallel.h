#ifndef ACLNN_CPU_BASE_PARALLEL_H_
#define ACLNN_CPU_BASE_PARALLEL_H_

#include <cstdint>

#include "base/function_ref.h"

namespace aclnn_cpu {

// Calls body(block) once for every block in [0, blocks), on the calling thread and on workers of
// the process-wide pool, and returns when all calls have ended. One thread alone takes the blocks
// in ascending order; several begin with a share of neighbouring blocks each (base/block_shares.h).
// Which thread runs which is unspecified, so a body must write only what its block owns. The body
// must not throw.
//
// `estimated_us` is the estimated time of all blocks on one thread. It only decides whether waking
// threads pays, for this region or for a series of such; results never depend on it. Regions may be
// opened by several threads at once; a body may open a nested region. Workers run with the default
// floating-point environment (base/fp_environment.h); the caller's own is the caller's business. A
// forked child starts with an empty pool: a region there works as in a new process.
void ParallelFor(int64_t blocks, double estimated_us, FunctionRef<void(int64_t block)> body);

// The same for bodies that need memory: at no time do two calls have the same slot in [0, slots),
// and no more than `slots` threads take part. A thread keeps to one slot while others are busy with
// theirs.
void ParallelForSlots(int64_t blocks, int64_t slots, double estimated_us,
                      FunctionRef<void(int64_t block, int64_t slot)> body);

// Largest number of threads that one region uses, the caller included: ACLNN_CPU_NUM_THREADS or the
// CPUs that the process may use when first asked.
int ThreadCount();

// For tests: regions use exactly `threads` threads if there are that many blocks, whatever the
// estimate says, and each of them runs at least one block (a nested region may use fewer). 0
// restores the default. Not to be changed while a region is open.
void ForceThreadCountForTest(int threads);

// Joins the pool's threads; the next region starts new ones. Called by aclFinalize when no stream
// has work left; not to be called from a body. Regions that other threads have open end normally.
void StopPool();

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_BASE_PARALLEL_H_
