// The list functions of aclnn/acl_meta.h. Rules: contract.md 4.2.
#include "aclnn/opdev/op_errno.h"
#include "ascendcl/api_call.h"
#include "nnopbase/arguments.h"
#include "nnopbase/create_object.h"
#include "nnopbase/lists.h"
#include "nnopbase/scalar_array.h"
#include "nnopbase/tensor.h"

namespace aclnn_cpu {
namespace {

template <typename List, typename Element>
List* CreateList(const char* api, const Element* const* elements, uint64_t size) {
  return CreateObject<List>(api, [&](List& list) {
    if (elements != nullptr) list.elements = CopyValues(elements, size);
    return Status();
  });
}

template <typename List>
aclnnStatus DestroyList(const char* api, const List* list) {
  return AclnnCall(api, [list] {
    if (list == nullptr) return Status();
    for (const auto* element : list->elements) delete element;
    delete list;
    return Status();
  });
}

template <typename List>
aclnnStatus GetListSize(const char* api, NamedPointer name, const List* list, uint64_t* size) {
  return AclnnCall(api, [&]() -> Status {
    RETURN_IF_ERROR(RequirePointers(ACLNN_ERR_PARAM_NULLPTR, {name, {"size", size}}));
    *size = list->elements.size();
    return Status();
  });
}

}  // namespace
}  // namespace aclnn_cpu

extern "C" {

aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size) {
  return aclnn_cpu::CreateList<aclTensorList>(__func__, value, size);
}

aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size) {
  return aclnn_cpu::CreateList<aclScalarList>(__func__, value, size);
}

aclnnStatus aclDestroyTensorList(const aclTensorList* array) {
  return aclnn_cpu::DestroyList(__func__, array);
}

aclnnStatus aclDestroyScalarList(const aclScalarList* array) {
  return aclnn_cpu::DestroyList(__func__, array);
}

aclnnStatus aclGetTensorListSize(const aclTensorList* tensorList, uint64_t* size) {
  return aclnn_cpu::GetListSize(__func__, {"tensorList", tensorList}, tensorList, size);
}

aclnnStatus aclGetScalarListSize(const aclScalarList* scalarList, uint64_t* size) {
  return aclnn_cpu::GetListSize(__func__, {"scalarList", scalarList}, scalarList, size);
}

}  // extern "C"
