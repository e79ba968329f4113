#ifndef ACLNN_CPU_ASCENDCL_STRICT_STACK_H_
#define ACLNN_CPU_ASCENDCL_STRICT_STACK_H_

#include <execinfo.h>

#include <array>

namespace aclnn_cpu {

// Return addresses of a call, innermost first; the frames of the library itself are left out when
// it is printed.
struct CallStack {
  std::array<void*, 24> frames;
  int depth = 0;
};

inline CallStack CaptureStack() {
  CallStack stack;
  stack.depth = backtrace(stack.frames.data(), static_cast<int>(stack.frames.size()));
  return stack;
}

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_ASCENDCL_STRICT_STACK_H_
