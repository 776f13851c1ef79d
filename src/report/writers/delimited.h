// Writes the shown part of a table with one line per row: CSV for programs, as SQLite would print
// the view, and tab-separated text for the clipboard.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "base/progress.h"
#include "report/writers/shown_table.h"

namespace dlview::report {

// A header of column ids; numbers in full (append_full_text()), flags as 1 and 0; quotes where
// RFC 4180 wants them. Ends early when `progress` is canceled.
void write_table_csv(const ShownTable& shown, std::ostream& out, base::Progress& progress);

// A header of titles with units, cells as in the CSV. Tabs and line breaks in a cell become blanks,
// so that every cell arrives in one cell of a spreadsheet.
void write_tsv(const ShownTable& shown, std::ostream& out, base::Progress& progress);
std::string tsv_text(const ShownTable& shown);

// A text as one field of CSV (RFC 4180).

// At the end of `line`: the text in quotes, its own quotes doubled.
inline void append_quoted(std::string& line, std::string_view text) {
  line += '"';
  for (const char c : text) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

// As above, in quotes only if needed.
inline void append_csv_field(std::string& line, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    line += text;
  } else {
    append_quoted(line, text);
  }
}

}  // namespace dlview::report
