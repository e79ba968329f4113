#ifndef ACLNN_CPU_SIMD_TARGETS_H_
#define ACLNN_CPU_SIMD_TARGETS_H_

// Not highway.h, which must come after foreach_target.h where that is used.
#include <hwy/targets.h>

#include <cstdint>
#include <string>
#include <vector>

// Calls the variant of a HWY_EXPORTed function for the chosen target. Highway's own
// HWY_DYNAMIC_DISPATCH looks at one choice for the whole process, which other users of the library
// share; ours is private, so that ACLNN_CPU_TARGET and the tests change nobody else's. Where the
// compiler builds a single target (clang on aarch64), Highway makes a table of one entry.
#if HWY_IDE || ((HWY_TARGETS & (HWY_TARGETS - 1)) == 0)
#define ACLNN_CPU_DISPATCH(function) (*(HWY_DISPATCH_TABLE(function)[0]))
#else
#define ACLNN_CPU_DISPATCH(function) \
  (*(HWY_DISPATCH_TABLE(function)[::aclnn_cpu::ChosenTarget().GetIndex()]))
#endif

namespace aclnn_cpu {

// A vector target by the name users see: "avx2", "sse4", "ssse3", "scalar" (and "avx3" where
// built), on Arm "neon" and the kinds of "sve".
struct Target {
  const char* name;
  int64_t bit;  // HWY_AVX2, ...
};

// The choice behind ACLNN_CPU_DISPATCH: the best usable target, or the one ACLNN_CPU_TARGET names.
hwy::ChosenTarget& ChosenTarget();

std::vector<Target> BuiltTargets();   // compiled into the library, best first
std::vector<Target> UsableTargets();  // of these, the ones this CPU can run
Target CurrentTarget();

// For tests: dispatches to `target` (one of UsableTargets()) until ResetTargetForTest(). Not while
// kernels run.
void ForceTargetForTest(Target target);
void ResetTargetForTest();

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_SIMD_TARGETS_H_
