#include "base/cgroup.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>

namespace aclnn_cpu {
namespace {

bool HasEntry(std::string_view comma_list, std::string_view wanted) {
  while (!comma_list.empty()) {
    if (TakeUntil(',', &comma_list) == wanted) return true;
  }
  return false;
}

// `group` is "/a/b" or "/".
void VisitBranch(const std::string& mount, std::string group, bool version2,
                 ControlGroupVisitor visit) {
  while (true) {
    visit(mount + group, version2);
    if (group.empty()) return;
    const size_t slash = group.rfind('/');
    group.resize(slash == std::string::npos ? 0 : slash);
  }
}

}  // namespace

std::string ReadKernelFile(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return "";
  std::array<char, 4096> buffer;
  const ssize_t size = read(descriptor, buffer.data(), buffer.size());
  close(descriptor);
  return size > 0 ? std::string(buffer.data(), static_cast<size_t>(size)) : "";
}

std::string_view TakeUntil(char separator, std::string_view* text) {
  const size_t end = text->find(separator);
  const std::string_view taken = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  return taken;
}

void VisitControlGroups(const std::string& root, std::string_view controller,
                        ControlGroupVisitor visit) {
  // Lines "<number>:<controllers>:<group>"; version 2 has number 0 and no controllers.
  const std::string text = ReadKernelFile(root + "/proc/self/cgroup");
  for (std::string_view lines = text; !lines.empty();) {
    std::string_view line = TakeUntil('\n', &lines);
    TakeUntil(':', &line);
    const std::string_view controllers = TakeUntil(':', &line);
    const bool version2 = controllers.empty();
    if (!version2 && !HasEntry(controllers, controller)) continue;
    std::string mount = root + "/sys/fs/cgroup";
    if (!version2) mount.append("/").append(controller);
    VisitBranch(mount, std::string(line), version2, visit);
  }
}

}  // namespace aclnn_cpu
