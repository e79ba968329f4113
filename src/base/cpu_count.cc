#include "base/cpu_count.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "base/cgroup.h"

namespace aclnn_cpu {
namespace {

// Both in microseconds. 0, for no limit, unless both are numbers above 0 ("max" and -1 are not).
int CpusOf(std::string_view quota_text, std::string_view period_text) {
  int64_t quota = 0;
  int64_t period = 0;
  std::from_chars(quota_text.data(), quota_text.data() + quota_text.size(), quota);
  std::from_chars(period_text.data(), period_text.data() + period_text.size(), period);
  if (quota <= 0 || period <= 0) return 0;
  constexpr int64_t kMany = 1 << 20;
  return static_cast<int>(std::min(quota / period + (quota % period != 0), kMany));
}

int LimitOfGroup(const std::string& folder, bool version2) {
  if (version2) {
    const std::string text =
        ReadKernelFile(folder + "/cpu.max");  // "200000 100000" or "max 100000"
    std::string_view rest = text;
    const std::string_view quota = TakeUntil(' ', &rest);
    return CpusOf(quota, rest);
  }
  return CpusOf(ReadKernelFile(folder + "/cpu.cfs_quota_us"),
                ReadKernelFile(folder + "/cpu.cfs_period_us"));
}

}  // namespace

int CgroupCpuLimit(const std::string& root) {
  int tightest = 0;
  VisitControlGroups(root, "cpu", [&](const std::string& folder, bool version2) {
    const int limit = LimitOfGroup(folder, version2);
    if (limit > 0 && (tightest == 0 || limit < tightest)) tightest = limit;
  });
  return tightest;
}

int UsableCpuCount() {
  std::array<cpu_set_t, 8> mask;  // 8192 CPUs, the most the kernel can be built for
  int cpus = 1;
  if (sched_getaffinity(0, sizeof(mask), mask.data()) == 0) {
    cpus = std::max(1, CPU_COUNT_S(sizeof(mask), mask.data()));
  }
  const int limit = CgroupCpuLimit("");
  return limit > 0 ? std::min(cpus, limit) : cpus;
}

}  // namespace aclnn_cpu
