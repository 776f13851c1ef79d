#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/table/table_export.h"
#include "ui/table/tables.h"
#include "ui/views/iterations/comparison.h"
#include "ui/views/iterations/toolbar.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/fixed_table.h"
#include "ui/widgets/menu.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/stacked_bar.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr std::string_view kRowsDetail = "summed over calls and GPUs";
constexpr std::string_view kUnfiltered = "Filters do not apply to the two iterations.";
constexpr float kNumberWidth = 92;
constexpr float kDetailWidth = 110;   // an op's type, a kernel's launches
constexpr float kFieldMargins = 36;   // of a number field, its arrows among them
constexpr float kNarrowPanels = 900;  // of both panels: they stand one above the other
constexpr float kNarrowTable = 520;   // of one table: what can be spared goes
constexpr float kNarrowHeading = 580;

// What takes longer is filled, what takes less time is faded.
void draw_difference_bar(const Frame& frame, const Box& cell, double share, Color color) {
  if (share == 0 || cell.width() <= 0) return;
  const float half = frame.px(4);
  const float middle = std::round((cell.top + cell.bottom) / 2);
  const float width =
      std::max(frame.px(2), std::round(cell.width() * static_cast<float>(std::abs(share))));
  fill({cell.left, middle - half, cell.left + width, middle + half},
       share > 0 ? color : with_opacity(color, 0.45f), frame.px(2));
}

aggregate::MetricId baseline_metric(const ComparedIterations& compared) {
  return compared.is_typical ? aggregate::MetricId("typical_iteration") : "";
}

void draw_number(const Frame& frame, const Box& cell, Color color, std::string_view text) {
  const ImFont* font = frame.fonts().text;
  const float top = cell.top + (cell.height() - font_size(font)) / 2;
  draw_text_right(font, cell.right, top, color, text);
}

Area draw_unfiltered_note(Frame& frame, const Area& area) {
  if (frame.model.aggregation->selection.filters.empty()) return area;
  const ImFont* font = frame.fonts().text;
  draw_text(font, area.left, area.top, frame.palette().dim, kUnfiltered);
  frame.inspector.record_value("iterations/comparison/filters", kUnfiltered);
  return area.below(area.top + line_height(font) + frame.px(8));
}

// "Iteration [47] vs. [112]", each to be typed, stepped or put back. Returns what is below.
Area draw_chooser(Frame& frame, const Area& area, const ComparedIterations& compared, int64_t count,
                  std::string_view detail) {
  Flow flow(frame, area);
  const std::string longest = base::format_count(count - 1);
  const float width = text_width(frame.fonts().text, longest) + frame.px(kFieldMargins);
  const NumberLimits limits{0, count - 1, 0, count - 1};
  const auto draw_field = [&](std::string_view label, std::string_view name, int64_t value) {
    draw_flow_label(frame, flow, label, width);
    const float left = flow.place(width);
    return draw_number_field(frame, name, {left, flow.top(), left + width, flow.bottom()}, value,
                             limits)
        .value;
  };
  const auto draw_reset = [&](std::string_view name, std::string_view label, bool is_set) {
    const float left = flow.place(button_width(frame, label));
    return draw_button(frame, name, left, flow.top(), label, ButtonKind::plain, !is_set);
  };
  if (const auto chosen = draw_field("Iteration", "iterations/compared", compared.iteration)) {
    frame.host.select_iteration(chosen);
  }
  if (draw_reset("iterations/compare_slowest", "Slowest", compared.is_slowest)) {
    frame.host.select_iteration(std::nullopt);
  }
  if (const auto chosen = draw_field("vs.", "iterations/baseline", compared.baseline)) {
    frame.host.select_baseline(chosen);
  }
  if (draw_reset("iterations/compare_typical", "Typical", compared.is_typical)) {
    frame.host.select_baseline(std::nullopt);
  }
  const ImFont* font = frame.fonts().text;
  const float left = flow.place(text_width(font, "+123 ms"));
  draw_text_cut(frame, font, left, flow.top() + (flow.bottom() - flow.top() - font_size(font)) / 2,
                area.right() - left, frame.palette().dim, detail, CutAt::middle);
  return area.below(flow.bottom() + frame.px(8));
}

float draw_categories(Frame& frame, const Area& area, const ComparedIterations& compared,
                      const ComparisonTexts& texts) {
  const Palette& colors = frame.palette();
  const float number = frame.px(kNumberWidth);
  const float bar = area.width < frame.px(kNarrowTable) ? 0 : frame.px(124);
  FixedTable table(frame, area,
                   {{"Category", "breakdown", kFlexibleWidth},
                    {texts.column, "", number, Align::right},
                    {texts.baseline_column, baseline_metric(compared), number, Align::right},
                    {"Difference", "iteration_difference", number, Align::right},
                    {"", "", bar}});
  for (const ComparisonRow& row : texts.categories) {
    const std::vector<Box> cells = table.next_row();
    const Color tone = colors.tone(row.tone);
    const float half = frame.px(4);
    const float middle = std::round((cells[0].top + cells[0].bottom) / 2);
    const bool recorded = !row.difference.empty();
    fill({cells[0].left, middle - half, cells[0].left + 2 * half, middle + half},
         recorded ? tone : with_opacity(tone, kUnrecorded), frame.px(2));
    const Box name{cells[0].left + frame.px(16), cells[0].top, cells[0].right, cells[0].bottom};
    draw_text_in(frame.fonts().text, name, recorded ? colors.text : colors.dim, row.name);
    draw_number(frame, cells[1], recorded ? colors.text : colors.dim, row.value);
    draw_number(frame, cells[2], colors.dim, row.baseline);
    draw_number(frame, cells[3], colors.text, row.difference);
    draw_difference_bar(frame, cells[4], row.share, tone);
    frame.inspector.record_value(fmt::format("iterations/comparison/{}", row.name),
                                 recorded ? row.difference : row.value);
  }
  return table.bottom();
}

// "1–7 of 43" with the buttons that turn the page; nothing where one page holds all. Returns the
// left edge.
float draw_pages(Frame& frame, float right, float top, std::size_t count, ComparisonList& list) {
  if (count <= kComparedRows) return right;
  const std::size_t last = std::min(count, list.first + kComparedRows);
  const ImFont* font = frame.fonts().text;
  const auto number = [](std::size_t n) { return base::format_count(static_cast<int64_t>(n)); };
  const std::string text =
      fmt::format("{}–{} of {}", number(list.first + 1), number(last), number(count));
  frame.inspector.record_value("iterations/comparison/shown", text);
  const float step = button_width(frame, "›");
  const float gap = frame.px(2);
  float left = right - step;
  if (draw_button(frame, "iterations/comparison/next", left, top, "›", ButtonKind::plain,
                  last < count)) {
    list.first = last;
  }
  left -= step + gap;
  if (draw_button(frame, "iterations/comparison/previous", left, top, "‹", ButtonKind::plain,
                  list.first > 0)) {
    list.first -= std::min(list.first, kComparedRows);
  }
  left -= text_width(font, text) + frame.px(8);
  draw_text_in(font, {left, top, right, top + frame.px(kControlHeight)}, frame.palette().dim, text);
  return left;
}

std::vector<std::size_t> all_columns(const report::Table& table) {
  std::vector<std::size_t> columns(table.columns.size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  return columns;
}

void copy(Frame& frame, const TableData& data, std::span<const uint32_t> rows) {
  copy_rows(frame.host, data, all_columns(data.table), rows);
}

// Returns the left edge.
float draw_export_menu(Frame& frame, float right, float top, const ComparisonTexts& texts) {
  const TableData& data = *texts.whole->data;
  const auto save = [&](report::ExportFormat format) {
    frame.host.export_table({"differing_" + data.table.name, data.title, texts.whole, true,
                             all_columns(data.table), format,
                             frame.model.aggregation->whole().selection});
  };
  return draw_menu(frame, "iterations/comparison/export", "Export", right, top,
                   save_items("iterations/comparison/export_", save));
}

// `place`: of the row in the whole list.
void offer_copies(Frame& frame, std::string_view path, const Box& box, const ComparisonRow& row,
                  std::size_t place, const ComparisonTexts& texts) {
  CopyMenu menu(frame, path, box);
  if (!menu.is_open()) return;
  const std::span<const uint32_t> rows = texts.whole->rows;
  const TableData& data = *texts.whole->data;
  menu.item("name", "Copy name", [&] { return row.name; });
  menu.action("row", "Copy row", [&] { copy(frame, data, rows.subspan(place, 1)); });
  menu.action("rows", "Copy all rows", [&] { copy(frame, data, rows); });
}

// Returns the left edge.
float draw_list_controls(Frame& frame, const Area& area, const ComparisonTexts& texts,
                         ComparisonList& list) {
  const std::array<Segment, 2> segments{{{"ops", "Ops"}, {"kernels", "Kernels"}}};
  float right = area.right() - segments_width(frame, segments);
  const auto chosen = draw_segments(frame, "iterations/comparison", right, area.top, segments,
                                    list.kernels ? 1 : 0);
  constexpr std::string_view kSideBySide = "Compare in Timeline";
  right -= frame.px(8) + button_width(frame, kSideBySide);
  if (draw_button(frame, "iterations/side_by_side", right, area.top, kSideBySide)) {
    frame.host.run_command("timeline.side_by_side");
  }
  right = draw_export_menu(frame, right - frame.px(8), area.top, texts);
  right = draw_pages(frame, right - frame.px(8), area.top, texts.row_count, list);
  if (chosen) list = {*chosen == 1, 0};
  return right;
}

// The title has a line of its own where there is no room beside the controls.
Area draw_rows_heading(Frame& frame, const Area& area, const ComparisonTexts& texts,
                       ComparisonList& list) {
  constexpr std::string_view kTitle = "Largest differences";
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const bool is_narrow = area.width < frame.px(kNarrowHeading);
  const float title_bottom =
      area.top + (is_narrow ? line_height(fonts.strong) : frame.px(kControlHeight));
  draw_text_in(fonts.strong, {area.left, area.top, area.right(), title_bottom}, colors.text,
               kTitle);
  const Area line = is_narrow ? area.below(title_bottom + frame.px(6)) : area;
  const float right = draw_list_controls(frame, line, texts, list) - frame.px(8);
  const float left = area.left + text_width(fonts.strong, kTitle) + frame.px(8);
  if (!is_narrow && left + text_width(fonts.text, kRowsDetail) <= right) {
    draw_text_in(fonts.text, {left, area.top, right, title_bottom}, colors.dim, kRowsDetail);
  }
  return line.below(line.top + frame.px(kControlHeight + 8));
}

// draw_text_cut() without its menu: the row has one.
void draw_cut_in(Frame& frame, const ImFont* font, const Box& cell, Color color,
                 std::string_view text, CutAt where) {
  const auto measure = [font](std::string_view part) { return text_width(font, part); };
  const std::string shown = cut_text(text, cell.width(), where, measure);
  draw_text_in(font, cell, color, shown);
  if (shown != text && hovered(cell)) show_name_tooltip(frame, text);
}

void draw_name(Frame& frame, const Box& cell, std::string_view path, const ComparisonRow& row,
               CutAt cut) {
  draw_cut_in(frame, frame.fonts().mono, cell, frame.palette().text, row.name, cut);
  if (row.op_id.empty()) return;
  const Hit hit = hit_area(frame, std::string(path) + "/open", cell);
  if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (hit.clicked) frame.host.show_table(ViewId::ops, {"ops", {}, row.op_id});
}

float draw_rows(Frame& frame, const Area& area, const ComparedIterations& compared,
                const ComparisonTexts& texts, const ComparisonList& list) {
  const Palette& colors = frame.palette();
  if (texts.rows.empty()) {
    return draw_wrapped(frame.fonts().text, area, colors.dim,
                        fmt::format("Both iterations spend the same time in each {}.",
                                    list.kernels ? "kernel" : "op"));
  }
  const float number = frame.px(kNumberWidth);
  const float detail = area.width < frame.px(kNarrowTable) ? 0 : frame.px(kDetailWidth);
  FixedTable table(
      frame, area,
      {{list.kernels ? "Kernel name" : "Op name", "", kFlexibleWidth},
       {list.kernels ? "Launches" : "CPU/GPU · op type",
        list.kernels ? aggregate::MetricId("kernel_launches") : "", detail,
        list.kernels ? Align::right : Align::left},
       {texts.column, "", number, Align::right},
       {texts.baseline_column, baseline_metric(compared), number, Align::right},
       {"Difference", list.kernels ? aggregate::MetricId("kernel_difference") : "op_difference",
        number, Align::right}});
  for (std::size_t i = 0; i < texts.rows.size(); ++i) {
    const ComparisonRow& row = texts.rows[i];
    const std::vector<Box> cells = table.next_row();
    const std::string path =
        fmt::format("iterations/comparison/{}/{}", list.kernels ? "kernels" : "ops", i);
    draw_name(frame, cells[0], path, row, list.kernels ? CutAt::middle : CutAt::front);
    if (detail > 0 && list.kernels) {
      draw_number(frame, cells[1], colors.dim, row.detail);
    } else if (detail > 0) {
      draw_cut_in(frame, frame.fonts().text, cells[1], colors.dim, row.detail, CutAt::middle);
    }
    draw_number(frame, cells[2], colors.text, row.value);
    draw_number(frame, cells[3], colors.dim, row.baseline);
    draw_number(frame, cells[4], colors.text, row.difference);
    const Box whole{cells[0].left, cells[0].top, cells[4].right, cells[0].bottom};
    frame.inspector.record_item(path, item_rect(whole));
    offer_copies(frame, path, whole, row, list.first + i, texts);
    if (hovered({cells[2].left, cells[2].top, cells[4].right, cells[4].bottom})) {
      show_tooltip(frame, row.title);
    }
    frame.inspector.record_value(path, row.name + " " + row.difference);
  }
  return table.bottom();
}

}  // namespace

float draw_comparison(Frame& frame, const Area& area, const ComparedIterations& compared,
                      int64_t count, const ComparisonTexts& texts, ComparisonList& list) {
  const float gap = frame.px(kGap);
  const bool stacked = area.width < frame.px(kNarrowPanels);
  const float width = stacked ? area.width : std::round((area.width - gap) / 2);
  frame.inspector.record_value("iterations/comparison", describe_compared(compared));
  PanelRow first(frame, area.top);
  Area inner = first.begin_panel(area.left, width);
  inner = draw_unfiltered_note(frame, draw_chooser(frame, inner, compared, count, texts.detail));
  first.end_panel(draw_categories(frame, inner, compared, texts));
  const auto draw_list = [&](const Area& panel) {
    const ComparisonList shown = list;
    return draw_rows(frame, draw_rows_heading(frame, panel, texts, list), compared, texts, shown);
  };
  if (!stacked) {
    first.end_panel(
        draw_list(first.begin_panel(area.left + width + gap, area.width - width - gap)));
    return first.finish();
  }
  PanelRow second(frame, first.finish() + gap);
  second.end_panel(draw_list(second.begin_panel(area.left, width)));
  return second.finish();
}

}  // namespace dlview::ui
