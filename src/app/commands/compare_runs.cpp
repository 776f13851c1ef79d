#include "app/commands/compare_runs.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "aggregate/aggregator.h"
#include "aggregate/compare_runs.h"
#include "aggregate/key_names.h"
#include "aggregate/steady.h"
#include "profile/recorded.h"
#include "report/differences.h"
#include "ui/chart/categories.h"

namespace dlview::app {
namespace {

using aggregate::MeanDifference;
using aggregate::Unit;
using report::Cell;
using report::Table;

// Times are whole ns.
Cell cell_of(double mean, Unit unit) {
  return unit == Unit::ns ? Cell(int64_t{std::llround(mean)}) : Cell(mean);
}

ComparedFact compared_fact(const std::string& id, const std::string& title, Unit unit,
                           const Cell& before, const Cell& after) {
  return {title,
          {"before_" + id, title + ", before", before, unit},
          {"after_" + id, title + ", after", after, unit},
          "difference_" + id};
}

template <typename Row>
using MeansOf = MeanDifference Row::*;

// Cells are empty where `is_known` says so of the row and the side.
template <typename Row, typename IsKnown>
void add_means(const std::vector<Row>& rows, const std::string& id, const std::string& title,
               Unit unit, MeansOf<Row> means, const IsKnown& is_known, Table& table) {
  const auto value = [&rows, unit, means, is_known](std::size_t row, bool is_after) {
    if (!is_known(rows[row], is_after)) return Cell();
    const MeanDifference& both = rows[row].*means;
    return cell_of(is_after ? both.after : both.before, unit);
  };
  const auto add = [&](const std::string& name, const std::string& shown, auto cell) {
    table.columns.push_back(unit == Unit::ns
                                ? report::integer_column(name + "_" + id, shown, unit, cell)
                                : report::real_column(name + "_" + id, shown, unit, cell));
  };
  add("before", title + ", before", [value](std::size_t row) { return value(row, false); });
  add("after", title + ", after", [value](std::size_t row) { return value(row, true); });
  add("difference", "Difference",
      [value](std::size_t row) { return difference_of(value(row, false), value(row, true)); });
}

bool is_split(const aggregate::Aggregation& aggregation) {
  const aggregate::Iterations& iterations = aggregation.iteration_table->iterations;
  return iterations.rows.size() > 1 || !iterations.ranges.empty();
}

// Whether the range has outliers or warm-up iterations.
bool is_uneven(const aggregate::Aggregation& aggregation) {
  const aggregate::Iterations& iterations = aggregation.iteration_table->iterations;
  const aggregate::IterationRange& range = aggregation.selection.range;
  if (range.first < aggregate::warm_up_end(iterations).value_or(0)) return true;
  return std::ranges::any_of(aggregate::outlying_iterations(iterations), [&](int64_t outlier) {
    return outlier >= range.first && outlier <= range.last;
  });
}

// "8:14": the steady state, or the range if it has no outliers.
std::string range_text(const aggregate::Aggregation& aggregation) {
  const auto steady = aggregate::steady_range(aggregation.iteration_table->iterations);
  const aggregate::IterationRange& range =
      steady && is_uneven(aggregation) ? *steady : aggregation.selection.range;
  return fmt::format("{}:{}", range.first, range.last);
}

// "1:14 of the first"; empty if the range has no outliers.
std::string steady_text(const aggregate::Aggregation& aggregation, std::string_view which) {
  const auto steady = aggregate::steady_range(aggregation.iteration_table->iterations);
  if (!steady || !is_uneven(aggregation)) return "";
  return fmt::format("{}:{} of the {}", steady->first, steady->last, which);
}

bool has_gpu_work(const profile::Profile& profile) {
  return profile::tells_of(profile, profile::Evidence::gpu_work);
}

}  // namespace

TwoRuns::Side::Side(const OpenedProfile& opened)
    : profile(opened.profile),
      aggregation(aggregate::make_cpu_aggregator(opened.profile)->aggregate(opened.selection)),
      recorded(*profile, aggregation) {}

TwoRuns::TwoRuns(const OpenedProfile& before, const OpenedProfile& after)
    : before_(before),
      after_(after),
      comparison_(aggregate::compare_runs(before_.run(), after_.run())) {}

std::string TwoRuns::caution() const {
  const bool before = is_split(before_.aggregation), after = is_split(after_.aggregation);
  if (before && after) return unsteady_caution();
  return fmt::format(
      "{} times cover the whole capture. Choose an iteration marker that both files have with "
      "--key-op",
      before  ? "The second run is not split into iterations: its"
      : after ? "The first run is not split into iterations: its"
              : "Neither run is split into iterations: their");
}

// Truncated and warm-up iterations move a mean more than most changes do.
std::string TwoRuns::unsteady_caution() const {
  const std::string first = steady_text(before_.aggregation, "first run"),
                    second = steady_text(after_.aggregation, "second run");
  if (first.empty() && second.empty()) return "";
  return fmt::format(
      "Outliers or warm-up iterations distort the means. The steady state is {}{}{}: choose it "
      "with --iterations {} --iterations {}",
      first, !first.empty() && !second.empty() ? " and " : "", second,
      range_text(before_.aggregation), range_text(after_.aggregation));
}

Cell TwoRuns::key_of(const Side& side) {
  const std::string& key = side.aggregation.selection.cut.key_op;
  return key.empty() ? Cell() : Cell(aggregate::key_op_label(*side.profile, key));
}

FactSection TwoRuns::facts() const {
  FactSection section{
      "compared",
      "Two runs, per iteration",
      {{"before", "Before", before_.profile->source.path},
       {"after", "After", after_.profile->source.path},
       {"split_by", "Split by", to_text(after_.aggregation.selection.cut.split_by)}}};
  if (is_split(before_.aggregation) && is_split(after_.aggregation)) {
    section.facts.push_back({"what_changed", "What changed", aggregate::change_text(comparison_)});
  }
  const std::string careful = caution();
  if (!careful.empty()) section.facts.push_back({"caution", "Caution", careful});
  return section;
}

std::vector<ComparedFact> TwoRuns::metrics() const {
  constexpr std::string_view kNone = "none";
  std::vector<ComparedFact> metrics{
      {"Iteration marker",
       {"before_key_op", "Iteration marker, before", key_of(before_), Unit::none, kNone},
       {"after_key_op", "Iteration marker, after", key_of(after_), Unit::none, kNone}},
      {"Iterations",
       {"before_iterations", "Iterations, before", before_.aggregation.selection.range.size(),
        Unit::count},
       {"after_iterations", "Iterations, after", after_.aggregation.selection.range.size(),
        Unit::count}}};
  const auto add = [&](const std::string& id, const std::string& title, Unit unit,
                       const auto& value) {
    metrics.push_back(compared_fact(id, title, unit, value(before_), value(after_)));
  };
  const auto of_gpu_work = [](const auto& value) {
    return [value](const Side& side) {
      const bool is_recorded = has_gpu_work(*side.profile) && !side.aggregation.devices.empty();
      return is_recorded ? Cell(value(side.aggregation)) : Cell();
    };
  };
  add("average_iteration_ns", "Iteration, mean", Unit::ns,
      [](const Side& side) { return cell_of(side.aggregation.average_iteration_ns(), Unit::ns); });
  add("median_iteration_ns", "Iteration, median", Unit::ns, [](const Side& side) {
    const std::vector<int64_t> durations = aggregate::sorted_durations(side.aggregation);
    return Cell(aggregate::percentile(durations, 0.5));
  });
  add_medians(metrics);
  add("gpu_utilization", "GPU utilization", Unit::percent,
      of_gpu_work([](const aggregate::Aggregation& a) { return a.gpu_utilization(); }));
  add("kernel_launches", "Kernel launches", Unit::count,
      of_gpu_work([](const aggregate::Aggregation& a) {
        return static_cast<double>(a.kernel_launches) /
               static_cast<double>(a.selection.range.size());
      }));
  return metrics;
}

// Medians, too: one slow iteration moves the mean of all.
void TwoRuns::add_medians(std::vector<ComparedFact>& metrics) const {
  const bool known = comparison_.has_gpu_activity;
  const auto add = [&](const std::string& id, const std::string& title,
                       const MeanDifference& both) {
    metrics.push_back(compared_fact(id, title, Unit::ns,
                                    known ? cell_of(both.before, Unit::ns) : Cell(),
                                    known ? cell_of(both.after, Unit::ns) : Cell()));
  };
  const auto add_both = [&](const std::string& id, const std::string& title,
                            const aggregate::MeanAndMedian& values) {
    add(id + "_ns", title + ", mean", values.mean);
    add("median_" + id + "_ns", title + ", median", values.median);
  };
  add_both("gpu_idle", "GPU idle", comparison_.gpu_idle_ns);
  if (comparison_.has_communication) {
    add_both("exposed_communication", "Exposed communication",
             comparison_.exposed_communication_ns);
  }
}

Table TwoRuns::category_table() const {
  const auto& rows = comparison_.categories;
  Table table{"categories",
              comparison_.has_communication
                  ? "Categories (exclusive time; kernels include communication), per iteration"
                  : "Categories (exclusive time), per iteration",
              report::Layout::rows,
              {},
              rows.size()};
  table.columns = {report::word_column("category", "Category", [&rows](std::size_t row) {
    return ui::category_label(rows[row].category);
  })};
  add_means(
      rows, "ns", "Time", Unit::ns, &aggregate::CategoryChange::ns,
      [this](const aggregate::CategoryChange& row, bool is_after) {
        return (is_after ? after_ : before_).recorded.contains(row.category);
      },
      table);
  return table;
}

Table TwoRuns::op_table() const {
  using aggregate::OpChange;
  const auto& rows = comparison_.ops;
  Table table{"ops", "Ops, per iteration", report::Layout::rows, {}, rows.size()};
  table.columns = {
      report::text_column("op_name", "Op name",
                          [&rows](std::size_t row) {
                            return rows[row].is_idle() ? report::kIdleName : rows[row].name;
                          }),
      report::text_column("op_type", "Op type",
                          [&rows](std::size_t row) {
                            return rows[row].is_idle() ? report::kIdleType : rows[row].type;
                          }),
      report::word_column("direction", "Direction",
                          [&rows](std::size_t row) { return rows[row].direction; }),
      report::word_column(
          "time", "CPU/GPU",
          [&rows](std::size_t row) { return std::string_view(rows[row].on_gpu ? "GPU" : "CPU"); }),
      report::word_column("change", "Change", [&rows](std::size_t row) -> Cell {
        if (rows[row].is_idle()) return {};
        return aggregate::to_text(aggregate::kind_of_change(rows[row].ns, rows[row].calls));
      })};
  const auto is_known = [this](const OpChange& row, bool is_after) {
    return !row.on_gpu || has_gpu_work(*(is_after ? after_ : before_).profile);
  };
  const auto has_calls = [](const OpChange& row, bool) { return !row.is_idle(); };
  add_means(rows, "calls", "Calls", Unit::count, &OpChange::calls, has_calls, table);
  add_means(rows, "ns", "Time", Unit::ns, &OpChange::ns, is_known, table);
  return table;
}

Table TwoRuns::kernel_table() const {
  using aggregate::KernelChange;
  const auto& rows = comparison_.kernels;
  Table table{"kernels", "Kernels, sums per iteration", report::Layout::rows, {}, rows.size()};
  table.columns = {
      report::text_column("kernel_name", "Kernel name",
                          [&rows](std::size_t row) { return std::string_view(rows[row].name); }),
      report::word_column("change", "Change", [&rows](std::size_t row) -> Cell {
        return aggregate::to_text(aggregate::kind_of_change(rows[row].ns, rows[row].launches));
      })};
  const auto is_known = [this](const KernelChange&, bool is_after) {
    return has_gpu_work(*(is_after ? after_ : before_).profile);
  };
  add_means(rows, "launches", "Launches", Unit::count, &KernelChange::launches, is_known, table);
  add_means(rows, "ns", "Time", Unit::ns, &KernelChange::ns, is_known, table);
  return table;
}

std::vector<Table> TwoRuns::tables() const {
  return {category_table(), op_table(), kernel_table()};
}

}  // namespace dlview::app
