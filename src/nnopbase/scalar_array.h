#ifndef ACLNN_CPU_NNOPBASE_SCALAR_ARRAY_H_
#define ACLNN_CPU_NNOPBASE_SCALAR_ARRAY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "aclnn/acl_meta.h"
#include "nnopbase/live_objects.h"

// The C objects behind the pointers that callers hold; each owns a copy of the caller's values.

struct aclScalar {
  aclnn_cpu::LiveObject live{aclnn_cpu::ObjectKind::kScalar};
  aclDataType dtype = ACL_DT_UNDEFINED;
  // One element of `dtype`; the bytes after it are 0. COMPLEX128 is the largest.
  alignas(16) std::array<std::byte, 16> value{};
};

struct aclIntArray {
  aclnn_cpu::LiveObject live{aclnn_cpu::ObjectKind::kIntArray};
  std::vector<int64_t> values;
};

struct aclFloatArray {
  aclnn_cpu::LiveObject live{aclnn_cpu::ObjectKind::kFloatArray};
  std::vector<float> values;
};

struct aclBoolArray {
  aclnn_cpu::LiveObject live{aclnn_cpu::ObjectKind::kBoolArray};
  std::vector<uint8_t> values;  // 0 or 1, whatever byte the caller's bool held

  size_t size() const { return values.size(); }
  bool operator[](size_t index) const { return values[index] != 0; }
};

#endif  // ACLNN_CPU_NNOPBASE_SCALAR_ARRAY_H_
