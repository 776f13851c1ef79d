// `column` as `nsys stats` lays it out for a terminal: headers centered above dashes, numbers to
// the right with commas between groups of thousands.
#pragma once

#include <iosfwd>

#include "report/table.h"

namespace dlview::report::nsys {

// The title with the report's name, the table, an empty line. Control characters of names are
// shown as \x1b.
void write_columns(const Table& table, std::ostream& out);

}  // namespace dlview::report::nsys
