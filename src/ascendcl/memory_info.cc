#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "ascendcl/device_memory.h"
#include "base/cgroup.h"

namespace aclnn_cpu {
namespace {

// The number at the start of `text`, blanks skipped; `fallback` if there is none ("max").
size_t ParseNumber(std::string_view text, size_t fallback) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  size_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  return result.ec == std::errc() ? number : fallback;
}

// A line "key:   number kB" of /proc/meminfo, in bytes.
size_t MemInfoBytes(std::string_view text, std::string_view key) {
  const size_t position = text.find(key);
  if (position == std::string_view::npos) return 0;
  return ParseNumber(text.substr(position + key.size()), 0) * 1024;
}

void Limit(MemoryInfo& info, const std::string& limit_file, const std::string& usage_file) {
  const size_t limit = ParseNumber(ReadKernelFile(limit_file), SIZE_MAX);
  if (limit >= info.total_bytes) return;
  const size_t used = std::min(ParseNumber(ReadKernelFile(usage_file), 0), limit);
  info.total_bytes = limit;
  info.free_bytes = std::min(info.free_bytes, limit - used);
}

}  // namespace

MemoryInfo ReadMemoryInfo(const std::string& root) {
  const std::string text = ReadKernelFile(root + "/proc/meminfo");
  MemoryInfo info{MemInfoBytes(text, "MemAvailable:"), MemInfoBytes(text, "MemTotal:")};

  VisitControlGroups(root, "memory", [&](const std::string& folder, bool version2) {
    if (version2) {
      Limit(info, folder + "/memory.max", folder + "/memory.current");
    } else {
      Limit(info, folder + "/memory.limit_in_bytes", folder + "/memory.usage_in_bytes");
    }
  });
  return info;
}

}  // namespace aclnn_cpu
