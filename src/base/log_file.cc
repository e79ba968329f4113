#include "base/log_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "base/env.h"

namespace aclnn_cpu {
namespace {

// The open file: process id above, descriptor + 1 below (0: it could not be opened).
constinit std::atomic<uint64_t> g_file{0};

// Empty if the environment names none.
std::string LogFolder() {
  if (const char* folder = EnvText(EnvVar::kProcessLogPath)) return folder;
  if (const char* folder = EnvText(EnvVar::kWorkPath)) return std::string(folder) + "/log";
  return "";
}

// Creates the folders above a file; failures show when the file is opened.
void MakeFolders(std::string path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    path[slash] = '\0';
    mkdir(path.c_str(), 0750);
    path[slash] = '/';
  }
}

int OpenFile(pid_t pid, const char* time) {
  const std::string folder = LogFolder();
  if (folder.empty()) return -1;
  std::string digits;
  for (const char* c = time; *c != '\0'; ++c) {
    if (*c >= '0' && *c <= '9') digits += *c;
  }
  const std::string path = fmt::format("{}/debug/plog/plog-{}_{}.log", folder, pid, digits);
  MakeFolders(path);
  return open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0640);
}

}  // namespace

bool LogFolderIsSet() { return !LogFolder().empty(); }

int LogFileDescriptor(pid_t pid, const char* time) {
  uint64_t file = g_file.load(std::memory_order_acquire);
  if (file >> 32 != static_cast<uint64_t>(pid)) {
    int opened = -1;
    try {
      opened = OpenFile(pid, time);
    } catch (...) {  // no memory for the path: as if the file could not be opened
    }
    const uint64_t mine = static_cast<uint64_t>(pid) << 32 | static_cast<uint32_t>(opened + 1);
    if (g_file.compare_exchange_strong(file, mine)) {
      file = mine;
    } else if (opened >= 0) {
      close(opened);  // another thread was first
    }
  }
  return static_cast<int>(static_cast<uint32_t>(file)) - 1;
}

}  // namespace aclnn_cpu
