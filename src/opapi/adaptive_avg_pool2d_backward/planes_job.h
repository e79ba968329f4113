#ifndef ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_PLANES_JOB_H_
#define ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_PLANES_JOB_H_

#include <cstddef>
#include <cstdint>

#include "opapi/adaptive_avg_pool2d_backward/layout.h"
#include "opapi/adaptive_avg_pool2d_backward/problem.h"

namespace aclnn_cpu::adaptive_avg_pool2d_backward {

// What the variant "planes" makes rows of out from.
enum class RowSource {
  kBands,      // sums in scratch, a row for all rows under the same rows of gradOutput
  kSmallRows,  // quotients, in registers (small_rows-inl.h)
  kPairs,      // pairs of 16-bit numbers (pairs-inl.h)
  kWidePairs,  // the same where eight columns may lie under more than four cells
};

// Of the variant "planes": what all blocks of a run share.
struct PlanesJob {
  const Problem& problem;
  const PlanesLayout& layout;
  const std::byte* grad;
  std::byte* out;
  std::byte* workspace;
  const Cover* row_covers;
  const Cover* column_covers;
  const float* divisors;
  bool divisors_are_reciprocals;
  RowSource source;
  bool streaming;
};

// The rows [first_row, end_row) of one plane that a block owns.
struct PlaneRows {
  const std::byte* grad_plane;
  std::byte* out_plane;
  int64_t first_row;
  int64_t end_row;
};

}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward

#endif  // ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_PLANES_JOB_H_
