#include <algorithm>

#include "aclnn/opdev/op_errno.h"
#include "base/aligned_buffer.h"
#include "base/checked_math.h"
#include "nnopbase/tensor.h"
#include "opapi/adaptive_avg_pool2d_backward/problem.h"

namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace {

// A block should outweigh handing it to another thread; more blocks than this balance no better.
constexpr double kBlockMicroseconds = 20;
constexpr int64_t kMaxBlocks = 256;

// Nanoseconds on one core with AVX2 at about 3 GHz, rounded. An estimate is right within a factor
// of three, which is enough for what it decides: whether to queue, and how many blocks.
constexpr double kNsPerCall = 150;
constexpr double kNsPerRow = 10;
constexpr double kNsPerQuotient = 0.8;  // one gradient divided and added
constexpr double kNsPerColumn = 4;      // one column sum spread over a short window
constexpr double kNsPerElement = 0.3;   // of out, added or stored
constexpr double kNsPerConversion = 0.3;
constexpr double kNsPerStride = 1.5;  // one element that does not lie next to the one before

constexpr int64_t kTooBig = int64_t{1} << 62;

// Appends `count` items of `bytes` each to a layout; offsets beyond kTooBig stay there.
class Allocator {
 public:
  int64_t Take(int64_t count, int64_t bytes) {
    const int64_t offset = size_;
    int64_t total = 0;
    if (!CheckedMul(count, bytes, &total) || !CheckedAdd(size_, total, &total) ||
        total > kTooBig - kBufferAlignment) {
      total = kTooBig;
    }
    size_ = RoundUp(total, kBufferAlignment);
    return offset;
  }
  int64_t size() const { return size_; }

 private:
  static constexpr int64_t kBufferAlignment = static_cast<int64_t>(aclnn_cpu::kBufferAlignment);
  int64_t size_ = 0;
};

// What reading or writing an element costs beyond a packed float.
double AccessNs(aclDataType dtype, const StridedView& view) {
  return (dtype != ACL_FLOAT ? kNsPerConversion : 0) + (view.strides[3] != 1 ? kNsPerStride : 0);
}

double EstimateMicroseconds(const Problem& problem) {
  const double planes = static_cast<double>(problem.planes());
  const double height = static_cast<double>(problem.height());
  const double width = static_cast<double>(problem.width());
  const double grad_height = static_cast<double>(problem.grad_height());
  const double grad_width = static_cast<double>(problem.grad_width());
  // Rows under the same rows of gradOutput are computed once. Each row of gradOutput has one run of
  // rows of its own and at most one that it shares with the next.
  const double computed_rows = std::min(height, 2 * grad_height - 1);
  const double grad_rows = std::max(computed_rows, grad_height) + std::min(height, grad_height);
  const double per_gradient = kNsPerQuotient + AccessNs(problem.grad_dtype, problem.grad);
  const double per_element = kNsPerElement + AccessNs(problem.out_dtype, problem.out);
  const double ns_per_plane = grad_rows * grad_width * per_gradient +
                              computed_rows * (grad_width * kNsPerColumn + width * kNsPerElement) +
                              height * (kNsPerRow + width * per_element);
  return (kNsPerCall + planes * ns_per_plane) / 1000;
}

int64_t ChooseBlocks(const Problem& problem) {
  // Where elements of out share memory, the last in row-major order must win.
  if (MayOverlapItself(problem.out)) return 1;
  const double wanted = EstimateMicroseconds(problem) / kBlockMicroseconds;
  const double limited = std::min(wanted, static_cast<double>(kMaxBlocks));
  return std::clamp(static_cast<int64_t>(limited), int64_t{1}, problem.rows());
}

}  // namespace

Plan::Plan(const Problem& problem, int64_t blocks)
    : problem_(problem), blocks_(blocks), estimated_us_(EstimateMicroseconds(problem)) {
  LayOutWorkspace();
}

void Plan::LayOutWorkspace() {
  const int64_t float_bytes = sizeof(float);
  const int64_t window_bytes = sizeof(Window);
  const int64_t grad_width = problem_.grad_width();
  const int64_t width = problem_.width();

  Allocator block;
  layout_.grad_row = block.Take(grad_width, float_bytes);
  layout_.column_sums = block.Take(grad_width, float_bytes);
  layout_.out_row = block.Take(width, float_bytes);
  layout_.narrowed = problem_.out_dtype == ACL_FLOAT
                         ? layout_.out_row
                         : block.Take(width, DtypeBytes(problem_.out_dtype));
  layout_.block_stride = block.size();

  Allocator whole;
  layout_.row_windows = whole.Take(problem_.grad_height(), window_bytes);
  layout_.column_windows = whole.Take(grad_width, window_bytes);
  layout_.divisors = whole.Take(grad_width, float_bytes);
  layout_.divisor_stride = whole.size() - layout_.divisors;
  whole.Take(grad_width, float_bytes);
  layout_.scratch = whole.Take(blocks_, layout_.block_stride);
  workspace_ = {WorkspaceItem{"window tables", layout_.scratch},
                WorkspaceItem{"rows in progress", whole.size() - layout_.scratch}};
}

int64_t Plan::FirstRow(int64_t block) const {
  const int64_t rows = problem_.rows();
  return rows / blocks_ * block + std::min(block, rows % blocks_);
}

void Plan::Run(std::span<void* const> args, std::byte* workspace) const {
  RunKernel(*this, args[0], args[2], workspace);
}

std::string Plan::Describe() const {
  return fmt::format(
      "rows: {} block(s) over {} rows of {}x{}, gradOutput {}x{} {}, added in float, stored as {}",
      blocks_, problem_.rows(), problem_.height(), problem_.width(), problem_.grad_height(),
      problem_.grad_width(), DtypeName(problem_.grad_dtype), DtypeName(problem_.out_dtype));
}

StatusOr<std::shared_ptr<const Plan>> MakePlan(const Problem& problem) {
  auto plan = std::make_shared<const Plan>(problem, ChooseBlocks(problem));
  int64_t bytes = 0;
  for (const WorkspaceItem& item : plan->Workspace()) {
    if (!CheckedAdd(bytes, item.bytes, &bytes) || bytes >= kTooBig) {
      FAIL(ACLNN_ERR_INNER_NULLPTR, "W of gradOutput and self are {} and {}, too big to be handled",
           problem.grad_width(), problem.width());
    }
  }
  return std::shared_ptr<const Plan>(std::move(plan));
}

}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
