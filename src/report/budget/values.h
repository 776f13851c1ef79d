// Values of metrics: as text with their unit, and statistics of those of iterations.
//
// Values are whole numbers: ns, bytes, counts, and percentages in millionths of a percent.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "aggregate/metrics.h"

namespace dlview::report::budget {

inline constexpr int64_t kPercent = 1'000'000;

// "310 ms", "2.00 GiB", "74,107", "80.6%".
std::string value_text(int64_t value, aggregate::Unit unit);
// Reads a value with its unit, as a budget file has it: "310 ms", "2 GiB", "80%", "12".
// nullopt = it is none of that unit, is negative or too large.
std::optional<int64_t> parse_value(std::string_view text, aggregate::Unit unit);
// The text that parse_value() reads as this value, in the largest unit without loss: "310.5 ms".
std::string exact_text(int64_t value, aggregate::Unit unit);
// The units that parse_value() knows: "ns, us, ms, s or min". Empty for counts, which have none.
std::string_view units_of(aggregate::Unit unit);
// As JSON has it: percentages as percent.
double number_of(int64_t value, aggregate::Unit unit);
int64_t value_of_number(double number, aggregate::Unit unit);
// A percentage as a value.
int64_t in_millionths(double percent);

// What a budget makes of the values of the iterations. `each`: every iteration keeps the limit.
// `range`: the value of the range as a whole, as the Dashboard has it.
enum class Statistic : uint8_t { median, mean, p5, p95, p99, min, max, sum, each, range };
std::string_view to_text(Statistic statistic);
std::optional<Statistic> parse_statistic(std::string_view text);
// Percentiles by nearest rank. `each`: the maximum. 0 of no values, and of `range`.
int64_t statistic_of(std::span<const int64_t> values, Statistic statistic);

}  // namespace dlview::report::budget
