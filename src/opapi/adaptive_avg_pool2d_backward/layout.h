#ifndef ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_LAYOUT_H_
#define ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_LAYOUT_H_

#include <cstdint>

#include "opapi/adaptive_avg_pool2d_backward/problem.h"

// What each kernel variant keeps in the workspace. All members are offsets in bytes, from the start
// of the workspace for tables and from the start of a slot's own part for scratch; all are
// multiples of 64. Tables are written once per run, scratch by the block that has the slot.

namespace aclnn_cpu::adaptive_avg_pool2d_backward {

// Upper limit of float lanes in a vector on any target; reads of buffers that are padded by this
// many elements may go past their end.
inline constexpr int64_t kMaxLanes = 64;

// Offsets from here on mean that the workspace cannot be addressed.
inline constexpr int64_t kTooBig = int64_t{1} << 62;

struct WorkspaceParts {
  int64_t tables = 0;       // bytes of all tables
  int64_t slot_stride = 0;  // bytes of a slot's scratch; slot s starts at tables + s * this
};

struct RowsLayout {
  WorkspaceParts parts;
  int64_t row_windows = 0;     // Window[gradH]: rows of out that a row of gradOutput spreads over
  int64_t column_windows = 0;  // Window[gradW]: the same for columns
  int64_t divisors[2] = {};    // float[gradW]: window areas for the two window heights
  int64_t grad_row = 0;        // float[gradW]: a row of gradOutput, widened or gathered
  int64_t column_sums = 0;     // float[gradW]: sums over the window rows
  int64_t out_row = 0;         // float[W]: a finished row
  int64_t narrowed = 0;        // out's dtype[W]: the row as it is stored; = out_row for float

  explicit RowsLayout(const Problem& problem);
};

// As Window, for extents below kMaxIndexedExtent.
struct Cover {
  int32_t begin;
  int32_t end;
};
inline bool SameCover(Cover a, Cover b) { return a.begin == b.begin && a.end == b.end; }
inline constexpr int64_t kMaxIndexedExtent = int64_t{1} << 30;

// How the variant "planes" spreads a row of sums over the columns of out.
enum class ColumnMethod {
  kSum,       // W < gradW: each column sums its own
  kDiagonal,  // W a little more than gradW: mostly a sum of neighbours
  kTable,     // W >= gradW: a permutation per vector, looked up
};

struct PlanesLayout {
  WorkspaceParts parts;
  ColumnMethod method = ColumnMethod::kTable;
  // Whole planes and no element of out under more than two rows or two columns of gradOutput.
  bool has_small_sums = false;
  bool whole_plane = false;   // quotients are computed for a plane at once, else for a row
  int64_t row_covers = 0;     // Cover[H]: rows of gradOutput over each row of out
  int64_t divisors = 0;       // float[batch][gradH][gradW] for whole planes, else float[2][gradW]
  int64_t column_covers = 0;  // kSum: Cover[W], columns of gradOutput over each column of out
  // kTable, with R vectors in a row of out:
  int64_t offsets = 0;       // int32[R][2]: where in the sums a vector's two addends start
  int64_t lanes[2] = {};     // int32[R][lanes]: the element after that for each lane
  int64_t second_masks = 0;  // int32[R][lanes]: all bits set where there is a second addend
  // Scratch:
  int64_t quotients = 0;  // float[slots][batch][gradH][gradW] for whole planes, else float[gradW];
                          // a row more in each slot, padded
  int64_t gathered = 0;   // float[gradW]
  int64_t sums = 0;       // float[gradW], padded
  int64_t float_row = 0;  // float[W], padded
  int64_t row = 0;        // out's dtype[W], padded
  // Quotients are computed for some planes ahead, `slots` with the one at work: or groups of
  // `batch` planes, of 16-bit types with has_small_sums.
  int64_t batch = 1;
  int64_t slots = 1;
  int64_t quotients_stride = 0;  // floats from slot to slot
  int64_t pairs_stride = 0;      // words of each of the two arrays of pairs of a slot; 0: no pairs
  int64_t pairs = 0;             // uint32[slots][2][pairs_stride]

  explicit PlanesLayout(const Problem& problem);
};

struct ChannelsLastLayout {
  WorkspaceParts parts;
  int64_t row_windows = 0;     // Window[gradH]
  int64_t column_windows = 0;  // Window[gradW]
  int64_t column_covers = 0;   // Window[W]: columns of gradOutput over each column of out
  int64_t pixel = 0;           // float[C]: a pixel of gradOutput, widened or gathered
  // Each float[gradW][C], for sums over rows of gradOutput; the same one where one is enough.
  int64_t sums[3] = {};

  explicit ChannelsLastLayout(const Problem& problem);
};

}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward

#endif  // ACLNN_CPU_OPAPI_ADAPTIVE_AVG_POOL2D_BACKWARD_LAYOUT_H_
