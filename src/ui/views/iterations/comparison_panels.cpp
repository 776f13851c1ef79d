#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ui/views/iterations/comparison.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/table.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr std::string_view kOpsDetail = "times of all their calls on all GPUs added up";
constexpr float kNumberWidth = 92;
constexpr float kTypeWidth = 110;
constexpr float kNarrow = 900;       // of both panels: they stand one above the other
constexpr float kNarrowTable = 520;  // of one table: what can be spared goes

// What takes longer is filled, what takes less time is faded.
void draw_difference_bar(const Frame& frame, const Box& cell, double share, Colour colour) {
  if (share == 0 || cell.width() <= 0) return;
  const float half = frame.px(4);
  const float middle = std::round((cell.top + cell.bottom) / 2);
  const float width =
      std::max(frame.px(2), std::round(cell.width() * static_cast<float>(std::abs(share))));
  fill({cell.left, middle - half, cell.left + width, middle + half},
       share > 0 ? colour : with_opacity(colour, 0.45f), frame.px(2));
}

void draw_number(const Frame& frame, const Box& cell, Colour colour, std::string_view text) {
  const ImFont* font = frame.fonts().text;
  const float top = cell.top + (cell.height() - font->FontSize) / 2;
  draw_text_right(font, cell.right, top, colour, text);
}

float draw_categories(Frame& frame, const Area& area, const ComparisonTexts& texts) {
  const Palette& colours = frame.palette();
  const float number = frame.px(kNumberWidth);
  const float bar = area.width < frame.px(kNarrowTable) ? 0 : frame.px(150);
  Table table(frame, area,
              {{"Category", "breakdown", kFlexibleWidth},
               {texts.column, "", number, Align::right},
               {texts.baseline_column, "", number, Align::right},
               {"Difference", "", number, Align::right},
               {"", "", bar}});
  for (const ComparisonRow& row : texts.categories) {
    const std::vector<Box> cells = table.next_row();
    const Colour tone = colours.tone(tone_of(row.category));
    const float half = frame.px(4);
    const float middle = std::round((cells[0].top + cells[0].bottom) / 2);
    const bool recorded = !row.difference.empty();
    fill({cells[0].left, middle - half, cells[0].left + 2 * half, middle + half},
         recorded ? tone : colours.faint, frame.px(2));
    const Box name{cells[0].left + frame.px(16), cells[0].top, cells[0].right, cells[0].bottom};
    draw_text_in(frame.fonts().text, name, recorded ? colours.text : colours.dim, row.name);
    draw_number(frame, cells[1], recorded ? colours.text : colours.dim, row.value);
    draw_number(frame, cells[2], colours.dim, row.baseline);
    draw_number(frame, cells[3], colours.text, row.difference);
    draw_difference_bar(frame, cells[4], row.share, tone);
    frame.inspector.record_value(fmt::format("iterations/comparison/{}", row.name),
                                 recorded ? row.difference : row.value);
  }
  return table.bottom();
}

float draw_ops(Frame& frame, const Area& area, const ComparisonTexts& texts) {
  const Palette& colours = frame.palette();
  if (texts.ops.empty()) {
    return draw_wrapped(frame.fonts().text, area, colours.dim,
                        "No op takes another time in this iteration.");
  }
  const float number = frame.px(kNumberWidth);
  const float type = area.width < frame.px(kNarrowTable) ? 0 : frame.px(kTypeWidth);
  Table table(frame, area,
              {{"Op name", "", kFlexibleWidth},
               {"Op type", "", type},
               {texts.column, "", number, Align::right},
               {texts.baseline_column, "", number, Align::right},
               {"Difference", "", number, Align::right}});
  for (std::size_t i = 0; i < texts.ops.size(); ++i) {
    const ComparisonRow& row = texts.ops[i];
    const std::vector<Box> cells = table.next_row();
    const ImFont* mono = frame.fonts().mono;
    const float top = cells[0].top + (cells[0].height() - mono->FontSize) / 2;
    draw_text_cut(frame, mono, cells[0].left, top, cells[0].width(), colours.text, row.name,
                  CutAt::front);
    if (type > 0) {
      const ImFont* font = frame.fonts().text;
      draw_text_cut(frame, font, cells[1].left,
                    cells[1].top + (cells[1].height() - font->FontSize) / 2, cells[1].width(),
                    colours.dim, row.detail, CutAt::middle);
    }
    draw_number(frame, cells[2], colours.text, row.value);
    draw_number(frame, cells[3], colours.dim, row.baseline);
    draw_number(frame, cells[4], colours.text, row.difference);
    if (hovered({cells[2].left, cells[2].top, cells[4].right, cells[4].bottom})) {
      show_tooltip(frame, row.title);
    }
    frame.inspector.record_value(fmt::format("iterations/comparison/ops/{}", i),
                                 row.name + " " + row.difference);
  }
  return table.bottom();
}

}  // namespace

float draw_comparison(Frame& frame, const Area& area, const ComparisonTexts& texts) {
  const float gap = frame.px(kGap);
  const bool stacked = area.width < frame.px(kNarrow);
  const float width = stacked ? area.width : std::round((area.width - gap) / 2);
  frame.inspector.record_value("iterations/comparison", texts.heading);
  PanelRow first(frame, area.top);
  Area inner = first.begin_panel(area.left, width);
  first.end_panel(draw_categories(
      frame, draw_heading(frame, inner, {texts.heading, "", texts.detail, ""}), texts));
  if (!stacked) {
    inner = first.begin_panel(area.left + width + gap, area.width - width - gap);
    first.end_panel(draw_ops(
        frame, draw_heading(frame, inner, {"Ops that made the difference", "", kOpsDetail, ""}),
        texts));
    return first.finish();
  }
  PanelRow second(frame, first.finish() + gap);
  inner = second.begin_panel(area.left, width);
  second.end_panel(draw_ops(
      frame, draw_heading(frame, inner, {"Ops that made the difference", "", kOpsDetail, ""}),
      texts));
  return second.finish();
}

}  // namespace dlview::ui
