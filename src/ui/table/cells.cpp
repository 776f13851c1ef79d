#include "ui/table/cells.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "aggregate/key_names.h"
#include "base/units.h"
#include "report/writers/shown_table.h"
#include "ui/table/sparklines.h"
#include "ui/widgets/fixed_table.h"
#include "ui/widgets/number.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kBarGap = 14;
constexpr float kIndent = 15;
constexpr std::string_view kShowLess = "Show less";
constexpr std::string_view kHowToOpen = "Click … to show it in the row (Space)";

float opened_height(const TableDraw& draw, std::size_t place, std::size_t of_look, float width,
                    const std::string& text) {
  const auto lines = static_cast<float>(draw.names.lines(draw, place, of_look, text, width).size());
  return lines * line_height(font_of(draw, of_look)) + line_height(draw.frame.fonts().small) +
         draw.frame.px(12);
}

// Of a column of flags.
Mark mark_of(const TableDraw& draw, std::size_t place, std::size_t of_look,
             const report::Cell& cell) {
  const auto* flag = std::get_if<bool>(&cell);
  if (flag == nullptr) return Mark::unknown;
  if (*flag) return Mark::yes;
  const auto& attention = draw.look().columns[of_look].attention;
  const bool calls = attention && attention(draw.table(), draw.shown.rows[place]);
  return calls ? Mark::missed : Mark::no;
}

void draw_bar(TableDraw& draw, std::size_t place, std::size_t of_look, const Box& cell,
              double value) {
  const ColumnLook& look = draw.look().columns[of_look];
  const double largest = look.bar_of > 0 ? look.bar_of : draw.shown.largest[draw.in_table[of_look]];
  const float left = number_part(draw, of_look, cell).right + draw.frame.px(kBarGap);
  if (largest <= 0 || value <= 0 || left >= cell.right) return;
  const float share = static_cast<float>(value / largest);
  const float length = std::max(1.0f, share * (cell.right - left));
  const float middle = std::round((cell.top + cell.bottom) / 2);
  const float half = draw.frame.px(3.5f);
  const Tone tone = look.bar(draw.table(), draw.shown.rows[place]);
  fill_tone(draw.frame, {left, middle - half, left + length, middle + half}, tone,
            std::min(draw.frame.px(2), length / 2));
}

// Of the row; null until they are computed.
const aggregate::TimesOverIterations* sparkline_times(const TableDraw& draw) {
  const auto& sparklines = draw.shown.data->sparklines;
  return sparklines ? sparklines->get() : nullptr;
}

std::string maximum_text(const aggregate::TimesOverIterations::Extremes& extremes) {
  if (extremes.max_ns == 0) return "No GPU time";
  return fmt::format("Maximum {} in iteration {}", base::format_duration(extremes.max_ns),
                     base::format_count(extremes.max_iteration));
}

std::string minimum_text(const aggregate::TimesOverIterations::Extremes& extremes) {
  return extremes.max_ns == 0 ? "" : "Minimum " + base::format_duration(extremes.min_ns);
}

// A step for each bucket, from 0 to the largest one of the row.
void draw_sparkline(TableDraw& draw, std::size_t place, const std::string& path, const Box& cell) {
  const aggregate::TimesOverIterations* times = sparkline_times(draw);
  if (times == nullptr) return;
  const uint32_t row = draw.shown.rows[place];
  draw.frame.inspector.record_value(path, maximum_text(times->extremes_of(row)));
  const std::span<const float> buckets = times->buckets_of(row);
  const float largest = std::ranges::max(buckets);
  if (!(largest > 0)) return;
  const Palette& colors = draw.frame.palette();
  const float line = std::max(1.0f, std::round(draw.frame.px(1)));
  const float bottom = cell.bottom - draw.frame.px(6);
  const float height = bottom - cell.top - draw.frame.px(6) - line;
  const float step = cell.width() / static_cast<float>(buckets.size());
  const auto top_of = [&](std::size_t bucket) {
    const float share = std::max(0.0f, buckets[bucket]) / largest;
    return bottom - line - std::round(height * share);
  };
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const float left = std::round(cell.left + static_cast<float>(i) * step);
    const float right = std::round(cell.left + static_cast<float>(i + 1) * step);
    const float top = top_of(i), before = i == 0 ? top : top_of(i - 1);
    fill({left, top, right, bottom}, with_opacity(colors.accent, 0.18f));
    fill({left, top, right, top + line}, colors.accent);
    fill({left, std::min(top, before), left + line, std::max(top, before) + line}, colors.accent);
  }
}

// Null where the cell is not drawn as one.
const LimitBadge* badge_of(const TableDraw& draw, std::size_t place, std::size_t of_look) {
  const auto& badges = draw.shown.data->badges;
  const bool is_badge = draw.look().columns[of_look].badge != ColumnLook::Badge::none;
  return badges && is_badge ? &(*badges)[draw.shown.rows[place]] : nullptr;
}

std::string_view without_sign(std::string_view text) {
  for (const std::string_view minus : {"-", "−"}) {
    if (text.starts_with(minus)) return text.substr(minus.size());
  }
  return text;
}

Hit more_area(TableDraw& draw, std::size_t place, std::size_t of_look, const Box& box) {
  const std::string& id = draw.look().columns[of_look].id;
  const Hit hit =
      hit_area(draw.frame, draw.path("more", std::to_string(place) + "/" + id), box, Reach::mouse);
  if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (hit.clicked) draw.model.toggle_open(place, id);
  return hit;
}

// Of the text of a row that is in others.
float indent_of(const TableDraw& draw, std::size_t place, std::size_t of_look) {
  const RowTree* tree = draw.shown.data->tree.get();
  if (!draw.look().columns[of_look].tree || tree == nullptr) return 0;
  const auto level = static_cast<float>(tree->level(draw.shown.rows[place]));
  return (level + 1) * draw.frame.px(kIndent) + draw.frame.px(2);
}

std::string whole_text(const TableDraw& draw, std::size_t place, std::size_t of_look) {
  return report::to_text(draw.cell(place, of_look));
}

bool is_flag(const report::Column& column, const report::Cell& cell) {
  return column.kind == report::CellKind::flag || std::holds_alternative<bool>(cell);
}

// The ellipsis of a text that was cut: a click shows the text whole.
void draw_dots(TableDraw& draw, std::size_t place, std::size_t of_look, const Box& line,
               const CutName& name) {
  const float reach = draw.frame.px(3);
  const Box dots{line.left + name.dots_left - reach, line.top, line.left + name.dots_right + reach,
                 line.bottom};
  if (!more_area(draw, place, of_look, dots).hovered) return;
  const float inset = draw.frame.px(5);
  fill({dots.left, dots.top + inset, dots.right, dots.bottom - inset},
       with_opacity(draw.frame.palette().accent, 0.3f), draw.frame.px(3));
}

// `line` is the upper part of the cell, as high as a row without opened texts.
void draw_name(TableDraw& draw, std::size_t place, std::size_t of_look, const Box& cell,
               const Box& line, const std::string& text, Color color) {
  const ColumnLook& look = draw.look().columns[of_look];
  const ImFont* font = font_of(draw, of_look);
  const ImFont* small = draw.frame.fonts().small;
  if (!draw.model.is_open(place, look.id)) {
    const CutName& name = draw.names.cut(draw, place, of_look, text, cell.width());
    draw_text_in(font, line, color, name.text);
    if (name.is_cut) draw_dots(draw, place, of_look, line, name);
    if (name.is_cut) {
      draw.frame.inspector.record_value(draw.path("cut", std::to_string(place) + "/" + look.id),
                                        name.text);
    }
    return;
  }
  float bottom = cell.top + draw.frame.px(6);
  const std::string whole = whole_text(draw, place, of_look);
  for (const std::string& part : draw.names.lines(draw, place, of_look, whole, cell.width())) {
    draw_text(font, cell.left, bottom, color, part);
    bottom += line_height(font);
  }
  const Box less{cell.left, bottom, cell.left + text_width(small, kShowLess),
                 bottom + line_height(small)};
  const Hit hit = more_area(draw, place, of_look, less);
  const Palette& colors = draw.frame.palette();
  draw_text(small, less.left, less.top, hit.hovered ? colors.text : colors.accent, kShowLess);
}

// The triangle of a row that contains others.
void draw_branch(TableDraw& draw, std::size_t place, std::size_t of_look, const Box& line) {
  const RowTree* tree = draw.shown.data->tree.get();
  if (!draw.look().columns[of_look].tree || tree == nullptr) return;
  const uint32_t row = draw.shown.rows[place];
  const float step = draw.frame.px(kIndent);
  if (tree->has_children[row]) {
    const float left = line.left + static_cast<float>(tree->level(row)) * step;
    const Box box{left, line.top, left + step, line.bottom};
    const Hit hit = hit_area(draw.frame, draw.path("open", std::to_string(place)), box);
    const Palette& colors = draw.frame.palette();
    const report::TableQuery& query = draw.shown.query;
    const bool found = !query.search.empty() || !query.filters.empty();  // its rows are shown
    draw_icon(tree->is_open[row] || found ? Icon::down : Icon::right, (box.left + box.right) / 2,
              (box.top + box.bottom) / 2, draw.frame.px(11),
              hit.hovered ? colors.text : colors.dim);
    if (hit.clicked) draw.model.turn_branch(place);
  }
}

// What one iteration took at most and at least.
void explain_sparkline(TableDraw& draw, std::size_t place, const std::string& title) {
  const aggregate::TimesOverIterations* times = sparkline_times(draw);
  if (times == nullptr) {
    const bool is_late = draw.shown.data->sparklines && draw.shown.data->sparklines->is_late();
    return is_late ? show_tooltip(draw.frame, "Computing…") : void();
  }
  const uint32_t row = draw.shown.rows[place];
  const auto& extremes = times->extremes_of(row);
  const int64_t iterations = draw.shown.data->aggregation->selection.range.size();
  const bool shares = iterations > static_cast<int64_t>(times->buckets_of(row).size());
  using enum TooltipStyle;
  show_text_tooltip(draw.frame,
                    {{heading, title},
                     {value, maximum_text(extremes)},
                     {text, minimum_text(extremes)},
                     {note, shares ? "Each point is the mean of several iterations" : ""}});
}

Color color_of(const TableDraw& draw, std::size_t place, std::size_t of_look,
               const report::Cell& cell) {
  const Palette& colors = draw.frame.palette();
  if (std::holds_alternative<std::monostate>(cell)) return colors.dim;
  const auto& attention = draw.look().columns[of_look].attention;
  const bool calls = attention && attention(draw.table(), draw.shown.rows[place]);
  return calls ? colors.attention : colors.text;
}

}  // namespace

std::string TableDraw::path(std::string_view part, std::string_view rest) const {
  std::string path = look().id;
  path.append("/").append(part);
  if (!rest.empty()) path.append("/").append(rest);
  return path;
}

Box number_part(const TableDraw& draw, std::size_t of_look, const Box& cell) {
  if (!draw.look().columns[of_look].bar) return cell;
  const float width = std::min(cell.width(), draw.frame.px(kNumberBesideBar));
  return {cell.left, cell.top, cell.left + width, cell.bottom};
}

ImFont* font_of(const TableDraw& draw, std::size_t of_look) {
  const Fonts& fonts = draw.frame.fonts();
  return draw.look().columns[of_look].code ? fonts.mono : fonts.text;
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::string screen_text(const TableDraw& draw, std::size_t row, std::size_t of_look) {
  const auto& of_screen = draw.look().columns[of_look].screen_text;
  if (of_screen) return of_screen(draw.table(), row);
  const report::Column& column = draw.column(of_look);
  return cell_text(column, column.cell(row), draw.tables.digits);
}

void turn_texts(TableDraw& draw, std::size_t place) {
  std::vector<std::string> open, cut;
  for (const ColumnLayout::Placed& placed : draw.placement.columns) {
    const report::Column& column = draw.column(placed.column);
    if (report::is_number(column) || is_flag(column, draw.cell(place, placed.column))) continue;
    if (draw.model.is_open(place, column.id)) open.push_back(column.id);
    const std::string text = screen_text(draw, draw.shown.rows[place], placed.column);
    const float width = placed.width - indent_of(draw, place, placed.column);
    if (draw.names.cut(draw, place, placed.column, text, width).is_cut) cut.push_back(column.id);
  }
  for (const std::string& column : open.empty() ? cut : open) {
    draw.model.toggle_open(place, column);
  }
}

void tell_names_apart(TableDraw& draw, std::size_t first, std::size_t end) {
  std::vector<float> widths{draw.frame.px(kIndent)};
  for (const ColumnLayout::Placed& placed : draw.placement.columns) {
    widths.push_back(static_cast<float>(placed.column));
    widths.push_back(placed.width);
  }
  if (!draw.names.are_others(first, end, std::move(widths))) return;
  for (const ColumnLayout::Placed& placed : draw.placement.columns) {
    if (report::is_number(draw.column(placed.column))) continue;
    std::vector<CutNames::Cell> cells;
    for (std::size_t place = first; place < end; ++place) {
      if (is_flag(draw.column(placed.column), draw.cell(place, placed.column))) continue;
      cells.push_back({place, screen_text(draw, draw.shown.rows[place], placed.column),
                       placed.width - indent_of(draw, place, placed.column)});
    }
    draw.names.tell_apart(draw, placed.column, cells);
  }
}

float extra_height(const TableDraw& draw, std::size_t place) {
  if (!draw.model.anything_open()) return 0;
  float extra = 0;
  for (const ColumnLayout::Placed& placed : draw.placement.columns) {
    const std::string& id = draw.look().columns[placed.column].id;
    if (!draw.model.is_open(place, id)) continue;
    const float width = placed.width - indent_of(draw, place, placed.column);
    const std::string text = whole_text(draw, place, placed.column);
    extra = std::max(extra, opened_height(draw, place, placed.column, width, text));
  }
  return extra;
}

void draw_cell(TableDraw& draw, std::size_t place, std::size_t of_look, const Box& cell,
               float row_height) {
  const report::Column& column = draw.column(of_look);
  const report::Cell value = draw.cell(place, of_look);
  const std::string path = draw.path("rows", std::to_string(place) + "/" + column.id);
  const Box line{cell.left, cell.top, cell.right, cell.top + row_height};
  if (draw.look().columns[of_look].sparkline) return draw_sparkline(draw, place, path, line);
  if (const LimitBadge* badge = badge_of(draw, place, of_look)) {
    draw.frame.inspector.record_value(path, badge->word());
    return draw_limit_badge(draw.frame, line, *badge,
                            draw.look().columns[of_look].badge == ColumnLook::Badge::word);
  }
  if (is_flag(column, value)) {
    const Mark mark = mark_of(draw, place, of_look, value);
    draw.frame.inspector.record_value(path, to_text(mark));
    return draw_mark(draw.frame, line, mark, false);
  }
  const ColumnLook& look = draw.look().columns[of_look];
  const bool is_instant = look.instant && draw.tables.digits == Digits::few;
  std::string text = is_instant ? cell_text(column, value, Digits::instant)
                                : screen_text(draw, draw.shown.rows[place], of_look);
  if (look.is_difference) text = base::with_sign(number_of(value), without_sign(text));
  if (look.few_digits && draw.tables.digits == Digits::few) {
    text = look.few_digits(draw.table(), draw.shown.rows[place]);
  }
  draw.frame.inspector.record_value(path, text);
  const Color color = color_of(draw, place, of_look, value);
  if (!report::is_number(column)) {
    draw_branch(draw, place, of_look, line);
    const float indent = indent_of(draw, place, of_look);
    return draw_name(draw, place, of_look, {cell.left + indent, cell.top, cell.right, cell.bottom},
                     {line.left + indent, line.top, line.right, line.bottom}, text, color);
  }
  const ImFont* font = draw.frame.fonts().text;
  const float width = text_width(font, text);
  if (!look.bar && width > line.width()) draw.cut_numbers.push_back({of_look, width});
  draw_text_right(font, number_part(draw, of_look, line).right,
                  line.top + (line.height() - font_size(font)) / 2, color, text);
  if (look.bar) draw_bar(draw, place, of_look, line, number_of(value));
}

void explain_cell(TableDraw& draw, std::size_t place, std::size_t of_look, const Box& cell) {
  const report::Column& column = draw.column(of_look);
  const report::Cell value = draw.cell(place, of_look);
  if (draw.look().columns[of_look].sparkline) {
    return explain_sparkline(draw, place, title_of(draw, of_look));
  }
  if (const LimitBadge* badge = badge_of(draw, place, of_look)) {
    return show_text_tooltip(
        draw.frame, {{TooltipStyle::heading, title_of(draw, of_look)},
                     {TooltipStyle::value, std::string(badge->word())},
                     {TooltipStyle::text, badge->text()},
                     {TooltipStyle::note, std::string(aggregate::to_text(badge->origin))}});
  }
  if (report::is_number(column)) {
    const Number number = number_in(draw, place, of_look);
    if (!number.metric.empty()) return show_number_tooltip(draw.frame, number);
    return show_text_tooltip(draw.frame, {{TooltipStyle::heading, title_of(draw, of_look)},
                                          {TooltipStyle::value, number.full}});
  }
  const std::string text = report::to_text(value);
  if (column.kind == report::CellKind::flag) {
    const auto& reason = draw.look().columns[of_look].reason;
    if (!reason) return;
    const std::string why = reason(draw.table(), draw.shown.rows[place]);
    if (!why.empty()) show_tooltip(draw.frame, why);
    return;
  }
  if (draw.model.is_open(place, column.id)) return;
  const std::string shown = screen_text(draw, draw.shown.rows[place], of_look);
  const float width = cell.width() - indent_of(draw, place, of_look);
  const bool is_cut = draw.names.cut(draw, place, of_look, shown, width).is_cut;
  if (!is_cut && one_line(text) == shown) return;
  show_text_tooltip(draw.frame, {{TooltipStyle::name, text},
                                 {TooltipStyle::note, is_cut ? std::string(kHowToOpen) : ""}});
}

Number number_in(const TableDraw& draw, std::size_t place, std::size_t of_look) {
  const ColumnLook& look = draw.look().columns[of_look];
  return {title_of(draw, of_look), full_cell_text(draw.column(of_look), draw.cell(place, of_look)),
          look.metric, op_of(draw, place), op_of(draw, place) != profile::kNoRow};
}

std::string title_of(const TableDraw& draw, std::size_t of_look) {
  const std::string& title = draw.look().columns[of_look].title;
  return title.empty() ? draw.column(of_look).title : title;
}

profile::OpIndex op_of(const TableDraw& draw, std::size_t place) {
  const std::size_t column = find_column(draw.table(), draw.look().op);
  if (column == kNoColumn) return {};
  return aggregate::op_named(*draw.shown.data->profile,
                             report::to_text(draw.table().cell(draw.shown.rows[place], column)));
}

std::optional<aggregate::Filter> cross_filter(const TableDraw& draw, std::size_t place,
                                              std::size_t of_look) {
  const ColumnLook& look = draw.look().columns[of_look];
  if (!look.filter) return std::nullopt;
  return look.filter(draw.table(), draw.shown.rows[place]);
}

}  // namespace dlview::ui
