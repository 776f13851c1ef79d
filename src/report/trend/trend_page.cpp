#include <algorithm>
#include <cmath>
#include <limits>
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

// A chart shows at least so much around its middle: noise is not to look like a change.
constexpr double kLeastSpan = 0.05;

// The end of a long path, from a slash on.
std::string short_title(const std::string& title) {
  constexpr std::size_t kLongest = 56;
  if (title.size() <= kLongest) return title;
  const std::size_t slash = title.find('/', title.size() - kLongest);
  return slash == std::string::npos ? title : "…" + title.substr(slash);
}

bool is_always_zero(const Trend& trend, const TrendSeries& series) {
  return std::ranges::all_of(trend.captures, [&series](const aggregate::TrendCapture& capture) {
    const auto& value = capture.values[series.metric];
    return !value || value->value == 0;
  });
}

std::string chart_of(const Trend& trend, const TrendSeries& series) {
  const TrendMetric& metric = trend.metric_of(series);
  page::LineChart chart;
  chart.label = metric.title;
  chart.last_x = static_cast<double>(trend.captures.size() - 1);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const TrendLine& line : series.lines) {
    if (!chart.points.empty()) chart.breaks.push_back(chart.points.size());
    for (std::size_t place = 0; place < line.captures.size(); ++place) {
      const std::size_t c = line.captures[place];
      const TrendValue& value = *trend.captures[c].values[series.metric];
      low = std::min(low, value.low.value_or(value.value));
      high = std::max(high, value.high.value_or(value.value));
      std::string tip = fmt::format("{}: {}", trend.captures[c].label,
                                    trend_value_text(value.value, metric.unit));
      if (value.low && value.high) {
        tip += fmt::format(" ({} to {})", trend_value_text(*value.low, metric.unit),
                           trend_value_text(*value.high, metric.unit));
      }
      std::string style;
      for (const TrendStep& step : line.steps.steps) {
        if (step.at != place) continue;
        style = aggregate::is_worse(metric, step) ? "worse" : "better";
        tip += "\n" + aggregate::step_text(trend, line, step);
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
  for (const aggregate::TrendCapture& capture : trend.captures) {
    chart.x_texts.push_back(capture.label);
  }
  const auto& limit = metric.at_most ? metric.at_most : metric.at_least;
  // A limit far away would flatten the line.
  const double near = std::max(high - low, kLeastSpan * std::abs(high)) * 3;
  if (limit && *limit<high + near&& * limit> low - near) {
    low = std::min(low, *limit);
    high = std::max(high, *limit);
    chart.limit = limit;
  }
  const double middle = (low + high) / 2;
  const double half = std::max({(high - low) * 0.55, kLeastSpan / 2 * std::abs(middle), 1e-9});
  chart.low_y = metric.unit == aggregate::Unit::percent || low >= 0 ? std::max(middle - half, 0.0)
                                                                    : middle - half;
  chart.high_y = middle + half;
  chart.low_text = trend_value_text(chart.low_y, metric.unit);
  chart.high_text = trend_value_text(chart.high_y, metric.unit);
  return page::line_chart(chart);
}

std::string panel_of(const Trend& trend, const TrendSeries& series) {
  const TrendMetric& metric = trend.metric_of(series);
  std::string body = page::subtitle(short_title(metric.title)) + chart_of(trend, series);
  for (const TrendLine& line : series.lines) {
    for (const TrendStep& step : line.steps.steps) {
      body += page::note(fmt::format("{}, {}", aggregate::step_text(trend, line, step),
                                     aggregate::is_worse(metric, step) ? "worse" : "better"));
    }
    if (line.captures.size() < aggregate::kFewestForSteps) {
      const auto change = aggregate::end_change(trend, series, line);
      if (change) body += page::note(aggregate::change_text(trend, *change));
    }
    if (line.steps.drift) {
      body += page::note(
          fmt::format("Drift of {} over {} captures",
                      base::with_sign(*line.steps.drift,
                                      fmt::format("{:.1f}%", std::abs(100 * *line.steps.drift))),
                      line.captures.size()));
    }
  }
  if (const auto& limit = metric.at_most ? metric.at_most : metric.at_least) {
    body += page::note(fmt::format("Budget: {} {}", metric.at_most ? "at most" : "at least",
                                   trend_value_text(*limit, metric.unit)));
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
      return std::ranges::any_of(line.steps.steps, [&](const TrendStep& step) {
        return aggregate::is_worse(trend->metric_of(series), step);
      });
    });
  });
  page.lead = fmt::format("<div class=\"verdict{}\"><p>{}</p></div>\n", is_worse ? " worse" : "",
                          page::text(trend_sentence(*trend)));
  std::string charts = "<div class=\"multiples\">";
  std::vector<std::string> zeros;
  for (const TrendSeries& series : trend->series) {
    if (is_always_zero(*trend, series)) {
      zeros.push_back(trend->metric_of(series).title);
    } else {
      charts += panel_of(*trend, series);
    }
  }
  charts += "</div>";
  if (!zeros.empty()) {
    charts += page::note(fmt::format("0 in all captures: {}.", fmt::join(zeros, ", ")));
  }
  charts += page::note(fmt::format(
      "All charts have the captures in one order, from {} to {}. Bands are 95% intervals of the "
      "median within a capture; thick lines are levels, between which steps are. A gap begins "
      "captures that are not comparable with those before.",
      trend->captures.front().label, trend->captures.back().label));
  page.sections = {
      {"charts", "Metrics", charts},
      {"steps", "Steps", table_of(make_step_texts(trend), "Steps beyond what captures differ by")},
      {"captures", "Captures", table_of(make_trend_captures(trend), "In order")},
      {"definitions", "Definitions", page::panel(definitions_of(*trend))}};
  write_page(page, out);
}

}  // namespace dlview::report
