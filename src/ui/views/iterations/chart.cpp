#include "ui/views/iterations/chart.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "ui/chart/iteration_popup.h"
#include "ui/chart/navigation.h"
#include "ui/chart/ticks.h"
#include "ui/views/iterations/bounds.h"

namespace dlview::ui {
namespace {

constexpr float kTopMargin = 26;
constexpr float kLeftMargin = 66;
constexpr float kBottomMargin = 22;
constexpr std::size_t kMostCutLabels = 40;
constexpr float kWidestBar = 240;
constexpr double kZoomStep = 0.8;
constexpr double kPanStep = 0.15;

void draw_axes(const Frame& frame, const Box& box, const Plot& plot, const BarData& data) {
  const ImFont* font = frame.fonts().small;
  const Palette& colours = frame.palette();
  const int marks = std::max(2, static_cast<int>(plot.height / frame.px(70)));
  for (const Tick& tick : duration_ticks(plot.top_ns, marks)) {
    const float y = std::round(plot.y_of(tick.value));
    horizontal_line(plot.left, box.right - frame.px(kRightMargin), y,
                    mix(colours.background, colours.line, 0.7f));
    draw_text_right(font, plot.left - frame.px(8), y - font->FontSize / 2, colours.dim, tick.label);
  }
  const auto first = static_cast<int64_t>(std::ceil(plot.span.first));
  const auto last = std::min(data.count(), static_cast<int64_t>(std::ceil(plot.span.last))) - 1;
  const int numbers = std::max(1, static_cast<int>(plot.width / frame.px(80)));
  for (const Tick& tick : iteration_ticks(first, last, numbers)) {
    const float centre = plot.x_of(tick.value + 0.5);
    draw_text(font, centre - text_width(font, tick.label) / 2, plot.bottom() + frame.px(4),
              colours.dim, tick.label);
  }
}

// A gap in the bar and its duration say that it goes on beyond the top.
void draw_cut_bars(const Frame& frame, const Plot& plot, const BarData& data) {
  const ImFont* font = frame.fonts().small;
  const Palette& colours = frame.palette();
  float free_from = plot.left;
  for (const CutBar& bar : cut_bars(data, plot, kMostCutLabels)) {
    const float y = plot.top + frame.px(9);
    fill({bar.left, y, bar.right, y + frame.px(3)}, colours.background);
    const std::string label = base::format_duration(data.height_ns(bar.iteration));
    const float left = bar.right + frame.px(5);
    const float right = left + text_width(font, label);
    if (left < free_from || right > plot.right()) continue;
    fill({left - frame.px(2), plot.top + frame.px(3), right + frame.px(2),
          plot.top + frame.px(3) + line_height(font)},
         colours.background, frame.px(3));
    draw_text(font, left, plot.top + frame.px(3), colours.dim, label);
    free_from = right + frame.px(6);
  }
}

void navigate(const Hit& hit, const Plot& plot, int64_t count, ChartState& state) {
  const ImGuiIO& io = ImGui::GetIO();
  if (hit.held && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    state.pan_from = state.span;
    state.pan_from_x = io.MousePos.x;
  }
  if (hit.held) {
    const double by = (state.pan_from_x - io.MousePos.x) / plot.pixels_per_iteration();
    state.span = panned(state.pan_from, by, count);
  }
  if (!hit.hovered) return;
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) state.span = whole_span(count);
  const float sideways = io.KeyShift ? io.MouseWheel : io.MouseWheelH;
  if (sideways != 0) {
    state.span = panned(state.span, -sideways * kPanStep * state.span.size(), count);
  } else if (io.MouseWheel != 0) {
    const double at =
        std::clamp(plot.iteration_at(io.MousePos.x), state.span.first, state.span.last);
    const double factor = std::pow(kZoomStep, static_cast<double>(io.MouseWheel));
    state.span = zoomed(state.span, at, factor, count);
  }
}

void show_popup(Frame& frame, const BarData& data, const Plot& plot,
                aggregate::IterationRange range) {
  const auto candidates = iterations_at(data, plot, ImGui::GetIO().MousePos.x);
  if (!candidates) return;
  const IterationPopup popup = prepare_popup(data, *candidates, range,
                                             frame.model.aggregation->io_recorded, frame.palette());
  frame.inspector.record_value("iterations/popup", popup.heading);
  show_rows_tooltip(frame, popup.heading, popup.rows, popup.note);
}

}  // namespace

Plot plot_in(const Frame& frame, const Box& box, const BarData& data, Span span) {
  Plot plot;
  plot.left = std::round(box.left + frame.px(kLeftMargin));
  plot.top = std::round(box.top + frame.px(kTopMargin));
  plot.height = std::floor(box.bottom - frame.px(kBottomMargin)) - plot.top;
  const float room = std::floor(box.right - frame.px(kRightMargin)) - plot.left;
  const double widest = std::ceil(span.size()) * static_cast<double>(frame.px(kWidestBar));
  plot.width = static_cast<float>(std::min<double>(room, widest));
  plot.span = span;
  plot.top_ns = fitting_top_ns(data, span);
  return plot;
}

std::optional<aggregate::IterationRange> draw_chart(Frame& frame, const Box& box,
                                                    const BarData& data,
                                                    aggregate::IterationRange range,
                                                    ChartState& state, BarLayer& bars) {
  const Plot plot = plot_in(frame, box, data, state.span);
  draw_axes(frame, box, plot, data);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect({plot.left, plot.top}, {plot.right(), plot.bottom()}, true);
  bars.add(list, prepare_bars(data, plot, range, frame.palette()));
  list.PopClipRect();

  // The bounds come first: the first item under the mouse is the one that is dragged.
  BoundsResult bounds;
  if (data.count() > 1) bounds = draw_bounds(frame, plot, range, data.count());
  draw_cut_bars(frame, plot, data);  // over the bounds: their labels must stay readable
  const Hit hit =
      hit_area(frame, "iterations/plot", {plot.left, plot.top, plot.right(), plot.bottom()});
  navigate(hit, plot, data.count(), state);
  if (hit.hovered && !hit.held) show_popup(frame, data, plot, range);
  return bounds.dragged_to;
}

}  // namespace dlview::ui
