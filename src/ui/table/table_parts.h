// What the parts of a DataTable share while it is drawn: header, rows, cells.
#pragma once

#include <string>
#include <vector>

#include "ui/table/cell_text.h"
#include "ui/table/column_layout.h"
#include "ui/table/table_model.h"
#include "ui/table/tables.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

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
