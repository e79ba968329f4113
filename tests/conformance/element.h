#ifndef ACLNN_CPU_TESTS_CONFORMANCE_ELEMENT_H_
#define ACLNN_CPU_TESTS_CONFORMANCE_ELEMENT_H_

#include <cstddef>
#include <string>

#include "acl/acl_base.h"

namespace conformance {

// An element type by the name that the case file uses.
struct ElementType {
  const char* name;
  aclDataType type;
  size_t bytes;
};

// Throws std::invalid_argument for a name that is not in the table.
const ElementType& ElementTypeNamed(const std::string& name);

// Writes `value`, rounded to nearest even, as one element. Independent of the library's own
// conversions.
void Encode(const ElementType& type, double value, std::byte* element);
double Decode(const ElementType& type, const std::byte* element);

}  // namespace conformance

#endif  // ACLNN_CPU_TESTS_CONFORMANCE_ELEMENT_H_
