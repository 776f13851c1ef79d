#include "ui/palette/thresholds_page.h"

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "aggregate/thresholds.h"
#include "ui/palette/card.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

using aggregate::AdviceThresholds;
using aggregate::Threshold;

constexpr float kWidth = 700, kHeight = 634;
constexpr float kTitleWidth = 270, kFieldWidth = 76;
constexpr std::string_view kResetAll = "Reset all";

int64_t tenths(double percent) {
  return std::llround(10 * percent);
}

// "Default 10", which puts it back; nothing where it is the default.
bool draw_default(Frame& frame, const std::string& name, const Box& row, double value) {
  const ImFont* font = frame.fonts().small;
  const std::string text = fmt::format("Default {:g}", value);
  const Box box{row.right - text_width(font, text), row.top, row.right, row.bottom};
  const Hit hit = hit_area(frame, name, box);
  if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  draw_text_in(font, box, hit.hovered ? frame.palette().text : frame.palette().accent, text);
  return hit.clicked;
}

// A line for the threshold; changes it in `edited`.
void draw_row(Frame& frame, const Box& row, const Threshold& threshold, AdviceThresholds& edited) {
  const Palette& colours = frame.palette();
  const ImFont* font = frame.fonts().text;
  const std::string name = fmt::format("thresholds/{}", threshold.id);
  double& value = edited.*threshold.value;
  const double usual = AdviceThresholds{}.*threshold.value;
  const float field = row.left + frame.px(kTitleWidth);
  draw_text_in(font, {row.left, row.top, field - frame.px(10), row.bottom}, colours.text,
               threshold.title);
  const Box box{field, row.top, field + frame.px(kFieldWidth), row.bottom};
  const int64_t low = tenths(aggregate::kLowestThreshold);
  const int64_t high = tenths(aggregate::kHighestThreshold);
  const NumberEdit edit =
      draw_number_field(frame, name, box, tenths(value), {low, high, low, high, true});
  draw_text_in(font, {box.right + frame.px(8), row.top, row.right, row.bottom}, colours.dim,
               threshold.unit);
  if (edit.value) value = static_cast<double>(*edit.value) / 10;
  if (value != usual && draw_default(frame, name + "/default", row, usual)) value = usual;
}

float draw_rows(Frame& frame, const Area& area, AdviceThresholds& edited) {
  float y =
      draw_wrapped(frame.fonts().small, area, frame.palette().dim,
                   "The Dashboard lists findings that cross these thresholds. The command line "
                   "uses the defaults.") +
      frame.px(10);
  for (const Threshold& threshold : aggregate::all_thresholds()) {
    draw_row(frame, box_of(area.below(y), frame.px(kControlHeight)), threshold, edited);
    y += frame.px(kControlHeight + 6);
  }
  y += frame.px(6);
  const bool differs = edited != AdviceThresholds{};
  if (draw_button(frame, "thresholds/reset", area.left, y, kResetAll, ButtonKind::plain, differs)) {
    edited = {};
  }
  return y + frame.px(kControlHeight);
}

}  // namespace

void draw_thresholds_page(Frame& frame) {
  OverlayCard card(frame, kWidth, kHeight);
  const float top = card.draw_heading("Thresholds of findings").top;
  ScrollArea scroll(frame, "thresholds",
                    {card.box().left + frame.px(4), top - frame.px(kGap), card.box().right,
                     card.box().bottom - frame.px(6)});
  AdviceThresholds edited = frame.model.thresholds;
  scroll.end_at(draw_rows(frame, scroll.area(), edited));
  if (edited != frame.model.thresholds) frame.host.set_thresholds(edited);
}

}  // namespace dlview::ui
