#include <bit>
#include <cstdint>

#include "acl/acl.h"
#include "base/float16.h"

namespace {

constexpr uint16_t kSignBit = 0x8000;
constexpr uint16_t kInfinity = 0x7c00;
constexpr uint16_t kLargestFinite = 0x7bff;  // 65504

}  // namespace

// CANN's conversions know neither infinities nor NaN. These two do as CANN does, because programs
// compare such values with what an NPU gives; the library itself uses base/float16.h.

float aclFloat16ToFloat(aclFloat16 value) {
  if ((value & kInfinity) != kInfinity) return aclnn_cpu::ToFloat(aclnn_cpu::Float16{value});
  // Exponent 31 as if it were an ordinary one: 2^16 * 1.fraction.
  const uint32_t sign = static_cast<uint32_t>(value & kSignBit) << 16;
  const uint32_t fraction = static_cast<uint32_t>(value & 0x3ffu) << 13;
  return std::bit_cast<float>(sign | ((127u + 16u) << 23) | fraction);
}

aclFloat16 aclFloatToFloat16(float value) {
  const uint16_t bits = aclnn_cpu::ToFloat16(value).bits;
  if ((bits & kInfinity) != kInfinity) return bits;
  return static_cast<aclFloat16>((bits & kSignBit) | kLargestFinite);
}

size_t aclDataTypeSize(aclDataType dataType) {
  switch (dataType) {
    case ACL_STRING:
    case ACL_DT_UNDEFINED:
      return 0;
    case ACL_BOOL:
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_INT4:
    case ACL_UINT1:
    case ACL_HIFLOAT8:
    case ACL_FLOAT8_E5M2:
    case ACL_FLOAT8_E4M3FN:
    case ACL_FLOAT8_E8M0:
      return 1;
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_INT16:
    case ACL_UINT16:
      return 2;
    case ACL_FLOAT:
    case ACL_INT32:
    case ACL_UINT32:
    case ACL_COMPLEX32:
      return 4;
    case ACL_COMPLEX128:
      return 16;
    default:
      return 8;
  }
}
