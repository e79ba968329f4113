#ifndef ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_PROBLEM_H_
#define ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_PROBLEM_H_

#include <cstdint>

#include "aclnn/acl_meta.h"
#include "base/shape.h"
#include "base/status.h"
#include "nnopbase/op_info.h"

namespace aclnn_cpu::adaptive_avg_pool2d_backward {

// Phase one's arguments as the caller gave them, under the names of the prototype.
struct Args {
  const aclTensor* gradOutput;
  const aclTensor* self;
  aclTensor* out;
  uint64_t* workspaceSize;
  aclOpExecutor** executor;
};

// A checked call without tensor objects. Both views have four axes [N, C, H, W]; a rank 3 call has
// N = 1. The grid of gradients (gradOutput's H, W) may be smaller or bigger than out's.
struct Problem {
  bool is_empty = false;  // nothing runs; no other member is set
  aclDataType grad_dtype = ACL_DT_UNDEFINED;
  aclDataType out_dtype = ACL_DT_UNDEFINED;  // differs from grad_dtype only for a 1x1 grid
  StridedView grad;
  StridedView out;

  int64_t planes() const { return out.extents[0] * out.extents[1]; }
  int64_t height() const { return out.extents[2]; }
  int64_t width() const { return out.extents[3]; }
  int64_t grad_height() const { return grad.extents[2]; }
  int64_t grad_width() const { return grad.extents[3]; }
  int64_t rows() const { return planes() * height(); }  // of out
};

const OpInfo& Info();

// contract.md's checks in its order.
StatusOr<Problem> CheckContract(const Args& args);

// Strict mode: reports what passed but is not on the operator page.
void CheckPage(const Args& args);

}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward

#endif  // ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_PROBLEM_H_
