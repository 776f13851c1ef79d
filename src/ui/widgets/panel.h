// Panels: rounded surfaces with a title. Panels of one row get one height, that of the tallest,
// although each knows its own only after it has been drawn. Areas that scroll, and edges between
// boxes that a hand drags.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "aggregate/metrics.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

inline constexpr float kGap = 10;       // between panels, and to the window's edges
inline constexpr float kPadding = 14;   // inside a panel
inline constexpr float kPanelTop = 12;  // above its heading
inline constexpr float kRounding = 7;

struct PanelHeading {
  std::string_view title;
  aggregate::MetricId metric;  // its definition shows on the info sign; none = no sign
  std::string_view detail;     // dim, behind the title
  std::string_view note;       // dim, at the right edge
  std::string_view link = "";  // what draw_heading_link() draws there
};

// With the space below it.
float heading_height(const Frame& frame);
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

// A child window that scrolls vertically, its scroll bar in the margin at the right.
class ScrollArea {
 public:
  // With `wheel` false the mouse wheel is left to the contents.
  ScrollArea(Frame& frame, const char* id, const Box& box, bool wheel = true);
  ~ScrollArea();
  ScrollArea(const ScrollArea&) = delete;
  ScrollArea& operator=(const ScrollArea&) = delete;

  // Inside the margins, moved by the scrolling.
  const Area& area() const { return area_; }
  // Tells how far down the contents reach.
  void end_at(float bottom) { bottom_ = bottom; }

 private:
  Frame& frame_;
  Area area_;
  float bottom_;
};

// The edge between two boxes, one above the other, that a hand drags. A double click asks for the
// first division again.
class EdgeGrip {
 public:
  struct Move {
    std::optional<float> top;  // where the hand takes the top of the edge
    bool resets = false;
  };
  Move draw(Frame& frame, std::string_view name, const Box& edge);

 private:
  std::optional<float> held_at_;  // pixels below the top of the edge
};

}  // namespace dlview::ui
