#include "ui/views/iterations/chart.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "ui/chart/cut_bars.h"
#include "ui/chart/iteration_popup.h"
#include "ui/chart/navigation.h"
#include "ui/chart/outliers.h"
#include "ui/views/iterations/bounds.h"

namespace dlview::ui {
namespace {

constexpr float kTopMargin = 36;
constexpr float kLeftMargin = 66;
constexpr float kBottomMargin = 22;
constexpr float kWidestBar = 240;
constexpr float kMarkSpacing = 7;
constexpr float kClickSlack = 3;  // pixels that the hand may move within a click
constexpr double kZoomStep = 0.8;
constexpr double kPanStep = 0.15;
constexpr double kTallestZoom = 100;

// A small diamond above each outlier's bar.
void draw_outlier_marks(Frame& frame, const Plot& plot, const BarData& data) {
  if (!frame.model.outliers) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float half = frame.px(4);
  for (const OutlierMark& mark :
       prepare_outlier_marks(*frame.model.outliers, data, plot, frame.px(kMarkSpacing))) {
    const float x = std::round(mark.x);
    const float y = mark.y - half - frame.px(3);
    list.AddQuadFilled({x, y - half - 1}, {x + half + 1, y}, {x, y + half + 1}, {x - half - 1, y},
                       frame.palette().background);
    list.AddQuadFilled({x, y - half}, {x + half, y}, {x, y + half}, {x - half, y},
                       outlier_colour(frame.palette(), mark.kind));
  }
}

void draw_chosen(const Frame& frame, const Plot& plot, std::optional<int64_t> iteration,
                 Colour colour) {
  if (!iteration) return;
  const float left = std::round(plot.x_of(static_cast<double>(*iteration)));
  const float right =
      std::max(left + frame.px(2), std::round(plot.x_of(static_cast<double>(*iteration + 1))));
  if (right <= plot.left || left >= plot.right()) return;
  fill({left, plot.top, right, plot.bottom()}, with_opacity(frame.palette().text, 0.10f));
  fill({left, plot.bottom() + 1, right, plot.bottom() + frame.px(4)}, colour);
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

}  // namespace

float right_margin(const Frame& frame, int64_t count) {
  return slider_end_width(frame, count) + frame.px(2);
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
    result.hovered = show_iteration_popup(frame, data, plot, input.range, "iterations/popup");
  }
  return result;
}

}  // namespace dlview::ui
