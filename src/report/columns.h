// The columns of the program's own tables, declared once: id, title, unit, kind, and their texts on
// screen, each family in its own header. The tables of report/views and report/differences, and the
// columns that ui adds to them, use these declarations; looks (ui/table/table_data.h) take their
// texts from them. Code names a column by a ColumnId; a misspelled one does not compile. The
// reports of DLProf and nsys have their own columns.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/joined_arrays.h"
#include "report/columns/activity_columns.h"
#include "report/columns/column_spec.h"
#include "report/columns/comparison_columns.h"
#include "report/columns/limit_columns.h"
#include "report/columns/op_columns.h"
#include "report/columns/run_columns.h"
#include "report/table.h"

namespace dlview::report {

inline constexpr auto kColumns =
    base::joined_arrays(columns::kOpColumns, columns::kLimitColumns, columns::kActivityColumns,
                        columns::kRunColumns, columns::kComparisonColumns);

void no_column_has_this_key();  // never defined: what the compiler names when a ColumnId is wrong

// A declared column, named by its key.
class ColumnId {
 public:
  consteval ColumnId(const char* key) : spec_(&declared(key)) {}
  constexpr explicit ColumnId(const ColumnSpec& declared) : spec_(&declared) {}

  constexpr const ColumnSpec& spec() const { return *spec_; }
  constexpr std::string_view text() const { return spec_->id(); }
  friend constexpr bool operator==(const ColumnId&, const ColumnId&) = default;

 private:
  static constexpr const ColumnSpec& declared(std::string_view key) {
    for (const ColumnSpec& column : kColumns) {
      if (column.key == key) return column;
    }
    no_column_has_this_key();
    return kColumns[0];
  }

  const ColumnSpec* spec_;
};

// The id of a column of any table: a declared column, or a text from the user or from a report of
// another tool. Refers to that text.
class ColumnName {
 public:
  consteval ColumnName(const char* key) : text_(ColumnId(key).text()) {}
  constexpr ColumnName(ColumnId id) : text_(id.text()) {}
  constexpr ColumnName() = default;
  constexpr explicit ColumnName(std::string_view text) : text_(text) {}

  constexpr std::string_view text() const { return text_; }
  constexpr bool empty() const { return text_.empty(); }

 private:
  std::string_view text_;
};

// A column with the declared title, unit, kind and sorting.
Column column(ColumnId id, std::function<Cell(std::size_t row)> cell);

// Returns add(id, value), which appends the column of value(row) of all `rows` to the table. Sets
// the number of rows. The columns keep the rows.
template <typename Rows>
auto column_adder(Table& table, const std::shared_ptr<Rows>& rows) {
  table.row_count = rows->size();
  return [&table, rows](ColumnId id, auto value) {
    table.columns.push_back(
        column(id, [rows, value](std::size_t i) -> Cell { return value((*rows)[i]); }));
  };
}

}  // namespace dlview::report
