#ifndef ACLNN_CPU_BASE_LOG_FILE_H_
#define ACLNN_CPU_BASE_LOG_FILE_H_

#include <sys/types.h>

namespace aclnn_cpu {

// True if the environment names a folder for log files (ASCEND_PROCESS_LOG_PATH or, after it,
// ASCEND_WORK_PATH). Unlike CANN we never write into the home folder unasked.
bool LogFolderIsSet();

// The log file of this process, opened at the first call: <folder>/debug/plog/plog-<pid>_<time>.log
// as CANN names it. -1 if that is impossible, without trying again. A forked child gets its own.
// `pid` is getpid(), `time` any text whose digits tell one process from another with the same id.
int LogFileDescriptor(pid_t pid, const char* time);

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_BASE_LOG_FILE_H_
