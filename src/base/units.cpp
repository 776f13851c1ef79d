#include "base/units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

namespace dlview::base {
namespace {

struct UnitStep {
  double size;
  std::string_view name;
};

// Three significant digits without an exponent: 1.23, 12.3, 123, 1234.
std::string three_digits(double value) {
  const double magnitude = std::abs(value);
  if (magnitude >= 99.95) return fmt::format("{:.0f}", value);
  if (magnitude >= 9.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

// The unit in which the rounded number stays below the next unit: 999.9 µs reads "1.00 ms".
template <std::size_t N>
std::size_t fitting_unit(double value, const std::array<UnitStep, N>& steps) {
  const double magnitude = std::abs(value);
  std::size_t i = 0;
  while (i + 1 < N) {
    const double limit = steps[i + 1].size;
    const double shown = std::stod(three_digits(magnitude / steps[i].size)) * steps[i].size;
    if (shown < limit) break;
    ++i;
  }
  return i;
}

template <std::size_t N>
std::string in_fitting_unit(double value, const std::array<UnitStep, N>& steps) {
  const std::size_t i = fitting_unit(value, steps);
  const bool whole = i == 0 && value == std::floor(value);
  const std::string number =
      whole ? fmt::format("{:.0f}", value) : three_digits(value / steps[i].size);
  return fmt::format("{}{}{}", number, kThinSpace, steps[i].name);
}

constexpr std::array<UnitStep, 7> kDurationUnits{{{1, "ns"},
                                                  {1e3, "µs"},
                                                  {1e6, "ms"},
                                                  {1e9, "s"},
                                                  {60e9, "min"},
                                                  {3600e9, "h"},
                                                  {86400e9, "days"}}};
constexpr std::array<UnitStep, 5> kByteUnits{
    {{1, "B"}, {0x1p10, "KiB"}, {0x1p20, "MiB"}, {0x1p30, "GiB"}, {0x1p40, "TiB"}}};
constexpr std::array<UnitStep, 5> kByteRateUnits{
    {{1, "B/s"}, {1e3, "kB/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}, {1e12, "TB/s"}}};
constexpr std::array<UnitStep, 5> kFlopUnits{
    {{1, "FLOP"}, {1e3, "kFLOP"}, {1e6, "MFLOP"}, {1e9, "GFLOP"}, {1e12, "TFLOP"}}};

// A number in steps of 10^-decimals: "41.27" for 4127 and 2.
std::string in_steps(int64_t steps, int decimals) {
  std::string text = fmt::format("{:0{}}", std::abs(steps), decimals + 1);
  if (decimals > 0) text.insert(text.size() - static_cast<std::size_t>(decimals), 1, '.');
  return text;
}

// Durations of one row: a unit, and how many decimals of it are shown.
struct Resolution {
  UnitStep unit;
  int decimals = 0;

  int64_t steps(int64_t duration_ns) const {
    return std::llround(static_cast<long double>(duration_ns) / unit.size *
                        std::pow(10.0L, decimals));
  }
  std::string text(int64_t steps) const {  // of any sign, without it
    return fmt::format("{}{}{}", in_steps(steps, decimals), kThinSpace, unit.name);
  }
};

// Of a duration: a smaller difference does not show in its first digits.
constexpr int64_t kLeastShownPart = 1000;
constexpr int64_t kTwoDigits = 10, kThreeDigits = 100, kFourDigits = 1000;

// `steps`: that the longer duration has at least.
Resolution resolution_for(int64_t longer_ns, int64_t difference_ns, int64_t steps) {
  Resolution resolution{
      kDurationUnits[fitting_unit(static_cast<double>(longer_ns), kDurationUnits)]};
  double step_ns = resolution.unit.size;
  while (step_ns > 1) {
    const bool tells_difference =
        difference_ns == 0 || resolution.steps(difference_ns) >= kTwoDigits;
    if (tells_difference && resolution.steps(longer_ns) >= steps) break;
    ++resolution.decimals;
    step_ns /= 10;
  }
  return resolution;
}

}  // namespace

std::string format_count(int64_t count) {
  const std::string digits = fmt::format("{}", count);
  const std::size_t first = count < 0 ? 1 : 0;
  std::string text = digits.substr(0, first);
  for (std::size_t i = first; i < digits.size(); ++i) {
    if (i > first && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string counted(int64_t count, std::string_view nouns) {
  const std::string number = format_count(count);
  if (count != 1) return fmt::format("{} {}", number, nouns);
  const auto ends_with = [nouns](const char* ending) { return nouns.ends_with(ending); };
  const auto with_es = {"sses", "ches", "shes", "xes"};
  const std::size_t ending = std::ranges::any_of(with_es, ends_with) ? 2 : 1;
  return fmt::format("{} {}", number, nouns.substr(0, nouns.size() - ending));
}

std::string with_sign(double difference, std::string_view magnitude) {
  if (difference == 0) return std::string(magnitude);
  const std::string below = fmt::format("<{}", kThinSpace), above = fmt::format(">{}", kThinSpace);
  const bool is_below = magnitude.starts_with(below);
  if (!is_below && !magnitude.starts_with(above)) {
    if (magnitude.find_first_of("123456789") == std::string_view::npos) {
      return std::string(magnitude);
    }
    return fmt::format("{}{}", difference < 0 ? "−" : "+", magnitude);
  }
  if (difference > 0 && is_below) return std::string(magnitude);
  const std::string_view number = magnitude.substr(below.size());
  return difference > 0 ? fmt::format("{}+{}", above, number)
                        : fmt::format("{}−{}", is_below ? above : below, number);
}

std::string format_number(double value) {
  constexpr double kLeastWhole = 999.5;
  if (std::abs(value) >= kLeastWhole) return format_count(std::llround(value));
  return fmt::format("{:.3g}", value);
}

std::string format_duration(double duration_ns) {
  if (duration_ns == 0) return "0";
  return in_fitting_unit(duration_ns, kDurationUnits);
}

ComparedDurations format_compared(int64_t duration_ns, int64_t baseline_ns) {
  const int64_t longer_ns = std::max(duration_ns, baseline_ns),
                difference_ns = std::abs(duration_ns - baseline_ns);
  if (difference_ns > 0 && difference_ns < longer_ns / kLeastShownPart) {
    return {format_duration(duration_ns), format_duration(baseline_ns),
            with_sign(static_cast<double>(duration_ns) - static_cast<double>(baseline_ns),
                      format_duration(difference_ns))};
  }
  const Resolution resolution = resolution_for(longer_ns, difference_ns, kThreeDigits);
  const int64_t value = resolution.steps(duration_ns), baseline = resolution.steps(baseline_ns);
  const auto text = [&resolution](int64_t exact_ns, int64_t steps) {
    return exact_ns == 0 ? "0" : resolution.text(steps);
  };
  ComparedDurations compared{text(duration_ns, value), text(baseline_ns, baseline),
                             text(duration_ns - baseline_ns, value - baseline)};
  if (duration_ns != baseline_ns) {
    compared.difference.insert(0, duration_ns < baseline_ns ? "−" : "+");
  }
  return compared;
}

void ComparedTable::add(int64_t duration_ns, int64_t baseline_ns) {
  longest_ns_ = std::max({longest_ns_, duration_ns, baseline_ns});
  largest_difference_ns_ = std::max(largest_difference_ns_, std::abs(duration_ns - baseline_ns));
}

ComparedDurations ComparedTable::format(int64_t duration_ns, int64_t baseline_ns) const {
  const Resolution resolution = resolution_for(longest_ns_, largest_difference_ns_, kFourDigits);
  const int64_t value = resolution.steps(duration_ns), baseline = resolution.steps(baseline_ns);
  const auto text = [&resolution](int64_t exact_ns, int64_t steps) {
    if (exact_ns == 0) return std::string("0");
    if (steps == 0) return fmt::format("<{}{}", kThinSpace, resolution.text(1));
    return resolution.text(steps);
  };
  const int64_t difference_ns = duration_ns - baseline_ns;
  return {text(duration_ns, value), text(baseline_ns, baseline),
          with_sign(static_cast<double>(difference_ns), text(difference_ns, value - baseline))};
}

int64_t ComparedTable::step_ns() const {
  const Resolution resolution = resolution_for(longest_ns_, largest_difference_ns_, kFourDigits);
  return std::max<int64_t>(1, std::llround(static_cast<double>(resolution.unit.size) /
                                           std::pow(10, resolution.decimals)));
}

std::string format_ns(int64_t duration_ns) {
  return format_count(duration_ns) + kThinSpace + "ns";
}

std::string format_percent(double percent) {
  if (percent == 0) return "0%";
  if (percent < 0) return with_sign(percent, format_percent(-percent));
  if (percent == 100) return "100%";
  if (percent < 0.05) return fmt::format("<{}0.1%", kThinSpace);
  if (percent >= 99.95 && percent < 100) return fmt::format(">{}99.9%", kThinSpace);
  return fmt::format("{:.1f}%", percent);
}

std::string format_bytes(int64_t bytes) {
  if (bytes < 0) return "−" + in_fitting_unit(-static_cast<double>(bytes), kByteUnits);
  return in_fitting_unit(static_cast<double>(bytes), kByteUnits);
}

std::string format_byte_rate(double bytes_per_second) {
  return in_fitting_unit(bytes_per_second, kByteRateUnits);
}

std::string format_flop(double flop) {
  return in_fitting_unit(flop, kFlopUnits);
}

}  // namespace dlview::base
