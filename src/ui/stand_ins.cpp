#include "ui/stand_ins.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"

namespace dlview::ui {
namespace {

// Dear ImGui has one context and one atlas, and so has this.
StandIns& stand_ins_in_use() {
  static StandIns in_use;
  return in_use;
}

// A private-use character takes three bytes, and one beyond U+FFFF four: only few others have a
// first byte so high.
bool may_begin_other(char byte) {
  return static_cast<unsigned char>(byte) >= 0xee;
}

bool stands_for_another(const StandIns& in_use, char32_t character) {
  if (character < kFirstPrivate || character > kLastPrivate) return false;
  return std::ranges::any_of(in_use,
                             [character](const auto& entry) { return entry.second == character; });
}

void append_utf8(std::string& text, char16_t character) {
  text += static_cast<char>(0xe0 | character >> 12);
  text += static_cast<char>(0x80 | (character >> 6 & 0x3f));
  text += static_cast<char>(0x80 | (character & 0x3f));
}

}  // namespace

void use_stand_ins(StandIns stand_ins) {
  stand_ins_in_use() = std::move(stand_ins);
}

std::string_view with_stand_ins(std::string_view text, std::string& buffer) {
  const StandIns& in_use = stand_ins_in_use();
  if (in_use.empty() || std::ranges::none_of(text, may_begin_other)) return text;
  buffer.clear();
  while (!text.empty()) {
    const std::size_t length = base::utf8_length(text);
    const char32_t character = length >= 3 ? base::code_points(text.substr(0, length)).front() : 0;
    const auto found = length == 4 ? in_use.find(character) : in_use.end();
    if (found != in_use.end()) {
      append_utf8(buffer, found->second);
    } else if (stands_for_another(in_use, character)) {
      append_utf8(buffer, kBox);
    } else {
      buffer += text.substr(0, length > 0 ? length : 1);
    }
    text.remove_prefix(length > 0 ? length : 1);
  }
  return buffer;
}

}  // namespace dlview::ui
