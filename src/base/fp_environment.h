#ifndef ACLNN_CPU_BASE_FP_ENVIRONMENT_H_
#define ACLNN_CPU_BASE_FP_ENVIRONMENT_H_

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace aclnn_cpu {

// Sets floating-point control to its default (round to nearest even, subnormals kept, no traps) for
// a scope and restores the caller's, exception flags included. Work runs on threads of the caller
// too, and a thread inherits its creator's control word: without this, results would depend on the
// caller's flush-to-zero or rounding mode.
class ScopedFpEnvironment {
 public:
  ScopedFpEnvironment(const ScopedFpEnvironment&) = delete;
  ScopedFpEnvironment& operator=(const ScopedFpEnvironment&) = delete;

#if defined(__x86_64__)
  ScopedFpEnvironment() : saved_(_mm_getcsr()) { _mm_setcsr(kDefaultMxcsr); }
  ~ScopedFpEnvironment() { _mm_setcsr(saved_); }

 private:
  static constexpr uint32_t kDefaultMxcsr = 0x1f80;  // all exceptions masked, all else off
  uint32_t saved_;
#elif defined(__aarch64__)
  ScopedFpEnvironment() {
    uint64_t zero = 0;
    asm volatile("mrs %0, fpcr\n\tmsr fpcr, %1" : "=&r"(saved_) : "r"(zero) : "memory");
  }
  ~ScopedFpEnvironment() { asm volatile("msr fpcr, %0" : : "r"(saved_) : "memory"); }

 private:
  uint64_t saved_;
#else
  ScopedFpEnvironment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~ScopedFpEnvironment() { std::fesetenv(&saved_); }

 private:
  std::fenv_t saved_;
#endif
};

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_BASE_FP_ENVIRONMENT_H_
