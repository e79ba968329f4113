#ifndef ACLNN_CPU_NNOPBASE_OP_REGISTRY_H_
#define ACLNN_CPU_NNOPBASE_OP_REGISTRY_H_

#include <span>

#include "nnopbase/op_info.h"

namespace aclnn_cpu {

// One operator folder: its namespace aclnn_cpu::<stem> defines `const OpInfo& Info();`.
struct OpEntry {
  const OpInfo& (*info)();
};

// All operators of the library, by stem. The table is generated from the add_op() lines.
std::span<const OpEntry> RegisteredOps();

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_NNOPBASE_OP_REGISTRY_H_
