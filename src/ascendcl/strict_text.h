#ifndef ACLNN_CPU_ASCENDCL_STRICT_TEXT_H_
#define ACLNN_CPU_ASCENDCL_STRICT_TEXT_H_

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace aclnn_cpu {

// Text in a fixed buffer, without memory of the heap; what does not fit is cut off.
template <size_t kSize>
class FixedText {
 public:
  void Clear() { size_ = 0; }
  size_t room() const { return kSize - size_; }
  std::string_view view() const { return {buffer_.data(), size_}; }

  template <typename... Args>
  void Add(fmt::format_string<Args...> format, Args&&... args) {
    const auto result =
        fmt::format_to_n(buffer_.data() + size_, room(), format, std::forward<Args>(args)...);
    size_ += std::min(result.size, room());
  }
  void AddChar(char c) {
    if (room() > 0) buffer_[size_++] = c;
  }

  // In one call, so that lines of several threads and processes do not mix. False if it fails.
  bool WriteTo(int descriptor) const {
    const char* next = buffer_.data();
    size_t left = size_;
    while (left > 0) {
      const ssize_t written = write(descriptor, next, left);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      next += written;
      left -= static_cast<size_t>(written);
    }
    return true;
  }

 private:
  std::array<char, kSize> buffer_{};
  size_t size_ = 0;
};

// The bytes of the UTF-8 character that `text` starts with; 0 if it starts with none.
constexpr size_t Utf8Length(std::string_view text) {
  const auto byte = [&](size_t i) -> uint32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const uint32_t lead = byte(0);
  if (lead < 0x80) return text.empty() ? 0 : 1;
  const size_t length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  uint32_t code = lead & (0x7fU >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3f);
  }
  const bool is_too_long = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool is_no_character = (code >= 0xd800 && code < 0xe000) || code > 0x10ffff;
  return is_too_long || is_no_character ? 0 : length;
}

// As a JSON string. Names of files may be any bytes, JSON may not.
template <size_t kSize>
void AddQuoted(FixedText<kSize>& text, std::string_view value) {
  text.AddChar('"');
  while (!value.empty()) {
    const size_t length = Utf8Length(value);
    const char c = value[0];
    if (length == 0) {
      text.Add("\\ufffd");
    } else if (static_cast<unsigned char>(c) < 0x20) {
      text.Add("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      if (c == '"' || c == '\\') text.AddChar('\\');
      for (size_t i = 0; i < length; ++i) text.AddChar(value[i]);
    }
    value.remove_prefix(std::max<size_t>(length, 1));
  }
  text.AddChar('"');
}

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_ASCENDCL_STRICT_TEXT_H_
