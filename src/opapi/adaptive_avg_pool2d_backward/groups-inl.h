// The variant "planes": groups of planes, whose quotients are computed ahead of their rows of out.

// Per-target include guard
#if defined(ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_GROUPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_GROUPS_INL_H_
#undef ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_GROUPS_INL_H_
#else
#define ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_GROUPS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "base/float16.h"
#include "opapi/adaptive_avg_pool2d_backward/copy_rows-inl.h"
#include "opapi/adaptive_avg_pool2d_backward/narrow_pair-inl.h"
#include "opapi/adaptive_avg_pool2d_backward/pairs-inl.h"
#include "opapi/adaptive_avg_pool2d_backward/plan.h"
#include "opapi/adaptive_avg_pool2d_backward/planes_job.h"
#include "opapi/adaptive_avg_pool2d_backward/sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
// Rows of at most 16 columns (kSixteen: just so many), each for itself. A function to itself, so
// that its few values stay in registers.
template <typename T, bool kWide, bool kSixteen>
HWY_NOINLINE void PickShortRows(const PairTable& table, const PlaneRows& rows, int64_t width,
                                const uint32_t* pairs) {
  const EightTag d;
  const int64_t bytes = (kSixteen ? 2 * kColumns : width) * static_cast<int64_t>(sizeof(T));
  const int64_t last = width > kColumns ? 1 : 0;
  const auto left_low = hn::LoadU(d, table.low);
  const auto left_high = hn::LoadU(d, table.high);
  const auto right_low = hn::LoadU(d, table.low + 2 * kColumns * last);
  const auto right_high = hn::LoadU(d, table.high + 2 * kColumns * last);
  const uint32_t* const right_pairs = pairs + table.offsets[last];
  uint8_t* to = reinterpret_cast<uint8_t*>(rows.out_plane) + rows.first_row * bytes;
  const int32_t* const end = table.rows + rows.end_row;
  for (const int32_t* start = table.rows + rows.first_row; start < end; ++start, to += bytes) {
    const int64_t at = *start;
#if HWY_CAP_GE256
    if constexpr (!kWide) {
      const SixteenTag d16;
      const auto both = hn::TableLookupBytes(LoadTwice(pairs + at, right_pairs + at),
                                             hn::Combine(d16, right_low, left_low));
      if constexpr (kSixteen) {
        hn::StoreU(both, d16, to);
      } else {
        hn::StoreU(hn::LowerHalf(d, both), d, to);
        hn::StoreU(hn::UpperHalf(d, both), d, to + bytes - 2 * kColumns);
      }
      continue;
    }
#endif
    hn::StoreU(PickEight<kWide>(pairs + at, left_low, left_high), d, to);
    hn::StoreU(PickEight<kWide>(right_pairs + at, right_low, right_high), d,
               to + bytes - 2 * kColumns);
  }
}

// Rows of more than 16 columns: one for all rows under the same rows of gradOutput.
template <typename T, bool kWide>
void PickRows(const PlanesJob& job, const PlaneRows& rows, const uint32_t* pairs, T* row) {
  const PairTable table(job.layout, job.workspace);
  const int64_t width = job.problem.width();
  const bool streaming = CanStream<T>(job, rows.out_plane);
  T* to = reinterpret_cast<T*>(rows.out_plane) + rows.first_row * width;
  for (int64_t h = rows.first_row; h < rows.end_row;) {
    const int32_t start = table.rows[h];
    const int64_t first = h;
    while (++h < rows.end_row && table.rows[h] == start) {
    }
    if (h - first == 1 && !streaming) {
      PickRow<T, kWide>(table, width, pairs + start, to);
    } else {
      PickRow<T, kWide>(table, width, pairs + start, row);
      CopyRows(row, width, h - first, streaming, to);
    }
    to += (h - first) * width;
  }
}

// The rows of a block, in groups of planes. A group goes through three stages: its quotients, its
// pairs, its rows of out. Small planes wait for a group or two between the stages, because a load
// that meets two stores the CPU has not finished is slow, and because rows then leave for the
// caches while the next groups are computed.
template <typename T>
class PlaneGroups {
 public:
  PlaneGroups(const PlanesJob& job, int64_t first_row, int64_t end_row, std::byte* own)
      : job_(job),
        scratch_(job.layout, own),
        pairs_(reinterpret_cast<uint32_t*>(own + job.layout.pairs)),
        cells_(job.problem.grad_height() * job.problem.grad_width()),
        first_row_(first_row),
        end_row_(end_row),
        first_plane_(first_row / job.problem.height()),
        end_plane_((end_row - 1) / job.problem.height() + 1),
        divided_(first_plane_, job.problem.out.extents[1]),
        picked_(divided_),
        grads_adjoin_(HasPackedPlanes(job.problem.grad) && PlanesAdjoin(job.problem.grad)) {}

  void Run() {
    const int64_t wait = job_.layout.slots / 2;
    const int64_t groups = (end_plane_ - first_plane_ - 1) / job_.layout.batch + 1;
    // What is read beyond quotients is never picked, but should be numbers.
    for (int64_t group = 0; group < std::min(groups, job_.layout.slots); ++group) {
      std::fill_n(QuotientsOf(group) + Planes(group) * cells_,
                  job_.problem.grad_width() + kMaxLanes, 0.0f);
    }
    for (int64_t step = 0; step < groups + 2 * wait; ++step) {
      if (step < groups) Divide(step);
      if (step >= wait && step - wait < groups) Fill(step - wait);
      if (step >= 2 * wait) Pick(step - 2 * wait);
    }
  }

 private:
  int64_t FirstPlane(int64_t group) const { return first_plane_ + group * job_.layout.batch; }
  int64_t Planes(int64_t group) const {
    return std::min(end_plane_ - FirstPlane(group), job_.layout.batch);
  }
  float* QuotientsOf(int64_t group) const {
    return scratch_.quotients + group % job_.layout.slots * job_.layout.quotients_stride;
  }
  uint32_t* PairsOf(int64_t group) const {
    return pairs_ + group % job_.layout.slots * 2 * job_.layout.pairs_stride;
  }

  const T* NextGrad() {
    const int64_t offset = divided_.OffsetIn(job_.problem.grad);
    divided_.Next();
    return reinterpret_cast<const T*>(job_.grad) + offset;
  }

  void Divide(int64_t group) {
    float* to = QuotientsOf(group);
    const T* grad = NextGrad();
    const int64_t planes = Planes(group);
    if (grads_adjoin_) {
      Quotients(grad, job_.divisors, job_.divisors_are_reciprocals,
                static_cast<size_t>(planes * cells_), to);
      for (int64_t i = 1; i < planes; ++i) divided_.Next();
      return;
    }
    DividePlane(job_, grad, scratch_.gathered, to);
    for (int64_t i = 1; i < planes; ++i) {
      DividePlane(job_, NextGrad(), scratch_.gathered, to + i * cells_);
    }
  }

  void Fill(int64_t group) {
    const float* const quotients = QuotientsOf(group);
    const int64_t count = Planes(group) * cells_;
    constexpr bool kCanBeTame = std::is_same_v<T, BFloat16>;
    if (kCanBeTame && AreTame(quotients, count)) {
      FillPairs<T, kCanBeTame>(job_.problem, job_.layout, quotients, count, PairsOf(group));
    } else {
      FillPairs<T, false>(job_.problem, job_.layout, quotients, count, PairsOf(group));
    }
  }

  // A plane of the group at a time: pick(rows of out, pairs).
  template <class Function>
  HWY_INLINE void ForPlanes(int64_t group, const Function& pick) {
    const int64_t height = job_.problem.height();
    const uint32_t* pairs = PairsOf(group);
    const int64_t first = FirstPlane(group);
    for (int64_t i = first; i < first + Planes(group); ++i, pairs += cells_, picked_.Next()) {
      T* out = reinterpret_cast<T*>(job_.out) + picked_.OffsetIn(job_.problem.out);
      pick(PlaneRows{nullptr, reinterpret_cast<std::byte*>(out),
                     std::max<int64_t>(first_row_ - i * height, 0),
                     std::min(end_row_ - i * height, height)},
           pairs);
    }
  }

  template <bool kWide>
  void PickAs(int64_t group) {
    const PairTable table(job_.layout, job_.workspace);
    const int64_t width = job_.problem.width();
    ForPlanes(group, [&](const PlaneRows& rows, const uint32_t* pairs) HWY_ATTR {
      if (width == 2 * kColumns) {
        PickShortRows<T, kWide, true>(table, rows, width, pairs);
      } else if (width < 2 * kColumns) {
        PickShortRows<T, kWide, false>(table, rows, width, pairs);
      } else {
        PickRows<T, kWide>(job_, rows, pairs, scratch_.row);
      }
    });
  }

  void Pick(int64_t group) {
    if (job_.source == RowSource::kPairs) {
      PickAs<false>(group);
    } else {
      PickAs<true>(group);
    }
  }

  const PlanesJob& job_;
  const PlanesScratch<T> scratch_;
  uint32_t* const pairs_;
  const int64_t cells_;
  const int64_t first_row_;
  const int64_t end_row_;
  const int64_t first_plane_;
  const int64_t end_plane_;
  PlaneCursor divided_;
  PlaneCursor picked_;
  const bool grads_adjoin_;
};

#endif

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
