#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>

#include "aclnn/opdev/op_errno.h"
#include "base/aligned_buffer.h"
#include "base/cache_size.h"
#include "base/checked_math.h"
#include "base/parallel.h"
#include "base/shape.h"
#include "nnopbase/tensor.h"
#include "opapi/grid_sampler3d_backward/problem.h"

namespace aclnn_cpu::grid_sampler3d_backward {
namespace {

// Enough blocks of inputGrad to keep this many threads busy. Each block locates all points of its
// sample again, so more blocks than needed cost time.
constexpr int64_t kWantedInputGradBlocks = 8;
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
constexpr double kLocateDepth = 0.001;
constexpr double kSlabPointChannel = 0.005;

constexpr int64_t kPlanesPerSlab = 16;  // or more, if there are enough slabs without
constexpr int64_t kWantedTasks = 8;
constexpr int64_t kMostSlots = 16;
// Rows from this length on begin with a whole vector.
constexpr int64_t kWidthWorthAligning = 24;
constexpr int64_t kMostLanes = 16;  // elements that a vector, or a cache line, may hold
// Slabs need at least one point for this many voxels.
constexpr int64_t kVoxelsPerPoint = 8;
constexpr int64_t kChannelsUnit = 8;  // the kernel takes channels in groups of this size
constexpr int64_t kMostChannels = 1 << 20;
// Quads are faster than planar if a hundred points make more runs than this; of 1 to 4 channels.
constexpr int64_t kNever = 100;
constexpr int64_t kAlways = -1;
constexpr int64_t kMostRunsOfPlanar[] = {kNever, 40, 8, kAlways};
constexpr int64_t kMostRunsOfPlanarNearest[] = {kNever, kNever, kAlways, kAlways};
static_assert(std::size(kMostRunsOfPlanar) == kPlanarChannels);
// Rows shorter than this cost more to copy to quads than these save.
constexpr int64_t kLeastWidthOfQuads = 4;
// Floats hold offsets in a slab exactly.
constexpr int64_t kMostCells = int64_t{1} << 23;

int64_t SumBytes(aclDataType dtype) {
  return static_cast<int64_t>(dtype == ACL_DOUBLE ? sizeof(double) : sizeof(float));
}

// True if the points along `axis` of grid continue a run of `run` points in all tensors.
bool IsOneRun(const Problem& problem, int64_t run, int axis) {
  const auto continues = [&](const StridedView& view, int first) {
    return view.strides[first + axis - 1] == run * view.strides[first + 2];
  };
  return continues(problem.grid, 1) && continues(problem.grad_output, 2) &&
         (!problem.want_grid_grad || continues(problem.grid_grad, 1));
}

// For the planes that the points of each segment touch.
int64_t DepthBytes(const Problem& problem, const Slabs& slabs) {
  if (slabs.count == 1) return 0;
  return problem.samples() * slabs.segments() * static_cast<int64_t>(2 * sizeof(int32_t));
}

// True if the voxels lie as in scratch memory of the variant channels last, in the type of sums.
bool ServesInPlace(const Problem& problem, const StridedView& volume) {
  const Dims& s = volume.strides;
  const int64_t channels = problem.channels();
  return DtypeBytes(problem.dtype) == SumBytes(problem.dtype) && channels % kChannelsUnit == 0 &&
         s[1] == 1 && s[4] == channels && s[3] == s[4] * volume.extents[4] &&
         s[2] == s[3] * volume.extents[3];
}

void AllotChannelsLast(const Problem& problem, Slabs* slabs) {
  slabs->stride = RoundUp(problem.channels(), kChannelsUnit);
  const int64_t plane_elements = slabs->plane * slabs->stride;
  if (problem.reads_input() && !ServesInPlace(problem, problem.input)) {
    slabs->value_elements = RoundUp((slabs->planes + 1) * plane_elements, kMostLanes);
  }
  if (problem.want_input_grad && !ServesInPlace(problem, problem.input_grad)) {
    slabs->sum_elements = RoundUp(slabs->planes * plane_elements, kMostLanes);
  }
  // And gradOutput of the segment at hand and of collected points.
  slabs->slot_elements = slabs->value_elements + slabs->sum_elements + 2 * kSegment * slabs->stride;
}

// As many tasks at once as the limit of the workspace, 2.5 times inputGrad in float, allows; 0 if
// not even one.
int64_t SlotsWithinLimit(const Problem& problem, const Slabs& slabs) {
  const int64_t floats = *ElementCount(problem.input.extents) * int64_t{sizeof(float)};
  const int64_t limit = floats / 100 * 249 - DepthBytes(problem, slabs);
  const int64_t slot = slabs.slot_elements * SumBytes(problem.dtype);
  return std::min(
      {problem.samples() * slabs.count, kMostSlots, std::max(limit, int64_t{0}) / slot});
}

// Products of extents in bytes stay far from the limits of int64, and planes have numbers that a
// float holds exactly.
bool HasHandyExtents(const Problem& problem) {
  constexpr int64_t kMostElements = int64_t{1} << 48;
  constexpr int64_t kMostPlanes = int64_t{1} << 23;
  return *ElementCount(problem.input.extents) <= kMostElements &&
         *ElementCount(problem.grid.extents) <= kMostElements && problem.depth() <= kMostPlanes;
}

// True if the variant copies volumes whatever they look like.
bool AlwaysCopies(Variant variant) { return variant != Variant::kChannelsLast; }

bool SuitsSlabs(const Problem& problem, Variant variant) {
  if (!HasSlabVariants() || !problem.reads_grid_and_grad_output()) return false;
  if (!HasHandyExtents(problem)) return false;
  if (problem.want_input_grad && MayOverlapItself(problem.input_grad)) return false;
  if (problem.want_grid_grad && MayOverlapItself(problem.grid_grad)) return false;
  const int64_t plane = problem.input.extents[3] * problem.input.extents[4];
  if (plane > kMostCells || problem.channels() > kMostChannels) return false;
  const Slabs slabs = CutIntoSlabs(problem, variant);
  const bool copies = AlwaysCopies(variant) || slabs.value_elements + slabs.sum_elements > 0;
  // Few points: copying the whole volume costs more than it saves.
  if (copies && problem.points() < plane * problem.depth() / kVoxelsPerPoint) return false;
  return slabs.cells < kMostCells && SlotsWithinLimit(problem, slabs) > 0;
}

bool SuitsPlanar(const Problem& problem) {
  return problem.channels() <= kPlanarChannels && SuitsSlabs(problem, Variant::kPlanar);
}

int64_t MostRunsOfPlanar(const Problem& problem) {
  if (problem.channels() > kPlanarChannels || problem.dtype == ACL_DOUBLE) return kNever;
  // Channels that lie side by side are copied faster to quads than one by one.
  const StridedView& volume = problem.reads_input() ? problem.input : problem.input_grad;
  if (problem.channels() == 3 && volume.strides[1] == 1) return kAlways;
  const bool nearest = problem.interpolation == Interpolation::kNearest;
  return (nearest ? kMostRunsOfPlanarNearest : kMostRunsOfPlanar)[problem.channels() - 1];
}

bool SuitsQuads(const Problem& problem) {
  return MostRunsOfPlanar(problem) == kAlways && SuitsSlabs(problem, Variant::kQuads);
}

bool SuitsPlanarOrQuads(const Problem& problem) {
  const int64_t runs = MostRunsOfPlanar(problem);
  if (runs == kAlways || runs == kNever || problem.input.extents[4] < kLeastWidthOfQuads) {
    return false;
  }
  if (!SuitsSlabs(problem, Variant::kPlanar) || !SuitsSlabs(problem, Variant::kQuads)) return false;
  const Slabs planar = CutIntoSlabs(problem, Variant::kPlanar);
  const Slabs quads = CutIntoSlabs(problem, Variant::kQuads);
  // Quads, filled up to four channels, have fewer slots within the limit. With several threads a
  // third less of them costs as much as quads save on random points.
  return planar.count == quads.count &&
         3 * SlotsWithinLimit(problem, quads) >= 2 * SlotsWithinLimit(problem, planar);
}

bool SuitsChannelsLast(const Problem& problem) {
  return SuitsSlabs(problem, Variant::kChannelsLast);
}

}  // namespace

Slabs CutIntoSlabs(const Problem& problem, Variant variant) {
  Slabs slabs;
  const bool quads = variant == Variant::kQuads;
  const bool has_neighbours = variant != Variant::kChannelsLast;
  const int64_t depth = problem.depth();
  const int64_t height = problem.input.extents[3];
  const int64_t width = problem.input.extents[4];
  slabs.row = !has_neighbours                        ? width
              : quads || width < kWidthWorthAligning ? width + 1
                                                     : RoundUp(width + 1, kMostLanes / 2);
  slabs.plane = (has_neighbours ? height + 1 : height) * slabs.row;
  const int64_t wanted = CeilDiv(kWantedTasks, problem.samples());
  slabs.planes = std::max(std::min(kPlanesPerSlab, CeilDiv(depth, 2)), CeilDiv(depth, wanted));
  slabs.planes = std::clamp(kMostCells / slabs.plane - 4, int64_t{1}, slabs.planes);
  slabs.count = CeilDiv(depth, slabs.planes);
  // One vector more than the neighbours at both ends.
  slabs.origin = RoundUp(slabs.plane + 2 * slabs.row + 1 + kMostLanes, kMostLanes);
  slabs.cells =
      RoundUp(slabs.origin + (slabs.planes + 1) * slabs.plane + 2 * kMostLanes, kMostLanes);
  if (has_neighbours) {
    const int64_t arrays = (problem.want_input_grad ? 1 : 0) + (problem.reads_input() ? 1 : 0);
    slabs.stride = quads ? kPlanarChannels : problem.channels();
    slabs.slot_elements = arrays * slabs.cells * slabs.stride;
  } else {
    AllotChannelsLast(problem, &slabs);
  }

  const Dims& extents = problem.grid.extents;
  slabs.run = extents[3];
  for (int axis = 2; axis >= 1; --axis) {
    if (extents[axis] == 1) continue;
    if (!IsOneRun(problem, slabs.run, axis)) break;
    slabs.run *= extents[axis];
  }
  slabs.runs = problem.points() / slabs.run;
  slabs.segments_per_run = CeilDiv(slabs.run, kSegment);
  return slabs;
}

Variant ChooseVariant(const Problem& problem) {
  struct Row {
    Variant variant;
    bool (*suits)(const Problem& problem);
  };
  constexpr Row kRows[] = {{Variant::kQuads, SuitsQuads},
                           {Variant::kPlanarOrQuads, SuitsPlanarOrQuads},
                           {Variant::kPlanar, SuitsPlanar},
                           {Variant::kChannelsLast, SuitsChannelsLast},
                           {Variant::kPoints, [](const Problem&) { return true; }}};
  for (const Row& row : kRows) {
    if (row.suits(problem)) return row.variant;
  }
  return Variant::kPoints;
}

Plan::Plan(const Problem& problem, Variant variant)
    : Plan(problem, variant,
           ExceedsCache(static_cast<double>(*ElementCount(problem.grid.extents)) *
                        static_cast<double>(DtypeBytes(problem.dtype)))) {}

Plan::Plan(const Problem& problem, Variant variant, bool stream_grid_grad)
    : problem_(problem), variant_(variant) {
  input_grad_overlaps_itself_ = problem.want_input_grad && MayOverlapItself(problem.input_grad);
  grid_grad_overlaps_itself_ = problem.want_grid_grad && MayOverlapItself(problem.grid_grad);
  if (variant == Variant::kPoints) {
    PlanPoints();
  } else {
    PlanSlabs(stream_grid_grad);
  }
}

void Plan::PlanPoints() {
  const Problem& problem = problem_;
  ChooseBlocks();
  const bool rounds = DtypeBytes(problem.dtype) < SumBytes(problem.dtype);
  if (problem.want_input_grad && (rounds || input_grad_overlaps_itself_)) {
    const int64_t bytes = *ElementCount(problem.input.extents) * SumBytes(problem.dtype);
    workspace_[workspace_count_++] = {"sums of inputGrad", bytes};
  }
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

void Plan::PlanSlabs(bool stream_grid_grad) {
  // Tests plan slabs for volumes too, to which ChooseVariant() gives none because of the limit.
  const auto cut = [&](Variant variant) {
    Slabs slabs = CutIntoSlabs(problem_, variant);
    slabs.slots = std::max(SlotsWithinLimit(problem_, slabs), int64_t{1});
    slabs.stream_grid_grad = stream_grid_grad;
    return slabs;
  };
  const bool by_data = variant_ == Variant::kPlanarOrQuads;
  slabs_ = cut(by_data ? Variant::kPlanar : variant_);
  if (by_data) quads_ = cut(Variant::kQuads);
  if (variant_ == Variant::kQuads) quads_ = slabs_;
  const int64_t tasks = problem_.samples() * slabs_.count;
  const int64_t elements =
      std::max(slabs_.slots * slabs_.slot_elements, quads_.slots * quads_.slot_elements);
  workspace_[workspace_count_++] = {"slabs", elements * SumBytes(problem_.dtype)};
  if (slabs_.count > 1) {
    workspace_[workspace_count_++] = {"planes of the points", DepthBytes(problem_, slabs_)};
  }
  const double points = static_cast<double>(problem_.samples() * problem_.points());
  const double channels = static_cast<double>(problem_.channels());
  estimated_us_ = points * (kLocatePoint + channels * kSlabPointChannel);
  // Of a volume that is used in place nothing is copied, and nothing cleared if no gradient goes
  // there.
  const bool copies =
      AlwaysCopies(variant_) || slabs_.value_elements != 0 || slabs_.sum_elements != 0;
  if (problem_.want_input_grad || copies)
    estimated_us_ += static_cast<double>(tasks * slabs_.cells) * channels * kClearVoxel;
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
  const Buffers buffers{args[0], args[1], args[2], args[3], args[4], workspace, nullptr, nullptr};
  if (variant_ != Variant::kPoints) return RunSlabs(buffers, workspace);
  // Blocks of a gridGrad that overlaps itself write in row-major order, one after the other.
  const int64_t parallel = grid_grad_overlaps_itself_ ? blocks_.input_grad : blocks_.count();
  ParallelFor(parallel, estimated_us_, [&](int64_t block) { RunBlock(*this, buffers, block); });
  for (int64_t block = parallel; block < blocks_.count(); ++block) RunBlock(*this, buffers, block);
  if (input_grad_overlaps_itself_) WriteOverlappingInputGrad(*this, buffers);
}

bool Plan::UsesQuads(const Buffers& buffers) const {
  if (variant_ != Variant::kPlanarOrQuads) return variant_ == Variant::kQuads;
  return RunsPerHundred(*this, buffers) > MostRunsOfPlanar(problem_);
}

void Plan::RunSlabs(Buffers buffers, std::byte* workspace) const {
  buffers.scratch = workspace;
  if (slabs_.count > 1) {
    constexpr int64_t kAlignment = static_cast<int64_t>(kBufferAlignment);
    buffers.depths = workspace + RoundUp(workspace_[0].bytes, kAlignment);
    const double points = static_cast<double>(problem_.samples() * problem_.points());
    ParallelFor(CeilDiv(problem_.samples() * slabs_.segments(), kSegmentsPerDepthBlock),
                points * kLocateDepth, [&](int64_t block) { FindDepths(*this, buffers, block); });
  }
  const bool quads = UsesQuads(buffers);
  const auto run = quads                                ? RunQuads
                   : variant_ == Variant::kChannelsLast ? RunChannelsLast
                                                        : RunPlanar;
  ParallelForSlots(problem_.samples() * slabs_.count, quads ? quads_.slots : slabs_.slots,
                   estimated_us_,
                   [&](int64_t task, int64_t slot) { run(*this, buffers, task, slot); });
}

std::span<const WorkspaceItem> Plan::Workspace() const {
  return {workspace_.data(), workspace_count_};
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
