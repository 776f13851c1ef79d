// What the parts of a DataTable share: where its columns lie, and all that they draw with.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ui/table/table_data.h"
#include "ui/table/table_model.h"
#include "ui/table/tables.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// Where the columns of a table lie: their order, which are shown, how wide each is. Pure.
// All columns are numbered by their place in TableLook::columns.
class ColumnLayout {
 public:
  ColumnLayout() = default;
  explicit ColumnLayout(const std::vector<ColumnLook>& looks);

  std::size_t count() const { return columns_.size(); }
  bool is_shown(std::size_t column) const { return columns_[column].shown; }
  // The last column that is shown stays.
  void show(std::size_t column, bool shown);
  // A column that does not apply to the data is not placed, whether it is shown or not.
  void set_applies(std::size_t column, bool applies) { columns_[column].applies = applies; }
  // What files and copies contain: shown, and more than a picture.
  bool is_exported(std::size_t column) const {
    const Column& which = columns_[column];
    return which.shown && which.applies && !which.is_picture;
  }
  // Pixels of the design.
  void set_width(std::size_t column, float width);
  // Puts the column before the one at `place` of order(); order().size() = behind all.
  void move(std::size_t column, std::size_t place);

  const std::vector<std::size_t>& order() const { return order_; }  // also of those not shown

  struct Placed {
    std::size_t column = 0;
    float left = 0, width = 0;  // from the first one's left edge
    float right() const { return left + width; }
  };
  struct Placement {
    std::vector<Placed> columns;  // shown ones, from left to right
    float width = 0;              // of all: more than what is available = scrolls sideways
  };
  // In pixels. Columns with a share take what is left, no less than their width; a width that was
  // set by hand is kept.
  Placement place(float available, float scale, float gap) const;

 private:
  struct Column {
    float width = 0, share = 0;
    bool shown = true;
    bool is_picture = false;
    bool applies = true;
  };
  std::vector<Column> columns_;
  std::vector<std::size_t> order_;
};

// What header, rows and cells share while they are drawn.
struct TableDraw {
  Frame& frame;
  Tables& tables;
  TableModel& model;
  ColumnLayout& layout;
  const ShownRows& shown;
  const std::vector<std::size_t>& in_table;  // column of the table, by column of the look
  ColumnLayout::Placement placement;
  Box body;        // header, filters and rows; the scroll bar stands to the right of it
  float left = 0;  // of the first column: body.left, less what is scrolled
  bool has_keys = false;

  const TableLook& look() const { return model.look(); }
  const report::Table& table() const { return shown.data->table; }
  const report::Column& column(std::size_t of_look) const {
    return table().columns[in_table[of_look]];
  }
  report::Cell cell(std::size_t place, std::size_t of_look) const {
    return column(of_look).cell(shown.rows[place]);
  }
  Box column_box(const ColumnLayout::Placed& placed, float top, float bottom) const {
    return {left + placed.left, top, left + placed.right(), bottom};
  }
  std::string path(std::string_view part, std::string_view rest) const;
};

// The part of a cell that its number takes; a bar has the rest.
Box number_part(const TableDraw& draw, std::size_t of_look, const Box& cell);

}  // namespace dlview::ui
