#include "opapi/adaptive_avg_pool2d_backward/reference.h"

#include <cstddef>

namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace {

// The definition: floor(o * in / out) and ceil((o + 1) * in / out). Products stay small in tests.
int64_t Begin(int64_t o, int64_t in, int64_t out) { return o * in / out; }
int64_t End(int64_t o, int64_t in, int64_t out) { return ((o + 1) * in + out - 1) / out; }

// Calls visit(position in self, position in the pooled array, window area) for every pair of an
// element and a window around it, windows in row-major order.
template <typename Visit>
void ForEachPair(const ReferenceShape& s, Visit visit) {
  for (int64_t plane = 0; plane < s.planes; ++plane) {
    for (int64_t oh = 0; oh < s.grad_height; ++oh) {
      const int64_t h0 = Begin(oh, s.height, s.grad_height);
      const int64_t h1 = End(oh, s.height, s.grad_height);
      for (int64_t ow = 0; ow < s.grad_width; ++ow) {
        const int64_t w0 = Begin(ow, s.width, s.grad_width);
        const int64_t w1 = End(ow, s.width, s.grad_width);
        const int64_t pooled = (plane * s.grad_height + oh) * s.grad_width + ow;
        const double area = static_cast<double>((h1 - h0) * (w1 - w0));
        for (int64_t h = h0; h < h1; ++h) {
          for (int64_t w = w0; w < w1; ++w) {
            const int64_t element = (plane * s.height + h) * s.width + w;
            visit(static_cast<size_t>(element), static_cast<size_t>(pooled), area);
          }
        }
      }
    }
  }
}

}  // namespace

std::vector<double> ReferenceForward(const ReferenceShape& shape, const std::vector<double>& self) {
  std::vector<double> pooled(
      static_cast<size_t>(shape.planes * shape.grad_height * shape.grad_width));
  ForEachPair(shape, [&](size_t from, size_t to, double area) { pooled[to] += self[from] / area; });
  return pooled;
}

std::vector<double> ReferenceBackward(const ReferenceShape& shape,
                                      const std::vector<double>& grad_output) {
  std::vector<double> out(static_cast<size_t>(shape.planes * shape.height * shape.width));
  ForEachPair(shape,
              [&](size_t to, size_t from, double area) { out[to] += grad_output[from] / area; });
  return out;
}

}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
