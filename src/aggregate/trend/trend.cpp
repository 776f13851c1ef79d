#include "aggregate/trend/trend.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"

namespace dlview::aggregate {
namespace {

std::string signed_percent(double share) {
  return base::with_sign(share, fmt::format("{:.1f}%", std::abs(100 * share)));
}

TrendSeries series_of(const Trend& trend, std::size_t metric, std::size_t sequences) {
  TrendSeries series{.metric = metric};
  const StepOptions options{.sequences = sequences,
                            .is_count = trend.metrics[metric].unit == Unit::count};
  for (std::size_t c = 0; c < trend.captures.size(); ++c) {
    const TrendCapture& capture = trend.captures[c];
    if (series.lines.empty() || !capture.break_reason.empty()) series.lines.emplace_back();
    if (capture.values[metric]) series.lines.back().captures.push_back(c);
  }
  std::erase_if(series.lines, [](const TrendLine& line) { return line.captures.empty(); });
  for (TrendLine& line : series.lines) {
    std::vector<double> values;
    for (const std::size_t c : line.captures) {
      values.push_back(trend.captures[c].values[metric]->value);
    }
    line.steps = find_steps(values, options);
  }
  return series;
}

}  // namespace

std::size_t TrendSeries::step_count() const {
  std::size_t count = 0;
  for (const TrendLine& line : lines) count += line.steps.steps.size();
  return count;
}

double TrendSeries::largest_step() const {
  double largest = 0;
  for (const TrendLine& line : lines) {
    for (const TrendStep& step : line.steps.steps) {
      largest = std::max(largest, std::abs(step.change()));
    }
  }
  return largest;
}

Trend make_trend(std::vector<TrendMetric> metrics, std::vector<TrendCapture> captures) {
  Trend trend{std::move(metrics), std::move(captures), {}};
  for (std::size_t metric = 0; metric < trend.metrics.size(); ++metric) {
    TrendSeries series = series_of(trend, metric, metric == 0 ? 1 : trend.metrics.size() - 1);
    if (!series.lines.empty()) trend.series.push_back(std::move(series));
  }
  std::ranges::stable_sort(trend.series, std::ranges::greater{}, &TrendSeries::largest_step);
  return trend;
}

std::string step_text(const Trend& trend, const TrendLine& line, const TrendStep& step) {
  const std::string& label = trend.captures[line.capture_of(step)].label;
  if (!std::isfinite(step.change())) return fmt::format("from 0 at {}", label);
  return fmt::format("{} ({} to {}) at {}", signed_percent(step.change()),
                     signed_percent(step.interval.low), signed_percent(step.interval.high), label);
}

bool is_worse(const TrendMetric& metric, const TrendStep& step) {
  return metric.less_is_better == (step.after > step.before);
}

}  // namespace dlview::aggregate
