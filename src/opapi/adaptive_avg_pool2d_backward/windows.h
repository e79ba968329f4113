#ifndef ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_WINDOWS_H_
#define ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_WINDOWS_H_

#include <cstdint>

namespace aclnn_cpu::adaptive_avg_pool2d_backward {

// A half-open range of rows or columns.
struct Window {
  int64_t begin;
  int64_t end;
};

// The windows [floor(o * in / out), ceil((o + 1) * in / out)) for o = 0, 1, ... With the extents
// exchanged it gives the other direction: the o whose windows contain element 0, 1, ...
class WindowSequence {
 public:
  WindowSequence(int64_t in, int64_t out) : step_(in / out), step_rest_(in % out), out_(out) {}

  // The quotient and remainder of o * in / out are carried along, because the product itself may
  // not fit in 64 bits.
  Window Next() {
    const int64_t begin = begin_;
    begin_ += step_;
    rest_ += step_rest_;
    if (rest_ >= out_) {
      rest_ -= out_;
      ++begin_;
    }
    return {begin, begin_ + (rest_ != 0 ? 1 : 0)};
  }

 private:
  int64_t step_;
  int64_t step_rest_;
  int64_t out_;
  int64_t begin_ = 0;
  int64_t rest_ = 0;
};

// Windows are this long, or one longer where they start inside an element.
constexpr int64_t LowWindowLength(int64_t in, int64_t out) { return (in - 1) / out + 1; }

// Writes all of them.
inline void FillWindows(int64_t in, int64_t out, Window* windows) {
  WindowSequence sequence(in, out);
  for (int64_t o = 0; o < out; ++o) windows[o] = sequence.Next();
}

// Of `count` windows those that contain element `at`, given those of an element at or before it (or
// {0, 0}). Both ends of the windows ascend.
inline Window CoverOf(const Window* windows, int64_t count, int64_t at, Window cover) {
  while (windows[cover.begin].end <= at) ++cover.begin;
  while (cover.end < count && windows[cover.end].begin <= at) ++cover.end;
  return cover;
}

}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward

#endif  // ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_WINDOWS_H_
