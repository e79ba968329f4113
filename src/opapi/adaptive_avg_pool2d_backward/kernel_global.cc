#include "opapi/adaptive_avg_pool2d_backward/kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "opapi/adaptive_avg_pool2d_backward/kernel_global.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "base/float16.h"
#include "nnopbase/tensor.h"
#include "opapi/adaptive_avg_pool2d_backward/gradients-inl.h"
#include "simd/targets.h"

// One gradient per plane: each plane of packed rows is filled with one value.

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace HWY_NAMESPACE {
namespace {

// Shorter planes are mostly ends of ranges; in elements.
constexpr int64_t kMinAligned = 32;

// Planes whose values are computed at a time.
constexpr int64_t kChunk = 64;

// Rows of out that a block owns, as planes with a first and a last one that may be cut.
struct Part {
  int64_t first_plane;
  int64_t planes;
};

template <typename G>
void GatherPlanes(const Problem& problem, const std::byte* grad, const Part& part, float* values) {
  const Dims& strides = problem.grad.strides;
  const int64_t channels = problem.grad.extents[1];
  const G* gradients = reinterpret_cast<const G*>(grad);
  int64_t n = part.first_plane / channels;
  int64_t c = part.first_plane % channels;
  for (int64_t done = 0; done < part.planes; ++n, c = 0) {
    const int64_t count = std::min(channels - c, part.planes - done);
    GatherAsFloat(gradients + n * strides[0] + c * strides[1], strides[1], count, values + done);
    done += count;
  }
}

void LoadPlanes(const Problem& problem, const std::byte* grad, const Part& part, float* values) {
  switch (problem.grad_dtype) {
    case ACL_FLOAT16:
      return GatherPlanes<Float16>(problem, grad, part, values);
    case ACL_BF16:
      return GatherPlanes<BFloat16>(problem, grad, part, values);
    default:
      return GatherPlanes<float>(problem, grad, part, values);
  }
}

template <typename T>
void NarrowValues(const float* quotients, T* values) {
  simd::NarrowRow(quotients, kChunk, values);
}

void NarrowValues(const float* quotients, double* values) {
  for (int64_t i = 0; i < kChunk; ++i) values[i] = static_cast<double>(quotients[i]);
}

// Fills `count` elements from `to` on. What follows them, up to `end`, may be written over.
template <typename Bits>
HWY_INLINE void Fill(Bits value, int64_t count, Bits* to, const Bits* end) {
  const hn::ScalableTag<Bits> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto v = hn::Set(d, value);
  if (count >= lanes) {
    for (int64_t i = 0; i + lanes <= count; i += lanes) hn::StoreU(v, d, to + i);
    if (count % lanes != 0) hn::StoreU(v, d, to + count - lanes);
  } else if (end - to >= lanes) {
    hn::StoreU(v, d, to);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = value;
  }
}

// Fills one range after the other, without gaps, by aligned vectors, kStreaming: past the caches. A
// vector in which a range ends waits for the next one's value.
template <typename Bits, bool kStreaming>
class AlignedFill {
 public:
  // `to` must be a multiple of the element size.
  explicit AlignedFill(Bits* to) : to_(to) {}

  void Append(Bits value, int64_t count) {
    const hn::ScalableTag<Bits> d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    const auto v = hn::Set(d, value);
    if (waiting_ + count < lanes) StoreWaiting();
    if (waiting_ > 0) {
      const auto mask = hn::FirstN(d, static_cast<size_t>(waiting_));
      StoreVector(hn::IfThenElse(mask, hn::Set(d, last_), v));
      count -= lanes - waiting_;
    } else {
      for (; count > 0 && reinterpret_cast<uintptr_t>(to_) % (hn::Lanes(d) * sizeof(Bits)) != 0;
           --count) {
        *to_++ = value;
      }
    }
    for (; count >= lanes; count -= lanes) StoreVector(v);
    waiting_ = count;
    last_ = value;
  }

  void Finish() {
    StoreWaiting();
    if (kStreaming) hwy::FlushStream();
  }

 private:
  HWY_INLINE void StoreVector(hn::Vec<hn::ScalableTag<Bits>> v) {
    const hn::ScalableTag<Bits> d;
    if (kStreaming) {
      hn::Stream(v, d, to_);
    } else {
      hn::Store(v, d, to_);
    }
    to_ += hn::Lanes(d);
  }

  void StoreWaiting() {
    for (; waiting_ > 0; --waiting_) *to_++ = last_;
  }

  Bits* to_;
  int64_t waiting_ = 0;  // elements of the last range that are not stored yet
  Bits last_ = 0;
};

// How planes are written: by unaligned vectors each for itself, or by aligned ones that adjoining
// planes share.
enum class Way { kApart, kAligned, kStreaming };

template <typename T>
Way WayFor(const KernelArgs& args) {
  const Problem& problem = args.plan.problem();
  const bool aligned = PlanesAdjoin(problem.out) &&
                       problem.height() * problem.width() >= kMinAligned &&
                       reinterpret_cast<uintptr_t>(args.out) % sizeof(T) == 0;
  if (!aligned) return Way::kApart;
  return args.plan.streaming() ? Way::kStreaming : Way::kAligned;
}

template <typename T, Way kWay>
void FillRows(const KernelArgs& args, int64_t first_row, int64_t end_row) {
  using Bits = hwy::UnsignedFromSize<sizeof(T)>;
  const Problem& problem = args.plan.problem();
  const int64_t height = problem.height();
  const int64_t width = problem.width();
  const Divisor divisor = MakeDivisor(height * width);
  const hn::ScalableTag<float> d;
  const auto divisors = hn::Set(d, divisor.value);
  // Where the planes lie one after the other, a short one may be filled beyond its end.
  const bool planes_adjoin = PlanesAdjoin(problem.out);
  Bits* const out = reinterpret_cast<Bits*>(args.out);
  const Bits* const end_of_block = out + end_row * width;
  AlignedFill<Bits, kWay == Way::kStreaming> aligned(out + first_row * width);
  HWY_ALIGN float quotients[kChunk] = {};
  T values[kChunk];
  const int64_t end_plane = (end_row - 1) / height + 1;
  PlaneCursor cursor(first_row / height, problem.out.extents[1]);
  for (int64_t chunk = first_row / height; chunk < end_plane; chunk += kChunk) {
    const Part part{chunk, std::min(kChunk, end_plane - chunk)};
    LoadPlanes(problem, args.grad, part, quotients);
    for (size_t i = 0; i < kChunk; i += hn::Lanes(d)) {
      const auto gradient = hn::Load(d, quotients + i);
      hn::Store(Quotient(d, gradient, divisors, divisor.is_reciprocal), d, quotients + i);
    }
    NarrowValues(quotients, values);
    for (int64_t i = 0; i < part.planes; ++i) {
      const int64_t plane = part.first_plane + i;
      const int64_t first = std::max(plane * height, first_row) * width;
      const int64_t end = std::min((plane + 1) * height, end_row) * width;
      Bits bits;
      std::memcpy(&bits, &values[i], sizeof(T));
      if (kWay != Way::kApart) {
        aligned.Append(bits, end - first);
        continue;
      }
      Bits* to = out + cursor.OffsetIn(problem.out) + (first - plane * height * width);
      Fill(bits, end - first, to, planes_adjoin ? end_of_block : to + (end - first));
      cursor.Next();
    }
  }
  if (kWay != Way::kApart) aligned.Finish();
}

template <typename T>
void FillRowsOf(const KernelArgs& args, int64_t first_row, int64_t end_row) {
  switch (WayFor<T>(args)) {
    case Way::kStreaming:
      return FillRows<T, Way::kStreaming>(args, first_row, end_row);
    case Way::kAligned:
      return FillRows<T, Way::kAligned>(args, first_row, end_row);
    case Way::kApart:
      return FillRows<T, Way::kApart>(args, first_row, end_row);
  }
}

void RunGlobalBlock(const KernelArgs& args, int64_t first_row, int64_t end_row) {
  switch (args.plan.problem().out_dtype) {
    case ACL_FLOAT16:
      return FillRowsOf<Float16>(args, first_row, end_row);
    case ACL_BF16:
      return FillRowsOf<BFloat16>(args, first_row, end_row);
    case ACL_DOUBLE:
      return FillRowsOf<double>(args, first_row, end_row);
    default:
      return FillRowsOf<float>(args, first_row, end_row);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclnn_cpu::adaptive_avg_pool2d_backward {

HWY_EXPORT(RunGlobalBlock);

void RunGlobal(const KernelArgs& args) {
  const auto run = ACLNN_CPU_DISPATCH(RunGlobalBlock);
  RunBlocks(args, [&](int64_t first, int64_t end, std::byte*) { run(args, first, end); });
}

}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
#endif  // HWY_ONCE
