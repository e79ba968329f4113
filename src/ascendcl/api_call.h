#ifndef ACLNN_CPU_ASCENDCL_API_CALL_H_
#define ACLNN_CPU_ASCENDCL_API_CALL_H_

#include <cstdint>
#include <exception>
#include <new>

#include "base/status.h"

namespace aclnn_cpu {

// The C border. Nothing below returns a code to a caller in any other way.

// Turns a failed `status` of the call `api` into the code for the caller: records the text for
// aclGetRecentErrMsg, the code for aclrtGetLastError, and logs. Success records and clears nothing.
// Never throws.
int32_t ReportStatus(const char* api, const Status& status) noexcept;
// The same where no memory is left to hold a message.
int32_t ReportCode(const char* api, int32_t code, const char* message) noexcept;

template <typename Body>
int32_t CallWithCodes(const char* api, int32_t bad_alloc_code, int32_t internal_code,
                      Body&& body) noexcept {
  try {
    const Status status = body();
    return status.ok() ? 0 : ReportStatus(api, status);
  } catch (const std::bad_alloc&) {
    return ReportCode(api, bad_alloc_code, "out of memory");
  } catch (const std::exception& error) {
    return ReportCode(api, internal_code, error.what());
  } catch (...) {
    return ReportCode(api, internal_code, "unknown exception");
  }
}

// Body of an acl* function: a callable returning Status. Out of memory gives 207001, anything else
// that throws 500000.
template <typename Body>
int32_t AclCall(const char* api, Body&& body) noexcept {
  return CallWithCodes(api, 207001, 500000, static_cast<Body&&>(body));
}

// Body of an aclnn* function and of the acl_meta.h functions: whatever throws gives 561000.
template <typename Body>
int32_t AclnnCall(const char* api, Body&& body) noexcept {
  return CallWithCodes(api, 561000, 561000, static_cast<Body&&>(body));
}

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_ASCENDCL_API_CALL_H_
