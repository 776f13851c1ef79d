// Tables for terminals: columns aligned with blanks, numbers to the right, the header underlined.
#pragma once

#include <iosfwd>

#include "report/table.h"

namespace dlview::report {

// Reads the table twice, first for the widths; texts keep their first line only.
void write_text(const Table& table, std::ostream& out);

}  // namespace dlview::report
