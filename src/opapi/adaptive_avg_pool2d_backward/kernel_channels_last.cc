#include "opapi/adaptive_avg_pool2d_backward/kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "opapi/adaptive_avg_pool2d_backward/kernel_channels_last.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/float16.h"
#include "nnopbase/tensor.h"
#include "opapi/adaptive_avg_pool2d_backward/gradients-inl.h"
#include "opapi/adaptive_avg_pool2d_backward/windows.h"
#include "simd/targets.h"

// C innermost: vectors run across channels, so a pixel of out is a copy of one pixel of sums or
// adds a few. Rows under the same rows of gradOutput are made from the same sums.

#ifndef ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_CHANNELS_LAST_JOB_
#define ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_CHANNELS_LAST_JOB_

namespace aclnn_cpu::adaptive_avg_pool2d_backward {

// One run: what all blocks share.
struct ChannelsLastJob {
  const Problem& problem;
  const ChannelsLastLayout& layout;
  const std::byte* grad;
  std::byte* out;
  const Window* row_windows;
  const Window* column_windows;
  const Window* column_covers;
  bool streaming;
};

}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward

#endif  // ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_CHANNELS_LAST_JOB_

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace HWY_NAMESPACE {
namespace {

// Where the quotients of a row of gradOutput go. Each may be null.
struct RowSums {
  const float* before;  // sums of the rows before it,
  float* sums;          // and with it
  float* alone;         // 0 + quotient

  RowSums From(int64_t offset) const {
    return {before == nullptr ? nullptr : before + offset,
            sums == nullptr ? nullptr : sums + offset, alone == nullptr ? nullptr : alone + offset};
  }
};

template <typename T>
void DividePixel(const T* pixel, int64_t channels, Divisor divisor, const RowSums& to) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto divisors = hn::Set(d, divisor.value);
  int64_t c = 0;
  for (; c + lanes <= channels; c += lanes) {
    const auto quotient =
        Quotient(d, simd::LoadAsFloat(d, pixel + c), divisors, divisor.is_reciprocal);
    if (to.sums != nullptr)
      hn::StoreU(hn::Add(hn::LoadU(d, to.before + c), quotient), d, to.sums + c);
    if (to.alone != nullptr) hn::StoreU(quotient, d, to.alone + c);
  }
  for (; c < channels; ++c) {
    const float quotient = Quotient(simd::ToWide(pixel[c]), divisor);
    if (to.sums != nullptr) to.sums[c] = to.before[c] + quotient;
    if (to.alone != nullptr) to.alone[c] = 0 + quotient;
  }
}

// Channels that are gathered from one column of gradOutput before the next column's: their lines
// stay in the first-level cache.
constexpr int64_t kGatheredChannels = 64;

// Row oh of gradOutput, divided, pixel by pixel.
template <typename T>
void AddRow(const ChannelsLastJob& job, const T* row, int64_t window_height, float* gathered,
            const RowSums& sums) {
  const Dims& strides = job.problem.grad.strides;
  const int64_t channels = job.problem.out.extents[1];
  const int64_t chunk = strides[1] == 1 ? channels : kGatheredChannels;
  for (int64_t c = 0; c < channels; c += chunk) {
    const int64_t count = std::min(chunk, channels - c);
    for (int64_t ow = 0; ow < job.problem.grad_width(); ++ow) {
      const Window window = job.column_windows[ow];
      const Divisor divisor = MakeDivisor(window_height * (window.end - window.begin));
      const T* pixel = row + ow * strides[3] + c * strides[1];
      const RowSums to = sums.From(ow * channels + c);
      if (strides[1] == 1) {
        DividePixel(pixel, count, divisor, to);
      } else {
        GatherAsFloat(pixel, strides[1], count, gathered);
        DividePixel(gathered, count, divisor, to);
      }
    }
  }
}

// Sums over rows of gradOutput, for one sample. Most rows of out lie under one row of gradOutput or
// under two, of which the first was the last one of the row before: the sums of a row alone are
// kept, so that each is divided once.
template <typename T>
class CoverSums {
 public:
  CoverSums(const ChannelsLastJob& job, int64_t n, std::byte* own)
      : job_(job),
        grad_(reinterpret_cast<const T*>(job.grad) + n * job.problem.grad.strides[0]),
        gathered_(reinterpret_cast<float*>(own + job.layout.pixel)) {
    for (size_t i = 0; i < 3; ++i) buffers_[i] = reinterpret_cast<float*>(own + job.layout.sums[i]);
  }

  // Over the rows in `cover`, pixel by pixel. They stay until the next call.
  const float* Of(Window cover) {
    if (alone_row_ != cover.begin) {
      Add(cover.begin, {nullptr, nullptr, buffers_[alone_]});
      alone_row_ = cover.begin;
    }
    const float* sums = buffers_[alone_];
    for (int64_t oh = cover.begin + 1; oh < cover.end; ++oh) {
      const bool last = oh + 1 == cover.end;
      Add(oh, {sums, buffers_[2], last ? buffers_[1 - alone_] : nullptr});
      sums = buffers_[2];
      if (!last) continue;
      alone_ = 1 - alone_;
      alone_row_ = oh;
    }
    return sums;
  }

 private:
  void Add(int64_t oh, const RowSums& to) {
    const Window window = job_.row_windows[oh];
    AddRow(job_, grad_ + oh * job_.problem.grad.strides[2], window.end - window.begin, gathered_,
           to);
  }

  const ChannelsLastJob& job_;
  const T* const grad_;
  float* const gathered_;
  float* buffers_[3];       // two for a row alone, in turn, and one for several
  size_t alone_ = 0;        // which of the two holds
  int64_t alone_row_ = -1;  // this row of gradOutput
};

// Past the caches; `to` is aligned and the channels are whole vectors.
void StreamPixel(const float* sums, int64_t columns, int64_t channels, float* to) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t c = 0; c < channels; c += lanes) {
    auto v = hn::LoadU(d, sums + c);
    for (int64_t i = 1; i < columns; ++i) v = hn::Add(v, hn::LoadU(d, sums + i * channels + c));
    hn::Stream(v, d, to + c);
  }
}

// Floats only: rows of 16 bits are copied from the row above, which must be in a cache.
template <typename T>
bool CanStream(const ChannelsLastJob& job, const T* row) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<float>()));
  return job.streaming && sizeof(T) == sizeof(float) &&
         reinterpret_cast<uintptr_t>(row) % (static_cast<size_t>(lanes) * sizeof(float)) == 0 &&
         job.problem.out.extents[1] % lanes == 0 && job.problem.out.strides[3] % lanes == 0;
}

template <typename T>
void StorePixel(const float* sums, int64_t columns, int64_t channels, T* to) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto step = [&](int64_t c) HWY_ATTR {
    auto v = hn::LoadU(d, sums + c);
    for (int64_t i = 1; i < columns; ++i) v = hn::Add(v, hn::LoadU(d, sums + i * channels + c));
    simd::StoreFromFloat(v, d, to + c);
  };
  if (channels >= lanes) {
    for (int64_t c = 0; c + lanes <= channels; c += lanes) step(c);
    if (channels % lanes != 0) step(channels - lanes);
    return;
  }
  for (int64_t c = 0; c < channels; ++c) {
    float sum = sums[c];
    for (int64_t i = 1; i < columns; ++i) sum += sums[i * channels + c];
    simd::StoreNarrow(sum, to + c);
  }
}

template <typename T>
void SpreadRow(const ChannelsLastJob& job, const float* sums, T* row) {
  const int64_t channels = job.problem.out.extents[1];
  const int64_t pixel_stride = job.problem.out.strides[3];
  const bool streaming = CanStream(job, row);
  for (int64_t w = 0; w < job.problem.width(); ++w) {
    const Window cover = job.column_covers[w];
    const float* from = sums + cover.begin * channels;
    T* to = row + w * pixel_stride;
    if constexpr (std::is_same_v<T, float>) {
      if (streaming) {
        StreamPixel(from, cover.end - cover.begin, channels, to);
        continue;
      }
    }
    StorePixel(from, cover.end - cover.begin, channels, to);
  }
}

template <typename T>
void CopyRow(const Problem& problem, const T* from, T* to) {
  const int64_t width = problem.width();
  const int64_t channels = problem.out.extents[1];
  const int64_t pixel_stride = problem.out.strides[3];
  if (pixel_stride == channels || width == 1) {
    std::memcpy(to, from, static_cast<size_t>(width * channels) * sizeof(T));
    return;
  }
  for (int64_t w = 0; w < width; ++w) {
    std::memcpy(to + w * pixel_stride, from + w * pixel_stride,
                static_cast<size_t>(channels) * sizeof(T));
  }
}

template <typename T>
void RunBlock(const ChannelsLastJob& job, int64_t first_unit, int64_t end_unit, std::byte* own) {
  const Problem& problem = job.problem;
  const int64_t height = problem.height();
  const Dims& strides = problem.out.strides;
  for (int64_t unit = first_unit; unit < end_unit;) {
    const int64_t n = unit / height;
    const int64_t end_h = std::min(height, unit % height + end_unit - unit);
    T* plane = reinterpret_cast<T*>(job.out) + n * strides[0];
    CoverSums<T> cover_sums(job, n, own);
    const float* sums = nullptr;
    const T* computed = nullptr;
    Window cover{0, 0};
    for (int64_t h = unit % height; h < end_h; ++h, ++unit) {
      T* row = plane + h * strides[2];
      const Window next = CoverOf(job.row_windows, problem.grad_height(), h, cover);
      if (next.begin != cover.begin || next.end != cover.end) {
        cover = next;
        sums = cover_sums.Of(cover);
        computed = nullptr;
      }
      // A copy saves the rounding to 16 bits; floats come faster from the sums, which are in cache.
      if (computed != nullptr && sizeof(T) < sizeof(float)) {
        CopyRow(problem, computed, row);
      } else {
        SpreadRow(job, sums, row);
        computed = row;
      }
    }
  }
  if (job.streaming) hwy::FlushStream();
}

void RunChannelsLastBlock(const ChannelsLastJob& job, int64_t first_unit, int64_t end_unit,
                          std::byte* own) {
  switch (job.problem.out_dtype) {
    case ACL_FLOAT16:
      return RunBlock<Float16>(job, first_unit, end_unit, own);
    case ACL_BF16:
      return RunBlock<BFloat16>(job, first_unit, end_unit, own);
    default:
      return RunBlock<float>(job, first_unit, end_unit, own);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclnn_cpu::adaptive_avg_pool2d_backward {

HWY_EXPORT(RunChannelsLastBlock);

void RunChannelsLast(const KernelArgs& args) {
  const Plan& plan = args.plan;
  const Problem& problem = plan.problem();
  const ChannelsLastLayout& layout = plan.layout<ChannelsLastLayout>();
  const auto windows_at = [&](int64_t offset) {
    return reinterpret_cast<Window*>(args.workspace + offset);
  };
  FillWindows(problem.height(), problem.grad_height(), windows_at(layout.row_windows));
  FillWindows(problem.width(), problem.grad_width(), windows_at(layout.column_windows));
  FillWindows(problem.grad_width(), problem.width(), windows_at(layout.column_covers));
  const ChannelsLastJob job{
      .problem = problem,
      .layout = layout,
      .grad = args.grad,
      .out = args.out,
      .row_windows = windows_at(layout.row_windows),
      .column_windows = windows_at(layout.column_windows),
      .column_covers = windows_at(layout.column_covers),
      .streaming = plan.streaming(),
  };
  const auto run = ACLNN_CPU_DISPATCH(RunChannelsLastBlock);
  RunBlocks(args,
            [&](int64_t first, int64_t end, std::byte* scratch) { run(job, first, end, scratch); });
}

}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
#endif  // HWY_ONCE
