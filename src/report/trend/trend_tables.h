// Tables and the page of a trend. The command line, the window and pages read the same
// declarations.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include "aggregate/trend/trend.h"
#include "report/table.h"

namespace dlview::report {

using SharedTrend = std::shared_ptr<const aggregate::Trend>;

// "steps": each step of each metric, the metric with the largest first.
Table make_trend_steps(const SharedTrend& trend);
// "drifts": each metric that drifts.
Table make_trend_drifts(const SharedTrend& trend);
// "standouts": each capture that stands out in a metric.
Table make_trend_standouts(const SharedTrend& trend);
// "values": each metric of each capture, with interval, level and line.
Table make_trend_values(const SharedTrend& trend);
// "captures": in order, with the iterations that were measured and where a line begins.
Table make_trend_captures(const SharedTrend& trend);

// For a terminal: a row for each metric with its steps and the value of each capture; of more than
// kMostValueColumns captures, of the first and the last.
inline constexpr std::size_t kMostValueColumns = 8;
Table make_trend_overview(const SharedTrend& trend);
// The steps as people read them, "+3.1% (2.0% to 4.0%) at c4f2", then the captures that stand out.
Table make_step_texts(const SharedTrend& trend);

// "2 steps in 1 of 20 metrics. Largest: GPU utilization −3.1% (...) at c4f2." Captures that stand
// out follow: "c9 stands out: Duration of an iteration +11.6%, and 3 more metrics."
std::string trend_sentence(const aggregate::Trend& trend);

// A self-contained HTML page: a chart for each metric over one x axis, the largest step first.
void write_trend_page(const SharedTrend& trend, std::ostream& out);

}  // namespace dlview::report
