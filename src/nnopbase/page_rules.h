#ifndef ACLNN_CPU_NNOPBASE_PAGE_RULES_H_
#define ACLNN_CPU_NNOPBASE_PAGE_RULES_H_

#include <initializer_list>

#include "nnopbase/op_info.h"
#include "nnopbase/tensor.h"

namespace aclnn_cpu {

// Reports to strict mode what phase one lets through and the operator page forbids. Null tensors
// are passed over. To be called only if StrictOn().
class PageCheck {
 public:
  explicit PageCheck(const OpInfo& info) : info_(info) {}

  // By the support table, for the product this process pretends to be.
  void Dtype(NamedTensor tensor) const;

  // By the row `id` of OpInfo::page_forbids, if `broken`.
  void Rule(const char* id, NamedTensor tensor, bool broken) const;

  void FormatIsOneOf(const char* id, NamedTensor tensor,
                     std::initializer_list<aclFormat> allowed) const;
  void SameFormat(const char* id, NamedTensor tensor, NamedTensor reference) const;

 private:
  const OpInfo& info_;
};

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_NNOPBASE_PAGE_RULES_H_
