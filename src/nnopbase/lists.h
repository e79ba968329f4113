#ifndef ACLNN_CPU_NNOPBASE_LISTS_H_
#define ACLNN_CPU_NNOPBASE_LISTS_H_

#include <vector>

#include "aclnn/acl_meta.h"
#include "nnopbase/live_objects.h"

// Lists keep the pointers they were given and own the elements from then on.

struct aclTensorList {
  aclnn_cpu::LiveObject live{aclnn_cpu::ObjectKind::kTensorList};
  std::vector<const aclTensor*> elements;
};

struct aclScalarList {
  aclnn_cpu::LiveObject live{aclnn_cpu::ObjectKind::kScalarList};
  std::vector<const aclScalar*> elements;
};

#endif  // ACLNN_CPU_NNOPBASE_LISTS_H_
