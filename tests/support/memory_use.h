#ifndef ACLNN_CPU_TESTS_SUPPORT_MEMORY_USE_H_
#define ACLNN_CPU_TESTS_SUPPORT_MEMORY_USE_H_

#include <cstddef>
#include <cstdint>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ACLNN_CPU_SANITIZED_ALLOCATOR
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ACLNN_CPU_SANITIZED_ALLOCATOR
#endif

#ifdef ACLNN_CPU_SANITIZED_ALLOCATOR
// Of the sanitizers' runtime; GCC does not install the header that declares it.
extern "C" size_t __sanitizer_get_current_allocated_bytes();
#else
#include <unistd.h>

#include <fstream>
#endif

namespace aclnn_cpu::test {

// Bytes of memory this process holds: its resident set, or under a sanitizer, which keeps freed
// memory in quarantine, the bytes that are allocated.
inline int64_t MemoryInUse() {
#ifdef ACLNN_CPU_SANITIZED_ALLOCATOR
  return static_cast<int64_t>(__sanitizer_get_current_allocated_bytes());
#else
  std::ifstream statm("/proc/self/statm");
  int64_t total_pages = 0;
  int64_t resident_pages = 0;
  statm >> total_pages >> resident_pages;
  return resident_pages * sysconf(_SC_PAGESIZE);
#endif
}

}  // namespace aclnn_cpu::test

#endif  // ACLNN_CPU_TESTS_SUPPORT_MEMORY_USE_H_
