// What is shown of a table with a line for each row: CSV for programs, as SQLite would print the
// view, and tab-separated text for the clipboard.
#pragma once

#include <iosfwd>
#include <string>

#include "base/progress.h"
#include "report/writers/shown_table.h"

namespace dlview::report {

// A header of column ids; numbers in full (append_full_text()), flags as 1 and 0; quotes where
// RFC 4180 wants them. Ends early when `progress` is cancelled.
void write_table_csv(const ShownTable& shown, std::ostream& out, base::Progress& progress);

// A header of titles with units, cells as in the CSV. Tabs and line breaks in a cell become blanks,
// so that every cell arrives in one cell of a spreadsheet.
void write_tsv(const ShownTable& shown, std::ostream& out, base::Progress& progress);
std::string tsv_text(const ShownTable& shown);

}  // namespace dlview::report
