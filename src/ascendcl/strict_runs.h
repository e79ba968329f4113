#ifndef ACLNN_CPU_ASCENDCL_STRICT_RUNS_H_
#define ACLNN_CPU_ASCENDCL_STRICT_RUNS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "ascendcl/work.h"

namespace aclnn_cpu {

// Bytes of memory by address.
struct AddressRange {
  uintptr_t begin = 0;
  uintptr_t end = 0;
};

// From the lowest to the highest byte that an access touches; nullopt for an empty view or bounds
// that do not fit in int64.
std::optional<AddressRange> BoundsOf(const MemoryAccess& access);

// Views in more pieces than this are not taken apart.
inline constexpr int64_t kMostRuns = 4096;

// The contiguous pieces of an access, ascending, neighbours merged; nullopt if there are too many
// or none.
std::optional<std::vector<AddressRange>> RunsOf(const MemoryAccess& access);

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_ASCENDCL_STRICT_RUNS_H_
