// Trend: metrics over captures of one program, and their steps (spec.md, trend.*). Pure data: what
// measures captures is in report/trend, and the window can show the same structs.
//
//   TrendCapture   a capture as it was measured
//   TrendSeries    one metric over all captures: lines of captures that can be compared, and the
//                  steps in each
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "aggregate/metrics.h"
#include "aggregate/trend/steps.h"

namespace dlview::aggregate {

struct TrendMetric {
  std::string id;     // of a metric; "op" for an op
  std::string title;  // "Iteration, median"
  Unit unit = Unit::ns;
  bool less_is_better = true;
  // Limits of a budget, in the unit of the values.
  std::optional<double> at_most = std::nullopt, at_least = std::nullopt;
  bool operator==(const TrendMetric&) const = default;
};

struct TrendCapture {
  std::string label;                            // "c4f2"
  std::string file;                             // name, without folders
  std::string recorded;                         // "2026-05-26 09:18:46 UTC"; empty = not recorded
  int64_t first_iteration = 0, iterations = 0;  // of the measured range
  // Why it cannot be compared with the capture before it; empty = it can, or it is the first.
  std::string break_reason = {};
  std::vector<std::optional<TrendValue>> values = {};  // by metric; nullopt = not recorded
};

// Captures in a row that can be compared.
struct TrendLine {
  std::vector<std::size_t> captures = {};  // that have the metric, in order
  StepFit steps = {};                      // by place in `captures`
  std::vector<TrendStandout> standouts = {};
  std::size_t capture_of(const TrendStep& step) const { return captures[step.at]; }
  std::size_t capture_of(const TrendStandout& standout) const { return captures[standout.at]; }
};

struct TrendSeries {
  std::size_t metric = 0;
  std::vector<TrendLine> lines = {};
  std::size_t step_count() const;
  // The first of the longest ones.
  const TrendLine& longest_line() const;
  // The largest |after / before - 1| of its steps; 0 without steps.
  double largest_step() const;
  // The largest |drift| of its lines; 0 without one.
  double largest_drift() const;
  // The largest |value / usual - 1| of its captures that stand out; 0 without one.
  double largest_standout() const;
};

struct Trend {
  std::vector<TrendMetric> metrics;
  std::vector<TrendCapture> captures;
  // The largest step or drift first, then the captures that stand out most; all others in the order
  // of the metrics. Metrics that no capture has are left out.
  std::vector<TrendSeries> series;

  const TrendMetric& metric_of(const TrendSeries& series_of_one) const {
    return metrics[series_of_one.metric];
  }
};

// `captures` are in order and have a value for each metric. The first metric is judged alone, as
// the duration of the iteration in a comparison of two runs; all others together. O(metrics x
// captures^2).
Trend make_trend(std::vector<TrendMetric> metrics, std::vector<TrendCapture> captures);

// "+3.1% (+2.0% to +4.0%) at c4f2", or "from 0 at c4f2".
std::string step_text(const Trend& trend, const TrendLine& line, const TrendStep& step);
// "c7 stands out: +11.6%"; "c7 stands out: all others are 0".
std::string standout_text(const Trend& trend, const TrendLine& line, const TrendStandout& standout);
// A capture that stands out in a metric or more.
struct StandingCapture {
  std::size_t capture = 0, metrics = 0;
  // In the first metric if it stands out there, else where it does most.
  const TrendSeries* series = nullptr;
  const TrendLine* line = nullptr;
  const TrendStandout* standout = nullptr;
};
// Those of the first metric first, then those in most metrics. Points into the trend.
std::vector<StandingCapture> standing_captures(const Trend& trend);
// From the first to the last capture of a line of two or more.
struct TrendChange {
  std::size_t first = 0, last = 0;         // captures
  double change = 0;                       // of the last: value / first - 1
  std::optional<ChangeInterval> interval;  // 95%, from those of both values
};
// nullopt for one capture, or if the first value is 0.
std::optional<TrendChange> end_change(const Trend& trend, const TrendSeries& series,
                                      const TrendLine& line);
// "+6.1% (+5.0% to +7.2%) from c0 to c2".
std::string change_text(const Trend& trend, const TrendChange& change);

// Whether it is a change for the worse.
bool is_worse(const TrendMetric& metric, const TrendStep& step);
bool is_worse(const TrendMetric& metric, const TrendStandout& standout);
// Whether the drift is one for the worse. Needs a drift.
bool is_drift_worse(const TrendMetric& metric, const TrendLine& line);
// "drift of +22.0% over 12 captures". Needs a drift.
std::string drift_text(const TrendLine& line);

}  // namespace dlview::aggregate
