// A small chart of the view Trend: one metric over all captures. All charts have one x axis.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/trend/trend_chart.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

inline constexpr float kTrendPlotWidth = 320, kTrendPlotHeight = 120;  // at least; and exactly

struct TrendDot {
  std::size_t capture = 0;
  double value = 0;
  std::optional<double> low = std::nullopt, high = std::nullopt;
  // The first capture after a step, or one that stands out.
  std::optional<report::TrendNote::Kind> step = std::nullopt;
  std::string text;  // "30.6 ms (30.1 ms to 31.0 ms)"
  std::string step_text;
};
// A level of the step function, from its first capture to its last one.
struct TrendBar {
  std::size_t first = 0, last = 0;
  double value = 0;
};

struct TrendPanel {
  std::string title, metric;
  std::vector<std::vector<TrendDot>> lines;  // one for captures that can be compared
  std::vector<TrendBar> levels;              // of lines with steps
  std::vector<report::TrendNote> notes;
  report::TrendScale scale;
  std::string low_text, high_text, limit_text;

  const TrendDot* dot_of(std::size_t capture) const;  // nullptr = not recorded there
};
// In the order of the trend; those that are 0 everywhere are left out. Pure.
std::vector<TrendPanel> prepare_trend_panels(const aggregate::Trend& trend);

// Where captures stand on the x axis.
struct TrendAxis {
  float left = 0, right = 0;
  std::size_t captures = 1;
  float x_of(std::size_t capture) const;
  std::size_t capture_at(float x) const;  // the nearest
};
// The y of a value within a plot.
float trend_y(const report::TrendScale& scale, const Box& plot, double value);

// Which captures have their label below the axis: the first, the last, those of `marked` first, and
// as many between them as have `least` pixels each. Ascending.
std::vector<std::size_t> labeled_captures(const TrendAxis& axis, float least,
                                          const std::vector<std::size_t>& marked = {});

// Which dots are marked.
struct TrendMarks {
  std::optional<std::size_t> active, hovered;
};
float trend_panel_height(const Frame& frame);
// The titles of panels of that width; those that are cut still differ.
std::vector<std::string> trend_panel_titles(const Frame& frame,
                                            const std::vector<TrendPanel>& panels, float width);
// Draws it; `name` begins the inspector's names, `title` is the panel's as it is shown, and
// `labels` stand below the axis. Returns the plot and its axis.
struct DrawnTrendPanel {
  Box plot;
  TrendAxis axis;
};
DrawnTrendPanel draw_trend_panel(Frame& frame, const std::string& name, const Box& box,
                                 const TrendPanel& panel, const std::string& title,
                                 const aggregate::Trend& trend,
                                 const std::vector<std::string>& labels, const TrendMarks& marks);

}  // namespace dlview::ui
