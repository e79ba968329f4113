// Products: contract.md section 6.

#include "ascendcl/soc_table.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/child_for_test.h"

namespace aclnn_cpu {
namespace {

// How the product is chosen is read once per process, so each choice needs a process of its own.
std::string NameFor(const char* setting) {
  return OutputOfChild({{"ACLNN_CPU_SOC", setting}}, [] {
    std::printf("%s %d", CurrentSocName(), static_cast<int>(CurrentSoc()));
  });
}

TEST(SocTable, FamiliesStandInEnumOrder) {
  ASSERT_EQ(SocFamilies().size(), static_cast<size_t>(kSocCount));
  for (size_t i = 0; i < SocFamilies().size(); ++i)
    EXPECT_EQ(static_cast<size_t>(SocFamilies()[i].soc), i);
}

TEST(SocTable, LongNamesAreAccepted) {
  EXPECT_EQ(NameFor("Ascend910A"), "Ascend910A 0");
  for (const char* name : {"Ascend910B1", "Ascend910B2", "Ascend910B3", "Ascend910B4"})
    EXPECT_EQ(NameFor(name), std::string(name) + " 1");
  EXPECT_EQ(NameFor("Ascend910_9391"), "Ascend910_9391 2");
  EXPECT_EQ(NameFor("Ascend310P3"), "Ascend310P3 6");
  EXPECT_EQ(NameFor("Ascend310B1"), "Ascend310B1 7");
}

TEST(SocTable, ShortNamesStandForAProductOfTheFamily) {
  EXPECT_EQ(NameFor("Ascend910"), "Ascend910A 0");
  EXPECT_EQ(NameFor("Ascend910B"), "Ascend910B1 1");
  EXPECT_EQ(NameFor("Ascend910_93"), "Ascend910_9391 2");
  EXPECT_EQ(NameFor("Ascend950"), "Ascend950 3");
  EXPECT_EQ(NameFor("Ascend910_95"), "Ascend950 3");
  EXPECT_EQ(NameFor("Ascend910E"), "Ascend910E 4");
  EXPECT_EQ(NameFor("Ascend310"), "Ascend310 5");
  EXPECT_EQ(NameFor("Ascend310P"), "Ascend310P3 6");
  EXPECT_EQ(NameFor("Ascend310B"), "Ascend310B1 7");
}

TEST(SocTable, OtherNamesCountAsUnset) {
  for (const char* name : {"", "ascend910b1", "Ascend910B5", "Ascend910B1 ", "x"})
    EXPECT_EQ(NameFor(name), "Ascend910B1 1") << name;
}

TEST(SocTable, WrongNameIsLoggedWithTheNamesAllowed) {
  const std::string log = OutputOfChild({{"ACLNN_CPU_SOC", "Ascend999"},
                                         {"ASCEND_LOG_PRINT_TO_STDOUT", "1"},
                                         {"ASCEND_GLOBAL_LOG_LEVEL", "2"}},
                                        [] { CurrentSoc(); });
  EXPECT_NE(log.find("Ascend999"), std::string::npos) << log;
  for (const char* name : {"Ascend910_95", "Ascend910B4", "Ascend310P3", "Ascend910E"})
    EXPECT_NE(log.find(name), std::string::npos) << name;
}

TEST(SocTable, EveryFamilyHasALongNameOfItsOwn) {
  std::set<Soc> named;
  for (const SocName& row : SocNames()) named.insert(row.soc);
  EXPECT_EQ(named.size(), static_cast<size_t>(kSocCount));
}

TEST(SocTable, TestsCanPretendEachProduct) {
  for (const SocName& row : SocNames()) {
    ForceSocForTest(row.long_name);
    EXPECT_EQ(CurrentSoc(), row.soc);
    EXPECT_STREQ(CurrentSocName(), row.long_name);
  }
  ForceSocForTest(nullptr);
  EXPECT_EQ(CurrentSoc(), Soc::kAscend910B);
}

}  // namespace
}  // namespace aclnn_cpu
