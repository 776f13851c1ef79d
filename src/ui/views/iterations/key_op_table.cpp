#include "ui/views/iterations/key_op_table.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/chart/iteration_marker.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

struct Column {
  KeyOpColumn column;
  std::string_view id, title, metric;
  float width;  // of the design; 0 = what the others leave
};
constexpr std::array<Column, kKeyOpColumnCount> kColumns{{
    {KeyOpColumn::name, "name", "Op, range or kernel", "", 0},
    {KeyOpColumn::score, "score", "Score", "key_op_score", 96},
    {KeyOpColumn::instances, "instances", "Instances", "key_op_instances", 166},
    {KeyOpColumn::period, "period", "Period", "key_op_period", 74},
    {KeyOpColumn::regularity, "regularity", "Regularity", "key_op_regularity", 84},
    {KeyOpColumn::coverage, "coverage", "Coverage", "key_op_coverage", 84},
}};
constexpr float kInset = 8;
constexpr float kBesideFigure = 100;
constexpr float kMark = 14;  // room for the mark of the current key op

std::array<Box, kKeyOpColumnCount> cells_of(const Frame& frame, const Box& row) {
  float fixed = 0;
  for (const Column& column : kColumns) fixed += column.width > 0 ? frame.px(column.width) : 0;
  std::array<Box, kKeyOpColumnCount> cells;
  float x = row.left;
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const float width = kColumns[i].width > 0 ? frame.px(kColumns[i].width)
                                              : std::max(frame.px(80), row.width() - fixed);
    cells[i] = {x, row.top, x + width, row.bottom};
    x += width;
  }
  return cells;
}

std::string percent_of(double share) {
  return base::format_percent(100 * share);
}

void draw_score(const Frame& frame, const Box& cell, double score) {
  const float right = cell.right - frame.px(kInset);
  const float middle = std::round((cell.top + cell.bottom) / 2);
  const float half = frame.px(3);
  const Box track{cell.left + frame.px(36), middle - half, right, middle + half};
  fill(track, frame.palette().line, half);
  const float filled = std::round(track.width() * static_cast<float>(score));
  if (filled >= 1) {
    fill({track.left, track.top, track.left + filled, track.bottom}, frame.palette().accent, half);
  }
  draw_text_in(frame.fonts().small, cell, frame.palette().text,
               fmt::format("{:.0f}{}%", 100 * score, base::kThinSpace));
}

void draw_figure(const Frame& frame, const Box& cell, std::string_view text) {
  const ImFont* font = frame.fonts().text;
  draw_text_right(font, cell.right - frame.px(kInset),
                  cell.top + (cell.height() - font_size(font)) / 2, frame.palette().text, text);
}

// What speaks against a candidate, or tells where it lies, in few words; the reason has the whole.
std::string remark_on(const aggregate::KeyOpCandidate& candidate) {
  if (std::string warning = marker_warning(candidate); !warning.empty()) return warning;
  if (candidate.per_outer < 2) return "";
  return fmt::format("{} per {}", candidate.per_outer, candidate.outer);
}

// Left in the cell, beside a figure.
void draw_small(Frame& frame, const Box& cell, Colour colour, std::string_view text) {
  const ImFont* font = frame.fonts().small;
  draw_text_cut(frame, font, cell.left + frame.px(4),
                cell.top + (cell.height() - font_size(font)) / 2, frame.px(kBesideFigure), colour,
                text, CutAt::front);
}

}  // namespace

std::string burst_warning(int64_t burst) {
  return fmt::format("{} instances per step", base::format_count(burst));
}

float key_op_row_height(const Frame& frame) {
  return line_height(frame.fonts().text) + frame.px(7);
}

std::optional<KeyOpColumn> draw_key_op_titles(Frame& frame, const Box& row, KeyOpOrder order) {
  const auto cells = cells_of(frame, row);
  const ImFont* font = frame.fonts().small;
  std::optional<KeyOpColumn> clicked;
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const Column& column = kColumns[i];
    const Hit hit = hit_area(frame, fmt::format("iterations/key_op_sort/{}", column.id), cells[i]);
    if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (hit.hovered && !column.metric.empty()) show_metric_tooltip(frame, column.metric);
    if (hit.clicked) clicked = column.column;
    const bool sorts = order.column == column.column;
    const Colour colour = sorts || hit.hovered ? frame.palette().text : frame.palette().dim;
    const std::string title = fmt::format("{}{}", column.title,
                                          !sorts             ? ""
                                          : order.descending ? " ↓"
                                                             : " ↑");
    const float top = row.top + (row.height() - font_size(font)) / 2;
    if (i <= 1) {
      draw_text(font, cells[i].left + (i == 0 ? frame.px(kMark) : 0), top, colour, title);
    } else {
      draw_text_right(font, cells[i].right - frame.px(kInset), top, colour, title);
    }
  }
  horizontal_line(row.left, row.right, row.bottom - 1, frame.palette().line);
  return clicked;
}

Hit draw_key_op_row(Frame& frame, const Box& box, const KeyOpRow& row, bool is_lit,
                    bool is_current) {
  const Palette& colours = frame.palette();
  const aggregate::KeyOpCandidate& candidate = row.candidate;
  const Hit hit = hit_area(frame, "iterations/key_op_list/" + row.name, box);
  if (is_lit) fill(box, with_opacity(colours.accent, 0.18f), frame.px(4));
  const auto cells = cells_of(frame, box);
  if (is_current) {
    draw_icon(Icon::check, box.left + frame.px(6), (box.top + box.bottom) / 2, frame.px(10),
              colours.accent);
  }
  const ImFont* mono = frame.fonts().mono;
  draw_text_cut(frame, mono, box.left + frame.px(kMark),
                box.top + (box.height() - font_size(mono)) / 2,
                cells[0].width() - frame.px(kMark + kInset), colours.text, row.label, CutAt::front);
  if (row.key.empty()) return hit;
  draw_score(frame, cells[1], candidate.score);
  draw_figure(frame, cells[2], base::format_count(candidate.instances));
  const bool cuts_steps = candidate.burst > 1;
  draw_small(frame, cells[2], cuts_steps ? colours.attention : colours.dim, remark_on(candidate));
  draw_figure(frame, cells[3], base::format_duration(candidate.period_ns));
  draw_figure(frame, cells[4], percent_of(candidate.regularity));
  draw_figure(frame, cells[5], percent_of(candidate.coverage));
  return hit;
}

}  // namespace dlview::ui
