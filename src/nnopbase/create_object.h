#ifndef ACLNN_CPU_NNOPBASE_CREATE_OBJECT_H_
#define ACLNN_CPU_NNOPBASE_CREATE_OBJECT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "ascendcl/api_call.h"
#include "base/status.h"

namespace aclnn_cpu {

// The C border of functions that return a new object. `fill(T&)` returns a Status; if that is an
// error, or anything throws, the caller gets null and the text is recorded.
template <typename T, typename Fill>
T* CreateObject(const char* api, Fill&& fill) noexcept {
  T* result = nullptr;
  AclnnCall(api, [&]() -> Status {
    auto object = std::make_unique<T>();
    RETURN_IF_ERROR(fill(*object));
    result = object.release();
    return Status();
  });
  return result;
}

// A copy of `count` values of a caller. Throws if so many cannot be held.
template <typename T>
std::vector<T> CopyValues(const T* values, uint64_t count) {
  std::vector<T> copy(count);  // checks the count before any pointer arithmetic with it
  for (uint64_t i = 0; i < count; ++i) copy[i] = values[i];
  return copy;
}

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_NNOPBASE_CREATE_OBJECT_H_
