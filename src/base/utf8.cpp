#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace dlview::base {

std::size_t utf8_length(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool is_overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool is_surrogate = first == 0xED && byte(1) > 0x9F;
  const bool is_beyond_unicode = first == 0xF4 && byte(1) > 0x8F;
  return is_overlong || is_surrogate || is_beyond_unicode ? 0 : length;
}

std::size_t ascii_length(std::string_view text) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  std::size_t length = 0;
  for (uint64_t word = 0; length + sizeof(word) <= text.size(); length += sizeof(word)) {
    std::memcpy(&word, text.data() + length, sizeof(word));
    if ((word & kHighBits) != 0) break;
  }
  while (length < text.size() && static_cast<unsigned char>(text[length]) < 0x80) ++length;
  return length;
}

bool is_utf8(std::string_view text) {
  for (;;) {
    text.remove_prefix(ascii_length(text));
    if (text.empty()) return true;
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
}

std::string with_valid_utf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    valid += length > 0 ? text.substr(0, length) : "\ufffd";
    text.remove_prefix(length > 0 ? length : 1);
  }
  return valid;
}

std::u32string code_points(std::string_view text) {
  std::u32string points;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto first = static_cast<unsigned char>(text.front());
    // The bits below those that tell the length: all 7, or 5, 4, 3 of them.
    char32_t point = length < 2 ? first : first & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
      point = (point << 6U) | (static_cast<unsigned char>(text[i]) & 0x3FU);
    }
    points += length == 0 ? U'\uFFFD' : point;
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return points;
}

}  // namespace dlview::base
