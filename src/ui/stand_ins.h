// Stand-ins: Dear ImGui stores characters in 16 bits, so one beyond U+FFFF is baked and drawn as a
// private-use character in its place.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace dlview::ui {

// The private-use characters of Unicode's first plane, and what shows instead of what no face has.
inline constexpr char16_t kFirstPrivate = 0xe000, kLastPrivate = 0xf8ff, kBox = 0x25a1;

// By character beyond U+FFFF.
using StandIns = std::map<char32_t, char16_t>;

// For the texts drawn from now on: those of the fonts that were baked last.
void use_stand_ins(StandIns stand_ins);

// The text as Dear ImGui takes it. A private-use character of its own that stands for another one
// becomes the box that shows what no face has. `buffer` holds the text where it differs.
std::string_view with_stand_ins(std::string_view text, std::string& buffer);

}  // namespace dlview::ui
