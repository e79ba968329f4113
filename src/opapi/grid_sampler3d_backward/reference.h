#ifndef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_REFERENCE_H_
#define ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_REFERENCE_H_

#include <cstdint>
#include <vector>

// The operator and its forward, written as plainly as the formulas read, in double. For tests only;
// shares nothing with the kernel. All tensors are dense and row-major.
namespace aclnn_cpu::grid_sampler3d_backward::reference {

struct Shape {
  int64_t n, c;
  int64_t d, h, w;              // of input
  int64_t out_d, out_h, out_w;  // of grid and gradOutput
  int64_t interpolation_mode;   // 0 bilinear, 1 nearest
  int64_t padding_mode;         // 0 zeros, 1 border, 2 reflection
  bool align_corners;

  int64_t points() const { return out_d * out_h * out_w; }
  int64_t voxels() const { return d * h * w; }
};

struct Gradients {
  std::vector<double> input_grad;  // (N, C, D, H, W)
  std::vector<double> grid_grad;   // (N, out_d, out_h, out_w, 3)
  // The same sums over the absolute values of their terms: what rounding errors scale with.
  std::vector<double> input_grad_magnitude;
  std::vector<double> grid_grad_magnitude;
};

// `Coordinate` (float or double) is the precision in which a normalised coordinate is turned into a
// place in the volume, as the operator does it, so that both see the point in the same cell;
// everything after that is double. `grid` must hold values of that precision.
template <typename Coordinate>
std::vector<double> Forward(const Shape& shape, const std::vector<double>& input,
                            const std::vector<double>& grid);

template <typename Coordinate>
Gradients Backward(const Shape& shape, const std::vector<double>& grad_output,
                   const std::vector<double>& input, const std::vector<double>& grid);

}  // namespace aclnn_cpu::grid_sampler3d_backward::reference

#endif  // ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_REFERENCE_H_
