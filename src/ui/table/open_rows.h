// OpenRows: which rows of a table that is a tree show the rows that they contain. Rows are known by
// their keys, so that they stay open when the numbers change.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "report/columns.h"
#include "ui/table/table_data.h"

namespace dlview::ui {

// The tree of a table whose rows stand below the row that contains them, each a level deeper: 0 in
// the column `level` = at the top; a row more than a level deeper than the one above it, as in a
// damaged file, counts as one level deeper. All rows are closed.
RowTree tree_by_level(const report::Table& table, report::ColumnName level);

class OpenRows {
 public:
  // `key` tells the rows apart.
  explicit OpenRows(report::ColumnName key) : key_(key) {}

  // The same table, whose `tree` has the rows open that are. Made anew only when one of both
  // changes.
  std::shared_ptr<const TableData> apply(const std::shared_ptr<const TableData>& all);
  // Opens or closes a row of the table that apply() was given last.
  void turn(uint32_t row);
  // Of any table, also one given later. Reads no keys.
  void set_all(bool open);
  // Opens the rows that contain it.
  void reveal(uint32_t row);

  void open(std::string key);
  // Opens the rows at the top of the table, down to the first level with several rows that contain
  // others. The table need not have been given to apply().
  void open_first(const TableData& data);

 private:
  enum class State : uint8_t { unknown, open, closed };

  std::string key_of(uint32_t row) const;
  bool is_open(uint32_t row);

  report::ColumnName key_;
  bool are_most_open_ = false;
  std::set<std::string> others_;  // keys of the rows that differ from most
  std::vector<State> states_;     // of the rows of all_, as far as they are known
  std::shared_ptr<const TableData> all_, shown_;
};

}  // namespace dlview::ui
