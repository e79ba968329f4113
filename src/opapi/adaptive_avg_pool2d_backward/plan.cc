#include "opapi/adaptive_avg_pool2d_backward/plan.h"

#include <fmt/core.h>

#include <algorithm>

#include "aclnn/opdev/op_errno.h"
#include "base/cache_size.h"
#include "base/checked_math.h"
#include "nnopbase/tensor.h"
#include "opapi/adaptive_avg_pool2d_backward/kernel.h"

namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace {

// A thread that takes part should do more than joining costs; each needs scratch memory. More
// threads than this do not help.
constexpr double kSlotMicroseconds = 20;
constexpr int64_t kMaxSlots = 256;
// As many planes as the kernels put side by side in a vector.
constexpr int64_t kPlanesPerGroup = 8;

// Quotients of a plane that fit beside its sums and a row of out in a first-level cache of 32 KiB.
constexpr int64_t kMaxSmallGradPlane = 4096;
// A table of columns costs 20 bytes each; broader planes are left to kRows.
constexpr int64_t kMaxTableWidth = int64_t{1} << 16;

// kTiny's quotients and sums. They would find room on the stack, but callers who test their
// handling of workspaces do it with small tensors.
constexpr int64_t kTinyTableBytes =
    (kMaxTinyTerms + kMaxTinyExtents) * static_cast<int64_t>(sizeof(float));

// Nanoseconds on one core with AVX2 at about 3 GHz, rounded. An estimate is right within a factor
// of three, which is enough for what it decides: whether to queue, and how many blocks.
constexpr double kTinyMicroseconds = 0.5;
constexpr double kNsPerCall = 150;
constexpr double kNsPerRow = 3;
constexpr double kNsPerQuotient = 0.8;  // one gradient divided and added
constexpr double kNsPerColumn = 4;      // kRows: one column sum spread over a short window
constexpr double kNsPerByte = 0.05;     // of out, stored in the third-level cache
constexpr double kNsPerConversion = 0.3;
constexpr double kNsPerStride = 1.5;  // one element that does not lie next to the one before

bool HasIndexableExtents(const Problem& problem) {
  return std::max({problem.height(), problem.width(), problem.grad_height(),
                   problem.grad_width()}) < kMaxIndexedExtent;
}

// What reading or writing an element costs beyond a packed float.
double AccessNs(aclDataType dtype, const StridedView& view) {
  const bool packed = view.strides[3] == 1 || view.strides[1] == 1;
  return (dtype != ACL_FLOAT ? kNsPerConversion : 0) + (packed ? 0 : kNsPerStride);
}

double EstimateMicroseconds(Variant variant, const Problem& problem) {
  if (variant == Variant::kTiny) return kTinyMicroseconds;
  const double planes = static_cast<double>(problem.planes());
  const double height = static_cast<double>(problem.height());
  const double width = static_cast<double>(problem.width());
  const double grad_height = static_cast<double>(problem.grad_height());
  const double grad_width = static_cast<double>(problem.grad_width());
  // Rows under the same rows of gradOutput are computed once. Each row of gradOutput has one run of
  // rows of its own and at most one that it shares with the next.
  const double computed_rows = std::min(height, 2 * grad_height - 1);
  const double per_gradient = kNsPerQuotient + AccessNs(problem.grad_dtype, problem.grad);
  const double gradients = std::max(computed_rows, grad_height) * grad_width;
  double ns = gradients * per_gradient +
              height * (kNsPerRow +
                        width * kNsPerByte * static_cast<double>(DtypeBytes(problem.out_dtype)));
  if (variant == Variant::kRows) {
    ns += computed_rows * grad_width * kNsPerColumn +
          height * width * AccessNs(problem.out_dtype, problem.out);
  } else if (problem.out_dtype != ACL_FLOAT && variant != Variant::kGlobal) {
    ns += computed_rows * width * kNsPerConversion;
  }
  return (kNsPerCall + planes * ns) / 1000;
}

// Threads that begin together end about a block apart. But what two blocks share is computed twice,
// which costs most with channels last: divisions for all channels of a row.
constexpr int64_t BlocksPerSlot(Variant variant) {
  return variant == Variant::kChannelsLast ? 1 : 2;
}

int64_t ChooseBlocks(Variant variant, const Problem& problem) {
  if (variant == Variant::kTiny) return 1;
  // Where elements of out share memory, the last in row-major order must win. The other variants do
  // not apply then.
  if (variant == Variant::kRows && MayOverlapItself(problem.out)) return 1;
  const double slots = EstimateMicroseconds(variant, problem) / kSlotMicroseconds;
  const double limited = std::min(slots, static_cast<double>(kMaxSlots));
  const int64_t blocks =
      static_cast<int64_t>(limited * static_cast<double>(BlocksPerSlot(variant)));
  return std::clamp(blocks, int64_t{1}, Units(variant, problem));
}

double OutBytes(const Problem& problem) {
  return static_cast<double>(problem.rows()) * static_cast<double>(problem.width()) *
         static_cast<double>(DtypeBytes(problem.out_dtype));
}

// In floating point, where no product overflows.
bool IsTiny(const Problem& problem) {
  const auto sum = [](int64_t a, int64_t b) {
    return static_cast<double>(a) + static_cast<double>(b);
  };
  return static_cast<double>(problem.planes()) * sum(problem.height(), problem.grad_height()) *
             sum(problem.width(), problem.grad_width()) <=
         kMaxTinyTerms;
}

}  // namespace

const char* VariantName(Variant variant) {
  switch (variant) {
    case Variant::kTiny:
      return "tiny";
    case Variant::kGlobal:
      return "global";
    case Variant::kPlanes:
      return "planes";
    case Variant::kChannelsLast:
      return "channels last";
    case Variant::kRows:
      break;
  }
  return "rows";
}

ColumnMethod MethodFor(const Problem& problem) {
  const int64_t width = problem.width();
  const int64_t grad_width = problem.grad_width();
  if (width < grad_width) return ColumnMethod::kSum;
  // The diagonal breaks once per column that gradOutput is narrower.
  if (width - grad_width <= width / 128) return ColumnMethod::kDiagonal;
  return ColumnMethod::kTable;
}

bool HasSmallGradPlanes(const Problem& problem) {
  int64_t elements = 0;
  return MethodFor(problem) != ColumnMethod::kDiagonal &&
         CheckedMul(problem.grad_height(), problem.grad_width(), &elements) &&
         elements <= kMaxSmallGradPlane;
}

bool Applies(Variant variant, const Problem& problem) {
  const bool same_dtype = problem.out_dtype == problem.grad_dtype;
  if (variant == Variant::kTiny) return same_dtype && IsTiny(problem);
  const auto layout_fits = [&] {
    switch (variant) {
      case Variant::kGlobal:
        return problem.grad_height() == 1 && problem.grad_width() == 1 &&
               HasPackedPlanes(problem.out);
      case Variant::kPlanes:
        return same_dtype && HasPackedPlanes(problem.out) && HasIndexableExtents(problem) &&
               (MethodFor(problem) != ColumnMethod::kTable || problem.width() <= kMaxTableWidth);
      case Variant::kChannelsLast:
        return same_dtype && problem.out.strides[1] == 1 && problem.out.extents[1] > 1;
      default:
        break;
    }
    return true;
  };
  return layout_fits() && (variant == Variant::kRows || !MayOverlapItself(problem.out));
}

int64_t Units(Variant variant, const Problem& problem) {
  switch (variant) {
    case Variant::kTiny:
      return 1;
    case Variant::kChannelsLast:
      return problem.out.extents[0] * problem.height();
    default:
      return problem.rows();
  }
}

Plan::Plan(const Problem& problem, Variant variant, int64_t blocks, bool streaming)
    : problem_(problem),
      variant_(variant),
      streaming_(streaming),
      blocks_(blocks),
      estimated_us_(EstimateMicroseconds(variant, problem)) {
  switch (variant) {
    case Variant::kTiny:
      parts_.tables = kTinyTableBytes;
      break;
    case Variant::kGlobal:
      break;
    case Variant::kPlanes:
      parts_ = layout_.emplace<PlanesLayout>(problem).parts;
      break;
    case Variant::kChannelsLast:
      parts_ = layout_.emplace<ChannelsLastLayout>(problem).parts;
      break;
    case Variant::kRows:
      parts_ = layout_.emplace<RowsLayout>(problem).parts;
      break;
  }
  int64_t scratch = 0;
  if (!CheckedMul(slots(), parts_.slot_stride, &scratch)) scratch = kTooBig;
  workspace_ = {WorkspaceItem{"window tables", parts_.tables},
                WorkspaceItem{"rows in progress", scratch}};
}

int64_t Plan::slots() const { return CeilDiv(blocks_, BlocksPerSlot(variant_)); }

int64_t Plan::FirstUnit(int64_t block) const {
  // Blocks of many planes begin with a group of whole ones: what is cut is computed twice.
  const int64_t group = kPlanesPerGroup * problem_.height();
  const int64_t units = Units(variant_, problem_);
  const bool whole = units / group >= 4 * blocks_;
  const int64_t step = whole ? group : 1;
  const int64_t steps = units / step;
  if (block == blocks_) return units;
  return step * (steps / blocks_ * block + std::min(block, steps % blocks_));
}

void Plan::Run(std::span<void* const> args, std::byte* workspace) const {
  RunKernel(
      {*this, static_cast<const std::byte*>(args[0]), static_cast<std::byte*>(args[2]), workspace});
}

std::string Plan::Describe() const {
  return fmt::format(
      "{}: {} block(s) over {} rows of {}x{}, gradOutput {}x{} {}, added in float, stored as {}{}",
      VariantName(variant_), blocks_, problem_.rows(), problem_.height(), problem_.width(),
      problem_.grad_height(), problem_.grad_width(), DtypeName(problem_.grad_dtype),
      DtypeName(problem_.out_dtype), streaming_ ? " past the caches" : "");
}

StatusOr<std::shared_ptr<const Plan>> MakePlan(const Problem& problem) {
  const Variant variant = *std::find_if(std::begin(kVariants), std::end(kVariants),
                                        [&](Variant v) { return Applies(v, problem); });
  const bool streaming = variant != Variant::kTiny && ExceedsCache(OutBytes(problem));
  auto plan =
      std::make_shared<const Plan>(problem, variant, ChooseBlocks(variant, problem), streaming);
  int64_t bytes = 0;
  for (const WorkspaceItem& item : plan->Workspace()) {
    if (!CheckedAdd(bytes, item.bytes, &bytes) || bytes >= kTooBig) {
      FAIL(ACLNN_ERR_INNER_NULLPTR,
           "H, W of gradOutput are {}, {} and of self {}, {}, too big for tables of them",
           problem.grad_height(), problem.grad_width(), problem.height(), problem.width());
    }
  }
  return std::shared_ptr<const Plan>(std::move(plan));
}

}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
