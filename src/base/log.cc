#include "base/log.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "base/env.h"
#include "base/log_file.h"
#include "base/time_text.h"

namespace aclnn_cpu {
namespace {

constexpr std::array<const char*, 3> kModuleNames = {"ASCENDCL", "RUNTIME", "OP"};
constexpr std::array<const char*, 4> kLevelNames = {"DEBUG", "INFO", "WARNING", "ERROR"};

// The configuration packed into one word: four bits per module hold its lowest level to write.
constexpr uint32_t kReady = 1u << 31;
constexpr uint32_t kToStdout = 1u << 30;
constexpr int kLevelBits = 4;
constinit std::atomic<uint32_t> g_config{0};

// Seconds east of UTC, asked for once: localtime_r takes a lock that a forked child may find taken.
constinit std::atomic<int64_t> g_utc_offset{0};

using Levels = std::array<uint32_t, kModuleNames.size()>;

// One entry "MODULE=n"; modules of CANN that we do not have are fine.
bool ApplyEntry(std::string_view entry, Levels* levels) {
  const size_t equals = entry.find('=');
  if (equals == 0 || equals == std::string_view::npos || equals + 2 != entry.size()) return false;
  const char digit = entry.back();
  if (digit < '0' || digit > '4') return false;
  std::string_view name = entry.substr(0, equals);
  if (name == "NNOP") name = "OP";
  for (size_t i = 0; i < kModuleNames.size(); ++i) {
    if (name == kModuleNames[i]) (*levels)[i] = static_cast<uint32_t>(digit - '0');
  }
  return true;
}

// ASCEND_MODULE_LOG_LEVEL over the global level; nullopt if any entry is malformed.
std::optional<Levels> ParseModuleLevels(std::string_view text, Levels levels) {
  while (true) {
    const size_t colon = text.find(':');
    if (!ApplyEntry(text.substr(0, colon), &levels)) return std::nullopt;
    if (colon == std::string_view::npos) return levels;
    text.remove_prefix(colon + 1);
  }
}

// Several threads may come here at once; all find the same.
uint32_t Configure() {
  const int64_t old_name = EnvNumber(EnvVar::kSlogToStdout, 0);
  const bool to_stdout = EnvNumber(EnvVar::kLogToStdout, old_name) == 1;
  Levels levels;
  levels.fill(static_cast<uint32_t>(
      EnvNumber(EnvVar::kGlobalLogLevel, static_cast<int64_t>(LogLevel::kError))));
  const char* modules = EnvText(EnvVar::kModuleLogLevel);
  std::optional<Levels> module_levels = levels;
  if (modules != nullptr) module_levels = ParseModuleLevels(modules, levels);
  if (module_levels) levels = *module_levels;
  if (to_stdout || LogFolderIsSet()) {
    const time_t now = time(nullptr);
    struct tm local;
    if (localtime_r(&now, &local) != nullptr) g_utc_offset.store(local.tm_gmtoff);
  } else {
    levels.fill(static_cast<uint32_t>(LogLevel::kNone));
  }

  uint32_t config = kReady | (to_stdout ? kToStdout : 0);
  for (size_t i = 0; i < levels.size(); ++i) config |= levels[i] << (i * kLevelBits);
  g_config.store(config);
  // After publishing, because rejecting logs.
  if (!module_levels) RejectEnv(EnvVar::kModuleLogLevel, "MODULE=n:MODULE=n with n from 0 to 4");
  return config;
}

uint32_t Config() {
  const uint32_t config = g_config.load(std::memory_order_acquire);
  return config != 0 ? config : Configure();
}

}  // namespace

bool LogEnabled(LogModule module, LogLevel level) {
  try {
    const uint32_t lowest = Config() >> (static_cast<uint32_t>(module) * kLevelBits) & 0xf;
    return static_cast<uint32_t>(level) >= lowest && level < LogLevel::kNone;
  } catch (...) {  // no memory to read the environment
    return false;
  }
}

// [ERROR] ASCENDCL(4711,program):2025-01-31-23:59:59.123.456 text
void WriteLog(LogModule module, LogLevel level, std::string_view text) {
  const int saved_errno = errno;
  const pid_t pid = getpid();
  const TimeText time = TimeNow(g_utc_offset.load(std::memory_order_relaxed));
  std::array<char, kMaxLogText + 320> line;
  const size_t room = line.size() - 1;
  const auto result = fmt::format_to_n(
      line.data(), room, "[{}] {}({},{}):{} {}", kLevelNames[static_cast<size_t>(level)],
      kModuleNames[static_cast<size_t>(module)], pid, program_invocation_short_name, time.data(),
      text.substr(0, kMaxLogText));
  const size_t size = std::min(result.size, room);
  line[size] = '\n';
  const bool to_stdout = (Config() & kToStdout) != 0;
  const int descriptor = to_stdout ? STDOUT_FILENO : LogFileDescriptor(pid, time.data());
  // One call, so that lines of several threads and processes do not mix.
  if (descriptor >= 0 && write(descriptor, line.data(), size + 1) < 0) {
    // Nobody to tell.
  }
  errno = saved_errno;
}

}  // namespace aclnn_cpu
