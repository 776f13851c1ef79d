#include "ui/views/iterations/toolbar.h"

#include <array>
#include <optional>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/chart/navigation.h"
#include "ui/chart/outliers.h"
#include "ui/views/iterations/outlier_list.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kKeyOpWidth = 210;
constexpr float kNarrowKeyOpWidth = 140;
// Below it, all controls would not stand in one line otherwise.
constexpr float kNarrowToolbar = 1400;

Box field_box(const Frame& frame, float left, float top, float width) {
  return {left, top, left + width, top + frame.px(kControlHeight)};
}

void draw_key_op(Frame& frame, Flow& flow, const ToolbarInput& input, ToolbarState& state,
                 bool narrow) {
  const float width = frame.px(narrow ? kNarrowKeyOpWidth : kKeyOpWidth);
  draw_flow_label(frame, flow, "Key op", width);
  const Box box = field_box(frame, flow.place(width), flow.top(), width);
  if (const auto chosen = state.picker.draw(frame, box, input.room)) {
    aggregate::Cut wanted = frame.model.selection.cut;
    wanted.key_op = *chosen;
    wanted.clock.reset();
    if (wanted.kind == aggregate::CutKind::stored) wanted.kind = aggregate::CutKind::start;
    if (wanted != frame.model.selection.cut) {
      frame.host.select(selection_of(*frame.model.profile, wanted, frame.model.selection));
    }
  }
}

// Only where the key op runs on several threads that could cut.
void draw_clock(Frame& frame, Flow& flow, const std::vector<ClockChoice>& clocks) {
  if (clocks.size() < 2) return;
  std::vector<Segment> segments;
  std::size_t selected = 0;
  for (const ClockChoice& clock : clocks) {
    if (clock.is_current) selected = segments.size();
    segments.push_back({clock.id, clock.label});
  }
  const float width = segments_width(frame, segments);
  draw_flow_label(frame, flow, "Clock", width);
  const float left = flow.place(width);
  const auto chosen =
      draw_segments(frame, "iterations/clock", left, flow.top(), segments, selected);
  if (hovered(field_box(frame, left, flow.top(), width))) {
    show_tooltip(frame,
                 "The process whose key op cuts the run; what others do belongs to the iteration "
                 "in which it begins. At first the one in which the key op runs most.");
  }
  if (!chosen || *chosen == selected) return;
  aggregate::Cut wanted = frame.model.selection.cut;
  wanted.clock = clocks[*chosen].clock;
  frame.host.select(selection_of(*frame.model.profile, wanted, frame.model.selection));
}

void draw_cut(Frame& frame, Flow& flow) {
  const bool has_stored = !frame.model.profile->stored_aggregations.empty();
  const std::array<Segment, 3> segments{
      {{"start", "starts"}, {"end", "ends"}, {"stored", "stored", has_stored}}};
  const float width = segments_width(frame, segments);
  draw_flow_label(frame, flow, "Cut at", width);
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
    wanted.clock.reset();
    wanted.split_by = aggregate::SplitBy::host;
  }
  frame.host.select(selection_of(*frame.model.profile, wanted, frame.model.selection));
}

void draw_split_by(Frame& frame, Flow& flow) {
  const aggregate::Cut& cut = frame.model.selection.cut;
  const aggregate::Iterations& iterations = frame.model.aggregation->iteration_table->iterations;
  const bool is_stored = cut.kind == aggregate::CutKind::stored;
  const bool has_kernels = frame.model.profile->kernels.size() > 0;
  const std::array<Segment, 2> segments{
      {{"host", "host"}, {"gpu", "GPU", has_kernels && !is_stored}}};
  const float width = segments_width(frame, segments);
  draw_flow_label(frame, flow, "Split by", width);
  const float left = flow.place(width);
  const auto chosen = draw_segments(frame, "iterations/split_by", left, flow.top(), segments,
                                    static_cast<std::size_t>(iterations.split_by));
  if (hovered(field_box(frame, left, flow.top(), width))) {
    show_tooltip(frame, !has_kernels ? "No kernels recorded: only the host can split the run."
                        : is_stored
                            ? "The stored iterations are those of the host."
                            : "What decides when an iteration begins: the marker on the "
                              "host, or the first kernel that the iteration launches. "
                              "Either way, a kernel counts in the iteration that launched it.");
  }
  if (!chosen) return;
  aggregate::Cut wanted = cut;
  wanted.split_by = static_cast<aggregate::SplitBy>(*chosen);
  if (wanted != cut) {
    frame.host.select(selection_of(*frame.model.profile, wanted, frame.model.selection));
  }
}

void draw_steady(Frame& frame, Flow& flow, const ToolbarInput& input) {
  const std::optional<aggregate::IterationRange>& steady = frame.model.steady;
  if (!steady) return;
  const bool is_set = steady == input.range;
  const std::string label = fmt::format("Steady range {} – {}", base::format_count(steady->first),
                                        base::format_count(steady->last));
  const float width = button_width(frame, label);
  const float left = flow.place(width);
  if (draw_button(frame, "iterations/steady", left, flow.top(), label, ButtonKind::accent,
                  !is_set)) {
    frame.host.select(frame.model.selection.with_range(*steady));
  }
  if (hovered(field_box(frame, left, flow.top(), width))) {
    show_tooltip(frame, steady_reason(steady, frame.model.outliers.get()));
  }
}

void draw_right_side(Frame& frame, Flow& flow, const ToolbarInput& input, Span& span) {
  const Span whole = whole_span(input.count);
  const Span range{static_cast<double>(input.range.first),
                   static_cast<double>(input.range.last + 1)};
  const std::array<Segment, 2> zooms{{{"all", "all"}, {"range", "range"}}};
  const std::string total = base::format_count(input.count);
  const std::string in_range = base::format_count(input.range.size());
  const std::string counts = fmt::format("{} of {} in the range", in_range, total);
  const ImFont* font = frame.fonts().text;
  const float gap = frame.px(12);
  const float label_width = text_width(font, "Zoom") + frame.px(8);
  const float counts_width = text_width(font, counts) + gap;
  float x = flow.place_right(counts_width + label_width + segments_width(frame, zooms));
  draw_text_in(font, {x, flow.top(), x + counts_width, flow.bottom()}, frame.palette().dim, counts);
  frame.inspector.record_value("iterations/total", total);
  frame.inspector.record_value("iterations/in_range", in_range);
  x += counts_width;
  draw_text_in(font, {x, flow.top(), x + label_width, flow.bottom()}, frame.palette().dim, "Zoom");
  const std::size_t selected = span == whole ? 0 : span == range ? 1 : zooms.size();
  const auto chosen =
      draw_segments(frame, "iterations/zoom", x + label_width, flow.top(), zooms, selected);
  if (chosen) span = *chosen == 0 ? whole : range;
}

}  // namespace

float draw_toolbar(Frame& frame, const Area& area, const ToolbarInput& input, ToolbarState& state,
                   Span& span) {
  Flow flow(frame, area);
  const auto range =
      draw_range_fields(frame, flow, input.range,
                        frame.model.aggregation->iteration_table->iterations, state.clamped);
  if (range) frame.host.select(frame.model.selection.with_range(*range));
  flow.skip(frame.px(8));
  draw_key_op(frame, flow, input, state, area.width < frame.px(kNarrowToolbar));
  draw_clock(frame, flow, input.clocks);
  draw_cut(frame, flow);
  draw_steady(frame, flow, input);
  draw_outliers(frame, flow);
  draw_right_side(frame, flow, input, span);
  Flow line(frame, area.below(flow.bottom() + frame.px(8)));
  draw_split_by(frame, line);
  const float left = line.place(0) + frame.px(4);
  state.marker.draw(frame, "iterations/marker", {left, line.top(), area.right(), line.bottom()},
                    false);
  return line.bottom();
}

}  // namespace dlview::ui
