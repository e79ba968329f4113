#include "ascendcl/soc_table.h"

#include <cstring>
#include <iterator>
#include <string>

#include "base/env.h"

namespace aclnn_cpu {
namespace {

constexpr SocFamily kFamilies[] = {
    {Soc::kAscend910, "Ascend910", "Atlas training series", "Ascend910A"},
    {Soc::kAscend910B, "Ascend910B", "Atlas A2 training series, Atlas 800I A2, A200I A2 Box",
     "Ascend910B1"},
    {Soc::kAscend910_93, "Ascend910_93", "Atlas A3 training and inference series",
     "Ascend910_9391"},
    {Soc::kAscend950, "Ascend950", "Ascend 950 series", "Ascend950"},
    {Soc::kAscend910E, "Ascend910E", "Ascend 910E", "Ascend910E"},
    {Soc::kAscend310, "Ascend310", "Ascend 310", "Ascend310"},
    {Soc::kAscend310P, "Ascend310P", "Atlas inference series", "Ascend310P3"},
    {Soc::kAscend310B, "Ascend310B", "Atlas 200I/500 A2 inference products", "Ascend310B1"},
};
static_assert(std::size(kFamilies) == kSocCount);

// Every default_long_name above is one of these.
constexpr SocName kNames[] = {
    {"Ascend910A", Soc::kAscend910},   {"Ascend910B1", Soc::kAscend910B},
    {"Ascend910B2", Soc::kAscend910B}, {"Ascend910B3", Soc::kAscend910B},
    {"Ascend910B4", Soc::kAscend910B}, {"Ascend910_9391", Soc::kAscend910_93},
    {"Ascend950", Soc::kAscend950},    {"Ascend910E", Soc::kAscend910E},
    {"Ascend310", Soc::kAscend310},    {"Ascend310P3", Soc::kAscend310P},
    {"Ascend310B1", Soc::kAscend310B},
};
constexpr const SocName& kDefault = kNames[1];

// The earlier name of Ascend950.
constexpr const char* kAlias950 = "Ascend910_95";

const SocName* Lookup(const char* name) {
  for (const SocName& row : kNames) {
    if (std::strcmp(name, row.long_name) == 0) return &row;
  }
  for (const SocFamily& family : kFamilies) {
    if (std::strcmp(name, family.short_name) == 0) return Lookup(family.default_long_name);
  }
  return std::strcmp(name, kAlias950) == 0 ? Lookup("Ascend950") : nullptr;
}

std::string AllNames() {
  std::string names = kAlias950;
  for (const SocFamily& family : kFamilies) names.append(", ").append(family.short_name);
  for (const SocName& row : kNames) {
    if (names.find(row.long_name) == std::string::npos) names.append(", ").append(row.long_name);
  }
  return names;
}

const SocName& FromEnvironment() {
  const char* const name = EnvText(EnvVar::kSoc);
  if (name == nullptr) return kDefault;
  if (const SocName* const row = Lookup(name)) return *row;
  RejectEnv(EnvVar::kSoc, AllNames());
  return kDefault;
}

}  // namespace

namespace soc_internal {

constinit std::atomic<const SocName*> current{nullptr};

// Two threads may both come here; they find the same.
const SocName* Read() {
  const SocName* const row = &FromEnvironment();
  current.store(row, std::memory_order_release);
  return row;
}

}  // namespace soc_internal

std::span<const SocFamily> SocFamilies() { return kFamilies; }

std::span<const SocName> SocNames() { return kNames; }

void ForceSocForTest(const char* long_name) {
  soc_internal::current.store(long_name == nullptr ? nullptr : Lookup(long_name),
                              std::memory_order_release);
}

}  // namespace aclnn_cpu
