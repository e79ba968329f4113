// A plan in words, for logs and tests.
#include <fmt/core.h>

#include <string>

#include "opapi/grid_sampler3d_backward/problem.h"

namespace aclnn_cpu::grid_sampler3d_backward {
namespace {

const char* InterpolationName(Interpolation interpolation) {
  return interpolation == Interpolation::kNearest ? "nearest" : "bilinear";
}

const char* PaddingName(Padding padding) {
  switch (padding) {
    case Padding::kZeros:
      return "zeros";
    case Padding::kBorder:
      return "border";
    default:
      return "reflection";
  }
}

const char* VariantName(Variant variant) {
  switch (variant) {
    case Variant::kPlanar:
      return "planar";
    case Variant::kQuads:
      return "quads";
    case Variant::kPlanarOrQuads:
      return "planar or quads";
    case Variant::kChannelsLast:
      return "channels last";
    default:
      return "points";
  }
}

}  // namespace

std::string Plan::Describe() const {
  std::string text = fmt::format("{}: {} {} align_corners={}", VariantName(variant_),
                                 InterpolationName(problem_.interpolation),
                                 PaddingName(problem_.padding), problem_.align_corners);
  if (variant_ != Variant::kPoints) {
    const bool in_place = variant_ == Variant::kChannelsLast;
    const bool reads_in_place = in_place && problem_.reads_input() && slabs_.value_elements == 0;
    const bool sums_in_place = in_place && problem_.want_input_grad && slabs_.sum_elements == 0;
    text += fmt::format("; {} slabs of {} planes, {} at once", problem_.samples() * slabs_.count,
                        slabs_.planes, slabs_.slots);
    if (variant_ == Variant::kPlanarOrQuads) text += fmt::format(" or {}", quads_.slots);
    return text + (reads_in_place ? ", input in place" : "") +
           (sums_in_place ? ", inputGrad in place" : "");
  }
  if (problem_.want_input_grad) {
    text += fmt::format("; inputGrad: {} blocks of {} channels x {} planes, summed in the {}{}",
                        blocks_.input_grad, blocks_.channels, blocks_.planes,
                        sums_in_workspace() ? "workspace" : "output",
                        input_grad_overlaps_itself_ ? ", written serially" : "");
  }
  if (problem_.want_grid_grad) {
    text += fmt::format("; gridGrad: {} blocks of {} points{}", blocks_.grid_grad, blocks_.points,
                        grid_grad_overlaps_itself_ ? ", written serially" : "");
  }
  return text;
}

}  // namespace aclnn_cpu::grid_sampler3d_backward
