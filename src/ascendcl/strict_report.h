#ifndef ACLNN_CPU_ASCENDCL_STRICT_REPORT_H_
#define ACLNN_CPU_ASCENDCL_STRICT_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ascendcl/strict_stack.h"

namespace aclnn_cpu {

enum class FindingKind {
  kHostAccess,
  kUseAfterFree,
  kDoubleFree,
  kForeignPointer,
  kViewOutOfBounds,
  kHostPointer,
  kWorkspace,
  kUnsynchronised,
  kExecutor,
  kLeak,
  kPageForbids,
  kUninitialised,
  kUnaligned,
  kCount
};

// "host-access": as the text and the JSON lines name it.
const char* FindingName(FindingKind kind);

// A block of memory as a finding shows it.
struct FindingMemory {
  const void* base = nullptr;
  size_t bytes = 0;  // as asked for
  const char* api = nullptr;
  bool freed = false;
  CallStack allocated = {};
};

struct Finding {
  FindingKind kind;
  const char* api;       // the C function, or nullptr where none was called
  const char* argument;  // CANN's name of it, or nullptr
  std::string_view message;
  const FindingMemory* memory = nullptr;
  const CallStack* stack = nullptr;  // nullptr: that of the thread that reports
  const char* stack_title = "called from";
};

// Makes the path of ACLNN_CPU_STRICT_REPORT independent of where the process goes later.
void FixReportPath();

// Prints one block to standard error, one line to the file of ACLNN_CPU_STRICT_REPORT, and counts
// it. Needs no memory and no lock of this library, so that a signal handler may call it.
void PrintFinding(const Finding& finding);

// PrintFinding(), and one line to the log; with ACLNN_CPU_STRICT=abort the first one ends the
// process here. The caller holds no lock: see FindingList.
void ReportFinding(const Finding& finding) noexcept;

// When leaks are looked for.
enum class LeakTime { kFinalize, kExit };
// "at aclFinalize", "when the process ends"
const char* LeakTimeText(LeakTime time);
// ReportFinding() before the end of the process, PrintFinding() there: its exit status is its own.
void ReportLeak(LeakTime time, const Finding& finding);

uint64_t FindingCount(FindingKind kind);

// An access that could not be checked: too many pieces, or held back by an event that is not
// recorded yet.
void CountUnchecked();

// Findings by kind, if there were any since the last summary.
void PrintStrictSummary();

// A remark about strict mode itself, such as what it cannot see in this process.
void PrintStrictNote(std::string_view text);

// A thread that was printing does not exist in the child.
void ForgetReportersInForkedChild();

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_ASCENDCL_STRICT_REPORT_H_
