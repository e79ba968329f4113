#ifndef ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_REFERENCE_H_
#define ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_REFERENCE_H_

#include <cstdint>
#include <vector>

// The specification of the operator in double: plain loops over packed row-major arrays, sharing
// nothing with the kernel. Never linked into the library.
namespace aclnn_cpu::adaptive_avg_pool2d_backward {

struct ReferenceShape {
  int64_t planes;  // N * C
  int64_t height;  // H, W of self and out
  int64_t width;
  int64_t grad_height;  // H, W of gradOutput
  int64_t grad_width;
};

// Adaptive average pooling itself, self [planes, H, W] -> [planes, gradH, gradW]; for gradient
// checks.
std::vector<double> ReferenceForward(const ReferenceShape& shape, const std::vector<double>& self);

// gradOutput [planes, gradH, gradW] -> out [planes, H, W].
std::vector<double> ReferenceBackward(const ReferenceShape& shape,
                                      const std::vector<double>& grad_output);

}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward

#endif  // ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_REFERENCE_H_
