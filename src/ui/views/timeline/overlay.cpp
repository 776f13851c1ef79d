#include "ui/views/timeline/overlay.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units.h"
#include "profile/python_frames.h"
#include "timeline/time_text.h"
#include "ui/chart/iteration_name.h"
#include "ui/views/timeline/event_details.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using timeline::EventRef;
using timeline::Place;

constexpr float kArrowHead = 5;
constexpr profile::Row kMostArrowsOfOp = 16;

// The event that an arrow leads to: from work to its call, from a call to its work, from an op to
// that of the other pass.
std::optional<EventRef> other_end(EventRef event, const SelectedEvent& facts) {
  if (call_of(event) != event) return call_of(event);
  if (work_of(event) != event) return work_of(event);
  return facts.other_pass();
}

std::string_view end_text(EventRef from, EventRef to, bool is_earlier) {
  if (from.kind == timeline::EventKind::op) return is_earlier ? "forward op" : "backward op";
  return is_call(to.kind) ? "call" : "GPU event";
}

ImVec2 middle_of(const Box& box, const TimelinePlot& plot) {
  return {std::clamp((std::max(box.left, plot.box.left) + std::min(box.right, plot.box.right)) / 2,
                     plot.box.left, plot.box.right),
          std::clamp((box.top + box.bottom) / 2, plot.box.top, plot.box.bottom)};
}

void draw_arrow(const Frame& frame, ImVec2 from, ImVec2 to, Color color) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float bend = std::max(frame.px(20), std::abs(to.y - from.y) / 2) * (to.y < from.y ? -1 : 1);
  list.AddBezierCubic(from, {from.x, from.y + bend}, {to.x, to.y - bend}, to, color,
                      frame.px(1.5f));
  const float head = frame.px(kArrowHead);
  const float back = to.y < from.y ? head : -head;
  list.AddTriangleFilled(to, {to.x - head * 0.7f, to.y + back}, {to.x + head * 0.7f, to.y + back},
                         color);
}

// Where the other end of an arrow lies: "‹ call 9.23 ms earlier"; empty
// where it is on screen.
std::string off_screen_text(const timeline::Lanes& lanes, const timeline::TimeWindow& window,
                            EventRef from, EventRef to) {
  const base::Interval here = lanes.events.time(from), there = lanes.events.time(to);
  const std::string_view what = end_text(from, to, there.start_ns < here.start_ns);
  if (there.stop_ns < window.start_ns) {
    return fmt::format("‹ {} {} earlier", what,
                       base::format_duration(here.start_ns - there.start_ns));
  }
  if (there.start_ns >= window.stop_ns()) {
    return fmt::format("{} {} later ›", what,
                       base::format_duration(there.start_ns - here.start_ns));
  }
  return "";
}

void draw_link(Frame& frame, const timeline::Lanes& lanes, const TimelineRows& rows,
               const TimelinePlot& plot, const Place& selected, const Box& from,
               const SelectedEvent& facts) {
  const EventRef event = event_at(lanes, selected);
  const std::optional<EventRef> other = other_end(event, facts);
  if (!other) return;
  const std::optional<Place> place = find_place(lanes, *other);
  if (!place) return;
  const std::string text = off_screen_text(lanes, plot.map.window(), event, *other);
  const std::optional<Box> to = rows.box_of(*place);
  const Color color = frame.palette().bound;
  if (to) draw_arrow(frame, middle_of(from, plot), middle_of(*to, plot), color);
  frame.inspector.record_value(fmt::format("{}/arrow", plot.name),
                               text.empty() ? "on screen" : text);
  if (text.empty()) return;
  const bool is_left = lanes.events.time(*other).start_ns < plot.map.window().start_ns;
  const ImFont* font = frame.fonts().small;
  const float width = text_width(font, text);
  const float left = is_left ? plot.box.left + frame.px(8) : plot.box.right - width - frame.px(8);
  const float row = to ? to->top : from.top;
  const float top = std::clamp(row, plot.box.top, plot.box.bottom - line_height(font));
  fill({left - frame.px(4), top, left + width + frame.px(4), top + line_height(font) + 2},
       frame.palette().raised, frame.px(3));
  draw_text(font, left, top, frame.palette().text, text);
}

// To its first kernels, as far as they are on screen.
void draw_arrows_of_op(Frame& frame, const timeline::Lanes& lanes, const TimelineRows& rows,
                       const TimelinePlot& plot, profile::InstanceIndex op, const Box& from) {
  const auto& first_kernel = lanes.events.profile().instances.first_kernel;
  const profile::Row first = first_kernel[op], last = first_kernel[op + 1];
  int arrows = 0;
  for (profile::Row kernel = first; kernel < std::min(last, first + kMostArrowsOfOp); ++kernel) {
    const EventRef work{timeline::EventKind::kernel, kernel};
    const base::Interval time = lanes.events.time(work);
    const timeline::TimeWindow& window = plot.map.window();
    if (time.stop_ns < window.start_ns || time.start_ns >= window.stop_ns()) continue;
    const std::optional<Place> place = find_place(lanes, work);
    const std::optional<Box> to = place ? rows.box_of(*place) : std::nullopt;
    if (!to) continue;
    draw_arrow(frame, middle_of(from, plot), middle_of(*to, plot), frame.palette().dim);
    ++arrows;
  }
  frame.inspector.record_value(fmt::format("{}/kernel_arrows", plot.name), std::to_string(arrows));
}

// "60.20 s – 60.30 s · iterations 3–4"; without iterations outside all of them.
std::string place_text(const aggregate::Iterations& iterations,
                       const timeline::TimeWindow& stretch) {
  const std::string span = timeline::span_text(stretch);
  // What begins with the end of an iteration has no time in it.
  const auto first =
      iteration_at(iterations, std::min(stretch.start_ns + 1, stretch.stop_ns() - 1));
  const auto last = iteration_at(iterations, stretch.stop_ns() - 1);
  return first && last ? span + " · " + range_text({*first, *last}) : span;
}

// A window of its own, for the rows below take clicks everywhere.
void begin_above(const Box& box) {
  ImGui::SetCursorScreenPos({box.left, box.top});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::BeginChild("timeline/stretch", {box.width(), box.height()}, false,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar();
}

// Of a Python frame its function.
std::string short_name(const timeline::Events& events, EventRef event) {
  const std::string name = events.name(event);
  if (event.kind != timeline::EventKind::frame) return name;
  return std::string(profile::split_frame_name(name).function);
}

}  // namespace

void draw_selection(Frame& frame, const timeline::Lanes& lanes, const TimelineRows& rows,
                    const TimelinePlot& plot, const Place& selected, const SelectedEvent& facts) {
  const std::optional<Box> box = rows.box_of(selected);
  if (!box) return;
  outline({box->left - 1, box->top, box->right + 1, box->bottom}, frame.palette().bound,
          frame.px(2));
  frame.inspector.record_item(fmt::format("{}/selected", plot.name), item_rect(*box));
  const EventRef event = event_at(lanes, selected);
  if (event.kind == timeline::EventKind::op) {
    draw_arrows_of_op(frame, lanes, rows, plot, profile::InstanceIndex(event.row), *box);
  }
  draw_link(frame, lanes, rows, plot, selected, *box, facts);
}

void draw_stretch(Frame& frame, const TimelinePlot& plot, const timeline::TimeWindow& stretch) {
  const float left = plot.x_of(stretch.start_ns), right = plot.x_of(stretch.stop_ns());
  const Palette& colors = frame.palette();
  fill({left, plot.box.top, right, plot.box.bottom}, with_opacity(colors.accent, 0.12f));
  for (const float x : {left, right}) {
    fill({x, plot.box.top, x + 1, plot.box.bottom}, colors.accent);
  }
}

StretchAction draw_stretch_bar(Frame& frame, const TimelinePlot& plot,
                               const timeline::TimeWindow& stretch) {
  const std::string length = base::format_duration(stretch.length_ns);
  const std::string place =
      place_text(frame.model.aggregation->iteration_table->iterations, stretch);
  frame.inspector.record_value("timeline/stretch", length);
  frame.inspector.record_value("timeline/stretch/place", place);
  const ImFont *strong = frame.fonts().strong, *small = frame.fonts().small;
  const float gap = frame.px(8);
  const float least = text_width(strong, length) + button_width(frame, "Zoom") +
                      button_width(frame, "Filter all views") + button_width(frame, "Clear") +
                      5 * gap;
  const float of_place = text_width(small, place) + gap;
  const bool has_place = least + of_place <= plot.box.width();
  const float width = std::ceil(has_place ? least + of_place : least);
  const float middle = (plot.x_of(stretch.start_ns) + plot.x_of(stretch.stop_ns())) / 2;
  const float most = std::max(plot.box.left, plot.box.right - width);
  const float left = std::round(std::clamp(middle - width / 2, plot.box.left, most));
  const float bottom = plot.box.bottom - gap;
  const Box box{left, bottom - frame.px(kControlHeight) - gap, left + width, bottom};
  begin_above(box);
  fill(box, frame.palette().panel, frame.px(5));
  outline(box, frame.palette().line, frame.px(5));
  float x = left + gap;
  const auto text = [&](const ImFont* font, Color color, const std::string& told) {
    draw_text_in(font, {x, box.top, box.right, box.bottom}, color, told);
    x += text_width(font, told) + gap;
  };
  text(strong, frame.palette().text, length);
  if (has_place) text(small, frame.palette().dim, place);
  StretchAction action = StretchAction::none;
  const auto button = [&](std::string_view name, std::string_view label, StretchAction chosen) {
    if (draw_button(frame, name, x, box.top + gap / 2, label)) action = chosen;
    x += button_width(frame, label) + gap;
  };
  button("timeline/stretch/zoom", "Zoom", StretchAction::zoom);
  button("timeline/stretch/filter", "Filter all views", StretchAction::filter);
  button("timeline/stretch/clear", "Clear", StretchAction::clear);
  ImGui::EndChild();
  return action;
}

void draw_timeline_page(Frame& frame, const Box& box, std::string_view title,
                        std::string_view text) {
  const float y = std::round(box.top + box.height() * 0.3f);
  const float width = std::min(frame.px(560), box.width() - frame.px(40));
  const Area area{std::round((box.left + box.right - width) / 2), y, width};
  draw_text(frame.fonts().strong, area.left, y, frame.palette().text, title);
  draw_wrapped(frame.fonts().text, area.below(y + line_height(frame.fonts().strong) + frame.px(6)),
               frame.palette().dim, text);
  frame.inspector.record_value("timeline/page", title);
}

void show_mark_tooltip(Frame& frame, const timeline::Lanes& lanes, const TimelineHit& hit) {
  const timeline::Line& line = line_at(lanes, hit.place);
  const timeline::EventRef event = line[hit.mark.longest];
  const base::Interval time = lanes.events.recorded_time(event);
  const std::string length = base::format_duration(time.stop_ns - time.start_ns);
  if (!hit.mark.is_fold()) {
    show_text_tooltip(frame, {{TooltipStyle::name, short_name(lanes.events, event)},
                              {TooltipStyle::text, frame_place_text(lanes.events, event)},
                              {TooltipStyle::value, length},
                              {TooltipStyle::text, frame_times_text(lanes.events, event)},
                              {TooltipStyle::text, transfer_text(lanes.events, event)},
                              {TooltipStyle::text, sync_text(lanes.events, event)},
                              {TooltipStyle::note, timeline::time_text(time.start_ns)},
                              {TooltipStyle::note, marker_text(lanes.events, event)}});
    return;
  }
  show_text_tooltip(
      frame,
      {{TooltipStyle::heading,
        fmt::format("{} events (zoom in to separate)", base::format_count(hit.mark.count))},
       {TooltipStyle::value, fmt::format("Total: {}", base::format_duration(hit.mark.busy_ns))},
       {TooltipStyle::note, fmt::format("Longest: {}", length)},
       {TooltipStyle::name, lanes.events.name(event)}});
}

}  // namespace dlview::ui
