#ifndef ACLNN_CPU_BASE_STATUS_H_
#define ACLNN_CPU_BASE_STATUS_H_

#include <fmt/core.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace aclnn_cpu {

// The result of an operation that can fail: the public code that the C caller will receive (0 =
// success) and a sentence naming argument, value received and values allowed. The code is decided
// where the check fails, so no layer above has to translate it.
class [[nodiscard]] Status {
 public:
  Status() = default;
  // Without a message, allocates nothing.
  Status(int32_t code, std::string message)
      : code_(code),
        message_(message.empty() ? nullptr : std::make_unique<std::string>(std::move(message))) {}
  Status(const Status& other)
      : code_(other.code_),
        message_(other.message_ == nullptr ? nullptr
                                           : std::make_unique<std::string>(*other.message_)) {}
  Status(Status&&) = default;
  Status& operator=(const Status& other) { return *this = Status(other); }
  Status& operator=(Status&&) = default;
  ~Status() = default;

  bool ok() const { return code_ == 0; }
  int32_t code() const { return code_; }
  // Followed by a null character.
  std::string_view message() const {
    return message_ == nullptr ? std::string_view("") : std::string_view(*message_);
  }

 private:
  // Success, which is nearly every result, costs two words and no allocation.
  int32_t code_ = 0;
  std::unique_ptr<std::string> message_;
};

// Either a value or the reason why there is none.
template <typename T>
class [[nodiscard]] StatusOr {
 public:
  StatusOr(Status status) : status_(std::move(status)) {}  // NOLINT(google-explicit-constructor)
  StatusOr(const T& value) : value_(value) {}              // NOLINT(google-explicit-constructor)
  StatusOr(T&& value) : value_(std::move(value)) {}        // NOLINT(google-explicit-constructor)

  bool ok() const { return value_.has_value(); }
  const Status& status() const& { return status_; }
  Status&& status() && { return std::move(status_); }
  const T& value() const& { return *value_; }
  T&& value() && { return *std::move(value_); }

 private:
  Status status_;
  std::optional<T> value_;
};

// Builds an error; the format string is checked when compiled.
template <typename... Args>
Status MakeError(int32_t code, fmt::format_string<Args...> format, Args&&... args) {
  return Status(code, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace aclnn_cpu

// Leaves the enclosing function with an error.
#define FAIL(code, ...) return ::aclnn_cpu::MakeError((code), __VA_ARGS__)

// Leaves the enclosing function if `expression` (a Status) is an error.
#define RETURN_IF_ERROR(expression)                                  \
  do {                                                               \
    if (::aclnn_cpu::Status status_ = (expression); !status_.ok()) { \
      return status_;                                                \
    }                                                                \
  } while (false)

// Declares `lhs` from a StatusOr, or leaves the enclosing function with its error.
#define ASSIGN_OR_RETURN(lhs, expression) \
  ACLNN_CPU_ASSIGN_OR_RETURN_(ACLNN_CPU_CONCAT_(status_or_, __LINE__), lhs, expression)
#define ACLNN_CPU_CONCAT_INNER_(a, b) a##b
#define ACLNN_CPU_CONCAT_(a, b) ACLNN_CPU_CONCAT_INNER_(a, b)
#define ACLNN_CPU_ASSIGN_OR_RETURN_(temporary, lhs, expression) \
  auto temporary = (expression);                                \
  if (!temporary.ok()) {                                        \
    return std::move(temporary).status();                       \
  }                                                             \
  lhs = std::move(temporary).value()

#endif  // ACLNN_CPU_BASE_STATUS_H_
