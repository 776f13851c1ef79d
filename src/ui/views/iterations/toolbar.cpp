#include "ui/views/iterations/toolbar.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/chart/iteration_marker.h"
#include "ui/chart/iteration_name.h"
#include "ui/chart/navigation.h"
#include "ui/chart/outliers.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kBoundWidth = 76;
constexpr float kLeastMarker = 300;  // with less room beside it, the right side gets its own line

// Over whatever stands below the field.
void draw_notice(Frame& frame, const Box& field, int64_t count) {
  const ImFont* font = frame.fonts().small;
  const Palette& colors = frame.palette();
  const std::string text =
      count == 1 ? "The run has only iteration 0"
                 : fmt::format("The iterations are 0–{}", base::format_count(count - 1));
  const float top = field.bottom + frame.px(3);
  const Box box{field.left, top, field.left + text_width(font, text) + frame.px(14),
                top + line_height(font) + frame.px(6)};
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  list.AddRectFilled({box.left, box.top}, {box.right, box.bottom}, colors.raised, frame.px(4));
  list.AddRect({box.left, box.top}, {box.right, box.bottom}, colors.attention, frame.px(4));
  list.AddText(loading_font(font), font_size(font), {box.left + frame.px(7), box.top + frame.px(3)},
               colors.text, text.c_str());
  frame.inspector.record_value("iterations/range_notice", text);
}

constexpr const char* kOutlierPopup = "outliers";
constexpr float kOutlierListWidth = 620;
constexpr float kOutlierListHeight = 320;
constexpr float kIterationNumberWidth = 74;

void draw_row(Frame& frame, const Box& row, const aggregate::Outlier& outlier) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const std::string number = base::format_count(outlier.iteration);
  const std::string name = "iterations/outlier_list/" + number;
  std::string cause = describe_outlier(*frame.model.profile, outlier);
  const std::string_view edge =
      edge_note(*frame.model.profile, frame.model.aggregation->iteration_table->iterations,
                outlier.iteration);
  if (!edge.empty()) cause += fmt::format(" · {}", edge);
  frame.inspector.record_value(name, cause);
  const Hit hit = hit_area(frame, name, row);
  const bool selected = frame.model.compared.iteration == outlier.iteration;
  if (hit.hovered || selected) {
    fill(row, with_opacity(colors.accent, hit.hovered ? 0.18f : 0.10f), frame.px(4));
  }
  const float half = frame.px(4);
  const float middle = std::round((row.top + row.bottom) / 2);
  const float left = row.left + frame.px(6);
  fill({left, middle - half, left + 2 * half, middle + half}, outlier_color(colors, outlier.kind),
       frame.px(2));
  const float number_right = left + frame.px(kIterationNumberWidth);
  draw_text_right(fonts.text, number_right, row.top + frame.px(3), colors.text, number);
  const float text_left = number_right + frame.px(16);
  draw_text_cut(frame, fonts.text, text_left, row.top + frame.px(3),
                row.right - frame.px(6) - text_left, colors.dim, cause, CutAt::middle);
  if (hit.clicked) frame.host.select_iteration(outlier.iteration);
}

void draw_popup(Frame& frame, float left, float top, const aggregate::Outliers& outliers) {
  const float row_height = line_height(frame.fonts().text) + frame.px(6);
  const float wanted = static_cast<float>(outliers.rows.size()) * row_height;
  ImGui::SetNextWindowPos({left, top});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  if (ImGui::BeginPopup(kOutlierPopup)) {
    close_popup_on_escape();
    ImGui::BeginChild(
        "list", {frame.px(kOutlierListWidth), std::min(wanted, frame.px(kOutlierListHeight))});
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(outliers.rows.size()), row_height);
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const Box row{at.x, at.y, at.x + ImGui::GetContentRegionAvail().x, at.y + row_height};
        draw_row(frame, row, outliers.rows[static_cast<std::size_t>(i)]);
        ImGui::SetCursorScreenPos({row.left, row.bottom});
      }
    }
    ImGui::EndChild();
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

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
  draw_flow_label(frame, flow, "Iteration marker", width);
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
  draw_flow_label(frame, flow, "Marker process", width);
  const float left = flow.place(width);
  const auto chosen =
      draw_segments(frame, "iterations/clock", left, flow.top(), segments, selected);
  if (hovered(field_box(frame, left, flow.top(), width))) {
    show_tooltip(
        frame,
        "The process whose iteration marker splits the run. Activity of other processes counts "
        "in the iteration in which it starts. Default: the process with the most markers.");
  }
  if (!chosen || *chosen == selected) return;
  aggregate::Cut wanted = frame.model.selection.cut;
  wanted.clock = clocks[*chosen].clock;
  frame.host.select(selection_of(*frame.model.profile, wanted, frame.model.selection));
}

void draw_cut(Frame& frame, Flow& flow) {
  const bool has_stored = !frame.model.profile->stored_aggregations.empty();
  const std::array<Segment, 3> segments{
      {{"start", "marker start"}, {"end", "marker end"}, {"stored", "stored", has_stored}}};
  const float width = segments_width(frame, segments);
  draw_flow_label(frame, flow, "Boundary", width);
  const aggregate::Cut& cut = frame.model.selection.cut;
  const float left = flow.place(width);
  const auto chosen = draw_segments(frame, "iterations/cut", left, flow.top(), segments,
                                    static_cast<std::size_t>(cut.kind));
  if (hovered(field_box(frame, left, flow.top(), width))) {
    show_tooltip(frame,
                 "Where an iteration begins: at the start or at the end of its marker. Stored: the "
                 "iterations as the file has them.");
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
    show_tooltip(
        frame,
        !has_kernels ? "No kernels recorded: only the host can split the run."
        : is_stored
            ? "Stored iterations follow the host."
            : fmt::format("Host: an iteration ends where {}. GPU: it lasts at least until its "
                          "last kernel ends.\n{}",
                          iteration_end(cut.kind), kCountingRule));
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
  const std::string label = fmt::format("Steady state {}–{}", base::format_count(steady->first),
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

// Returns the left edge.
float draw_right_side(Frame& frame, Flow& flow, const ToolbarInput& input, Span& span) {
  const Span whole = whole_span(input.count);
  const Span range{static_cast<double>(input.range.first),
                   static_cast<double>(input.range.last + 1)};
  const std::array<Segment, 2> zooms{{{"all", "all"}, {"range", "range"}}};
  const std::string total = base::format_count(input.count);
  const std::string in_range = base::format_count(input.range.size());
  const std::string counts = input.count == 1
                                 ? std::string("1 iteration")
                                 : fmt::format("{} of {} in the range", in_range, total);
  const ImFont* font = frame.fonts().text;
  const float gap = frame.px(12);
  const float label_width = text_width(font, "Zoom") + frame.px(8);
  const float counts_width = text_width(font, counts) + gap;
  const float left = flow.place_right(counts_width + label_width + segments_width(frame, zooms));
  float x = left;
  draw_text_in(font, {x, flow.top(), x + counts_width, flow.bottom()}, frame.palette().dim, counts);
  frame.inspector.record_value("iterations/total", total);
  frame.inspector.record_value("iterations/in_range", in_range);
  x += counts_width;
  draw_text_in(font, {x, flow.top(), x + label_width, flow.bottom()}, frame.palette().dim, "Zoom");
  const std::size_t selected = span == whole ? 0 : span == range ? 1 : zooms.size();
  const auto chosen =
      draw_segments(frame, "iterations/zoom", x + label_width, flow.top(), zooms, selected);
  if (chosen) span = *chosen == 0 ? whole : range;
  return left;
}

// Running numbers; behind them how the ranges count, where that is otherwise. Returns a changed
// range. `clamped` is the field with the notice, which stands until something is
// clicked or typed anew.
std::optional<aggregate::IterationRange> draw_range_fields(Frame& frame, Flow& flow,
                                                           aggregate::IterationRange range,
                                                           const aggregate::Iterations& iterations,
                                                           std::optional<RangeField>& clamped) {
  const float width = frame.px(kBoundWidth);
  const auto count = static_cast<int64_t>(iterations.rows.size());
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) ||
      ImGui::GetIO().InputQueueCharacters.Size > 0) {
    clamped.reset();
  }
  std::optional<aggregate::IterationRange> wanted;
  const auto draw = [&](RangeField which, std::string_view label, std::string_view name,
                        int64_t value, const NumberLimits& limits) {
    draw_flow_label(frame, flow, label, width);
    const float left = flow.place(width);
    const Box box{left, flow.top(), left + width, flow.bottom()};
    const NumberEdit edit = draw_number_field(frame, name, box, value, limits, clamped == which);
    if (edit.clamped) clamped = which;
    if (clamped == which) draw_notice(frame, box, count);
    if (!edit.value) return;
    wanted = which == RangeField::first ? from_first(range, *edit.value, count)
                                        : to_last(range, *edit.value, count);
  };
  draw(RangeField::first, "Start", "iterations/start_field", range.first,
       {0, count - 1, 0, range.last});
  draw(RangeField::last, "Stop", "iterations/stop_field", range.last,
       {0, count - 1, range.first, count - 1});
  const std::string label = aggregate::range_label(iterations, range);
  if (!label.empty()) {
    draw_flow_label(frame, flow, label, 0);
    frame.inspector.record_value("iterations/range_label", label);
  }
  return wanted;
}

// The outliers in the toolbar: how many there are, the way to the next one, and all in a list.
// Draws nothing as long as the outliers are not known or there are none.
void draw_outliers(Frame& frame, Flow& flow) {
  const auto& outliers = frame.model.outliers;
  if (!outliers || outliers->rows.empty()) return;
  const std::size_t count = outliers->rows.size();
  const std::string label =
      count == 1 ? std::string("1 outlier")
                 : fmt::format("{} outliers", base::format_count(static_cast<int64_t>(count)));
  const float step = button_width(frame, "‹");
  const float list = menu_button_width(frame, label);
  const float gap = frame.px(2);
  float x = flow.place(list + 2 * (step + gap));
  const float top = flow.top();
  const std::optional<int64_t> selected = frame.model.compared.iteration;
  if (draw_button(frame, "iterations/previous_outlier", x, top, "‹")) {
    frame.host.select_iteration(previous_outlier(*outliers, selected));
  }
  x += step + gap;
  const float list_left = x;
  if (draw_menu_button(frame, "iterations/outliers", x, top, label,
                       ImGui::IsPopupOpen(kOutlierPopup))) {
    ImGui::OpenPopup(kOutlierPopup);
  }
  frame.inspector.record_value("iterations/outliers", label);
  x += list + gap;
  if (draw_button(frame, "iterations/next_outlier", x, top, "›")) {
    frame.host.select_iteration(next_outlier(*outliers, selected));
  }
  draw_popup(frame, list_left, flow.bottom() + frame.px(4), *outliers);
}

}  // namespace

void draw_flow_label(Frame& frame, Flow& flow, std::string_view label, float with_width) {
  const ImFont* font = frame.fonts().text;
  const float width = text_width(font, label);
  const float left = flow.place(width + frame.px(8) + with_width);
  draw_text_in(font, {left, flow.top(), left + width, flow.bottom()}, frame.palette().dim, label);
  flow.skip(-(with_width + frame.px(8)));
}

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
  Flow line(frame, area.below(flow.bottom() + frame.px(8)));
  draw_split_by(frame, line);
  Box marker{line.place(0) + frame.px(4), line.top(), area.right(), line.bottom()};
  line.skip(frame.px(kLeastMarker));
  const float right_side = draw_right_side(frame, line, input, span);
  if (line.top() == marker.top) marker.right = right_side - frame.px(12);
  state.marker.draw(frame, "iterations/marker", marker, false);
  return line.bottom();
}

}  // namespace dlview::ui
