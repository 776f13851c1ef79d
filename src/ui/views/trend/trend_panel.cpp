#include "ui/views/trend/trend_panel.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "report/trend/trend_measure.h"
#include "ui/text.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using report::TrendNote;

constexpr float kPanelPadding = 12, kNoteRoom = 4, kLabelRoom = 16, kLeastLabel = 76;
constexpr float kGutterGap = 8;

Color note_color(const Palette& colors, TrendNote::Kind kind) {
  if (kind == TrendNote::Kind::worse) return colors.attention;
  return kind == TrendNote::Kind::better ? colors.good : colors.dim;
}

std::vector<TrendDot> dots_of(const aggregate::Trend& trend, const aggregate::TrendSeries& series,
                              const aggregate::TrendLine& line) {
  const aggregate::TrendMetric& metric = trend.metric_of(series);
  std::vector<TrendDot> dots;
  for (std::size_t place = 0; place < line.captures.size(); ++place) {
    TrendDot dot;
    dot.capture = line.captures[place];
    const aggregate::TrendValue& value = *trend.captures[dot.capture].values[series.metric];
    dot.value = value.value;
    dot.low = value.low;
    dot.high = value.high;
    dot.text = report::trend_interval_text(metric, value);
    for (const aggregate::TrendStep& step : line.steps.steps) {
      if (step.at != place) continue;
      dot.step =
          aggregate::is_worse(metric, step) ? TrendNote::Kind::worse : TrendNote::Kind::better;
      dot.step_text = aggregate::step_text(trend, line, step);
    }
    for (const aggregate::TrendStandout& standout : line.standouts) {
      if (standout.at != place) continue;
      dot.step =
          aggregate::is_worse(metric, standout) ? TrendNote::Kind::worse : TrendNote::Kind::better;
      dot.step_text = aggregate::standout_text(trend, line, standout);
    }
    dots.push_back(std::move(dot));
  }
  return dots;
}

void draw_interval(Frame& frame, const Box& plot, const TrendPanel& panel, const TrendAxis& axis,
                   const TrendDot& dot) {
  if (!dot.low || !dot.high) return;
  const float x = axis.x_of(dot.capture), half = frame.px(1);
  const float top = trend_y(panel.scale, plot, *dot.high);
  const float bottom = std::max(trend_y(panel.scale, plot, *dot.low), top + 1);
  fill({x - half, top, x + half, bottom},
       mix(frame.palette().panel, frame.palette().accent, 0.45f));
}

void draw_line(Frame& frame, const Box& plot, const TrendPanel& panel, const TrendAxis& axis,
               const std::vector<TrendDot>& dots) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Palette& colors = frame.palette();
  for (const TrendDot& dot : dots) draw_interval(frame, plot, panel, axis, dot);
  for (std::size_t i = 1; i < dots.size(); ++i) {
    const auto point = [&](const TrendDot& dot) {
      return ImVec2(axis.x_of(dot.capture), trend_y(panel.scale, plot, dot.value));
    };
    list.AddLine(point(dots[i - 1]), point(dots[i]), colors.accent, frame.px(1));
  }
}

void draw_dot(Frame& frame, const Box& plot, const TrendPanel& panel, const TrendAxis& axis,
              const TrendDot& dot, bool is_active, bool is_hovered, const std::string& name) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Palette& colors = frame.palette();
  const ImVec2 center(axis.x_of(dot.capture), trend_y(panel.scale, plot, dot.value));
  const float crowded = (axis.right - axis.left) / static_cast<float>(axis.captures);
  const float usual = std::clamp(crowded / 3, frame.px(2), frame.px(3));
  const float radius = dot.step || is_hovered ? usual + frame.px(2) : usual;
  if (is_active) list.AddCircle(center, radius + frame.px(3), colors.text, 0, frame.px(1));
  const Color color = dot.step ? note_color(colors, *dot.step) : colors.accent;
  list.AddCircleFilled(center, radius, color);
  frame.inspector.record_item(
      name, {center.x - radius, center.y - radius, center.x + radius, center.y + radius});
}

// Above or below the line, and at the end where it covers the fewest dots and intervals.
void draw_limit_text(Frame& frame, const std::string& name, const Box& plot,
                     const TrendPanel& panel, const TrendAxis& axis) {
  const ImFont* font = frame.fonts().small;
  const float y = trend_y(panel.scale, plot, *panel.scale.limit);
  const float width = text_width(font, panel.limit_text), height = line_height(font);
  const float right = plot.right - frame.px(4) - width, left = plot.left + frame.px(4);
  const float above = y - height - frame.px(1), below = y + frame.px(3);
  const auto covered = [&](const Box& box) {
    if (box.top < plot.top || box.bottom > plot.bottom) return SIZE_MAX;
    const float radius = frame.px(6);
    std::size_t count = 0;
    for (const std::vector<TrendDot>& line : panel.lines) {
      for (const TrendDot& dot : line) {
        const float x = axis.x_of(dot.capture);
        if (x + radius < box.left || x - radius > box.right) continue;
        const float center = trend_y(panel.scale, plot, dot.value);
        const float high = dot.high ? trend_y(panel.scale, plot, *dot.high) : center;
        const float low = dot.low ? trend_y(panel.scale, plot, *dot.low) : center;
        const bool is_on_dot = center + radius > box.top && center - radius < box.bottom;
        // A dot says more than the end of an interval.
        if (is_on_dot) count += 4;
        if (low > box.top && high < box.bottom) ++count;
      }
    }
    return count;
  };
  const auto box_at = [&](float x, float top) { return Box{x, top, x + width, top + height}; };
  Box best = box_at(right, above > plot.top ? above : below);
  std::size_t fewest = covered(best);
  for (const float x : {right, left, std::round((left + right) / 2)}) {
    for (const float top : {above, below, above - frame.px(7), below + frame.px(7)}) {
      const Box box = box_at(x, top);
      const std::size_t count = covered(box);
      if (count >= fewest) continue;
      best = box;
      fewest = count;
    }
  }
  draw_text_on_plate(frame, font, best.left, best.top, frame.palette().dim, panel.limit_text);
  frame.inspector.record_item(name + "/limit_text", item_rect(best));
}

// Steps and captures that stand out, in their order.
std::vector<std::size_t> marked_captures(const TrendPanel& panel) {
  std::vector<std::size_t> marked;
  for (const std::vector<TrendDot>& line : panel.lines) {
    for (const TrendDot& dot : line) {
      if (dot.step) marked.push_back(dot.capture);
    }
  }
  return marked;
}

// Labels are as near to their captures as they can be without overlaps: each is no wider than an
// equal share of the axis.
void draw_labels(Frame& frame, const std::string& name, const Box& plot, const TrendAxis& axis,
                 const TrendPanel& panel, const aggregate::Trend& trend,
                 const std::vector<std::string>& short_ones) {
  const ImFont* font = frame.fonts().small;
  const std::vector<std::size_t> marked = marked_captures(panel);
  const std::vector<std::size_t> labeled = labeled_captures(axis, frame.px(kLeastLabel), marked);
  const float slot = (plot.right - plot.left) / static_cast<float>(labeled.size());
  const float gap = frame.px(6);
  std::vector<std::string_view> labels;
  for (const std::size_t capture : labeled) labels.push_back(short_ones[capture]);
  const std::vector<std::string> cut =
      cut_texts(labels, slot - gap, CutAt::middle,
                [font](std::string_view text) { return text_width(font, text); });
  std::vector<float> lefts(labeled.size());
  float free_from = plot.left;
  for (std::size_t i = 0; i < labeled.size(); ++i) {
    const float width = text_width(font, cut[i]);
    lefts[i] = std::max(axis.x_of(labeled[i]) - width / 2, free_from);
    free_from = lefts[i] + width + gap;
  }
  float free_to = plot.right;
  for (std::size_t i = labeled.size(); i-- > 0;) {
    lefts[i] = std::round(std::min(lefts[i], free_to - text_width(font, cut[i])));
    free_to = lefts[i] - gap;
  }
  const float top = plot.bottom + frame.px(2);
  for (std::size_t i = 0; i < labeled.size(); ++i) {
    const bool is_marked = std::ranges::find(marked, labeled[i]) != marked.end();
    const Box box{lefts[i], top, lefts[i] + text_width(font, cut[i]), top + line_height(font)};
    draw_text(font, box.left, top, is_marked ? frame.palette().text : frame.palette().dim, cut[i]);
    const std::string path = fmt::format("{}/label/{}", name, labeled[i]);
    frame.inspector.record_item(path, item_rect(box));
    const std::string& whole = trend.captures[labeled[i]].label;
    if (cut[i] != whole && hovered(box)) show_tooltip(frame, whole);
  }
}

// The first note, and how many more there are.
void draw_note(Frame& frame, const std::string& name, const Area& area, const TrendPanel& panel,
               const aggregate::Trend& trend, const std::vector<std::string>& labels) {
  if (panel.notes.empty()) return;
  std::size_t steps = 0;
  for (const TrendNote& note : panel.notes) steps += note.kind == TrendNote::Kind::plain ? 0 : 1;
  std::string text = report::with_short_labels(panel.notes.front().text, trend, labels);
  if (steps > 1) text += fmt::format(" · {} more", steps - 1);
  draw_text_cut(frame, frame.fonts().small, area.left, area.top, area.width,
                note_color(frame.palette(), panel.notes.front().kind), text, CutAt::middle);
  frame.inspector.record_value(name + "/note", text);
}

}  // namespace

const TrendDot* TrendPanel::dot_of(std::size_t capture) const {
  for (const std::vector<TrendDot>& line : lines) {
    const auto found = std::ranges::find(line, capture, &TrendDot::capture);
    if (found != line.end()) return &*found;
  }
  return nullptr;
}

std::vector<TrendPanel> prepare_trend_panels(const aggregate::Trend& trend) {
  std::vector<TrendPanel> panels;
  for (const aggregate::TrendSeries& series : trend.series) {
    if (report::is_always_zero(trend, series)) continue;
    const aggregate::TrendMetric& metric = trend.metric_of(series);
    TrendPanel panel;
    panel.title = metric.title;
    panel.metric = metric.id;
    panel.scale = report::trend_scale(trend, series);
    panel.notes = report::trend_notes(trend, series);
    panel.low_text = report::trend_value_text(panel.scale.low, metric.unit);
    panel.high_text = report::trend_value_text(panel.scale.high, metric.unit);
    if (panel.scale.limit) {
      panel.limit_text = fmt::format("{} {}", metric.at_most ? "≤" : "≥",
                                     report::trend_value_text(*panel.scale.limit, metric.unit));
    }
    for (const aggregate::TrendLine& line : series.lines) {
      panel.lines.push_back(dots_of(trend, series, line));
      if (line.steps.steps.empty()) continue;
      for (const aggregate::TrendLevel& level : line.steps.levels) {
        panel.levels.push_back(
            {line.captures[level.first], line.captures[level.end - 1], level.value});
      }
    }
    panels.push_back(std::move(panel));
  }
  return panels;
}

float TrendAxis::x_of(std::size_t capture) const {
  const float share = (static_cast<float>(capture) + 0.5f) / static_cast<float>(captures);
  return std::round(left + share * (right - left));
}

std::size_t TrendAxis::capture_at(float x) const {
  const float place = (x - left) / (right - left) * static_cast<float>(captures);
  return static_cast<std::size_t>(
      std::clamp(std::floor(place), 0.0f, static_cast<float>(captures - 1)));
}

float trend_y(const report::TrendScale& scale, const Box& plot, double value) {
  const double share = (value - scale.low) / (scale.high - scale.low);
  return std::round(plot.bottom -
                    static_cast<float>(std::clamp(share, 0.0, 1.0)) * (plot.bottom - plot.top));
}

std::vector<std::size_t> labeled_captures(const TrendAxis& axis, float least,
                                          const std::vector<std::size_t>& marked) {
  const auto room = static_cast<std::size_t>(std::max(2.0f, (axis.right - axis.left) / least));
  std::vector<std::size_t> labeled;
  const std::size_t steps = std::min(room, axis.captures) - 1;
  for (std::size_t i = 0; steps > 0 && i <= steps; ++i) {
    labeled.push_back((axis.captures - 1) * i / steps);
  }
  if (steps == 0) labeled.push_back(0);
  // A marked capture takes the place of the nearest one between the ends that is not marked.
  for (const std::size_t capture : marked) {
    if (std::ranges::find(labeled, capture) != labeled.end()) continue;
    std::size_t nearest = 0;
    const auto distance = [capture](std::size_t other) {
      return other > capture ? other - capture : capture - other;
    };
    for (std::size_t k = 1; k + 1 < labeled.size(); ++k) {
      if (std::ranges::find(marked, labeled[k]) != marked.end()) continue;
      if (nearest == 0 || distance(labeled[k]) < distance(labeled[nearest])) nearest = k;
    }
    if (nearest == 0) break;
    labeled[nearest] = capture;
    std::ranges::sort(labeled);
  }
  return labeled;
}

float trend_panel_height(const Frame& frame) {
  return frame.px(kPanelPadding) + line_height(frame.fonts().strong) +
         line_height(frame.fonts().small) + 2 * frame.px(kNoteRoom) + frame.px(kTrendPlotHeight) +
         frame.px(kLabelRoom) + frame.px(kPanelPadding);
}

std::vector<std::string> trend_panel_titles(const Frame& frame,
                                            const std::vector<TrendPanel>& panels, float width) {
  const ImFont* font = frame.fonts().strong;
  const auto measure = [font](std::string_view text) { return text_width(font, text); };
  const float room = width - 2 * frame.px(kPanelPadding);
  std::vector<std::string> titles;
  std::map<std::string, std::vector<std::size_t>> alike;
  for (const TrendPanel& panel : panels) {
    titles.push_back(cut_text(panel.title, room, CutAt::middle, measure));
    alike[titles.back()].push_back(titles.size() - 1);
  }
  for (const auto& [cut, same] : alike) {
    std::vector<std::string_view> whole;  // each once
    for (const std::size_t p : same) whole.emplace_back(panels[p].title);
    std::ranges::sort(whole);
    whole.erase(std::unique(whole.begin(), whole.end()), whole.end());
    if (whole.size() < 2) continue;
    // At the front, if that leaves what differs, else around it.
    std::vector<std::string> apart;
    for (const std::string_view title : whole) {
      apart.push_back(cut_text(title, room, CutAt::front, measure));
    }
    if (std::set(apart.begin(), apart.end()).size() < apart.size()) {
      apart = cut_alike(whole, room, measure);
    }
    for (const std::size_t p : same) {
      const auto place = std::ranges::lower_bound(whole, std::string_view(panels[p].title));
      titles[p] = apart[static_cast<std::size_t>(place - whole.begin())];
    }
  }
  return titles;
}

DrawnTrendPanel draw_trend_panel(Frame& frame, const std::string& name, const Box& box,
                                 const TrendPanel& panel, const std::string& title,
                                 const aggregate::Trend& trend,
                                 const std::vector<std::string>& labels, const TrendMarks& marks) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  fill(box, colors.panel, frame.px(kRounding));
  outline(box, colors.line, frame.px(kRounding));
  const float padding = frame.px(kPanelPadding);
  Area area{box.left + padding, box.top + padding, box.width() - 2 * padding};
  draw_shown(frame, fonts.strong, area, colors.text, title, panel.title);
  frame.inspector.record_value(name, panel.title);
  area.top += line_height(fonts.strong) + frame.px(kNoteRoom);
  draw_note(frame, name, area, panel, trend, labels);
  area.top += line_height(fonts.small) + frame.px(kNoteRoom);
  const float gutter =
      std::max(text_width(fonts.small, panel.low_text), text_width(fonts.small, panel.high_text));
  const Box plot{std::round(area.left + gutter + frame.px(kGutterGap)), area.top, area.right(),
                 area.top + frame.px(kTrendPlotHeight)};
  DrawnTrendPanel drawn{plot, {plot.left, plot.right, trend.captures.size()}};
  const TrendAxis& axis = drawn.axis;
  draw_text_right(fonts.small, plot.left - frame.px(kGutterGap), plot.top, colors.dim,
                  panel.high_text);
  draw_text_right(fonts.small, plot.left - frame.px(kGutterGap),
                  plot.bottom - line_height(fonts.small), colors.dim, panel.low_text);
  horizontal_line(plot.left, plot.right, plot.top, colors.line);
  horizontal_line(plot.left, plot.right, plot.bottom, colors.line);
  // Between captures that cannot be compared.
  for (std::size_t c = 1; c < trend.captures.size(); ++c) {
    if (trend.captures[c].break_reason.empty()) continue;
    const float x = std::round((axis.x_of(c - 1) + axis.x_of(c)) / 2);
    hatch(frame, {x - frame.px(3), plot.top, x + frame.px(3), plot.bottom}, colors.faint);
    frame.inspector.record_item(fmt::format("{}/break/{}", name, c),
                                {x - frame.px(3), plot.top, x + frame.px(3), plot.bottom});
  }
  if (marks.hovered) {
    const float x = axis.x_of(*marks.hovered);
    fill({x, plot.top, x + 1, plot.bottom}, colors.line);
  }
  for (const TrendBar& level : panel.levels) {
    const float y = trend_y(panel.scale, plot, level.value), half = frame.px(2);
    const float spread = (axis.right - axis.left) / static_cast<float>(axis.captures) / 2;
    fill({axis.x_of(level.first) - spread, y - half, axis.x_of(level.last) + spread, y + half},
         with_opacity(colors.text, 0.18f));
    frame.inspector.record_item(
        fmt::format("{}/level/{}", name, level.first),
        {axis.x_of(level.first) - spread, y - half, axis.x_of(level.last) + spread, y + half});
  }
  if (panel.scale.limit) {
    const float y = trend_y(panel.scale, plot, *panel.scale.limit);
    fill({plot.left, y, plot.right, y + frame.px(1)}, colors.bound);
    frame.inspector.record_item(name + "/limit", {plot.left, y, plot.right, y + frame.px(1)});
  }
  for (const std::vector<TrendDot>& line : panel.lines) draw_line(frame, plot, panel, axis, line);
  for (const std::vector<TrendDot>& line : panel.lines) {
    for (const TrendDot& dot : line) {
      const std::string path = fmt::format("{}/dot/{}", name, dot.capture);
      draw_dot(frame, plot, panel, axis, dot, marks.active == dot.capture,
               marks.hovered == dot.capture, path);
      frame.inspector.record_value(
          path, fmt::format("{}: {}", trend.captures[dot.capture].label, dot.text));
    }
  }
  if (panel.scale.limit) draw_limit_text(frame, name, plot, panel, axis);
  draw_labels(frame, name, plot, axis, panel, trend, labels);
  return drawn;
}

}  // namespace dlview::ui
