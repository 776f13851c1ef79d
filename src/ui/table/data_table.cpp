#include "ui/table/data_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/table/cells.h"
#include "ui/table/table_export.h"
#include "ui/widgets/focus.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

constexpr float kColumnGap = 16;
constexpr float kFooterHeight = 26;
const std::string kNonePasses = "No row passes the filters.";

std::string counted(std::size_t count) {
  return base::format_count(static_cast<int64_t>(count));
}

std::string sorting_text(const TableDraw& draw) {
  std::string text;
  for (const report::SortKey& key : draw.shown.query.sort) {
    const auto& columns = draw.look().columns;
    const auto found = std::ranges::find(columns, key.column, &ColumnLook::id);
    if (found == columns.end()) continue;
    text += text.empty() ? " · sorted by " : ", then by ";
    text += title_of(draw, static_cast<std::size_t>(found - columns.begin()));
  }
  return text;
}

bool keys_are_free(const Frame& frame) {
  return frame.model.overlay == Overlay::none && !ImGui::GetIO().WantTextInput &&
         !ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup) &&
         (frame.focus == nullptr || !frame.focus->takes_keys());
}

}  // namespace

DataTable::DataTable(TableLook look) : model_(std::move(look)), layout_(model_.look().columns) {}

workspace::TableState DataTable::state() const {
  return {model_.look().id, model_.query(), model_.selected()};
}

bool DataTable::is_changed() const {
  return model_.query() != model_.look().first_query || !model_.selected().empty();
}

void DataTable::set(const workspace::TableState& state) {
  const bool as_at_first = state.query == report::TableQuery{};
  model_.set_query(as_at_first ? model_.look().first_query : state.query);
  model_.select(state.selected);
  reveal_selected();
}

void DataTable::bind(const report::Table& table) {
  if (!in_table_.empty()) return;
  for (const ColumnLook& column : model_.look().columns) {
    in_table_.push_back(find_column(table, report::ColumnName(column.id)));
  }
}

void DataTable::draw(Frame& frame, const Box& box, std::shared_ptr<const TableData> data,
                     Tables& tables) {
  const Palette& colors = frame.palette();
  const float padding = frame.px(kPadding);
  has_data_ = data != nullptr;
  const bool is_lit = tables.shows_focus && tables.focused == model_.look().id;
  fill(box, colors.panel, frame.px(kRounding));
  outline(box, is_lit ? colors.accent : colors.line, frame.px(kRounding));
  const Area area{box.left + padding, box.top + frame.px(10), box.width() - 2 * padding};
  if (!data) {
    const Area below = draw_heading(frame, area, {model_.look().title, "", "", ""});
    draw_wrapped(frame.fonts().text, below, colors.dim, model_.look().prompt);
    return;
  }
  bind(data->table);
  model_.update(std::move(data), tables.background);
  const float top =
      toolbar_.draw(frame, area, {model_, layout_, in_table_, tables, subject_}) + frame.px(6);
  const Box body{area.left, top, area.right(), box.bottom - frame.px(6)};
  if (model_.rows()) return draw_table(frame, body, tables);
  draw_text(frame.fonts().text, body.left, body.top, colors.dim, "Sorting…");
}

void DataTable::draw_table(Frame& frame, const Box& box, Tables& tables) {
  const float footer_top = box.bottom - frame.px(kFooterHeight);
  const Box body{box.left, box.top, box.right - frame.px(kScrollRoom), footer_top};
  const ColumnLayout::Placement placement =
      layout_.place(body.width(), frame.look.scale, frame.px(kColumnGap));
  rows_.limit_scroll_x(placement.width - body.width());
  const std::shared_ptr<const ShownRows> shown = model_.rows();
  TableDraw draw{frame,     tables, model_,
                 layout_,   *shown, in_table_,
                 placement, body,   body.left - rows_.scroll_x()};
  draw.has_keys = tables.focused == model_.look().id && keys_are_free(frame);
  obey(draw);
  show_in_timeline(draw);

  ImGui::SetCursorScreenPos({body.left, body.top});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::BeginChild(model_.look().id.c_str(), {box.width(), body.height()}, false,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar();
  const float rows_top = header_.draw(draw);
  rows_.draw(draw, {body.left, rows_top, body.right, body.bottom});
  if (shown->rows.empty()) {
    draw_why_none(draw, rows_top + frame.px(8));
  }
  ImGui::EndChild();
  draw_footer(draw, {box.left, footer_top, box.right, box.bottom});
}

std::string DataTable::footer_text(const TableDraw& draw) const {
  const std::size_t all = draw.table().row_count;
  const std::size_t passing = draw.shown.rows.size();
  const std::string& noun = draw.look().noun;
  std::string text;
  if (draw.tables.rows_per_page > 0 && passing > 0) {
    const std::size_t first = rows_.first_place(draw);
    text = fmt::format("Showing {} to {} of {} {}", counted(first + 1),
                       counted(first + rows_.place_count(draw)), counted(passing), noun);
    if (passing < all) text += fmt::format(" (filtered from {})", counted(all));
  } else {
    text = fmt::format("Showing {} of {} {}", counted(passing), counted(all), noun);
  }
  text += sorting_text(draw);
  const std::size_t marked = model_.marks().count();
  if (marked > 1) text += fmt::format(" · {} rows selected", counted(marked));
  if (model_.is_late()) text += " · …";
  if (!model_.problem().empty()) text += " · what was typed is not used: " + model_.problem();
  return text;
}

void DataTable::draw_why_none(TableDraw& draw, float top) const {
  const TableData& data = *draw.shown.data;
  const std::string& why = data.table.row_count > 0 ? kNonePasses : why_none(model_.look(), data);
  draw_wrapped(draw.frame.fonts().text, {draw.body.left, top, draw.body.width()},
               draw.frame.palette().dim, why);
  draw.frame.inspector.record_value(draw.path("why_none", ""), why);
}

void DataTable::draw_footer(TableDraw& draw, const Box& box) {
  Frame& frame = draw.frame;
  const ImFont* font = frame.fonts().small;
  const std::string text = footer_text(draw);
  frame.inspector.record_value(draw.path("showing", ""), text);
  const float pages_left = draw_pages(draw, rows_, box);
  draw_text_cut(frame, font, box.left, box.top + std::round((box.height() - font_size(font)) / 2),
                pages_left - box.left - frame.px(12), frame.palette().dim, text, CutAt::middle);
}

void DataTable::show_in_timeline(TableDraw& draw) {
  if (draw.tables.focused != model_.look().id || !draw.tables.wants_timeline) return;
  draw.tables.wants_timeline = false;
  const auto row = model_.selected_row();
  if (!row || !draw.look().place) return;
  draw.tables.in_timeline = {draw.shown.data, *row, draw.look().place};
}

void DataTable::obey(TableDraw& draw) {
  if (!draw.tables.command || draw.tables.focused != model_.look().id) return;
  const TableCommand command = *draw.tables.command;
  if (command != TableCommand::next) draw.tables.command.reset();
  switch (command) {
    case TableCommand::search:
      return toolbar_.focus_search();
    case TableCommand::copy:
      return copy_rows(draw);
    case TableCommand::select_all:
      return model_.mark_all();
    case TableCommand::reset:
      ImGui::SetWindowFocus(nullptr);  // a field that is being typed into would keep its text
      return model_.set_query(model_.look().first_query);
    case TableCommand::deselect:
      return model_.select({});
    case TableCommand::next:
    case TableCommand::next_report:
    case TableCommand::previous_report:
      return;  // for whoever shows several tables
  }
}

}  // namespace dlview::ui
