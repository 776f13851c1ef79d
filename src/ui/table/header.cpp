#include "ui/table/header.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/query/cell_filter.h"
#include "report/writers/shown_table.h"
#include "ui/imgui_compat.h"
#include "ui/table/cells.h"
#include "ui/table/table_export.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/menu.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kSearchWidth = 230;
constexpr float kLeastSearch = 90;
constexpr float kLeastTitle = 160;

std::string column_title(const ColumnLook& look, const report::Table& table) {
  if (!look.title.empty()) return look.title;
  const std::size_t column = find_column(table, report::ColumnName(look.id));
  return column == kNoColumn ? look.id : table.columns[column].title;
}

// What the rows on screen tell of; those of a range before, as long as new ones are being sorted.
const aggregate::Selection& selection_of(const Frame& frame, const TableModel& model) {
  using enum TableData::ExportedUnder;
  const TableData& data = *model.rows()->data;
  static const aggregate::Selection kNothingSelected;
  if (!data.aggregation) return kNothingSelected;
  const aggregate::Aggregation& now = *frame.model.aggregation;
  if (!model.is_present() || data.exported_under == aggregation) return data.aggregation->selection;
  if (data.exported_under == selection) return now.selection;
  // What was made of another cut counts its iterations.
  const bool is_same_cut = data.aggregation->iteration_table == now.whole().iteration_table;
  return is_same_cut ? now.whole().selection : data.aggregation->selection;
}

constexpr float kTitleHeight = 28;
constexpr float kFilterHeight = 22;
constexpr float kGrip = 5;          // of a resize grip, to either side
constexpr float kDragDistance = 6;  // before a click becomes a drag
constexpr float kMarkWidth = 12;    // of the triangle that tells the sorting
constexpr float kFunnelWidth = 16;
constexpr std::size_t kMostOfConstant = 24;  // bytes of what all cells of a column say

struct SortMark {
  std::size_t key = 0;
  report::SortDirection direction = report::SortDirection::ascending;
};

std::optional<SortMark> sort_mark(const report::TableQuery& query, const std::string& column) {
  const auto found = std::ranges::find(query.sort, column, &report::SortKey::column);
  if (found == query.sort.end()) return std::nullopt;
  return SortMark{static_cast<std::size_t>(found - query.sort.begin()), found->direction};
}

std::string filter_help(const report::Column& column) {
  if (column.kind == report::CellKind::flag) return "1 or yes, 0 or no";
  if (!report::is_number(column)) return "A part of the text, or /a regular expression/";
  if (column.unit == aggregate::Unit::ns) return ">1ms, <20, 10us..20us, or a number of ns";
  return ">1000, <20, 10..20, or a number";
}

void draw_funnel_icon(const Frame& frame, const Box& box, Color color) {
  const float x = std::round((box.left + box.right) / 2);
  const float y = std::round((box.top + box.bottom) / 2);
  const float half = frame.px(4), stem = frame.px(1);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddTriangleFilled({x - half, y - half}, {x + half, y - half}, {x, y + frame.px(1)}, color);
  list.AddRectFilled({x - stem, y - frame.px(2)}, {x + stem, y + half}, color);
}

// "constant: 0"; empty = its cells differ.
std::string constant_text(const report::Column& column, const report::Cell* cell) {
  if (cell == nullptr) return "";
  std::string text = cell_text(column, *cell, Digits::few);
  if (std::holds_alternative<std::monostate>(*cell)) text = "not recorded";
  if (const auto* flag = std::get_if<bool>(cell)) text = *flag ? "yes" : "no";
  if (text.empty()) text = "empty";
  const auto measure = [](std::string_view part) { return static_cast<float>(part.size()); };
  return "constant: " + cut_text(one_line(text), kMostOfConstant, CutAt::middle, measure);
}

// The place in the order of columns before which one that is dropped here comes to stand.
std::size_t drop_place(const TableDraw& draw, float mouse_x) {
  const std::vector<std::size_t>& order = draw.layout.order();
  for (const ColumnLayout::Placed& placed : draw.placement.columns) {
    if (mouse_x < draw.body.left + placed.left + placed.width / 2) {
      const auto found = std::ranges::find(order, placed.column);
      return static_cast<std::size_t>(found - order.begin());
    }
  }
  return order.size();
}

}  // namespace

float TableToolbar::draw(Frame& frame, const Area& area, const Subject& subject) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
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
  draw_text(fonts.strong, area.left, text_top(fonts.strong), colors.text, look.title);
  const float left = area.left + text_width(fonts.strong, look.title) + frame.px(8);
  frame.inspector.record_value(look.id + "/subject", subject.subject);
  if (subject.subject.empty()) {
    draw_text_cut(frame, fonts.text, left, text_top(fonts.text), right - left - frame.px(8),
                  colors.dim, look.note, CutAt::middle);
    return bottom;
  }
  if (right - left < frame.px(24)) return bottom;
  draw_text_cut(frame, fonts.mono, left, text_top(fonts.mono), right - left - frame.px(8),
                colors.text, subject.subject, CutAt::front);
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
  MenuItem copy = command_item(frame, "table.copy", prefix + "copy");
  copy.tooltip = "The selected rows, as tab-separated text";
  copy.enabled = !model.marks().empty();
  copy.run = [&] { subject.tables.command = TableCommand::copy; };
  items.insert(items.begin(), std::move(copy));
  MenuItem all{prefix + "all", "The whole table, unfiltered", "",
               "Off: only rows that match the filters, in screen order"};
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
    const std::size_t in_table = subject.in_table[column];
    if (in_table == kNoColumn) continue;
    MenuItem item{fmt::format("{}/columns_{}", look.id, look.columns[column].id),
                  column_title(look.columns[column], model.rows()->data->table)};
    item.hint = constant_text(model.rows()->data->table.columns[in_table],
                              subject.constants.cell(in_table));
    item.checked = layout.is_shown(column);
    item.run = [&layout, column] { layout.show(column, !layout.is_shown(column)); };
    items.push_back(std::move(item));
  }
  MenuItem filters = command_item(frame, "table.filters", look.id + "/columns_filters");
  filters.tooltip = "A field below each header that narrows the rows";
  filters.checked = subject.header.shows_filters(model);
  filters.run = [&] {
    subject.tables.focused = look.id;
    subject.tables.command = TableCommand::filters;
  };
  items.push_back(std::move(filters));
  MenuItem digits = command_item(frame, "table.digits", look.id + "/columns_digits");
  digits.tooltip = "Times in ns and sizes in bytes, in all tables";
  digits.checked = subject.tables.digits == Digits::all;
  items.push_back(std::move(digits));
  MenuItem reset{look.id + "/columns_reset", "Reset", "", "Reset columns, sorting and filters"};
  reset.run = [&] {
    layout.reset();
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
  if (field.active && is_key_pressed(ImGuiKey_DownArrow)) clear_active_item();  // into the rows
  return box.left;
}

float TableHeader::draw(TableDraw& draw) {
  Frame& frame = draw.frame;
  const Box& body = draw.body;
  const float titles_bottom = body.top + frame.px(kTitleHeight);
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) resized_.reset();
  for (const ColumnLayout::Placed& placed : draw.placement.columns) {
    draw_resize_grip(draw, placed, draw.column_box(placed, body.top, titles_bottom));
  }
  ImGui::PushClipRect({body.left, body.top}, {body.right, body.bottom}, true);
  for (const ColumnLayout::Placed& placed : draw.placement.columns) {
    draw_title(draw, placed, draw.column_box(placed, body.top, titles_bottom));
  }
  const float bottom = body.top + height(frame, draw.model);
  if (shows_filters(draw.model)) {
    draw_filters(draw, titles_bottom, titles_bottom + frame.px(kFilterHeight));
  }
  ImGui::PopClipRect();
  drag_title(draw, {body.left, body.top, body.right, titles_bottom});
  horizontal_line(body.left, body.right, bottom - 1, frame.palette().line);
  return bottom;
}

float TableHeader::height(const Frame& frame, const TableModel& model) const {
  const float filters = shows_filters(model) ? frame.px(kFilterHeight) + frame.px(5) : 0;
  return frame.px(kTitleHeight) + filters + 1;
}

void TableHeader::turn_filters(const TableDraw& draw) {
  shows_filters_ = !shows_filters_ || !draw.model.query().filters.empty();
  if (!shows_filters_ || draw.placement.columns.empty()) return;
  wanted_filter_ = draw.placement.columns.front().column;
}

void TableHeader::draw_filters(TableDraw& draw, float top, float bottom) {
  bool types = false;
  for (const ColumnLayout::Placed& placed : draw.placement.columns) {
    types = draw_filter(draw, placed, draw.column_box(placed, top, bottom)) || types;
  }
  wanted_filter_.reset();
  // Escape leaves the field; with nothing in any of them it hides them all.
  const bool leaves = types_filter_ && pressed(ImGuiKey_Escape);
  if (leaves && draw.model.query().filters.empty()) shows_filters_ = false;
  types_filter_ = types;
}

// A click shows the filters, with the cursor in that of this column.
TableHeader::Funnel TableHeader::draw_funnel(TableDraw& draw, const ColumnLayout::Placed& placed,
                                             const Box& title) {
  Frame& frame = draw.frame;
  const Palette& colors = frame.palette();
  const report::Column& column = draw.column(placed.column);
  const float width = std::min(frame.px(kFunnelWidth), title.width() / 2);
  // Where the title, which stands above its cells, leaves room.
  const bool at_left = report::is_number(column);
  const float left = at_left ? title.left : title.right - width;
  const Box box{left, title.top, left + width, title.bottom};
  const Hit hit = hit_area(frame, draw.path("funnel", column.id), box);
  const bool has_filter = !draw.model.filter_of(column.id).empty();
  if (hit.clicked) {
    shows_filters_ = true;
    wanted_filter_ = placed.column;
    draw.tables.focused = draw.look().id;
  }
  if (hit.hovered && !moved_) {
    show_tooltip(frame, "Filter by this column");
  }
  if (!has_filter && !hovered(title)) return {};
  draw_funnel_icon(frame, box, has_filter ? colors.accent : hit.hovered ? colors.text : colors.dim);
  return {true, hit.hovered};
}

void TableHeader::draw_resize_grip(TableDraw& draw, const ColumnLayout::Placed& placed,
                                   const Box& box) {
  Frame& frame = draw.frame;
  const float reach = frame.px(kGrip);
  const float x = box.right + reach;
  const std::string path = draw.path("resize", draw.column(placed.column).id);
  const Hit hit = hit_area(frame, path, {x - reach, box.top, x + reach, box.bottom}, Reach::mouse);
  const float mouse_x = ImGui::GetIO().MousePos.x;
  if (hit.held && !resized_) resized_ = Held{placed.column, mouse_x, placed.width};
  const bool is_held = resized_ && resized_->column == placed.column;
  if (hit.hovered || is_held) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    fill({std::round(x), box.top + frame.px(6), std::round(x) + 1, box.bottom - frame.px(6)},
         frame.palette().dim);
  }
  if (!is_held) return;
  if (!hit.held) return;
  // A column that does not fit would be scrolled off.
  const float most = draw.body.right - box.left;
  const float width = std::min(most, resized_->width + mouse_x - resized_->mouse_x);
  draw.layout.set_width(placed.column, width / frame.look.scale);
}

void TableHeader::draw_title(TableDraw& draw, const ColumnLayout::Placed& placed, const Box& box) {
  Frame& frame = draw.frame;
  const Palette& colors = frame.palette();
  const ImFont* font = frame.fonts().small;
  const report::Column& column = draw.column(placed.column);
  const Funnel funnel = draw_funnel(draw, placed, box);
  const Hit hit = hit_area(frame, draw.path("head", column.id), box);
  if (hit.held && !moved_) moved_ = Held{placed.column, ImGui::GetIO().MousePos.x, 0};
  if (hit.clicked && !is_moving_) draw.model.sort_by(column, ImGui::GetIO().KeyShift);

  const auto mark = sort_mark(draw.model.query(), column.id);
  const bool several = draw.model.query().sort.size() > 1;
  const std::string number = mark && several ? std::to_string(mark->key + 1) : "";
  const float mark_width = mark ? frame.px(kMarkWidth) + text_width(font, number) : 0;
  const float funnel_width = funnel.is_drawn ? frame.px(kFunnelWidth) : 0;
  const auto measure = [font](std::string_view text) { return text_width(font, text); };
  const std::string title =
      cut_text(title_of(draw, placed.column), box.width() - mark_width - funnel_width,
               CutAt::middle, measure);
  float x = box.left;
  if (report::is_number(column)) {
    // Above the digits, unless it is longer than they are.
    const float right = number_part(draw, placed.column, box).right;
    x = std::max(box.left + funnel_width, right - mark_width - text_width(font, title));
  }
  const float top = box.top + std::round((box.height() - font_size(font)) / 2);
  draw_text(font, x, top, hit.hovered || mark ? colors.text : colors.dim, title);
  if (mark) {
    x += text_width(font, title) + frame.px(kMarkWidth / 2 + 1);
    const bool ascends = mark->direction == report::SortDirection::ascending;
    draw_icon(ascends ? Icon::up : Icon::down, x, (box.top + box.bottom) / 2, frame.px(10),
              colors.text);
    draw_text(font, x + frame.px(kMarkWidth / 2 - 1), top, colors.dim, number);
    frame.inspector.record_value(draw.path("sort", column.id),
                                 ascends ? number + "ascending" : number + "descending");
  }
  if (!hit.hovered || funnel.is_hovered || moved_) return;
  const aggregate::MetricId metric = draw.look().columns[placed.column].metric;
  if (!metric.empty()) {
    show_metric_tooltip(frame, metric);
  } else if (title != title_of(draw, placed.column)) {
    show_tooltip(frame, title_of(draw, placed.column));
  }
}

void TableHeader::drag_title(TableDraw& draw, const Box& line) {
  if (!moved_) return;
  Frame& frame = draw.frame;
  const float mouse_x = ImGui::GetIO().MousePos.x;
  is_moving_ = is_moving_ || std::fabs(mouse_x - moved_->mouse_x) > frame.px(kDragDistance);
  if (is_moving_) {
    const std::size_t place = drop_place(draw, mouse_x);
    float x = line.left + draw.placement.width;
    for (const ColumnLayout::Placed& placed : draw.placement.columns) {
      if (place < draw.layout.order().size() && placed.column == draw.layout.order()[place]) {
        x = draw.body.left + placed.left;
      }
    }
    fill({x - frame.px(7), line.top + frame.px(4), x - frame.px(5), line.bottom - frame.px(4)},
         frame.palette().accent);
    if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) draw.layout.move(moved_->column, place);
  }
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
  moved_.reset();
  is_moving_ = false;
}

std::string TableHeader::problem_of(const TableDraw& draw, std::size_t of_look,
                                    const std::string& text) {
  checked_.resize(draw.look().columns.size());
  Checked& checked = checked_[of_look];
  if (checked.text != text) {
    const auto filter = report::CellFilter::parse(draw.column(of_look), text);
    checked = {text, text.empty() || filter ? "" : filter.error().detail};
  }
  return checked.problem;
}

bool TableHeader::draw_filter(TableDraw& draw, const ColumnLayout::Placed& placed, const Box& box) {
  Frame& frame = draw.frame;
  const report::Column& column = draw.column(placed.column);
  std::string text(draw.model.filter_of(column.id));
  const std::string problem = problem_of(draw, placed.column, text);
  if (wanted_filter_ == placed.column) focus_next_item();
  const TextFieldResult field =
      draw_text_field(frame, draw.path("filter", column.id), box, 0, text, "", !problem.empty());
  if (hovered(box) && (!field.active || !problem.empty())) {
    show_tooltip(frame, problem.empty() ? filter_help(column) : problem);
  }
  if (field.active) draw.tables.focused = draw.look().id;
  if (text != draw.model.filter_of(column.id)) draw.model.set_filter(column.id, std::move(text));
  return field.active;
}

}  // namespace dlview::ui
