#include "base/env.h"

#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "base/log.h"

namespace aclnn_cpu {
namespace {

// A variable is a number between `low` and `high`, or (low > high) any text.
struct Row {
  EnvVar variable;
  const char* name;
  const char* meaning;
  const char* fallback;
  int64_t low = 0;
  int64_t high = -1;

  constexpr bool IsNumber() const { return low <= high; }
};

constexpr const char* kNoEffect = "accepted, has no effect";

constexpr Row kRows[] = {
    {EnvVar::kNumThreads, "ACLNN_CPU_NUM_THREADS", "threads one operator may use, 1 to 1024",
     "CPUs this process may use", 1, 1024},
    {EnvVar::kTarget, "ACLNN_CPU_TARGET", "vector target, a usable one of `aclnn-cpu info`",
     "the best this CPU can run"},
    {EnvVar::kSoc, "ACLNN_CPU_SOC",
     "product to pretend to run on: a family of `aclnn-cpu support` or a full name such as "
     "Ascend310P3, spelt exactly so",
     "Ascend910B1"},
    {EnvVar::kDevices, "ACLNN_CPU_DEVICES", "number of devices to pretend, 1 to 64", "1", 1, 64},
    {EnvVar::kPoolPlacement, "ACLNN_CPU_POOL_PLACEMENT",
     "1: keep a woken thread off the waker's CPU, 0: leave it to the kernel", "1", 0, 1},
    {EnvVar::kStrict, "ACLNN_CPU_STRICT",
     "find faults that a CPU hides; 1: report them, abort: end at the first, 0: off", "0"},
    {EnvVar::kStrictReport, "ACLNN_CPU_STRICT_REPORT",
     "file to which strict mode adds its findings as JSON lines", "no file"},
    {EnvVar::kVisibleDevices, "ASCEND_RT_VISIBLE_DEVICES",
     "devices to show: ascending list, read up to the first bad entry", "all"},
    {EnvVar::kGlobalLogLevel, "ASCEND_GLOBAL_LOG_LEVEL",
     "0 debug, 1 info, 2 warning, 3 error, 4 none", "3", 0, 4},
    {EnvVar::kModuleLogLevel, "ASCEND_MODULE_LOG_LEVEL",
     "levels of single modules: ASCENDCL=n:RUNTIME=n:OP=n", "the global level"},
    {EnvVar::kLogToStdout, "ASCEND_LOG_PRINT_TO_STDOUT",
     "1: print the log to standard output instead of files", "0", 0, 1},
    {EnvVar::kSlogToStdout, "ASCEND_SLOG_PRINT_TO_STDOUT",
     "older name of ASCEND_LOG_PRINT_TO_STDOUT, which wins", "0", 0, 1},
    {EnvVar::kProcessLogPath, "ASCEND_PROCESS_LOG_PATH", "folder for log files", "no log files"},
    {EnvVar::kWorkPath, "ASCEND_WORK_PATH",
     "folder for log files (in its log/) if ASCEND_PROCESS_LOG_PATH is unset", "no log files"},
    {EnvVar::kEventEnable, "ASCEND_GLOBAL_EVENT_ENABLE", kNoEffect, "unset"},
    {EnvVar::kLogSyncSave, "ASCEND_LOG_SYNC_SAVE", kNoEffect, "unset"},
    {EnvVar::kHostLogFileNum, "ASCEND_HOST_LOG_FILE_NUM", kNoEffect, "unset"},
};
constexpr size_t kCount = std::size(kRows);

constexpr bool RowsAreInOrder() {
  for (size_t i = 0; i < kCount; ++i) {
    if (static_cast<size_t>(kRows[i].variable) != i) return false;
  }
  return kCount == static_cast<size_t>(EnvVar::kCount);
}
static_assert(RowsAreInOrder());

struct Value {
  const char* text = nullptr;  // a copy: a later setenv may free the environment's own
  int64_t number = 0;
  std::atomic<bool> accepted{true};
};
using Values = std::array<Value, kCount>;

// Allocated at the first use, never freed.
constinit std::atomic<Values*> g_values{nullptr};

std::optional<int64_t> ParseNumber(std::string_view text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const std::from_chars_result result = std::from_chars(text.data(), end, number);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return number;
}

void ReadValue(const Row& row, Value* value) {
  const char* text = secure_getenv(row.name);  // not those of the user who starts a setuid program
  if (text == nullptr || *text == '\0') return;
  value->text = strdup(text);
  if (value->text == nullptr || !row.IsNumber()) return;
  const std::optional<int64_t> number = ParseNumber(text);
  value->number = number.value_or(0);
  value->accepted.store(number && row.low <= *number && *number <= row.high);
}

void LogRejected(const Row& row, const char* text, std::string_view allowed) {
  Log(LogModule::kAscendCl, LogLevel::kWarning,
      "{} is \"{}\", must be {}; it is treated as unset, which means: {}", row.name, text, allowed,
      row.fallback);
}

Values& GetValues() {
  Values* values = g_values.load(std::memory_order_acquire);
  if (values != nullptr) return *values;
  auto mine = std::make_unique<Values>();
  for (size_t i = 0; i < kCount; ++i) ReadValue(kRows[i], &(*mine)[i]);
  if (!g_values.compare_exchange_strong(values, mine.get())) {
    for (Value& value : *mine) std::free(const_cast<char*>(value.text));
    return *values;  // another thread was first
  }
  values = mine.release();
  // Only now, because the log asks for its own variables.
  for (size_t i = 0; i < kCount; ++i) {
    const Value& value = (*values)[i];
    if (!value.accepted.load()) LogRejected(kRows[i], value.text, kRows[i].meaning);
  }
  return *values;
}

size_t IndexOf(EnvVar variable) { return static_cast<size_t>(variable); }

}  // namespace

const char* EnvText(EnvVar variable) {
  const Value& value = GetValues()[IndexOf(variable)];
  return value.accepted.load(std::memory_order_relaxed) ? value.text : nullptr;
}

int64_t EnvNumber(EnvVar variable, int64_t fallback) {
  if (!kRows[IndexOf(variable)].IsNumber() || EnvText(variable) == nullptr) return fallback;
  return GetValues()[IndexOf(variable)].number;
}

void RejectEnv(EnvVar variable, const std::string& allowed) {
  Value& value = GetValues()[IndexOf(variable)];
  if (value.text == nullptr || !value.accepted.exchange(false)) return;
  LogRejected(kRows[IndexOf(variable)], value.text, allowed);
}

EnvRow EnvRowOf(EnvVar variable) {
  const Row& row = kRows[IndexOf(variable)];
  const Value& value = GetValues()[IndexOf(variable)];
  return {row.name, row.meaning, row.fallback, value.text, value.accepted.load()};
}

}  // namespace aclnn_cpu
