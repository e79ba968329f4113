/// Tensors, scalars, arrays and executors: what operators take and what the two-phase call works
/// with. C and C++ (CANN's header of this name is C++ only).
///
/// Rules for all functions of this header, not repeated below:
/// - The create functions copy what they are given and return null only as stated or when memory
///   runs out. The caller destroys what it created.
/// - The others return 0 (OK), or a code of aclnn/opdev/op_errno.h: 161001 a pointer that must not
///   be null is null, 161002 a value is not allowed, 561xxx see the function. Besides the codes
///   listed: 561000 when memory runs out. aclGetRecentErrMsg() then tells what was wrong.
/// - Nothing blocks; nothing needs aclInit(), a device or a context. Any thread may call, but one
///   object must not be changed or destroyed by one thread while another uses it.
/// - Destroying null is allowed. Destroying twice is undefined.
/// - Source: CANN's code, unless marked "ours".

#ifndef OP_API_OP_API_COMMON_INC_EXTERNAL_ACL_META_H
#define OP_API_OP_API_COMMON_INC_EXTERNAL_ACL_META_H

#ifdef __cplusplus
#include <cstdint>
#include <cstdlib>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#endif

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ACLNN_META
#define ACLNN_META
typedef struct aclOpExecutor aclOpExecutor;  ///< a checked and planned operator call
typedef struct aclTensor aclTensor;          ///< a view of memory; the memory is not owned
typedef struct aclScalar aclScalar;
typedef struct aclIntArray aclIntArray;
typedef struct aclFloatArray aclFloatArray;
typedef struct aclBoolArray aclBoolArray;
typedef struct aclTensorList aclTensorList;
typedef struct aclScalarList aclScalarList;

/// Return code of the aclnn functions: 0 or a code of aclnn/opdev/op_errno.h.
typedef int32_t aclnnStatus;
#ifdef __cplusplus
constexpr aclnnStatus OK = 0;
#else
static const aclnnStatus OK = 0;
#endif
#endif  // ACLNN_META

// ---- tensors ----

/// Describes a tensor. Nothing is validated here: dimensions, strides, offset, dtype and format are
/// stored as given and judged by the operator that gets the tensor.
///
/// Element (i0, i1, ...) of the view lies at
///   tensorData + (offset + i0*stride[0] + i1*stride[1] + ...) * bytes per element.
///
/// @param viewDims extent of each axis, outermost first; may be null when viewDimsNum is 0
/// @param viewDimsNum rank; 0 describes one element
/// @param dataType element type
/// @param stride elements from one index to the next, viewDimsNum of them, 0 and negative allowed;
///   null means row-major without gaps
/// @param offset elements from tensorData to the first element
/// @param format meaning of the axes; becomes view, storage and origin format
/// @param storageDims extents of the memory behind the view, in elements; their product limits a
///   view that is not row-major. One extent, the view's extents, or more than needed are all usual
/// @param storageDimsNum number of storageDims
/// @param tensorData device address, kept, not owned; null is allowed until phase two needs the
///   data. A card wants a multiple of 32 bytes (page); not enforced
/// @return the tensor, or null: viewDims null with viewDimsNum > 0, storageDims null with
///   storageDimsNum > 0, out of memory
ACL_FUNC_VISIBILITY aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum,
                                               aclDataType dataType, const int64_t* stride,
                                               int64_t offset, aclFormat format,
                                               const int64_t* storageDims, uint64_t storageDimsNum,
                                               void* tensorData);

/// Destroys a tensor, not its memory. Allowed right after phase two, before the stream has run the
/// work; and after phase one, whose executor keeps the description (ours).
///
/// @param tensor tensor or null
/// @return 0
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyTensor(const aclTensor* tensor);

/// Describes an existing tensor anew.
///
/// @param tensor tensor to change
/// @param viewDims, viewDimsNum, storageDims, storageDimsNum replace the old ones only when the
///   pointer is not null and the count not 0
/// @param dataType, stride, offset, format as for aclCreateTensor(); always replace the old ones.
///   stride counts as null when viewDimsNum is not the rank of the resulting view (ours)
/// @param tensorDataAddr replaces the address only when it is not null
/// @return 0; 161001 tensor is null
ACL_FUNC_VISIBILITY aclnnStatus aclInitTensor(aclTensor* tensor, const int64_t* viewDims,
                                              uint64_t viewDimsNum, aclDataType dataType,
                                              const int64_t* stride, int64_t offset,
                                              aclFormat format, const int64_t* storageDims,
                                              uint64_t storageDimsNum, void* tensorDataAddr);

/// Extents of the view.
///
/// @param tensor tensor
/// @param viewDims receives an array from operator new[]; the caller frees it with delete[]
/// @param viewDimsNum receives its length
/// @return 0; 161001 a pointer is null
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims,
                                                uint64_t* viewDimsNum);

/// Extents of the storage; results, ownership and codes as for aclGetViewShape().
ACL_FUNC_VISIBILITY aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims,
                                                   uint64_t* storageDimsNum);

/// Strides of the view in elements; results, ownership and codes as for aclGetViewShape().
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue,
                                                  uint64_t* stridesNum);

/// Offset of the view.
///
/// @param tensor tensor
/// @param offset receives elements
/// @return 0; 161001 a pointer is null
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset);

/// Format of the view.
///
/// @param tensor tensor
/// @param format receives it
/// @return 0; 161001 a pointer is null
ACL_FUNC_VISIBILITY aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format);

/// Element type.
///
/// @param tensor tensor
/// @param dataType receives it
/// @return 0; 161001 a pointer is null
ACL_FUNC_VISIBILITY aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType);

/// Sets the address of a tensor's memory. Executors made from the tensor use it in their next
/// phase two.
///
/// @param tensor tensor
/// @param addr device address without the offset; null is stored too
/// @return 0; 161001 tensor is null
ACL_FUNC_VISIBILITY aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr);

/// Address of a tensor's memory.
///
/// @param tensor tensor
/// @param addr receives the address without the offset
/// @return 0; 161001 a pointer is null
ACL_FUNC_VISIBILITY aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr);

// ---- scalars, arrays, lists ----

/// Copies one number.
///
/// @param value host address of an element of the type
/// @param dataType its type
/// @return the scalar; null when value is null
ACL_FUNC_VISIBILITY aclScalar* aclCreateScalar(void* value, aclDataType dataType);

/// Copies numbers from host memory.
///
/// @param value size elements, or null
/// @param size count
/// @return the array, never null but when memory runs out; empty when value is null or size is 0
ACL_FUNC_VISIBILITY aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size);

/// As aclCreateIntArray().
ACL_FUNC_VISIBILITY aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size);

/// As aclCreateIntArray(). Pass an array of bool: std::vector<bool> has no data() that would fit.
ACL_FUNC_VISIBILITY aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size);

/// Makes a list of tensors. The list keeps the pointers and becomes the owner of the tensors.
///
/// @param value size pointers, copied
/// @param size count
/// @return the list; empty when value is null or size is 0
ACL_FUNC_VISIBILITY aclTensorList* aclCreateTensorList(const aclTensor* const* value,
                                                       uint64_t size);

/// As aclCreateTensorList(), for scalars.
ACL_FUNC_VISIBILITY aclScalarList* aclCreateScalarList(const aclScalar* const* value,
                                                       uint64_t size);

/// Each destroys one object; null is allowed. @return 0
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyScalar(const aclScalar* scalar);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyIntArray(const aclIntArray* array);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyFloatArray(const aclFloatArray* array);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyBoolArray(const aclBoolArray* array);

/// Each destroys a list and ALL its elements, which must not be destroyed again. @return 0
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyTensorList(const aclTensorList* array);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyScalarList(const aclScalarList* array);

/// Each stores the number of elements in *size. @return 0; 161001 a pointer is null
ACL_FUNC_VISIBILITY aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size);
ACL_FUNC_VISIBILITY aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size);
ACL_FUNC_VISIBILITY aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size);
ACL_FUNC_VISIBILITY aclnnStatus aclGetTensorListSize(const aclTensorList* tensorList,
                                                     uint64_t* size);
ACL_FUNC_VISIBILITY aclnnStatus aclGetScalarListSize(const aclScalarList* scalarList,
                                                     uint64_t* size);

// ---- executors ----
//
// Phase one of an operator creates an executor, phase two runs it once and destroys it. A
// repeatable executor stays: it can run again, with the addresses the tensors have then, until it
// is destroyed. Phase two's codes, the same for every operator, stand in the operator headers.

/// Makes an executor repeatable. To be called after phase one, before phase two.
///
/// @param executor executor from phase one
/// @return 0; 561103 null; 561000 not a live executor. CANN refuses some operators here; this
///   library none (ours)
ACL_FUNC_VISIBILITY aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor);

/// Destroys an executor: a repeatable one, or one whose phase two was never called.
///
/// @param executor executor
/// @return 0; 561103 null; 561000 not a live executor
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor);

/// Sets the address of a tensor that an executor uses, for its next phase two.
///
/// @param executor executor made from the tensor. The address is stored even when this is null
/// @param index ignored for the operators offered here; CANN's page says 161002 out of range
/// @param tensor tensor
/// @param addr device address without the offset
/// @return 0; 561103 tensor is null, then executor is null
ACL_FUNC_VISIBILITY aclnnStatus aclSetTensorAddr(aclOpExecutor* executor, const size_t index,
                                                 aclTensor* tensor, void* addr);

/// The same as aclSetTensorAddr(), for an input.
ACL_FUNC_VISIBILITY aclnnStatus aclSetInputTensorAddr(aclOpExecutor* executor, const size_t index,
                                                      aclTensor* tensor, void* addr);

/// The same as aclSetTensorAddr(), for an output.
ACL_FUNC_VISIBILITY aclnnStatus aclSetOutputTensorAddr(aclOpExecutor* executor, const size_t index,
                                                       aclTensor* tensor, void* addr);

/// Sets the address of one tensor of a list that an executor uses.
///
/// @param executor executor made from the list
/// @param irIndex ignored
/// @param relativeIndex which tensor of the list, from 0
/// @param tensors list
/// @param addr device address without the offset
/// @return 0; 561103 tensors is null; 161002 relativeIndex is not below the list's size; 561103 the
///   element is null, or executor is null
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                                        const size_t relativeIndex,
                                                        aclTensorList* tensors, void* addr);

/// The same as aclSetDynamicTensorAddr(), for an input.
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor* executor,
                                                             size_t irIndex,
                                                             const size_t relativeIndex,
                                                             aclTensorList* tensors, void* addr);

/// The same as aclSetDynamicTensorAddr(), for an output.
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor* executor,
                                                              size_t irIndex,
                                                              const size_t relativeIndex,
                                                              aclTensorList* tensors, void* addr);

/// The six functions above under CANN's older names.
ACL_FUNC_VISIBILITY aclnnStatus AclSetTensorAddr(aclOpExecutor* executor, const size_t index,
                                                 aclTensor* tensor, void* addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetInputTensorAddr(aclOpExecutor* executor, const size_t index,
                                                      aclTensor* tensor, void* addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetOutputTensorAddr(aclOpExecutor* executor, const size_t index,
                                                       aclTensor* tensor, void* addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetDynamicTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                                        const size_t relativeIndex,
                                                        aclTensorList* tensors, void* addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetDynamicInputTensorAddr(aclOpExecutor* executor,
                                                             size_t irIndex,
                                                             const size_t relativeIndex,
                                                             aclTensorList* tensors, void* addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetDynamicOutputTensorAddr(aclOpExecutor* executor,
                                                              size_t irIndex,
                                                              const size_t relativeIndex,
                                                              aclTensorList* tensors, void* addr);

/// Would dump tensors to files for comparison; dumps nothing here (ours).
///
/// @param opType, opName names of the operator
/// @param tensors inputs, then outputs
/// @param inputTensorNum, outputTensorNum how many of each
/// @param stream stream of the operator
/// @return 0; 161001 opType, opName, tensors or stream is null
ACL_FUNC_VISIBILITY aclnnStatus aclDumpOpTensors(const char* opType, const char* opName,
                                                 aclTensor** tensors, size_t inputTensorNum,
                                                 size_t outputTensorNum, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // OP_API_OP_API_COMMON_INC_EXTERNAL_ACL_META_H
