#include "report/page/svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "report/page/markup.h"

namespace dlview::report::page {
namespace {

std::string class_of(std::string_view style) {
  return style.empty() ? "" : fmt::format(" class=\"{}\"", style);
}

// "12.5", without what a pixel does not show.
std::string coordinate(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

struct AxisUnit {
  double ns;
  std::string_view name;
};
constexpr std::array<AxisUnit, 6> kAxisUnits{
    {{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}, {60e9, "min"}, {3600e9, "h"}}};

const AxisUnit& axis_unit(double top_ns) {
  std::size_t i = kAxisUnits.size() - 1;
  while (i > 0 && kAxisUnits[i].ns > top_ns) --i;
  return kAxisUnits[i];
}

}  // namespace

Svg::Svg(double width, double height, std::string_view label)
    : width_(width), height_(height), label_(label) {}

Svg& Svg::box(double x, double y, double width, double height, std::string_view style,
              std::string_view tip) {
  fmt::format_to(std::back_inserter(shapes_),
                 "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{}", coordinate(x),
                 coordinate(y), coordinate(width), coordinate(height), class_of(style));
  shapes_ += tip.empty() ? "/>" : fmt::format("><title>{}</title></rect>", page::text(tip));
  return *this;
}

Svg& Svg::line(double x1, double y1, double x2, double y2, std::string_view style) {
  fmt::format_to(std::back_inserter(shapes_), "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"{}/>",
                 coordinate(x1), coordinate(y1), coordinate(x2), coordinate(y2), class_of(style));
  return *this;
}

Svg& Svg::path(std::string_view path, std::string_view style, std::string_view tip) {
  fmt::format_to(std::back_inserter(shapes_), "<path d=\"{}\"{}", path, class_of(style));
  shapes_ += tip.empty() ? "/>" : fmt::format("><title>{}</title></path>", page::text(tip));
  return *this;
}

Svg& Svg::circle(double x, double y, double radius, std::string_view style, std::string_view tip) {
  fmt::format_to(std::back_inserter(shapes_), "<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}",
                 coordinate(x), coordinate(y), coordinate(radius), class_of(style));
  shapes_ += tip.empty() ? "/>" : fmt::format("><title>{}</title></circle>", page::text(tip));
  return *this;
}

Svg& Svg::label(double x, double y, std::string_view text, Anchor anchor, std::string_view style) {
  const std::string_view place = anchor == Anchor::start    ? ""
                                 : anchor == Anchor::middle ? " text-anchor=\"middle\""
                                                            : " text-anchor=\"end\"";
  fmt::format_to(std::back_inserter(shapes_), "<text x=\"{}\" y=\"{}\"{}{}>{}</text>",
                 coordinate(x), coordinate(y), place, class_of(style), page::text(text));
  return *this;
}

std::string Svg::markup(std::string_view classes, bool is_stretched) const {
  return fmt::format(
      "<svg class=\"{}\" viewBox=\"0 0 {} {}\"{} role=\"img\" aria-label=\"{}\">{}</svg>\n",
      classes, coordinate(width_), coordinate(height_),
      is_stretched ? " preserveAspectRatio=\"none\"" : "", page::text(label_), shapes_);
}

bool is_hatched(std::string_view tone) {
  return tone == "tone_other_kernels" || tone == "tone_memory" || tone == "tone_io" ||
         tone == "tone_other";
}

double round_up(double value) {
  if (value <= 0) return 1;
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (factor * power >= value * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

TimeAxis time_axis(double most_ns, int most_steps) {
  const AxisUnit& unit = axis_unit(most_ns);
  TimeAxis axis;
  axis.step_ns = round_up(most_ns / unit.ns / most_steps) * unit.ns;
  axis.top_ns = std::max(1.0, std::ceil(most_ns / axis.step_ns - 1e-9)) * axis.step_ns;
  return axis;
}

std::string TimeAxis::text(double ns) const {
  if (ns == 0) return "0";
  const AxisUnit& unit = axis_unit(top_ns);
  return fmt::format("{:.4g} {}", ns / unit.ns, unit.name);
}

std::string stacked_bar(std::span<const BarPart> parts, std::string_view label) {
  constexpr double kWidth = 1000, kHeight = 28, kLeast = 0.5;
  double whole = 0;
  for (const BarPart& part : parts) whole += part.size;
  Svg svg(kWidth, kHeight, label);
  double x = 0;
  for (const BarPart& part : parts) {
    const double width = whole > 0 ? kWidth * part.size / whole : 0;
    if (width >= kLeast) {
      svg.box(x, 0, width, kHeight, part.tone, fmt::format("{}: {}", part.label, part.value));
      if (is_hatched(part.tone)) svg.box(x, 0, width, kHeight, "hatched");
    }
    x += width;
  }
  return svg.markup("bar", true);
}

namespace {

// The first and the last character of a text with at most `most` of them, and "…" between.
std::string cut_middle(const std::string& text, std::size_t most) {
  const std::vector<std::size_t> begins = [&text] {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) places.push_back(i);
    }
    return places;
  }();
  if (begins.size() <= most) return text;
  const std::size_t kept = std::max<std::size_t>(most, 3) - 1, tail = (kept + 1) / 2;
  return text.substr(0, begins[kept - tail]) + "…" + text.substr(begins[begins.size() - tail]);
}

// Names below a chart from `left` to `right`: the ends, those of `marked`, and others between them.
void label_axis(Svg& svg, const std::vector<std::string>& texts,
                const std::vector<std::size_t>& marked, double left, double right, double y) {
  constexpr double kLeastRoom = 58, kCharacter = 6.8;
  const double width = right - left;
  if (texts.size() < 2) {
    for (const std::string& text : texts) {
      svg.label((left + right) / 2, y, cut_middle(text, 40), Svg::Anchor::middle);
    }
    return;
  }
  const std::size_t last = texts.size() - 1;
  const double apart = width / static_cast<double>(last);
  const auto every =
      std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(kLeastRoom / apart)));
  // Those at the ends are written inwards, where half a place more is free.
  const double room = apart * static_cast<double>(std::min(every, last));
  const auto most = static_cast<std::size_t>(room * (last > every ? 0.6 : 0.5) / kCharacter);
  std::vector<std::size_t> labeled{0, last};
  const auto add = [&](std::size_t i) {
    const bool has_room = std::all_of(labeled.begin(), labeled.end(), [&](std::size_t other) {
      return (i > other ? i - other : other - i) >= every;
    });
    if (has_room) labeled.push_back(i);
  };
  for (const std::size_t i : marked) add(i);
  for (std::size_t i = every; i < last; i += every) add(i);
  for (const std::size_t i : labeled) {
    svg.label(left + apart * static_cast<double>(i), y, cut_middle(texts[i], most),
              i == 0      ? Svg::Anchor::start
              : i == last ? Svg::Anchor::end
                          : Svg::Anchor::middle);
  }
}

}  // namespace

std::string line_chart(const LineChart& chart) {
  constexpr double kLeft = 52, kRight = 8, kTop = 8, kMargin = 8, kNames = 22;
  const double right = chart.width - kRight,
               bottom = chart.height - (chart.x_texts.empty() ? kMargin : kNames);
  const auto x_of = [&](double x) {
    const double whole = chart.last_x - chart.first_x;
    return whole > 0 ? kLeft + (right - kLeft) * (x - chart.first_x) / whole : (kLeft + right) / 2;
  };
  const auto y_of = [&](double y) {
    const double whole = chart.high_y - chart.low_y;
    return whole > 0 ? bottom - (bottom - kTop) * (y - chart.low_y) / whole : (kTop + bottom) / 2;
  };
  Svg svg(chart.width, chart.height, chart.label);
  svg.line(kLeft, kTop, right, kTop, "grid").line(kLeft, bottom, right, bottom, "grid");
  svg.label(kLeft - 6, kTop + 4, chart.high_text, Svg::Anchor::end);
  svg.label(kLeft - 6, bottom + 3, chart.low_text, Svg::Anchor::end);
  const auto begins = [&chart](std::size_t i) {
    return i == 0 || std::find(chart.breaks.begin(), chart.breaks.end(), i) != chart.breaks.end();
  };
  std::string band, line;
  for (std::size_t first = 0; first < chart.points.size();) {
    std::size_t last = first + 1;
    while (last < chart.points.size() && !begins(last)) ++last;
    std::string back;
    bool has_band = true;
    for (std::size_t i = first; i < last; ++i) {
      const LinePoint& point = chart.points[i];
      const std::string x = coordinate(x_of(point.x));
      line += fmt::format("{}{} {}", i == first ? 'M' : 'L', x, coordinate(y_of(point.y)));
      has_band = has_band && point.low && point.high;
    }
    if (has_band && last - first > 1) {
      for (std::size_t i = first; i < last; ++i) {
        const LinePoint& point = chart.points[i];
        const std::string x = coordinate(x_of(point.x));
        band += fmt::format("{}{} {}", i == first ? 'M' : 'L', x, coordinate(y_of(*point.high)));
        back = fmt::format("L{} {}", x, coordinate(y_of(*point.low))) + back;
      }
      band += back + 'Z';
    }
    first = last;
  }
  if (!band.empty()) svg.path(band, "band");
  if (chart.limit && *chart.limit >= chart.low_y && *chart.limit <= chart.high_y) {
    svg.line(kLeft, y_of(*chart.limit), right, y_of(*chart.limit), "limit");
  }
  for (const LineChart::Level& level : chart.levels) {
    svg.line(x_of(level.first_x), y_of(level.y), x_of(level.last_x), y_of(level.y), "level");
  }
  if (!line.empty()) svg.path(line, "line");
  for (const LinePoint& point : chart.points) {
    svg.circle(x_of(point.x), y_of(point.y), 3,
               point.style.empty() ? "mark" : "mark " + point.style, point.tip);
  }
  std::vector<std::size_t> marked;
  for (const LinePoint& point : chart.points) {
    const double place = point.x - chart.first_x;
    if (!point.style.empty() && place >= 0) marked.push_back(static_cast<std::size_t>(place));
  }
  label_axis(svg, chart.x_texts, marked, kLeft, right, chart.height - 6);
  return svg.markup("chart small");
}

}  // namespace dlview::report::page
