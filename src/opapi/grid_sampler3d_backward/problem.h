#ifndef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_PROBLEM_H_
#define ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_PROBLEM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "aclnn/acl_meta.h"
#include "base/shape.h"
#include "base/status.h"
#include "nnopbase/executor.h"
#include "nnopbase/op_info.h"
#include "opapi/grid_sampler3d_backward/slabs.h"

namespace aclnn_cpu::grid_sampler3d_backward {

// Phase one's arguments as the caller gave them, under the names of the prototype.
struct Args {
  const aclTensor* gradOutput;
  const aclTensor* input;
  const aclTensor* grid;
  int64_t interpolationMode;
  int64_t paddingMode;
  bool alignCorners;
  const aclBoolArray* outputMask;
  aclTensor* inputGrad;
  aclTensor* gridGrad;
  uint64_t* workspaceSize;
  aclOpExecutor** executor;
};

// The numbers are those of the prototype's int64_t arguments.
enum class Interpolation : int64_t { kBilinear = 0, kNearest = 1 };
enum class Padding : int64_t { kZeros = 0, kBorder = 1, kReflection = 2 };

// A checked call without tensor objects.
struct Problem {
  bool is_empty = false;  // nothing runs and the outputs stay as they are; no other member is set
  aclDataType dtype = ACL_DT_UNDEFINED;
  Interpolation interpolation = Interpolation::kBilinear;
  Padding padding = Padding::kZeros;
  bool align_corners = false;
  bool want_input_grad = false;
  bool want_grid_grad = false;
  bool channels_last = false;  // the caller's axis order; the views below are the same for both

  // [N, C, D, H, W]
  StridedView grad_output;
  StridedView input;
  StridedView input_grad;
  // [N, D, H, W, 3]; the last axis holds (x, y, z), which point along (W, H, D) of input.
  StridedView grid;
  StridedView grid_grad;

  int64_t samples() const { return input.extents[0]; }
  int64_t channels() const { return input.extents[1]; }
  int64_t depth() const { return input.extents[2]; }
  // Of one sample.
  int64_t points() const { return grid.extents[1] * grid.extents[2] * grid.extents[3]; }

  // Whose data the results depend on. Data that are not read may be null.
  bool reads_input() const { return want_grid_grad && interpolation == Interpolation::kBilinear; }
  bool reads_grid_and_grad_output() const { return want_input_grad || reads_input(); }
};

const OpInfo& Info();

// contract.md's checks in its order.
StatusOr<Problem> CheckContract(const Args& args);

// Strict mode: reports what passed but is not on the operator page.
void CheckPage(const Args& args);

// How the work is cut into blocks. It follows from shapes alone, each element of an output has one
// owner, and the owner adds in a fixed order: so the bits depend neither on the number of threads
// nor on the partition.
struct Blocks {
  // A block of inputGrad owns `channels` channels and `planes` planes along D of one sample and
  // walks all points of the sample in order.
  int64_t channels = 1;
  int64_t channel_groups = 0;
  int64_t planes = 1;
  int64_t slabs = 0;
  int64_t input_grad = 0;  // number of blocks

  // A block of gridGrad owns `points` consecutive points of one sample.
  int64_t points = 1;
  int64_t point_groups = 0;
  int64_t grid_grad = 0;  // number of blocks

  int64_t count() const { return input_grad + grid_grad; }
};

// Addresses of the views' first elements; null where the problem needs no data.
struct Buffers {
  const void* grad_output;
  const void* input;
  const void* grid;
  void* input_grad;
  void* grid_grad;
  std::byte* sums;  // in the workspace, like what follows
  std::byte* scratch;
  std::byte* depths;
};

// The ways to compute a call; all give the same bits.
enum class Variant {
  kPoints,         // any layout, type and size: point by point, straight from and to the tensors
  kPlanar,         // up to four channels: slabs of single channels in scratch memory
  kQuads,          // the same with the channels of a voxel side by side; not for double
  kPlanarOrQuads,  // one of these two: which one is seen from the grid when the call runs
  kChannelsLast,   // slabs with the channels of a voxel side by side, in place or in scratch memory
};

// kPlanar, kQuads, kChannelsLast: what a call looks like when cut for it.
Slabs CutIntoSlabs(const Problem& problem, Variant variant);

// The first variant that suits the problem and the vector target.
Variant ChooseVariant(const Problem& problem);

class Plan : public OpPlan {
 public:
  explicit Plan(const Problem& problem) : Plan(problem, ChooseVariant(problem)) {}
  // Tests compare variants; `variant` must be one that could be chosen.
  Plan(const Problem& problem, Variant variant);
  // `stream_grid_grad`: write it past the caches, where the variant can.
  Plan(const Problem& problem, Variant variant, bool stream_grid_grad);

  void Run(std::span<void* const> args, std::byte* workspace) const override;
  std::span<const WorkspaceItem> Workspace() const override;
  double EstimatedMicroseconds() const override { return estimated_us_; }
  std::string Describe() const override;

  const Problem& problem() const { return problem_; }
  Variant variant() const { return variant_; }
  const Blocks& blocks() const { return blocks_; }  // of kPoints
  // Of the other variants; of kPlanarOrQuads those of planar.
  const Slabs& slabs() const { return slabs_; }
  const Slabs& quads() const { return quads_; }  // of kQuads and kPlanarOrQuads
  // Whether a call with this grid is computed as quads. Of `buffers` only the grid is read.
  bool UsesQuads(const Buffers& buffers) const;

  // inputGrad is summed in float or double [N, C, D, H, W] of the workspace, row-major, instead of
  // in the output: 16-bit outputs, so that they are rounded once, and outputs that overlap
  // themselves.
  bool sums_in_workspace() const { return variant_ == Variant::kPoints && workspace_count_ != 0; }
  // Such an output keeps what writing in the caller's row-major order leaves; one thread does it.
  bool input_grad_overlaps_itself() const { return input_grad_overlaps_itself_; }
  bool grid_grad_overlaps_itself() const { return grid_grad_overlaps_itself_; }

 private:
  void ChooseBlocks();
  void PlanPoints();
  void PlanSlabs(bool stream_grid_grad);
  void RunSlabs(Buffers buffers, std::byte* workspace) const;

  Problem problem_;
  Variant variant_;
  Blocks blocks_;
  Slabs slabs_;
  Slabs quads_;
  std::array<WorkspaceItem, 2> workspace_{};
  size_t workspace_count_ = 0;
  bool input_grad_overlaps_itself_ = false;
  bool grid_grad_overlaps_itself_ = false;
  double estimated_us_ = 0;
};

// `problem` is not empty. 561103 if the workspace cannot be addressed.
StatusOr<std::shared_ptr<const Plan>> MakePlan(const Problem& problem);

// False on targets that have the variant kPoints only.
bool HasSlabVariants();

// Compute the slab `task` in the scratch memory `slot`.
void RunPlanar(const Plan& plan, const Buffers& buffers, int64_t task, int64_t slot);
void RunQuads(const Plan& plan, const Buffers& buffers, int64_t task, int64_t slot);
void RunChannelsLast(const Plan& plan, const Buffers& buffers, int64_t task, int64_t slot);

// How often a point does not lie in the voxel behind the last one's, along x, per hundred points;
// from some segments, spread over the grid.
int64_t RunsPerHundred(const Plan& plan, const Buffers& buffers);

// Before slabs: finds the planes that the points of each segment touch, a block of segments a time.
inline constexpr int64_t kSegmentsPerDepthBlock = 16;
void FindDepths(const Plan& plan, const Buffers& buffers, int64_t block);

// Computes what block `block` owns; inputGrad's blocks come first.
void RunBlock(const Plan& plan, const Buffers& buffers, int64_t block);

// After all blocks: rounds the sums and writes an inputGrad that overlaps itself.
void WriteOverlappingInputGrad(const Plan& plan, const Buffers& buffers);

}  // namespace aclnn_cpu::grid_sampler3d_backward

#endif  // ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_PROBLEM_H_
