#ifndef ACLNN_CPU_BASE_FUTEX_H_
#define ACLNN_CPU_BASE_FUTEX_H_

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>

namespace aclnn_cpu {

// Sleeping on a word of memory, within this process. Used instead of condition variables, which are
// cancellation points and cost a system call even when nobody waits. errno stays as it was: locks
// and queues are built on this, and their callers do not expect them to change it.

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));

// Sleeps if `word` still holds `expected`; may also return for no reason, so callers loop.
// `timeout_ns` < 0: no limit.
inline void FutexWait(std::atomic<uint32_t>& word, uint32_t expected, int64_t timeout_ns = -1) {
  struct timespec timeout;
  timeout.tv_sec = static_cast<time_t>(timeout_ns / 1'000'000'000);
  timeout.tv_nsec = static_cast<long>(timeout_ns % 1'000'000'000);
  const int error = errno;
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, timeout_ns < 0 ? nullptr : &timeout,
          nullptr, 0);
  errno = error;
}

inline void FutexWakeOne(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

inline void FutexWakeAll(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

// Tells the CPU that this thread spins.
inline void CpuPause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

inline int64_t MonotonicNs() {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// Spins until `done()` or `limit_ns` have passed; true if done.
template <typename Done>
bool SpinUntil(const Done& done, int64_t limit_ns) {
  if (done()) return true;
  constexpr int kPausesPerLook = 8;
  const int64_t end = MonotonicNs() + limit_ns;
  do {
    for (int i = 0; i < kPausesPerLook; ++i) {
      if (done()) return true;
      CpuPause();
    }
  } while (MonotonicNs() < end);
  return done();
}

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_BASE_FUTEX_H_
