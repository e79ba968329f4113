#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "aclnn/opdev/op_errno.h"
#include "base/checked_math.h"
#include "base/parallel.h"
#include "base/shape.h"
#include "nnopbase/tensor.h"
#include "opapi/grid_sampler3d_backward/problem.h"

namespace aclnn_cpu::grid_sampler3d_backward {
namespace {

// Enough blocks of inputGrad to keep this many threads busy. Each block locates all points of its
// sample again, so more blocks than needed cost time.
constexpr int64_t kWantedInputGradBlocks = 16;
// Below this many points times channels, further blocks of a sample cost more than they share out.
constexpr int64_t kPointChannelsWorthSplitting = 1 << 14;
// A channel group repeats about as much work per point as this many channels cost.
constexpr int64_t kLeastChannelsPerGroup = 4;
constexpr int64_t kMostSlabs = 4;
// Points times channels of one block of gridGrad.
constexpr int64_t kPointChannelsPerBlock = 1 << 13;
constexpr int64_t kPointsUnit = 64;  // the kernel locates points in chunks of this size

// Microseconds, one thread.
constexpr double kLocatePoint = 0.010;
constexpr double kPointChannel = 0.015;
constexpr double kClearVoxel = 0.0005;

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

int64_t SumBytes(aclDataType dtype) {
  return static_cast<int64_t>(dtype == ACL_DOUBLE ? sizeof(double) : sizeof(float));
}

}  // namespace

Plan::Plan(const Problem& problem) : problem_(problem) {
  input_grad_overlaps_itself_ = problem.want_input_grad && MayOverlapItself(problem.input_grad);
  grid_grad_overlaps_itself_ = problem.want_grid_grad && MayOverlapItself(problem.grid_grad);
  const bool rounds = DtypeBytes(problem.dtype) < SumBytes(problem.dtype);
  if (problem.want_input_grad && (rounds || input_grad_overlaps_itself_)) {
    sums_.bytes = *ElementCount(problem.input.extents) * SumBytes(problem.dtype);
  }
  ChooseBlocks();

  const double points = static_cast<double>(problem.samples() * problem.points());
  const double channels = static_cast<double>(problem.channels());
  if (problem.want_input_grad) {
    const double voxels = static_cast<double>(*ElementCount(problem.input.extents));
    estimated_us_ +=
        voxels * kClearVoxel +
        points * (static_cast<double>(blocks_.channel_groups * blocks_.slabs) * kLocatePoint +
                  channels * kPointChannel);
  }
  if (problem.want_grid_grad) {
    estimated_us_ +=
        points * (kLocatePoint + (problem.reads_input() ? channels : 0) * kPointChannel);
  }
}

void Plan::ChooseBlocks() {
  const int64_t samples = problem_.samples();
  const int64_t channels = problem_.channels();
  const int64_t points = problem_.points();
  if (problem_.want_input_grad) {
    const int64_t wanted = CeilDiv(kWantedInputGradBlocks, samples);
    const bool split = points >= CeilDiv(kPointChannelsWorthSplitting, channels);
    const int64_t groups = split ? std::min(wanted, CeilDiv(channels, kLeastChannelsPerGroup)) : 1;
    blocks_.channels = CeilDiv(channels, groups);
    blocks_.channel_groups = CeilDiv(channels, blocks_.channels);
    const int64_t slabs =
        split ? std::min({CeilDiv(wanted, blocks_.channel_groups), kMostSlabs, problem_.depth()})
              : 1;
    blocks_.planes = CeilDiv(problem_.depth(), slabs);
    blocks_.slabs = CeilDiv(problem_.depth(), blocks_.planes);
    blocks_.input_grad = samples * blocks_.channel_groups * blocks_.slabs;
  }
  if (problem_.want_grid_grad) {
    blocks_.points = RoundUp(CeilDiv(kPointChannelsPerBlock, channels), kPointsUnit);
    blocks_.point_groups = CeilDiv(points, blocks_.points);
    blocks_.grid_grad = samples * blocks_.point_groups;
  }
}

void Plan::Run(std::span<void* const> args, std::byte* workspace) const {
  const Buffers buffers{args[0], args[1], args[2], args[3], args[4], workspace};
  // Blocks of a gridGrad that overlaps itself write in row-major order, one after the other.
  const int64_t parallel = grid_grad_overlaps_itself_ ? blocks_.input_grad : blocks_.count();
  ParallelFor(parallel, estimated_us_, [&](int64_t block) { RunBlock(*this, buffers, block); });
  for (int64_t block = parallel; block < blocks_.count(); ++block) RunBlock(*this, buffers, block);
  if (input_grad_overlaps_itself_) WriteOverlappingInputGrad(*this, buffers);
}

std::span<const WorkspaceItem> Plan::Workspace() const {
  return {&sums_, sums_in_workspace() ? size_t{1} : size_t{0}};
}

std::string Plan::Describe() const {
  std::string text =
      fmt::format("points: {} {} align_corners={}", InterpolationName(problem_.interpolation),
                  PaddingName(problem_.padding), problem_.align_corners);
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

StatusOr<std::shared_ptr<const Plan>> MakePlan(const Problem& problem) {
  // The contract made sure that the elements themselves can be addressed.
  const int64_t elements = *ElementCount(problem.input.extents);
  int64_t bytes = 0;
  if (problem.want_input_grad && !CheckedMul(elements, SumBytes(problem.dtype), &bytes)) {
    FAIL(ACLNN_ERR_INNER_NULLPTR, "input has {} elements, whose sums cannot be addressed",
         elements);
  }
  return std::shared_ptr<const Plan>(std::make_shared<Plan>(problem));
}

}  // namespace aclnn_cpu::grid_sampler3d_backward
