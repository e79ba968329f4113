#ifndef ACLNN_CPU_ASCENDCL_COPY_WORK_H_
#define ACLNN_CPU_ASCENDCL_COPY_WORK_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ascendcl/work.h"

namespace aclnn_cpu {

// Queued copies and fills of `count` bytes.
std::unique_ptr<Work> MakeCopyWork(void* dst, const void* src, size_t count);
std::unique_ptr<Work> MakeFillWork(void* dst, int32_t value, size_t count);

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_ASCENDCL_COPY_WORK_H_
