#include "ui/views/iterations/toolbar.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/chart/navigation.h"
#include "ui/views/iterations/key_op_list.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/flow.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kNumberWidth = 84;
constexpr float kKeyOpWidth = 210;

// All iterations of a new cut, whose number is not known yet: the program clamps it.
constexpr aggregate::IterationRange kAllIterations{0, std::numeric_limits<int32_t>::max()};

Box field_box(const Frame& frame, float left, float top, float width) {
  return {left, top, left + width, top + frame.px(kControlHeight)};
}

void draw_label(Frame& frame, Flow& flow, std::string_view label, float with_width) {
  const ImFont* font = frame.fonts().text;
  const float width = text_width(font, label);
  // The label stays with its control: it wraps when both do not fit.
  const float left = flow.place(width + frame.px(8) + with_width);
  draw_text_in(font, field_box(frame, left, flow.top(), width), frame.palette().dim, label);
  flow.skip(-(with_width + frame.px(8)));
}

void select_range(Frame& frame, aggregate::IterationRange range) {
  frame.host.select({frame.model.selection.cut, range});
}

void draw_bounds(Frame& frame, Flow& flow, const ToolbarInput& input) {
  const float width = frame.px(kNumberWidth);
  const aggregate::IterationRange range = input.range;
  draw_label(frame, flow, "Start", width);
  const Box start = field_box(frame, flow.place(width), flow.top(), width);
  if (const auto first =
          draw_number_field(frame, "iterations/start_field", start, range.first, 0, range.last)) {
    select_range(frame, with_first(range, *first, input.count));
  }
  draw_label(frame, flow, "Stop", width);
  const Box stop = field_box(frame, flow.place(width), flow.top(), width);
  if (const auto last = draw_number_field(frame, "iterations/stop_field", stop, range.last,
                                          range.first, input.count - 1)) {
    select_range(frame, with_last(range, *last, input.count));
  }
}

void select_cut(Frame& frame, const aggregate::Cut& cut) {
  aggregate::IterationRange range = kAllIterations;
  if (cut.kind == aggregate::CutKind::stored) {
    const auto& stored = frame.model.profile->stored_aggregations[cut.stored_index];
    range = {stored.first_iteration, stored.last_iteration};
  }
  frame.host.select({cut, range});
}

void draw_key_op(Frame& frame, Flow& flow, ToolbarState& state) {
  const aggregate::Cut& cut = frame.model.selection.cut;
  if (state.shown_key_op != cut.key_op) {
    state.shown_key_op = cut.key_op;
    state.key_op_text = cut.key_op;
  }
  const float width = frame.px(kKeyOpWidth);
  draw_label(frame, flow, "Key op", width);
  const Box box = field_box(frame, flow.place(width), flow.top(), width);
  const bool edited = state.key_op_text != cut.key_op;
  const auto chosen =
      draw_key_op_field(frame, box, state.key_op_text,
                        edited ? std::string_view(state.key_op_text) : "", state.key_ops);
  if (!chosen) return;
  state.key_op_text = *chosen;
  aggregate::Cut wanted = cut;
  wanted.key_op = *chosen;
  if (wanted.kind == aggregate::CutKind::stored) wanted.kind = aggregate::CutKind::start;
  if (wanted != cut) select_cut(frame, wanted);
}

void draw_cut(Frame& frame, Flow& flow) {
  const bool has_stored = !frame.model.profile->stored_aggregations.empty();
  const std::array<Segment, 3> segments{
      {{"start", "starts"}, {"end", "ends"}, {"stored", "stored", has_stored}}};
  const float width = segments_width(frame, segments);
  draw_label(frame, flow, "Cut at", width);
  const aggregate::Cut& cut = frame.model.selection.cut;
  const float left = flow.place(width);
  const auto chosen = draw_segments(frame, "iterations/cut", left, flow.top(), segments,
                                    static_cast<std::size_t>(cut.kind));
  if (hovered(field_box(frame, left, flow.top(), width))) {
    show_tooltip(frame,
                 "Where the key op's instances begin a new iteration: at their starts or at their "
                 "ends. Stored takes the list of iterations that the file holds.");
  }
  if (!chosen) return;
  aggregate::Cut wanted = cut;
  wanted.kind = static_cast<aggregate::CutKind>(*chosen);
  if (wanted.kind == aggregate::CutKind::stored) {
    wanted.key_op = frame.model.profile->stored_aggregations[wanted.stored_index].key_op;
  }
  select_cut(frame, wanted);
}

void draw_steady(Frame& frame, Flow& flow, const ToolbarInput& input) {
  if (!input.steady) return;
  const bool is_set = input.steady == input.range;
  const std::string label =
      fmt::format("{} {} – {}", is_set ? "Steady range" : "Use steady range",
                  base::format_count(input.steady->first), base::format_count(input.steady->last));
  const float width = button_width(frame, label);
  const float left = flow.place(width);
  if (draw_button(frame, "iterations/steady", left, flow.top(), label, ButtonKind::accent,
                  !is_set)) {
    select_range(frame, *input.steady);
  }
  if (hovered(field_box(frame, left, flow.top(), width))) {
    show_tooltip(frame,
                 "The longest range without irregular iterations at its ends: it begins and ends "
                 "with five in a row that are within 25 % of the median.");
  }
}

void draw_right_side(Frame& frame, Flow& flow, const ToolbarInput& input, Span& span) {
  const Span whole = whole_span(input.count);
  const Span profiled{static_cast<double>(input.range.first),
                      static_cast<double>(input.range.last + 1)};
  const std::array<Segment, 2> zooms{{{"all", "All"}, {"profiled", "Profiled"}}};
  const std::pair<std::string_view, std::string> badges[] = {
      {"Total", base::format_count(input.count)},
      {"Profiled", base::format_count(input.range.size())},
      {"Start", base::format_count(input.range.first)},
      {"Stop", base::format_count(input.range.last)}};
  const float gap = frame.px(6);
  float width = segments_width(frame, zooms) + frame.px(4);
  for (const auto& [label, value] : badges) width += badge_width(frame, label, value) + gap;
  float x = flow.place_right(width);
  for (const auto& [label, value] : badges) {
    std::string name = fmt::format("iterations/badge_{}", label);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    draw_badge(frame, name, x, flow.top(), label, value);
    x += badge_width(frame, label, value) + gap;
  }
  x += frame.px(4);
  const std::size_t selected = span == whole ? 0 : span == profiled ? 1 : zooms.size();
  const auto chosen = draw_segments(frame, "iterations/zoom", x, flow.top(), zooms, selected);
  if (chosen) span = *chosen == 0 ? whole : profiled;
}

}  // namespace

float draw_toolbar(Frame& frame, const Area& area, const ToolbarInput& input, ToolbarState& state,
                   Span& span) {
  Flow flow(frame, area);
  draw_bounds(frame, flow, input);
  flow.skip(frame.px(8));
  draw_key_op(frame, flow, state);
  draw_cut(frame, flow);
  draw_steady(frame, flow, input);
  draw_right_side(frame, flow, input, span);
  return flow.bottom();
}

}  // namespace dlview::ui
