#ifndef ACLNN_CPU_TESTS_SUPPORT_COMPARE_H_
#define ACLNN_CPU_TESTS_SUPPORT_COMPARE_H_

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "support/dtype.h"

// Comparisons of results. NaN equals NaN whatever its payload and sign, everywhere.
namespace aclnn_cpu::test {

// Close: |got - want| <= atol + rtol * |want|.
struct Tolerance {
  double rtol;
  double atol;
};

// The default of the public report cases.
inline Tolerance DefaultTolerance(aclDataType dtype) {
  switch (dtype) {
    case ACL_FLOAT16:
      return {1e-3, 1e-3};
    case ACL_BF16:
      return {8e-3, 8e-3};
    case ACL_FLOAT:
      return {1e-5, 1e-6};
    default:
      return {1e-12, 1e-12};
  }
}

inline bool IsClose(double got, double want, Tolerance tolerance) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
  if (std::isinf(want) || std::isinf(got)) return got == want;
  return std::fabs(got - want) <= tolerance.atol + tolerance.rtol * std::fabs(want);
}

inline ::testing::AssertionResult AllClose(std::span<const double> got,
                                           std::span<const double> want, Tolerance tolerance) {
  if (got.size() != want.size())
    return ::testing::AssertionFailure() << got.size() << " values, want " << want.size();
  size_t bad = 0;
  ::testing::AssertionResult failure = ::testing::AssertionFailure();
  for (size_t i = 0; i < want.size(); ++i) {
    if (IsClose(got[i], want[i], tolerance)) continue;
    if (++bad <= 5) failure << "element " << i << " is " << got[i] << ", want " << want[i] << "; ";
  }
  if (bad == 0) return ::testing::AssertionSuccess();
  return failure << bad << " of " << want.size() << " elements differ";
}

// How many representable values of `dtype` lie between two elements (0 = equal; +0 and -0 are
// equal). NaN against a number is INT64_MAX.
inline int64_t UlpDistance(aclDataType dtype, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : INT64_MAX;
  const auto ordinal = [dtype](double value) -> int64_t {
    uint64_t bits = 0;
    StoreElement(dtype, std::fabs(value), &bits);  // little endian: low bytes first
    const int64_t magnitude = static_cast<int64_t>(bits);
    return std::signbit(value) ? -magnitude : magnitude;
  };
  const int64_t x = ordinal(a);
  const int64_t y = ordinal(b);
  int64_t distance = 0;
  if (__builtin_sub_overflow(x > y ? x : y, x > y ? y : x, &distance)) return INT64_MAX;
  return distance;
}

inline ::testing::AssertionResult WithinUlps(aclDataType dtype, std::span<const double> got,
                                             std::span<const double> want, int64_t ulps) {
  if (got.size() != want.size())
    return ::testing::AssertionFailure() << got.size() << " values, want " << want.size();
  for (size_t i = 0; i < want.size(); ++i) {
    const int64_t distance = UlpDistance(dtype, got[i], want[i]);
    if (distance > ulps) {
      return ::testing::AssertionFailure() << "element " << i << " is " << got[i] << ", want "
                                           << want[i] << ": " << distance << " ulp apart";
    }
  }
  return ::testing::AssertionSuccess();
}

// Two runs of the same work: equal in every bit, signs of zero included.
inline ::testing::AssertionResult SameBits(aclDataType dtype, std::span<const std::byte> got,
                                           std::span<const std::byte> want) {
  if (got.size() != want.size())
    return ::testing::AssertionFailure() << got.size() << " bytes, want " << want.size();
  const size_t step = static_cast<size_t>(ElementBytes(dtype));
  for (size_t at = 0; at + step <= got.size(); at += step) {
    if (std::memcmp(&got[at], &want[at], step) == 0) continue;
    const double x = LoadElement(dtype, &got[at]);
    const double y = LoadElement(dtype, &want[at]);
    if (std::isnan(x) && std::isnan(y)) continue;
    return ::testing::AssertionFailure() << "element " << at / step << " is " << x << ", want " << y
                                         << " (" << UlpDistance(dtype, x, y) << " ulp)";
  }
  return ::testing::AssertionSuccess();
}

}  // namespace aclnn_cpu::test

#endif  // ACLNN_CPU_TESTS_SUPPORT_COMPARE_H_
