#ifndef ACLNN_CPU_BASE_LOG_H_
#define ACLNN_CPU_BASE_LOG_H_

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace aclnn_cpu {

// Levels as ASCEND_GLOBAL_LOG_LEVEL numbers them.
enum class LogLevel { kDebug = 0, kInfo = 1, kWarning = 2, kError = 3, kNone = 4 };

// Modules as ASCEND_MODULE_LOG_LEVEL names them: ASCENDCL, RUNTIME, OP (NNOP is accepted for OP).
enum class LogModule { kAscendCl, kRuntime, kOp };

// True if a line of this level would be written anywhere: a level that is on, and a destination
// that was asked for (ASCEND_LOG_PRINT_TO_STDOUT=1, or a log folder). Costs one load when nothing
// was asked for.
bool LogEnabled(LogModule module, LogLevel level);

// Writes one line; use Log() below. Thread-safe; failures to write are ignored.
void WriteLog(LogModule module, LogLevel level, std::string_view text);

// Longer texts are cut: formatting into a fixed buffer needs no memory, which may be what the
// message is about.
inline constexpr size_t kMaxLogText = 2000;

template <typename... Args>
void Log(LogModule module, LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (!LogEnabled(module, level)) return;
  std::array<char, kMaxLogText> text;
  const auto result =
      fmt::format_to_n(text.data(), text.size(), format, std::forward<Args>(args)...);
  WriteLog(module, level, {text.data(), std::min(result.size, text.size())});
}

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_BASE_LOG_H_
