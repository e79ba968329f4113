// The tensor functions of aclnn/acl_meta.h. Rules: contract.md 4.2.
#include <cstdint>
#include <utility>
#include <vector>

#include "aclnn/acl_meta.h"
#include "aclnn/opdev/op_errno.h"
#include "ascendcl/api_call.h"
#include "base/log.h"
#include "base/status.h"
#include "nnopbase/arguments.h"
#include "nnopbase/checks.h"
#include "nnopbase/create_object.h"
#include "nnopbase/tensor.h"

namespace aclnn_cpu {
namespace {

// Row-major strides of any extents a caller may give: products that do not fit wrap around, since
// nothing is validated before phase one, which rejects such a shape.
std::vector<int64_t> WrappingRowMajorStrides(const std::vector<int64_t>& extents) {
  std::vector<int64_t> strides(extents.size());
  uint64_t stride = 1;
  for (size_t axis = extents.size(); axis-- > 0;) {
    strides[axis] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(extents[axis]);
  }
  return strides;
}

void WarnIfPrivate(const char* api, aclFormat format) {
  if (!IsPrivateFormat(format)) return;
  Log(LogModule::kOp, LogLevel::kWarning, "{}: format {} is a private one", api,
      FormatName(format));
}

// A new[] array, which the caller frees with delete[].
int64_t* NewArray(const std::vector<int64_t>& values) {
  auto* array = new int64_t[values.size()];
  for (size_t i = 0; i < values.size(); ++i) array[i] = values[i];
  return array;
}

// Body of the getters that return an array.
Status GetArray(NamedPointer tensor, NamedPointer array, NamedPointer count,
                std::vector<int64_t> TensorState::*member, int64_t** values, uint64_t* size) {
  RETURN_IF_ERROR(RequirePointers(ACLNN_ERR_PARAM_NULLPTR, {tensor, array, count}));
  const auto& source = static_cast<const aclTensor*>(tensor.pointer)->state.get()->*member;
  *values = NewArray(source);
  *size = source.size();
  return Status();
}

}  // namespace
}  // namespace aclnn_cpu

using aclnn_cpu::AclnnCall;
using aclnn_cpu::Status;
using aclnn_cpu::TensorState;

extern "C" {

aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
                           const int64_t* stride, int64_t offset, aclFormat format,
                           const int64_t* storageDims, uint64_t storageDimsNum, void* tensorData) {
  return aclnn_cpu::CreateObject<aclTensor>(__func__, [&](aclTensor& tensor) -> Status {
    if (viewDims == nullptr && viewDimsNum > 0) {
      FAIL(ACLNN_ERR_PARAM_NULLPTR, "viewDims is null, must point to viewDimsNum = {} extents",
           viewDimsNum);
    }
    if (storageDims == nullptr && storageDimsNum > 0) {
      FAIL(ACLNN_ERR_PARAM_NULLPTR,
           "storageDims is null, must point to storageDimsNum = {} extents", storageDimsNum);
    }
    aclnn_cpu::WarnIfPrivate("aclCreateTensor", format);
    TensorState& state = *tensor.state;
    state.view_dims = aclnn_cpu::CopyValues(viewDims, viewDimsNum);
    state.strides = stride != nullptr ? aclnn_cpu::CopyValues(stride, viewDimsNum)
                                      : aclnn_cpu::WrappingRowMajorStrides(state.view_dims);
    state.storage_dims = aclnn_cpu::CopyValues(storageDims, storageDimsNum);
    state.offset = offset;
    state.dtype = dataType;
    state.format = format;
    aclnn_cpu::DescribeView(state);
    state.data = tensorData;
    return Status();
  });
}

aclnnStatus aclInitTensor(aclTensor* tensor, const int64_t* viewDims, uint64_t viewDimsNum,
                          aclDataType dataType, const int64_t* stride, int64_t offset,
                          aclFormat format, const int64_t* storageDims, uint64_t storageDimsNum,
                          void* tensorDataAddr) {
  return AclnnCall(__func__, [&]() -> Status {
    RETURN_IF_ERROR(aclnn_cpu::RequirePointers(ACLNN_ERR_PARAM_NULLPTR, {{"tensor", tensor}}));
    aclnn_cpu::WarnIfPrivate("aclInitTensor", format);
    TensorState& state = *tensor->state;
    // Copies first: an allocation that fails leaves the tensor as it was.
    std::vector<int64_t> view_dims = state.view_dims;
    std::vector<int64_t> storage_dims = state.storage_dims;
    if (viewDims != nullptr && viewDimsNum > 0) {
      view_dims = aclnn_cpu::CopyValues(viewDims, viewDimsNum);
    }
    if (storageDims != nullptr && storageDimsNum > 0) {
      storage_dims = aclnn_cpu::CopyValues(storageDims, storageDimsNum);
    }
    // `stride` has viewDimsNum entries; they describe a view that is kept only if it has as many.
    const bool use_strides = stride != nullptr && viewDimsNum == view_dims.size();
    std::vector<int64_t> strides = use_strides ? aclnn_cpu::CopyValues(stride, viewDimsNum)
                                               : aclnn_cpu::WrappingRowMajorStrides(view_dims);
    state.view_dims = std::move(view_dims);
    state.strides = std::move(strides);
    state.storage_dims = std::move(storage_dims);
    state.offset = offset;
    state.dtype = dataType;
    state.format = format;
    aclnn_cpu::DescribeView(state);
    if (tensorDataAddr != nullptr) state.data = tensorDataAddr;
    return Status();
  });
}

aclnnStatus aclDestroyTensor(const aclTensor* tensor) {
  return AclnnCall(__func__, [&]() -> Status {
    delete tensor;
    return Status();
  });
}

aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum) {
  return AclnnCall(__func__, [&]() -> Status {
    return aclnn_cpu::GetArray({"tensor", tensor}, {"viewDims", viewDims},
                               {"viewDimsNum", viewDimsNum}, &TensorState::view_dims, viewDims,
                               viewDimsNum);
  });
}

aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims,
                               uint64_t* storageDimsNum) {
  return AclnnCall(__func__, [&]() -> Status {
    return aclnn_cpu::GetArray({"tensor", tensor}, {"storageDims", storageDims},
                               {"storageDimsNum", storageDimsNum}, &TensorState::storage_dims,
                               storageDims, storageDimsNum);
  });
}

aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue,
                              uint64_t* stridesNum) {
  return AclnnCall(__func__, [&]() -> Status {
    return aclnn_cpu::GetArray({"tensor", tensor}, {"stridesValue", stridesValue},
                               {"stridesNum", stridesNum}, &TensorState::strides, stridesValue,
                               stridesNum);
  });
}

aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset) {
  return AclnnCall(__func__, [&]() -> Status {
    RETURN_IF_ERROR(aclnn_cpu::RequirePointers(ACLNN_ERR_PARAM_NULLPTR,
                                               {{"tensor", tensor}, {"offset", offset}}));
    *offset = tensor->state->offset;
    return Status();
  });
}

aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format) {
  return AclnnCall(__func__, [&]() -> Status {
    RETURN_IF_ERROR(aclnn_cpu::RequirePointers(ACLNN_ERR_PARAM_NULLPTR,
                                               {{"tensor", tensor}, {"format", format}}));
    *format = tensor->state->format;
    return Status();
  });
}

aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType) {
  return AclnnCall(__func__, [&]() -> Status {
    RETURN_IF_ERROR(aclnn_cpu::RequirePointers(ACLNN_ERR_PARAM_NULLPTR,
                                               {{"tensor", tensor}, {"dataType", dataType}}));
    *dataType = tensor->state->dtype;
    return Status();
  });
}

aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr) {
  return AclnnCall(__func__, [&]() -> Status {
    RETURN_IF_ERROR(aclnn_cpu::RequirePointers(ACLNN_ERR_PARAM_NULLPTR, {{"tensor", tensor}}));
    tensor->state->data = addr;
    return Status();
  });
}

aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr) {
  return AclnnCall(__func__, [&]() -> Status {
    RETURN_IF_ERROR(
        aclnn_cpu::RequirePointers(ACLNN_ERR_PARAM_NULLPTR, {{"tensor", tensor}, {"addr", addr}}));
    *addr = tensor->state->data;
    return Status();
  });
}

}  // extern "C"
