// Small fixed tables, and the marks in tables that stand for yes, no and unknown.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "aggregate/metrics.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// What stands for yes, no and unknown, the same in tables, on the Dashboard and in its pane.
enum class Mark : uint8_t {
  yes,      // a check
  missed,   // a cross: no, where yes would be better
  no,       // "–"
  unknown,  // "?"
};

// "1", "0" or "?", for the inspector.
std::string_view to_text(Mark mark);

// At the left of the box, or in its middle.
void draw_mark(Frame& frame, const Box& box, Mark mark, bool is_centered);

inline constexpr float kRowHeight = 25;
inline constexpr float kFlexibleWidth = -1;  // takes what the others leave

enum class Align { left, right, center };

struct TableColumn {
  std::string_view title;
  aggregate::MetricId metric;  // definition on hover of the title; may be none
  float width = 0;             // pixels; 0 leaves the column out
  Align align = Align::left;
};

// Column titles, lines between rows, cells as boxes to draw into. For a handful of rows; it neither
// scrolls nor sorts.
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
