#include <algorithm>
#include <numeric>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "aggregate/definitions.h"
#include "base/units.h"
#include "report/page/markup.h"
#include "report/page/page.h"
#include "report/page/svg.h"
#include "report/trend/trend_chart.h"
#include "report/trend/trend_measure.h"
#include "report/trend/trend_tables.h"

namespace dlview::report {
namespace {

using aggregate::Trend;
using aggregate::TrendLine;
using aggregate::TrendMetric;
using aggregate::TrendSeries;
using aggregate::TrendStep;
using aggregate::TrendValue;

// The end of a long path, from a slash on.
std::string short_title(const std::string& title) {
  constexpr std::size_t kLongest = 56;
  if (title.size() <= kLongest) return title;
  const std::size_t slash = title.find('/', title.size() - kLongest);
  return slash == std::string::npos ? title : "…" + title.substr(slash);
}

std::string chart_of(const Trend& trend, const TrendSeries& series) {
  const TrendMetric& metric = trend.metric_of(series);
  page::LineChart chart;
  chart.label = metric.title;
  chart.last_x = static_cast<double>(trend.captures.size() - 1);
  for (const TrendLine& line : series.lines) {
    if (!chart.points.empty()) chart.breaks.push_back(chart.points.size());
    for (std::size_t place = 0; place < line.captures.size(); ++place) {
      const std::size_t c = line.captures[place];
      const TrendValue& value = *trend.captures[c].values[series.metric];
      std::string tip =
          fmt::format("{}: {}", trend.captures[c].label, trend_interval_text(metric, value));
      std::string style;
      for (const TrendStep& step : line.steps.steps) {
        if (step.at != place) continue;
        style = aggregate::is_worse(metric, step) ? "worse" : "better";
        tip += "\n" + aggregate::step_text(trend, line, step);
      }
      for (const aggregate::TrendStandout& standout : line.standouts) {
        if (standout.at != place) continue;
        style = aggregate::is_worse(metric, standout) ? "worse" : "better";
        tip += "\n" + aggregate::standout_text(trend, line, standout);
      }
      chart.points.push_back(
          {static_cast<double>(c), value.value, value.low, value.high, tip, style});
    }
  }
  for (const TrendLine& line : series.lines) {
    // Fewer captures have no levels that could be told apart.
    if (line.captures.size() < aggregate::kFewestForSteps || line.steps.drift) continue;
    for (const aggregate::TrendLevel& level : line.steps.levels) {
      chart.levels.push_back({static_cast<double>(line.captures[level.first]),
                              static_cast<double>(line.captures[level.end - 1]), level.value});
    }
  }
  chart.x_texts = short_labels(trend);
  const TrendScale scale = trend_scale(trend, series);
  chart.limit = scale.limit;
  chart.low_y = scale.low;
  chart.high_y = scale.high;
  chart.low_text = trend_value_text(chart.low_y, metric.unit);
  chart.high_text = trend_value_text(chart.high_y, metric.unit);
  return page::line_chart(chart);
}

std::string panel_of(const Trend& trend, const TrendSeries& series) {
  const TrendMetric& metric = trend.metric_of(series);
  std::string body = page::subtitle(short_title(metric.title)) + chart_of(trend, series);
  const std::vector<std::string> labels = short_labels(trend);
  for (const TrendNote& note : trend_notes(trend, series)) {
    body += page::note(with_short_labels(note.text, trend, labels));
  }
  return page::panel(body);
}

std::string table_of(const Table& table, const char* caption) {
  std::vector<uint32_t> rows(table.row_count);
  std::iota(rows.begin(), rows.end(), 0U);
  std::vector<std::size_t> columns(table.columns.size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  return page::table_markup({table, rows, columns, table.name, caption, std::nullopt});
}

std::string definitions_of(const Trend& trend) {
  std::vector<page::Definition> definitions;
  std::set<std::string_view> seen;
  for (const TrendMetric& metric : trend.metrics) {
    const budget::BudgetMetric* const known = budget::find_budget_metric(metric.id);
    if (known == nullptr || !seen.insert(known->id.text()).second) continue;
    definitions.push_back(
        {known->id, aggregate::definition_note(aggregate::metric(known->id)), "", ""});
  }
  return page::definition_list(definitions);
}

}  // namespace

void write_trend_page(const SharedTrend& trend, std::ostream& out) {
  page::Page page;
  page.kind = fmt::format("Trend of {} captures", trend->captures.size());
  page.heading =
      fmt::format("{} to {}", trend->captures.front().label, trend->captures.back().label);
  page.title = fmt::format("{} · dlview", page.heading);
  const bool is_worse = std::ranges::any_of(trend->series, [&](const TrendSeries& series) {
    return std::ranges::any_of(series.lines, [&](const TrendLine& line) {
      const auto is_for_the_worse = [&](const auto& change) {
        return aggregate::is_worse(trend->metric_of(series), change);
      };
      return std::ranges::any_of(line.steps.steps, is_for_the_worse) ||
             std::ranges::any_of(line.standouts, is_for_the_worse) ||
             (line.steps.drift && aggregate::is_drift_worse(trend->metric_of(series), line));
    });
  });
  page.lead = fmt::format("<div class=\"verdict{}\"><p>{}</p></div>\n", is_worse ? " worse" : "",
                          page::text(trend_sentence(*trend)));
  std::string charts = "<div class=\"multiples\">";
  for (const TrendSeries& series : trend->series) {
    if (!is_always_zero(*trend, series)) charts += panel_of(*trend, series);
  }
  charts += "</div>";
  if (const auto zeros = zero_metrics(*trend); !zeros.empty()) {
    charts += page::note(fmt::format("0 in all captures: {}.", fmt::join(zeros, ", ")));
  }
  charts += page::note(fmt::format(
      "All charts have the captures in one order, from {} to {}. Bands are 95% intervals of the "
      "median within a capture; thick lines are levels; steps lie between them. After a gap, "
      "captures are not comparable with earlier ones. An outlier is a single capture far from "
      "its level.",
      trend->captures.front().label, trend->captures.back().label));
  page.sections = {
      {"charts", "Metrics", charts},
      {"steps", "Steps",
       table_of(make_step_texts(trend), "Steps and captures beyond what captures differ by")},
      {"captures", "Captures", table_of(make_trend_captures(trend), "In order")},
      {"definitions", "Definitions", page::panel(definitions_of(*trend))}};
  write_page(page, out);
}

}  // namespace dlview::report
