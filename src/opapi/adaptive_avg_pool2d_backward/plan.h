#ifndef ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_PLAN_H_
#define ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_PLAN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>

#include "base/status.h"
#include "nnopbase/executor.h"
#include "opapi/adaptive_avg_pool2d_backward/layout.h"
#include "opapi/adaptive_avg_pool2d_backward/problem.h"

namespace aclnn_cpu::adaptive_avg_pool2d_backward {

// The ways to write out. All give the same bits: each element is a sum in a fixed order (kernel.h).
enum class Variant {
  kTiny,          // a few dozen additions, any strides: no tables, no vectors
  kGlobal,        // one gradient per plane of packed rows: fill
  kPlanes,        // packed rows in each plane of out
  kChannelsLast,  // C is out's innermost axis
  kRows,          // any strides
};
inline constexpr Variant kVariants[] = {Variant::kTiny, Variant::kGlobal, Variant::kPlanes,
                                        Variant::kChannelsLast, Variant::kRows};
// For kTiny: N * C * (H + gradH) * (W + gradW), which no number of additions exceeds.
inline constexpr int64_t kMaxTinyTerms = 96;
inline constexpr int64_t kMaxTinyExtents = kMaxTinyTerms / 2;  // H + gradH, W + gradW

const char* VariantName(Variant variant);
bool Applies(Variant variant, const Problem& problem);

ColumnMethod MethodFor(const Problem& problem);
// A plane of gradOutput is small enough to be divided and kept in the first-level cache.
bool HasSmallGradPlanes(const Problem& problem);

// Rows of a plane one after the other.
inline bool HasPackedPlanes(const StridedView& view) {
  const int64_t height = view.extents[2];
  const int64_t width = view.extents[3];
  return (width == 1 || view.strides[3] == 1) && (height == 1 || view.strides[2] == width);
}

// In a view of packed planes, each begins where the one before ends.
inline bool PlanesAdjoin(const StridedView& view) {
  const Dims& extents = view.extents;
  const int64_t plane = extents[2] * extents[3];
  return (extents[1] == 1 || view.strides[1] == plane) &&
         (extents[0] == 1 || view.strides[0] == extents[1] * plane);
}

// Walks over the planes of a view in order of N, then C, without a division for each.
class PlaneCursor {
 public:
  PlaneCursor(int64_t plane, int64_t channels)
      : n_(plane / channels), c_(plane % channels), channels_(channels) {}
  void Next() {
    if (++c_ == channels_) {
      c_ = 0;
      ++n_;
    }
  }
  // Elements from the start of the view.
  int64_t OffsetIn(const StridedView& view) const {
    return n_ * view.strides[0] + c_ * view.strides[1];
  }

 private:
  int64_t n_;
  int64_t c_;
  int64_t channels_;
};

class Plan : public OpPlan {
 public:
  // `problem` is not empty and the variant applies; 1 <= blocks <= Units(). Out that meets itself
  // takes one block. `streaming`: write past the caches where the variant can.
  Plan(const Problem& problem, Variant variant, int64_t blocks, bool streaming);

  void Run(std::span<void* const> args, std::byte* workspace) const override;
  std::span<const WorkspaceItem> Workspace() const override { return workspace_; }
  double EstimatedMicroseconds() const override { return estimated_us_; }
  std::string Describe() const override;

  const Problem& problem() const { return problem_; }
  Variant variant() const { return variant_; }
  bool streaming() const { return streaming_; }
  int64_t blocks() const { return blocks_; }
  int64_t slots() const;  // how many blocks run at once at most
  // `Layout` is that of the variant.
  template <typename Layout>
  const Layout& layout() const {
    return *std::get_if<Layout>(&layout_);
  }
  const WorkspaceParts& parts() const { return parts_; }
  // What blocks consist of, N * C * H rows of out, or N * H rows of pixels for kChannelsLast, or
  // all for kTiny: first one of a block; block `blocks()` starts where all end.
  int64_t FirstUnit(int64_t block) const;

 private:
  Problem problem_;
  Variant variant_;
  bool streaming_;
  int64_t blocks_;
  std::variant<std::monostate, RowsLayout, PlanesLayout, ChannelsLastLayout> layout_;
  WorkspaceParts parts_;
  std::array<WorkspaceItem, 2> workspace_{};
  double estimated_us_ = 0;
};

int64_t Units(Variant variant, const Problem& problem);

// Chooses the first variant of kVariants that applies, and the blocks, from the problem alone.
// `problem` is not empty. 561103 if the workspace cannot be addressed.
StatusOr<std::shared_ptr<const Plan>> MakePlan(const Problem& problem);

}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward

#endif  // ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_PLAN_H_
