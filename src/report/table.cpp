#include "report/table.h"

#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace dlview::report {

using aggregate::Unit;

namespace {

Column make_column(std::string id, std::string title, CellKind kind,
                   std::function<Cell(std::size_t)> cell) {
  Column column;
  column.id = std::move(id);
  column.title = std::move(title);
  column.kind = kind;
  column.cell = std::move(cell);
  return column;
}

}  // namespace

Column text_column(std::string id, std::string title, std::function<Cell(std::size_t)> cell) {
  return make_column(std::move(id), std::move(title), CellKind::text, std::move(cell));
}

Column word_column(std::string id, std::string title, std::function<Cell(std::size_t)> cell) {
  return make_column(std::move(id), std::move(title), CellKind::word, std::move(cell));
}

Column integer_column(std::string id, std::string title, Unit unit,
                      std::function<Cell(std::size_t)> cell) {
  Column column = make_column(std::move(id), std::move(title), CellKind::integer, std::move(cell));
  column.unit = unit;
  column.first_sort = SortDirection::descending;
  return column;
}

Column real_column(std::string id, std::string title, Unit unit,
                   std::function<Cell(std::size_t)> cell) {
  Column column = integer_column(std::move(id), std::move(title), unit, std::move(cell));
  column.kind = CellKind::real;
  return column;
}

Column flag_column(std::string id, std::string title, std::function<Cell(std::size_t)> cell) {
  Column column = make_column(std::move(id), std::move(title), CellKind::flag, std::move(cell));
  column.first_sort = SortDirection::descending;
  return column;
}

std::string_view unit_text(Unit unit) {
  switch (unit) {
    case Unit::ns:
      return "ns";
    case Unit::percent:
      return "%";
    case Unit::bytes:
      return "bytes";
    case Unit::bytes_per_second:
      return "bytes/s";
    case Unit::flop:
      return "FLOP";
    case Unit::none:
    case Unit::count:
      return "";
  }
  return "";
}

std::string header_text(const Column& column) {
  const std::string_view unit = unit_text(column.unit);
  return unit.empty() ? column.title : fmt::format("{} ({})", column.title, unit);
}

void append_text(std::string& text, const Cell& cell, int decimals) {
  struct Printer {
    std::string& out;
    int places;
    void operator()(std::monostate) const {}
    void operator()(int64_t number) const { fmt::format_to(std::back_inserter(out), "{}", number); }
    void operator()(double number) const {
      fmt::format_to(std::back_inserter(out), "{:.{}f}", number, places);
    }
    void operator()(bool flag) const { out += flag ? "yes" : "no"; }
    void operator()(std::string_view value) const { out += value; }
    void operator()(const std::string& value) const { out += value; }
  };
  std::visit(Printer{text, decimals}, cell);
}

std::string to_text(const Cell& cell, int decimals) {
  std::string text;
  append_text(text, cell, decimals);
  return text;
}

}  // namespace dlview::report
