// Panels: rounded surfaces with a title. Panels of one row get one height, that of the tallest,
// although each knows its own only after it has been drawn.
#pragma once

#include <string_view>
#include <vector>

#include <imgui.h>

#include "ui/widgets/canvas.h"

namespace dlview::ui {

inline constexpr float kGap = 10;      // between panels, and to the window's edges
inline constexpr float kPadding = 14;  // inside a panel
inline constexpr float kRounding = 7;

struct PanelHeading {
  std::string_view title;
  std::string_view metric;  // its definition shows on the info sign; empty = no sign
  std::string_view detail;  // dim, behind the title
  std::string_view note;    // dim, at the right edge
};

// Draws the heading and returns what is left below it.
Area draw_heading(Frame& frame, const Area& area, const PanelHeading& heading);
// A link at the right edge of a heading, in the place of its note; true when it was clicked.
bool draw_heading_link(Frame& frame, const Area& area, std::string_view name,
                       std::string_view label);

// One row. Every panel is begun, drawn and ended before the next one; finish() draws the surfaces
// behind them and returns the row's bottom.
class PanelRow {
 public:
  PanelRow(Frame& frame, float top);
  ~PanelRow();
  PanelRow(const PanelRow&) = delete;
  PanelRow& operator=(const PanelRow&) = delete;

  // The inner area of the panel that occupies [left, left + width).
  Area begin_panel(float left, float width);
  void end_panel(float content_bottom);
  float finish();

 private:
  struct Edges {
    float left, right;
  };
  Frame& frame_;
  float top_;
  float bottom_;
  std::vector<Edges> panels_;
  ImDrawListSplitter splitter_;
  bool finished_ = false;
};

}  // namespace dlview::ui
