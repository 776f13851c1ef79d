// A small fixed table: column titles, lines between rows, cells as boxes to draw into. For a
// handful of rows; it neither scrolls nor sorts.
#pragma once

#include <string_view>
#include <vector>

#include "ui/widgets/canvas.h"

namespace dlview::ui {

inline constexpr float kRowHeight = 25;
inline constexpr float kFlexibleWidth = -1;  // takes what the others leave

enum class Align { left, right, centre };

struct TableColumn {
  std::string_view title;
  std::string_view metric;  // definition on hover of the title; may be empty
  float width = 0;          // pixels; 0 leaves the column out
  Align align = Align::left;
};

class FixedTable {
 public:
  // Draws the titles. `row_height` in pixels of the design.
  FixedTable(Frame& frame, const Area& area, const std::vector<TableColumn>& columns,
             float row_height = kRowHeight);

  // One box for each column; those of columns left out have no width.
  std::vector<Box> next_row();
  float bottom() const { return y_; }

 private:
  Frame& frame_;
  Area area_;
  float row_height_;
  std::vector<Box> columns_;  // left and right edges
  float y_;
  bool first_row_ = true;
};

}  // namespace dlview::ui
