// Record: the values of a row as its record in the file holds them, of those columns that are
// wanted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "import/sqlite/statement.h"
#include "import/sqlite/table_layout.h"

namespace dlview::import::sqlite {

class Record {
 public:
  Record(const TableLayout& layout, const std::vector<RowColumn>& columns);

  // Returns false if only SQLite can read it: a value that is neither of the column's kind nor
  // NULL, a default value, damage. Texts are views into the payload, after which kRecordPadding
  // bytes can be read.
  bool read(std::span<const uint8_t> payload, int64_t rowid);

  const Statement::Cell& cell(std::size_t column) const { return cells_[column]; }
  std::string_view text(std::size_t column) const { return texts_[column]; }

 private:
  static constexpr int kUnwanted = -1;

  bool read_value(uint64_t type, const uint8_t* at, std::size_t bytes, std::size_t column);

  std::vector<RowColumn::Kind> kinds_;
  std::vector<int> column_at_;  // by place in the record, up to the last wanted one
  std::vector<std::size_t> rowids_;
  std::vector<Statement::Cell> cells_;
  std::vector<std::string_view> texts_;
};

}  // namespace dlview::import::sqlite
