#include "opapi/json_text.h"

#include <fmt/core.h>

#include <cstdint>

namespace aclnn_cpu {
namespace {

// How many bytes the UTF-8 character at the start of `text` (not empty) takes; 0 if it is none.
size_t Utf8Length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                        : lead >= 0xE0 && lead <= 0xEF ? 3
                        : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                       : 0;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Characters written longer than needed, surrogates, and beyond the last code point.
  const uint8_t second = byte(1);
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
      (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) {
    return 0;
  }
  return length;
}

}  // namespace

std::string JsonQuote(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    const char first = text.front();
    if (length == 0) {
      result += '?';
    } else if (first == '"' || first == '\\') {
      result += '\\';
      result += first;
    } else if (static_cast<uint8_t>(first) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<int>(first));
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result + '"';
}

std::string JsonQuoteOrNull(const char* text) { return text != nullptr ? JsonQuote(text) : "null"; }

}  // namespace aclnn_cpu
