// The variant "planes": a finished row copied to the rows of out that are equal to it.

// Per-target include guard
#if defined(ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_COPY_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_COPY_ROWS_INL_H_
#undef ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_COPY_ROWS_INL_H_
#else
#define ACLNN_CPU_ADAPTIVE_AVG_POOL2D_BACKWARD_COPY_ROWS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "opapi/adaptive_avg_pool2d_backward/planes_job.h"

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Streamed rows must be whole aligned vectors.
template <typename T>
bool CanStream(const PlanesJob& job, const std::byte* row) {
  const hn::ScalableTag<uint8_t> d;
  const size_t bytes = hn::Lanes(d);
  return job.streaming && reinterpret_cast<uintptr_t>(row) % bytes == 0 &&
         static_cast<size_t>(job.problem.width()) * sizeof(T) % bytes == 0;
}

template <typename T>
void CopyRow(const T* from, size_t count, bool streaming, T* to) {
  using Bits = hwy::UnsignedFromSize<sizeof(T)>;
  const hn::ScalableTag<Bits> d;
  const size_t lanes = hn::Lanes(d);
  const Bits* HWY_RESTRICT source = reinterpret_cast<const Bits*>(from);
  Bits* HWY_RESTRICT target = reinterpret_cast<Bits*>(to);
  if (count < lanes) {
    std::memcpy(target, source, count * sizeof(T));
  } else if (streaming) {
    for (size_t i = 0; i < count; i += lanes) hn::Stream(hn::LoadU(d, source + i), d, target + i);
  } else {
    for (size_t i = 0; i + lanes <= count; i += lanes) {
      hn::StoreU(hn::LoadU(d, source + i), d, target + i);
    }
    if (count % lanes != 0) {
      hn::StoreU(hn::LoadU(d, source + count - lanes), d, target + count - lanes);
    }
  }
}

// A row of kVectors vectors, of which the last may overlap the one before: it stays in registers.
template <int kVectors>
HWY_INLINE void RepeatVectors(const uint8_t* HWY_RESTRICT row, size_t bytes, int64_t rows,
                              uint8_t* HWY_RESTRICT to) {
  static_assert(1 <= kVectors && kVectors <= 8);
  const hn::ScalableTag<uint8_t> d;
  const size_t lanes = hn::Lanes(d);
  const auto at = [&](size_t i) HWY_ATTR { return i + 1 < kVectors ? i * lanes : bytes - lanes; };
  const auto v0 = hn::LoadU(d, row + at(0)), v1 = hn::LoadU(d, row + at(1));
  const auto v2 = hn::LoadU(d, row + at(2)), v3 = hn::LoadU(d, row + at(3));
  const auto v4 = hn::LoadU(d, row + at(4)), v5 = hn::LoadU(d, row + at(5));
  const auto v6 = hn::LoadU(d, row + at(6)), v7 = hn::LoadU(d, row + at(7));
  for (; rows > 0; --rows, to += bytes) {
    hn::StoreU(v0, d, to + at(0));
    if constexpr (kVectors > 1) hn::StoreU(v1, d, to + at(1));
    if constexpr (kVectors > 2) hn::StoreU(v2, d, to + at(2));
    if constexpr (kVectors > 3) hn::StoreU(v3, d, to + at(3));
    if constexpr (kVectors > 4) hn::StoreU(v4, d, to + at(4));
    if constexpr (kVectors > 5) hn::StoreU(v5, d, to + at(5));
    if constexpr (kVectors > 6) hn::StoreU(v6, d, to + at(6));
    if constexpr (kVectors > 7) hn::StoreU(v7, d, to + at(7));
  }
}

// Writes `rows` copies of a row one after the other; false, and nothing is written, if the row is
// not one to eight vectors, and for float, where the stores and not the loop take the time.
template <typename T>
HWY_INLINE bool RepeatShortRow(const T* row, int64_t width, int64_t rows, T* to) {
  const hn::ScalableTag<uint8_t> d;
  const size_t bytes = static_cast<size_t>(width) * sizeof(T);
  const size_t lanes = hn::Lanes(d);
  if (sizeof(T) == sizeof(float) || bytes < lanes) return false;
  const uint8_t* from = reinterpret_cast<const uint8_t*>(row);
  uint8_t* target = reinterpret_cast<uint8_t*>(to);
  switch ((bytes + lanes - 1) / lanes) {
    case 1:
      RepeatVectors<1>(from, bytes, rows, target);
      return true;
    case 2:
      RepeatVectors<2>(from, bytes, rows, target);
      return true;
    case 3:
      RepeatVectors<3>(from, bytes, rows, target);
      return true;
    case 4:
      RepeatVectors<4>(from, bytes, rows, target);
      return true;
    case 5:
      RepeatVectors<5>(from, bytes, rows, target);
      return true;
    case 6:
      RepeatVectors<6>(from, bytes, rows, target);
      return true;
    case 7:
      RepeatVectors<7>(from, bytes, rows, target);
      return true;
    case 8:
      RepeatVectors<8>(from, bytes, rows, target);
      return true;
    default:
      return false;
  }
}

// Writes `rows` copies of a row one after the other.
template <typename T>
HWY_INLINE void CopyRows(const T* row, int64_t width, int64_t rows, bool streaming, T* to) {
  if (!streaming && RepeatShortRow(row, width, rows, to)) return;
  for (int64_t i = 0; i < rows; ++i) {
    CopyRow(row, static_cast<size_t>(width), streaming, to + i * width);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
