// Tables and texts for terminals: columns aligned with blanks, numbers to the right, the header
// underlined, and nothing in them that a terminal would obey.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "report/table.h"

namespace dlview::report {

// Stands where the file has no value for a cell.
inline constexpr std::string_view kNotRecorded = "not recorded";

// Control characters (C0, DEL and C1, newlines among them) and bytes that are not UTF-8 become
// visible: "\x1b" for the byte of Escape. What a file says must not reach a terminal without it.
std::string printable(std::string_view text);

// Reads the table twice, first for the widths; prints only the first line of a text. Cells without
// a value have `missing`.
void write_text(const Table& table, std::ostream& out, std::string_view missing = kNotRecorded);

}  // namespace dlview::report
