#ifndef ACLNN_CPU_OPAPI_JSON_TEXT_H_
#define ACLNN_CPU_OPAPI_JSON_TEXT_H_

#include <string>
#include <string_view>

namespace aclnn_cpu {

// `text` as a JSON string. Bytes that are not UTF-8 become '?', so the result is always valid.
std::string JsonQuote(std::string_view text);

// The same; null for a null pointer.
std::string JsonQuoteOrNull(const char* text);

// [f(e), f(e), ...] over the elements of `range`; f returns JSON text.
template <typename Range, typename ToJson>
std::string JsonArray(const Range& range, ToJson to_json) {
  std::string result = "[";
  for (const auto& element : range) {
    if (result.size() > 1) result += ',';
    result += to_json(element);
  }
  return result + ']';
}

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_OPAPI_JSON_TEXT_H_
