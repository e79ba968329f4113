// ACLNN_CPU_TARGET is read once per process, so each test asks in a child and the parent never
// does.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "base/child_for_test.h"
#include "simd/targets.h"

namespace aclnn_cpu {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

std::string ChosenWith(const char* value) {
  const Settings settings = {{"ACLNN_CPU_TARGET", value},
                             {"ASCEND_GLOBAL_LOG_LEVEL", "2"},
                             {"ASCEND_LOG_PRINT_TO_STDOUT", "1"}};
  return OutputOfChild(settings, [] {
    std::printf("%s", CurrentTarget().name);
    CurrentTarget();  // a bad value is reported once
  });
}

TEST(TargetsEnvironment, UnsetChoosesTheBest) {
  EXPECT_EQ(OutputOfChild({}, [] { std::printf("%s", CurrentTarget().name); }),
            UsableTargets().front().name);
}

TEST(TargetsEnvironment, ChoosesByName) {
  for (const Target& target : UsableTargets()) EXPECT_EQ(ChosenWith(target.name), target.name);
}

TEST(TargetsEnvironment, UnknownOrUnusableNameIsRejectedForTheBest) {
  const std::string best = UsableTargets().front().name;
  for (const std::string bad : {"avx9", "AVX2", "avx2,sse4", "neon64"}) {
    const std::string output = ChosenWith(bad.c_str());
    EXPECT_THAT(output, HasSubstr("ACLNN_CPU_TARGET is \"" + bad + "\", must be one of " + best));
    EXPECT_THAT(output, EndsWith("\n" + best));
    EXPECT_EQ(output.find("ACLNN_CPU_TARGET"), output.rfind("ACLNN_CPU_TARGET")) << output;
  }
}

}  // namespace
}  // namespace aclnn_cpu
