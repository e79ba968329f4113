#ifndef ACLNN_CPU_ASCENDCL_SOC_TABLE_H_
#define ACLNN_CPU_ASCENDCL_SOC_TABLE_H_

#include <atomic>
#include <cstdint>
#include <span>

namespace aclnn_cpu {

// Product families in CANN's own order, which its range checks rely on.
enum class Soc : int {
  kAscend910 = 0,
  kAscend910B = 1,
  kAscend910_93 = 2,
  kAscend950 = 3,
  kAscend910E = 4,
  kAscend310 = 5,
  kAscend310P = 6,
  kAscend310B = 7,
};
inline constexpr int kSocCount = 8;

// A set of families: one bit each.
using SocSet = uint32_t;
constexpr SocSet SocBit(Soc soc) { return SocSet{1} << static_cast<int>(soc); }
inline constexpr SocSet kAllSocs = (SocSet{1} << kSocCount) - 1;

struct SocFamily {
  Soc soc;
  const char* short_name;      // "Ascend910B"
  const char* marketing_name;  // "Atlas A2 training / inference series"
  const char*
      default_long_name;  // what aclrtGetSocName reports when ACLNN_CPU_SOC names the family
};

struct SocName {
  const char* long_name;  // "Ascend910B1"
  Soc soc;
};

std::span<const SocFamily> SocFamilies();  // in enum order
std::span<const SocName>
SocNames();  // the exact names that ACLNN_CPU_SOC accepts, besides the short ones

namespace soc_internal {
extern constinit std::atomic<const SocName*> current;  // null: the environment was not read yet
const SocName* Read();
}  // namespace soc_internal

// The product this process pretends to run on: ACLNN_CPU_SOC, default Ascend910B1.
inline const SocName& CurrentSocRow() {
  const SocName* const row = soc_internal::current.load(std::memory_order_acquire);
  return row != nullptr ? *row : *soc_internal::Read();
}
inline Soc CurrentSoc() { return CurrentSocRow().soc; }
inline const char* CurrentSocName() { return CurrentSocRow().long_name; }

// For tests: pretends to be `long_name` (one of SocNames()); nullptr restores the environment's
// choice.
void ForceSocForTest(const char* long_name);

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_ASCENDCL_SOC_TABLE_H_
