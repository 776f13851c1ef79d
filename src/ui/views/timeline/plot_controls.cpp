#include "ui/views/timeline/plot_controls.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "timeline/time_text.h"
#include "ui/widgets/menu.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using timeline::Navigator;

constexpr float kScrollStep = 60;
constexpr double kZoomStep = 0.8;
constexpr double kKeyZoom = 0.6;
constexpr int64_t kPanParts = 6;  // a key or a line of the wheel pans a sixth of the window

// Of the pointer; beside the plot the middle of the window.
int64_t pointed_at(const Navigator& navigator, const TimelinePlot& plot) {
  const timeline::TimeWindow& window = navigator.window();
  const float x = ImGui::GetIO().MousePos.x;
  const bool is_over = x >= plot.box.left && x < plot.box.right;
  return is_over ? plot.time_at(x) : window.start_ns + window.length_ns / 2;
}

constexpr float kEdgeReach = 6;  // pixels of the design
constexpr float kArrow = 6;
constexpr float kLabelAbove = 6;

void draw_arrow_head(const Frame& frame, float tip, float y, float direction) {
  const float length = frame.px(kArrow) * direction, half = frame.px(kArrow) / 2;
  ImGui::GetWindowDrawList()->AddTriangleFilled({tip, y}, {tip - length, y - half},
                                                {tip - length, y + half}, frame.palette().bound);
}

void show_edge_tooltip(Frame& frame, const timeline::Lanes& lanes, const timeline::Edge& edge,
                       int64_t origin_ns) {
  const std::string time = timeline::time_text(edge.time_ns - origin_ns);
  if (!edge.event) {
    show_text_tooltip(frame,
                      {{TooltipStyle::value, time}, {TooltipStyle::note, "no event edge nearby"}});
    return;
  }
  show_text_tooltip(frame, {{TooltipStyle::name, lanes.events.name(*edge.event)},
                            {TooltipStyle::value, edge.is_stop ? "stops" : "starts"},
                            {TooltipStyle::note, time}});
}

}  // namespace

bool move_window(Navigator& navigator, TimelineCommand command, double steps,
                 const TimelinePlot& plot) {
  const double length = static_cast<double>(navigator.window().length_ns);
  const auto part = std::max<int64_t>(1, static_cast<int64_t>(length / kPanParts * steps));
  const double zoom = std::pow(kKeyZoom, steps);
  switch (command) {
    case TimelineCommand::zoom_in:
      navigator.zoom(pointed_at(navigator, plot), zoom, Navigator::By::keys);
      return true;
    case TimelineCommand::zoom_out:
      navigator.zoom(pointed_at(navigator, plot), 1 / zoom, Navigator::By::keys);
      return true;
    case TimelineCommand::pan_left:
      navigator.pan(-part, Navigator::By::keys);
      return true;
    case TimelineCommand::pan_right:
      navigator.pan(part, Navigator::By::keys);
      return true;
    case TimelineCommand::whole_run:
      navigator.jump(navigator.whole());
      return true;
    case TimelineCommand::back:
      navigator.back();
      return true;
    default:
      return false;
  }
}

float turn_wheel(const Frame& frame, const TimelinePlot& plot, bool can_scroll,
                 Navigator& navigator) {
  const ImGuiIO& io = ImGui::GetIO();
  const double length = static_cast<double>(navigator.window().length_ns);
  const float sideways = io.KeyShift && !io.KeyCtrl ? io.MouseWheel : io.MouseWheelH;
  if (sideways != 0) {
    const double by = length / kPanParts * static_cast<double>(-sideways);
    navigator.pan(static_cast<int64_t>(by), Navigator::By::wheel);
  } else if (io.MouseWheel != 0 && (io.KeyCtrl || !can_scroll)) {
    navigator.zoom(plot.time_at(io.MousePos.x),
                   std::pow(kZoomStep, static_cast<double>(io.MouseWheel)), Navigator::By::wheel);
  } else {
    return -io.MouseWheel * frame.px(kScrollStep);
  }
  return 0;
}

void MeasureTool::toggle() {
  if (measure_.is_on()) {
    measure_.end();
  } else {
    measure_.begin();
  }
}

void MeasureTool::point(const Frame& frame, const timeline::Lanes& lanes,
                        const TimelineLayout& layout, const TimelinePlot& plot, bool is_over_rows) {
  if (!is_over_rows) return measure_.point(std::nullopt);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto column = std::clamp(static_cast<int32_t>(std::floor(mouse.x - plot.box.left)), 0,
                                 plot.map.columns() - 1);
  pointed_at_ = mouse.y - plot.rows_top;
  const TimelineRow* row = layout.at(pointed_at_);
  if (row == nullptr || row->kind != TimelineRowKind::line) {
    return measure_.point(timeline::Edge{plot.map.begin_ns(column), {}, false});
  }
  const timeline::Line& line = line_at(lanes, {row->group, row->lane, row->line, 0});
  measure_.point(
      edge_near(line, lanes.events, plot.map, column, static_cast<int32_t>(frame.px(kEdgeReach))));
}

void MeasureTool::click() {
  measure_.click();
  fixed_at_ = pointed_at_;
}

void MeasureTool::draw_edge(const Frame& frame, const TimelinePlot& plot,
                            const timeline::Edge& edge) const {
  const float x = plot.x_of(edge.time_ns);
  fill({x, plot.box.top, x + 1, plot.box.bottom}, frame.palette().bound);
}

void MeasureTool::draw_label(Frame& frame, const TimelinePlot& plot,
                             const timeline::Measure::Span& span, float left, float right,
                             float y) const {
  const std::string text = timeline::exact_length_text(span.length_ns());
  frame.inspector.record_value("timeline/measured", text);
  const ImFont* font = frame.fonts().strong;
  const float inset = frame.px(6), height = line_height(font) + frame.px(4);
  const float width = std::ceil(text_width(font, text)) + 2 * inset;
  const float most = std::max(plot.box.left, plot.box.right - width);
  const float label_left = std::clamp(std::round((left + right - width) / 2), plot.box.left, most);
  const float below = y + frame.px(kLabelAbove), above = y - frame.px(kLabelAbove) - height;
  const float top = above < plot.box.top ? below : above;
  const Box box{label_left, top, label_left + width, top + height};
  fill(box, frame.palette().raised, frame.px(4));
  outline(box, frame.palette().bound, frame.px(4));
  draw_text_in(font, {box.left + inset, box.top, box.right, box.bottom}, frame.palette().text,
               text);
  frame.inspector.record_item("timeline/measured", item_rect(box));
  CopyMenu menu(frame, "timeline/measured", box);
  if (!menu.is_open()) return;
  menu.item("span", "Copy length", [&] { return base::format_ns(span.length_ns()); });
  menu.item("start", "Copy start",
            [&] { return timeline::time_text(span.first.time_ns - origin_ns_); });
  menu.item("stop", "Copy stop",
            [&] { return timeline::time_text(span.last.time_ns - origin_ns_); });
}

void MeasureTool::draw_dimension(Frame& frame, const TimelinePlot& plot,
                                 const timeline::Measure::Span& span) const {
  const float left = plot.x_of(span.first.time_ns), right = plot.x_of(span.last.time_ns);
  const float at = plot.rows_top + (measure_.is_fixed() ? fixed_at_ : pointed_at_);
  const float y = std::round(std::clamp(at, plot.box.top, plot.box.bottom - 1));
  fill({left, y, right, y + 1}, frame.palette().bound);
  if (right - left > frame.px(3 * kArrow)) {
    draw_arrow_head(frame, left, y + 0.5f, -1);
    draw_arrow_head(frame, right + 1, y + 0.5f, 1);
  }
  draw_label(frame, plot, span, left, right, y);
}

void MeasureTool::draw(Frame& frame, const timeline::Lanes& lanes, const TimelinePlot& plot) {
  if (!measure_.is_on()) return;
  const auto span = measure_.span();
  if (span) {
    draw_edge(frame, plot, span->first);
    draw_edge(frame, plot, span->last);
    draw_dimension(frame, plot, *span);
  } else if (measure_.first()) {
    draw_edge(frame, plot, *measure_.first());
  }
  if (!measure_.pointed()) return;
  draw_edge(frame, plot, *measure_.pointed());
  show_edge_tooltip(frame, lanes, *measure_.pointed(), origin_ns_);
}

}  // namespace dlview::ui
