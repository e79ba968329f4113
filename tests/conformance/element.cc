#include "element.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace conformance {
namespace {

constexpr ElementType kTypes[] = {
    {"float32", ACL_FLOAT, 4},
    {"float16", ACL_FLOAT16, 2},
    {"bfloat16", ACL_BF16, 2},
    {"float64", ACL_DOUBLE, 8},
};

// A 16-bit IEEE-style format: sign, exponent, mantissa.
struct Format16 {
  int exponent_bits;
  int mantissa_bits;

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  uint32_t infinity() const { return ((1U << exponent_bits) - 1) << mantissa_bits; }
};

constexpr Format16 kHalf{5, 10};
constexpr Format16 kBfloat{8, 7};

uint16_t Encode16(Format16 format, double value) {
  const uint32_t sign = std::signbit(value) ? 0x8000U : 0U;
  uint32_t bits = 0;
  if (std::isnan(value)) {
    bits = format.infinity() | 1U;
  } else if (std::isinf(value)) {
    bits = format.infinity();
  } else if (value != 0) {
    // The value in units of its last place; below the smallest normal number the unit stays.
    const int lowest = 1 - format.bias();
    const int exponent = std::max(std::ilogb(value), lowest);
    const double units =
        std::nearbyint(std::ldexp(std::fabs(value), format.mantissa_bits - exponent));
    // A normal number's units include its hidden bit, which adds the 1 missing in the exponent.
    const int field = exponent - lowest;
    const double scaled = std::ldexp(field, format.mantissa_bits) + units;
    bits = scaled < format.infinity() ? static_cast<uint32_t>(scaled) : format.infinity();
  }
  return static_cast<uint16_t>(sign | bits);
}

double Decode16(Format16 format, uint16_t element) {
  const uint32_t magnitude = element & 0x7FFFU;
  const double sign = (element & 0x8000U) != 0 ? -1 : 1;
  if (magnitude >= format.infinity()) {
    return magnitude == format.infinity() ? sign * std::numeric_limits<double>::infinity()
                                          : std::numeric_limits<double>::quiet_NaN();
  }
  const int lowest = 1 - format.bias();
  const int field = static_cast<int>(magnitude >> format.mantissa_bits);
  const int mantissa = static_cast<int>(magnitude & ((1U << format.mantissa_bits) - 1));
  const int units = field == 0 ? mantissa : mantissa + (1 << format.mantissa_bits);
  const int exponent = field == 0 ? lowest : field - 1 + lowest;
  return sign * std::ldexp(units, exponent - format.mantissa_bits);
}

}  // namespace

const ElementType& ElementTypeNamed(const std::string& name) {
  for (const ElementType& type : kTypes) {
    if (name == type.name) {
      return type;
    }
  }
  throw std::invalid_argument("unknown element type " + name);
}

void Encode(const ElementType& type, double value, std::byte* element) {
  if (type.type == ACL_DOUBLE) {
    std::memcpy(element, &value, sizeof(value));
  } else if (type.type == ACL_FLOAT) {
    const float narrow = static_cast<float>(value);
    std::memcpy(element, &narrow, sizeof(narrow));
  } else {
    const uint16_t bits = Encode16(type.type == ACL_FLOAT16 ? kHalf : kBfloat, value);
    std::memcpy(element, &bits, sizeof(bits));
  }
}

double Decode(const ElementType& type, const std::byte* element) {
  if (type.type == ACL_DOUBLE) {
    double value = 0;
    std::memcpy(&value, element, sizeof(value));
    return value;
  }
  if (type.type == ACL_FLOAT) {
    float value = 0;
    std::memcpy(&value, element, sizeof(value));
    return value;
  }
  uint16_t bits = 0;
  std::memcpy(&bits, element, sizeof(bits));
  return Decode16(type.type == ACL_FLOAT16 ? kHalf : kBfloat, bits);
}

}  // namespace conformance
