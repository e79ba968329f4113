#include "opapi/describe.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "nnopbase/op_registry.h"
#include "opapi/json_text.h"

namespace aclnn_cpu {
namespace {

std::string Describe(const char* topic) {
  std::vector<char> buffer(aclnn_cpu_describe(topic, nullptr, 0));
  EXPECT_EQ(aclnn_cpu_describe(topic, buffer.data(), buffer.size()), buffer.size());
  return buffer.data();
}

TEST(Describe, UnknownTopicTakesNoBytes) { EXPECT_EQ(aclnn_cpu_describe("price", nullptr, 0), 0U); }

TEST(Describe, LeavesABufferAloneThatIsTooSmall) {
  const size_t needed = aclnn_cpu_describe("info", nullptr, 0);
  std::vector<char> buffer(needed - 1, 'x');
  EXPECT_EQ(aclnn_cpu_describe("info", buffer.data(), buffer.size()), needed);
  EXPECT_EQ(buffer, std::vector<char>(needed - 1, 'x'));
}

TEST(Describe, InfoChoosesOneUsableTarget) {
  const nlohmann::json info = nlohmann::json::parse(Describe("info"));
  int chosen = 0;
  for (const nlohmann::json& target : info.at("targets")) {
    if (!target.at("chosen")) continue;
    ++chosen;
    EXPECT_TRUE(target.at("usable"));
  }
  EXPECT_EQ(chosen, 1);
  EXPECT_GE(info.at("threads"), 1);
  EXPECT_GE(info.at("devices"), 1);
}

TEST(Describe, SupportListsEveryRegisteredOperator) {
  const nlohmann::json support = nlohmann::json::parse(Describe("support"));
  ASSERT_EQ(support.at("operators").size(), RegisteredOps().size());
  for (size_t i = 0; i < RegisteredOps().size(); ++i) {
    const OpInfo& info = RegisteredOps()[i].info();
    const nlohmann::json& op = support["operators"][i];
    EXPECT_EQ(op.at("stem"), info.stem);
    EXPECT_EQ(op.at("api"), info.api);
    EXPECT_EQ(op.at("dtypes").size(), info.support.size());
  }
  EXPECT_EQ(support.at("products").size(), static_cast<size_t>(kSocCount));
}

TEST(JsonText, QuotesWhatJsonWantsQuoted) {
  EXPECT_EQ(JsonQuote("a\"b\\c\n\x01"), "\"a\\\"b\\\\c\\u000a\\u0001\"");
  EXPECT_EQ(JsonQuoteOrNull(nullptr), "null");
  EXPECT_EQ(JsonArray(std::vector<const char*>{}, JsonQuote), "[]");
}

TEST(JsonText, KeepsUtf8AndReplacesOtherBytes) {
  EXPECT_EQ(JsonQuote("\xE6\x97\xA5\xF0\x9F\x98\x80"), "\"\xE6\x97\xA5\xF0\x9F\x98\x80\"");
  for (const char* bad : {"\x80", "\xC1", "\xF5", "\xFF"}) {
    EXPECT_EQ(JsonQuote(bad), "\"?\"");
  }
  for (const char* bad :
       {"\xC0\x80", "\xE6\x97", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80"}) {
    const std::string quoted = JsonQuote(bad);
    EXPECT_EQ(quoted, "\"" + std::string(std::string(bad).size(), '?') + "\"");
    EXPECT_TRUE(nlohmann::json::accept(quoted));
  }
}

}  // namespace
}  // namespace aclnn_cpu
