#ifndef ACLNN_CPU_OPAPI_DESCRIBE_H_
#define ACLNN_CPU_OPAPI_DESCRIBE_H_

#include <cstddef>

// The one function that the core exports besides the public ones: what `aclnn-cpu` prints about the
// library that answers. Not for users; may change with any version.
//
// Writes the text of `topic`, JSON, and a final 0 into `buffer` of `size` bytes if it fits, and
// returns the bytes it takes. 0: no such topic, or out of memory. Thread-safe.
//   "info"     version, library file, SIMD targets, threads, SoC, devices, environment table
//   "support"  products, and per operator its dtypes by product
extern "C" __attribute__((visibility("default"))) size_t aclnn_cpu_describe(const char* topic,
                                                                            char* buffer,
                                                                            size_t size);

#endif  // ACLNN_CPU_OPAPI_DESCRIBE_H_
