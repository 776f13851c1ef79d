#include "ui/table/toolbar.h"

#include <algorithm>

#include <fmt/format.h>

#include "ui/widgets/menu.h"
#include "ui/table/copied_rows.h"
#include "ui/table/save_items.h"
#include "ui/widgets/controls.h"

namespace dlview::ui {
namespace {

constexpr float kSearchWidth = 230;
constexpr float kLeastSearch = 90;
constexpr float kLeastTitle = 160;

std::string column_title(const ColumnLook& look, const report::Table& table) {
  if (!look.title.empty()) return look.title;
  const std::size_t column = find_column(table, look.id);
  return column == kNoColumn ? look.id : table.columns[column].title;
}

// What the rows on screen tell of; those of a range before, as long as new ones are being sorted.
const aggregate::Selection& selection_of(const Frame& frame, const TableModel& model) {
  using enum TableData::ExportedUnder;
  const TableData& data = *model.rows()->data;
  const aggregate::Aggregation& now = *frame.model.aggregation;
  if (!model.is_present() || data.exported_under == aggregation) return data.aggregation->selection;
  if (data.exported_under == selection) return now.selection;
  // What was made of another cut counts its iterations.
  const bool is_same_cut = data.aggregation->iteration_table == now.whole().iteration_table;
  return is_same_cut ? now.whole().selection : data.aggregation->selection;
}

}  // namespace

float TableToolbar::draw(Frame& frame, const Area& area, const Subject& subject) {
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  const TableLook& look = subject.model.look();
  const float bottom = area.top + frame.px(kControlHeight);
  const auto text_top = [&](const ImFont* font) {
    return area.top + (frame.px(kControlHeight) - font_size(font)) / 2;
  };
  float right = area.right();
  if (subject.model.rows()) {
    const float gap = frame.px(8);
    right = draw_export_menu(frame, right, area.top, subject) - gap;
    right = draw_columns_menu(frame, right, area.top, subject) - gap;
    const float room = right - area.left - frame.px(kLeastTitle);
    if (room >= frame.px(kLeastSearch)) {
      right = draw_search(frame, right, area.top, room, subject) - gap;
    }
  }
  draw_text(fonts.strong, area.left, text_top(fonts.strong), colours.text, look.title);
  const float left = area.left + text_width(fonts.strong, look.title) + frame.px(8);
  frame.inspector.record_value(look.id + "/subject", subject.subject);
  if (subject.subject.empty()) {
    draw_text_cut(frame, fonts.text, left, text_top(fonts.text), right - left - frame.px(8),
                  colours.dim, look.note, CutAt::middle);
    return bottom;
  }
  if (right - left < frame.px(24)) return bottom;
  draw_text_cut(frame, fonts.mono, left, text_top(fonts.mono), right - left - frame.px(8),
                colours.text, subject.subject, CutAt::front);
  return bottom;
}

float TableToolbar::draw_export_menu(Frame& frame, float right, float top, const Subject& subject) {
  const TableModel& model = subject.model;
  const std::string prefix = model.look().id + "/export_";
  std::vector<MenuItem> items = save_items(prefix, [&](report::ExportFormat format) {
    const std::string& title = model.rows()->data->title;
    frame.host.export_table(
        {model.look().id, title.empty() ? model.look().title : title, model.rows(), export_all_,
         shown_columns(subject.layout, subject.in_table), format, selection_of(frame, model)});
  });
  MenuItem copy{prefix + "copy", "Copy selected rows", "Ctrl+C", "Cells apart by tabs",
                !model.marks().empty()};
  copy.run = [&] { subject.tables.command = TableCommand::copy; };
  items.insert(items.begin(), std::move(copy));
  MenuItem all{prefix + "all", "The whole table, unfiltered", "",
               "Else the rows that pass the filters, in the order on screen"};
  all.checked = export_all_;
  all.run = [this] { export_all_ = !export_all_; };
  items.push_back(std::move(all));
  return draw_menu(frame, model.look().id + "/export", "Export", right, top, items);
}

float TableToolbar::draw_columns_menu(Frame& frame, float right, float top,
                                      const Subject& subject) {
  TableModel& model = subject.model;
  ColumnLayout& layout = subject.layout;
  const TableLook& look = model.look();
  std::vector<MenuItem> items;
  for (const std::size_t column : layout.order()) {
    MenuItem item{fmt::format("{}/columns_{}", look.id, look.columns[column].id),
                  column_title(look.columns[column], model.rows()->data->table)};
    item.checked = layout.is_shown(column);
    item.run = [&layout, column] { layout.show(column, !layout.is_shown(column)); };
    items.push_back(std::move(item));
  }
  MenuItem digits{look.id + "/columns_digits", "Numbers in full", "Ctrl+D",
                  "Times in ns and sizes in bytes, in all tables"};
  digits.checked = subject.tables.digits == Digits::all;
  digits.run = [&host = frame.host] { host.run_command("table.digits"); };
  items.push_back(std::move(digits));
  MenuItem reset{look.id + "/columns_reset", "Reset", "",
                 "Columns, sorting and filters as at first"};
  reset.run = [&] {
    layout = ColumnLayout(look.columns);
    model.set_query(look.first_query);
  };
  items.push_back(std::move(reset));
  return draw_menu(frame, look.id + "/columns", "Columns", right, top, items);
}

float TableToolbar::draw_search(Frame& frame, float right, float top, float room,
                                const Subject& subject) {
  const TableLook& look = subject.model.look();
  const float width = std::min(frame.px(kSearchWidth), room);
  const Box box{right - width, top, right, top + frame.px(kControlHeight)};
  std::string text = subject.model.query().search;
  if (focus_) {
    focus_next_item();
    focus_ = false;
  }
  const TextFieldResult field =
      draw_text_field(frame, look.id + "/search", box, 0, text, "Search all columns");
  if (field.active) subject.tables.focused = look.id;
  if (text != subject.model.query().search) subject.model.set_search(std::move(text));
  return box.left;
}

}  // namespace dlview::ui
