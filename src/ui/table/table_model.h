// TableModel: what a reader has done to a table (search, filters, sorting, selection, texts opened)
// and the rows that follow from it. Knows nothing of pixels or gestures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "ui/table/row_order.h"

namespace dlview::ui {

// Places that are marked, to be copied. Kept as runs, so that marking ten million rows costs what
// marking one does.
class RowMarks {
 public:
  void clear() { runs_.clear(); }
  void add(std::size_t first, std::size_t last);  // inclusive
  void toggle(std::size_t place);
  bool contains(std::size_t place) const;
  bool empty() const { return runs_.empty(); }
  std::size_t count() const;
  // First place -> last place of each run, in order; runs neither overlap nor touch.
  const std::map<std::size_t, std::size_t>& runs() const { return runs_; }

 private:
  std::map<std::size_t, std::size_t> runs_;
};

// What a reader has done to a table (search, filters, sorting, selection, texts opened) and the
// rows that follow from it. Knows nothing of pixels or gestures.
class TableModel {
 public:
  explicit TableModel(TableLook look);

  const TableLook& look() const { return look_; }

  // Call in every frame, before anything below it is asked.
  void update(std::shared_ptr<const TableData> data, Background& background);
  // Null until the first order is there. Places are indices into rows()->rows.
  const std::shared_ptr<const ShownRows>& rows() const { return order_.shown(); }
  std::size_t row_count() const { return rows() ? rows()->rows.size() : 0; }
  bool is_late() const { return order_.is_late(); }
  // The rows are those of the data of the last update().
  bool is_present() const { return rows() && rows()->data == data_; }
  const std::string& problem() const { return order_.problem(); }
  // Counts up whenever places have come to mean other rows.
  int generation() const { return generation_; }

  const report::TableQuery& query() const { return query_; }
  void set_query(report::TableQuery query) { query_ = std::move(query); }
  void set_search(std::string text) { query_.search = std::move(text); }
  std::string_view filter_of(std::string_view column) const;  // "" = none
  void set_filter(const std::string& column, std::string text);
  // Sorts by this column first as it suits its kind, then the other way round. With `add` the
  // column becomes the last key, or turns where it is one already.
  void sort_by(const report::Column& column, bool add);

  // The key of the selected row; empty = none. It stays when the row is filtered out, or is not
  // there for a while.
  const std::string& selected() const { return selected_; }
  // The same without the row that is selected by default: what the user selected.
  std::string_view chosen() const { return is_default_ ? "" : std::string_view(selected_); }
  std::optional<std::size_t> selected_place() const { return place_; }
  // The row of the table behind it.
  std::optional<std::size_t> selected_row() const;
  // An empty key selects nothing; in a driving table that is the first row.
  void select(std::string key);
  // Nothing, and no row by default until there are other data.
  void deselect();
  // Makes the row that is selected by default the user's.
  void choose_selected() { is_default_ = false; }
  enum class Extend { no, to_here, by_this };
  void select_place(std::size_t place, Extend extend = Extend::no);
  void move_selection(int64_t rows, bool extend);
  void mark_all();
  const RowMarks& marks() const { return marks_; }

  // Whether the text of this cell is shown whole. A column is named by its id.
  bool is_open(std::size_t place, const std::string& column) const;
  void toggle_open(std::size_t place, const std::string& column);
  bool anything_open() const { return !open_.empty(); }

  // The row of a tree whose triangle was clicked, or that a key opened or closed; cleared by the
  // call. Whoever made the tree opens it.
  void turn_branch(std::size_t place) { turned_ = rows()->rows[place]; }
  std::optional<uint32_t> take_turned() { return std::exchange(turned_, std::nullopt); }

  std::string key_at(std::size_t place) const;

 private:
  void find_selected();
  void select_by_default();

  TableLook look_;
  report::TableQuery query_;
  RowOrder order_;
  std::shared_ptr<const TableData> data_;
  std::shared_ptr<const ShownRows> seen_;
  int generation_ = 0;

  std::string selected_;
  bool is_default_ = false;     // the first row, which nobody selected
  bool is_deselected_ = false;  // by the user, since there are these data
  std::optional<std::size_t> place_;
  std::size_t anchor_ = 0;
  RowMarks marks_;
  std::optional<uint32_t> turned_;
  std::set<std::pair<std::string, std::string>> open_;  // key, column
};

}  // namespace dlview::ui
