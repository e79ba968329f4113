#ifndef ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_KERNEL_H_
#define ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_KERNEL_H_

#include <cstddef>
#include <cstdint>

#include "base/function_ref.h"
#include "opapi/adaptive_avg_pool2d_backward/plan.h"

// The order of additions is fixed per element, so that every variant, target, block partition and
// thread count gives the same bits. All additions are of floats:
//   quotient(oh, ow) = gradOutput(oh, ow) / window area
//   sum(ow)          = 0 + quotient(oh, ow) over the rows oh that cover the element, ascending
//   element          = sum(ow) over the columns ow that cover it, ascending
// The 0 is there because it makes -0 to 0. After it no partial result is -0, so adding further
// zeros changes no bit, and neither does adding a 0 to each quotient first.

namespace aclnn_cpu::adaptive_avg_pool2d_backward {

struct KernelArgs {
  const Plan& plan;
  const std::byte* grad;  // first elements of the views, which do not overlap
  std::byte* out;
  std::byte* workspace;  // 64-byte aligned
};

// Calls run(first unit, end, scratch) for every block of the plan, several at once. `scratch` are
// slot_stride bytes that no other call uses meanwhile.
void RunBlocks(const KernelArgs& args,
               FunctionRef<void(int64_t first, int64_t end, std::byte* scratch)> run);

// Fills `out` by the plan's variant.
void RunKernel(const KernelArgs& args);

void RunTiny(const KernelArgs& args);
void RunGlobal(const KernelArgs& args);
void RunPlanes(const KernelArgs& args);
void RunChannelsLast(const KernelArgs& args);
void RunRows(const KernelArgs& args);

}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward

#endif  // ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_KERNEL_H_
