// The variant "planes": rows of at most two vectors, which stay in registers.

// Per-target include guard
#if defined(ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_SMALL_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_SMALL_ROWS_INL_H_
#undef ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_SMALL_ROWS_INL_H_
#else
#define ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_SMALL_ROWS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/float16.h"
#include "opapi/adaptive_avg_pool2d_backward/columns-inl.h"
#include "opapi/adaptive_avg_pool2d_backward/narrow_pair-inl.h"
#include "opapi/adaptive_avg_pool2d_backward/planes_job.h"
#include "opapi/adaptive_avg_pool2d_backward/sums-inl.h"
#include "simd/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
namespace simd = aclnn_cpu::HWY_NAMESPACE;

// Rows of one vector or two (kVectors), H >= gradH and whole planes: each row adds two rows of
// quotients, the second of which may be the row of zeros that follows the plane's. kOneVector: a
// row of sums is one vector. kTame: quotients are, and T is BFloat16. `end`: what may be written
// over, because the next row, the next plane or another block does not begin before it.
template <typename T, int kVectors, bool kOneVector, bool kTame>
void RunSmallRows(const PlanesJob& job, const PlaneRows& rows, const T* end,
                  const float* quotients) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t width = job.problem.width();
  const int64_t grad_width = job.problem.grad_width();
  const float* const zeros = quotients + job.problem.grad_height() * grad_width;
  const ColumnTable table(job.layout, job.workspace, width);
  // Copies, because stores of out could change the table as far as the compiler knows.
  const auto left_first = LanesOf(d, table, 0, 0);
  const auto left_second = LanesOf(d, table, 1, 0);
  const auto left_mask = SecondMaskOf(d, table, 0);
  const auto right_first = LanesOf(d, table, 0, kVectors - 1);
  const auto right_second = LanesOf(d, table, 1, kVectors - 1);
  const auto right_mask = SecondMaskOf(d, table, kVectors - 1);
  const int64_t offsets[] = {table.offsets[0], table.offsets[1], table.offsets[2 * kVectors - 2],
                             table.offsets[2 * kVectors - 1]};
  const Cover* const covers = job.row_covers;
  const int64_t end_row = rows.end_row;
  T* to = reinterpret_cast<T*>(rows.out_plane) + rows.first_row * width;
  for (int64_t h = rows.first_row; h < end_row;) {
    const Cover cover = covers[h];
    const float* a = quotients + cover.begin * grad_width;
    const float* b = cover.end - cover.begin == 2 ? a + grad_width : zeros;
    const auto sums_at = [&](int64_t offset) HWY_ATTR {
      return hn::Add(hn::LoadU(d, a + offset), hn::LoadU(d, b + offset));
    };
    const auto first = sums_at(kOneVector ? 0 : offsets[0]);
    const auto second = kOneVector ? first : sums_at(offsets[1]);
    const auto left = Spread(first, second, left_first, left_second, left_mask);
    if constexpr (kVectors == 1) {
      StoreUpTo(left, d, end - to, to);
      to += width;
      ++h;
      continue;
    }
    const auto third = kOneVector ? first : sums_at(offsets[2]);
    const auto fourth = kOneVector ? first : sums_at(offsets[3]);
    const auto right = Spread(third, fourth, right_first, right_second, right_mask);
    do {
      StorePair<kTame>(left, right, d, to, to + width - lanes);
      to += width;
      ++h;
    } while (kTame && h < end_row && SameCover(covers[h], cover));
  }
}

template <typename T, bool kTame>
void RunSmallAs(const PlanesJob& job, const PlaneRows& rows, const T* end, const float* quotients) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  if (job.problem.width() <= lanes) {
    RunSmallRows<T, 1, true, kTame>(job, rows, end, quotients);
  } else if (job.problem.grad_width() <= lanes) {
    RunSmallRows<T, 2, true, kTame>(job, rows, end, quotients);
  } else {
    RunSmallRows<T, 2, false, kTame>(job, rows, end, quotients);
  }
}

template <typename T>
void RunSmall(const PlanesJob& job, const PlaneRows& rows, const T* end, const float* quotients) {
  if constexpr (std::is_same_v<T, BFloat16>) {
    if (AreTame(quotients, job.problem.grad_height() * job.problem.grad_width()))
      return RunSmallAs<T, true>(job, rows, end, quotients);
  }
  RunSmallAs<T, false>(job, rows, end, quotients);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
