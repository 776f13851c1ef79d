// CSV as DLProf writes it: a title line, a header, the rows, "\n" after each. Texts are always
// quoted and words only where they must be (RFC 4180), averages and percentages have one decimal,
// flags read yes and no, and what was not recorded is empty.
#pragma once

#include <iosfwd>

#include "report/table.h"

namespace dlview::report {

// Writes row by row. The caller checks the stream for errors.
void write_csv(const Table& table, std::ostream& out);

}  // namespace dlview::report
