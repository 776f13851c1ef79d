// Tables and texts for terminals: columns aligned with blanks, numbers to the right, the header
// underlined. Nothing in them is a control sequence.
#pragma once

#include <cstdint>
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

// Numbers in full under a header with their unit, or as people read them, each with its unit.
enum class Numbers : uint8_t { in_full, readable };

// "1.28 ms", "2.00 GiB", "74,107", "80.6%": as base/units.h has them, with plain blanks. Numbers
// without a unit and texts are as to_text() has them. If the id begins with "difference", the
// number has a sign: "+1.28 ms", "−3".
std::string readable_text(const Cell& cell, aggregate::Unit unit, std::string_view id);

// With plain blanks for the thin ones of base/units.h.
std::string without_thin_spaces(std::string text);

// Reads the table twice, first for the widths; prints only the first line of a text. Cells without
// a value have `missing`.
void write_text(const Table& table, Numbers numbers, std::ostream& out,
                std::string_view missing = kNotRecorded);

}  // namespace dlview::report
