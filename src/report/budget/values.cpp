#include "report/budget/values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "report/writers/text.h"

namespace dlview::report::budget {
namespace {

using aggregate::Unit;

struct UnitName {
  std::string_view name;
  double factor;
};
constexpr std::array<UnitName, 6> kTimeUnits{
    {{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}}};
constexpr std::array<UnitName, 5> kByteUnits{{{"B", 1},
                                              {"KiB", 1024.0},
                                              {"MiB", 1024.0 * 1024},
                                              {"GiB", 1024.0 * 1024 * 1024},
                                              {"TiB", 1024.0 * 1024 * 1024 * 1024}}};
constexpr std::array<UnitName, 1> kPercentUnits{{{"%", kPercent}}};
constexpr std::array<UnitName, 1> kNoUnits{{{"", 1}}};

std::span<const UnitName> unit_names(Unit unit) {
  if (unit == Unit::ns) return kTimeUnits;
  if (unit == Unit::bytes) return kByteUnits;
  if (unit == Unit::percent) return kPercentUnits;
  return kNoUnits;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}
constexpr std::array<std::string_view, 10> kStatistics{"median", "mean", "p5",  "p95",  "p99",
                                                       "min",    "max",  "sum", "each", "range"};

}  // namespace

std::string value_text(int64_t value, Unit unit) {
  if (unit == Unit::percent) return readable_text(Cell(number_of(value, unit)), unit, "");
  return readable_text(Cell(value), unit, "");
}

std::optional<int64_t> parse_value(std::string_view text, Unit unit) {
  text = trimmed(text);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !(number >= 0)) return std::nullopt;
  const std::string_view name = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  const std::span<const UnitName> units = unit_names(unit);
  const auto known = std::ranges::find(units, name, &UnitName::name);
  if (known == units.end()) return std::nullopt;
  const double value = number * known->factor;
  constexpr double kMost = 9e15;  // doubles are exact so far
  if (!(value <= kMost)) return std::nullopt;
  if (unit_names(unit).data() == kNoUnits.data() && value != std::floor(value)) {
    return std::nullopt;
  }
  return std::llround(value);
}

std::string exact_text(int64_t value, Unit unit) {
  const std::span<const UnitName> units = unit_names(unit);
  if (units.data() == kNoUnits.data()) return std::to_string(value);
  for (auto unit_name = units.rbegin(); unit_name != units.rend(); ++unit_name) {
    if (value < unit_name->factor && unit_name + 1 != units.rend()) continue;
    if (unit_name->name == "µs" || unit_name->name == "min") continue;
    std::string text = fmt::format("{}{}{}", static_cast<double>(value) / unit_name->factor,
                                   unit == Unit::percent ? "" : " ", unit_name->name);
    if (parse_value(text, unit) == value) return text;
  }
  return fmt::format("{} {}", value, units.front().name);
}

std::string_view units_of(Unit unit) {
  if (unit == Unit::ns) return "ns, us, ms, s or min";
  if (unit == Unit::bytes) return "B, KiB, MiB, GiB or TiB";
  return unit == Unit::percent ? "%" : "";
}

double number_of(int64_t value, Unit unit) {
  const auto number = static_cast<double>(value);
  return unit == Unit::percent ? number / static_cast<double>(kPercent) : number;
}

int64_t in_millionths(double percent) {
  return std::llround(percent * static_cast<double>(kPercent));
}

int64_t value_of_number(double number, Unit unit) {
  return unit == Unit::percent ? in_millionths(number) : int64_t{std::llround(number)};
}

std::string_view to_text(Statistic statistic) {
  return kStatistics[static_cast<std::size_t>(statistic)];
}

std::optional<Statistic> parse_statistic(std::string_view text) {
  const auto found = std::ranges::find(kStatistics, text);
  if (found == kStatistics.end()) return std::nullopt;
  return static_cast<Statistic>(found - kStatistics.begin());
}

int64_t statistic_of(std::span<const int64_t> values, Statistic statistic) {
  if (values.empty()) return 0;
  std::vector<int64_t> sorted(values.begin(), values.end());
  const auto at = [&sorted](double fraction) {
    // The nearest rank, as aggregate::percentile() has it, without sorting all.
    const double rank = std::ceil(fraction * static_cast<double>(sorted.size()));
    const auto place = static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
    std::nth_element(sorted.begin(), sorted.begin() + place, sorted.end());
    return sorted[static_cast<std::size_t>(place)];
  };
  double sum = 0;
  for (const int64_t value : values) sum += static_cast<double>(value);
  switch (statistic) {
    case Statistic::median:
      return at(0.5);
    case Statistic::mean:
      return std::llround(sum / static_cast<double>(values.size()));
    case Statistic::p5:
      return at(0.05);
    case Statistic::min:
      return *std::ranges::min_element(sorted);
    case Statistic::p95:
      return at(0.95);
    case Statistic::p99:
      return at(0.99);
    case Statistic::max:
    case Statistic::each:
      return *std::ranges::max_element(sorted);
    case Statistic::sum:
      return std::llround(sum);
    case Statistic::range:
      return 0;
  }
  return 0;
}

}  // namespace dlview::report::budget
