// The fixed lines of a DataTable above its rows: the toolbar, the titles, and the filters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/table/constant_columns.h"
#include "ui/table/table_draw.h"
#include "ui/table/table_export.h"
#include "ui/table/table_model.h"
#include "ui/table/tables.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

class TableHeader;

// The line above a table: title, search, which columns are shown, exports.
class TableToolbar {
 public:
  struct Subject {
    TableModel& model;
    ColumnLayout& layout;
    const std::vector<std::size_t>& in_table;  // empty before the first data
    Tables& tables;
    const std::string& subject;  // behind the title
    const ConstantColumns& constants;
    TableHeader& header;
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

// The fixed lines of a DataTable: titles, which sort, move and resize; and, where they are wanted,
// a filter under each.
class TableHeader {
 public:
  // Returns the bottom.
  float draw(TableDraw& draw);

  float height(const Frame& frame, const TableModel& model) const;
  // A table with filters shows them in any case.
  bool shows_filters(const TableModel& model) const {
    return shows_filters_ || !model.query().filters.empty();
  }
  // Shows the filters, with the cursor in the first one, or hides them.
  void turn_filters(const TableDraw& draw);
  void hide_filters() { shows_filters_ = false; }

 private:
  struct Held {
    std::size_t column = 0;
    float mouse_x = 0, width = 0;  // when it was taken
  };

  void draw_title(TableDraw& draw, const ColumnLayout::Placed& placed, const Box& box);
  void draw_resize_grip(TableDraw& draw, const ColumnLayout::Placed& placed, const Box& box);
  void drag_title(TableDraw& draw, const Box& line);
  struct Funnel {
    bool is_drawn = false, is_hovered = false;
  };
  Funnel draw_funnel(TableDraw& draw, const ColumnLayout::Placed& placed, const Box& title);
  void draw_filters(TableDraw& draw, float top, float bottom);
  bool draw_filter(TableDraw& draw, const ColumnLayout::Placed& placed, const Box& box);
  std::string problem_of(const TableDraw& draw, std::size_t of_look, const std::string& text);

  std::optional<Held> resized_, moved_;
  bool is_moving_ = false;  // beyond the distance of a click
  bool shows_filters_ = false;
  std::optional<std::size_t> wanted_filter_;  // of this column: gets the cursor
  bool types_filter_ = false;                 // the last frame had the cursor in one
  // The fault of the text that was looked at last, by column.
  struct Checked {
    std::string text, problem;
  };
  std::vector<Checked> checked_;
};

}  // namespace dlview::ui
