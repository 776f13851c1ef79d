#include "ui/views/iterations/chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "aggregate/recorded.h"
#include "base/units.h"
#include "ui/chart/categories.h"
#include "ui/chart/cut_bars.h"
#include "ui/chart/iteration_name.h"
#include "ui/chart/iteration_popup.h"
#include "ui/chart/outliers.h"
#include "ui/chart/range_hatch.h"
#include "ui/chart/round_step.h"
#include "ui/widgets/stacked_bar.h"

namespace dlview::ui {
namespace {

// The largest 1, 2 or 5 times a power of ten that is at most `value`.
double round_step_within(double value) {
  const double above = round_step(value);
  if (above <= value) return above;
  return round_step(above / 2.6);  // 5 after 10, 2 after 5, 1 after 2
}

struct DurationUnit {
  double ns;
  std::string_view name;
};
constexpr std::array<DurationUnit, 6> kUnits{
    {{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}, {60e9, "min"}, {3600e9, "h"}}};

// The largest unit of which the axis shows at least one.
const DurationUnit& unit_of(double maximum_ns) {
  std::size_t i = kUnits.size() - 1;
  while (i > 0 && kUnits[i].ns > maximum_ns) --i;
  return kUnits[i];
}

constexpr float kTopMargin = 36;
constexpr float kLeftMargin = 66;
constexpr float kBottomMargin = 22;
constexpr float kWidestBar = 240;
constexpr float kMarkSpacing = 7;
constexpr float kClickSlack = 3;  // pixels that the hand may move within a click
constexpr double kZoomStep = 0.8;
constexpr double kPanStep = 0.15;
constexpr double kTallestZoom = 100;

constexpr float kLeastChosen = 8;

// A diamond around a point.
void fill_diamond(float x, float y, float half, Color color) {
  ImGui::GetWindowDrawList()->AddQuadFilled({x, y - half}, {x + half, y}, {x, y + half},
                                            {x - half, y}, color);
}

// A small diamond above each outlier's bar.
void draw_outlier_marks(Frame& frame, const Plot& plot, const BarData& data) {
  if (!frame.model.outliers) return;
  const float half = frame.px(4);
  for (const OutlierMark& mark :
       prepare_outlier_marks(*frame.model.outliers, data, plot, frame.px(kMarkSpacing))) {
    const float x = std::round(mark.x);
    const float y = mark.y - half - frame.px(3);
    fill_diamond(x, y, half + 1, frame.palette().background);
    fill_diamond(x, y, half, outlier_color(frame.palette(), mark.kind));
  }
}

// A stroke below the bar of a compared iteration: the bar keeps the colors of its categories.
void draw_chosen(const Frame& frame, const Plot& plot, std::optional<int64_t> iteration,
                 Color color) {
  if (!iteration) return;
  const float first = plot.x_of(static_cast<double>(*iteration));
  const float last = plot.x_of(static_cast<double>(*iteration + 1));
  if (last <= plot.left || first >= plot.right()) return;
  const float width = std::max(frame.px(kLeastChosen), std::round(last - first));
  const float left = std::round((first + last - width) / 2);
  fill({std::max(left, plot.left), plot.bottom() + 1, std::min(left + width, plot.right()),
        plot.bottom() + frame.px(4)},
       color);
}

void turn_wheel(const Plot& plot, const BarData& data, ChartState& state) {
  const ImGuiIO& io = ImGui::GetIO();
  const int64_t count = data.count();
  const double steps = static_cast<double>(io.MouseWheel);
  const double sideways = static_cast<double>(io.KeyShift ? io.MouseWheel : io.MouseWheelH);
  if (io.KeyCtrl && io.MouseWheel != 0) {
    // Down to where the highest bar is whole.
    const double smallest =
        std::min(1.0, fitting_top_ns(data, state.span) / highest_top_ns(data, state.span));
    state.height = std::clamp(state.height / std::pow(kZoomStep, steps), smallest, kTallestZoom);
  } else if (sideways != 0) {
    state.span = panned(state.span, -sideways * kPanStep * state.span.size(), count);
  } else if (io.MouseWheel != 0) {
    const double at =
        std::clamp(plot.iteration_at(io.MousePos.x), state.span.first, state.span.last);
    state.span = zoomed(state.span, at, std::pow(kZoomStep, steps), count);
  }
}

void pan(const Hit& hit, const Plot& plot, int64_t count, float slack, ChartState& state) {
  const ImGuiIO& io = ImGui::GetIO();
  if (!hit.held) return;
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    state.pan_from = state.span;
    state.pan_from_x = io.MousePos.x;
    state.moved = false;
  }
  const float by = state.pan_from_x - io.MousePos.x;
  state.moved |= std::abs(by) > slack;
  if (!state.moved) return;
  state.span = panned(state.pan_from, static_cast<double>(by) / plot.pixels_per_iteration(), count);
}

void show_all(int64_t count, ChartState& state) {
  state.span = whole_span(count);
  state.height = 1;
}

void bring_into_view(int64_t edge, int64_t count, Span& span) {
  const double middle = (span.first + span.last) / 2;
  span = panned(span, static_cast<double>(edge) - middle, count);
}

std::optional<int64_t> iteration_under_mouse(const BarData& data, const Plot& plot) {
  const auto iterations = iterations_at(data, plot, ImGui::GetIO().MousePos.x);
  if (!iterations) return std::nullopt;
  return data.highest(iterations->first, iterations->last);
}

constexpr float kPixelsPerDuration = 70;
constexpr float kPixelsPerNumber = 80;
constexpr float kGapOfNumbers = 24;

// `beside`: room between the labels and the plot.
void draw_durations(const Frame& frame, const Plot& plot, float beside, float right) {
  const ImFont* font = frame.fonts().small;
  const Palette& colors = frame.palette();
  const int marks = std::max(2, static_cast<int>(plot.height / frame.px(kPixelsPerDuration)));
  for (const Tick& tick : duration_ticks(plot.top_ns, marks)) {
    const float y = std::round(plot.y_of(tick.value));
    horizontal_line(plot.left, right, y, mix(colors.background, colors.line, 0.7f));
    draw_text_right(font, plot.left - beside - frame.px(8), y - font_size(font) / 2, colors.dim,
                    tick.label);
  }
}

constexpr float kReach = 5;        // of a line, to either side
constexpr float kMarkHeight = 14;  // above the plot, where the marks of outliers stand

enum class Place { left_of_view, in_view, right_of_view };

struct Bound {
  const char* name;
  int64_t edge;  // the left edge of this iteration
  float x;
  Place place;
  std::string text;
  Box flag;
};

Place place_of(const Plot& plot, float x) {
  if (x < plot.left - 1) return Place::left_of_view;
  return x > plot.right() + 1 ? Place::right_of_view : Place::in_view;
}

Bound make_bound(const Frame& frame, const Plot& plot, const char* name, int64_t edge,
                 int64_t number) {
  Bound bound{name, edge, std::round(plot.x_of(static_cast<double>(edge))), {}, {}, {}};
  bound.place = place_of(plot, bound.x);
  bound.text = base::format_count(number);
  if (bound.place == Place::left_of_view) bound.text = "< " + bound.text;
  if (bound.place == Place::right_of_view) bound.text += " >";
  const ImFont* font = frame.fonts().strong;
  const float half = std::ceil(text_width(font, bound.text) / 2) + frame.px(6);
  const float x = std::clamp(bound.x, plot.left, plot.right());
  const float bottom = plot.top - frame.px(kMarkHeight);
  bound.flag = {x - half, bottom - line_height(font) - frame.px(1), x + half, bottom};
  return bound;
}

void move(Box& box, float by) {
  box.left += by;
  box.right += by;
}

// Flags stay in the box; two that would overlap stand on the outer sides of their lines, or side by
// side where there is no such side.
void part_flags(Bound& start, Bound& stop, const Box& box, float gap) {
  Box& left = start.flag;
  Box& right = stop.flag;
  if (left.right > right.left) {
    move(left, std::min(0.0f, start.x - left.right));
    move(right, std::max(0.0f, stop.x - right.left));
  }
  move(left, std::max(0.0f, box.left - left.left));
  move(right, std::min(0.0f, box.right - right.right));
  if (left.right <= right.left) return;
  if (left.left <= box.left + gap) move(right, left.right + gap - right.left);
  move(left, std::min(0.0f, right.left - gap - left.right));
}

// Whether both flags, of one iteration, would overlap: their halves are then one flag.
bool share_flag(const Bound& start, const Bound& stop) {
  return start.text == stop.text && start.place == Place::in_view && stop.place == Place::in_view &&
         start.flag.right > stop.flag.left;
}

void join_flags(Bound& start, Bound& stop, const Box& box) {
  const float width = start.flag.width();
  const float left = std::clamp(std::round((start.x + stop.x - width) / 2), box.left,
                                std::max(box.left, box.right - width));
  start.flag.left = left;
  start.flag.right = stop.flag.left = std::round(left + width / 2);
  stop.flag.right = left + width;
}

void draw_line(const Frame& frame, const Plot& plot, const Bound& bound) {
  if (bound.place != Place::in_view) return;
  const float width = frame.px(2);
  const float left = bound.x - std::floor(width / 2);
  fill({left, plot.top - frame.px(kMarkHeight) - 1, left + width, plot.bottom()},
       frame.palette().bound);
}

void draw_flag(const Frame& frame, const Bound& bound) {
  const Palette& colors = frame.palette();
  const bool in_view = bound.place == Place::in_view;
  const Color color = in_view ? colors.bound : colors.raised;
  fill(bound.flag, color, frame.px(3));
  if (!in_view) outline(bound.flag, colors.dim, frame.px(3));
  draw_text_in(frame.fonts().strong, bound.flag, in_view ? text_on(color) : colors.text, bound.text,
               true);
}

Box line_box(const Frame& frame, const Plot& plot, const Bound& bound) {
  if (bound.place != Place::in_view) return {};
  const float reach = frame.px(kReach);
  return {bound.x - reach, plot.top - frame.px(kMarkHeight), bound.x + reach, plot.bottom()};
}

Box flag_box(const Bound& bound) {
  return bound.place == Place::in_view ? bound.flag : Box{};
}

enum class EntryState : uint8_t { plain, lit, hidden, unrecorded };

float draw_entry(Frame& frame, float x, float top, Color color, EntryState state,
                 std::string_view label) {
  const ImFont* font = frame.fonts().small;
  const float size = frame.px(8);
  const float middle = std::round(top + line_height(font) / 2);
  const Box swatch{x, middle - size / 2, x + size, middle + size / 2};
  if (state == EntryState::hidden) {
    outline(swatch, frame.palette().faint, frame.px(2));
  } else {
    fill(swatch, color, frame.px(2));
    if (color == frame.palette().outside) hatch(frame, swatch, frame.palette().background);
  }
  const Color text = state == EntryState::lit     ? frame.palette().accent
                     : state == EntryState::plain ? frame.palette().text
                                                  : frame.palette().dim;
  draw_text(font, x + size + frame.px(7), top, text, label);
  return size + frame.px(7) + text_width(font, label);
}

// Of the box, free for the last number of the slider and half its handle.
float right_margin(const Frame& frame, int64_t count) {
  return slider_end_width(frame, count) + frame.px(2);
}

// Whole numbers below, with those of the ranges where these count otherwise; round durations at the
// left.
void draw_axes(const Frame& frame, const Box& box, const Plot& plot,
               const aggregate::IterationTable& table) {
  const auto count = static_cast<int64_t>(table.iterations.rows.size());
  draw_durations(frame, plot, outside_room(frame, table).before,
                 box.right - right_margin(frame, count));
  const ImFont* font = frame.fonts().small;
  const auto first = static_cast<int64_t>(std::ceil(plot.span.first));
  const int64_t last = std::min(count, static_cast<int64_t>(std::ceil(plot.span.last))) - 1;
  if (last < first) return;
  const float widest = text_width(font, iteration_number(table.iterations, last));
  const float spacing = std::max(frame.px(kPixelsPerNumber), widest + frame.px(kGapOfNumbers));
  const int numbers = std::max(1, static_cast<int>(plot.width / spacing));
  for (const Tick& tick : iteration_ticks(first, last, numbers)) {
    const std::string label = iteration_number(table.iterations, static_cast<int64_t>(tick.value));
    const float width = text_width(font, label);
    const float left = plot.x_of(tick.value + 0.5) - width / 2;
    draw_text(font, std::min(left, box.right - width), plot.bottom() + frame.px(4),
              frame.palette().dim, label);
  }
}

// The two bounds of the range on the chart: lines that can be dragged, with their numbers as flags.
// A bound outside the visible span has its flag at the chart's edge.
struct BoundsResult {
  std::optional<aggregate::IterationRange> dragged_to;
  std::optional<int64_t> wanted_in_view;  // an edge whose flag at the chart's side was clicked
};

// `box` is the chart's, in which flags stay. With `whole_range` the span between the bounds can be
// dragged too.
BoundsResult draw_bounds(Frame& frame, const Box& box, const Plot& plot,
                         aggregate::IterationRange range, int64_t count, bool whole_range,
                         RangeDrag& drag) {
  Bound start = make_bound(frame, plot, "start", range.first, range.first);
  Bound stop = make_bound(frame, plot, "stop", range.last + 1, range.last);
  const bool is_shared = share_flag(start, stop);
  if (is_shared) {
    join_flags(start, stop, box);
  } else {
    part_flags(start, stop, box, frame.px(3));
  }

  BoundsResult result;
  for (const Bound* bound : {&start, &stop}) {
    if (bound->place == Place::in_view) continue;
    const Hit hit = hit_area(frame, fmt::format("iterations/outside_{}", bound->name), bound->flag);
    if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (hit.clicked) result.wanted_in_view = bound->edge;
  }
  const double at =
      plot.iteration_at(std::clamp(ImGui::GetIO().MousePos.x, plot.left, plot.right()));
  GripBoxes lines{line_box(frame, plot, start), line_box(frame, plot, stop), {}};
  if (whole_range) {
    lines.whole = {std::clamp(start.x, plot.left, plot.right()), plot.top,
                   std::clamp(stop.x, plot.left, plot.right()), plot.bottom()};
  }
  const GripResult on_line = place_grips(frame, "iterations/bound_", lines, at, range, count, drag);
  const GripResult on_flag = place_grips(
      frame, "iterations/flag_", {flag_box(start), flag_box(stop), {}}, at, range, count, drag);
  result.dragged_to = on_line.dragged_to ? on_line.dragged_to : on_flag.dragged_to;
  for (const Bound* bound : {&start, &stop}) draw_line(frame, plot, *bound);
  if (is_shared) {
    start.flag.right = stop.flag.right;
    draw_flag(frame, start);
  } else {
    for (const Bound* bound : {&start, &stop}) draw_flag(frame, *bound);
  }
  return result;
}

}  // namespace

std::vector<Tick> duration_ticks(double maximum_ns, int most) {
  if (maximum_ns <= 0 || most < 1) return {{0, "0"}};
  const DurationUnit& unit = unit_of(maximum_ns);
  double step = round_step(maximum_ns / unit.ns / most);
  step = std::min(step, round_step_within(maximum_ns / unit.ns));  // at least one mark above 0
  if (unit.ns == 1) step = std::max(step, 1.0);
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  std::vector<Tick> ticks;
  for (int i = 0; i * step * unit.ns <= maximum_ns * (1 + 1e-9); ++i) {
    ticks.push_back({i * step * unit.ns,
                     fmt::format("{:.{}f}{}{}", i * step, decimals, base::kThinSpace, unit.name)});
  }
  return ticks;
}

std::vector<Tick> iteration_ticks(int64_t first, int64_t last, int most) {
  if (last < first || most < 1) return {};
  const double width = static_cast<double>(last - first + 1);
  const auto step = static_cast<int64_t>(std::max(1.0, round_step(width / most)));
  const int64_t begin = first <= 0 ? 0 : (first + step - 1) / step * step;
  std::vector<Tick> ticks;
  for (int64_t number = begin; number <= last; number += step) {
    ticks.push_back({static_cast<double>(number), base::format_count(number)});
  }
  return ticks;
}

Plot plot_in(const Frame& frame, const Box& box, const BarData& data, const ChartState& state) {
  Plot plot;
  const OutsideRoom beside = outside_room(frame, data.table());
  plot.left = std::round(box.left + frame.px(kLeftMargin) + beside.before);
  plot.top = std::round(box.top + frame.px(kTopMargin));
  plot.height = std::floor(box.bottom - frame.px(kBottomMargin)) - plot.top;
  const float room =
      std::floor(box.right - right_margin(frame, data.count()) - beside.after) - plot.left;
  const double widest = std::ceil(state.span.size()) * static_cast<double>(frame.px(kWidestBar));
  plot.width = static_cast<float>(std::min<double>(room, widest));
  plot.span = state.span;
  plot.top_ns = std::max(1.0, fitting_top_ns(data, state.span) / state.height);
  return plot;
}

ChartResult draw_chart(Frame& frame, const Box& box, const ChartInput& input, ChartState& state,
                       BarLayer& bars) {
  const BarData& data = input.data;
  const Plot plot = plot_in(frame, box, data, state);
  draw_axes(frame, box, plot, data.table());
  draw_outside(frame, plot, data.table(), "iterations/outside");
  frame.inspector.record_value("iterations/chart_top", base::format_duration(plot.top_ns));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect({plot.left, plot.top}, {plot.right(), plot.bottom()}, true);
  state.picture.prepare(data, plot, frame.palette());
  bars.add(list, state.picture.bars(input.range));
  list.PopClipRect();
  hatch_outside(frame, plot, input.range, frame.palette().background);
  ChartResult result;
  if (input.is_preview) {
    draw_cut_bars(frame, plot, data, state.picture.cut_bars(), frame.palette().background);
    return result;
  }
  draw_chosen(frame, plot, frame.model.compared.baseline, frame.palette().dim);
  draw_chosen(frame, plot, frame.model.compared.iteration, frame.palette().accent);
  // The bounds come first: the first item under the mouse is the one that is dragged.
  if (data.count() > 1) {
    const BoundsResult bounds = draw_bounds(frame, box, plot, input.range, data.count(),
                                            ImGui::GetIO().KeyShift, state.drag);
    result.dragged_to = bounds.dragged_to;
    if (bounds.wanted_in_view) bring_into_view(*bounds.wanted_in_view, data.count(), state.span);
  }
  // Over the lines of the bounds, to stay readable.
  draw_outlier_marks(frame, plot, data);
  draw_cut_bars(frame, plot, data, state.picture.cut_bars(), frame.palette().background);
  const Box plot_box{plot.left, plot.top, plot.right(), plot.bottom()};
  const Hit hit = hit_area(frame, "iterations/plot", plot_box);
  pan(hit, plot, data.count(), frame.px(kClickSlack), state);
  if (hit.clicked && !state.moved) result.clicked = iteration_under_mouse(data, plot);
  if (hovered(plot_box)) turn_wheel(plot, data, state);
  if (hit.hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    show_all(data.count(), state);
  }
  if (hit.hovered && !hit.held) {
    place_next_tooltip(frame, plot.top + frame.px(4));
    result.hovered =
        show_iteration_popup(frame, frame.model, data, plot, input.range, "iterations/popup");
  }
  return result;
}

float draw_chart_legend(Frame& frame, const Area& area, HiddenCategories& hidden,
                        std::string_view hint) {
  const ImFont* font = frame.fonts().small;
  const float height = line_height(font);
  const float gap = frame.px(20);
  float x = area.left;
  float y = area.top;
  const auto wrap = [&](float width) {
    if (x <= area.left || x + width <= area.right()) return;
    x = area.left;
    y += height + frame.px(4);
  };
  const aggregate::RecordedCategories all_recorded(*frame.model.profile, *frame.model.aggregation);
  const bool has_communication = frame.model.aggregation->iteration_table->has_communication;
  for (const aggregate::Category category : aggregate::kCategories) {
    const auto index = static_cast<std::size_t>(category);
    const bool recorded = all_recorded.contains(category);
    const std::string label = category_label(category) + (recorded ? "" : " (not recorded)");
    const float width = frame.px(15) + text_width(font, label);
    wrap(width);
    const Hit hit = hit_area(frame, "iterations/legend/" + category_id(category),
                             {x - frame.px(4), y, x + width + frame.px(4), y + height});
    if (hit.clicked) hidden.flip(index);
    if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    const Color tone = frame.palette().tone(tone_of(category));
    const Color color = recorded ? tone : with_opacity(tone, kUnrecorded);
    const EntryState state = hidden[index] ? EntryState::hidden
                             : !recorded   ? EntryState::unrecorded
                             : hit.hovered ? EntryState::lit
                                           : EntryState::plain;
    x += draw_entry(frame, x, y, color, state, label) + gap;
    if (category != aggregate::Category::other_kernels || !has_communication) continue;
    constexpr std::string_view kExposed = "Exposed communication";
    wrap(frame.px(15) + text_width(font, kExposed));
    x += draw_entry(frame, x, y, frame.palette().tone(Tone::communication), EntryState::plain,
                    kExposed) +
         gap;
  }
  constexpr std::string_view kOutside = "Outside the range";
  wrap(frame.px(15) + text_width(font, kOutside));
  x += draw_entry(frame, x, y, frame.palette().outside, EntryState::plain, kOutside) + gap;
  const auto diamond = [&](const char* path, Color color, std::string_view label) {
    const auto has_color = [&](const aggregate::Outlier& outlier) {
      return outlier_color(frame.palette(), outlier.kind) == color;
    };
    if (!frame.model.outliers || std::ranges::none_of(frame.model.outliers->rows, has_color))
      return;
    const float half = frame.px(4);
    wrap(frame.px(15) + text_width(font, label));
    fill_diamond(x + half, std::round(y + height / 2), half, color);
    draw_text(font, x + frame.px(15), y, frame.palette().text, label);
    frame.inspector.record_value(path, label);
    x += frame.px(15) + text_width(font, label) + gap;
  };
  diamond("iterations/legend/outlier", frame.palette().attention, "Outlier");
  diamond("iterations/legend/expected", frame.palette().dim, "Expected outlier");
  if (x + text_width(font, hint) < area.right()) {
    draw_text_right(font, area.right(), y, frame.palette().dim, hint);
  }
  return y + height;
}

}  // namespace dlview::ui
