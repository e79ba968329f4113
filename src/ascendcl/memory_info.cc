#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "ascendcl/device_memory.h"

namespace aclnn_cpu {
namespace {

// Up to 8 KiB of a small kernel file; empty if it cannot be read.
std::string ReadFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::string text(8192, '\0');
  const ssize_t bytes = read(file, text.data(), text.size());
  close(file);
  text.resize(bytes < 0 ? 0 : static_cast<size_t>(bytes));
  return text;
}

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

// The path of the process in the unified hierarchy: the line "0::/path" of /proc/self/cgroup.
std::string OwnControlGroup(const std::string& root) {
  const std::string text = ReadFile(root + "/proc/self/cgroup");
  const std::string_view marker = "0::";
  const size_t position = text.rfind(marker);
  if (position == std::string::npos) return {};
  const size_t begin = position + marker.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

void Limit(MemoryInfo& info, const std::string& limit_file, const std::string& usage_file) {
  const size_t limit = ParseNumber(ReadFile(limit_file), SIZE_MAX);
  if (limit >= info.total_bytes) return;
  const size_t used = std::min(ParseNumber(ReadFile(usage_file), 0), limit);
  info.total_bytes = limit;
  info.free_bytes = std::min(info.free_bytes, limit - used);
}

}  // namespace

MemoryInfo ReadMemoryInfo(const std::string& root) {
  const std::string text = ReadFile(root + "/proc/meminfo");
  MemoryInfo info{MemInfoBytes(text, "MemAvailable:"), MemInfoBytes(text, "MemTotal:")};

  // Each group up to the root may have a limit. In a container the group's own path may not be
  // visible, its files then lie at the root of what is mounted.
  std::string group = OwnControlGroup(root);
  for (;;) {
    const std::string folder = root + "/sys/fs/cgroup" + group;
    Limit(info, folder + "/memory.max", folder + "/memory.current");
    const size_t slash = group.rfind('/');
    if (slash == std::string::npos) break;
    group.resize(slash);
  }
  const std::string version1 = root + "/sys/fs/cgroup/memory/memory.";
  Limit(info, version1 + "limit_in_bytes", version1 + "usage_in_bytes");
  return info;
}

}  // namespace aclnn_cpu
