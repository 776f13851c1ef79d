// What the roofline and the quadrants share: marks at their pixels, which of them the mouse is on,
// and what a gesture does to the selection, which is that of the table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/limits/roofline.h"
#include "ui/views/limits/limit_data.h"
#include "ui/widgets/canvas.h"
#include "ui/widgets/limit_mark.h"

namespace dlview::ui {

struct PlacedMark {
  uint32_t row = 0;
  float x = 0, y = 0, radius = 0;  // pixels
  LimitMarkLook look = {};
};
// The uppermost mark, which is drawn last, within `slack` pixels of its edge.
std::optional<uint32_t> mark_at(std::span<const PlacedMark> marks, float x, float y, float slack);
// Rows of the marks whose centers lie in the box.
std::vector<uint32_t> marks_in(std::span<const PlacedMark> marks, const Box& box);

// By row of the data; empty vectors = none is selected, all are shown.
struct PlotSelection {
  std::vector<bool> selected, shown;
  std::optional<uint32_t> chosen;   // the last one that was selected
  std::optional<uint32_t> hovered;  // in the other plot
};

// What was done in a frame.
struct PlotGesture {
  std::optional<uint32_t> clicked;  // row
  bool adds = false;                // Ctrl
  std::optional<std::vector<uint32_t>> boxed;
  bool deselects = false;
  std::optional<uint32_t> hovered;
  int walks = 0;       // marks in the order of the table
  bool opens = false;  // the chosen row in its table
};

// A rectangle that the right button drags.
class BoxSelect {
 public:
  // Draws it; returns it when it is released.
  std::optional<Box> draw(Frame& frame, const Box& area);
  // A drag, the release of which opens no menu.
  bool is_dragged() const { return is_dragged_; }

 private:
  std::optional<ImVec2> from_;
  bool is_dragged_ = false;
};

// Largest first, with rings around selected ones; what the table does not show is faint.
void draw_marks(const Frame& frame, std::span<const PlacedMark> marks,
                const PlotSelection& selection);

// At most six lines.
void explain_mark(Frame& frame, const aggregate::LimitRow& row, report::LimitRule rule);
// "math (near), counted"; of a lower bound "memory side · at least 24% of the roof".
std::string verdict_text(const aggregate::LimitRow& row, report::LimitRule rule);

// The menu of a right click on a plot.
void draw_plot_menu(Frame& frame, std::string_view name, const Box& box, const LimitData& data,
                    std::optional<uint32_t> row);

}  // namespace dlview::ui
