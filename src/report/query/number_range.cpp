#include "report/query/number_range.h"

#include <array>
#include <optional>
#include <span>
#include <string>

#include <fmt/format.h>

namespace dlview::report {
namespace {

using aggregate::Unit;

struct UnitName {
  std::string_view name;
  long double size;
};

// µ is written U+00B5 (micro sign) or U+03BC (Greek mu).
constexpr std::array<UnitName, 11> kTimes{{{"ns", 1},
                                           {"us", 1e3L},
                                           {"\u00b5s", 1e3L},
                                           {"\u03bcs", 1e3L},
                                           {"ms", 1e6L},
                                           {"s", 1e9L},
                                           {"min", 60e9L},
                                           {"h", 3600e9L},
                                           {"d", 86400e9L},
                                           {"day", 86400e9L},
                                           {"days", 86400e9L}}};
constexpr std::array<UnitName, 1> kPercent{{{"%", 1}}};
constexpr std::array<UnitName, 5> kSizes{
    {{"B", 1}, {"KiB", 0x1p10L}, {"MiB", 0x1p20L}, {"GiB", 0x1p30L}, {"TiB", 0x1p40L}}};
constexpr std::array<UnitName, 5> kByteRates{
    {{"B/s", 1}, {"kB/s", 1e3L}, {"MB/s", 1e6L}, {"GB/s", 1e9L}, {"TB/s", 1e12L}}};
constexpr std::array<UnitName, 5> kFlop{
    {{"FLOP", 1}, {"MFLOP", 1e6L}, {"GFLOP", 1e9L}, {"TFLOP", 1e12L}, {"PFLOP", 1e15L}}};

std::span<const UnitName> units_of(Unit unit) {
  switch (unit) {
    case Unit::ns:
      return kTimes;
    case Unit::percent:
      return kPercent;
    case Unit::bytes:
      return kSizes;
    case Unit::bytes_per_second:
      return kByteRates;
    case Unit::flop:
      return kFlop;
    case Unit::none:
    case Unit::count:
      return {};
  }
  return {};
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Whether the text begins with a comma that groups thousands: three digits follow, no more.
bool begins_group(std::string_view text) {
  if (text.size() < 4 || text[0] != ',') return false;
  if (!is_digit(text[1]) || !is_digit(text[2]) || !is_digit(text[3])) return false;
  return text.size() == 4 || !is_digit(text[4]);
}

// Removes blanks and what groups digits on screen.
std::string without_grouping(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    std::size_t space = 0;
    if (!result.empty() && is_digit(result.back()) && begins_group(text)) space = 1;
    for (const std::string_view candidate : {" ", "\t", "\u00a0", "\u2009", "\u202f"}) {
      if (text.starts_with(candidate)) space = candidate.size();
    }
    if (space == 0) result += text[0];
    text.remove_prefix(space == 0 ? 1 : space);
  }
  return result;
}

// A number as it is written, digits / scale in its unit. Digits and scale are whole numbers, so
// that 1.1 ms is exactly 1,100,000 ns.
struct Written {
  long double digits = 0, scale = 1;
  std::string_view unit;

  long double value(long double unit_size) const { return digits * unit_size / scale; }
  long double half_step(long double unit_size) const { return unit_size / (2 * scale); }
};

std::optional<Written> read_number(std::string_view text) {
  Written written;
  const bool negative = text.starts_with('-');
  std::size_t i = negative ? 1 : 0;
  bool has_digits = false, after_point = false;
  for (; i < text.size(); ++i) {
    if (text[i] == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (!is_digit(text[i])) break;
    written.digits = written.digits * 10 + static_cast<long double>(text[i] - '0');
    if (after_point) written.scale *= 10;
    has_digits = true;
  }
  if (!has_digits) return std::nullopt;
  if (negative) written.digits = -written.digits;
  written.unit = text.substr(i);
  return written;
}

// Nothing for a unit that the column does not have.
std::optional<long double> unit_size(std::string_view name, Unit unit) {
  if (name.empty()) return 1;
  for (const UnitName& known : units_of(unit)) {
    if (known.name == name) return known.size;
  }
  return std::nullopt;
}

std::optional<NumberRange> read_interval(std::string_view low_text, std::string_view high_text,
                                         Unit unit) {
  NumberRange range;
  std::string_view high_unit;
  if (!high_text.empty()) {
    const std::optional<Written> high = read_number(high_text);
    if (!high) return std::nullopt;
    const std::optional<long double> size = unit_size(high->unit, unit);
    if (!size) return std::nullopt;
    range.high = high->value(*size);
    high_unit = high->unit;
  }
  if (!low_text.empty()) {
    const std::optional<Written> low = read_number(low_text);
    if (!low) return std::nullopt;
    const auto size = unit_size(low->unit.empty() ? high_unit : low->unit, unit);
    if (!size) return std::nullopt;
    range.low = low->value(*size);
  }
  if (low_text.empty() && high_text.empty()) return std::nullopt;
  return range;
}

std::optional<NumberRange> read_range(std::string_view text, Unit unit) {
  if (const std::size_t dots = text.find(".."); dots != std::string_view::npos) {
    return read_interval(text.substr(0, dots), text.substr(dots + 2), unit);
  }
  const std::size_t first = text.find_first_not_of("<>=");
  if (first == std::string_view::npos) return std::nullopt;
  const std::string_view comparison = text.substr(0, first);
  const std::optional<Written> written = read_number(text.substr(first));
  const auto size = written ? unit_size(written->unit, unit) : std::nullopt;
  if (!size) return std::nullopt;

  const long double value = written->value(*size);
  NumberRange range;
  if (comparison == ">" || comparison == ">=") {
    range.low = value;
    range.low_included = comparison == ">=";
  } else if (comparison == "<" || comparison == "<=") {
    range.high = value;
    range.high_included = comparison == "<=";
  } else if (comparison.empty() || comparison == "=") {
    range.low = value - written->half_step(*size);
    range.high = value + written->half_step(*size);
    range.high_included = false;
  } else {
    return std::nullopt;
  }
  return range;
}

std::string advice(Unit unit) {
  std::string text = "Write >10, <=20, 10..20 or =15";
  std::string names;
  long double last_size = 0;
  for (const UnitName& known : units_of(unit)) {
    if (known.size == last_size) continue;  // another spelling of the same unit
    last_size = known.size;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
  }
  return names.empty() ? text + "; the column has no unit"
                       : text + ", with or without a unit: " + names;
}

}  // namespace

base::Result<NumberRange> parse_number_range(std::string_view text, Unit unit) {
  if (const auto range = read_range(without_grouping(text), unit)) return *range;
  return base::Error{"Invalid filter",
                     fmt::format("\"{}\" is neither a number nor a range of numbers", text),
                     advice(unit)};
}

}  // namespace dlview::report
