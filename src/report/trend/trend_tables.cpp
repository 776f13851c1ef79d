#include "report/trend/trend_tables.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/units.h"
#include "report/trend/trend_measure.h"

namespace dlview::report {
namespace {

using aggregate::Trend;
using aggregate::TrendCapture;
using aggregate::TrendLevel;
using aggregate::TrendLine;
using aggregate::TrendMetric;
using aggregate::TrendSeries;
using aggregate::TrendStep;
using aggregate::TrendValue;
using aggregate::Unit;

// A step of a series.
struct StepRow {
  const TrendSeries* series = nullptr;
  const TrendLine* line = nullptr;
  const TrendStep* step = nullptr;
};
// A capture of a series.
struct ValueRow {
  const TrendSeries* series = nullptr;
  std::size_t line = 0, place = 0;
  const TrendLine& line_of() const { return series->lines[line]; }
  std::size_t capture() const { return line_of().captures[place]; }
};

template <typename Row>
using RowsOf = std::shared_ptr<const std::vector<Row>>;

RowsOf<StepRow> step_rows(const Trend& trend) {
  auto rows = std::make_shared<std::vector<StepRow>>();
  for (const TrendSeries& series : trend.series) {
    for (const TrendLine& line : series.lines) {
      for (const TrendStep& step : line.steps.steps) rows->push_back({&series, &line, &step});
    }
  }
  return rows;
}

RowsOf<ValueRow> value_rows(const Trend& trend) {
  auto rows = std::make_shared<std::vector<ValueRow>>();
  for (const TrendSeries& series : trend.series) {
    for (std::size_t line = 0; line < series.lines.size(); ++line) {
      for (std::size_t place = 0; place < series.lines[line].captures.size(); ++place) {
        rows->push_back({&series, line, place});
      }
    }
  }
  return rows;
}

// Of a table whose rows stay.
class TrendColumns {
 public:
  TrendColumns(SharedTrend trend, Table& table) : trend_(std::move(trend)), table_(table) {}

  template <typename Row, typename Value>
  void text(const char* id, const char* title, const RowsOf<Row>& rows, Value value) {
    table_.columns.push_back(text_column(id, title, cell_of(rows, value)));
  }
  template <typename Row, typename Value>
  void word(const char* id, const char* title, const RowsOf<Row>& rows, Value value) {
    table_.columns.push_back(word_column(id, title, cell_of(rows, value)));
  }
  template <typename Row, typename Value>
  void number(const char* id, const char* title, Unit unit, const RowsOf<Row>& rows, Value value) {
    table_.columns.push_back(real_column(id, title, unit, cell_of(rows, value)));
  }

 private:
  template <typename Row, typename Value>
  std::function<Cell(std::size_t)> cell_of(const RowsOf<Row>& rows, Value value) const {
    return [trend = trend_, rows, value](std::size_t row) -> Cell {
      return value(*trend, (*rows)[row]);
    };
  }

  SharedTrend trend_;
  Table& table_;
};

Cell finite_percent(double share) {
  return std::isfinite(share) ? Cell(100 * share) : Cell();
}

Cell or_none(const std::optional<double>& value) {
  return value ? Cell(*value) : Cell();
}

const TrendValue& value_of(const Trend& trend, const ValueRow& row) {
  return *trend.captures[row.capture()].values[row.series->metric];
}

const TrendLevel& level_at(const ValueRow& row) {
  return *std::ranges::find_if(row.line_of().steps.levels, [&row](const TrendLevel& level) {
    return row.place >= level.first && row.place < level.end;
  });
}

template <typename Row>
void add_metric(TrendColumns& columns, const RowsOf<Row>& rows) {
  const auto metric = [](const Trend& trend, const Row& row) -> const TrendMetric& {
    return trend.metric_of(*row.series);
  };
  columns.word("metric", "Metric", rows, [metric](const Trend& trend, const Row& row) {
    return Cell(std::string_view(metric(trend, row).id));
  });
  columns.text("name", "Name", rows, [metric](const Trend& trend, const Row& row) {
    return Cell(std::string_view(metric(trend, row).title));
  });
  columns.word("unit", "Unit", rows, [metric](const Trend& trend, const Row& row) {
    return Cell(unit_text(metric(trend, row).unit));
  });
}

std::string series_text(const Trend& trend, const TrendSeries& series) {
  std::vector<std::string> texts;
  for (const TrendLine& line : series.lines) {
    for (const TrendStep& step : line.steps.steps) {
      texts.push_back(aggregate::step_text(trend, line, step));
    }
    if (line.steps.drift) {
      texts.push_back(
          fmt::format("drift of {}",
                      base::with_sign(*line.steps.drift,
                                      fmt::format("{:.1f}%", std::abs(100 * *line.steps.drift)))));
    }
  }
  const TrendLine& longest = series.longest_line();
  if (texts.empty() && longest.captures.size() < aggregate::kFewestForSteps) {
    const auto change = aggregate::end_change(trend, series, longest);
    if (change) return aggregate::change_text(trend, *change);
  }
  return texts.empty() ? "–" : fmt::format("{}", fmt::join(texts, "; "));
}

// What two or three captures tell of the first metric, against the floor between runs.
std::string few_captures_sentence(const Trend& trend) {
  const std::string need =
      fmt::format("Steps need {} captures in a row.", aggregate::kFewestForSteps);
  for (const TrendSeries& series : trend.series) {
    if (series.metric != 0) continue;
    const auto change = aggregate::end_change(trend, series, series.longest_line());
    if (!change) continue;
    const double floor = aggregate::RunFloor{}.limit();
    const auto [low, high] =
        change->interval.value_or(aggregate::ChangeInterval{change->change, change->change});
    const std::string_view compared = low > floor || high < -floor     ? "more than"
                                      : low >= -floor && high <= floor ? "within"
                                                                       : "perhaps no more than";
    return fmt::format("{}: {}, {} the {:.1f}% (assumed) by which captures differ anyway. {}",
                       trend.metric_of(series).title, aggregate::change_text(trend, *change),
                       compared, 100 * floor, need);
  }
  return "No two captures in a row can be compared. " + need;
}

}  // namespace

Table make_trend_steps(const SharedTrend& trend) {
  const auto rows = step_rows(*trend);
  Table table{"steps", "Steps", Layout::rows, {}, rows->size()};
  TrendColumns columns(trend, table);
  add_metric(columns, rows);
  columns.text("at", "At", rows, [](const Trend& of, const StepRow& row) {
    return Cell(std::string_view(of.captures[row.line->capture_of(*row.step)].label));
  });
  columns.number("change_pct", "Change", Unit::percent, rows, [](const Trend&, const StepRow& row) {
    return finite_percent(row.step->change());
  });
  columns.number(
      "interval_low_pct", "Interval, low", Unit::percent, rows,
      [](const Trend&, const StepRow& row) { return finite_percent(row.step->interval.low); });
  columns.number(
      "interval_high_pct", "Interval, high", Unit::percent, rows,
      [](const Trend&, const StepRow& row) { return finite_percent(row.step->interval.high); });
  columns.number("before", "Before", Unit::none, rows,
                 [](const Trend&, const StepRow& row) { return Cell(row.step->before); });
  columns.number("after", "After", Unit::none, rows,
                 [](const Trend&, const StepRow& row) { return Cell(row.step->after); });
  columns.word("is", "Is", rows, [](const Trend& of, const StepRow& row) {
    return Cell(std::string_view(
        aggregate::is_worse(of.metric_of(*row.series), *row.step) ? "worse" : "better"));
  });
  return table;
}

Table make_trend_values(const SharedTrend& trend) {
  const auto rows = value_rows(*trend);
  Table table{"values", "Values", Layout::rows, {}, rows->size()};
  TrendColumns columns(trend, table);
  add_metric(columns, rows);
  columns.text("capture", "Capture", rows, [](const Trend& of, const ValueRow& row) {
    return Cell(std::string_view(of.captures[row.capture()].label));
  });
  columns.number("value", "Value", Unit::none, rows, [](const Trend& of, const ValueRow& row) {
    return Cell(value_of(of, row).value);
  });
  columns.number(
      "low", "Interval, low", Unit::none, rows,
      [](const Trend& of, const ValueRow& row) { return or_none(value_of(of, row).low); });
  columns.number(
      "high", "Interval, high", Unit::none, rows,
      [](const Trend& of, const ValueRow& row) { return or_none(value_of(of, row).high); });
  columns.number("level", "Level", Unit::none, rows,
                 [](const Trend&, const ValueRow& row) { return Cell(level_at(row).value); });
  table.columns.push_back(
      integer_column("line", "Line", Unit::none, [trend, rows](std::size_t row) {
        return Cell(static_cast<int64_t>((*rows)[row].line + 1));
      }));
  table.columns.push_back(flag_column("is_step", "Step", [trend, rows](std::size_t row) {
    const ValueRow& value = (*rows)[row];
    const TrendLevel& level = level_at(value);
    return Cell(level.first == value.place && value.place > 0);
  }));
  return table;
}

Table make_trend_captures(const SharedTrend& trend) {
  Table table{"captures", "Captures", Layout::rows, {}, trend->captures.size()};
  const auto text = [&](const char* id, const char* title, auto value) {
    table.columns.push_back(text_column(id, title, [trend, value](std::size_t row) -> Cell {
      return value(trend->captures[row]);
    }));
  };
  text("capture", "Capture",
       [](const TrendCapture& capture) { return std::string_view(capture.label); });
  text("file", "File", [](const TrendCapture& capture) { return std::string_view(capture.file); });
  text("recorded", "Recorded", [](const TrendCapture& capture) -> Cell {
    return capture.recorded.empty() ? Cell() : Cell(std::string_view(capture.recorded));
  });
  text("iterations", "Iterations", [](const TrendCapture& capture) {
    return fmt::format("{}:{}", capture.first_iteration,
                       capture.first_iteration + capture.iterations - 1);
  });
  text("new_line", "Not comparable with the one before",
       [](const TrendCapture& capture) { return Cell(std::string_view(capture.break_reason)); });
  return table;
}

Table make_trend_overview(const SharedTrend& trend) {
  Table table{"metrics", "Metrics", Layout::rows, {}, trend->series.size()};
  const auto end_value = [trend](bool is_first) {
    return [trend, is_first](std::size_t row) -> Cell {
      const TrendSeries& series = trend->series[row];
      const std::size_t capture =
          is_first ? series.lines.front().captures.front() : series.lines.back().captures.back();
      return trend_value_text(trend->captures[capture].values[series.metric]->value,
                              trend->metric_of(series).unit);
    };
  };
  table.columns = {
      integer_column("first", "First", Unit::none, end_value(true)),
      integer_column("last", "Last", Unit::none, end_value(false)),
      text_column("name", "Metric",
                  [trend](std::size_t row) {
                    return Cell(std::string_view(trend->metric_of(trend->series[row]).title));
                  }),
      text_column("steps", "Steps", [trend](std::size_t row) {
        return Cell(series_text(*trend, trend->series[row]));
      })};
  return table;
}

Table make_step_texts(const SharedTrend& trend) {
  const auto rows = step_rows(*trend);
  Table table{"steps", "Steps", Layout::rows, {}, rows->size()};
  const auto level = [trend, rows](double TrendStep::*side) {
    return [trend, rows, side](std::size_t row) -> Cell {
      const StepRow& step = (*rows)[row];
      return trend_value_text(step.step->*side, trend->metric_of(*step.series).unit);
    };
  };
  table.columns = {word_column("is", "",
                               [trend, rows](std::size_t row) {
                                 const StepRow& step = (*rows)[row];
                                 return Cell(std::string_view(
                                     aggregate::is_worse(trend->metric_of(*step.series), *step.step)
                                         ? "worse"
                                         : "better"));
                               }),
                   integer_column("before", "Before", Unit::none, level(&TrendStep::before)),
                   integer_column("after", "After", Unit::none, level(&TrendStep::after)),
                   text_column("step", "Step",
                               [trend, rows](std::size_t row) {
                                 const StepRow& step = (*rows)[row];
                                 return Cell(aggregate::step_text(*trend, *step.line, *step.step));
                               }),
                   text_column("name", "Metric", [trend, rows](std::size_t row) {
                     return Cell(std::string_view(trend->metric_of(*(*rows)[row].series).title));
                   })};
  return table;
}

std::string trend_sentence(const Trend& trend) {
  std::size_t steps = 0, metrics = 0;
  for (const TrendSeries& series : trend.series) {
    steps += series.step_count();
    metrics += series.step_count() > 0 ? 1 : 0;
  }
  std::size_t longest = 0;
  for (const TrendSeries& series : trend.series) {
    for (const TrendLine& line : series.lines) longest = std::max(longest, line.captures.size());
  }
  if (longest < aggregate::kFewestForSteps) return few_captures_sentence(trend);
  if (steps == 0) {
    return fmt::format("No steps in {} metrics: captures differ by no more than noise.",
                       trend.series.size());
  }
  const TrendSeries& first = trend.series.front();
  const TrendLine* largest_line = nullptr;
  const TrendStep* largest = nullptr;
  for (const TrendLine& line : first.lines) {
    for (const TrendStep& step : line.steps.steps) {
      if (largest != nullptr && std::abs(step.change()) <= std::abs(largest->change())) continue;
      largest = &step;
      largest_line = &line;
    }
  }
  return fmt::format("{} in {} of {} metrics. Largest: {} {}.",
                     base::counted(static_cast<int64_t>(steps), "steps"), metrics,
                     trend.series.size(), trend.metric_of(first).title,
                     aggregate::step_text(trend, *largest_line, *largest));
}

}  // namespace dlview::report
