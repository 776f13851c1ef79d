// The sections of a table with Layout::sections, as the writers of text print them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/table.h"

namespace dlview::report {

// Rows [first_row, last_row) and the columns from the second on in which at least one of them has a
// value. A section of names with one value each has two columns and needs no header.
struct Section {
  std::string name;
  std::size_t first_row = 0, last_row = 0;
  std::vector<std::size_t> columns;
  bool has_header() const { return columns.size() > 2; }
};

std::vector<Section> sections(const Table& table);

}  // namespace dlview::report
