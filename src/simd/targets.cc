#include "simd/targets.h"

#include <cstring>
#include <string>
#include <vector>

#include "base/env.h"

namespace aclnn_cpu {
namespace {

// Highway's names in capitals are for developers; these are the ones users write. The two fallbacks
// without vector instructions share a name: a compiler builds one of them.
struct Name {
  int64_t bit;
  const char* name;
};
constexpr Name kNames[] = {
    {HWY_SCALAR, "scalar"}, {HWY_EMU128, "scalar"},
#if HWY_ARCH_X86
    {HWY_SSSE3, "ssse3"},   {HWY_SSE4, "sse4"},       {HWY_AVX2, "avx2"},
    {HWY_AVX3, "avx3"},     {HWY_AVX3_DL, "avx3_dl"},
#elif HWY_ARCH_ARM
    {HWY_NEON, "neon"},       {HWY_SVE, "sve"},           {HWY_SVE2, "sve2"},
    {HWY_SVE_256, "sve_256"}, {HWY_SVE2_128, "sve2_128"},
#endif
};

// The index into dispatch tables, once chosen.
constinit hwy::ChosenTarget g_chosen;

const char* NameOf(int64_t bit) {
  for (const Name& row : kNames) {
    if (row.bit == bit) return row.name;
  }
  return hwy::TargetName(bit);
}

std::vector<Target> TargetsIn(int64_t mask) {
  std::vector<Target> targets;
  for (; mask != 0; mask &= mask - 1) {  // a lower bit is a better target
    const int64_t bit = mask & -mask;
    targets.push_back({NameOf(bit), bit});
  }
  return targets;
}

// The bits among which the best one is used.
int64_t ChooseBits() {
  const std::vector<Target> usable = UsableTargets();
  int64_t all = 0;
  for (const Target& target : usable) all |= target.bit;
  const char* wanted = EnvText(EnvVar::kTarget);
  if (wanted == nullptr) return all;
  std::string names;
  for (const Target& target : usable) {
    if (std::strcmp(target.name, wanted) == 0) return target.bit;
    names += (names.empty() ? "" : ", ") + std::string(target.name);
  }
  RejectEnv(EnvVar::kTarget, "one of " + names + " (the targets built in that this CPU can run)");
  return all;
}

}  // namespace

hwy::ChosenTarget& ChosenTarget() {
  // Two threads may choose at once; they choose the same.
  if (!g_chosen.IsInitialized()) g_chosen.Update(ChooseBits());
  return g_chosen;
}

std::vector<Target> BuiltTargets() { return TargetsIn(HWY_TARGETS); }

std::vector<Target> UsableTargets() { return TargetsIn(HWY_TARGETS & HWY_SUPPORTED_TARGETS); }

Target CurrentTarget() {
  const size_t index = ChosenTarget().GetIndex();
  const std::vector<Target> built = BuiltTargets();
  for (const Target& target : built) {
    hwy::ChosenTarget only;
    only.Update(target.bit);
    if (only.GetIndex() == index) return target;
  }
  return built.back();
}

void ForceTargetForTest(Target target) { g_chosen.Update(target.bit); }

void ResetTargetForTest() { g_chosen.DeInit(); }

}  // namespace aclnn_cpu
