#include "report/nsys/figures.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "base/saturated_sum.h"

namespace dlview::report::nsys {
namespace {

// Welford's recurrence, whose roundings nsys has too.
class Deviation {
 public:
  // `count` times.
  void add(int64_t value, int64_t count) {
    const double before = static_cast<double>(value) - mean_;
    count_ += static_cast<double>(count);
    mean_ += before * static_cast<double>(count) / count_;
    squares_ += static_cast<double>(count) * before * (static_cast<double>(value) - mean_);
  }
  double of_sample() const { return count_ < 2 ? 0 : std::sqrt(squares_ / (count_ - 1)); }

 private:
  double mean_ = 0, squares_ = 0, count_ = 0;
};

double median_of(std::vector<int64_t>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return static_cast<double>(*middle);
  const int64_t below = *std::max_element(values.begin(), middle);
  return (static_cast<double>(below) + static_cast<double>(*middle)) / 2;
}

// The values ascend and are `count` with their repetitions.
double median_of_sorted(const std::vector<Repeated>& values, int64_t count) {
  const auto value_at = [&values](int64_t place) {
    auto value = values.begin();
    while (place >= value->count) place -= (value++)->count;
    return static_cast<double>(value->value);
  };
  return (value_at((count - 1) / 2) + value_at(count / 2)) / 2;
}

std::function<Cell(std::size_t)> unless_empty(const FiguresOfRow& figures,
                                              Cell (*value)(const Figures&)) {
  return [figures, value](std::size_t row) {
    const Figures& of_row = figures(row);
    return of_row.stats.count == 0 ? Cell{} : value(of_row);
  };
}

}  // namespace

Figures figures_of(std::vector<int64_t>& values) {
  Figures figures;
  if (values.empty()) return figures;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  figures.stats = {static_cast<int64_t>(values.size()),
                   std::accumulate(values.begin(), values.end(), int64_t{0}, base::saturated_sum),
                   *least, *most};
  Deviation deviation;
  for (const int64_t value : values) deviation.add(value, 1);
  figures.standard_deviation = deviation.of_sample();
  figures.median = median_of(values);
  return figures;
}

Figures figures_of(std::vector<Repeated>& values) {
  Figures figures;
  if (values.empty()) return figures;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  aggregate::Stats& stats = figures.stats;
  Deviation deviation;
  for (const auto [value, count] : values) {
    stats.count += count;
    stats.sum = base::saturated_sum(stats.sum, value > kMost / count ? kMost : value * count);
    deviation.add(value, count);
  }
  figures.standard_deviation = deviation.of_sample();
  std::ranges::sort(values, {}, &Repeated::value);
  stats.min = values.front().value;
  stats.max = values.back().value;
  figures.median = median_of_sorted(values, stats.count);
  return figures;
}

void append_figures(std::vector<Column>& columns, std::string_view prefix, aggregate::Unit unit,
                    const FiguresOfRow& figures) {
  const auto title = [prefix](std::string_view name) { return fmt::format("{}{}", prefix, name); };
  const auto id = [&title](std::string_view name) {
    std::string text = title(name);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return c == ' ' ? '_' : std::tolower(c); });
    return text;
  };
  columns.push_back(real_column(
      id("Avg"), title("Avg"), unit,
      unless_empty(figures, [](const Figures& of_row) { return Cell{of_row.stats.average()}; })));
  columns.push_back(real_column(
      id("Med"), title("Med"), unit,
      unless_empty(figures, [](const Figures& of_row) { return Cell{of_row.median}; })));
  columns.push_back(integer_column(
      id("Min"), title("Min"), unit,
      unless_empty(figures, [](const Figures& of_row) { return Cell{of_row.stats.min}; })));
  columns.push_back(integer_column(
      id("Max"), title("Max"), unit,
      unless_empty(figures, [](const Figures& of_row) { return Cell{of_row.stats.max}; })));
  columns.push_back(real_column(id("StdDev"), title("StdDev"), unit, [figures](std::size_t row) {
    return figures(row).standard_deviation;
  }));
}

}  // namespace dlview::report::nsys
