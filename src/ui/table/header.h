// The two fixed lines of a DataTable: titles, which sort, move and resize; and a filter under each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/table/table_parts.h"

namespace dlview::ui {

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
