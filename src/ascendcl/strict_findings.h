#ifndef ACLNN_CPU_ASCENDCL_STRICT_FINDINGS_H_
#define ACLNN_CPU_ASCENDCL_STRICT_FINDINGS_H_

#include "ascendcl/strict_report.h"

namespace aclnn_cpu {

// Findings made while a lock is held, reported when the list goes: to be declared before the lock.
// To report one takes the lock of the dynamic loader, which another thread may hold while it calls
// this library, and may end the process by way of a handler that does too. Free while it is empty.
class FindingList {
 public:
  FindingList() = default;
  ~FindingList() {
    if (list_ != nullptr) [[unlikely]]
      Report();
  }
  FindingList(const FindingList&) = delete;
  FindingList& operator=(const FindingList&) = delete;

  // Copies all that `finding` points to. Its stack, if it has none, is that of the report.
  void Add(const Finding& finding);

  // Leaks that are found when the process ends are only printed: its exit status is its own.
  void ReportAt(LeakTime time) { time_ = time; }

 private:
  struct List;

  void Report() noexcept;

  List* list_ = nullptr;  // owned; Report() deletes it
  LeakTime time_ = LeakTime::kFinalize;
};

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_ASCENDCL_STRICT_FINDINGS_H_
