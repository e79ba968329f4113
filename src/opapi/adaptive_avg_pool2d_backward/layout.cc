#include "opapi/adaptive_avg_pool2d_backward/layout.h"

#include <algorithm>

#include "base/aligned_buffer.h"
#include "base/checked_math.h"
#include "nnopbase/tensor.h"
#include "opapi/adaptive_avg_pool2d_backward/plan.h"
#include "opapi/adaptive_avg_pool2d_backward/windows.h"

namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace {

constexpr int64_t kFloatBytes = sizeof(float);
constexpr int64_t kIndexBytes = sizeof(int32_t);

// Cells of a group of planes, and of planes of which several groups fit into a first-level cache
// with their pairs and rows of out.
constexpr int64_t kGroupCells = 200;
constexpr int64_t kMaxCellsInSlots = 512;

// Appends items to a layout; offsets beyond kTooBig stay there.
class Allocator {
 public:
  int64_t Take(int64_t count, int64_t bytes) {
    const int64_t offset = size_;
    int64_t total = 0;
    if (!CheckedMul(count, bytes, &total) || !CheckedAdd(size_, total, &total) ||
        total > kTooBig - kAlignment) {
      total = kTooBig;
    }
    size_ = RoundUp(total, kAlignment);
    return offset;
  }
  int64_t size() const { return size_; }

 private:
  static constexpr int64_t kAlignment = static_cast<int64_t>(kBufferAlignment);
  int64_t size_ = 0;
};

}  // namespace

RowsLayout::RowsLayout(const Problem& problem) {
  const int64_t grad_width = problem.grad_width();
  Allocator table;
  row_windows = table.Take(problem.grad_height(), sizeof(Window));
  column_windows = table.Take(grad_width, sizeof(Window));
  divisors[0] = table.Take(grad_width, kFloatBytes);
  divisors[1] = table.Take(grad_width, kFloatBytes);
  Allocator scratch;
  grad_row = scratch.Take(grad_width, kFloatBytes);
  column_sums = scratch.Take(grad_width, kFloatBytes);
  out_row = scratch.Take(problem.width(), kFloatBytes);
  narrowed = problem.out_dtype == ACL_FLOAT
                 ? out_row
                 : scratch.Take(problem.width(), DtypeBytes(problem.out_dtype));
  parts = {table.size(), scratch.size()};
}

PlanesLayout::PlanesLayout(const Problem& problem)
    : method(MethodFor(problem)), whole_plane(HasSmallGradPlanes(problem)) {
  const int64_t grad_height = problem.grad_height();
  const int64_t grad_width = problem.grad_width();
  const int64_t width = problem.width();
  Allocator table;
  row_covers = table.Take(problem.height(), sizeof(Cover));
  has_small_sums = method == ColumnMethod::kTable && whole_plane && problem.height() >= grad_height;
  const bool has_pairs = has_small_sums && problem.out_dtype != ACL_FLOAT;
  const int64_t cells = grad_height * grad_width;  // used if whole_plane
  if (has_pairs) {
    batch = std::max(kGroupCells / cells, int64_t{1});
  }
  if (whole_plane && cells <= kMaxCellsInSlots) slots = 3;
  divisors = table.Take(whole_plane ? batch * cells : 2 * grad_width, kFloatBytes);
  if (method == ColumnMethod::kSum) column_covers = table.Take(width, sizeof(Cover));
  if (method == ColumnMethod::kTable) {
    // Enough for any number of lanes: R is W / lanes rounded up.
    offsets = table.Take(2 * width, kIndexBytes);
    lanes[0] = table.Take(width + kMaxLanes, kIndexBytes);
    lanes[1] = table.Take(width + kMaxLanes, kIndexBytes);
    second_masks = table.Take(width + kMaxLanes, kIndexBytes);
  }
  Allocator scratch;
  quotients_stride = (whole_plane ? batch * cells : 0) + grad_width + 4 * kMaxLanes;
  quotients = scratch.Take(slots * quotients_stride, kFloatBytes);
  gathered = scratch.Take(grad_width, kFloatBytes);
  sums = scratch.Take(grad_width + 4 * kMaxLanes, kFloatBytes);
  float_row = scratch.Take(width + kMaxLanes, kFloatBytes);
  row = scratch.Take(width + kMaxLanes, DtypeBytes(problem.out_dtype));
  if (has_pairs) {
    pairs_stride = batch * cells + kMaxLanes;
    pairs = scratch.Take(slots * 2 * pairs_stride, kFloatBytes);
  }
  parts = {table.size(), scratch.size()};
}

ChannelsLastLayout::ChannelsLastLayout(const Problem& problem) {
  const int64_t channels = problem.out.extents[1];
  Allocator table;
  row_windows = table.Take(problem.grad_height(), sizeof(Window));
  column_windows = table.Take(problem.grad_width(), sizeof(Window));
  column_covers = table.Take(problem.width(), sizeof(Window));
  Allocator scratch;
  pixel = scratch.Take(channels, kFloatBytes);
  int64_t row = 0;
  if (!CheckedMul(problem.grad_width(), channels, &row)) row = kTooBig;
  // Rows that no row of out shares with others need one.
  const bool rows_meet = problem.height() % problem.grad_height() != 0;
  for (size_t i = 0; i < 3; ++i)
    sums[i] = rows_meet || i == 0 ? scratch.Take(row, kFloatBytes) : sums[0];
  parts = {table.size(), scratch.size()};
}

}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
