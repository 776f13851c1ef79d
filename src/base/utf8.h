// Texts of unknown origin, which may hold bytes that are not UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dlview::base {

// Bytes of the UTF-8 sequence that a text begins with; 0 when it begins with none. The text is not
// empty.
std::size_t utf8_length(std::string_view text);

// Bytes before the first one that is not ASCII.
std::size_t ascii_length(std::string_view text);

bool is_utf8(std::string_view text);

// With U+FFFD for every byte that is not UTF-8.
std::string with_valid_utf8(std::string_view text);

// U+FFFD for every byte that is not UTF-8.
std::u32string code_points(std::string_view text);

}  // namespace dlview::base
