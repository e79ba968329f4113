#ifndef ACLNN_CPU_TESTS_SUPPORT_MEMORY_USE_H_
#define ACLNN_CPU_TESTS_SUPPORT_MEMORY_USE_H_

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>

// Of the sanitizers' runtime, null without one; GCC does not install the header that declares it.
extern "C" [[gnu::weak]] size_t __sanitizer_get_current_allocated_bytes();

namespace aclnn_cpu::test {

// Bytes of memory this process holds: its resident set, or under a sanitizer, which keeps freed
// memory in quarantine, the bytes that are allocated.
inline int64_t MemoryInUse() {
  if (__sanitizer_get_current_allocated_bytes != nullptr) {
    return static_cast<int64_t>(__sanitizer_get_current_allocated_bytes());
  }
  std::ifstream statm("/proc/self/statm");
  int64_t total_pages = 0;
  int64_t resident_pages = 0;
  statm >> total_pages >> resident_pages;
  return resident_pages * sysconf(_SC_PAGESIZE);
}

}  // namespace aclnn_cpu::test

#endif  // ACLNN_CPU_TESTS_SUPPORT_MEMORY_USE_H_
