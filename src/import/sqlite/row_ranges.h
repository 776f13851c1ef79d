// Reads one table through several connections at once: divides its rowids into ranges; one thread
// reads each range from its first row to its last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "import/sqlite/database.h"
#include "import/sqlite/table_layout.h"
#include "import/sqlite/table_rows.h"

namespace dlview::import::sqlite {

struct RowRange {
  int64_t first = 0, last = 0;  // rowids, both inclusive
  std::size_t offset = 0;       // total room of the ranges before it
  std::size_t room = 0;         // it has no more rows than this, unless the file is damaged
};

struct TableCut {
  std::string table, order;      // the column in whose order rows are read
  std::vector<RowRange> ranges;  // in that order
  // False: `order` is not the rowid, a few rowids lie far from the others, or pages cannot be read
  // without SQLite; then there is one range, which is the whole table.
  bool is_by_rowid = false;
  std::size_t room() const {
    return ranges.empty() ? 0 : ranges.back().offset + ranges.back().room;
  }
};

base::Result<TableCut> cut_table(const Database& database, const std::string& table,
                                 const std::string& order);

// Calls `read`, on several threads at once, with the rows of each range; it steps them, and returns
// their status. The Error is that of the first range that has one.
using ReadRange = std::function<base::Status(TableRows& rows, std::size_t range)>;
base::Status read_ranges(const Database& database, const TableCut& cut,
                         const std::vector<RowColumn>& columns, const ReadRange& read);

}  // namespace dlview::import::sqlite
