#ifndef ACLNN_CPU_BASE_CPU_COUNT_H_
#define ACLNN_CPU_BASE_CPU_COUNT_H_

#include <string>

namespace aclnn_cpu {

// CPUs that this process may keep busy: those in the calling thread's affinity mask, but not more
// than the CPU time its control group grants. At least 1.
int UsableCpuCount();

// CPUs' worth of time that the control groups of this process grant (versions 1 and 2 of the
// kernel's interface, the tightest of the group and those above it), rounded up; 0 for no limit.
// `root` is put before the paths /proc and /sys, for tests.
int CgroupCpuLimit(const std::string& root);

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_BASE_CPU_COUNT_H_
