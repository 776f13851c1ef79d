#include "report/limits/roofline_svg.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/units.h"
#include "report/writers/html.h"

namespace dlview::report {
namespace {

using aggregate::Limit;
using aggregate::Origin;

constexpr double kWidth = 960, kHeight = 640;
constexpr double kLeft = 64, kTop = 56, kRight = 24, kBottom = 56;
constexpr double kStripWidth = 36, kStripLabels = 56;

// As in the light theme.
std::string_view color_of(Limit limit) {
  switch (limit) {
    case Limit::math:
      return "#d9571a";
    case Limit::memory:
      return "#2a74cc";
    case Limit::both:
      return "#7d59c1";
    case Limit::neither:
      return "#d0508a";
    case Limit::no_flop:
      return "#7d5228";
    case Limit::unknown:
      break;
  }
  return "#4c5664";
}

class Svg {
 public:
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  void line(double x0, double y0, double x1, double y1, std::string_view color, double width,
            bool dashed = false) {
    add(R"svg(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}" stroke-width="{}"{}/>)svg",
        x0, y0, x1, y1, color, width, dashed ? " stroke-dasharray=\"5 4\"" : "");
  }
  void label(double x, double y, std::string_view anchor, std::string_view text, double angle = 0) {
    add(R"svg(<text x="{:.1f}" y="{:.1f}" text-anchor="{}" transform="rotate({:.1f} {:.1f} {:.1f})">{}</text>)svg",
        x, y, anchor, angle, x, y, escape_html(text));
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string points_of(Limit limit, double x, double y, double r) {
  const auto at = [&](double dx, double dy) {
    return fmt::format("{:.1f},{:.1f} ", x + dx * r, y + dy * r);
  };
  switch (limit) {
    case Limit::math:
      return at(-.886, -.886) + at(.886, -.886) + at(.886, .886) + at(-.886, .886);
    case Limit::both:
      return at(0, -1.253) + at(1.253, 0) + at(0, 1.253) + at(-1.253, 0);
    case Limit::neither:
      return at(0, -1.45) + at(1.347, .88) + at(-1.347, .88);
    case Limit::no_flop:
      return at(-1.57, -.5) + at(1.57, -.5) + at(1.57, .5) + at(-1.57, .5);
    case Limit::memory:
    case Limit::unknown:
      break;
  }
  return {};
}

void draw_mark(Svg& svg, const RooflineMark& mark, double x, double y,
               const aggregate::LimitRow& row) {
  const Limit limit = mark.verdict.limit;
  const bool is_filled = mark.origin == Origin::counted && limit != Limit::unknown;
  const bool is_half = mark.origin == Origin::sampled && limit != Limit::unknown;
  const std::string style = fmt::format(
      R"svg(fill="{0}" fill-opacity="{1}" stroke="{0}" stroke-width="1.5")svg", color_of(limit),
      is_filled ? "0.9"
      : is_half ? "0.5"
                : "0.1");
  const std::string title =
      fmt::format("{} · {} · {}", escape_html(row.name), aggregate::to_text(limit),
                  base::format_duration(row.time_ns));
  const auto radius = static_cast<double>(mark.radius);
  const std::string points = points_of(limit, x, y, radius);
  if (points.empty()) {
    svg.add(R"svg(<circle cx="{:.1f}" cy="{:.1f}" r="{:.1f}" {}><title>{}</title></circle>)svg", x,
            y, radius, style, title);
  } else {
    svg.add(R"svg(<polygon points="{}" {}><title>{}</title></polygon>)svg", points, style, title);
  }
}

void draw_axes(Svg& svg, const PlotMap& map) {
  for (const LogTick& tick : log_ticks(map.x, false)) {
    const double x = map.to_x(tick.at);
    if (tick.is_major) svg.line(x, map.top, x, map.bottom, "#e4e8ee", 1);
    svg.line(x, map.bottom, x, map.bottom + (tick.is_major ? 6 : 3), "#5a6471", 1);
    if (!tick.label.empty()) svg.label(x, map.bottom + 19, "middle", tick.label);
  }
  for (const LogTick& tick : log_ticks(map.y, true)) {
    const double y = map.to_y(tick.at);
    if (tick.is_major) svg.line(map.left, y, map.right, y, "#e4e8ee", 1);
    svg.line(map.left - (tick.is_major ? 6 : 3), y, map.left, y, "#5a6471", 1);
    if (!tick.label.empty()) svg.label(map.left - 9, y + 4, "end", tick.label);
  }
  svg.line(map.left, map.top, map.left, map.bottom, "#5a6471", 1);
  svg.line(map.left, map.bottom, map.right, map.bottom, "#5a6471", 1);
  svg.label(map.left, map.top - 8, "start", "FLOP/s");
  svg.label(map.right, map.bottom + 38, "end", "Arithmetic intensity (FLOP/byte)");
}

void draw_roofs(Svg& svg, const Roofline& plot, const PlotMap& map) {
  double free_above = map.bottom + 100;  // labels of flat roofs, from below
  std::vector<const RooflineRoof*> order;
  for (const RooflineRoof& roof : plot.roofs) {
    if (roof.in_use) order.push_back(&roof);
  }
  std::ranges::stable_sort(order, {}, [](const RooflineRoof* roof) { return roof->per_second; });
  for (const RooflineRoof* roof : order) {
    const auto line = roof_line(plot, *roof, map.x, map.y);
    if (!line) continue;
    const double x0 = map.to_x(line->x0), y0 = map.to_y(line->y0), x1 = map.to_x(line->x1),
                 y1 = map.to_y(line->y1);
    svg.line(x0, y0, x1, y1, "#1d232c", 1.5);
    if (roof->is_memory) {
      constexpr double kPi = 3.14159265358979;
      const double angle = std::atan2(y1 - y0, x1 - x0), length = std::hypot(x1 - x0, y1 - y0);
      const double at = std::min(0.5, 90 / length);
      svg.label(x0 + (x1 - x0) * at + 5 * std::sin(angle),
                y0 + (y1 - y0) * at - 5 * std::cos(angle), "middle", roof->label,
                angle * 180 / kPi);
    } else if (y1 < free_above) {
      svg.label(x1, y1 - 5, "end", roof->label);
      free_above = y1 - 15;
    }
    if (const auto ridge = plot.ridge(*roof); ridge && map.x.contains(std::log10(*ridge))) {
      const double x = map.to_x(std::log10(*ridge));
      svg.line(x, map.bottom - 7, x, map.bottom, "#1d232c", 1.5);
      svg.label(x + 4, map.bottom - 4, "start", intensity_text(*ridge));
    }
  }
}

}  // namespace

std::string roofline_svg(const Roofline& plot, std::span<const aggregate::LimitRow> rows,
                         std::string_view head_line) {
  Svg svg;
  svg.add(
      R"svg(<svg xmlns="http://www.w3.org/2000/svg" width="{0:g}" height="{1:g}" viewBox="0 0 {0:g} {1:g}" font-family="Inter, sans-serif" font-size="12" fill="#1d232c">)svg",
      kWidth, kHeight);
  svg.add(R"svg(<rect width="{:g}" height="{:g}" fill="#ffffff"/>)svg", kWidth, kHeight);
  svg.label(16, 24, "start", head_line);
  const bool has_strip = !plot.strip.empty();
  const double strip_left = kStripLabels;
  const double left = has_strip ? strip_left + kStripWidth + kLeft : kLeft;
  const PlotMap map{left, kTop, kWidth - kRight, kHeight - kBottom, plot.x, plot.y};
  draw_axes(svg, map);
  draw_roofs(svg, plot, map);
  for (const RooflineMark& mark : plot.marks) {
    draw_mark(svg, mark, map.to_x(mark.x), map.to_y(mark.y), rows[mark.row]);
  }
  for (const RooflineMark& mark : plot.dense) {
    svg.add(R"svg(<circle cx="{:.1f}" cy="{:.1f}" r="1" fill="#4c5664" fill-opacity="0.4"/>)svg",
            map.to_x(mark.x), map.to_y(mark.y));
  }
  if (has_strip) {
    const PlotMap strip{strip_left,        kTop,   strip_left + kStripWidth,
                        kHeight - kBottom, {0, 1}, plot.strip_y};
    svg.add(
        R"svg(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="#f4f6f9" stroke="#d9dfe7"/>)svg",
        strip.left, strip.top, kStripWidth, strip.bottom - strip.top);
    for (const LogTick& tick : log_ticks(plot.strip_y, true)) {
      if (!tick.label.empty())
        svg.label(strip.left - 5, strip.to_y(tick.at) + 4, "end", tick.label);
    }
    svg.label(strip.left, strip.top - 8, "start", "B/s");
    svg.label((strip.left + strip.right) / 2, strip.bottom + 19, "middle", "no FLOP");
    for (const RooflineMark& mark : plot.strip) {
      draw_mark(svg, mark, (strip.left + strip.right) / 2, strip.to_y(mark.y), rows[mark.row]);
    }
  }
  return svg.take() + "</svg>\n";
}

}  // namespace dlview::report
