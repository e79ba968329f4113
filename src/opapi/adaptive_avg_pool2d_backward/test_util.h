#ifndef ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_TEST_UTIL_H_
#define ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "opapi/adaptive_avg_pool2d_backward/reference.h"
#include "support/compare.h"
#include "support/tensor_builder.h"

// What this operator's tests share: results against the reference.
namespace aclnn_cpu::adaptive_avg_pool2d_backward {

// Shapes [C, H, W] or [N, C, H, W].
inline ReferenceShape ReferenceShapeOf(const test::Int64s& grad, const test::Int64s& out) {
  const size_t rank = out.size();
  return {test::CountOf(out) / (out[rank - 2] * out[rank - 1]), out[rank - 2], out[rank - 1],
          grad[rank - 2], grad[rank - 1]};
}

// `out` holds the reference's result for `grad`, up to the rounding errors of additions in float
// and of one conversion to out's dtype. Elements that are not finite must match exactly.
inline ::testing::AssertionResult MatchesReference(const test::HostTensor& grad,
                                                   const test::HostTensor& out) {
  const ReferenceShape shape = ReferenceShapeOf(grad.shape(), out.shape());
  std::vector<double> values = grad.Values();
  const std::vector<double> want = ReferenceBackward(shape, values);
  for (double& value : values) value = std::fabs(value);
  const std::vector<double> magnitude = ReferenceBackward(shape, values);
  // Per element: a division and an addition for each window around it, row by row.
  const double additions =
      static_cast<double>(shape.grad_height / shape.height + shape.grad_width / shape.width + 6);
  const double half_ulp = out.dtype() == ACL_FLOAT16 ? 0x1p-11
                          : out.dtype() == ACL_BF16  ? 0x1p-8
                                                     : 0x1p-24;
  const double smallest = out.dtype() == ACL_FLOAT16 ? 0x1p-24 : 0x1p-126;
  for (size_t i = 0; i < want.size(); ++i) {
    const double got = out.Get(static_cast<int64_t>(i));
    const double in_float = additions * 0x1p-23 * magnitude[i];
    const test::Tolerance tolerance{half_ulp, in_float * (1 + half_ulp) + smallest};
    // Where the exact result is at the edge of out's range, it may round to either side.
    const double rounded = test::RoundTo(out.dtype(), want[i]);
    if (test::IsClose(got, want[i], tolerance) || (std::isinf(got) && got == rounded)) continue;
    return ::testing::AssertionFailure()
           << "element " << i << " is " << got << ", want " << want[i] << " within "
           << tolerance.atol + tolerance.rtol * std::fabs(want[i]);
  }
  return ::testing::AssertionSuccess();
}

}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward

#endif  // ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_TEST_UTIL_H_
