#include "ui/strip/strip.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/chart/cut_bars.h"
#include "ui/chart/iteration_popup.h"
#include "ui/chart/navigation.h"
#include "ui/chart/outliers.h"
#include "ui/chart/range_hatch.h"
#include "ui/strip/rank_control.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kStripHeight = 74;  // without rows of other runs
constexpr float kOtherRow = 30, kBelowOthers = 6;
constexpr float kMostOthers = 6;
constexpr float kTextWidth = 172, kNarrowTextWidth = 120;
constexpr float kWideTextWidth = 320;  // in wide windows, for the best alternative
constexpr float kWideStrip = 1100;
constexpr float kSteadyWidth = 118;
constexpr float kMargin = 12;
constexpr float kReach = 7;        // of a bound, to either side
constexpr float kWidestBar = 120;  // so that a few iterations are not walls
constexpr double kZoomStep = 0.8;

void draw_left(Frame& frame, const Box& box, const StripText& text, MarkerLine& marker) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  float y = box.top;
  draw_text(fonts.strong, box.left, y, colors.text, text.range);
  y += line_height(fonts.strong) + frame.px(3);
  draw_text(fonts.small, box.left, y, colors.dim, text.part);
  y += line_height(fonts.small) + frame.px(3);
  marker.draw(frame, "strip/marker", {box.left, y, box.right, y + line_height(fonts.small)}, true);
  frame.inspector.record_value("strip/range", text.range);
  frame.inspector.record_value("strip/part", text.part);
}

void draw_bound(const Frame& frame, const Box& chart, float x, const Hit& hit) {
  const Palette& colors = frame.palette();
  const float width = frame.px(2);
  const float left = x - std::floor(width / 2);
  fill({left, chart.top, left + width, chart.bottom}, colors.bound);
  const bool lit = hit.hovered || hit.held;
  ImGui::GetWindowDrawList()->AddCircleFilled({x, std::round((chart.top + chart.bottom) / 2)},
                                              frame.px(lit ? 6 : 5),
                                              lit ? colors.accent : colors.bound);
}

// However short the stretch, it is seen.
void draw_visible(Frame& frame, const Plot& plot, const aggregate::Iterations& iterations,
                  const timeline::TimeWindow& visible, const std::string& name) {
  const auto x_of = [&](int64_t time_ns) {
    return std::clamp(plot.x_of(iteration_position(iterations, time_ns)), plot.left, plot.right());
  };
  const float left = std::floor(x_of(visible.start_ns));
  const Box box{left, plot.top - frame.px(3),
                std::max(left + frame.px(4), std::ceil(x_of(visible.stop_ns()))),
                plot.bottom() + frame.px(3)};
  fill(box, with_opacity(frame.palette().accent, 0.3f));
  outline(box, frame.palette().accent);
  frame.inspector.record_item(name, item_rect(box));
}

}  // namespace

double iteration_position(const aggregate::Iterations& iterations, int64_t time_ns) {
  const auto& rows = iterations.rows;
  const auto next = std::ranges::upper_bound(rows, time_ns, {}, &aggregate::Iteration::start_ns);
  if (next == rows.begin()) return 0;
  const aggregate::Iteration& row = *(next - 1);
  const int64_t behind = next == rows.end() ? row.stop_ns : next->start_ns;
  const double share = behind <= row.start_ns ? 1
                                              : static_cast<double>(time_ns - row.start_ns) /
                                                    static_cast<double>(behind - row.start_ns);
  return static_cast<double>(next - rows.begin() - 1) + std::min(share, 1.0);
}

std::string range_text(aggregate::IterationRange range) {
  const std::string first = base::format_count(range.first);
  return range.size() == 1 ? first : fmt::format("{}–{}", first, base::format_count(range.last));
}

StripText prepare_strip_text(const aggregate::Iterations& iterations,
                             aggregate::IterationRange range) {
  StripText text;
  text.range = (range.size() == 1 ? "Iteration " : "Iterations ") + range_text(range);
  const std::string label = aggregate::range_label(iterations, range);
  const auto all = static_cast<int64_t>(iterations.rows.size());
  if (all > 1) {
    text.part = fmt::format("{} of {}", base::format_count(range.size()), base::format_count(all));
  }
  if (!label.empty()) text.part += (all > 1 ? " · " : "") + label;
  return text;
}

float strip_height(const Frame& frame, float available) {
  const float alone = frame.px(kStripHeight), row = frame.px(kOtherRow);
  const float below = frame.px(kBelowOthers);
  const float room = std::clamp((available / 2 - alone - below) / row, 0.0f, kMostOthers);
  const float rows = std::min(static_cast<float>(frame.model.other_runs.size()), std::floor(room));
  return rows == 0 ? alone : alone + rows * row + below;
}

void StripChart::prepare(const workspace::RunModel& run) {
  const auto& table = run.aggregation->iteration_table;
  if (data_.is_of(table.get(), {})) return;
  data_ = BarData(table, {});
  span_ = whole_span(data_.count());
}

void StripChart::navigate(const Plot& plot, const Hit& hit) {
  const ImGuiIO& io = ImGui::GetIO();
  if (!hit.hovered) return;
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) span_ = whole_span(data_.count());
  if (io.MouseWheel == 0) return;
  const double at = std::clamp(plot.iteration_at(io.MousePos.x), span_.first, span_.last);
  span_ = zoomed(span_, at, std::pow(kZoomStep, static_cast<double>(io.MouseWheel)), data_.count());
}

std::optional<aggregate::IterationRange> StripChart::draw(
    Frame& frame, const workspace::RunModel& run, std::string_view path, const Box& box,
    BarLayer& bars, const std::vector<timeline::TimeWindow>& marked, std::optional<double> top_ns) {
  const std::string name(path);
  const aggregate::IterationRange range = current_range(run);
  const OutsideRoom room = outside_room(frame, data_.table());
  Plot plot{box.left + room.before, box.top, box.width() - room.before - room.after,
            box.height(),           span_,   1};
  plot.width =
      std::min(plot.width, static_cast<float>(std::ceil(span_.size())) * frame.px(kWidestBar));
  plot.top_ns = top_ns.value_or(fitting_top_ns());
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect({box.left, box.top}, {box.right, box.bottom}, true);
  picture_.prepare(data_, plot, frame.palette());
  bars.add(list, picture_.bars(range));
  list.PopClipRect();
  hatch_outside(frame, plot, range, frame.palette().background);

  draw_outside(frame, plot, data_.table(), name + "/outside");
  for (const timeline::TimeWindow& window : marked) {
    draw_visible(frame, plot, iterations(), window, name + "/visible");
  }
  const Box plot_box{plot.left, plot.top, plot.right(), plot.bottom()};
  GripResult grips;
  if (data_.count() > 1) {
    const float reach = frame.px(kReach);
    const auto x_of = [&](int64_t edge) {
      return std::round(plot.x_of(static_cast<double>(edge)));
    };
    const auto grip_at = [&](float x) {
      const bool visible = x >= plot.left - 1 && x <= plot.right() + 1;
      return visible ? Box{x - reach, box.top, x + reach, box.bottom} : Box{};
    };
    const float first_x = x_of(range.first);
    const float last_x = x_of(range.last + 1);
    const Box whole{std::clamp(first_x, plot.left, plot.right()), box.top,
                    std::clamp(last_x, plot.left, plot.right()), box.bottom};
    const float mouse_x = std::clamp(ImGui::GetIO().MousePos.x, plot.left, plot.right());
    grips = place_grips(frame, name + "/", {grip_at(first_x), grip_at(last_x), whole},
                        plot.iteration_at(mouse_x), range, data_.count(), drag_);
    if (grip_at(first_x).width() > 0) draw_bound(frame, box, first_x, grips.first);
    if (grip_at(last_x).width() > 0) draw_bound(frame, box, last_x, grips.last);
  }
  Hit hit = hit_area(frame, name + "/plot", plot_box, Reach::mouse);
  hit.hovered = hovered(plot_box);
  navigate(plot, hit);
  const bool dragging = grips.first.held || grips.last.held || grips.whole.held;
  if (hit.hovered && !dragging) {
    place_next_tooltip(frame, plot.bottom() + frame.px(8));
    show_iteration_popup(frame, run, data_, plot, range, name + "/popup");
  }
  return grips.dragged_to;
}

void IterationStrip::draw_other(Frame& frame, const Edges& edges, const Box& row,
                                const OtherRun& other, BarLayer& bars,
                                const std::vector<timeline::TimeWindow>& marked) {
  const Palette& palette = frame.palette();
  const ImFont* font = frame.fonts().small;
  const std::string path = fmt::format("strip/run_{}", other.run.run);
  StripChart& chart = others_[other.run.run];
  chart.prepare(other.run);
  const std::string range = range_text(current_range(other.run));
  const float right = edges.chart_left - frame.px(kMargin);
  const float top = std::round((row.top + row.bottom - font_size(font)) / 2);
  draw_text_right(font, right, top, palette.dim, range);
  const float room = right - frame.px(kMargin) - text_width(font, range) - edges.left;
  draw_text_cut(frame, font, edges.left, top, room, palette.text, other.name, CutAt::middle);
  frame.inspector.record_value(path + "/range", range);

  const auto& rows = chart.iterations().rows;
  std::vector<timeline::TimeWindow> its_own;
  for (timeline::TimeWindow window : marked) {
    window.start_ns -= other.clock.ns;
    if (window.stop_ns() > rows.front().start_ns && window.start_ns < rows.back().stop_ns) {
      its_own.push_back(window);
    }
  }
  const float inset = frame.px(3);
  const Box box{edges.chart_left, row.top + inset, edges.chart_right, row.bottom - inset};
  if (const auto dragged_to = chart.draw(frame, other.run, path, box, bars, its_own)) {
    frame.host.select_in_run(other.run.run, other.run.selection.with_range(*dragged_to));
  }
}

void IterationStrip::draw_others(Frame& frame, const Edges& edges, const Box& box, BarLayer& bars,
                                 const std::vector<timeline::TimeWindow>& marked) {
  const std::vector<OtherRun>& runs = frame.model.other_runs;
  const float height = frame.px(kOtherRow);
  const auto rows = static_cast<std::size_t>(std::max(box.height(), 0.0f) / height);
  const std::size_t charts = runs.size() <= rows ? runs.size() : rows - (rows > 0 ? 1 : 0);
  float top = box.top;
  for (const OtherRun& other : std::span(runs).first(charts)) {
    draw_other(frame, edges, {box.left, top, box.right, top + height}, other, bars, marked);
    top += height;
  }
  if (charts == runs.size() || rows == 0) return;
  const ImFont* font = frame.fonts().small;
  const std::string text = fmt::format("{} more profiles", runs.size() - charts);
  draw_text(font, edges.left, std::round(top + (height - font_size(font)) / 2), frame.palette().dim,
            text);
  frame.inspector.record_value("strip/more", text);
}

void IterationStrip::draw(Frame& frame, const Box& box, BarLayer& bars,
                          const std::vector<timeline::TimeWindow>& marked) {
  active_.prepare(frame.model);
  const Palette& colors = frame.palette();
  fill(box, colors.background);
  horizontal_line(box.left, box.right, box.bottom - 1, colors.line);
  const float margin = frame.px(kMargin);
  const bool narrow = box.width() < frame.px(640);
  const bool is_wide = box.width() >= frame.px(kWideStrip);
  const float text_width = narrow ? 0 : frame.px(is_wide ? kWideTextWidth : kTextWidth);
  const float steady_left = box.right - margin - (narrow ? 0 : frame.px(kSteadyWidth));
  const float of_ranks = narrow ? 0 : rank_control_width(frame);
  const float left = box.left + margin + (of_ranks > 0 ? of_ranks + margin : 0);
  const Edges edges{left, std::round(left + text_width), std::round(steady_left - margin),
                    box.right - margin};
  const float top = box.top + frame.px(9), bottom = box.top + frame.px(kStripHeight);
  if (of_ranks > 0) {
    draw_rank_control(frame, box.left + margin, {box.left, box.top, box.right, bottom});
  }
  const aggregate::IterationRange range = current_range(frame.model);
  if (!narrow) {
    draw_left(frame, {edges.left, top, edges.left + text_width - margin, bottom},
              prepare_strip_text(active_.iterations(), range), marker_);
  }
  const Box chart{edges.chart_left, top, edges.chart_right, bottom - frame.px(9)};
  const auto dragged_to = active_.draw(frame, frame.model, "strip", chart, bars, marked);
  if (dragged_to) frame.host.select(frame.model.selection.with_range(*dragged_to));
  Edges of_others = edges;
  if (narrow) of_others.chart_left += frame.px(kNarrowTextWidth);
  draw_others(frame, of_others, {box.left, bottom, box.right, box.bottom}, bars, marked);
  if (narrow) return;
  draw_steady_offer(frame, "strip/steady", {steady_left, top, edges.right, bottom},
                    frame.model.steady, range);
}

}  // namespace dlview::ui
