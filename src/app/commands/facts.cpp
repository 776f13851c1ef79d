#include "app/commands/facts.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dlview::app {
namespace {

using nlohmann::ordered_json;
using report::Cell;

void print_section(const FactSection& section, std::ostream& out) {
  std::size_t width = 0;
  for (const Fact& fact : section.facts) width = std::max(width, fact.title.size());
  out << section.title << '\n';
  for (const Fact& fact : section.facts) {
    const bool known = !std::holds_alternative<std::monostate>(fact.value);
    out << fmt::format(
        "  {:<{}}  {}\n", fact.title, width,
        known ? report::printable(report::readable_text(fact.value, fact.unit, fact.id))
              : fact.missing);
  }
  out << '\n';
}

void print_text(const Info& info, std::ostream& out) {
  for (const FactSection& section : info.sections) print_section(section, out);
  for (const report::Table& table : info.tables) {
    if (table.row_count == 0) continue;
    out << table.title << '\n';
    report::write_text(table, report::Numbers::readable, out);
    out << '\n';
  }
}

ordered_json to_json(const Cell& cell) {
  struct Converter {
    ordered_json operator()(std::monostate) const { return nullptr; }
    ordered_json operator()(int64_t number) const { return number; }
    ordered_json operator()(double number) const { return number; }
    ordered_json operator()(bool flag) const { return flag; }
    ordered_json operator()(std::string_view text) const { return text; }
    ordered_json operator()(const std::string& text) const { return text; }
  };
  return std::visit(Converter{}, cell);
}

void print_json(const Info& info, std::ostream& out) {
  ordered_json document;
  for (const FactSection& section : info.sections) {
    ordered_json& object = document[section.id];
    for (const Fact& fact : section.facts) object[fact.id] = to_json(fact.value);
  }
  for (const report::Table& table : info.tables) {
    ordered_json rows = ordered_json::array();
    for (std::size_t row = 0; row < table.row_count; ++row) {
      ordered_json object;
      for (const report::Column& column : table.columns) {
        object[column.id] = to_json(column.cell(row));
      }
      rows.push_back(std::move(object));
    }
    document[table.name] = std::move(rows);
  }
  out << document.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

}  // namespace

void print(const Info& info, bool as_json, std::ostream& out) {
  if (as_json) {
    print_json(info, out);
  } else {
    print_text(info, out);
  }
}

}  // namespace dlview::app
