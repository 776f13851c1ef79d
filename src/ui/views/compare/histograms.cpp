#include "ui/views/compare/histograms.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "aggregate/steady.h"
#include "base/units.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr double kWideSpread = 8;  // largest by smallest value
constexpr float kAxisHeight = 18, kBracketHeight = 16, kLowBracketHeight = 8;
constexpr float kLowPlot = 60, kLeastPlot = 16;

std::string percent_text(double change) {
  return base::with_sign(change, fmt::format("{:.1f}%", std::abs(100 * change)));
}

std::string p_text(double p) {
  return p < 0.001 ? "p < 0.001" : fmt::format("p = {:.2g}", p);
}

Histogram histogram_of(std::span<const int64_t> values, const Histograms& axis) {
  Histogram histogram;
  histogram.count = static_cast<int64_t>(values.size());
  histogram.shares.resize(Histograms::kBins);
  if (values.empty()) return histogram;
  histogram.median_ns = aggregate::median_of(std::vector<int64_t>(values.begin(), values.end()));
  const double each = 1 / static_cast<double>(values.size());
  for (const int64_t value : values) {
    const double place = axis.place_of(static_cast<double>(value));
    const auto bin = static_cast<std::size_t>(place * static_cast<double>(Histograms::kBins));
    histogram.shares[std::min(bin, Histograms::kBins - 1)] += each;
  }
  return histogram;
}

void draw_steps(const Box& plot, const Histograms& all, const Histogram& histogram, Color color,
                bool filled) {
  const auto x_of = [&](std::size_t bin) {
    return std::round(plot.left + plot.width() * static_cast<float>(bin) /
                                      static_cast<float>(Histograms::kBins));
  };
  const auto y_of = [&](double share) {
    const double height = all.highest > 0 ? share / all.highest : 0;
    return std::round(plot.bottom - static_cast<float>(height) * plot.height());
  };
  float last = plot.bottom;
  for (std::size_t bin = 0; bin <= histogram.shares.size(); ++bin) {
    const bool is_end = bin == histogram.shares.size();
    const float y = is_end ? plot.bottom : y_of(histogram.shares[bin]);
    const float x = x_of(bin);
    if (filled && !is_end && y < plot.bottom) {
      fill({x, y, x_of(bin + 1), plot.bottom}, with_opacity(color, 0.28f));
    }
    if (y != last) fill({x, std::min(y, last), x + 1, std::max(y, last) + 1}, color);
    if (!is_end && y < plot.bottom) fill({x, y, x_of(bin + 1) + 1, y + 1}, color);
    last = y;
  }
}

// The interval of the median after, as a bracket over the plot.
void draw_bracket(const Frame& frame, const Box& plot, float top, const Histograms& all,
                  Color color) {
  const auto x_of = [&](double ns) {
    return std::round(plot.left + plot.width() * static_cast<float>(all.place_of(ns)));
  };
  const float left = x_of(all.interval->low_ns);
  const float right = std::max(x_of(all.interval->high_ns), left + frame.px(2));
  const float foot = frame.px(5);
  fill({left, top, right, top + frame.px(2)}, color);
  fill({left, top, left + 1, top + foot}, color);
  fill({right - 1, top, right, top + foot}, color);
}

}  // namespace

double Histograms::place_of(double ns) const {
  const auto scaled = [this](double value) {
    return is_log ? std::log(std::max(value, 1.0)) : value;
  };
  const double low = scaled(low_ns), high = scaled(high_ns);
  return high > low ? std::clamp((scaled(ns) - low) / (high - low), 0.0, 1.0) : 0.5;
}

double Histograms::edge_ns(std::size_t bin) const {
  const double share = static_cast<double>(bin) / static_cast<double>(kBins);
  if (!is_log) return low_ns + share * (high_ns - low_ns);
  const double low = std::log(std::max(low_ns, 1.0)), high = std::log(std::max(high_ns, 1.0));
  return std::exp(low + share * (high - low));
}

bool wants_log(std::span<const int64_t> before, std::span<const int64_t> after) {
  int64_t least = INT64_MAX, most = 0;
  for (const auto side : {before, after}) {
    for (const int64_t value : side) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
  }
  return least > 0 && static_cast<double>(most) > kWideSpread * static_cast<double>(least);
}

Histograms prepare_histograms(std::span<const int64_t> before, std::span<const int64_t> after,
                              const aggregate::ValueChange* change,
                              const aggregate::RunFloor& floor, bool is_log) {
  Histograms all;
  all.is_log = is_log;
  double low = INFINITY, high = -INFINITY;
  for (const auto side : {before, after}) {
    for (const int64_t value : side) {
      low = std::min(low, static_cast<double>(value));
      high = std::max(high, static_cast<double>(value));
    }
  }
  if (!std::isfinite(low)) low = high = 0;
  const double room = std::max({(high - low) * 0.03, high * 0.002, 1.0});
  all.low_ns = is_log ? std::max(low / 1.03, 1.0) : std::max(low - room, 0.0);
  all.high_ns = is_log ? high * 1.03 : high + room;
  all.before = histogram_of(before, all);
  all.after = histogram_of(after, all);
  for (const Histogram* const side : {&all.before, &all.after}) {
    for (const double share : side->shares) all.highest = std::max(all.highest, share);
  }
  const auto base = static_cast<double>(all.before.median_ns);
  if (all.before.count > 1 && all.after.count > 1) {
    const double limit = floor.limit();
    all.floor = HistogramSpan{base * (1 - limit), base * (1 + limit)};
  }
  if (change == nullptr || !std::isfinite(change->change())) return all;
  all.note = percent_text(change->change());
  if (const auto& interval = change->interval;
      interval && std::isfinite(interval->low) && std::isfinite(interval->high)) {
    all.interval = HistogramSpan{base * (1 + interval->low), base * (1 + interval->high)};
    all.note +=
        fmt::format(" ({} to {})", percent_text(interval->low), percent_text(interval->high));
  }
  all.note += fmt::format(", {}: {}", p_text(change->p), aggregate::to_text(change->verdict));
  return all;
}

std::array<Color, 2> run_colors(const Palette& palette) {
  return {palette.dim, palette.accent};
}

void draw_histograms(Frame& frame, const Box& box, const Histograms& all) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const auto [before_color, after_color] = run_colors(colors);
  float y = box.top;
  const auto legend = [&](float left, Color color, std::string_view name,
                          const Histogram& histogram) {
    const float half = frame.px(4), middle = std::round(y + line_height(fonts.text) / 2);
    fill({left, middle - half, left + 2 * half, middle + half}, color, frame.px(2));
    const float room = (box.right - box.left) / 2 - frame.px(20);
    const std::string median = base::format_duration(histogram.median_ns);
    const std::string count = base::counted(histogram.count, "iterations");
    const std::string text = histogram.count == 0
                                 ? fmt::format("{}: no values", name)
                                 : fmt::format("{}: median {} of {}", name, median, count);
    frame.inspector.record_value(fmt::format("compare/distribution/{}", name), text);
    std::string shown = text;
    if (histogram.count > 0 && text_width(fonts.text, text) > room) {
      shown = fmt::format("{}: {}", name, median);
      const Box whole{left, y, left + frame.px(14) + room, y + line_height(fonts.text)};
      if (hovered(whole)) show_tooltip(frame, text);
    }
    draw_text_cut(frame, fonts.text, left + frame.px(14), y, room, colors.text, shown, CutAt::end);
  };
  legend(box.left, before_color, "Before", all.before);
  legend(std::round((box.left + box.right) / 2), after_color, "After", all.after);
  y += line_height(fonts.text) + frame.px(2);
  frame.inspector.record_value("compare/distribution/note", all.note);
  if (!all.note.empty()) {
    draw_text_cut(frame, fonts.text, box.left, y, box.width(), colors.dim, all.note, CutAt::end);
    y += line_height(fonts.text);
  }
  y += frame.px(4);
  const float room = box.bottom - frame.px(kAxisHeight) - y;
  const float bracket = frame.px(room < frame.px(kLowPlot) ? kLowBracketHeight : kBracketHeight);
  const Box plot{box.left, y + bracket, box.right, box.bottom - frame.px(kAxisHeight)};
  if (plot.height() < frame.px(kLeastPlot) || (all.before.count == 0 && all.after.count == 0))
    return;
  if (all.before.count < 2 && all.after.count < 2) {
    constexpr std::string_view kNoSpread = "One iteration on each side has no spread to show.";
    frame.inspector.record_value("compare/distribution/why_none", kNoSpread);
    draw_wrapped(fonts.text, {box.left, y + frame.px(6), box.width()}, colors.dim, kNoSpread);
    return;
  }
  const auto x_of = [&](double ns) {
    return std::round(plot.left + plot.width() * static_cast<float>(all.place_of(ns)));
  };
  if (all.floor) {
    const Box band{x_of(all.floor->low_ns), plot.top,
                   std::max(x_of(all.floor->high_ns), x_of(all.floor->low_ns) + 1), plot.bottom};
    fill(band, with_opacity(colors.dim, 0.14f));
    if (hovered(band)) {
      show_tooltip(frame,
                   "Gray: how far two runs of one state may lie apart. A difference within it may "
                   "be chance.");
    }
  }
  draw_steps(plot, all, all.before, before_color, true);
  draw_steps(plot, all, all.after, after_color, false);
  horizontal_line(plot.left, plot.right, plot.bottom, colors.line);
  const auto mark_median = [&](const Histogram& histogram, Color color) {
    if (histogram.count == 0) return;
    const float x = x_of(static_cast<double>(histogram.median_ns));
    fill({x, plot.top - frame.px(4), x + frame.px(2), plot.bottom}, color);
  };
  mark_median(all.before, before_color);
  mark_median(all.after, after_color);
  if (all.interval) draw_bracket(frame, plot, plot.top - 0.75f * bracket, all, after_color);
  const float labels = plot.bottom + frame.px(3);
  draw_text(fonts.small, plot.left, labels, colors.dim, base::format_duration(all.low_ns));
  draw_text_right(fonts.small, plot.right, labels, colors.dim, base::format_duration(all.high_ns));
}

}  // namespace dlview::ui
