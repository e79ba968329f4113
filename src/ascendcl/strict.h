#ifndef ACLNN_CPU_ASCENDCL_STRICT_H_
#define ACLNN_CPU_ASCENDCL_STRICT_H_

#include <atomic>
#include <cstdint>

namespace aclnn_cpu {

// Strict mode (ACLNN_CPU_STRICT): faults that a card punishes and a CPU hides are found and named.
// Everything else of it lies behind StrictOn(), which costs one load and one branch when it is off.
enum class StrictMode : uint32_t {
  kUnread,  // the environment has not been looked at yet
  kOff,
  kReport,  // "1": print each finding and go on
  kAbort,   // "abort": print the first finding and end the process
};

namespace strict_internal {
extern constinit std::atomic<StrictMode> mode;
StrictMode ReadMode();
}  // namespace strict_internal

inline StrictMode CurrentStrictMode() {
  const StrictMode mode = strict_internal::mode.load(std::memory_order_relaxed);
  return mode == StrictMode::kUnread ? strict_internal::ReadMode() : mode;
}

inline bool StrictOn() {
  if (strict_internal::mode.load(std::memory_order_relaxed) == StrictMode::kOff) [[likely]]
    return false;
  return CurrentStrictMode() != StrictMode::kOff;
}

// Before the library is used; what was allocated in one mode cannot be freed in another.
void ForceStrictForTest(StrictMode mode);

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_ASCENDCL_STRICT_H_
