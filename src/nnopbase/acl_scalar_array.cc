// The scalar and array functions of aclnn/acl_meta.h. Rules: contract.md 4.2.
#include <cstring>

#include "aclnn/opdev/op_errno.h"
#include "ascendcl/api_call.h"
#include "nnopbase/arguments.h"
#include "nnopbase/create_object.h"
#include "nnopbase/scalar_array.h"
#include "nnopbase/tensor.h"

namespace aclnn_cpu {
namespace {

// A null pointer gives an empty array, whatever the size says.
template <typename Array, typename T>
Array* CreateArray(const char* api, const T* values, uint64_t size) {
  return CreateObject<Array>(api, [&](Array& array) {
    if (values != nullptr) array.values = CopyValues(values, size);
    return Status();
  });
}

template <typename Object>
aclnnStatus Destroy(const char* api, const Object* object) {
  return AclnnCall(api, [object] {
    delete object;
    return Status();
  });
}

template <typename Array>
aclnnStatus GetArraySize(const char* api, const Array* array, uint64_t* size) {
  return AclnnCall(api, [&]() -> Status {
    RETURN_IF_ERROR(RequirePointers(ACLNN_ERR_PARAM_NULLPTR, {{"array", array}, {"size", size}}));
    *size = array->values.size();
    return Status();
  });
}

}  // namespace
}  // namespace aclnn_cpu

using aclnn_cpu::Status;

extern "C" {

aclScalar* aclCreateScalar(void* value, aclDataType dataType) {
  return aclnn_cpu::CreateObject<aclScalar>(__func__, [&](aclScalar& scalar) -> Status {
    RETURN_IF_ERROR(aclnn_cpu::RequirePointers(ACLNN_ERR_PARAM_NULLPTR, {{"value", value}}));
    scalar.dtype = dataType;
    // How much there is to read is known only for known types.
    if (aclnn_cpu::IsKnownDtype(dataType)) {
      std::memcpy(scalar.value.data(), value, aclDataTypeSize(dataType));
    }
    return Status();
  });
}

aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
  return aclnn_cpu::CreateArray<aclIntArray>(__func__, value, size);
}

aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size) {
  return aclnn_cpu::CreateArray<aclFloatArray>(__func__, value, size);
}

aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size) {
  // As bytes: a bool that holds neither 0 nor 1 must not be read as one.
  aclBoolArray* array =
      aclnn_cpu::CreateArray<aclBoolArray>(__func__, reinterpret_cast<const uint8_t*>(value), size);
  if (array != nullptr) {
    for (uint8_t& flag : array->values) flag = flag != 0;
  }
  return array;
}

aclnnStatus aclDestroyScalar(const aclScalar* scalar) {
  return aclnn_cpu::Destroy(__func__, scalar);
}

aclnnStatus aclDestroyIntArray(const aclIntArray* array) {
  return aclnn_cpu::Destroy(__func__, array);
}

aclnnStatus aclDestroyFloatArray(const aclFloatArray* array) {
  return aclnn_cpu::Destroy(__func__, array);
}

aclnnStatus aclDestroyBoolArray(const aclBoolArray* array) {
  return aclnn_cpu::Destroy(__func__, array);
}

aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size) {
  return aclnn_cpu::GetArraySize(__func__, array, size);
}

aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size) {
  return aclnn_cpu::GetArraySize(__func__, array, size);
}

aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size) {
  return aclnn_cpu::GetArraySize(__func__, array, size);
}

}  // extern "C"
