// Every case of tests/data/public-reports.json: what users reported about these operators, as exact
// inputs and outcomes. The program uses the library as a user does, through the public headers and
// CANN's library names.

#include <gtest/gtest.h>

#include <set>

#include "api_scenarios.h"
#include "op_check.h"

namespace conformance {
namespace {

constexpr size_t kCases = 96;

std::set<std::string>& IdsRun() {
  static std::set<std::string> ids;
  return ids;
}

class PublicReports : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&stream_), ACL_SUCCESS);
  }

  void TearDown() override {
    EXPECT_EQ(aclrtDestroyStream(stream_), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  }

  aclrtStream stream_ = nullptr;
};

TEST_P(PublicReports, HasTheExpectedOutcome) {
  const Json& json = CaseNamed(GetParam());
  SCOPED_TRACE(json.value("note", json.at("kind").get<std::string>()));
  if (json.at("op") == "api") {
    Expectation expected(json.at("expected"));
    ASSERT_TRUE(RunApiScenario(GetParam(), &expected, stream_))
        << "the runner does not know the scenario " << json.at("args").dump();
    EXPECT_TRUE(expected.AllRead()) << "the scenario leaves out a part of " << json.at("expected");
  } else {
    CheckOpCase(ParseOpCase(json), stream_);
  }
  IdsRun().insert(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Case, PublicReports, testing::ValuesIn(AllCaseIds()),
                         [](const auto& parameter) { return parameter.param; });

TEST(PublicReportsFile, HasOneTestForEachOfItsCases) {
  const std::vector<std::string> ids = AllCaseIds();
  EXPECT_EQ(ids.size(), kCases);
  std::set<std::string> tests;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int k = 0; k < suite.total_test_count(); ++k) {
      tests.insert(suite.GetTestInfo(k)->name());
    }
  }
  for (const std::string& id : ids) {
    EXPECT_EQ(tests.count("HasTheExpectedOutcome/" + id), 1U) << id;
  }
  EXPECT_EQ(tests.size(), kCases + 1);
}

// Where all tests run in one process, checks at the end that every case was reached.
class AllRan : public testing::Environment {
 public:
  void TearDown() override {
    if (testing::GTEST_FLAG(filter) == "*") {
      EXPECT_EQ(IdsRun().size(), kCases);
    }
  }
};

}  // namespace
}  // namespace conformance

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--run-case") {
    return conformance::ChildMain(argv[2]);
  }
  testing::InitGoogleTest(&argc, argv);
  testing::AddGlobalTestEnvironment(new conformance::AllRan);
  return RUN_ALL_TESTS();
}
