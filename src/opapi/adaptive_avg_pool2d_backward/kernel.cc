#include "opapi/adaptive_avg_pool2d_backward/kernel.h"

#include "base/parallel.h"

namespace aclnn_cpu::adaptive_avg_pool2d_backward {

void RunBlocks(const KernelArgs& args,
               FunctionRef<void(int64_t first, int64_t end, std::byte* scratch)> run) {
  const Plan& plan = args.plan;
  const WorkspaceParts& parts = plan.parts();
  ParallelForSlots(plan.blocks(), plan.slots(), plan.EstimatedMicroseconds(),
                   [&](int64_t block, int64_t slot) {
                     run(plan.FirstUnit(block), plan.FirstUnit(block + 1),
                         args.workspace + parts.tables + slot * parts.slot_stride);
                   });
}

void RunKernel(const KernelArgs& args) {
  switch (args.plan.variant()) {
    case Variant::kTiny:
      return RunTiny(args);
    case Variant::kGlobal:
      return RunGlobal(args);
    case Variant::kPlanes:
      return RunPlanes(args);
    case Variant::kChannelsLast:
      return RunChannelsLast(args);
    case Variant::kRows:
      return RunRows(args);
  }
}

}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
