#include "report/nsys/cells.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/names.h"

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

// By profile::CopyKind and profile::MemoryKind.
constexpr std::array<std::string_view, 14> kCopies{"[CUDA memcpy Unknown]",
                                                   "[CUDA memcpy Host-to-Device]",
                                                   "[CUDA memcpy Device-to-Host]",
                                                   "[CUDA memcpy Host-to-Array]",
                                                   "[CUDA memcpy Array-to-Host]",
                                                   "[CUDA memcpy Array-to-Array]",
                                                   "[CUDA memcpy Array-to-Device]",
                                                   "[CUDA memcpy Device-to-Array]",
                                                   "[CUDA memcpy Device-to-Device]",
                                                   "[CUDA memcpy Host-to-Host]",
                                                   "[CUDA memcpy Peer-to-Peer]",
                                                   "[CUDA memcpy Unified Host-to-Device]",
                                                   "[CUDA memcpy Unified Device-to-Host]",
                                                   "[CUDA memcpy Unified Device-to-Device]"};
constexpr std::array<std::string_view, 8> kMemoryKinds{"Pageable",       "Pinned",  "Device",
                                                       "Array",          "Managed", "Device Static",
                                                       "Managed Static", "Unknown"};

template <std::size_t N, typename Kind>
std::string_view name_of_kind(const std::array<std::string_view, N>& names, Kind kind,
                              std::string_view unknown) {
  const auto number = static_cast<std::size_t>(kind);  // of negative ones a large one
  return number < N ? names[number] : unknown;
}

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

std::string_view call_label(std::string_view name) {
  constexpr std::size_t kVersion = 6;
  if (name.size() <= kVersion) return name;
  const std::string_view version = name.substr(name.size() - kVersion);
  const bool is_version = version.starts_with("_v") &&
                          std::all_of(version.begin() + 2, version.end(),
                                      [](char digit) { return '0' <= digit && digit <= '9'; });
  return is_version ? name.substr(0, name.size() - kVersion) : name;
}

std::string_view copy_name(profile::CopyKind copy_kind) {
  return name_of_kind(kCopies, copy_kind, kCopies[0]);
}

std::string_view memory_kind_name(profile::MemoryKind memory_kind) {
  return name_of_kind(kMemoryKinds, memory_kind, "");
}

std::string dimensions(const profile::Dim3& size) {
  return fmt::format("{:4} {:4} {:4}", size.x, size.y, size.z);
}

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
