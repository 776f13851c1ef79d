// The chart of one metric of a trend, as far as pages and the window draw it alike.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aggregate/trend/trend.h"

namespace dlview::report {

// The y axis. It shows at least 5% around its middle: noise is not to look like a change.
struct TrendScale {
  double low = 0, high = 1;
  std::optional<double> limit = std::nullopt;  // of a budget, unless it would flatten the line
};
TrendScale trend_scale(const aggregate::Trend& trend, const aggregate::TrendSeries& series);

bool is_always_zero(const aggregate::Trend& trend, const aggregate::TrendSeries& series);
// The metrics that are 0 in all captures, which need no chart.
std::vector<std::string> zero_metrics(const aggregate::Trend& trend);

// Labels without what begins and ends all of them, up to a separator: "nightly-01-main" and
// "nightly-02-main" are "01" and "02". As they are if one of them would be empty.
std::vector<std::string> short_labels(const aggregate::Trend& trend);
// A sentence in which captures have these labels.
std::string with_short_labels(std::string sentence, const aggregate::Trend& trend,
                              const std::vector<std::string>& labels);

// The lines below a chart: each step, each capture that stands out, a drift, the limit of a budget.
struct TrendNote {
  enum class Kind { worse, better, plain } kind = Kind::plain;
  std::string text;
  bool is_of_line = false;  // a drift: of all captures, not of one
};
std::vector<TrendNote> trend_notes(const aggregate::Trend& trend,
                                   const aggregate::TrendSeries& series);

// "30.6 ms (30.1 ms to 31.0 ms)": a value with its interval.
std::string trend_interval_text(const aggregate::TrendMetric& metric,
                                const aggregate::TrendValue& value);

}  // namespace dlview::report
