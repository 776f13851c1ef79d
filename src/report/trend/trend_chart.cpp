#include "report/trend/trend_chart.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "base/units.h"
#include "report/trend/trend_measure.h"

namespace dlview::report {
namespace {

constexpr double kLeastSpan = 0.05;

}  // namespace

TrendScale trend_scale(const aggregate::Trend& trend, const aggregate::TrendSeries& series) {
  const aggregate::TrendMetric& metric = trend.metric_of(series);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const aggregate::TrendLine& line : series.lines) {
    for (const std::size_t capture : line.captures) {
      const aggregate::TrendValue& value = *trend.captures[capture].values[series.metric];
      low = std::min(low, value.low.value_or(value.value));
      high = std::max(high, value.high.value_or(value.value));
    }
  }
  TrendScale scale;
  if (low > high) return scale;
  const auto& limit = metric.at_most ? metric.at_most : metric.at_least;
  const double near = std::max(high - low, kLeastSpan * std::abs(high)) * 3;
  if (limit && *limit<high + near&& * limit> low - near) {
    low = std::min(low, *limit);
    high = std::max(high, *limit);
    scale.limit = limit;
  }
  const double middle = (low + high) / 2;
  const double half = std::max({(high - low) * 0.55, kLeastSpan / 2 * std::abs(middle), 1e-9});
  const bool is_above_zero = metric.unit == aggregate::Unit::percent || low >= 0;
  scale.low = is_above_zero ? std::max(middle - half, 0.0) : middle - half;
  scale.high = middle + half;
  return scale;
}

bool is_always_zero(const aggregate::Trend& trend, const aggregate::TrendSeries& series) {
  return std::ranges::all_of(trend.captures, [&series](const aggregate::TrendCapture& capture) {
    const auto& value = capture.values[series.metric];
    return !value || value->value == 0;
  });
}

std::vector<std::string> zero_metrics(const aggregate::Trend& trend) {
  std::vector<std::string> titles;
  for (const aggregate::TrendSeries& series : trend.series) {
    if (is_always_zero(trend, series)) titles.push_back(trend.metric_of(series).title);
  }
  return titles;
}

std::vector<std::string> short_labels(const aggregate::Trend& trend) {
  constexpr std::string_view kSeparators = "-_./ ";
  std::vector<std::string> labels;
  for (const aggregate::TrendCapture& capture : trend.captures) labels.push_back(capture.label);
  if (labels.size() < 2) return labels;
  const std::string& first = labels.front();
  std::size_t prefix = first.size(), suffix = first.size();
  for (const std::string& label : labels) {
    const auto begin = std::ranges::mismatch(first, label);
    prefix = std::min(prefix, static_cast<std::size_t>(begin.in1 - first.begin()));
    const auto end = std::mismatch(first.rbegin(), first.rend(), label.rbegin(), label.rend());
    suffix = std::min(suffix, static_cast<std::size_t>(end.first - first.rbegin()));
  }
  while (prefix > 0 && kSeparators.find(first[prefix - 1]) == std::string_view::npos) --prefix;
  while (suffix > 0 && kSeparators.find(first[first.size() - suffix]) == std::string_view::npos) {
    --suffix;
  }
  std::vector<std::string> cut;
  for (const std::string& label : labels) {
    if (label.size() <= prefix + suffix) return labels;
    cut.push_back(label.substr(prefix, label.size() - prefix - suffix));
  }
  return cut;
}

std::string with_short_labels(std::string sentence, const aggregate::Trend& trend,
                              const std::vector<std::string>& labels) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t c = 0; c < labels.size(); ++c) {
    const std::string& whole = trend.captures[c].label;
    if (whole.empty() || labels[c].size() >= whole.size()) continue;
    for (std::size_t at = sentence.find(whole); at != std::string::npos;
         at = sentence.find(whole, at)) {
      const std::size_t end = at + whole.size();
      const bool is_part = (at > 0 && is_word(sentence[at - 1])) ||
                           (end < sentence.size() && is_word(sentence[end]));
      if (!is_part) sentence.replace(at, whole.size(), labels[c]);
      at += is_part ? whole.size() : labels[c].size();
    }
  }
  return sentence;
}

std::vector<TrendNote> trend_notes(const aggregate::Trend& trend,
                                   const aggregate::TrendSeries& series) {
  const aggregate::TrendMetric& metric = trend.metric_of(series);
  std::vector<TrendNote> notes;
  for (const aggregate::TrendLine& line : series.lines) {
    for (const aggregate::TrendStep& step : line.steps.steps) {
      const bool is_worse = aggregate::is_worse(metric, step);
      notes.push_back({is_worse ? TrendNote::Kind::worse : TrendNote::Kind::better,
                       fmt::format("{}, {}", aggregate::step_text(trend, line, step),
                                   is_worse ? "worse" : "better")});
    }
    for (const aggregate::TrendStandout& standout : line.standouts) {
      const bool is_worse = aggregate::is_worse(metric, standout);
      notes.push_back({is_worse ? TrendNote::Kind::worse : TrendNote::Kind::better,
                       fmt::format("{}, {}", aggregate::standout_text(trend, line, standout),
                                   is_worse ? "worse" : "better")});
    }
    if (line.captures.size() < aggregate::kFewestForSteps) {
      const auto change = aggregate::end_change(trend, series, line);
      if (change) {
        notes.push_back({TrendNote::Kind::plain, aggregate::change_text(trend, *change)});
      }
    }
    if (line.steps.drift) {
      const bool is_worse = aggregate::is_drift_worse(metric, line);
      std::string text = aggregate::drift_text(line);
      text.front() = 'D';
      notes.push_back({is_worse ? TrendNote::Kind::worse : TrendNote::Kind::better,
                       fmt::format("{}, {}", text, is_worse ? "worse" : "better"), true});
    }
  }
  if (const auto& limit = metric.at_most ? metric.at_most : metric.at_least) {
    notes.push_back({TrendNote::Kind::plain,
                     fmt::format("Budget: {} {}", metric.at_most ? "at most" : "at least",
                                 trend_value_text(*limit, metric.unit))});
  }
  return notes;
}

std::string trend_interval_text(const aggregate::TrendMetric& metric,
                                const aggregate::TrendValue& value) {
  std::string text = trend_value_text(value.value, metric.unit);
  if (value.low && value.high) {
    text += fmt::format(" ({} to {})", trend_value_text(*value.low, metric.unit),
                        trend_value_text(*value.high, metric.unit));
  }
  return text;
}

}  // namespace dlview::report
