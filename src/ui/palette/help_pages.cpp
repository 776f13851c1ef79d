#include "ui/palette/help_pages.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "aggregate/definitions.h"
#include "aggregate/finding_pages.h"
#include "aggregate/thresholds.h"
#include "ui/data_quality.h"
#include "ui/palette/card.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/focus.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

using aggregate::AdviceThresholds;
using aggregate::Threshold;

constexpr std::string_view kAbout =
    "dlview shows where the time of a training iteration goes: which ops and kernels take it, "
    "where "
    "the GPU is idle and why, and what uses Tensor Cores. It opens Nsight Systems reports and "
    "exports, PyTorch profiler traces and DLProf databases.";

// The scrolling part of a card, from `top` on; `draw` fills the area and returns its bottom.
// Returns where it would end if the card were high enough.
template <typename Draw>
float draw_scrolling(Frame& frame, const OverlayCard& card, float top, const Draw& draw) {
  ScrollArea scroll(frame, "page",
                    {card.box().left + frame.px(4), top - frame.px(kGap), card.box().right,
                     card.box().bottom - frame.px(6)});
  const float bottom = draw(scroll.area());
  scroll.end_at(bottom);
  return top + bottom - scroll.area().top;
}

// `height`: that it has at most.
template <typename Draw>
void draw_page(Frame& frame, std::string_view title, float width, float height, const Draw& draw) {
  OverlayCard card(frame, width, height);
  card.end_at(draw_scrolling(frame, card, card.draw_heading(title).top, draw));
}

float draw_definition(Frame& frame, const Area& area, const aggregate::Metric& metric) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  draw_text(fonts.text, area.left, area.top, colors.accent, metric.title);
  const Area indented{area.left + frame.px(14), area.top, area.width - frame.px(14)};
  float y = area.top + line_height(fonts.text) + frame.px(2);
  y = draw_wrapped(fonts.text, indented.below(y), colors.text, metric.formula);
  y = draw_wrapped(fonts.small, indented.below(y + frame.px(1)), colors.dim,
                   aggregate::definition_note(metric, frame.model.profile.get()));
  frame.inspector.record_value(fmt::format("definitions/{}", metric.id), metric.title);
  return y + frame.px(10);
}

float draw_finding_page(Frame& frame, const Area& area, const aggregate::FindingPage& page) {
  const Fonts& fonts = frame.fonts();
  draw_text(fonts.text, area.left, area.top, frame.palette().accent, page.title);
  const Area indented{area.left + frame.px(14), area.top, area.width - frame.px(14)};
  float y = area.top + line_height(fonts.text) + frame.px(2);
  const auto draw_part = [&](std::string_view title, std::string_view text) {
    if (text.empty()) return;
    y = draw_wrapped(fonts.text, indented.below(y), frame.palette().text,
                     fmt::format("{}: {}", title, text));
  };
  draw_part("Meaning", page.meaning);
  draw_part("Potential savings", page.formula);
  draw_part("Threshold", aggregate::thresholds_text(page));
  draw_part("What to do", page.fix);
  draw_part("False positives", page.wrong_when);
  frame.inspector.record_value(fmt::format("definitions/finding/{}", page.detector), page.title);
  return y + frame.px(10);
}

float draw_definitions(Frame& frame, const Area& area, std::string_view search) {
  const Fonts& fonts = frame.fonts();
  const auto sections = aggregate::find_definitions(search, frame.model.profile.get());
  const auto pages = aggregate::find_finding_pages(search);
  if (sections.empty() && pages.empty()) {
    return draw_wrapped(fonts.text, area, frame.palette().dim,
                        "No matching definition. Try another word.");
  }
  float y = area.top;
  for (const aggregate::DefinitionSection& section : sections) {
    draw_text(fonts.strong, area.left, y, frame.palette().text, section.title);
    y += line_height(fonts.strong) + frame.px(8);
    for (const aggregate::Metric* metric : section.metrics) {
      y = draw_definition(frame, area.below(y), *metric);
    }
    y += frame.px(8);
  }
  if (pages.empty()) return y;
  draw_text(fonts.strong, area.left, y, frame.palette().text, "Findings");
  y += line_height(fonts.strong) + frame.px(8);
  for (const aggregate::FindingPage* page : pages) {
    y = draw_finding_page(frame, area.below(y), *page);
  }
  return y;
}

constexpr float kWidth = 700, kHeight = 634;
constexpr float kFieldWidth = 76;
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

float widest_title(const Frame& frame) {
  float width = 0;
  for (const Threshold& threshold : aggregate::all_thresholds()) {
    width = std::max(width, text_width(frame.fonts().text, threshold.title));
  }
  return std::ceil(width);
}

// A line for the threshold, whose field begins at `field`; changes it in `edited`.
void draw_row(Frame& frame, const Box& row, float field, const Threshold& threshold,
              AdviceThresholds& edited) {
  const Palette& colors = frame.palette();
  const ImFont* font = frame.fonts().text;
  const std::string name = fmt::format("thresholds/{}", threshold.id);
  double& value = edited.*threshold.value;
  const double usual = AdviceThresholds{}.*threshold.value;
  draw_text_in(font, {row.left, row.top, field, row.bottom}, colors.text, threshold.title);
  frame.inspector.record_item(
      name + "/title",
      item_rect({row.left, row.top, row.left + text_width(font, threshold.title), row.bottom}));
  const Box box{field, row.top, field + frame.px(kFieldWidth), row.bottom};
  const int64_t low = tenths(aggregate::kLowestThreshold);
  const int64_t high = tenths(aggregate::kHighestThreshold);
  const NumberEdit edit =
      draw_number_field(frame, name, box, tenths(value), {low, high, low, high, true});
  draw_text_in(font, {box.right + frame.px(8), row.top, row.right, row.bottom}, colors.dim,
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
  const float field = area.left + widest_title(frame) + frame.px(16);
  for (const Threshold& threshold : aggregate::all_thresholds()) {
    draw_row(frame, box_of(area.below(y), frame.px(kControlHeight)), field, threshold, edited);
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

void draw_definitions_page(Frame& frame, std::string& search) {
  OverlayCard card(frame, 760, 720);
  const Area area = card.draw_heading("Definitions");
  const Box field{area.left, area.top, area.right(), area.top + frame.px(kControlHeight + 6)};
  if (keyboard_is_free(frame)) focus_next_item();
  draw_text_field(frame, "definitions/search", field, 0, search,
                  "Search names, formulas and columns");
  draw_scrolling(frame, card, field.bottom + frame.px(14),
                 [&](const Area& page) { return draw_definitions(frame, page, search); });
}

void draw_about_page(Frame& frame) {
  const Model& model = frame.model;
  frame.inspector.record_value("about/version", model.version);
  draw_page(frame, "About dlview", 640, 560, [&frame, &model](const Area& area) {
    const Fonts& fonts = frame.fonts();
    const Palette& colors = frame.palette();
    float y = draw_wrapped(fonts.text, area, colors.text, kAbout);
    y = draw_wrapped(fonts.text, area.below(y + frame.px(8)), colors.text,
                     fmt::format("Version {}, under the MIT license.", model.version));
    y += frame.px(16);
    draw_text(fonts.strong, area.left, y, colors.text, "Licenses of dlview and its libraries");
    return draw_wrapped(fonts.mono, area.below(y + line_height(fonts.strong) + frame.px(8)),
                        colors.dim, model.licenses);
  });
}

void draw_data_quality_page(Frame& frame) {
  if (!frame.model.profile) return;
  draw_page(frame, "Data quality", 620, 420,
            [&frame](const Area& area) { return draw_quality_list(frame, area); });
}

void draw_thresholds_page(Frame& frame) {
  AdviceThresholds edited = frame.model.thresholds;
  draw_page(frame, "Thresholds of findings", kWidth, kHeight,
            [&](const Area& area) { return draw_rows(frame, area, edited); });
  if (edited != frame.model.thresholds) frame.host.set_thresholds(edited);
}

void draw_dropped_file(Frame& frame) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const std::string& path = frame.model.dropped_file;
  OverlayCard card(frame, 520, 300);
  const Area area = card.draw_heading("Open or compare?");
  draw_text_cut(frame, fonts.mono, area.left, area.top, area.width, colors.text, path,
                CutAt::front);
  frame.inspector.record_value("dropped/file", path);
  float y = area.top + line_height(fonts.mono) + frame.px(12);
  const std::string& name = frame.model.runs[frame.model.active_run].name;
  y = draw_wrapped(fonts.text, area.below(y), colors.dim,
                   fmt::format("Open keeps {} open, too. Compare shows what changed from {} to it.",
                               name, name)) +
      frame.px(16);
  const bool is_entered = pressed(ImGuiKey_Enter);
  const bool opens = draw_button(frame, "dropped/open", area.left, y, "Open", ButtonKind::accent);
  const float next = area.left + button_width(frame, "Open") + frame.px(8);
  const bool compares = draw_button(frame, "dropped/compare", next, y, "Compare");
  card.end_at(y + frame.px(kControlHeight));
  if (compares) return frame.host.compare_with_file(path);
  if (!opens && !is_entered) return;
  frame.host.show_overlay(Overlay::none);
  frame.host.open_file(path);
}

}  // namespace dlview::ui
