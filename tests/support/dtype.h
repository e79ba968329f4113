#ifndef ACLNN_CPU_TESTS_SUPPORT_DTYPE_H_
#define ACLNN_CPU_TESTS_SUPPORT_DTYPE_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "acl/acl_base.h"

// Elements of tensors as double and back, for the dtypes operators compute with. Written
// independently of the library's conversions, so that tests also check those: a double is rounded
// once, to nearest even, straight to the dtype.
namespace aclnn_cpu::test {

inline constexpr aclDataType kFloatDtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE};

inline int64_t ElementBytes(aclDataType dtype) {
  switch (dtype) {
    case ACL_FLOAT16:
    case ACL_BF16:
      return 2;
    case ACL_FLOAT:
      return 4;
    default:
      return 8;
  }
}

inline const char* DtypeLabel(aclDataType dtype) {
  switch (dtype) {
    case ACL_FLOAT:
      return "f32";
    case ACL_FLOAT16:
      return "f16";
    case ACL_BF16:
      return "bf16";
    case ACL_DOUBLE:
      return "f64";
    default:
      return "other";
  }
}

// A 16-bit IEEE-like format: `mantissa_bits` stored bits, normal numbers from 2^min_exponent.
struct HalfFormat {
  int mantissa_bits;
  int min_exponent;
};
inline constexpr HalfFormat kFloat16Format{10, -14};
inline constexpr HalfFormat kBFloat16Format{7, -126};

inline uint16_t EncodeHalf(HalfFormat format, double value) {
  const int exponent_ones = (1 << (15 - format.mantissa_bits)) - 1;
  const int infinity = exponent_ones << format.mantissa_bits;
  const int sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  int bits = infinity;
  if (std::isnan(value)) {
    bits = infinity | (1 << (format.mantissa_bits - 1));
  } else if (magnitude == 0) {
    bits = 0;
  } else if (!std::isinf(value)) {
    int exponent = std::ilogb(magnitude);
    if (exponent < format.min_exponent) exponent = format.min_exponent;
    // Scaling by a power of two is exact, so nearbyint is the only rounding. A carry out of the
    // mantissa moves into the exponent by itself, up to infinity.
    const double units = std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - exponent));
    const int64_t encoded =
        static_cast<int64_t>(units) +
        (static_cast<int64_t>(exponent - format.min_exponent) << format.mantissa_bits);
    bits = encoded > infinity ? infinity : static_cast<int>(encoded);
  }
  return static_cast<uint16_t>(sign | bits);
}

inline double DecodeHalf(HalfFormat format, uint16_t bits) {
  const int exponent_ones = (1 << (15 - format.mantissa_bits)) - 1;
  const int exponent = (bits & 0x7fff) >> format.mantissa_bits;
  const int mantissa = bits & ((1 << format.mantissa_bits) - 1);
  double magnitude = 0;
  if (exponent == exponent_ones) {
    magnitude = mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                              : std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    magnitude = std::ldexp(mantissa, format.min_exponent - format.mantissa_bits);
  } else {
    magnitude = std::ldexp(mantissa + (1 << format.mantissa_bits),
                           exponent - 1 + format.min_exponent - format.mantissa_bits);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

inline double LoadElement(aclDataType dtype, const void* address) {
  uint16_t half = 0;
  float single = 0;
  double value = 0;
  switch (dtype) {
    case ACL_FLOAT16:
      std::memcpy(&half, address, sizeof(half));
      return DecodeHalf(kFloat16Format, half);
    case ACL_BF16:
      std::memcpy(&half, address, sizeof(half));
      return DecodeHalf(kBFloat16Format, half);
    case ACL_FLOAT:
      std::memcpy(&single, address, sizeof(single));
      return static_cast<double>(single);
    default:
      std::memcpy(&value, address, sizeof(value));
      return value;
  }
}

inline void StoreElement(aclDataType dtype, double value, void* address) {
  if (dtype == ACL_FLOAT16 || dtype == ACL_BF16) {
    const uint16_t half =
        EncodeHalf(dtype == ACL_FLOAT16 ? kFloat16Format : kBFloat16Format, value);
    std::memcpy(address, &half, sizeof(half));
  } else if (dtype == ACL_FLOAT) {
    const float single = static_cast<float>(value);
    std::memcpy(address, &single, sizeof(single));
  } else {
    std::memcpy(address, &value, sizeof(value));
  }
}

// `value` as the dtype can represent it.
inline double RoundTo(aclDataType dtype, double value) {
  double storage = 0;
  StoreElement(dtype, value, &storage);
  return LoadElement(dtype, &storage);
}

}  // namespace aclnn_cpu::test

#endif  // ACLNN_CPU_TESTS_SUPPORT_DTYPE_H_
