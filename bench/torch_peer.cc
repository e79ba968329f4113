#include "bench/torch_peer.h"

#ifdef ACLNN_CPU_HAVE_TORCH

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/version.h>

#include <array>

namespace bench {
namespace {

at::ScalarType TypeOf(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat16:
      return at::kHalf;
    case Dtype::kBFloat16:
      return at::kBFloat16;
    case Dtype::kDouble:
      return at::kDouble;
    case Dtype::kFloat:
      break;
  }
  return at::kFloat;
}

at::Tensor View(const PeerTensor& tensor) {
  return at::from_blob(const_cast<void*>(tensor.data), tensor.shape, tensor.strides,
                       at::TensorOptions().dtype(TypeOf(tensor.dtype)));
}

std::function<void()> IfItRuns(std::function<void()> run) {
  try {
    run();
  } catch (const std::exception&) {
    return {};
  }
  return run;
}

}  // namespace

std::string TorchVersion() { return TORCH_VERSION; }

void UseTorchThreads(int threads) { at::set_num_threads(threads); }

std::function<void()> TorchAdaptiveAvgPool2dBackward(const PeerTensor& grad_output,
                                                     const PeerTensor& self) {
  return IfItRuns([grad = View(grad_output), input = View(self)] {
    at::_adaptive_avg_pool2d_backward(grad, input);
  });
}

std::function<void()> TorchGridSampler3DBackward(const PeerTensor& grad_output,
                                                 const PeerTensor& input, const PeerTensor& grid,
                                                 const GridSamplerModes& modes, bool input_grad,
                                                 bool grid_grad) {
  return IfItRuns([=, grad = View(grad_output), volume = View(input), points = View(grid)] {
    at::grid_sampler_3d_backward(grad, volume, points, modes.interpolation, modes.padding,
                                 modes.align_corners, std::array<bool, 2>{input_grad, grid_grad});
  });
}

}  // namespace bench

#else

namespace bench {

std::string TorchVersion() { return ""; }
void UseTorchThreads(int /*threads*/) {}
std::function<void()> TorchAdaptiveAvgPool2dBackward(const PeerTensor& /*grad_output*/,
                                                     const PeerTensor& /*self*/) {
  return {};
}
std::function<void()> TorchGridSampler3DBackward(const PeerTensor& /*grad_output*/,
                                                 const PeerTensor& /*input*/,
                                                 const PeerTensor& /*grid*/,
                                                 const GridSamplerModes& /*modes*/,
                                                 bool /*input_grad*/, bool /*grid_grad*/) {
  return {};
}

}  // namespace bench

#endif
