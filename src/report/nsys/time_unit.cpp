#include "report/nsys/time_unit.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/names.h"

namespace dlview::report::nsys {
namespace {

struct Named {
  TimeUnit unit;
  std::array<std::string_view, 3> names;
};
constexpr std::array<Named, 4> kUnits{{
    {kNanoseconds, {"ns", "nsec", "nanoseconds"}},
    {{"us", 1'000, 3}, {"us", "usec", "microseconds"}},
    {{"ms", 1'000'000, 6}, {"ms", "msec", "milliseconds"}},
    {{"s", 1'000'000'000, 9}, {"s", "sec", "seconds"}},
}};

// 1234567 -> "1.234567" in ms. Exact: a double does not hold every ns of a day.
std::string exact_text(int64_t ns, const TimeUnit& unit) {
  const auto magnitude =
      ns < 0 ? uint64_t{0} - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
  const auto size = static_cast<uint64_t>(unit.ns);
  return fmt::format("{}{}.{:0{}}", ns < 0 ? "-" : "", magnitude / size, magnitude % size,
                     unit.decimals);
}

Cell in_unit(const Cell& cell, const TimeUnit& unit) {
  if (const auto* ns = std::get_if<int64_t>(&cell)) return exact_text(*ns, unit);
  if (const auto* ns = std::get_if<double>(&cell)) return exact_text(std::llround(*ns), unit);
  return cell;
}

}  // namespace

base::Result<TimeUnit> parse_time_unit(std::string_view name) {
  std::vector<std::string_view> symbols;
  for (const Named& named : kUnits) {
    for (const std::string_view known : named.names) {
      if (known == name) return named.unit;
    }
    symbols.push_back(named.unit.symbol);
  }
  return unknown_name("time unit", name, symbols);
}

Table in_time_unit(Table table, const TimeUnit& unit) {
  if (unit.ns == kNanoseconds.ns) return table;
  for (Column& column : table.columns) {
    if (column.unit != aggregate::Unit::ns) continue;
    column.unit = aggregate::Unit::none;
    column.title = fmt::format("{} ({})", column.title, unit.symbol);
    column.cell = [cell = std::move(column.cell), unit](std::size_t row) {
      return in_unit(cell(row), unit);
    };
  }
  return table;
}

}  // namespace dlview::report::nsys
