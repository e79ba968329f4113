#include "base/threads.h"

#include <signal.h>

#include "base/env.h"

namespace aclnn_cpu {

bool StartThread(pthread_t* thread, void* (*main)(void*), void* argument) {
  sigset_t blocked;
  sigfillset(&blocked);
  for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&blocked, own);
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, &blocked, &before);  // a thread inherits its creator's mask
  const int error = pthread_create(thread, nullptr, main, argument);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error == 0;
}

void Placement::KeepOffThisCpu(pid_t tid) {
  if (EnvNumber(EnvVar::kPoolPlacement, 1) == 0) return;
  const int here = sched_getcpu();
  if (here < 0 || sched_getaffinity(tid, sizeof(mask_), mask_.data()) != 0) return;
  CpuMask others = mask_;
  CPU_CLR_S(static_cast<size_t>(here), sizeof(others), others.data());
  const int left = CPU_COUNT_S(sizeof(others), others.data());
  if (left == 0 || left == CPU_COUNT_S(sizeof(mask_), mask_.data())) return;
  restricted_ = sched_setaffinity(tid, sizeof(others), others.data()) == 0;
}

void Placement::Restore() {
  if (!restricted_) return;
  restricted_ = false;
  sched_setaffinity(0, sizeof(mask_), mask_.data());
}

}  // namespace aclnn_cpu
