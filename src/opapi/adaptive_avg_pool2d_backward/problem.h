#ifndef ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_PROBLEM_H_
#define ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_PROBLEM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "aclnn/acl_meta.h"
#include "base/shape.h"
#include "base/status.h"
#include "nnopbase/executor.h"
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

// A half-open range of rows or columns.
struct Window {
  int64_t begin;
  int64_t end;
};

// Where the parts of the workspace lie, in bytes from its start. All offsets and `block_stride` are
// multiples of 64. The tables are written once per run, the scratch by the block that owns it.
struct WorkspaceLayout {
  int64_t row_windows = 0;     // Window[gradH]: rows of out that a row of gradOutput spreads over
  int64_t column_windows = 0;  // Window[gradW]: the same for columns
  int64_t divisors = 0;        // float[gradW], twice: window areas for the two window heights
  int64_t divisor_stride = 0;  // from one of the two to the other
  int64_t scratch = 0;         // of block 0; block b follows at b * block_stride
  int64_t block_stride = 0;
  // Inside a block's scratch:
  int64_t grad_row = 0;     // float[gradW]: a row of gradOutput, widened or gathered
  int64_t column_sums = 0;  // float[gradW]: sums over the window rows
  int64_t out_row = 0;      // float[W]: a finished row
  int64_t narrowed = 0;     // out's dtype[W]: the row as it is stored; = out_row for float
};

// The one variant so far: rows. A block owns a contiguous range of the rows of out and computes
// each element with a fixed order of additions, so the partition never shows in the result.
class Plan : public OpPlan {
 public:
  // `problem` is not empty; 1 <= blocks <= rows. Out that meets itself takes one block.
  Plan(const Problem& problem, int64_t blocks);

  void Run(std::span<void* const> args, std::byte* workspace) const override;
  std::span<const WorkspaceItem> Workspace() const override { return workspace_; }
  double EstimatedMicroseconds() const override { return estimated_us_; }
  std::string Describe() const override;

  const Problem& problem() const { return problem_; }
  const WorkspaceLayout& layout() const { return layout_; }
  int64_t blocks() const { return blocks_; }
  // First row of a block; block `blocks()` starts where the rows end.
  int64_t FirstRow(int64_t block) const;

 private:
  void LayOutWorkspace();

  Problem problem_;
  WorkspaceLayout layout_;
  std::array<WorkspaceItem, 2> workspace_{};
  int64_t blocks_ = 1;
  double estimated_us_ = 0;
};

// Chooses the blocks, from the problem alone. `problem` is not empty. 561103 if the workspace
// cannot be addressed.
StatusOr<std::shared_ptr<const Plan>> MakePlan(const Problem& problem);

// Fills `out`. `grad` and `out` point at the first elements of the views; they do not overlap.
void RunKernel(const Plan& plan, const void* grad, void* out, std::byte* workspace);

}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward

#endif  // ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_PROBLEM_H_
