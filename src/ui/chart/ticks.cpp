#include "ui/chart/ticks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "base/units.h"

namespace dlview::ui {
namespace {

// The smallest 1, 2 or 5 times a power of ten that is at least `value`.
double round_step(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= value * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

// The largest 1, 2 or 5 times a power of ten that is at most `value`.
double round_step_within(double value) {
  const double above = round_step(value);
  if (above <= value) return above;
  return round_step(above / 2.6);  // 5 after 10, 2 after 5, 1 after 2
}

struct DurationUnit {
  double ns;
  std::string_view name;
};
constexpr std::array<DurationUnit, 6> kUnits{
    {{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}, {60e9, "min"}, {3600e9, "h"}}};

// The largest unit of which the axis shows at least one.
const DurationUnit& unit_of(double maximum_ns) {
  std::size_t i = kUnits.size() - 1;
  while (i > 0 && kUnits[i].ns > maximum_ns) --i;
  return kUnits[i];
}

}  // namespace

std::vector<Tick> duration_ticks(double maximum_ns, int most) {
  if (maximum_ns <= 0 || most < 1) return {{0, "0"}};
  const DurationUnit& unit = unit_of(maximum_ns);
  double step = round_step(maximum_ns / unit.ns / most);
  step = std::min(step, round_step_within(maximum_ns / unit.ns));  // at least one mark above 0
  if (unit.ns == 1) step = std::max(step, 1.0);
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  std::vector<Tick> ticks;
  for (int i = 0; i * step * unit.ns <= maximum_ns * (1 + 1e-9); ++i) {
    ticks.push_back({i * step * unit.ns,
                     fmt::format("{:.{}f}{}{}", i * step, decimals, base::kThinSpace, unit.name)});
  }
  return ticks;
}

std::vector<Tick> iteration_ticks(int64_t first, int64_t last, int most) {
  if (last < first || most < 1) return {};
  const double width = static_cast<double>(last - first + 1);
  const auto step = static_cast<int64_t>(std::max(1.0, round_step(width / most)));
  const int64_t begin = first <= 0 ? 0 : (first + step - 1) / step * step;
  std::vector<Tick> ticks;
  for (int64_t number = begin; number <= last; number += step) {
    ticks.push_back({static_cast<double>(number), base::format_count(number)});
  }
  return ticks;
}

}  // namespace dlview::ui
