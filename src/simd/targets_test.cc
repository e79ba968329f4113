#include "simd/targets.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/targets_test.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace HWY_NAMESPACE {

int64_t CompiledFor() { return HWY_TARGET; }

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclnn_cpu {

HWY_EXPORT(CompiledFor);

namespace {

int64_t DispatchedTo() { return ACLNN_CPU_DISPATCH(CompiledFor)(); }

TEST(Targets, UsableOnesAreAmongTheBuiltOnesBestFirst) {
  std::set<int64_t> built;
  for (const Target& target : BuiltTargets()) {
    if (!built.empty()) {
      EXPECT_LT(*built.rbegin(), target.bit);
    }
    EXPECT_TRUE(built.insert(target.bit).second);
    EXPECT_STRNE(target.name, "Unknown");
  }
  ASSERT_FALSE(UsableTargets().empty());
  for (const Target& target : UsableTargets()) EXPECT_EQ(built.count(target.bit), 1u);
#if HWY_ARCH_X86
  EXPECT_STREQ(BuiltTargets().back().name, "scalar");
#endif
}

TEST(Targets, ForcingReachesEveryUsableTarget) {
  for (const Target& target : UsableTargets()) {
    ForceTargetForTest(target);
    EXPECT_EQ(DispatchedTo(), target.bit);
    EXPECT_EQ(CurrentTarget().bit, target.bit);
    EXPECT_STREQ(CurrentTarget().name, target.name);
  }
  ResetTargetForTest();
  EXPECT_EQ(DispatchedTo(), UsableTargets().front().bit);
}

TEST(Targets, ForcingLeavesHighwaysOwnChoiceAlone) {
  ForceTargetForTest(UsableTargets().back());
  EXPECT_EQ(HWY_DYNAMIC_DISPATCH(CompiledFor)(), UsableTargets().front().bit);
  ResetTargetForTest();
}

}  // namespace
}  // namespace aclnn_cpu
#endif  // HWY_ONCE
