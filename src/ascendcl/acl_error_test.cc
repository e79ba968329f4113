// What a failed call leaves behind: contract.md 5.3, row "aclGetRecentErrMsg", and the last error.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "acl/acl.h"
#include "ascendcl/api_call.h"

namespace aclnn_cpu {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ErrorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    aclGetRecentErrMsg();
    aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  }
};

TEST_F(ErrorTest, NothingRecordedGivesNull) { EXPECT_EQ(aclGetRecentErrMsg(), nullptr); }

TEST_F(ErrorTest, TextHasHeaderTitleCallAndCause) {
  EXPECT_EQ(aclrtFree(nullptr), ACL_ERROR_INVALID_PARAM);
  const char* const text = aclGetRecentErrMsg();
  ASSERT_NE(text, nullptr);
  EXPECT_THAT(text, StartsWith("[PID: " + std::to_string(getpid()) + "] "));
  EXPECT_THAT(text, ContainsRegex("\\] [0-9]+-[0-9][0-9]-[0-9][0-9]-[0-9][0-9]:[0-9][0-9]:[0-9]"
                                  "[0-9]\\.[0-9][0-9][0-9]\\.[0-9][0-9][0-9] AscendCL_Parameter_"
                                  "Error\\(EE1001\\): aclrtFree: devPtr is null"));
}

TEST_F(ErrorTest, TitleFollowsTheClassOfTheCode) {
  const struct {
    int32_t code;
    const char* title;
  } kRows[] = {
      {161001, "AclNN_Parameter_Error(EZ1001): "},    {161002, "AclNN_Parameter_Error(EZ1001): "},
      {361001, "AclNN_Runtime_Error(EZ9903): "},      {561103, "AclNN_Inner_Error(EZ9999): "},
      {100000, "AscendCL_Parameter_Error(EE1001): "}, {107017, "AscendCL_Parameter_Error(EE1001)"},
      {207001, "AscendCL_Resource_Error(EL0004): "},  {507046, "AscendCL_Inner_Error(EE9999): "},
      {148046, "AscendCL_Parameter_Error(EE1001): "}, {500000, "AscendCL_Inner_Error(EE9999): "},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(ReportCode("anyCall", row.code, "words"), row.code);
    EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr(row.title)) << row.code;
  }
}

TEST_F(ErrorTest, ReadingClears) {
  aclrtFree(nullptr);
  EXPECT_NE(aclGetRecentErrMsg(), nullptr);
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

TEST_F(ErrorTest, LaterSuccessDoesNotClear) {
  aclrtFree(nullptr);
  uint32_t count = 0;
  EXPECT_EQ(aclrtGetDeviceCount(&count), ACL_SUCCESS);
  EXPECT_NE(aclGetRecentErrMsg(), nullptr);
}

TEST_F(ErrorTest, CollectsFirstCauseFirst) {
  aclrtFree(nullptr);
  aclrtFreeHost(nullptr);
  const std::string text = aclGetRecentErrMsg();
  const size_t first = text.find("aclrtFree:");
  const size_t second = text.find("aclrtFreeHost:");
  ASSERT_NE(first, std::string::npos);
  ASSERT_NE(second, std::string::npos);
  EXPECT_LT(first, second);
}

TEST_F(ErrorTest, KeepsTheFirstCauseWhenThereIsNoRoomForMore) {
  ReportCode("firstCall", 100000, "the cause");
  const std::string long_words(3000, 'x');
  for (int i = 0; i < 5; ++i) ReportCode("laterCall", 100000, long_words.c_str());
  const std::string text = aclGetRecentErrMsg();
  EXPECT_THAT(text, HasSubstr("firstCall: the cause"));
  EXPECT_LT(text.size(), 5000u);
  ReportCode("freshCall", 100000, "room again");
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("freshCall: room again"));
}

TEST_F(ErrorTest, PointerStaysValidWhileOtherCallsFail) {
  aclrtFree(nullptr);
  const char* const text = aclGetRecentErrMsg();
  const std::string copy = text;
  for (int i = 0; i < 10; ++i) aclrtFreeHost(nullptr);
  EXPECT_EQ(text, copy);
}

TEST_F(ErrorTest, EachThreadHasItsOwn) {
  aclrtFree(nullptr);
  std::thread([] {
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
    EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
    aclrtFreeHost(nullptr);
  }).join();
  EXPECT_THAT(aclGetRecentErrMsg(), ::testing::Not(HasSubstr("aclrtFreeHost")));
}

TEST_F(ErrorTest, LastErrorIsThatOfTheLatestFailedRuntimeCall) {
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtSetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID);
  uint32_t count = 0;
  EXPECT_EQ(aclrtGetDeviceCount(&count), ACL_SUCCESS);  // success changes nothing
  ReportCode("aclnnSomething", 161001, "not a runtime call");
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
}

TEST_F(ErrorTest, LastErrorKnowsOneLevel) {
  const auto level = static_cast<aclrtLastErrLevel>(1);
  EXPECT_EQ(aclrtGetLastError(level), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtPeekAtLastError(level), ACL_ERROR_INVALID_PARAM);
}

TEST_F(ErrorTest, ExceptionsBecomeCodes) {
  const auto out_of_memory = []() -> Status { throw std::bad_alloc(); };
  const auto fault = []() -> Status { throw std::logic_error("a fault"); };
  const auto odd = []() -> Status { throw 1; };
  EXPECT_EQ(AclCall("aclrtX", out_of_memory), 207001);
  EXPECT_EQ(AclCall("aclrtX", fault), 500000);
  EXPECT_EQ(AclCall("aclrtX", odd), 500000);
  EXPECT_EQ(AclnnCall("aclnnX", out_of_memory), 561000);
  EXPECT_EQ(AclnnCall("aclnnX", fault), 561000);
  EXPECT_EQ(AclnnCall("aclnnX", odd), 561000);
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("a fault"));
}

}  // namespace
}  // namespace aclnn_cpu
