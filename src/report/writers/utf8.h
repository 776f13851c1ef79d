// Texts of unknown origin for formats that take nothing but UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace dlview::report {

// At the end of `out`: `text`, with U+FFFD for every byte that is not UTF-8 and for what XML and
// HTML do not allow: control characters but tab and newline, U+FFFE and U+FFFF.
void append_clean_text(std::string& out, std::string_view text);

}  // namespace dlview::report
