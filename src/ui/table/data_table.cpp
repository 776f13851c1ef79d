#include "ui/table/data_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/table/cells.h"
#include "ui/table/sparklines.h"
#include "ui/table/table_export.h"
#include "ui/text.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/focus.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

constexpr float kColumnGap = 16;
constexpr float kFooterHeight = 26;
constexpr float kBelowRows = 12;  // for the scroll bar
constexpr float kLeastWithFooter = 28 + kTableRowHeight + kBelowRows + kFooterHeight;
const std::string kNonePasses = "No rows match the filters. Clear filters.";

std::string count_text(std::size_t count) {
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

// Between the names and what scrolls beside them.
void draw_frozen_edge(const TableDraw& draw, float top, float bottom) {
  const ColumnLayout::Placement& placement = draw.placement;
  if (!placement.is_frozen || !placement.scrolls()) return;
  const float x =
      std::round(draw.body.left + placement.columns[0].right() + draw.frame.px(kColumnGap) / 2);
  fill({x, top, x + 1, bottom}, draw.frame.palette().line);
}

// Whether the column has numbers or flags and no share: what it needs is known by a few of them.
bool needs_numbers(const TableDraw& draw, std::size_t of_look) {
  const ColumnLook& look = draw.look().columns[of_look];
  const report::Column& column = draw.column(of_look);
  const bool is_plain = !look.instant && !look.is_difference && !look.few_digits && !look.sparkline;
  return look.share <= 0 && is_plain &&
         (report::is_number(column) || column.kind == report::CellKind::flag);
}

bool keys_are_free(const Frame& frame) {
  return frame.model.overlay == Overlay::none && !ImGui::GetIO().WantTextInput &&
         !ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup) &&
         (frame.focus == nullptr || !frame.focus->takes_keys());
}

}  // namespace

DataTable::DataTable(TableLook look)
    : model_(std::move(look)), layout_(model_.look().columns, frozen_column(model_.look())) {}

float DataTable::wanted_height(const Frame& frame) const {
  const float rows =
      static_cast<float>(std::max<std::size_t>(1, model_.row_count())) * frame.px(kTableRowHeight);
  return frame.px(10) + frame.px(kControlHeight) + frame.px(6) + header_.height(frame, model_) +
         rows + frame.px(kBelowRows) + frame.px(kFooterHeight) + frame.px(6);
}

workspace::TableState DataTable::state() const {
  return {model_.look().id, model_.query(), std::string(model_.chosen())};
}

bool DataTable::is_changed() const {
  return model_.query() != model_.look().first_query || !model_.chosen().empty();
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

bool DataTable::tells_rows_apart(std::size_t of_look) const {
  const ColumnLook& column = model_.look().columns[of_look];
  const report::TableQuery& query = model_.query();
  if (in_table_[of_look] == kNoColumn || of_look == layout_.frozen() || column.stays ||
      column.id == model_.look().key.text() || column.is_difference ||
      std::ranges::find(query.sort, column.id, &report::SortKey::column) != query.sort.end() ||
      !model_.filter_of(column.id).empty()) {
    return true;
  }
  const report::Cell* cell = constants_.cell(in_table_[of_look]);
  if (cell == nullptr) return true;
  // Bars that are all as long say that much, unless there is none; of equal marks some may call.
  return (column.bar && number_of(*cell) != 0) ||
         (column.attention && !std::holds_alternative<std::monostate>(*cell));
}

void DataTable::hide_constant_columns(Background& background) {
  constants_.update(model_.rows()->data, in_table_, background);
  for (std::size_t column = 0; column < layout_.count(); ++column) {
    layout_.set_constant(column, !tells_rows_apart(column));
  }
}

// Of all the data that the table has shown, so that its columns do not jump.
void DataTable::learn_contents(const TableDraw& draw) {
  const float scale = draw.frame.look.scale;
  const bool is_same_look = measured_scale_ == scale && measured_digits_ == draw.tables.digits;
  if (measured_.lock() == draw.shown.data && is_same_look) return;
  measured_ = draw.shown.data;
  measured_scale_ = scale;
  measured_digits_ = draw.tables.digits;
  for (std::size_t column = 0; column < layout_.count(); ++column) {
    if (in_table_[column] == kNoColumn) continue;
    const ColumnLook& look = model_.look().columns[column];
    if (needs_numbers(draw, column)) {
      const float width = number_width(draw, column) / scale;
      layout_.set_need(column, is_same_look ? std::max(layout_.need(column), width) : width);
    } else if (look.share > 0 && !look.tree && !report::is_number(draw.column(column))) {
      const float width = content_width(draw, column) / scale;
      layout_.set_content(column, std::max(layout_.content(column), width));
    }
  }
}

// What a few rows say that a column needs is too little for others: it grows in the next frame.
void DataTable::learn_cut_numbers(const TableDraw& draw) {
  for (const TableDraw::CutNumber& cut : draw.cut_numbers) {
    const float width = std::ceil(cut.width) / draw.frame.look.scale;
    if (!needs_numbers(draw, cut.of_look) || width <= layout_.need(cut.of_look)) continue;
    layout_.set_need(cut.of_look, width);
    draw.tables.is_waiting = true;
  }
}

void DataTable::choose_columns(const TableData& shown) {
  const std::vector<ColumnLook>& columns = model_.look().columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto& applies = columns[i].applies;
    layout_.set_applies(i, in_table_[i] != kNoColumn && (!applies || applies(shown)));
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
  const std::string selected = model_.selected();
  model_.update(std::move(data), tables.background);
  if (model_.chosen().empty() && model_.selected() != selected) tables.is_waiting = true;
  if (model_.chosen() != last_chosen_) {
    last_chosen_ = model_.chosen();
    if (!last_chosen_.empty() && model_.rows()) {
      tables.chosen = {model_.look().id, last_chosen_, model_.rows()->data->profile};
    }
  }
  if (model_.rows()) {
    choose_columns(*model_.rows()->data);
    hide_constant_columns(tables.background);
  }
  const float top =
      toolbar_.draw(frame, area,
                    {model_, layout_, in_table_, tables, subject_, constants_, header_}) +
      frame.px(6);
  const Box body{area.left, top, area.right(), box.bottom - frame.px(6)};
  if (model_.rows()) return draw_table(frame, body, tables);
  draw_text(frame.fonts().text, body.left, body.top, colors.dim, "Sorting…");
}

void DataTable::draw_table(Frame& frame, const Box& box, Tables& tables) {
  const std::shared_ptr<const ShownRows> shown = model_.rows();
  // A row is worth more than what stands below the rows; where there are none it says nothing.
  const bool has_footer =
      box.height() >= frame.px(kLeastWithFooter) && shown->data->table.row_count > 0;
  const float footer_top = box.bottom - (has_footer ? frame.px(kFooterHeight) : 0);
  const Box body{box.left, box.top, box.right - frame.px(kScrollRoom), footer_top};
  names_.update(shown);
  TableDraw draw{frame, tables, model_, layout_, *shown, in_table_, names_, {}, body};
  learn_contents(draw);
  draw.placement =
      layout_.place(body.width(), frame.look.scale, frame.px(kColumnGap), rows_.scroll_x());
  rows_.limit_scroll_x(draw.placement.most_scroll());
  const bool shows_sparklines =
      std::ranges::any_of(draw.placement.columns, [&](const ColumnLayout::Placed& placed) {
        return model_.look().columns[placed.column].sparkline;
      });
  if (shows_sparklines && shown->data->sparklines) {
    shown->data->sparklines->update(tables.background);
  }
  draw.has_keys = tables.focused == model_.look().id && keys_are_free(frame);
  obey(draw);
  show_in_timeline(draw);

  const float side = frame.px(kRowPadding);
  ImGui::SetCursorScreenPos({body.left - side, body.top});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::BeginChild(model_.look().id.c_str(), {box.width() + side, body.height()}, false,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar();
  const float rows_top = header_.draw(draw);
  rows_.draw(draw, {body.left, rows_top, body.right, body.bottom});
  learn_cut_numbers(draw);
  draw_frozen_edge(draw, body.top + frame.px(4), rows_.bottom());
  if (shown->rows.empty()) {
    draw_why_none(draw, rows_top + frame.px(8));
  }
  ImGui::EndChild();
  if (has_footer) {
    draw_footer(draw, {box.left, footer_top, box.right, box.bottom});
  } else {
    frame.inspector.record_value(draw.path("showing", ""), footer_text(draw));
  }
}

std::string DataTable::footer_text(const TableDraw& draw) const {
  const std::size_t all = draw.table().row_count;
  const std::size_t passing = draw.shown.rows.size();
  const std::string& noun = draw.look().noun;
  std::string text;
  if (draw.tables.rows_per_page > 0 && passing > 0) {
    const std::size_t first = rows_.first_place(draw);
    text = fmt::format("Showing {} to {} of {}", count_text(first + 1),
                       count_text(first + rows_.place_count(draw)),
                       base::counted(static_cast<int64_t>(passing), noun));
    if (passing < all) text += fmt::format(" (filtered from {})", count_text(all));
  } else if (passing == all) {
    text = "Showing " + base::counted(static_cast<int64_t>(all), noun);
  } else {
    text = fmt::format("Showing {} of {}", count_text(passing),
                       base::counted(static_cast<int64_t>(all), noun));
  }
  text += sorting_text(draw);
  const std::size_t marked = model_.marks().count();
  if (marked > 1) text += fmt::format(" · {} rows selected", count_text(marked));
  if (model_.is_late()) text += " · …";
  if (!model_.problem().empty()) text += " · filter ignored: " + model_.problem();
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
  std::string text = footer_text(draw);
  frame.inspector.record_value(draw.path("showing", ""), text);
  const float pages_left = draw_pages(draw, rows_, box);
  const float columns_left = draw_more_columns(draw, pages_left, box);
  const float width = columns_left - box.left - frame.px(12);
  // The arrows of the titles say it, too.
  const std::string sorting = sorting_text(draw);
  const std::size_t at = sorting.empty() ? std::string::npos : text.find(sorting);
  if (at != std::string::npos && text_width(font, text) > width) text.erase(at, sorting.size());
  draw_text_cut(frame, font, box.left, box.top + std::round((box.height() - font_size(font)) / 2),
                width, frame.palette().dim, text, CutAt::middle);
}

// How many columns are out of view; a click shows the next ones. Returns the left edge.
float DataTable::draw_more_columns(TableDraw& draw, float right, const Box& box) {
  const ColumnLayout::Placement& placement = draw.placement;
  if (!placement.scrolls()) return right;
  const bool goes_right = placement.after > 0;
  const std::size_t count = goes_right ? placement.after : placement.before;
  const std::string columns = count == 1 ? "column" : "columns";
  const std::string text = goes_right ? fmt::format("+{} {} ›", count, columns)
                                      : fmt::format("‹ +{} {}", count, columns);
  const Word word = draw_word(draw.frame, draw.path("more_columns", ""), right - draw.frame.px(14),
                              box, text, false);
  draw.frame.inspector.record_value(draw.path("more_columns", ""), text);
  const std::size_t in_view = placement.columns.size() - (placement.is_frozen ? 1 : 0);
  if (word.clicked) {
    rows_.scroll_columns(draw, goes_right ? static_cast<int>(in_view) : -static_cast<int>(count));
  }
  return word.left;
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
    case TableCommand::filters:
      return header_.turn_filters(draw);
    case TableCommand::copy:
      return copy_rows(draw);
    case TableCommand::select_all:
      return model_.mark_all();
    case TableCommand::reset:
      ImGui::SetWindowFocus(nullptr);  // a field that is being typed into would keep its text
      header_.hide_filters();
      return model_.set_query(model_.look().first_query);
    case TableCommand::deselect:
      return model_.deselect();
    default:
      return;  // for whoever shows several tables, or a chart beside them
  }
}

}  // namespace dlview::ui
