// SVG charts of a page. Colors come from its style (assets/report/page.css): a shape has a class,
// "tone_memory" for a category, and both themes and printing follow. Shapes of charts have no
// texts that a table of the page has not.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlview::report::page {

// One drawing. Coordinates are those of the view box; it scales with the page.
class Svg {
 public:
  // `label`: what a screen reader says instead of it.
  Svg(double width, double height, std::string_view label);

  // A shape with a tooltip, which may be empty. `style`: classes.
  Svg& box(double x, double y, double width, double height, std::string_view style,
           std::string_view tip = {});
  Svg& line(double x1, double y1, double x2, double y2, std::string_view style);
  // `path`: the commands of its attribute d.
  Svg& path(std::string_view path, std::string_view style, std::string_view tip = {});
  Svg& circle(double x, double y, double radius, std::string_view style, std::string_view tip = {});
  enum class Anchor : uint8_t { start, middle, end };
  Svg& label(double x, double y, std::string_view text, Anchor anchor = Anchor::start,
             std::string_view style = {});

  // The element. `classes`: of it. `is_stretched`: fills its place, without its aspect ratio.
  std::string markup(std::string_view classes = "chart", bool is_stretched = false) const;

 private:
  double width_, height_;
  std::string label_, shapes_;
};

// The smallest 1, 2, 2.5 or 5 times a power of ten that is at least `value`; 1 for 0.
double round_up(double value);

// A time axis: up to `most` steps from 0 to at least `most_ns`.
struct TimeAxis {
  double step_ns = 1, top_ns = 1;
  std::string text(double ns) const;  // "20 ms", in the unit of the top
};
TimeAxis time_axis(double most_ns, int most_steps = 5);

// Whether a part of time has stripes in charts: every second one of a stack.
bool is_hatched(std::string_view tone);

// One stacked bar, as wide as the page: parts with a share of the whole.
struct BarPart {
  std::string label, value;  // "Memory", "1.20 ms · 3.9%"
  std::string tone;          // class: "tone_memory"
  double size = 0;
};
std::string stacked_bar(std::span<const BarPart> parts, std::string_view label);

// Points over a common x axis, for small multiples: a line with marks, an interval as a band,
// levels, and an optional horizontal limit.
struct LinePoint {
  double x = 0, y = 0;
  std::optional<double> low = {}, high = {};  // of the interval
  std::string tip = {};
  std::string style = {};  // of the mark: "worse", "better"
};
struct LineChart {
  double width = 320, height = 120;
  std::string label;
  std::vector<LinePoint> points;  // in order of x
  double first_x = 0, last_x = 1;
  double low_y = 0, high_y = 1;
  std::string low_text, high_text;  // of the y axis
  std::optional<double> limit = {};
  std::vector<std::size_t> breaks = {};  // points that begin a new line
  // Horizontal lines from x to x, behind the line.
  struct Level {
    double first_x = 0, last_x = 0, y = 0;
  };
  std::vector<Level> levels = {};
  // Names below the axis, one for each whole x from first_x; as many are drawn as there is room
  // for, always the first and the last, and long ones are cut in the middle. Empty: no axis.
  std::vector<std::string> x_texts = {};
};
std::string line_chart(const LineChart& chart);

}  // namespace dlview::report::page
