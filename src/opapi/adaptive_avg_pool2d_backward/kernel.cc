#include "opapi/adaptive_avg_pool2d_backward/kernel.h"

namespace aclnn_cpu::adaptive_avg_pool2d_backward {

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
