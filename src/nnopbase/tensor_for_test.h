#ifndef ACLNN_CPU_NNOPBASE_TENSOR_FOR_TEST_H_
#define ACLNN_CPU_NNOPBASE_TENSOR_FOR_TEST_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "aclnn/acl_meta.h"

namespace aclnn_cpu {

struct DestroyTensor {
  void operator()(aclTensor* tensor) const { aclDestroyTensor(tensor); }
};
using TensorPtr = std::unique_ptr<aclTensor, DestroyTensor>;

struct TensorSpec {
  std::vector<int64_t> dims;
  std::vector<int64_t> strides = {};  // empty: row-major
  int64_t offset = 0;
  std::vector<int64_t> storage = {};  // empty: the view's shape
  aclDataType dtype = ACL_FLOAT;
  aclFormat format = ACL_FORMAT_ND;
  void* data = nullptr;
};

inline TensorPtr MakeTensor(const TensorSpec& spec) {
  const std::vector<int64_t>& storage = spec.storage.empty() ? spec.dims : spec.storage;
  return TensorPtr(aclCreateTensor(spec.dims.data(), spec.dims.size(), spec.dtype,
                                   spec.strides.empty() ? nullptr : spec.strides.data(),
                                   spec.offset, spec.format, storage.data(), storage.size(),
                                   spec.data));
}

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_NNOPBASE_TENSOR_FOR_TEST_H_
