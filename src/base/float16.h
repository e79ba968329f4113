#ifndef ACLNN_CPU_BASE_FLOAT16_H_
#define ACLNN_CPU_BASE_FLOAT16_H_

#include <bit>
#include <cstdint>

namespace aclnn_cpu {

// Storage types: the bits as they lie in a tensor. Arithmetic happens in float; these only convert.
struct Float16 {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};

// IEEE binary16 to float, exact; NaN payloads are kept and made quiet.
constexpr float ToFloat(Float16 value) {
  const uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000u) << 16;
  const uint32_t exponent = (value.bits >> 10) & 0x1fu;
  const uint32_t mantissa = value.bits & 0x3ffu;
  if (exponent == 0x1fu) {
    const uint32_t quiet = mantissa != 0 ? 0x400000u : 0u;
    return std::bit_cast<float>(sign | 0x7f800000u | quiet | (mantissa << 13));
  }
  if (exponent != 0)
    return std::bit_cast<float>(sign | ((exponent + 112u) << 23) | (mantissa << 13));
  // Zero and subnormals: mantissa * 2^-24 is exact in float.
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
}

constexpr float ToFloat(BFloat16 value) {
  const uint32_t bits = static_cast<uint32_t>(value.bits) << 16;
  const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return std::bit_cast<float>(nan ? bits | 0x400000u : bits);
}

// Round to nearest, ties to even; overflow gives infinity, NaN stays NaN (quiet, upper payload bits
// kept).
constexpr Float16 ToFloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {
    return {static_cast<uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu))};
  }
  if (magnitude >= 0x47800000u) return {static_cast<uint16_t>(sign | 0x7c00u)};  // |value| >= 2^16
  if (magnitude < 0x38800000u) {
    // Below the smallest normal number 2^-14: shift the significand so that its last place is
    // 2^-24. All in integers, so that the caller's rounding mode does not matter.
    const uint32_t exponent = magnitude >> 23;
    if (exponent < 102u) return {static_cast<uint16_t>(sign)};  // |value| < 2^-25
    const uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
    const uint32_t shift = 126u - exponent;
    const uint32_t almost_half = (1u << (shift - 1u)) - 1u;
    const uint32_t low_bit = (significand >> shift) & 1u;
    return {static_cast<uint16_t>(sign | ((significand + almost_half + low_bit) >> shift))};
  }
  const uint32_t odd = (magnitude >> 13) & 1u;
  const uint32_t rounded =
      magnitude + 0xfffu + odd;  // a carry moves into the exponent, up to infinity
  return {static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13))};
}

constexpr BFloat16 ToBFloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return {static_cast<uint16_t>((bits >> 16) | 0x40u)};
  const uint32_t odd = (bits >> 16) & 1u;
  return {static_cast<uint16_t>((bits + 0x7fffu + odd) >> 16)};
}

// The conversions between a stored element and what kernels compute with, for loops that serve all
// storage types; float and double stay as they are.
constexpr float ToWide(float value) { return value; }
constexpr double ToWide(double value) { return value; }
constexpr float ToWide(Float16 value) { return ToFloat(value); }
constexpr float ToWide(BFloat16 value) { return ToFloat(value); }

constexpr void StoreNarrow(float value, float* to) { *to = value; }
constexpr void StoreNarrow(double value, double* to) { *to = value; }
constexpr void StoreNarrow(float value, Float16* to) { *to = ToFloat16(value); }
constexpr void StoreNarrow(float value, BFloat16* to) { *to = ToBFloat16(value); }

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_BASE_FLOAT16_H_
