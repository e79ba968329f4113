#ifndef ACLNN_CPU_BASE_ENV_H_
#define ACLNN_CPU_BASE_ENV_H_

#include <cstdint>
#include <string>

namespace aclnn_cpu {

// Every environment variable the library looks at, in one table (env.cc). Each is read once, at the
// first use of any; a bad value counts as unset and is logged once. Changing the environment later
// has no effect.
enum class EnvVar {
  kNumThreads,      // ACLNN_CPU_NUM_THREADS
  kTarget,          // ACLNN_CPU_TARGET
  kSoc,             // ACLNN_CPU_SOC
  kDevices,         // ACLNN_CPU_DEVICES
  kPoolPlacement,   // ACLNN_CPU_POOL_PLACEMENT
  kStrict,          // ACLNN_CPU_STRICT
  kStrictReport,    // ACLNN_CPU_STRICT_REPORT
  kVisibleDevices,  // ASCEND_RT_VISIBLE_DEVICES
  kGlobalLogLevel,  // ASCEND_GLOBAL_LOG_LEVEL
  kModuleLogLevel,  // ASCEND_MODULE_LOG_LEVEL
  kLogToStdout,     // ASCEND_LOG_PRINT_TO_STDOUT
  kSlogToStdout,    // ASCEND_SLOG_PRINT_TO_STDOUT
  kProcessLogPath,  // ASCEND_PROCESS_LOG_PATH
  kWorkPath,        // ASCEND_WORK_PATH
  kEventEnable,     // ASCEND_GLOBAL_EVENT_ENABLE  (read and ignored, as are the next ones)
  kLogSyncSave,     // ASCEND_LOG_SYNC_SAVE
  kHostLogFileNum,  // ASCEND_HOST_LOG_FILE_NUM
  kCount
};

// One row as `aclnn-cpu info` prints it.
struct EnvRow {
  const char* name;
  const char* meaning;   // one line, with the values allowed
  const char* fallback;  // what holds when it is unset or bad, as text
  const char* value;     // as found in the environment, or nullptr
  bool accepted;         // false: `value` was bad and counts as unset
};

// The accepted text of a variable, or nullptr. The pointer stays valid for the life of the process.
const char* EnvText(EnvVar variable);

// The accepted number of a numeric variable, or `fallback`.
int64_t EnvNumber(EnvVar variable, int64_t fallback);

// Lets a layer above judge a value that this layer cannot (names of SoCs and targets): marks the
// value as bad, which makes it count as unset, and logs so once.
void RejectEnv(EnvVar variable, const std::string& allowed);

EnvRow EnvRowOf(EnvVar variable);

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_BASE_ENV_H_
