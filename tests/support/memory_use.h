#ifndef ACLNN_CPU_TESTS_CONFORMANCE_MEMORY_USE_H_
#define ACLNN_CPU_TESTS_CONFORMANCE_MEMORY_USE_H_

#include <cstdint>

namespace conformance {

// Bytes of memory this process holds: its resident set, or under a sanitizer, which keeps freed
// memory in quarantine, the bytes that are allocated.
int64_t MemoryInUse();

}  // namespace conformance

#endif  // ACLNN_CPU_TESTS_CONFORMANCE_MEMORY_USE_H_
