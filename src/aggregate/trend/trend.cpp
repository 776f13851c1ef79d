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
    std::vector<TrendValue> measured;
    std::vector<double> values;
    for (const std::size_t c : line.captures) {
      measured.push_back(*trend.captures[c].values[metric]);
      values.push_back(measured.back().value);
    }
    line.steps = find_steps(values, options);
    // Of a drift the ends lie apart from the one level, and no capture stands out.
    if (!line.steps.drift) {
      line.standouts = find_standouts(measured, line.steps.levels, options);
    }
  }
  return series;
}

}  // namespace

std::size_t TrendSeries::step_count() const {
  std::size_t count = 0;
  for (const TrendLine& line : lines) count += line.steps.steps.size();
  return count;
}

const TrendLine& TrendSeries::longest_line() const {
  return *std::ranges::max_element(lines, {},
                                   [](const TrendLine& line) { return line.captures.size(); });
}

double TrendSeries::largest_drift() const {
  double largest = 0;
  for (const TrendLine& line : lines) {
    if (line.steps.drift) largest = std::max(largest, std::abs(*line.steps.drift));
  }
  return largest;
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

double TrendSeries::largest_standout() const {
  double largest = 0;
  for (const TrendLine& line : lines) {
    for (const TrendStandout& standout : line.standouts) {
      largest = std::max(largest, std::abs(standout.change()));
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
  std::ranges::stable_sort(trend.series, std::ranges::greater{}, [](const TrendSeries& series) {
    return std::pair(std::max(series.largest_step(), series.largest_drift()),
                     series.largest_standout());
  });
  return trend;
}

std::string step_text(const Trend& trend, const TrendLine& line, const TrendStep& step) {
  const std::string& label = trend.captures[line.capture_of(step)].label;
  if (!std::isfinite(step.change())) return fmt::format("from 0 at {}", label);
  return fmt::format("{} ({} to {}) at {}", signed_percent(step.change()),
                     signed_percent(step.interval.low), signed_percent(step.interval.high), label);
}

std::string standout_text(const Trend& trend, const TrendLine& line,
                          const TrendStandout& standout) {
  const std::string& label = trend.captures[line.capture_of(standout)].label;
  if (!std::isfinite(standout.change())) {
    return fmt::format("{} stands out: all others are 0", label);
  }
  return fmt::format("{} stands out: {}", label, signed_percent(standout.change()));
}

std::vector<StandingCapture> standing_captures(const Trend& trend) {
  std::vector<StandingCapture> found;
  for (const TrendSeries& series : trend.series) {
    for (const TrendLine& line : series.lines) {
      for (const TrendStandout& standout : line.standouts) {
        const std::size_t capture = line.capture_of(standout);
        auto known = std::ranges::find(found, capture, &StandingCapture::capture);
        if (known == found.end()) {
          known = found.insert(found.end(), {capture, 0, &series, &line, &standout});
        }
        ++known->metrics;
        const auto rank = [](const TrendSeries& of, const TrendStandout& one) {
          return std::pair(of.metric == 0, std::abs(one.change()));
        };
        if (rank(series, standout) > rank(*known->series, *known->standout)) {
          known->series = &series;
          known->line = &line;
          known->standout = &standout;
        }
      }
    }
  }
  std::ranges::stable_sort(found, std::ranges::greater{}, [](const StandingCapture& one) {
    return std::pair(one.series->metric == 0, one.metrics);
  });
  return found;
}

std::optional<TrendChange> end_change(const Trend& trend, const TrendSeries& series,
                                      const TrendLine& line) {
  if (line.captures.size() < 2) return std::nullopt;
  TrendChange change{.first = line.captures.front(), .last = line.captures.back(), .interval = {}};
  const TrendValue &from = *trend.captures[change.first].values[series.metric],
                   &to = *trend.captures[change.last].values[series.metric];
  if (from.value <= 0 || to.value < 0) return std::nullopt;
  change.change = to.value / from.value - 1;
  const auto has_interval = [](const TrendValue& value) {
    return value.low && value.high && *value.low > 0;
  };
  if (!has_interval(from) || !has_interval(to)) return change;
  // The bounds of independent errors of logarithms combine as roots of sums of squares.
  const double below = std::hypot(std::log(to.value / *to.low), std::log(*from.high / from.value));
  const double above = std::hypot(std::log(*to.high / to.value), std::log(from.value / *from.low));
  change.interval = {(1 + change.change) * std::exp(-below) - 1,
                     (1 + change.change) * std::exp(above) - 1};
  return change;
}

std::string change_text(const Trend& trend, const TrendChange& change) {
  std::string text = signed_percent(change.change);
  if (change.interval) {
    text += fmt::format(" ({} to {})", signed_percent(change.interval->low),
                        signed_percent(change.interval->high));
  }
  return fmt::format("{} from {} to {}", text, trend.captures[change.first].label,
                     trend.captures[change.last].label);
}

bool is_worse(const TrendMetric& metric, const TrendStep& step) {
  return metric.less_is_better == (step.after > step.before);
}

bool is_worse(const TrendMetric& metric, const TrendStandout& standout) {
  return metric.less_is_better == (standout.value > standout.usual);
}

bool is_drift_worse(const TrendMetric& metric, const TrendLine& line) {
  return metric.less_is_better == (*line.steps.drift > 0);
}

std::string drift_text(const TrendLine& line) {
  return fmt::format("drift of {} over {} captures", signed_percent(*line.steps.drift),
                     line.captures.size());
}

}  // namespace dlview::aggregate
