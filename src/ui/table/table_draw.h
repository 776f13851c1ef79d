// What the parts of a DataTable share while they are drawn.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ui/table/column_layout.h"
#include "ui/table/cut_names.h"
#include "ui/table/table_data.h"
#include "ui/table/table_model.h"
#include "ui/table/tables.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// What header, rows and cells share while they are drawn.
struct TableDraw {
  Frame& frame;
  Tables& tables;
  TableModel& model;
  ColumnLayout& layout;
  const ShownRows& shown;
  const std::vector<std::size_t>& in_table;  // column of the table, by column of the look
  CutNames& names;
  ColumnLayout::Placement placement;
  Box body;  // header, filters and rows; the scroll bar stands to the right of it
  bool has_keys = false;
  // Numbers that their cells cut, with the width that they need in pixels.
  struct CutNumber {
    std::size_t of_look = 0;
    float width = 0;
  };
  std::vector<CutNumber> cut_numbers = {};

  const TableLook& look() const { return model.look(); }
  const report::Table& table() const { return shown.data->table; }
  const report::Column& column(std::size_t of_look) const {
    return table().columns[in_table[of_look]];
  }
  report::Cell cell(std::size_t place, std::size_t of_look) const {
    return column(of_look).cell(shown.rows[place]);
  }
  Box column_box(const ColumnLayout::Placed& placed, float top, float bottom) const {
    return {body.left + placed.left, top, body.left + placed.right(), bottom};
  }
  std::string path(std::string_view part, std::string_view rest) const;
};

// The part of a cell that its number takes; a bar has the rest.
Box number_part(const TableDraw& draw, std::size_t of_look, const Box& cell);

}  // namespace dlview::ui
