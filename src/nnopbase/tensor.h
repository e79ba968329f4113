#ifndef ACLNN_CPU_NNOPBASE_TENSOR_H_
#define ACLNN_CPU_NNOPBASE_TENSOR_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "acl/acl_base.h"
#include "ascendcl/strict.h"
#include "base/shape.h"
#include "nnopbase/live_objects.h"

namespace aclnn_cpu {

// What every call asks of a tensor's description: found out once, by DescribeView().
struct ViewFacts {
  StridedView view;               // no axes if there are more than kMaxRank
  bool is_empty = false;          // an extent is 0
  bool stays_in_storage = false;  // RequireViewInStorage() passes
  int64_t element_bytes = 0;
  // What the view touches, in bytes from `data` on; both 0 if it is empty or they do not fit.
  int64_t low_byte = 0;
  int64_t end_byte = 0;
};

// What a tensor object describes, exactly as the caller gave it: nothing is validated here. Shared
// between the caller's aclTensor and the executors made from it, so destroying the tensor leaves an
// executor usable and aclSetTensorAddr reaches both.
struct TensorState {
  std::vector<int64_t> view_dims;
  std::vector<int64_t> strides;  // elements; row-major if the caller gave none
  std::vector<int64_t> storage_dims;
  int64_t offset = 0;  // elements, from `data`
  aclDataType dtype = ACL_DT_UNDEFINED;
  aclFormat format = ACL_FORMAT_UNDEFINED;
  ViewFacts facts;                     // of all members above
  std::atomic<void*> data{nullptr};    // base address, without the offset
  std::atomic<bool> destroyed{false};  // strict mode only: the caller's object is gone

  int64_t rank() const { return static_cast<int64_t>(view_dims.size()); }
};

}  // namespace aclnn_cpu

// The C object behind aclTensor*.
struct aclTensor {
  ~aclTensor() {
    if (aclnn_cpu::StrictOn()) state->destroyed.store(true);
  }
  aclnn_cpu::LiveObject live{aclnn_cpu::ObjectKind::kTensor};
  std::shared_ptr<aclnn_cpu::TensorState> state = std::make_shared<aclnn_cpu::TensorState>();
};

namespace aclnn_cpu {

// An argument of a phase-one call together with its name in the prototype; `tensor` may be null.
struct NamedTensor {
  const char* name;
  const aclTensor* tensor;

  const TensorState& state() const { return *tensor->state; }
};

// Sets `facts`; to be called whenever one of the other members has changed.
void DescribeView(TensorState& state);

// Bytes of one element, as aclDataTypeSize says: 8 for unknown values.
int64_t DtypeBytes(aclDataType dtype);
bool IsKnownDtype(aclDataType dtype);
// "FLOAT16"; "dtype 99" for unknown values.
std::string DtypeName(aclDataType dtype);
// "NCDHW"; "format 99" for unknown values.
std::string FormatName(aclFormat format);

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_NNOPBASE_TENSOR_H_
