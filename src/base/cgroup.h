#ifndef ACLNN_CPU_BASE_CGROUP_H_
#define ACLNN_CPU_BASE_CGROUP_H_

#include <string>
#include <string_view>

#include "base/function_ref.h"

namespace aclnn_cpu {

// The beginning (4 KiB) of a small file of the kernel, or "" if it cannot be read.
std::string ReadKernelFile(const std::string& path);

// Takes the text up to `separator` off the front of *text; all of it if there is no separator.
std::string_view TakeUntil(char separator, std::string_view* text);

// The folder of a control group, and which version of the kernel's interface its files follow.
using ControlGroupVisitor = FunctionRef<void(const std::string& folder, bool version2)>;

// Visits the control groups of this process that may limit what `controller` ("cpu", "memory")
// stands for, in both versions: the own one and those above it, up to the mount point. In a
// container the group's own path may not be visible; its files then lie at the mount point. `root`
// is put before the paths /proc and /sys, for tests.
void VisitControlGroups(const std::string& root, std::string_view controller,
                        ControlGroupVisitor visit);

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_BASE_CGROUP_H_
