#include "report/writers/json.h"

#include <cmath>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join
#include <nlohmann/json.hpp>

namespace dlview::report {
namespace {

// Bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void append_cell(std::string& line, const Cell& cell) {
  struct Printer {
    std::string& out;
    void operator()(std::monostate) const { out += "null"; }
    void operator()(int64_t number) const { fmt::format_to(std::back_inserter(out), "{}", number); }
    void operator()(double number) const {
      if (!std::isfinite(number)) {
        out += "null";
        return;
      }
      out += nlohmann::json(number).dump();
    }
    void operator()(bool flag) const { out += flag ? "true" : "false"; }
    void operator()(std::string_view text) const { out += json_string(text); }
    void operator()(const std::string& text) const { out += json_string(text); }
  };
  std::visit(Printer{line}, cell);
}

std::string filter_list(const std::vector<aggregate::Filter>& filters) {
  std::vector<std::string> texts;
  for (const aggregate::Filter& filter : filters) {
    texts.push_back(json_string(aggregate::to_text(filter)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

void append_row(std::string& text, const Table& table, std::size_t row) {
  text += '[';
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (c > 0) text += ", ";
    append_cell(text, table.cell(row, c));
  }
  text += ']';
}

// Nothing where the flags are those of the file.
std::string rules_member(const Table& table) {
  return table.tensor_core_rules == 0
             ? ""
             : fmt::format("  \"tensor_core_rules\": {},\n", table.tensor_core_rules);
}

void append_columns(std::string& text, const Table& table) {
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    text += c == 0 ? "\n" : ",\n";
    text += fmt::format("    {{\"name\": {}, \"unit\": {}}}", json_string(table.columns[c].title),
                        json_string(unit_text(table.columns[c].unit)));
  }
}

}  // namespace

void write_json(const Table& table, std::string_view profile_name,
                const aggregate::IterationRange& iterations, std::ostream& out,
                aggregate::SplitBy split_by) {
  std::string text = fmt::format(
      "{{\n  \"report\": {},\n  \"profile_name\": {},\n  \"iterations\": [{}, {}],\n"
      "{}{}  \"columns\": [",
      json_string(table.name), json_string(profile_name), iterations.first, iterations.last,
      split_by == aggregate::SplitBy::gpu ? "  \"split_by\": \"gpu\",\n" : "", rules_member(table));
  append_columns(text, table);
  text += "\n  ],\n  \"rows\": [";
  for (std::size_t row = 0; row < table.row_count && out; ++row) {
    text += row == 0 ? "\n    " : ",\n    ";
    append_row(text, table, row);
    out << text;
    text.clear();
  }
  out << text << "\n  ]\n}\n";
}

void write_json(const ShownTable& shown, std::ostream& out, base::Progress& progress) {
  const Table& table = shown.table;
  std::string text = fmt::format(
      "{{\n  \"table\": {},\n  \"profile_name\": {},\n  \"iterations\": [{}, {}],\n"
      "  \"split_by\": \"{}\",\n  \"only\": [{}],\n{}  \"columns\": [",
      json_string(table.name), json_string(shown.profile_name), shown.selection.range.first,
      shown.selection.range.last, to_text(shown.selection.cut.split_by),
      filter_list(shown.selection.filters), rules_member(table));
  for (const Column& column : table.columns) {
    text += &column == &table.columns.front() ? "\n" : ",\n";
    text += fmt::format("    {{\"name\": {}, \"title\": {}, \"unit\": {}}}", json_string(column.id),
                        json_string(column.title), json_string(unit_text(column.unit)));
  }
  text += "\n  ],\n  \"rows\": [";
  for (std::size_t i = 0; i < shown.rows.size() && out && !progress.canceled(); ++i) {
    text += i == 0 ? "\n    " : ",\n    ";
    append_row(text, table, shown.rows[i]);
    out << text;
    text.clear();
    progress.add_done(1);
  }
  out << text << "\n  ]\n}\n";
}

}  // namespace dlview::report
