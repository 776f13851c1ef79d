#include "ui/views/iterations/range_fields.h"

#include <fmt/format.h>

#include "base/units.h"
#include "ui/chart/navigation.h"

namespace dlview::ui {
namespace {

constexpr float kBoundWidth = 76;

// Over whatever stands below the field.
void draw_notice(Frame& frame, const Box& field, int64_t count) {
  const ImFont* font = frame.fonts().small;
  const Palette& colours = frame.palette();
  const std::string text =
      count == 1 ? "There is only iteration 0"
                 : fmt::format("The iterations are 0 – {}", base::format_count(count - 1));
  const float top = field.bottom + frame.px(3);
  const Box box{field.left, top, field.left + text_width(font, text) + frame.px(14),
                top + line_height(font) + frame.px(6)};
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  list.AddRectFilled({box.left, box.top}, {box.right, box.bottom}, colours.raised, frame.px(4));
  list.AddRect({box.left, box.top}, {box.right, box.bottom}, colours.attention, frame.px(4));
  list.AddText(loading_font(font), font_size(font), {box.left + frame.px(7), box.top + frame.px(3)},
               colours.text, text.c_str());
  frame.inspector.record_value("iterations/range_notice", text);
}

}  // namespace

void draw_flow_label(Frame& frame, Flow& flow, std::string_view label, float with_width) {
  const ImFont* font = frame.fonts().text;
  const float width = text_width(font, label);
  const float left = flow.place(width + frame.px(8) + with_width);
  draw_text_in(font, {left, flow.top(), left + width, flow.bottom()}, frame.palette().dim, label);
  flow.skip(-(with_width + frame.px(8)));
}

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

}  // namespace dlview::ui
