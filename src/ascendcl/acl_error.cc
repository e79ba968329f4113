#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "acl/acl.h"
#include "ascendcl/api_call.h"
#include "ascendcl/runtime.h"
#include "base/log.h"
#include "base/time_text.h"

namespace aclnn_cpu {
namespace {

constexpr size_t kTextCapacity = 4096;

// Plain data without a destructor: calls may fail in static destructors, when objects with one are
// gone already.
struct ThreadErrors {
  int32_t last_code;          // of aclrt functions
  uint32_t length;            // of `text`, without the closing zero
  char text[kTextCapacity];   // collected since the last aclGetRecentErrMsg
  char given[kTextCapacity];  // what aclGetRecentErrMsg has returned
};
constinit thread_local ThreadErrors thread_errors{};

// The words that people search for, by the first digit of the code.
struct ErrorClass {
  char first_digit;
  std::string_view aclnn_title;  // codes 161xxx, 361xxx, 561xxx
  std::string_view acl_title;    // all others
};
constexpr ErrorClass kErrorClasses[] = {
    {'1', "AclNN_Parameter_Error(EZ1001)", "AscendCL_Parameter_Error(EE1001)"},
    {'2', "AclNN_Resource_Error(EZ9999)", "AscendCL_Resource_Error(EL0004)"},
    {'3', "AclNN_Runtime_Error(EZ9903)", "AscendCL_Resource_Error(EL0004)"},
    {'5', "AclNN_Inner_Error(EZ9999)", "AscendCL_Inner_Error(EE9999)"},
};

std::string_view TitleOf(int32_t code) {
  const auto digit = static_cast<char>('0' + code / 100'000 % 10);
  const bool is_aclnn = code / 1000 % 100 == 61;
  const auto found = std::find_if(std::begin(kErrorClasses), std::end(kErrorClasses),
                                  [&](const ErrorClass& row) { return row.first_digit == digit; });
  const ErrorClass& row = found == std::end(kErrorClasses) ? kErrorClasses[3] : *found;
  return is_aclnn ? row.aclnn_title : row.acl_title;
}

LogModule ModuleOf(std::string_view api) {
  if (api.starts_with("aclrt")) return LogModule::kRuntime;
  return api.starts_with("aclnn") ? LogModule::kOp : LogModule::kAscendCl;
}

// Appends one line; what does not fit is cut off, so that the first cause stays.
void AppendText(int32_t code, std::string_view api, std::string_view message) {
  ThreadErrors& errors = thread_errors;
  const size_t room = kTextCapacity - 1 - errors.length;
  const auto end = fmt::format_to_n(errors.text + errors.length, room, "{}[PID: {}] {} {}: {}: {}",
                                    errors.length == 0 ? "" : "\n", getpid(), TimeNow(0).data(),
                                    TitleOf(code), api, message);
  errors.length += static_cast<uint32_t>(std::min(end.size, room));
  errors.text[errors.length] = '\0';
}

Status CheckLevel(aclrtLastErrLevel level) {
  if (level == ACL_RT_THREAD_LEVEL) return Status();
  FAIL(ACL_ERROR_INVALID_PARAM, "level is {}, must be ACL_RT_THREAD_LEVEL (0)",
       static_cast<int>(level));
}

}  // namespace

int32_t ReportCode(const char* api, int32_t code, const char* message) noexcept {
  const std::string_view name(api);
  if (name.starts_with("aclrt")) thread_errors.last_code = code;
  try {
    AppendText(code, name, message);
    Log(ModuleOf(name), LogLevel::kError, "{} returns {}: {}", name, code, message);
  } catch (...) {
    // The text is lost, the code is not.
  }
  return code;
}

int32_t ReportStatus(const char* api, const Status& status) noexcept {
  return ReportCode(api, status.code(), status.message().data());
}

}  // namespace aclnn_cpu

using aclnn_cpu::AclCall;
using aclnn_cpu::thread_errors;

const char* aclGetRecentErrMsg(void) {
  aclnn_cpu::ThreadErrors& errors = thread_errors;
  if (errors.length == 0) return nullptr;
  std::memcpy(errors.given, errors.text, errors.length + 1);
  errors.length = 0;
  return errors.given;
}

aclError aclrtGetLastError(aclrtLastErrLevel level) {
  const aclError wrong_level =
      AclCall("aclrtGetLastError", [&] { return aclnn_cpu::CheckLevel(level); });
  if (wrong_level != ACL_SUCCESS) return wrong_level;
  const aclError code = thread_errors.last_code;
  thread_errors.last_code = ACL_SUCCESS;
  return code;
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level) {
  const aclError wrong_level =
      AclCall("aclrtPeekAtLastError", [&] { return aclnn_cpu::CheckLevel(level); });
  return wrong_level != ACL_SUCCESS ? wrong_level : thread_errors.last_code;
}
