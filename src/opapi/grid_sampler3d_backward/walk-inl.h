// How a task of the slab variants walks the points of its sample.

// Per-target include guard
#if defined(ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_WALK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_WALK_INL_H_
#undef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_WALK_INL_H_
#else
#define ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_WALK_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "opapi/grid_sampler3d_backward/grid_grad-inl.h"
#include "opapi/grid_sampler3d_backward/inside-inl.h"
#include "opapi/grid_sampler3d_backward/ranges-inl.h"
#include "opapi/grid_sampler3d_backward/segment-inl.h"
#include "simd/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace grid_sampler3d_backward {
namespace HWY_NAMESPACE {

// Copies of points, where they cannot be read in place.
template <typename F>
struct PointBuffer {
  HWY_ALIGN F coordinates[3 * (kPoints + kSlack)];
  int64_t grid_grads[kPoints];
};

// gradOutput of the points at hand: of a segment, and of the points that were collected from
// segments. One array for each channel, of which kSlack elements behind the last point may be read.
template <typename T>
class PlanarGrads {
 public:
  using F = Wide<T>;

  explicit PlanarGrads(size_t channels) : channels_(channels) {}

  void Read(const Problem& problem, const T* grad_output, const SegmentPlace& place) {
    const int64_t step = problem.grad_output.strides[4];
    const T* from = grad_output + place.grad_output;
    for (size_t c = 0; c < channels_; ++c, from += problem.grad_output.strides[1]) {
      if (step == 1) Prefetch(from + kPointsAhead, place.count);
      if constexpr (std::is_same_v<T, F>) {
        now_[c] = from;
        if (step == 1 && place.rest >= static_cast<int64_t>(place.count + kSlack)) continue;
      }
      F* to = copies_[c];
      now_[c] = to;
      if (step == 1) {
        ::aclnn_cpu::HWY_NAMESPACE::WidenRow(from, place.count, to);
      } else {
        for (size_t i = 0; i < place.count; ++i) {
          to[i] = ToWide(from[static_cast<int64_t>(i) * step]);
        }
      }
      std::fill_n(to + place.count, kSlack, F{0});
    }
  }
  // Makes `count` points of the segment collected ones, from number `n` on.
  void Collect(const uint8_t* HWY_RESTRICT points, size_t count, size_t n) {
    for (size_t c = 0; c < channels_; ++c) {
      for (size_t k = 0; k < count; ++k) collected_[c][n + k] = now_[c][points[k]];
    }
  }
  void FillBatch(bool collected, Batch<T>* batch) {
    for (size_t c = 0; c < channels_; ++c) {
      if (collected) std::fill_n(collected_[c] + batch->count, kSlack, F{0});
      batch->grads[c] = collected ? collected_[c] : now_[c];
    }
  }

 private:
  const size_t channels_;
  const F* now_[kMostPlanarChannels];  // the segment's: in place or copies
  HWY_ALIGN F copies_[kMostPlanarChannels][kPoints + kSlack];
  HWY_ALIGN F collected_[kMostPlanarChannels][kPoints + kSlack];
};

// Calls add(batch) for the points of the sample in their order; at least for those that touch the
// slab or are owned by it. Where only few points of a segment do, they are collected.
template <typename T>
class Walk {
 public:
  using F = Wide<T>;

  Walk(const Problem& problem, const Slabs& slabs, const Buffers& buffers, int64_t sample,
       Planes planes)
      : problem_(problem),
        slabs_(slabs),
        buffers_(buffers),
        sample_(sample),
        rules_(problem),
        owner_(planes, problem.depth()),
        // Points whose upper voxel lies in the slab's first plane count.
        first_(planes.begin == 0 ? owner_.begin : owner_.begin - 1) {}

  template <class Grads, typename Function>
  void Run(Grads* grads, Function add) {
    const SegmentRange* ranges = reinterpret_cast<const SegmentRange*>(buffers_.depths);
    ranges += sample_ * slabs_.segments();
    for (int64_t i = 0; i < slabs_.segments(); ++i) {
      if (slabs_.count > 1 && Misses(ranges[i])) continue;
      const SegmentPlace place = FindSegment(problem_, slabs_, sample_, i);
      const F* coordinates = ReadCoordinates(problem_, static_cast<const T*>(buffers_.grid),
                                             place.grid, place.count, now_.coordinates);
      const SegmentRange range =
          slabs_.count > 1 ? ranges[i] : FindRange(rules_, coordinates, place.count);
      const F first = static_cast<F>(range.first);
      const bool ends_here = static_cast<F>(range.last()) < owner_.end;
      const bool all = first >= first_ && ends_here;
      const bool owned = all && first >= owner_.begin;
      const bool alike = owned || (all && static_cast<F>(range.last()) < owner_.begin);
      const size_t chosen = all ? place.count : Choose(coordinates, place.count);
      grads->Read(problem_, static_cast<const T*>(buffers_.grad_output), place);
      if (2 * chosen < place.count) {
        Collect(coordinates, place, chosen, grads, add);
        continue;
      }
      Flush(grads, add);
      const int64_t last_plane = alike && range.inside() ? range.last() : kUnknown;
      Batch<T> batch{place.count, coordinates, {},    place.grid_grad,
                     nullptr,     last_plane,  owned, slabs_.stream_grid_grad};
      grads->FillBatch(false, &batch);
      add(batch);
    }
    Flush(grads, add);
    if (slabs_.stream_grid_grad) hwy::FlushStream();
  }

 private:
  bool Misses(const SegmentRange& range) const {
    return static_cast<F>(range.last()) < first_ || static_cast<F>(range.first) >= owner_.end;
  }

  // Lists the points that are needed.
  size_t Choose(const F* coordinates, size_t count) {
    const PointTag<F> d;
    const auto first = hn::Set(d, first_);
    const auto end = hn::Set(d, owner_.end);
    size_t n = 0;
    for (size_t i = 0; i < count; i += hn::Lanes(d)) {
      hn::Vec<decltype(d)> x, y, z;
      hn::LoadInterleaved3(d, coordinates + 3 * i, x, y, z);
      z = LowerPlane(d, rules_.axes[2], z);
      uint8_t bits[8];
      hn::StoreMaskBits(d, hn::And(hn::Ge(z, first), hn::Lt(z, end)), bits);
      uint32_t set = bits[0];
      if (count - i < hn::Lanes(d)) set &= (1u << (count - i)) - 1;
      n += AppendBitNumbers(set, i, chosen_ + n);
    }
    return n;
  }

  template <class Grads, typename Function>
  void Collect(const F* coordinates, const SegmentPlace& place, size_t chosen, Grads* grads,
               Function add) {
    for (size_t done = 0; done < chosen;) {
      if (collected_ == kPoints) Flush(grads, add);
      const size_t count = std::min(chosen - done, kPoints - collected_);
      CollectSome(coordinates, place, chosen_ + done, count);
      grads->Collect(chosen_ + done, count, collected_);
      collected_ += count;
      done += count;
    }
  }

  HWY_INLINE void CollectSome(const F* HWY_RESTRICT coordinates, const SegmentPlace& place,
                              const uint8_t* HWY_RESTRICT points, size_t count) {
    const int64_t step = problem_.grid_grad.strides[3];
    F* to = rest_.coordinates + 3 * collected_;
    int64_t* offsets = rest_.grid_grads + collected_;
    for (size_t k = 0; k < count; ++k) {
      std::memcpy(to + 3 * k, coordinates + 3 * points[k], 3 * sizeof(F));
      offsets[k] = place.grid_grad + points[k] * step;
    }
    if (!problem_.want_grid_grad) return;
    // Written when the rest is full; until then the cache has time to fetch it.
    const T* grid_grad = static_cast<const T*>(buffers_.grid_grad);
    for (size_t k = 0; k < count; ++k) __builtin_prefetch(grid_grad + offsets[k], 1);
  }

  template <class Grads, typename Function>
  void Flush(Grads* grads, Function add) {
    if (collected_ == 0) return;
    std::fill_n(rest_.coordinates + 3 * collected_, 3 * kSlack, F{0});
    Batch<T> batch{collected_, rest_.coordinates, {}, 0, rest_.grid_grads, kUnknown, false, false};
    grads->FillBatch(true, &batch);
    add(batch);
    collected_ = 0;
  }

  const Problem& problem_;
  const Slabs& slabs_;
  const Buffers& buffers_;
  const int64_t sample_;
  const Rules<F> rules_;
  const Owner<F> owner_;
  const F first_;
  PointBuffer<F> now_;
  PointBuffer<F> rest_;
  size_t collected_ = 0;
  uint8_t chosen_[kPoints + 8];
};

// True if `count` elements, up to whole vectors, are neither infinite nor NaN.
template <typename F>
HWY_INLINE bool AreFinite(const F* values, size_t count) {
  const PointTag<F> d;
  const auto largest = hn::Set(d, std::numeric_limits<F>::max());
  auto finite = hn::Eq(largest, largest);
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    finite = hn::And(finite, hn::Le(hn::Abs(hn::LoadU(d, values + i)), largest));
  }
  return hn::AllTrue(d, finite);
}

}  // namespace HWY_NAMESPACE
}  // namespace grid_sampler3d_backward
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
