// The fixed lines of a DataTable above its rows: the toolbar, the titles, and the filters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/table/table_draw.h"
#include "ui/table/table_export.h"
#include "ui/table/table_model.h"
#include "ui/table/tables.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// The line above a table: title, search, which columns are shown, exports.
class TableToolbar {
 public:
  struct Subject {
    TableModel& model;
    ColumnLayout& layout;
    const std::vector<std::size_t>& in_table;  // empty before the first data
    Tables& tables;
    const std::string& subject;  // behind the title
  };
  // Returns the bottom.
  float draw(Frame& frame, const Area& area, const Subject& subject);
  // With the next frame.
  void focus_search() { focus_ = true; }

 private:
  float draw_export_menu(Frame& frame, float right, float top, const Subject& subject);
  float draw_columns_menu(Frame& frame, float right, float top, const Subject& subject);
  float draw_search(Frame& frame, float right, float top, float room, const Subject& subject);

  bool focus_ = false;
  bool export_all_ = false;
};

// The two fixed lines of a DataTable: titles, which sort, move and resize; and a filter under each.
class TableHeader {
 public:
  // Returns the bottom.
  float draw(TableDraw& draw);

 private:
  struct Held {
    std::size_t column = 0;
    float mouse_x = 0, width = 0;  // when it was taken
  };

  void draw_title(TableDraw& draw, const ColumnLayout::Placed& placed, const Box& box);
  void draw_resize_grip(TableDraw& draw, const ColumnLayout::Placed& placed, const Box& box);
  void drag_title(TableDraw& draw, const Box& line);
  void draw_filter(TableDraw& draw, const ColumnLayout::Placed& placed, const Box& box);
  std::string problem_of(const TableDraw& draw, std::size_t of_look, const std::string& text);

  std::optional<Held> resized_, moved_;
  bool is_moving_ = false;  // beyond the distance of a click
  // The fault of the text that was looked at last, by column.
  struct Checked {
    std::string text, problem;
  };
  std::vector<Checked> checked_;
};

}  // namespace dlview::ui
