#ifndef ACLNN_CPU_BASE_CHECKED_MATH_H_
#define ACLNN_CPU_BASE_CHECKED_MATH_H_

#include <cstdint>

namespace aclnn_cpu {

// int64 arithmetic on sizes that a caller chose: false (and *result unspecified) when the exact
// result does not fit.
[[nodiscard]] inline bool CheckedMul(int64_t a, int64_t b, int64_t* result) {
  return !__builtin_mul_overflow(a, b, result);
}

[[nodiscard]] inline bool CheckedAdd(int64_t a, int64_t b, int64_t* result) {
  return !__builtin_add_overflow(a, b, result);
}

// Smallest multiple of `unit` (> 0) that is not below `value` (>= 0); the caller guarantees that it
// fits.
constexpr int64_t RoundUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

constexpr int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_BASE_CHECKED_MATH_H_
