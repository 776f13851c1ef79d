// Positions of a table's rows and columns in the file, for reading them without SQLite.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "import/sqlite/database.h"

namespace dlview::import::sqlite {

// Which column every table has that is not declared WITHOUT ROWID.
inline constexpr const char* kRowId = "rowid";

// A column that is to be read.
struct RowColumn {
  enum class Kind : uint8_t { integer, text };
  std::string name;  // empty: always NULL, for what the table lacks
  Kind kind = Kind::integer;
};

struct TableLayout {
  static constexpr int kIsRowId = -1, kIsNull = -2;
  uint32_t root = 0;        // the page where its tree begins
  std::vector<int> places;  // in the record, of each column that is to be read
};

// Returns the layout of a table that is read by rowid; nullopt if SQLite would convert a stored
// value.
std::optional<TableLayout> find_layout(const Database& database, const std::string& table,
                                       const std::vector<RowColumn>& columns);

}  // namespace dlview::import::sqlite
