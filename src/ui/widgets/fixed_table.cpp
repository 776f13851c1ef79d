#include "ui/widgets/fixed_table.h"

#include <algorithm>

#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kColumnGap = 16;

}  // namespace

std::string_view to_text(Mark mark) {
  switch (mark) {
    case Mark::yes:
      return "1";
    case Mark::missed:
    case Mark::no:
      return "0";
    case Mark::unknown:
      break;
  }
  return "?";
}

void draw_mark(Frame& frame, const Box& box, Mark mark, bool is_centered) {
  const Palette& colors = frame.palette();
  const float size = frame.px(14);
  const float x = is_centered ? (box.left + box.right) / 2 : box.left + size / 2;
  const float middle = (box.top + box.bottom) / 2;
  if (mark == Mark::yes) {
    draw_icon(Icon::check, x, middle, size, colors.good);
  } else if (mark == Mark::missed) {
    draw_icon(Icon::cross, x, middle, size * 0.85f, colors.attention);
  } else {
    draw_text_in(frame.fonts().text, box, colors.dim, mark == Mark::no ? "–" : "?", is_centered);
  }
}

FixedTable::FixedTable(Frame& frame, const Area& area, const std::vector<TableColumn>& columns,
                       float row_height)
    : frame_(frame), area_(area), row_height_(frame.px(row_height)), y_(area.top) {
  const float gap = frame.px(kColumnGap);
  float taken = 0;
  for (const TableColumn& column : columns) {
    if (column.width != 0) taken += std::max(0.0f, column.width) + gap;
  }
  const float flexible = std::max(frame.px(40), area.width - (taken - gap));
  float x = area.left;
  for (const TableColumn& column : columns) {
    const float width = column.width == kFlexibleWidth ? flexible : column.width;
    columns_.push_back({x, 0, x + width, 0});
    if (width > 0) x += width + gap;
  }
  const ImFont* font = frame.fonts().small;
  const Palette& colors = frame.palette();
  const float height = line_height(font);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Box& edges = columns_[i];
    if (edges.width() <= 0) continue;
    const float slack = edges.width() - text_width(font, columns[i].title);
    const float indent = columns[i].align == Align::right    ? slack
                         : columns[i].align == Align::center ? slack / 2
                                                             : 0;
    draw_text(font, edges.left + indent, y_, colors.dim, columns[i].title);
    if (!columns[i].metric.empty() && hovered({edges.left, y_, edges.right, y_ + height})) {
      show_metric_tooltip(frame, columns[i].metric);
    }
  }
  y_ += height + frame.px(5);
  horizontal_line(area.left, area.right(), y_, colors.line);
  y_ += 1;
}

std::vector<Box> FixedTable::next_row() {
  const Palette& colors = frame_.palette();
  if (!first_row_) {
    horizontal_line(area_.left, area_.right(), y_, mix(colors.panel, colors.line, 0.5f));
  }
  first_row_ = false;
  std::vector<Box> cells = columns_;
  for (Box& cell : cells) {
    cell.top = y_;
    cell.bottom = y_ + row_height_;
  }
  const Box whole{area_.left, y_, area_.right(), y_ + row_height_};
  if (hovered(whole)) fill(whole, with_opacity(colors.text, 0.035f), frame_.px(3));
  y_ += row_height_;
  return cells;
}

}  // namespace dlview::ui
