#ifndef ACLNN_CPU_BASE_THREADS_H_
#define ACLNN_CPU_BASE_THREADS_H_

#include <pthread.h>
#include <sched.h>
#include <sys/types.h>

#include <array>

namespace aclnn_cpu {

// Room for 8192 CPUs, the most that the kernel can be built for (cpu_set_t alone holds 1024).
using CpuMask = std::array<cpu_set_t, 8>;

// Starts a thread of the library's own; false if the system has no room for one. Signals are
// blocked in it, so that the client's handlers run on the client's threads, except those that an
// instruction of the thread itself raises (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP).
bool StartThread(pthread_t* thread, void* (*main)(void*), void* argument);

// Keeps a thread off the CPU of the thread that wakes it: kernels like to start a woken thread
// where its waker runs and may leave it there for milliseconds although another CPU is free. Costs
// about a microsecond, so it is for wakes that bring 200 us of work or more.
// ACLNN_CPU_POOL_PLACEMENT=0 switches it off.
class Placement {
 public:
  // By the waker, before it wakes the sleeping thread `tid`. The mask is read now rather than once,
  // so that a later `taskset -p` is respected.
  void KeepOffThisCpu(pid_t tid);

  // By the woken thread: allows all its CPUs again. The wake must order this after the call above.
  void Restore();

 private:
  bool restricted_ = false;
  CpuMask mask_;  // as it was before, if restricted
};

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_BASE_THREADS_H_
