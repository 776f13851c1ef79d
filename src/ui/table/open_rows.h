// OpenRows: which rows of a table that is a tree show the rows that they contain. Rows are known by
// the keys of the tree, so that they stay open when the numbers change.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_set>

#include "report/columns.h"
#include "ui/table/table_data.h"

namespace dlview::ui {

// The columns of a table that is a tree.
struct TreeColumns {
  report::ColumnName level;  // 0 = at the top
  report::ColumnName key;    // its text tells rows apart
};
// The tree of a table whose rows stand below the row that contains them, each a level deeper; a row
// more than a level deeper than the one above it, as in a damaged file, counts as one level deeper.
// All rows are closed. A row's key is the hash of its text: two of 100,000 rows share one at a
// chance of 1 in 3 billion, and then open together.
RowTree tree_by_level(const report::Table& table, const TreeColumns& columns);

class OpenRows {
 public:
  // The same table, whose `tree` has the rows open that are. Made anew only when one of both
  // changes.
  std::shared_ptr<const TableData> apply(const std::shared_ptr<const TableData>& all);
  // Opens or closes a row of the table that apply() was given last.
  void turn(uint32_t row);
  // Of any table, also one given later.
  void set_all(bool open);
  // Opens the rows that contain it.
  void reveal(uint32_t row);

  // The table of these two need not have been given to apply().
  void open(const RowTree& tree, uint32_t row);
  // Opens the rows at the top of the table, down to the first level with several rows that contain
  // others.
  void open_first(const RowTree& tree);

 private:
  bool is_open(uint64_t key) const;

  bool are_most_open_ = false;
  std::unordered_set<uint64_t> others_;  // keys of the rows that differ from most
  std::shared_ptr<const TableData> all_, shown_;
};

}  // namespace dlview::ui
