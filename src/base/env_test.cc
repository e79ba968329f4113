#include "base/env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cinttypes>
#include <set>
#include <string>

#include "base/child_for_test.h"

namespace aclnn_cpu {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// The number a child sees, or -1 for unset.
std::string NumberSeen(EnvVar variable, const char* name, const char* value) {
  return OutputOfChild({{name, value}}, [=] { std::printf("%" PRId64, EnvNumber(variable, -1)); });
}

TEST(Env, NumbersInRangeAreAccepted) {
  EXPECT_EQ(NumberSeen(EnvVar::kNumThreads, "ACLNN_CPU_NUM_THREADS", "1"), "1");
  EXPECT_EQ(NumberSeen(EnvVar::kNumThreads, "ACLNN_CPU_NUM_THREADS", "1024"), "1024");
  EXPECT_EQ(NumberSeen(EnvVar::kDevices, "ACLNN_CPU_DEVICES", "64"), "64");
  EXPECT_EQ(NumberSeen(EnvVar::kPoolPlacement, "ACLNN_CPU_POOL_PLACEMENT", "0"), "0");
  EXPECT_EQ(NumberSeen(EnvVar::kGlobalLogLevel, "ASCEND_GLOBAL_LOG_LEVEL", "4"), "4");
}

TEST(Env, BadNumbersCountAsUnset) {
  for (const char* bad :
       {"0", "1025", "-1", "2x", "x", " 2", "2 ", "1.5", "+2", "0x2", "99999999999999999999"}) {
    EXPECT_EQ(NumberSeen(EnvVar::kNumThreads, "ACLNN_CPU_NUM_THREADS", bad), "-1") << bad;
  }
  EXPECT_EQ(NumberSeen(EnvVar::kDevices, "ACLNN_CPU_DEVICES", "65"), "-1");
  EXPECT_EQ(NumberSeen(EnvVar::kPoolPlacement, "ACLNN_CPU_POOL_PLACEMENT", "2"), "-1");
  EXPECT_EQ(NumberSeen(EnvVar::kGlobalLogLevel, "ASCEND_GLOBAL_LOG_LEVEL", "5"), "-1");
}

TEST(Env, EmptyTextIsUnset) {
  EXPECT_EQ(NumberSeen(EnvVar::kNumThreads, "ACLNN_CPU_NUM_THREADS", ""), "-1");
  EXPECT_EQ(OutputOfChild({{"ACLNN_CPU_SOC", ""}, {"ASCEND_LOG_PRINT_TO_STDOUT", "1"}},
                          [] { std::printf("%d", EnvText(EnvVar::kSoc) == nullptr); }),
            "1");
}

TEST(Env, TextIsKeptThoughTheEnvironmentChanges) {
  const std::string output = OutputOfChild({{"ACLNN_CPU_SOC", "Ascend310P"}}, [] {
    const char* text = EnvText(EnvVar::kSoc);
    setenv("ACLNN_CPU_SOC", "something else that is longer", 1);
    unsetenv("ACLNN_CPU_SOC");
    std::printf("%s %s", text, EnvText(EnvVar::kSoc));
  });
  EXPECT_EQ(output, "Ascend310P Ascend310P");
}

TEST(Env, TextVariablesHaveNoNumber) {
  EXPECT_EQ(NumberSeen(EnvVar::kSoc, "ACLNN_CPU_SOC", "7"), "-1");
}

TEST(Env, BadValueIsLoggedOnce) {
  const Settings settings = {{"ACLNN_CPU_NUM_THREADS", "many"},
                             {"ASCEND_LOG_PRINT_TO_STDOUT", "1"},
                             {"ASCEND_GLOBAL_LOG_LEVEL", "2"}};
  const std::string output = OutputOfChild(settings, [] {
    EnvNumber(EnvVar::kNumThreads, 0);
    EnvNumber(EnvVar::kNumThreads, 0);
    EnvText(EnvVar::kSoc);
  });
  EXPECT_THAT(output, AllOf(StartsWith("[WARNING] ASCENDCL("),
                            HasSubstr("ACLNN_CPU_NUM_THREADS is \"many\", must be"),
                            HasSubstr("1 to 1024")));
  EXPECT_EQ(output.find('\n'), output.size() - 1) << output;
}

TEST(Env, RejectedValueCountsAsUnsetAndIsLoggedOnce) {
  const Settings settings = {{"ACLNN_CPU_SOC", "Ascend1"},
                             {"ASCEND_LOG_PRINT_TO_STDOUT", "1"},
                             {"ASCEND_GLOBAL_LOG_LEVEL", "2"}};
  const std::string output = OutputOfChild(settings, [] {
    RejectEnv(EnvVar::kSoc, "Ascend910B1 or Ascend310P3");
    RejectEnv(EnvVar::kSoc, "Ascend910B1 or Ascend310P3");
    RejectEnv(EnvVar::kTarget, "never logged, because it is not set");
    const EnvRow row = EnvRowOf(EnvVar::kSoc);
    std::printf("%d %s %d\n", EnvText(EnvVar::kSoc) == nullptr, row.value, row.accepted);
  });
  EXPECT_THAT(output,
              HasSubstr("ACLNN_CPU_SOC is \"Ascend1\", must be Ascend910B1 or Ascend310P3"));
  EXPECT_THAT(output, HasSubstr("\n1 Ascend1 0\n"));
  EXPECT_EQ(std::count(output.begin(), output.end(), '\n'), 2) << output;
}

TEST(Env, EveryRowIsDescribedAndNamedOnce) {
  std::set<std::string> names;
  for (int i = 0; i < static_cast<int>(EnvVar::kCount); ++i) {
    const EnvRow row = EnvRowOf(static_cast<EnvVar>(i));
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_THAT(std::string(row.name),
                ::testing::AnyOf(StartsWith("ACLNN_CPU_"), StartsWith("ASCEND_")));
    EXPECT_STRNE(row.meaning, "");
    EXPECT_STRNE(row.fallback, "");
  }
}

}  // namespace
}  // namespace aclnn_cpu
