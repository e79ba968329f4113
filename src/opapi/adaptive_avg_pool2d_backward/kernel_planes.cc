#include "opapi/adaptive_avg_pool2d_backward/kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "opapi/adaptive_avg_pool2d_backward/kernel_planes.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "base/float16.h"
#include "nnopbase/tensor.h"
#include "opapi/adaptive_avg_pool2d_backward/columns-inl.h"
#include "opapi/adaptive_avg_pool2d_backward/copy_rows-inl.h"
#include "opapi/adaptive_avg_pool2d_backward/groups-inl.h"
#include "opapi/adaptive_avg_pool2d_backward/pairs-inl.h"
#include "opapi/adaptive_avg_pool2d_backward/planes_job.h"
#include "opapi/adaptive_avg_pool2d_backward/small_rows-inl.h"
#include "opapi/adaptive_avg_pool2d_backward/sums-inl.h"
#include "opapi/adaptive_avg_pool2d_backward/windows.h"
#include "simd/targets.h"

// Packed rows: a row is computed once for all rows of out that lie under the same rows of
// gradOutput, and copied. Rows of at most two vectors stay in registers (small_rows-inl.h). 16-bit
// types have a way of their own (pairs-inl.h).

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace HWY_NAMESPACE {
namespace {

// gradW / W where that is a whole number, else 0.
int64_t RatioOf(const Problem& problem) {
  return problem.grad_width() % problem.width() == 0 ? problem.grad_width() / problem.width() : 0;
}

// Writes a row of out; exactly W elements.
template <typename T>
void SpreadRow(const PlanesJob& job, const float* sums, const PlanesScratch<T>& scratch, T* to) {
  const Problem& problem = job.problem;
  const int64_t width = problem.width();
  switch (job.layout.method) {
    case ColumnMethod::kTable:
      return SpreadByTable<false>(ColumnTable(job.layout, job.workspace, width), sums, sums, to);
    case ColumnMethod::kDiagonal:
      return SpreadDiagonally(width, problem.grad_width(), sums, to);
    case ColumnMethod::kSum:
      break;
  }
  switch (RatioOf(problem)) {
    case 2:
      SumColumnsByRatio<2>(width, sums, scratch.float_row);
      break;
    case 3:
      SumColumnsByRatio<3>(width, sums, scratch.float_row);
      break;
    case 4:
      SumColumnsByRatio<4>(width, sums, scratch.float_row);
      break;
    default:
      SumColumns(job.column_covers, width, sums, scratch.float_row);
  }
  simd::NarrowRow(scratch.float_row, static_cast<size_t>(width), to);
}

// The row of out under `cover`. Where that is two rows of quotients at most, they are added on the
// way: a load that meets several stores waits until these, and all of out before them, are done.
template <typename T>
void SpreadCover(const PlanesJob& job, const PlaneRows& rows, Cover cover,
                 PlanesScratch<T>& scratch, T* to) {
  if (!job.layout.has_small_sums) {
    return SpreadRow(job, Sums(job, rows.grad_plane, cover, scratch), scratch, to);
  }
  const ColumnTable table(job.layout, job.workspace, job.problem.width());
  const int64_t grad_width = job.problem.grad_width();
  const float* const sums = scratch.quotients + cover.begin * grad_width;
  if (cover.end - cover.begin == 2) {
    SpreadByTable<true>(table, sums, sums + grad_width, to);
  } else {
    SpreadByTable<false>(table, sums, sums, to);
  }
}

template <typename T>
void RunBands(const PlanesJob& job, const PlaneRows& rows, PlanesScratch<T>& scratch) {
  const int64_t width = job.problem.width();
  const bool streaming = CanStream<T>(job, rows.out_plane);
  T* plane = reinterpret_cast<T*>(rows.out_plane);
  for (int64_t h = rows.first_row; h < rows.end_row;) {
    const Cover cover = job.row_covers[h];
    int64_t end = h + 1;
    while (end < rows.end_row && SameCover(job.row_covers[end], cover)) ++end;
    if (end - h == 1 && !streaming) {
      SpreadCover(job, rows, cover, scratch, plane + h * width);
    } else {
      SpreadCover(job, rows, cover, scratch, scratch.row);
      CopyRows(scratch.row, width, end - h, streaming, plane + h * width);
    }
    h = end;
  }
}

// gradW is kRatio * W, and quotients are of the whole plane: vectors take every kRatio-th column,
// from all rows of gradOutput over a row of out. `end` as in RunSmallRows.
template <typename T, int kRatio>
void RunRatioRows(const PlanesJob& job, const PlaneRows& rows, const T* end,
                  const float* quotients) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t width = job.problem.width();
  T* to = reinterpret_cast<T*>(rows.out_plane) + rows.first_row * width;
  for (int64_t h = rows.first_row; h < rows.end_row; ++h, to += width) {
    const Cover cover = job.row_covers[h];
    for (int64_t w = 0; w < width; w += lanes) {
      const float* from = quotients + (cover.begin * width + w) * kRatio;
      const auto sum = SumEvery<kRatio>(d, from, width * kRatio, cover.end - cover.begin);
      StoreUpTo(sum, d, end - (to + w), to + w);
    }
  }
}

template <typename T>
bool RunRatio(const PlanesJob& job, const PlaneRows& rows, const T* end, const float* quotients) {
  if (job.layout.method != ColumnMethod::kSum || !job.layout.whole_plane) return false;
  switch (RatioOf(job.problem)) {
    case 2:
      RunRatioRows<T, 2>(job, rows, end, quotients);
      return true;
    case 3:
      RunRatioRows<T, 3>(job, rows, end, quotients);
      return true;
    case 4:
      RunRatioRows<T, 4>(job, rows, end, quotients);
      return true;
    default:
      return false;
  }
}

#if HWY_TARGET != HWY_SCALAR
// gradW is 2 * W and gradH a multiple of H, so that windows are of one element: sums of gradOutput
// itself. Rows of gradOutput lie one after the other.
bool SumsGradients(const Problem& problem) {
  return problem.grad_width() == 2 * problem.width() &&
         problem.grad_height() % problem.height() == 0 && HasPackedPlanes(problem.grad);
}

// A vector of elements from `rows` rows of gradOutput, each of two vectors.
template <class D, typename T>
HWY_INLINE hn::Vec<D> SumOfGradients(D d, const T* from, int64_t stride, int64_t rows) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  auto low = hn::Zero(d);
  auto high = hn::Zero(d);
  for (int64_t row = 0; row < rows; ++row, from += stride) {
    low = hn::Add(low, simd::LoadForArithmetic(d, from));
    high = hn::Add(high, simd::LoadForArithmetic(d, from + lanes));
  }
  return hn::Add(hn::ConcatEven(d, high, low), hn::ConcatOdd(d, high, low));
}

// `end` as in RunSmallRows.
template <typename T>
void RunSumsOfGradients(const PlanesJob& job, const PlaneRows& rows, const T* end) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t width = job.problem.width();
  const int64_t stride = 2 * width;
  const int64_t ratio = job.problem.grad_height() / job.problem.height();
  const T* const grad = reinterpret_cast<const T*>(rows.grad_plane);
  const T* const grad_end = grad + job.problem.grad_height() * stride;
  const T* from = grad + rows.first_row * ratio * stride;
  T* to = reinterpret_cast<T*>(rows.out_plane) + rows.first_row * width;
  for (int64_t h = rows.first_row; h < rows.end_row; ++h, from += ratio * stride, to += width) {
    if (width >= lanes) {
      for (int64_t i = 0; i < width; i += lanes) {
        const int64_t w = std::min(i, width - lanes);
        simd::StoreFromFloat(SumOfGradients(d, from + 2 * w, stride, ratio), d, to + w);
      }
    } else if ((ratio - 1) * stride + 2 * lanes <= grad_end - from) {
      StoreUpTo(SumOfGradients(d, from, stride, ratio), d, end - to, to);
    } else if (from - grad >= 2 * (lanes - width)) {
      // What follows the row may not be read, so the vectors end with it.
      T ended[kMaxLanes];
      const auto sum = SumOfGradients(d, from - 2 * (lanes - width), stride, ratio);
      simd::StoreFromFloat(sum, d, ended);
      std::copy_n(ended + lanes - width, width, to);
    } else {
      for (int64_t w = 0; w < width; ++w) {
        float even = 0;
        float odd = 0;
        for (int64_t i = 0; i < ratio; ++i) {
          even += ToWide(from[i * stride + 2 * w]);
          odd += ToWide(from[i * stride + 2 * w + 1]);
        }
        StoreNarrow(even + odd, to + w);
      }
    }
  }
}
#endif

template <typename T>
void RunBlock(const PlanesJob& job, int64_t first_row, int64_t end_row, std::byte* own) {
  PlanesScratch<T> scratch(job.layout, own);
  const Problem& problem = job.problem;
  const int64_t height = problem.height();
  const bool planes_adjoin = PlanesAdjoin(problem.out);
  PlaneQuotients<T> plane_quotients(job, first_row, end_row, scratch);
  PlaneCursor cursor(first_row / height, problem.out.extents[1]);
  int64_t first = first_row % height;
  for (int64_t row = first_row; row < end_row; cursor.Next(), first = 0) {
    const int64_t end = std::min(height, first + end_row - row);
    const T* grad = reinterpret_cast<const T*>(job.grad) + cursor.OffsetIn(problem.grad);
    T* out = reinterpret_cast<T*>(job.out) + cursor.OffsetIn(problem.out);
    const PlaneRows rows{reinterpret_cast<const std::byte*>(grad),
                         reinterpret_cast<std::byte*>(out), first, end};
    scratch.quotient_row = -1;
    const T* own_end = out + (planes_adjoin ? first + end_row - row : end) * problem.width();
#if HWY_TARGET != HWY_SCALAR
    if (SumsGradients(problem)) {
      RunSumsOfGradients<T>(job, rows, own_end);
      row += end - first;
      continue;
    }
#endif
    if (job.layout.whole_plane) scratch.quotients = plane_quotients.Next();
    if (job.source == RowSource::kSmallRows) {
      RunSmall<T>(job, rows, own_end, scratch.quotients);
    } else if (!RunRatio<T>(job, rows, own_end, scratch.quotients)) {
      RunBands<T>(job, rows, scratch);
    }
    row += end - first;
  }
}

// Of 16-bit types.
template <typename T>
void RunNarrowBlock(const PlanesJob& job, int64_t first_row, int64_t end_row, std::byte* own) {
#if HWY_TARGET != HWY_SCALAR
  if (job.source == RowSource::kPairs || job.source == RowSource::kWidePairs) {
    PlaneGroups<T>(job, first_row, end_row, own).Run();
    return;
  }
#endif
  RunBlock<T>(job, first_row, end_row, own);
}

void RunPlanesBlock(const PlanesJob& job, int64_t first_row, int64_t end_row, std::byte* own) {
  switch (job.problem.out_dtype) {
    case ACL_FLOAT16:
      RunNarrowBlock<Float16>(job, first_row, end_row, own);
      break;
    case ACL_BF16:
      RunNarrowBlock<BFloat16>(job, first_row, end_row, own);
      break;
    default:
      RunBlock<float>(job, first_row, end_row, own);
  }
  if (job.streaming) hwy::FlushStream();
}

// Fills what the row source needs but for the covers of rows, which pairs have no use for.
RowSource FillColumns(const Problem& problem, const PlanesLayout& layout, std::byte* workspace) {
  const hn::ScalableTag<float> d;
  const bool small =
      layout.has_small_sums && problem.width() <= 2 * static_cast<int64_t>(hn::Lanes(d));
#if HWY_TARGET != HWY_SCALAR
  if (layout.pairs_stride > 0 && problem.width() >= kColumns) {
    const bool wide = FillPairTable(problem, layout, workspace);
    // Few of the pairs would be picked twice.
    if (!(wide && small)) return wide ? RowSource::kWidePairs : RowSource::kPairs;
  }
#endif
  FillColumnTable(problem.grad_width(), ColumnTable(layout, workspace, problem.width()));
  return small ? RowSource::kSmallRows : RowSource::kBands;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace {

HWY_EXPORT(RunPlanesBlock);
HWY_EXPORT(FillColumns);

void FillCovers(int64_t grad_extent, int64_t extent, std::byte* to) {
  Cover* covers = reinterpret_cast<Cover*>(to);
  WindowSequence sequence(grad_extent, extent);
  for (int64_t i = 0; i < extent; ++i) {
    const Window cover = sequence.Next();
    covers[i] = {static_cast<int32_t>(cover.begin), static_cast<int32_t>(cover.end)};
  }
}

// Window areas, row by row: for each row of gradOutput, or for the two window heights there are.
// Returns whether they were all powers of two and are reciprocals now.
bool FillDivisors(const Problem& problem, bool whole_plane, float* divisors) {
  const int64_t grad_width = problem.grad_width();
  const int64_t rows = whole_plane ? problem.grad_height() : 2;
  WindowSequence heights(problem.height(), problem.grad_height());
  const int64_t low_height = LowWindowLength(problem.height(), problem.grad_height());
  bool powers = true;
  for (int64_t oh = 0; oh < rows; ++oh) {
    const Window row_window = heights.Next();
    const int64_t height = whole_plane ? row_window.end - row_window.begin : low_height + oh;
    WindowSequence widths(problem.width(), grad_width);
    for (int64_t ow = 0; ow < grad_width; ++ow) {
      const Window column_window = widths.Next();
      const int64_t area = height * (column_window.end - column_window.begin);
      powers = powers && (area & (area - 1)) == 0;
      divisors[oh * grad_width + ow] = static_cast<float>(area);
    }
  }
  if (powers) {
    for (int64_t i = 0; i < rows * grad_width; ++i) divisors[i] = 1 / divisors[i];
  }
  return powers;
}

}  // namespace

void RunPlanes(const KernelArgs& args) {
  const Plan& plan = args.plan;
  const Problem& problem = plan.problem();
  const PlanesLayout& layout = plan.layout<PlanesLayout>();
  RowSource source = RowSource::kBands;
  if (layout.method == ColumnMethod::kTable) {
    source = ACLNN_CPU_DISPATCH(FillColumns)(problem, layout, args.workspace);
  } else if (layout.method == ColumnMethod::kSum) {
    FillCovers(problem.grad_width(), problem.width(), args.workspace + layout.column_covers);
  }
  if (source == RowSource::kBands || source == RowSource::kSmallRows)
    FillCovers(problem.grad_height(), problem.height(), args.workspace + layout.row_covers);
  float* divisors = reinterpret_cast<float*>(args.workspace + layout.divisors);
  const bool reciprocals = layout.method != ColumnMethod::kDiagonal &&
                           FillDivisors(problem, layout.whole_plane, divisors);
  const PlanesJob job{
      .problem = problem,
      .layout = layout,
      .grad = args.grad,
      .out = args.out,
      .workspace = args.workspace,
      .row_covers = reinterpret_cast<const Cover*>(args.workspace + layout.row_covers),
      .column_covers = reinterpret_cast<const Cover*>(args.workspace + layout.column_covers),
      .divisors = divisors,
      .divisors_are_reciprocals = reciprocals,
      .source = source,
      .streaming = plan.streaming(),
  };
  // For the planes of a group.
  const int64_t cells = problem.grad_height() * problem.grad_width();
  for (int64_t i = 1; i < layout.batch; ++i) std::copy_n(divisors, cells, divisors + i * cells);
  const auto run = ACLNN_CPU_DISPATCH(RunPlanesBlock);
  RunBlocks(args,
            [&](int64_t first, int64_t end, std::byte* scratch) { run(job, first, end, scratch); });
}

}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
#endif  // HWY_ONCE
