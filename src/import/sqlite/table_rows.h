// TableRows: the rows of one range of a table with the columns that are wanted of them. Read from
// the pages of the file, which takes a fraction of the time; from the first row on whose values are
// of another kind than the column, SQLite reads them. The rows are the same. A tree of pages that
// is damaged is an Error, also where SQLite would read a part of its rows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "import/sqlite/page_cursor.h"
#include "import/sqlite/record.h"
#include "import/sqlite/statement.h"

namespace dlview::import::sqlite {

class TableRows {
 public:
  using Cell = Statement::Cell;
  // The statement that returns the rows from a rowid on.
  using AskFrom = std::function<base::Result<Statement>(int64_t first)>;
  // Positions of the rows in the file.
  struct Pages {
    const PageFile& file;
    const TableLayout& layout;
    const std::vector<RowColumn>& columns;
    int64_t last;  // rowid
  };

  // `pages` null = by SQLite. All must outlive the object.
  TableRows(const Database& database, int64_t first, const Pages* pages, AskFrom ask_from);

  // Moves to the next row. Returns false after the last one and on an error, see status().
  bool next();
  base::Status status() const { return status_; }

  bool is_null(int column) const { return cell(column).is_null; }
  int64_t integer(int column) const { return cell(column).integer; }
  bool is_integer(int column) const { return cell(column).is_integer; }
  Cell cell(int column) const {
    return statement_ ? statement_->cell(column) : record_->cell(static_cast<std::size_t>(column));
  }
  // Valid until the next call of next(). The digits of a number.
  std::string_view text(int column) const;

 private:
  bool next_of_pages();
  bool next_of_statement();
  // Both return false.
  bool end_with(base::Error error);
  bool end_with_damage();

  const Database& database_;
  int64_t first_;         // rowid that the next row has at least
  bool is_last_ = false;  // no rowid is larger than that of the present row
  AskFrom ask_from_;
  std::optional<PageCursor> cursor_;  // none: by the statement alone
  bool is_at_cursor_ = false;         // the statement's next row is the one at the cursor
  std::optional<Record> record_;
  std::optional<Statement> statement_;
  base::Status status_{base::Success{}};
  uint32_t rows_ = 0;
  mutable std::vector<std::string> digits_;  // by column; text() gives views into them
};

}  // namespace dlview::import::sqlite
