#include "report/page/markup.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <re2/re2.h>
#include <set>
#include <stdexcept>
#include <zlib.h>

#include <fmt/format.h>

#include "base/units.h"
#include "base/utf8.h"
#include "report/cell_text.h"
#include "report/columns.h"
#include "report/writers/html.h"
#include "report/writers/shown_table.h"
#include "report/writers/text.h"

namespace dlview::report::page {
namespace {

constexpr int64_t kMostExact = int64_t{1} << 53;

// Changes the direction of what follows: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to
// U+2069. Line and paragraph separators, U+2028 and U+2029, are no part of a line either.
bool changes_direction(char32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}
bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xFFFE || c == 0xFFFF;
}

void append_utf8(std::string& out, char32_t c) {
  const auto add = [&out](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    add(c);
  } else if (c < 0x800) {
    add(0xC0 | (c >> 6U));
    add(0x80 | (c & 0x3FU));
  } else if (c < 0x10000) {
    add(0xE0 | (c >> 12U));
    add(0x80 | ((c >> 6U) & 0x3FU));
    add(0x80 | (c & 0x3FU));
  } else {
    add(0xF0 | (c >> 18U));
    add(0x80 | ((c >> 12U) & 0x3FU));
    add(0x80 | ((c >> 6U) & 0x3FU));
    add(0x80 | (c & 0x3FU));
  }
}

void append_shown(std::string& out, char32_t c) {
  if (c == '\n' || c == '\t' || c == 0x202F) {  // the thin space of base/units.h
    out += ' ';
  } else if (is_control(c) && c < 0x100) {
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<uint32_t>(c));
  } else if (is_control(c) || changes_direction(c)) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<uint32_t>(c));
  } else {
    append_utf8(out, c);
  }
}

bool may_have_folders(std::string_view text) {
  return text.find('.') != std::string_view::npos &&
         text.find_first_of("/\\") != std::string_view::npos;
}

// Of absolute paths only the file's name remains. Groups of ops look alike ("/model/conv"), but
// have no such ending.
std::string without_folders(std::string_view text) {
  static const RE2 kPath(
      R"re((^|[\s"'(\[=:,])(?:[A-Za-z]:)?(?:[/\\][^/\\\s"'()\[\],]+)*[/\\]([^/\\\s"'()\[\],]+\.(?:py|pyc|so|cc|cpp|cu|cuh|c|h|hpp|sqlite|db|json|gz|nsys-rep|csv|txt|log|sh|yaml|yml|toml|pt|bin|exe|dll)\b))re");
  std::string result(text);
  RE2::GlobalReplace(&result, kPath, "\\1\\2");
  return result;
}

std::string escaped(std::string_view shown) {
  return escape_markup(shown);
}

bool is_missing(const Cell& cell) {
  return std::holds_alternative<std::monostate>(cell);
}
bool is_number(const Cell& cell) {
  return std::holds_alternative<int64_t>(cell) || std::holds_alternative<double>(cell);
}

// "1,284,305 ns"; empty if the shown text says as much.
std::string full_number(const Cell& cell, const Column& column, std::string_view shown) {
  std::string full;
  if (const auto* whole = std::get_if<int64_t>(&cell)) {
    full = base::format_count(*whole);
  } else {
    append_full_text(full, cell);
  }
  const std::string_view unit = unit_text(column.unit);
  if (unit == "%") {
    full += '%';
  } else if (!unit.empty()) {
    full += ' ';
    full += unit;
  }
  return full == shown ? std::string() : full;
}

std::string shown_cell(const Cell& cell, const Column& column) {
  return shown_text(readable_text(cell, column.unit, column.id));
}

// Texts of a table that would be cut to the same three lines, as page.js has it: others begin with
// as many characters.
std::set<std::string> texts_alike(const TableView& view) {
  constexpr std::size_t kAlikeCharacters = 80;
  std::map<std::u32string, std::set<std::string>> by_beginning;
  for (const std::size_t index : view.columns) {
    const Column& column = view.table.columns[index];
    if (column.kind != CellKind::text) continue;
    for (const uint32_t row : view.rows) {
      const Cell cell = column.cell(row);
      if (is_missing(cell)) continue;
      std::string shown = shown_cell(cell, column);
      std::u32string points = base::code_points(shown);
      if (points.size() < kAlikeCharacters) continue;
      points.resize(kAlikeCharacters);
      by_beginning[std::move(points)].insert(std::move(shown));
    }
  }
  std::set<std::string> alike;
  for (auto& [beginning, texts] : by_beginning) {
    if (texts.size() > 1) alike.merge(texts);
  }
  return alike;
}

void append_cell(std::string& out, const Cell& cell, const Column& column, bool is_row_header,
                 const std::set<std::string>& alike) {
  const std::string_view element = is_row_header ? "th" : "td";
  const std::string_view scope = is_row_header ? " scope=\"row\"" : "";
  const auto append = [&](std::string_view attributes, std::string_view content) {
    fmt::format_to(std::back_inserter(out), "<{0}{1}{2}>{3}</{0}>", element, scope, attributes,
                   content);
  };
  if (is_missing(cell)) {
    return append(report::is_number(column) ? " class=\"n m\" title=\"not recorded\""
                                            : " class=\"m\" title=\"not recorded\"",
                  "–");
  }
  const std::string shown = shown_cell(cell, column);
  if (is_number(cell)) {
    const std::string full = full_number(cell, column, shown);
    return append(full.empty() ? " class=\"n\"" : fmt::format(" class=\"n\" title=\"{}\"", full),
                  escaped(shown));
  }
  if (report::is_number(column)) return append(" class=\"n\"", escaped(shown));  // as its header
  if (column.kind != CellKind::text) return append(" class=\"w\"", escaped(shown));
  append(alike.contains(shown) ? " class=\"name open\"" : " class=\"name\"",
         "<div>" + escaped(shown) + "</div>");
}

void append_json_cell(std::string& out, const Cell& cell, std::map<std::string, std::size_t>& ids,
                      std::vector<std::string>& texts) {
  if (is_missing(cell)) {
    out += "null";
  } else if (const auto* whole = std::get_if<int64_t>(&cell)) {
    const bool is_exact = *whole<kMostExact&& * whole> - kMostExact;
    out += fmt::format(fmt::runtime(is_exact ? "{}" : "\"{}\""), *whole);
  } else if (const auto* real = std::get_if<double>(&cell)) {
    out += std::isfinite(*real) ? fmt::format("{}", *real) : "null";
  } else if (const auto* flag = std::get_if<bool>(&cell)) {
    out += *flag ? "true" : "false";
  } else {
    std::string shown = shown_text(to_text(cell));
    const auto [place, is_new] = ids.emplace(std::move(shown), texts.size());
    if (is_new) texts.push_back(place->first);
    out += std::to_string(place->second);
  }
}

// As JSON, without any "<".
std::string json_quoted(std::string_view shown) {
  std::string result = "\"";
  for (const char c : shown) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '<' || static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(result), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string_view kind_text(CellKind kind) {
  switch (kind) {
    case CellKind::integer:
      return "integer";
    case CellKind::real:
      return "real";
    case CellKind::flag:
      return "flag";
    case CellKind::word:
      return "word";
    case CellKind::text:
    case CellKind::any:
      break;
  }
  return "text";
}

}  // namespace

std::string shown_text(std::string_view text, Folders folders) {
  std::string without;
  if (folders == Folders::leave_out && may_have_folders(text)) {
    text = without = without_folders(text.substr(0, 16 * kMostCharacters));
  }
  std::u32string points = base::code_points(text.substr(0, 16 * kMostCharacters));
  if (text.size() > 16 * kMostCharacters) points += U"…";
  if (points.size() > kMostCharacters) {
    points = points.substr(0, kMostCharacters * 2 / 3) + U"…" +
             points.substr(points.size() - kMostCharacters / 3 + 1);
  }
  std::string shown;
  for (const char32_t c : points) append_shown(shown, c);
  return shown;
}

std::string text(std::string_view text) {
  return escaped(shown_text(text));
}

std::string name(std::string_view text, Folders folders) {
  return "<bdi>" + escaped(shown_text(text, folders)) + "</bdi>";
}

std::string base64(std::span<const unsigned char> bytes) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  result.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) group = (group << 8U) | (j < left ? bytes[i + j] : 0U);
    for (std::size_t j = 0; j < 4; ++j) {
      result += j <= left ? kDigits[(group >> (18U - 6U * j)) & 63U] : '=';
    }
  }
  return result;
}

std::string base64_of_hex(std::string_view hex) {
  std::vector<unsigned char> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(
        static_cast<unsigned char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return base64(bytes);
}

std::string deflated(std::span<const unsigned char> bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::vector<unsigned char> packed(size);
  if (compress2(packed.data(), &size, bytes.data(), static_cast<uLong>(bytes.size()),
                Z_BEST_COMPRESSION) != Z_OK) {
    throw std::runtime_error("zlib cannot compress");  // out of memory: all else is excluded
  }
  packed.resize(size);
  return base64(packed);
}

std::string json_text(std::string_view text) {
  return json_quoted(shown_text(text));
}

std::string metric_link(aggregate::MetricId metric, std::string_view title) {
  const std::string_view shown = title.empty() ? aggregate::metric(metric).title : title;
  if (metric.empty()) return text(shown);
  return fmt::format("<a class=\"metric\" href=\"#m_{}\">{}</a>", metric.text(), text(shown));
}

std::string definition_list(std::span<const Definition> definitions) {
  std::string out = "<dl class=\"definitions\">\n";
  for (const Definition& each : definitions) {
    const aggregate::Metric& metric = aggregate::metric(each.metric);
    fmt::format_to(std::back_inserter(out), "<div id=\"m_{}\"><dt>{}</dt><dd><p>{}</p>", metric.id,
                   text(metric.title), text(metric.formula));
    if (!each.note.empty()) out += note(each.note);
    if (!each.source.empty()) out += note(each.source);
    if (!each.sql.empty()) {
      out += "<details><summary>SQL over the tables of the database</summary><pre>" +
             escaped(each.sql) + "</pre></details>";
    }
    out += "</dd></div>\n";
  }
  return out + "</dl>\n";
}

std::string key_figures(std::span<const KeyFigure> figures) {
  std::string out = "<dl class=\"figures\">\n";
  for (const KeyFigure& figure : figures) {
    fmt::format_to(std::back_inserter(out),
                   "<div id=\"f_{0}\"><dt>{1}</dt><dd><b{2}>{3}</b><span "
                   "class=\"note\">{4}</span></dd></div>\n",
                   figure.id, metric_link(figure.metric, figure.title),
                   figure.full.empty() ? "" : fmt::format(" title=\"{}\"", text(figure.full)),
                   text(figure.value), text(figure.note));
  }
  return out + "</dl>\n";
}

ColumnTitle title_of(const Table& table, const Column& column) {
  const ColumnSpec* found = nullptr;
  for (const ColumnSpec& spec : kColumns) {
    if (spec.id() != column.id) continue;
    if (spec.table() == table.name) {
      found = &spec;
      break;
    }
    if (spec.table().empty() && found == nullptr) found = &spec;
  }
  if (found == nullptr || found->title != column.title) return {column.title};
  return {std::string(found->screen_title()), found->screen.metric};
}

std::string table_markup(const TableView& view) {
  std::string out = fmt::format(
      "<div class=\"table\" id=\"t_{0}\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{1}\"><table>\n<caption><div class=\"head\"><span class=\"title\">{1}</span>",
      view.id, text(view.caption));
  const std::size_t count = view.rows.size(), shown = std::min(count, kStaticRows);
  if (count > 0) {
    out += fmt::format("<span class=\"count\">{}</span>",
                       shown < count ? fmt::format("{} of {} rows", shown,
                                                   base::format_count(static_cast<int64_t>(count)))
                                     : base::counted(static_cast<int64_t>(count), "rows"));
  }
  out += "</div></caption>\n<thead><tr>";
  for (std::size_t i = 0; i < view.columns.size(); ++i) {
    const Column& column = view.table.columns[view.columns[i]];
    out += fmt::format("<th scope=\"col\"{}{}>{}</th>",
                       report::is_number(column) ? " class=\"n\"" : "",
                       view.sorted_by == i ? " aria-sort=\"descending\"" : "",
                       text(title_of(view.table, column).title));
  }
  out += "</tr></thead>\n<tbody>\n";
  const std::set<std::string> alike = texts_alike(view);
  for (std::size_t i = 0; i < shown; ++i) {
    out += "<tr>";
    for (std::size_t c = 0; c < view.columns.size(); ++c) {
      const Column& column = view.table.columns[view.columns[c]];
      append_cell(out, column.cell(view.rows[i]), column, c == 0, alike);
    }
    out += "</tr>\n";
  }
  if (count == 0) {
    out +=
        fmt::format("<tr><td class=\"m\" colspan=\"{}\">No rows.</td></tr>\n", view.columns.size());
  }
  out += "</tbody></table></div>\n";
  if (!view.note.empty()) out += note(view.note);
  return out + "</div>\n";
}

std::string table_json(const TableView& view) {
  std::string columns, cells;
  std::map<std::string, std::size_t> ids;
  std::vector<std::string> texts;
  for (const std::size_t index : view.columns) {
    const Column& column = view.table.columns[index];
    const ColumnTitle title = title_of(view.table, column);
    const std::string_view comma = columns.empty() ? "" : ",";
    fmt::format_to(std::back_inserter(columns),
                   R"({}{{"id":{},"title":{},"unit":"{}","kind":"{}","metric":"{}"}})", comma,
                   json_text(column.id), json_text(title.title),
                   column.unit == aggregate::Unit::count ? "count" : unit_text(column.unit),
                   kind_text(column.kind), title.metric.text());
    cells += comma;
    cells += '[';
    for (std::size_t i = 0; i < view.rows.size(); ++i) {
      if (i > 0) cells += ',';
      append_json_cell(cells, column.cell(view.rows[i]), ids, texts);
    }
    cells += ']';
  }
  std::string out =
      fmt::format(R"({{"id":{},"rows":{},"sorted":{},"columns":[)", json_text(view.id),
                  view.rows.size(), view.sorted_by ? std::to_string(*view.sorted_by) : "null");
  out += columns + R"(],"texts":[)";
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) out += ',';
    out += json_quoted(texts[i]);
  }
  return out + "],\"cells\":[" + cells + "]}";
}

std::string plain_table(const PlainTable& table) {
  const auto style = [&table](std::size_t column) {
    return std::ranges::find(table.numbers, column) == table.numbers.end() ? "" : " class=\"n\"";
  };
  std::string out = fmt::format(
      "<div class=\"table\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{0}\"><table>\n<caption><div class=\"head\"><span "
      "class=\"title\">{0}</span></div></caption>\n<thead><tr>",
      text(table.caption));
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    out += fmt::format("<th scope=\"col\"{}>{}</th>", style(i), text(table.header[i]));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : table.rows) {
    out += table.has_total && &row == &table.rows.back() ? "<tr class=\"total\">" : "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += i == 0 ? fmt::format("<th scope=\"row\"{}>{}</th>", style(i), row[i])
                    : fmt::format("<td{}>{}</td>", style(i), row[i]);
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div></div>\n";
}

std::string note(std::string_view text) {
  return "<p class=\"note\">" + page::text(text) + "</p>\n";
}

std::string subtitle(std::string_view text) {
  return "<h3>" + page::text(text) + "</h3>\n";
}

std::string panel(std::string_view markup) {
  return fmt::format("<div class=\"panel\">\n{}</div>\n", markup);
}

}  // namespace dlview::report::page
