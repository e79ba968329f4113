#ifndef ACLNN_CPU_NNOPBASE_ARGUMENTS_H_
#define ACLNN_CPU_NNOPBASE_ARGUMENTS_H_

#include <cstdint>
#include <initializer_list>

#include "base/status.h"

namespace aclnn_cpu {

// A pointer argument of a C function with its name in the prototype.
struct NamedPointer {
  const char* name;
  const void* pointer;
};

// `code` at the first null pointer.
inline Status RequirePointers(int32_t code, std::initializer_list<NamedPointer> arguments) {
  for (const NamedPointer& argument : arguments) {
    if (argument.pointer == nullptr) FAIL(code, "{} is null, must not be null", argument.name);
  }
  return Status();
}

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_NNOPBASE_ARGUMENTS_H_
