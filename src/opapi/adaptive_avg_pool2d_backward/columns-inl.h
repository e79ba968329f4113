// Spreading a row of sums, one per column of gradOutput, over the columns of a row of out.

// Per-target include guard
#if defined(ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_COLUMNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_COLUMNS_INL_H_
#undef ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_COLUMNS_INL_H_
#else
#define ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_COLUMNS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "opapi/adaptive_avg_pool2d_backward/layout.h"
#include "opapi/adaptive_avg_pool2d_backward/windows.h"
#include "simd/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
namespace simd = aclnn_cpu::HWY_NAMESPACE;

// Where W >= gradW, one or two columns of gradOutput cover a column of out, and the first of them
// moves on by at most one from column to column. So the addends of a vector of columns lie within
// two vectors of sums, and a permutation of each brings them to their lanes.
struct ColumnTable {
  int32_t* offsets;
  int32_t* lanes[2];
  int32_t* second_masks;
  int64_t width;

  ColumnTable(const PlanesLayout& layout, std::byte* workspace, int64_t out_width)
      : offsets(reinterpret_cast<int32_t*>(workspace + layout.offsets)),
        lanes{reinterpret_cast<int32_t*>(workspace + layout.lanes[0]),
              reinterpret_cast<int32_t*>(workspace + layout.lanes[1])},
        second_masks(reinterpret_cast<int32_t*>(workspace + layout.second_masks)),
        width(out_width) {}
};

// First column of the vector r of a row. The last vector ends with the row, where a row has room
// for one.
HWY_INLINE int64_t FirstColumn(int64_t r, int64_t vector_lanes, int64_t width) {
  return std::max<int64_t>(std::min(r * vector_lanes, width - vector_lanes), 0);
}

HWY_INLINE void FillColumnTable(int64_t grad_width, const ColumnTable& table) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t width = table.width;
  // A row of sums that is one vector needs no offsets.
  const bool one_vector = grad_width <= lanes;
  WindowSequence covers(grad_width, width);
  int64_t next_column = 0;
  Window cover{0, 0};
  Window history[kMaxLanes];  // covers of the last columns, by column modulo kMaxLanes
  for (int64_t r = 0; r * lanes < width; ++r) {
    const int64_t first = FirstColumn(r, lanes, width);
    for (; next_column < std::min(first + lanes, width); ++next_column) {
      cover = covers.Next();
      history[next_column % kMaxLanes] = cover;
    }
    const int64_t offset = one_vector ? 0 : history[first % kMaxLanes].begin;
    const int64_t second_offset = one_vector ? 0 : offset + 1;
    table.offsets[2 * r] = static_cast<int32_t>(offset);
    table.offsets[2 * r + 1] = static_cast<int32_t>(second_offset);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const Window at = history[std::min(first + lane, width - 1) % kMaxLanes];
      const bool two = at.end - at.begin == 2;
      const int64_t i = r * lanes + lane;
      table.lanes[0][i] = static_cast<int32_t>(at.begin - offset);
      table.lanes[1][i] = two ? static_cast<int32_t>(at.begin + 1 - second_offset) : 0;
      table.second_masks[i] = two ? -1 : 0;
    }
  }
}

// The table's permutation for vector r: of the first addends (which = 0) or the second ones.
template <class D>
HWY_INLINE auto LanesOf(D d, const ColumnTable& table, int which, int64_t r) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  return hn::IndicesFromVec(d, hn::LoadU(hn::RebindToSigned<D>(), table.lanes[which] + r * lanes));
}

template <class D>
HWY_INLINE hn::Vec<D> SecondMaskOf(D d, const ColumnTable& table, int64_t r) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  return hn::BitCast(d, hn::LoadU(hn::RebindToSigned<D>(), table.second_masks + r * lanes));
}

// The columns of a vector from the sums around them, loaded from the table's two offsets.
template <class V, class Lanes>
HWY_INLINE V Spread(V first, V second, Lanes first_lanes, Lanes second_lanes, V second_mask) {
  return hn::Add(hn::TableLookupLanes(first, first_lanes),
                 hn::And(hn::TableLookupLanes(second, second_lanes), second_mask));
}

// Stores the first `count` lanes, of which there may be more than the vector has room for.
template <class D, typename T>
HWY_INLINE void StoreUpTo(hn::Vec<D> v, D d, int64_t count, T* to) {
  if (count >= static_cast<int64_t>(hn::Lanes(d))) {
    simd::StoreFromFloat(v, d, to);
    return;
  }
  T lanes[kMaxLanes];
  simd::StoreFromFloat(v, d, lanes);
  std::memcpy(to, lanes, static_cast<size_t>(count) * sizeof(T));
}

// kTwo: from the sums of two rows. They must be readable for kMaxLanes elements past their end.
template <bool kTwo, typename T>
HWY_INLINE void SpreadByTable(const ColumnTable& table, const float* sums, const float* others,
                              T* to) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto sums_at = [&](int64_t offset) HWY_ATTR {
    const auto v = hn::LoadU(d, sums + offset);
    return kTwo ? hn::Add(v, hn::LoadU(d, others + offset)) : v;
  };
  const auto vector_at = [&](int64_t r) HWY_ATTR {
    return Spread(sums_at(table.offsets[2 * r]), sums_at(table.offsets[2 * r + 1]),
                  LanesOf(d, table, 0, r), LanesOf(d, table, 1, r), SecondMaskOf(d, table, r));
  };
  for (int64_t r = 0; r * lanes < table.width; ++r) {
    StoreUpTo(vector_at(r), d, table.width, to + FirstColumn(r, lanes, table.width));
  }
}

// W is gradW or a little more: over long runs of columns, column w is sums[w - k] + sums[w - k + 1]
// with a fixed k.
template <typename T>
HWY_INLINE void SpreadDiagonally(int64_t width, int64_t grad_width, const float* sums, T* to) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t narrower = width - grad_width;
  if (narrower == 0) {
    simd::NarrowRow(sums, static_cast<size_t>(width), to);
    return;
  }
  int64_t first = 0;  // column of gradOutput, floor(w * gradW / W), and the remainder of that
  int64_t rest = 0;
  for (int64_t w = 0; w < width;) {
    // Each step within a vector moves to the next sum and lowers the remainder by `narrower`; two
    // sums cover a column as long as `narrower` is less than the remainder.
    for (int64_t runs = (rest - 1) / (lanes * narrower); runs > 0; --runs) {
      const auto v = hn::Add(hn::LoadU(d, sums + first), hn::LoadU(d, sums + first + 1));
      simd::StoreFromFloat(v, d, to + w);
      w += lanes;
      first += lanes;
      rest -= lanes * narrower;
    }
    simd::StoreNarrow(rest > narrower ? sums[first] + sums[first + 1] : sums[first], to + w);
    ++w;
    rest += grad_width;
    if (rest >= width) {
      rest -= width;
      ++first;
    }
  }
}

// Lane j: elements j * kRatio + k, k < kRatio, summed in that order, each of them summed before
// over `rows` rows that lie `stride` apart.
template <int kRatio, class D>
HWY_INLINE hn::Vec<D> SumEvery(D d, const float* from, int64_t stride, int64_t rows) {
  static_assert(2 <= kRatio && kRatio <= 4);
  hn::Vec<D> sum0, sum1, sum2 = hn::Zero(d), sum3 = hn::Zero(d);
  const auto load = [&](const float* row, hn::Vec<D>& v0, hn::Vec<D>& v1, hn::Vec<D>& v2,
                        hn::Vec<D>& v3) HWY_ATTR {
    if constexpr (kRatio == 2) hn::LoadInterleaved2(d, row, v0, v1);
    if constexpr (kRatio == 3) hn::LoadInterleaved3(d, row, v0, v1, v2);
    if constexpr (kRatio == 4) hn::LoadInterleaved4(d, row, v0, v1, v2, v3);
  };
  load(from, sum0, sum1, sum2, sum3);
  for (int64_t row = 1; row < rows; ++row) {
    hn::Vec<D> v0, v1, v2 = sum2, v3 = sum3;
    load(from + row * stride, v0, v1, v2, v3);
    sum0 = hn::Add(sum0, v0);
    sum1 = hn::Add(sum1, v1);
    if constexpr (kRatio >= 3) sum2 = hn::Add(sum2, v2);
    if constexpr (kRatio == 4) sum3 = hn::Add(sum3, v3);
  }
  hn::Vec<D> sum = hn::Add(sum0, sum1);
  if constexpr (kRatio >= 3) sum = hn::Add(sum, sum2);
  if constexpr (kRatio == 4) sum = hn::Add(sum, sum3);
  return sum;
}

// gradW is kRatio * W. Sums must be readable and `to` writable for kMaxLanes elements past their
// ends (sums kRatio times that).
template <int kRatio>
HWY_INLINE void SumColumnsByRatio(int64_t width, const float* sums, float* to) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t w = 0; w < width; w += lanes) {
    hn::StoreU(SumEvery<kRatio>(d, sums + w * kRatio, 0, 1), d, to + w);
  }
}

// Any number of columns of gradOutput over each of out.
HWY_INLINE void SumColumns(const Cover* covers, int64_t width, const float* sums, float* to) {
  for (int64_t w = 0; w < width; ++w) {
    float sum = sums[covers[w].begin];
    for (int32_t i = covers[w].begin + 1; i < covers[w].end; ++i) sum += sums[i];
    to[w] = sum;
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
