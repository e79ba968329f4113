#include "base/cpu_count.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace aclnn_cpu {
namespace {

// The beginning of a small file, or "" if it cannot be read.
std::string ReadFile(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return "";
  std::array<char, 4096> buffer;
  const ssize_t size = read(descriptor, buffer.data(), buffer.size());
  close(descriptor);
  return size > 0 ? std::string(buffer.data(), static_cast<size_t>(size)) : "";
}

// Takes the text up to `separator` off the front of *text; all of it if there is no separator.
std::string_view TakeUntil(char separator, std::string_view* text) {
  const size_t end = text->find(separator);
  const std::string_view taken = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  return taken;
}

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
    const std::string text = ReadFile(folder + "/cpu.max");  // "200000 100000" or "max 100000"
    std::string_view rest = text;
    const std::string_view quota = TakeUntil(' ', &rest);
    return CpusOf(quota, rest);
  }
  return CpusOf(ReadFile(folder + "/cpu.cfs_quota_us"), ReadFile(folder + "/cpu.cfs_period_us"));
}

// The tightest limit of `group` ("/a/b") and those above it, up to the mount point.
int LimitOfBranch(const std::string& mount, std::string group, bool version2) {
  int tightest = 0;
  while (true) {
    const int limit = LimitOfGroup(mount + group, version2);
    if (limit > 0 && (tightest == 0 || limit < tightest)) tightest = limit;
    if (group.empty()) return tightest;
    const size_t slash = group.rfind('/');
    group.resize(slash == std::string::npos ? 0 : slash);
  }
}

bool HasEntry(std::string_view comma_list, std::string_view wanted) {
  while (!comma_list.empty()) {
    if (TakeUntil(',', &comma_list) == wanted) return true;
  }
  return false;
}

}  // namespace

int CgroupCpuLimit(const std::string& root) {
  // Lines "<number>:<controllers>:<group>"; version 2 has number 0 and no controllers.
  const std::string text = ReadFile(root + "/proc/self/cgroup");
  int tightest = 0;
  for (std::string_view lines = text; !lines.empty();) {
    std::string_view line = TakeUntil('\n', &lines);
    TakeUntil(':', &line);
    const std::string_view controllers = TakeUntil(':', &line);
    const bool version2 = controllers.empty();
    if (!version2 && !HasEntry(controllers, "cpu")) continue;
    std::string mount = root + "/sys/fs/cgroup";
    if (!version2) mount += "/cpu";
    const int limit = LimitOfBranch(mount, std::string(line), version2);
    if (limit > 0 && (tightest == 0 || limit < tightest)) tightest = limit;
  }
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
