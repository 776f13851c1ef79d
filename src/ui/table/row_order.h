// Which rows of a table are shown, and in which order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ui/background.h"
#include "ui/table/table_data.h"

namespace dlview::ui {

// Queries over rows that contain rows: siblings are sorted among themselves below their parent.
// The rows that are shown: those whose parents are all open. With a filter or a search the rows
// that pass, and those that contain them, whether open or not.
base::Result<std::vector<uint32_t>> query_tree(const report::Table& table, const RowTree& tree,
                                               const report::TableQuery& query,
                                               base::Progress& progress);

// One order, with what had to be known to make it. A *place* is an index into `rows`.
struct ShownRows {
  std::shared_ptr<const TableData> data;
  report::TableQuery query;
  std::vector<uint32_t> rows;   // of data->table
  std::vector<double> largest;  // of these rows, by column of the table; 0 where there are no bars
  std::string key;
  std::optional<std::size_t> key_place;  // of the row that has this key
};

// Which rows of a table are shown, and in which order. Small tables are sorted and filtered at
// once; of large ones the old rows stay until the new order is there.
class RowOrder {
 public:
  explicit RowOrder(const TableLook& look);

  // Call in every frame. A query that cannot be understood leaves the rows as they are. The row
  // with `key` is looked for when there are other rows, or others in front.
  void update(std::shared_ptr<const TableData> data, const report::TableQuery& query,
              const std::string& key, Background& background);

  // Null before the first result.
  const std::shared_ptr<const ShownRows>& shown() const { return shown_; }
  // A newer order is being computed.
  bool is_late() const { return static_cast<bool>(task_); }
  // Why the last query was not taken; empty = it was.
  const std::string& problem() const { return problem_; }

 private:
  struct Made {
    ShownRows rows;
    std::optional<base::Error> problem;  // why there are none
  };
  using Make = std::function<Made(base::Progress&)>;

  bool is_current(const std::shared_ptr<const TableData>& data,
                  const report::TableQuery& query) const;
  Make make(const std::string& key) const;
  void take_over(base::Result<Made> made, Background& background);

  report::ColumnName key_column_;
  std::vector<std::string> bar_columns_;
  std::shared_ptr<const ShownRows> shown_;
  base::Task<Made> task_;
  std::string problem_;
  // Of the task, or of the problem; null without either.
  std::shared_ptr<const TableData> asked_data_;
  report::TableQuery asked_query_;
};

// The first place whose key column reads `key`. Uses all cores.
std::optional<std::size_t> find_key(const ShownRows& shown, report::ColumnName key_column,
                                    std::string_view key);

}  // namespace dlview::ui
