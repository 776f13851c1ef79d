// CSV as `nsys stats` writes it, and the same with tabs: a header and the rows, texts quoted only
// where they must be, numbers as in cells.h, an empty line at the end. Tabs and ends of lines in
// names are blanks in tab-separated text.
#pragma once

#include <iosfwd>

#include "report/table.h"

namespace dlview::report::nsys {

// Write row by row. The caller checks the stream for errors.
void write_csv(const Table& table, std::ostream& out);
void write_tsv(const Table& table, std::ostream& out);

}  // namespace dlview::report::nsys
