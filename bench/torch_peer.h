#ifndef ACLNN_CPU_BENCH_TORCH_PEER_H_
#define ACLNN_CPU_BENCH_TORCH_PEER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// PyTorch's C++ API behind an interface without its headers. Without libtorch there are no such
// arms: the functions give empty ones.

namespace bench {

enum class Dtype { kFloat, kFloat16, kBFloat16, kDouble };

struct PeerTensor {
  const void* data;
  Dtype dtype;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // elements
};

std::string TorchVersion();  // "" without libtorch
void UseTorchThreads(int threads);

// Empty if this PyTorch has no such kernel for the dtype. The tensors' memory must outlive it.
std::function<void()> TorchAdaptiveAvgPool2dBackward(const PeerTensor& grad_output,
                                                     const PeerTensor& self);

struct GridSamplerModes {
  int64_t interpolation;  // 0 bilinear, 1 nearest
  int64_t padding;        // 0 zeros, 1 border, 2 reflection
  bool align_corners;
};
std::function<void()> TorchGridSampler3DBackward(const PeerTensor& grad_output,
                                                 const PeerTensor& input, const PeerTensor& grid,
                                                 const GridSamplerModes& modes, bool input_grad,
                                                 bool grid_grad);

}  // namespace bench

#endif  // ACLNN_CPU_BENCH_TORCH_PEER_H_
