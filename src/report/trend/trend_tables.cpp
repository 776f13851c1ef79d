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
#include "report/trend/trend_chart.h"
#include "report/trend/trend_measure.h"

namespace dlview::report {
namespace {

using aggregate::Trend;
using aggregate::TrendCapture;
using aggregate::TrendLevel;
using aggregate::TrendLine;
using aggregate::TrendMetric;
using aggregate::TrendSeries;
using aggregate::TrendStandout;
using aggregate::TrendStep;
using aggregate::TrendValue;
using aggregate::Unit;

// A step of a series.
struct StepRow {
  const TrendSeries* series = nullptr;
  const TrendLine* line = nullptr;
  const TrendStep* step = nullptr;
};
// A capture that stands out in a series.
struct StandoutRow {
  const TrendSeries* series = nullptr;
  const TrendLine* line = nullptr;
  const TrendStandout* standout = nullptr;
};
// A line of a series that drifts.
struct DriftRow {
  const TrendSeries* series = nullptr;
  const TrendLine* line = nullptr;
  double value_at(const Trend& trend, std::size_t place) const {
    return trend.captures[line->captures[place]].values[series->metric]->value;
  }
  double first(const Trend& trend) const { return value_at(trend, 0); }
  double last(const Trend& trend) const { return value_at(trend, line->captures.size() - 1); }
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

RowsOf<DriftRow> drift_rows(const Trend& trend) {
  auto rows = std::make_shared<std::vector<DriftRow>>();
  for (const TrendSeries& series : trend.series) {
    for (const TrendLine& line : series.lines) {
      if (line.steps.drift) rows->push_back({&series, &line});
    }
  }
  return rows;
}

RowsOf<StandoutRow> standout_rows(const Trend& trend) {
  auto rows = std::make_shared<std::vector<StandoutRow>>();
  for (const TrendSeries& series : trend.series) {
    for (const TrendLine& line : series.lines) {
      for (const TrendStandout& standout : line.standouts) {
        rows->push_back({&series, &line, &standout});
      }
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
    for (const TrendStandout& standout : line.standouts) {
      texts.push_back(aggregate::standout_text(trend, line, standout));
    }
    if (line.steps.drift) {
      texts.push_back(aggregate::drift_text(line));
    }
  }
  const TrendLine& longest = series.longest_line();
  if (texts.empty() && longest.captures.size() < aggregate::kFewestForSteps) {
    const auto change = aggregate::end_change(trend, series, longest);
    if (change) return aggregate::change_text(trend, *change);
  }
  return texts.empty() ? "–" : fmt::format("{}", fmt::join(texts, "; "));
}

// "c9, the newest, stands out: Duration of an iteration +11.6%, and 3 more metrics. One capture is
// not a step yet: the next one decides." Empty if none stands out.
std::string standout_sentence(const Trend& trend) {
  const std::vector<aggregate::StandingCapture> standing = aggregate::standing_captures(trend);
  if (standing.empty()) return "";
  const aggregate::StandingCapture& first = standing.front();
  const double change = first.standout->change();
  const std::string_view title = trend.metric_of(*first.series).title;
  std::string metrics =
      std::isfinite(change)
          ? fmt::format("{} {}", title,
                        base::with_sign(change, fmt::format("{:.1f}%", std::abs(100 * change))))
          : fmt::format("{}, all others are 0", title);
  if (first.metrics > 1) {
    metrics += fmt::format(", and {}",
                           base::counted(static_cast<int64_t>(first.metrics - 1), "more metrics"));
  }
  const bool is_last = first.capture + 1 == trend.captures.size();
  std::string text = fmt::format("{}{} stands out: {}.", trend.captures[first.capture].label,
                                 is_last ? ", the newest," : "", metrics);
  if (standing.size() > 1) {
    std::vector<std::string_view> others;
    constexpr std::size_t kNamed = 3;
    for (std::size_t i = 1; i < std::min(standing.size(), kNamed + 1); ++i) {
      others.push_back(trend.captures[standing[i].capture].label);
    }
    text += fmt::format(" So do {}{}.", fmt::join(others, ", "),
                        standing.size() > kNamed + 1
                            ? fmt::format(" and {} more", standing.size() - kNamed - 1)
                            : "");
  }
  return text + (is_last ? " A step needs two captures; the next one decides."
                         : " One capture is not a step.");
}

// The head of a column: labels are names of files.
std::string short_name(const std::string& label) {
  constexpr std::size_t kLongest = 12;
  if (label.size() <= kLongest) return label;
  std::size_t begin = label.size() - kLongest + 1;
  const auto is_inside = [&label](std::size_t at) {
    return (static_cast<unsigned char>(label[at]) & 0xC0) == 0x80;
  };
  while (begin < label.size() && is_inside(begin)) ++begin;
  return "…" + label.substr(begin);
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

Table make_trend_drifts(const SharedTrend& trend) {
  const auto rows = drift_rows(*trend);
  Table table{"drifts", "Drifts", Layout::rows, {}, rows->size()};
  TrendColumns columns(trend, table);
  add_metric(columns, rows);
  columns.text("from", "From", rows, [](const Trend& of, const DriftRow& row) {
    return Cell(std::string_view(of.captures[row.line->captures.front()].label));
  });
  columns.text("to", "To", rows, [](const Trend& of, const DriftRow& row) {
    return Cell(std::string_view(of.captures[row.line->captures.back()].label));
  });
  columns.number(
      "change_pct", "Change", Unit::percent, rows,
      [](const Trend&, const DriftRow& row) { return finite_percent(*row.line->steps.drift); });
  columns.word("is", "Is", rows, [](const Trend& of, const DriftRow& row) {
    return Cell(std::string_view(
        aggregate::is_drift_worse(of.metric_of(*row.series), *row.line) ? "worse" : "better"));
  });
  return table;
}

Table make_trend_standouts(const SharedTrend& trend) {
  const auto rows = standout_rows(*trend);
  Table table{"standouts", "Captures that stand out", Layout::rows, {}, rows->size()};
  TrendColumns columns(trend, table);
  add_metric(columns, rows);
  columns.text("capture", "Capture", rows, [](const Trend& of, const StandoutRow& row) {
    return Cell(std::string_view(of.captures[row.line->capture_of(*row.standout)].label));
  });
  columns.number(
      "change_pct", "Change", Unit::percent, rows,
      [](const Trend&, const StandoutRow& row) { return finite_percent(row.standout->change()); });
  columns.number("usual", "Median of the others", Unit::none, rows,
                 [](const Trend&, const StandoutRow& row) { return Cell(row.standout->usual); });
  columns.number("value", "Value", Unit::none, rows,
                 [](const Trend&, const StandoutRow& row) { return Cell(row.standout->value); });
  columns.word("is", "Is", rows, [](const Trend& of, const StandoutRow& row) {
    return Cell(std::string_view(
        aggregate::is_worse(of.metric_of(*row.series), *row.standout) ? "worse" : "better"));
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
  table.columns.push_back(flag_column("stands_out", "Stands out", [rows](std::size_t row) {
    const ValueRow& value = (*rows)[row];
    const auto& standouts = value.line_of().standouts;
    return Cell(std::ranges::find(standouts, value.place, &TrendStandout::at) != standouts.end());
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
  const auto value_at = [](const Trend& of, const TrendSeries& series,
                           std::size_t capture) -> Cell {
    const auto& value = of.captures[capture].values[series.metric];
    if (!value) return std::string_view("–");
    return trend_value_text(value->value, of.metric_of(series).unit);
  };
  if (trend->captures.size() <= kMostValueColumns) {
    const std::vector<std::string> labels = short_labels(*trend);
    for (std::size_t c = 0; c < trend->captures.size(); ++c) {
      table.columns.push_back(integer_column(fmt::format("capture_{}", c), short_name(labels[c]),
                                             Unit::none, [trend, value_at, c](std::size_t row) {
                                               return value_at(*trend, trend->series[row], c);
                                             }));
    }
  } else {
    table.columns = {integer_column("first", "First", Unit::none,
                                    [trend, value_at](std::size_t row) {
                                      const TrendSeries& series = trend->series[row];
                                      return value_at(*trend, series,
                                                      series.lines.front().captures.front());
                                    }),
                     integer_column("last", "Last", Unit::none, [trend, value_at](std::size_t row) {
                       const TrendSeries& series = trend->series[row];
                       return value_at(*trend, series, series.lines.back().captures.back());
                     })};
  }
  table.columns.push_back(text_column("name", "Metric", [trend](std::size_t row) {
    return Cell(std::string_view(trend->metric_of(trend->series[row]).title));
  }));
  table.columns.push_back(text_column("steps", "Steps", [trend](std::size_t row) {
    return Cell(series_text(*trend, trend->series[row]));
  }));
  return table;
}

Table make_step_texts(const SharedTrend& trend) {
  // A step, a drift, or a capture that stands out.
  struct TextRow {
    bool is_worse = false;
    std::string before, after, text, metric;
  };
  const auto rows = std::make_shared<std::vector<TextRow>>();
  const auto add = [&rows](const TrendMetric& metric, bool is_worse, double before, double after,
                           std::string text) {
    rows->push_back({is_worse, trend_value_text(before, metric.unit),
                     trend_value_text(after, metric.unit), std::move(text), metric.title});
  };
  const auto steps = step_rows(*trend);
  const auto drifts = drift_rows(*trend);
  const auto standouts = standout_rows(*trend);
  for (const StepRow& row : *steps) {
    const TrendMetric& metric = trend->metric_of(*row.series);
    add(metric, aggregate::is_worse(metric, *row.step), row.step->before, row.step->after,
        aggregate::step_text(*trend, *row.line, *row.step));
  }
  for (const DriftRow& row : *drifts) {
    const TrendMetric& metric = trend->metric_of(*row.series);
    add(metric, aggregate::is_drift_worse(metric, *row.line), row.first(*trend), row.last(*trend),
        aggregate::drift_text(*row.line));
  }
  for (const StandoutRow& row : *standouts) {
    const TrendMetric& metric = trend->metric_of(*row.series);
    add(metric, aggregate::is_worse(metric, *row.standout), row.standout->usual,
        row.standout->value, aggregate::standout_text(*trend, *row.line, *row.standout));
  }
  const bool has_steps = !steps->empty(), has_drifts = !drifts->empty(),
             has_standouts = !standouts->empty();
  const std::string_view changes = has_steps && has_drifts ? "Steps and drifts"
                                   : has_drifts            ? "Drifts"
                                                           : "Steps";
  Table table{"steps",
              !has_standouts            ? std::string(changes)
              : has_steps || has_drifts ? fmt::format("{}, and captures that stand out", changes)
                                        : "Captures that stand out",
              Layout::rows,
              {},
              rows->size()};
  const auto text_of = [rows](std::string TextRow::*member) {
    return [rows, member](std::size_t row) { return Cell(std::string_view((*rows)[row].*member)); };
  };
  table.columns = {
      word_column("is", "",
                  [rows](std::size_t row) {
                    return Cell(std::string_view((*rows)[row].is_worse ? "worse" : "better"));
                  }),
      integer_column("before", has_standouts ? "Usual" : "Before", Unit::none,
                     text_of(&TextRow::before)),
      integer_column("after", has_standouts ? "Value" : "After", Unit::none,
                     text_of(&TextRow::after)),
      text_column("step",
                  has_steps    ? "Step"
                  : has_drifts ? "Drift"
                               : "Capture",
                  text_of(&TextRow::text)),
      text_column("name", "Metric", text_of(&TextRow::metric))};
  return table;
}

namespace {

// "Drift in 3 of 20 metrics. Largest: Duration of an iteration, drift of +22.0% over 12 captures."
// Empty if none drifts.
std::string drift_sentence(const Trend& trend) {
  const TrendSeries* largest = nullptr;
  std::size_t metrics = 0;
  for (const TrendSeries& series : trend.series) {
    if (series.largest_drift() == 0) continue;
    ++metrics;
    if (largest == nullptr || series.largest_drift() > largest->largest_drift()) largest = &series;
  }
  if (largest == nullptr) return "";
  const TrendLine& line = *std::ranges::max_element(largest->lines, {}, [](const TrendLine& one) {
    return std::abs(one.steps.drift.value_or(0));
  });
  return fmt::format("Drift in {} of {} metrics. Largest: {}, {}.", metrics, trend.series.size(),
                     trend.metric_of(*largest).title, aggregate::drift_text(line));
}

// "Duration of an iteration: +9.1% (+8.0% to +10.2%) from c0 to c9." Of the first metric, if its
// ends lie further apart than captures are assumed to. That no level or line fits is no evidence
// that nothing changed.
std::string ends_sentence(const Trend& trend) {
  for (const TrendSeries& series : trend.series) {
    if (series.metric != 0) continue;
    const auto change = aggregate::end_change(trend, series, series.longest_line());
    if (!change || std::abs(change->change) <= aggregate::RunFloor{}.limit()) return "";
    return fmt::format("{}: {}.", trend.metric_of(series).title,
                       aggregate::change_text(trend, *change));
  }
  return "";
}

}  // namespace

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
  const std::string standouts = standout_sentence(trend), drifts = drift_sentence(trend);
  const auto joined = [](std::string text, const std::string& more) {
    return text.empty() || more.empty() ? text + more : text + " " + more;
  };
  if (steps == 0 && drifts.empty() && standouts.empty()) {
    return joined(
        fmt::format("No steps in {} metrics, and no capture stands out.", trend.series.size()),
        ends_sentence(trend));
  }
  if (steps == 0) {
    return joined(
        drifts.empty() ? fmt::format("No steps in {} metrics.", trend.series.size()) : drifts,
        standouts);
  }
  const TrendSeries& first =
      *std::ranges::max_element(trend.series, {}, &TrendSeries::largest_step);
  const TrendLine* largest_line = nullptr;
  const TrendStep* largest = nullptr;
  for (const TrendLine& line : first.lines) {
    for (const TrendStep& step : line.steps.steps) {
      if (largest != nullptr && std::abs(step.change()) <= std::abs(largest->change())) continue;
      largest = &step;
      largest_line = &line;
    }
  }
  return joined(joined(fmt::format("{} in {} of {} metrics. Largest: {} {}.",
                                   base::counted(static_cast<int64_t>(steps), "steps"), metrics,
                                   trend.series.size(), trend.metric_of(first).title,
                                   aggregate::step_text(trend, *largest_line, *largest)),
                       drifts),
                standouts);
}

}  // namespace dlview::report
