#include "ui/table/rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "base/units.h"
#include "report/writers/shown_table.h"
#include "ui/filters.h"
#include "ui/table/cells.h"
#include "ui/table/table_export.h"
#include "ui/view.h"
#include "ui/widgets/focus.h"
#include "ui/widgets/menu.h"

namespace dlview::ui {
namespace {

constexpr float kBarWidth = 8;
constexpr double kRowsPerWheelStep = 3;
constexpr float kPixelsPerWheelStep = 90;  // sideways
constexpr double kRestSeconds = 0.35;

struct PageSize {
  std::size_t rows;
  std::string_view label;
};
// From the right to the left.
constexpr std::array<PageSize, 5> kPageSizes{
    {{100, "100"}, {50, "50"}, {25, "25"}, {10, "10"}, {0, "All"}}};

float draw_label(const Frame& frame, float right, const Box& line, std::string_view text) {
  const ImFont* font = frame.fonts().small;
  const float left = right - text_width(font, text);
  draw_text_in(font, {left, line.top, right, line.bottom}, frame.palette().dim, text);
  return left;
}

// The scroll position that has whole rows in view.
double in_whole_rows(double scroll, double row_height) {
  return std::round(scroll / row_height) * row_height;
}

}  // namespace

Word draw_word(Frame& frame, const std::string& name, float right, const Box& line,
               std::string_view text, bool lit, bool enabled) {
  const ImFont* font = frame.fonts().small;
  const Palette& colors = frame.palette();
  const Box box{right - text_width(font, text) - 2 * frame.px(5), line.top, right, line.bottom};
  const Hit hit = hit_area(frame, name, box);
  const Color color = !enabled ? colors.faint : lit || hit.hovered ? colors.text : colors.dim;
  draw_text_in(font, box, color, text, true);
  if (lit) {
    fill({box.left + frame.px(5), box.bottom - frame.px(5), box.right - frame.px(5),
          box.bottom - frame.px(4)},
         colors.accent);
  }
  return {box.left, hit.clicked && enabled};
}

std::size_t TableRows::page_count(const TableDraw& draw) const {
  const std::size_t size = draw.tables.rows_per_page;
  const std::size_t count = draw.shown.rows.size();
  return size == 0 ? 1 : std::max<std::size_t>(1, (count + size - 1) / size);
}

std::size_t TableRows::first_place(const TableDraw& draw) const {
  return page_ * draw.tables.rows_per_page;
}

std::size_t TableRows::place_count(const TableDraw& draw) const {
  const std::size_t rest = draw.shown.rows.size() - first_place(draw);
  return draw.tables.rows_per_page == 0 ? rest : std::min(rest, draw.tables.rows_per_page);
}

void TableRows::set_page(std::size_t page) {
  page_ = page;
  scroll_ = 0;
  generation_ = -1;
}

void TableRows::limit_scroll_x(float most) {
  scroll_x_ = std::clamp(scroll_x_, 0.0f, std::max(0.0f, most));
}

void TableRows::scroll_columns(const TableDraw& draw, int columns) {
  const ColumnLayout::Placement& placement = draw.placement;
  if (!placement.scrolls()) return;
  const auto last = static_cast<int>(placement.stops.size()) - 1;
  const int first = std::clamp(static_cast<int>(placement.before) + columns, 0, last);
  scroll_x_ = placement.stops[static_cast<std::size_t>(first)];
}

void TableRows::prepare(TableDraw& draw, float row_height) {
  if (draw.tables.rows_per_page != page_size_) {
    page_size_ = draw.tables.rows_per_page;
    page_ = 0;
    generation_ = -1;
  }
  page_ = std::min(page_, page_count(draw) - 1);
  if (reveal_ && page_size_ > 0 && draw.model.selected_place()) {
    const std::size_t page = *draw.model.selected_place() / page_size_;
    if (page != page_) set_page(page);
  }
  if (generation_ == draw.model.generation() && row_height_ == row_height) return;
  generation_ = draw.model.generation();
  row_height_ = row_height;
  positions_ = RowPositions(place_count(draw), row_height);
}

void TableRows::draw(TableDraw& draw, const Box& box) {
  Frame& frame = draw.frame;
  prepare(draw, frame.px(kTableRowHeight));
  const float bar = frame.px(kBarWidth);
  const bool sideways = draw.placement.scrolls() && positions_.count() > 0;
  Box rows{box.left, box.top, box.right, box.bottom - (sideways ? bar : 0)};
  // Of whole rows, unless there is no room for one.
  const float whole = std::floor(rows.height() / row_height_) * row_height_;
  if (whole > 0) rows.bottom = rows.top + whole;
  const double view = rows.height();
  if (draw.has_keys) take_keys(draw, rows.height());
  if (reveal_ && draw.model.selected_place()) {
    scroll_ = scrolled_to_row(positions_, *draw.model.selected_place() - first_place(draw), scroll_,
                              view);
  }
  reveal_ = false;
  scroll_ = clamped_scroll(scroll_, positions_.total(), view);
  shown_scroll_ = in_whole_rows(scroll_, row_height_);
  bottom_ = rows.top;
  if (positions_.count() > 0) {
    const float side = frame.px(kRowPadding);
    ImGui::PushClipRect({rows.left - side, rows.top}, {rows.right + side, rows.bottom}, true);
    const std::size_t first = positions_.row_at(shown_scroll_);
    const auto in_view = static_cast<std::size_t>(std::ceil(view / row_height_)) + 1;
    const std::size_t end = std::min(positions_.count(), first + in_view);
    tell_names_apart(draw, first_place(draw) + first, first_place(draw) + end);
    for (std::size_t i = first; i < positions_.count(); ++i) {
      const std::size_t place = first_place(draw) + i;
      const float extra = extra_height(draw, place);
      positions_.set_extra(i, std::ceil(extra / row_height_) * row_height_);
      const auto top = rows.top + static_cast<float>(positions_.top_of(i) - shown_scroll_);
      if (top >= rows.bottom) break;
      const float bottom = top + positions_.height_of(i);
      draw_row(draw, place, {rows.left, top, rows.right, bottom}, row_height_);
      bottom_ = std::min(bottom, rows.bottom);
    }
    ImGui::PopClipRect();
  }
  const float edge = box.right + frame.px(kScrollRoom);
  scroll_ = bar_.draw(frame, draw.path("scroll", ""), {edge - bar, rows.top, edge, rows.bottom},
                      ScrollAxis::down, scroll_, positions_.total(), view);
  if (sideways) {
    scroll_x_ = static_cast<float>(side_bar_.draw(
        frame, draw.path("scroll_x", ""), {rows.left, box.bottom - bar, rows.right, box.bottom},
        ScrollAxis::across, scroll_x_, draw.placement.width + draw.placement.most_scroll(),
        draw.placement.width));
  }
  take_mouse(draw, rows);
}

void TableRows::draw_row(TableDraw& draw, std::size_t place, const Box& row, float row_height) {
  Frame& frame = draw.frame;
  const Palette& colors = frame.palette();
  const std::size_t on_page = place - first_place(draw);
  if (on_page > 0) {
    horizontal_line(row.left, row.right, row.top, mix(colors.panel, colors.line, 0.5f));
  }
  const float side = frame.px(kRowPadding);
  const Box ground{row.left - side, row.top, row.right + side, row.bottom};
  if (draw.model.marks().contains(place)) {
    fill(ground, with_opacity(colors.accent, draw.has_keys ? 0.22f : 0.14f), frame.px(3));
  } else if (hovered(row) && hovered(draw.body)) {
    fill(ground, with_opacity(colors.text, 0.035f), frame.px(3));
  }
  frame.inspector.record_item(draw.path("rows", std::to_string(place)), item_rect(row));
  for (const ColumnLayout::Placed& placed : draw.placement.columns) {
    const Box cell = draw.column_box(placed, row.top, row.bottom);
    ImGui::PushClipRect({cell.left, row.top}, {cell.right, row.bottom}, true);
    draw_cell(draw, place, placed.column, cell, row_height);
    ImGui::PopClipRect();
  }
}

std::optional<TableRows::CellAt> TableRows::cell_at_mouse(const TableDraw& draw,
                                                          const Box& box) const {
  if (!hovered(box) || positions_.count() == 0) return std::nullopt;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const double y = shown_scroll_ + static_cast<double>(mouse.y - box.top);
  if (y < 0 || y >= positions_.total()) return std::nullopt;
  const std::size_t row = positions_.row_at(y);
  const float top = box.top + static_cast<float>(positions_.top_of(row) - shown_scroll_);
  for (const ColumnLayout::Placed& placed : draw.placement.columns) {
    const Box cell = draw.column_box(placed, top, top + positions_.height_of(row));
    if (mouse.x >= cell.left && mouse.x < cell.right) {
      return CellAt{first_place(draw) + row, placed.column, cell};
    }
  }
  return CellAt{first_place(draw) + row, kNoColumn, {}};
}

void TableRows::take_mouse(TableDraw& draw, const Box& box) {
  const ImGuiIO& io = ImGui::GetIO();
  const Hit hit = hit_area(draw.frame, draw.path("rows", ""), box, Reach::list);
  if (hit.has_arrived) {
    draw.tables.focused = draw.look().id;
    draw.tables.shows_focus = true;
  }
  const Box& body = draw.body;
  if (hovered({body.left, body.top, body.right + draw.frame.px(kScrollRoom), body.bottom})) {
    const bool sideways = io.KeyShift && io.MouseWheelH == 0;
    const float down = sideways ? 0 : io.MouseWheel;
    const float across = sideways ? io.MouseWheel : io.MouseWheelH;
    scroll_ -= static_cast<double>(down) * kRowsPerWheelStep * static_cast<double>(row_height_);
    scroll_x_ -= across * draw.frame.px(kPixelsPerWheelStep);
  }
  const auto at = cell_at_mouse(draw, box);
  if (at && hit.hovered) {
    explain(draw, *at);
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
      draw.tables.focused = draw.look().id;
      draw.tables.shows_focus = false;
      using enum TableModel::Extend;
      draw.model.select_place(at->place, io.KeyCtrl ? by_this : io.KeyShift ? to_here : no);
    }
    if (ImGui::IsMouseReleased(ImGuiMouseButton_Right) && at->column != kNoColumn) {
      menu_cell_ = at;
      draw.tables.focused = draw.look().id;
      if (!draw.model.marks().contains(at->place)) draw.model.select_place(at->place);
    }
  }
  const bool opens =
      hit.has_ring && draw.frame.focus->takes_menu(box) && select_menu_cell(draw, box);
  draw_menu(draw, at && at->column != kNoColumn ? at->box : Box{}, opens);
}

// The first cell of the selected row.
bool TableRows::select_menu_cell(const TableDraw& draw, const Box& box) {
  const auto place = draw.model.selected_place();
  const auto& columns = draw.placement.columns;
  if (!place || columns.empty() || *place < first_place(draw)) return false;
  const std::size_t row = *place - first_place(draw);
  if (row >= positions_.count()) return false;
  const float top = box.top + static_cast<float>(positions_.top_of(row) - shown_scroll_);
  menu_cell_ = CellAt{*place, columns.front().column,
                      draw.column_box(columns.front(), top, top + positions_.height_of(row))};
  return true;
}

void TableRows::explain(TableDraw& draw, const CellAt& at) {
  if (at.column == kNoColumn) return;
  const double now = ImGui::GetTime();
  if (at.place != hover_place_ || at.column != hover_column_) {
    hover_place_ = at.place;
    hover_column_ = at.column;
    hover_since_ = now;
  }
  if (now - hover_since_ < kRestSeconds) {
    draw.tables.is_waiting = true;
  } else {
    explain_cell(draw, at.place, at.column, at.box);
  }
}

void TableRows::draw_menu(TableDraw& draw, const Box& box, bool opens) {
  CopyMenu menu(draw.frame, draw.path("menu", ""), opens ? menu_cell_->box : box, opens);
  if (!menu.is_open() || !menu_cell_ || menu_cell_->place >= draw.shown.rows.size()) return;
  const CellAt& at = *menu_cell_;
  const report::Column& column = draw.column(at.column);
  const report::Cell value = draw.cell(at.place, at.column);
  menu.item("cell", "Copy cell", [&] { return report::to_text(value, 6); });
  if (const auto filter = cross_filter(draw, at.place, at.column)) {
    offer_filter(draw.frame, menu, *filter);
    if (const auto view = draw.look().columns[at.column].shown_in) {
      menu.action("show", fmt::format("Filter and show {}", info(*view).title), [&] {
        add_filter(draw.frame, *filter);
        draw.frame.host.show(*view);
      });
    }
  }
  if (draw.look().place) {
    menu.action("timeline", "Show in Timeline", [&] {
      draw.tables.in_timeline = {draw.shown.data, draw.shown.rows[at.place], draw.look().place};
    });
  }
  if (draw.look().actions) {
    draw.look().actions(menu, draw.frame.host, *draw.shown.data, draw.shown.rows[at.place]);
  }
  const std::size_t marked = draw.model.marks().count();
  menu.action("rows", marked == 1 ? "Copy row" : "Copy rows", [&] { copy_rows(draw); });
  if (!draw.look().columns[at.column].metric.empty()) {
    offer_provenance(draw.frame, menu, number_in(draw, at.place, at.column));
  }
  if (!report::is_number(column) || column.unit == aggregate::Unit::none) {
    menu.action("filter", "Filter this table",
                [&] { draw.model.set_filter(column.id, filter_for(column, value)); });
  }
}

void TableRows::take_keys(TableDraw& draw, float view) {
  const auto page = static_cast<int64_t>(std::max(1.0f, std::floor(view / row_height_) - 1));
  const auto all = static_cast<int64_t>(draw.shown.rows.size());
  const bool extend = ImGui::GetIO().KeyShift;
  const std::pair<ImGuiKey, int64_t> steps[] = {{ImGuiKey_DownArrow, 1},   {ImGuiKey_UpArrow, -1},
                                                {ImGuiKey_PageDown, page}, {ImGuiKey_PageUp, -page},
                                                {ImGuiKey_Home, -all},     {ImGuiKey_End, all}};
  for (const auto& [key, rows] : steps) {
    if (!pressed(key)) continue;
    draw.tables.shows_focus = true;
    draw.model.move_selection(rows, extend);
    reveal_ = true;
  }
  const RowTree* tree = draw.shown.data->tree.get();
  const auto selected = draw.model.selected_place();
  if (tree != nullptr && selected) {
    const uint32_t row = draw.shown.rows[*selected];
    const ImGuiKey key = tree->is_open[row] ? ImGuiKey_LeftArrow : ImGuiKey_RightArrow;
    if (tree->has_children[row] && (pressed(key) || pressed(ImGuiKey_Enter))) {
      draw.model.turn_branch(*selected);
    }
  } else if (selected && pressed(ImGuiKey_Enter)) {
    draw.model.choose_selected();
    draw.tables.command = TableCommand::next;
  }
  if (selected && pressed(ImGuiKey_Space)) turn_texts(draw, *selected);
  if (tree == nullptr) take_sideways_keys(draw);
}

void TableRows::take_sideways_keys(TableDraw& draw) {
  if (draw.frame.model.view == ViewId::timeline) return;  // they go from iteration to iteration
  if (pressed(ImGuiKey_RightArrow)) scroll_columns(draw, 1);
  if (pressed(ImGuiKey_LeftArrow)) scroll_columns(draw, -1);
}

float draw_pages(TableDraw& draw, TableRows& rows, const Box& box) {
  Frame& frame = draw.frame;
  std::size_t& size = draw.tables.rows_per_page;
  float x = box.right;
  const std::size_t before = size;
  for (const PageSize& choice : kPageSizes) {
    const std::string name = draw.path("pages", choice.label);
    const Word word = draw_word(frame, name, x, box, choice.label, before == choice.rows);
    if (word.clicked) size = choice.rows;
    x = word.left;
  }
  x = draw_label(frame, x - frame.px(4), box, "Rows per page");
  if (before == 0) return x;
  const std::size_t count = rows.page_count(draw);
  const std::size_t page = rows.page();
  x -= frame.px(18);
  const Word next =
      draw_word(frame, draw.path("pages", "next"), x, box, "Next ›", false, page + 1 < count);
  x = draw_label(frame, next.left - frame.px(4), box,
                 fmt::format("Page {} of {}", base::format_count(static_cast<int64_t>(page) + 1),
                             base::format_count(static_cast<int64_t>(count))));
  const Word previous = draw_word(frame, draw.path("pages", "previous"), x - frame.px(4), box,
                                  "‹ Previous", false, page > 0);
  if (next.clicked) rows.set_page(page + 1);
  if (previous.clicked) rows.set_page(page - 1);
  return previous.left;
}

}  // namespace dlview::ui
