// The variant "planes" for 16-bit types, W >= gradW and H >= gradH.
//
// An element of out lies under one row of gradOutput or two, and under one column or two. So it is
// one of four numbers that belong to the first cell over it, and those are computed and rounded for
// all cells, a vector at a time. A row of out then only picks 16-bit numbers: a byte permutation
// per eight columns.

// Per-target include guard
#if defined(ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_PAIRS_INL_H_
#undef ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_PAIRS_INL_H_
#else
#define ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_PAIRS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/float16.h"
#include "nnopbase/tensor.h"
#include "opapi/adaptive_avg_pool2d_backward/narrow_pair-inl.h"
#include "opapi/adaptive_avg_pool2d_backward/planes_job.h"
#include "opapi/adaptive_avg_pool2d_backward/windows.h"
#include "simd/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
namespace simd = aclnn_cpu::HWY_NAMESPACE;

// Columns that one permutation makes.
constexpr int64_t kColumns = 8;

#if HWY_TARGET != HWY_SCALAR
// Where rows and columns of out find their numbers. A pair is a 32-bit word per cell of gradOutput:
// in its lower half the number for elements under the cell's column alone, in the upper half the
// one for those under the next column too. There are two arrays of pairs: for one row of
// gradOutput, and `pairs_stride` words on for a row and the next.
struct PairTable {
  int32_t* rows;     // [H]: where the pairs of a row of out start
  int32_t* offsets;  // [R]: how many words on from there the pairs of eight columns start
  uint8_t* low;      // [R][16]: permutation of the bytes of the first four pairs,
  uint8_t* high;     // of the next four; 0x80 where the byte comes from the others

  PairTable(const PlanesLayout& layout, std::byte* workspace)
      : rows(reinterpret_cast<int32_t*>(workspace + layout.row_covers)),
        offsets(reinterpret_cast<int32_t*>(workspace + layout.offsets)),
        low(reinterpret_cast<uint8_t*>(workspace + layout.lanes[0])),
        high(reinterpret_cast<uint8_t*>(workspace + layout.lanes[1])) {}
};

// First of the eight columns number r; the last ones end with the row.
HWY_INLINE int64_t FirstOfEight(int64_t r, int64_t width) {
  return std::min(r * kColumns, width - kColumns);
}

// Returns whether `high` is used.
HWY_INLINE bool FillPairTable(const Problem& problem, const PlanesLayout& layout,
                              std::byte* workspace) {
  const PairTable table(layout, workspace);
  const int64_t width = problem.width();
  WindowSequence rows(problem.grad_height(), problem.height());
  for (int64_t h = 0; h < problem.height(); ++h) {
    const Window cover = rows.Next();
    const int64_t array = (cover.end - cover.begin - 1) * layout.pairs_stride;
    table.rows[h] = static_cast<int32_t>(array + cover.begin * problem.grad_width());
  }
  WindowSequence columns(problem.grad_width(), width);
  Window history[kColumns];  // covers of the last columns, by column modulo their number
  int64_t next_column = 0;
  bool wide = false;
  for (int64_t r = 0; r * kColumns < width; ++r) {
    const int64_t first = FirstOfEight(r, width);
    for (; next_column < first + kColumns; ++next_column)
      history[next_column % kColumns] = columns.Next();
    const int64_t offset = history[first % kColumns].begin;
    table.offsets[r] = static_cast<int32_t>(offset);
    for (int64_t k = 0; k < 2 * kColumns; ++k) {
      const Window cover = history[(first + k / 2) % kColumns];
      const int64_t byte = 4 * (cover.begin - offset) + 2 * (cover.end - cover.begin - 1) + k % 2;
      const int64_t at = 2 * kColumns * r + k;
      table.low[at] = static_cast<uint8_t>(byte < 16 ? byte : 0x80);
      table.high[at] = static_cast<uint8_t>(byte < 16 ? 0x80 : byte - 16);
      wide = wide || byte >= 16;
    }
  }
  return wide;
}

// Both rounded to T, in one word. kTame: the numbers are.
template <typename T, bool kTame, class D>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<D> > PairOf(hn::Vec<D> alone, hn::Vec<D> with_next, D d) {
  const hn::RebindToUnsigned<D> du;
  if constexpr (kTame) {
    const hn::Repartition<uint16_t, D> d16;
    const auto lower = hn::ShiftRight<16>(RoundTame(alone, d));
    const auto upper = RoundTame(with_next, d);
    return hn::BitCast(du, hn::OddEven(hn::BitCast(d16, upper), hn::BitCast(d16, lower)));
  } else {
    const auto lower = simd::NarrowedBits(T(), alone, d);
    const auto upper = hn::ShiftLeft<16>(simd::NarrowedBits(T(), with_next, d));
    return hn::BitCast(du, hn::Or(lower, upper));
  }
}

// The pairs of `count` cells, from planes one after the other. What comes from beyond a row's or a
// plane's end is never picked; quotients must be readable that far.
template <typename T, bool kTame>
void FillPairs(const Problem& problem, const PlanesLayout& layout, const float* quotients,
               int64_t count, uint32_t* pairs) {
  const hn::ScalableTag<float> d;
  const hn::ScalableTag<uint32_t> du;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const bool rows_meet = problem.height() % problem.grad_height() != 0;
  const float* const below = quotients + problem.grad_width();
  uint32_t* const two_rows = pairs + layout.pairs_stride;
  for (int64_t i = 0; i < count; i += lanes) {
    const auto alone = hn::LoadU(d, quotients + i);
    const auto next = hn::LoadU(d, quotients + i + 1);
    hn::StoreU(PairOf<T, kTame>(alone, hn::Add(alone, next), d), du, pairs + i);
    if (!rows_meet) continue;
    const auto sum = hn::Add(alone, hn::LoadU(d, below + i));
    const auto next_sum = hn::Add(next, hn::LoadU(d, below + i + 1));
    hn::StoreU(PairOf<T, kTame>(sum, hn::Add(sum, next_sum), d), du, two_rows + i);
  }
}

using EightTag = hn::FixedTag<uint8_t, 2 * kColumns>;

#if HWY_CAP_GE256
using SixteenTag = hn::FixedTag<uint8_t, 4 * kColumns>;

HWY_INLINE hn::Vec<SixteenTag> LoadTwice(const uint32_t* left, const uint32_t* right) {
  const EightTag d;
  return hn::Combine(SixteenTag(), hn::LoadU(d, reinterpret_cast<const uint8_t*>(right)),
                     hn::LoadU(d, reinterpret_cast<const uint8_t*>(left)));
}
#endif

template <bool kWide>
HWY_INLINE hn::Vec<EightTag> PickEight(const uint32_t* pairs, hn::Vec<EightTag> low,
                                       hn::Vec<EightTag> high) {
  const EightTag d;
  const uint8_t* const bytes = reinterpret_cast<const uint8_t*>(pairs);
  if constexpr (!kWide) return hn::TableLookupBytes(hn::LoadU(d, bytes), low);
  return hn::Or(hn::TableLookupBytesOr0(hn::LoadU(d, bytes), low),
                hn::TableLookupBytesOr0(hn::LoadU(d, bytes + 16), high));
}

template <typename T, bool kWide>
void PickRow(const PairTable& table, int64_t width, const uint32_t* pairs, T* to) {
  const EightTag d;
  for (int64_t r = 0; r * kColumns < width; ++r) {
    const int64_t at = 2 * kColumns * r;
    const auto picked = PickEight<kWide>(pairs + table.offsets[r], hn::LoadU(d, table.low + at),
                                         hn::LoadU(d, table.high + at));
    hn::StoreU(picked, d, reinterpret_cast<uint8_t*>(to + FirstOfEight(r, width)));
  }
}

#endif

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
