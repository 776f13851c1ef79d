#include "report/nsys/cells.h"

#include <cmath>
#include <iterator>
#include <limits>
#include <string_view>

#include <fmt/format.h>

namespace dlview::report::nsys {
namespace {

using aggregate::Unit;

constexpr double kBytesPerMegabyte = 1e6;

// "MB" for columns that count bytes, "" for others.
std::string_view megabytes(Unit unit) {
  if (unit == Unit::bytes) return "MB";
  return unit == Unit::bytes_per_second ? "MB/s" : "";
}

// A number one step below a half counts as the half: 485307 / 60 is 8088.45, which no double is.
double round_to_tenths(double number) {
  const double up = std::copysign(std::numeric_limits<double>::infinity(), number);
  const long double tenths = static_cast<long double>(std::nextafter(number, up)) * 10;
  return static_cast<double>(std::round(tenths) / 10);
}

}  // namespace

std::string header_of(const Column& column) {
  const std::string_view unit = megabytes(column.unit);
  return unit.empty() ? header_text(column) : fmt::format("{} ({})", column.title, unit);
}

void append_cell(std::string& text, const Cell& cell, Unit unit) {
  const auto* integer = std::get_if<int64_t>(&cell);
  const auto* real = std::get_if<double>(&cell);
  if (megabytes(unit).empty() || (integer == nullptr && real == nullptr)) {
    return append_text(text, real == nullptr ? cell : Cell{round_to_tenths(*real)});
  }
  const double bytes = real == nullptr ? static_cast<double>(*integer) : *real;
  fmt::format_to(std::back_inserter(text), "{:.3f}", bytes / kBytesPerMegabyte);
}

}  // namespace dlview::report::nsys
