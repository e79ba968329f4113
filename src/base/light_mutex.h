#ifndef ACLNN_CPU_BASE_LIGHT_MUTEX_H_
#define ACLNN_CPU_BASE_LIGHT_MUTEX_H_

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/futex.h"

namespace aclnn_cpu {

// A mutex for the locks that every call takes: one inlined atomic instruction each to lock and to
// unlock as long as no two threads meet, a quarter of what std::mutex costs. ThreadSanitizer sees
// std::mutex, which it can check for the order of locks.
class FutexMutex {
 public:
  FutexMutex() = default;
  FutexMutex(const FutexMutex&) = delete;
  FutexMutex& operator=(const FutexMutex&) = delete;

  void lock() {
    uint32_t expected = kFree;
    if (!word_.compare_exchange_strong(expected, kTaken, std::memory_order_acquire)) [[unlikely]]
      WaitForIt();
  }

  void unlock() {
    // The address alone is used after the exchange: the mutex may be gone by then.
    if (word_.exchange(kFree, std::memory_order_release) == kContended) [[unlikely]]
      FutexWakeOne(word_);
  }

 private:
  static constexpr uint32_t kFree = 0;
  static constexpr uint32_t kTaken = 1;
  static constexpr uint32_t kContended = 2;  // taken, and somebody may sleep

  [[gnu::noinline]] void WaitForIt() {
    while (word_.exchange(kContended, std::memory_order_acquire) != kFree) {
      FutexWait(word_, kContended);
    }
  }

  std::atomic<uint32_t> word_{kFree};
};

#if defined(__has_feature)
#define ACLNN_CPU_HAS_FEATURE_(feature) __has_feature(feature)
#else
#define ACLNN_CPU_HAS_FEATURE_(feature) 0
#endif
#if defined(__SANITIZE_THREAD__) || ACLNN_CPU_HAS_FEATURE_(thread_sanitizer)
using LightMutex = std::mutex;
#else
using LightMutex = FutexMutex;
#endif
#undef ACLNN_CPU_HAS_FEATURE_

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_BASE_LIGHT_MUTEX_H_
