#include "app/commands/compare_runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "aggregate/aggregator.h"
#include "aggregate/comparison/comparison.h"
#include "aggregate/key_names.h"
#include "aggregate/rules/rule_index.h"
#include "app/build_facts.h"
#include "app/commands/compared_facts.h"
#include "app/commands/facts.h"
#include "base/progress.h"
#include "base/units.h"
#include "profile/recorded.h"
#include "report/page/run_page.h"
#include "report/writers/delimited.h"
#include "report/writers/file.h"
#include "report/writers/markdown.h"

namespace dlview::app {
namespace {

using aggregate::Comparison;
using aggregate::Unit;
using report::Cell;
using report::Table;

constexpr std::size_t kRowsInText = 20;
// Stands for what no statistic was computed of, or where a side has no such row.
constexpr std::string_view kNoStatistic = "–";

// One side: the run, and the numbers of its range.
struct ComparedSide {
  std::shared_ptr<const aggregate::ComparedRun> run;
  aggregate::IterationRange range;
  aggregate::Aggregation aggregation;
};

ComparedSide side_of(const OpenedProfile& opened, bool chose_range, bool all) {
  const auto aggregator = aggregate::make_cpu_aggregator(opened.profile);
  aggregate::Selection selection = opened.selection;
  selection.filters.clear();
  const auto table = aggregator->iteration_table(selection.cut);
  const aggregate::RuleIndex rules(*opened.profile);
  ComparedSide side;
  side.run =
      std::make_shared<const aggregate::ComparedRun>(opened.profile, table, selection.cut, rules);
  side.range = all ? aggregate::IterationRange{0, side.run->exclusive.iteration_count() - 1}
               : chose_range ? selection.range
                             : side.run->usual_range();
  side.aggregation = aggregator->aggregate(selection.with_range(side.range));
  return side;
}

// The numbers of one side.
struct Numbers {
  const aggregate::ComparedRun& run;
  aggregate::IterationRange range;
  const aggregate::Aggregation& aggregation;
};

Cell key_of(const Numbers& side) {
  const std::string& key = side.run.cut.key_op;
  return key.empty() ? Cell() : Cell(aggregate::key_op_label(*side.run.profile, key));
}

ComparedFact compared_fact(const std::string& id, const std::string& title, Unit unit,
                           const Cell& before, const Cell& after) {
  return {title,
          {"before_" + id, title + ", before", before, unit},
          {"after_" + id, title + ", after", after, unit},
          "difference_" + id};
}

std::vector<ComparedFact> metrics_of(const RunComparison& runs,
                                     const std::vector<double>& samples) {
  const Comparison& comparison = *runs.comparison;
  const Numbers before{comparison.runs->before(), comparison.ranges.before, runs.before},
      after{comparison.runs->after(), comparison.ranges.after, runs.after};
  constexpr std::string_view kNone = "none";
  std::vector<ComparedFact> metrics{
      {"Iteration marker",
       {"before_key_op", "Iteration marker, before", key_of(before), Unit::none, kNone},
       {"after_key_op", "Iteration marker, after", key_of(after), Unit::none, kNone}},
      {"Iterations",
       {"before_iterations", "Iterations, before", before.range.size(), Unit::count},
       {"after_iterations", "Iterations, after", after.range.size(), Unit::count}}};
  const auto add = [&](const std::string& id, const std::string& title, Unit unit,
                       const auto& value) {
    metrics.push_back(compared_fact(id, title, unit, value(before), value(after)));
  };
  const aggregate::Bar& iteration = comparison.waterfall.iteration;
  metrics.push_back(compared_fact("mean_iteration_ns", "Iteration, mean", Unit::ns,
                                  iteration.before_ns, iteration.after_ns));
  const auto median = [](const Numbers& side) {
    return aggregate::percentile(aggregate::sorted_durations(side.aggregation), 0.5);
  };
  add("median_iteration_ns", "Iteration, median", Unit::ns,
      [&median](const Numbers& side) { return Cell(median(side)); });
  if (samples.size() == 2) {
    const auto per_sample = [](int64_t ns, double count) {
      return Cell(static_cast<int64_t>(std::llround(static_cast<double>(ns) / count)));
    };
    metrics.push_back(compared_fact("median_sample_ns", "Sample, median", Unit::ns,
                                    per_sample(median(before), samples[0]),
                                    per_sample(median(after), samples[1])));
  }
  const auto of_gpu_work = [](const auto& value) {
    return [value](const Numbers& side) {
      const bool is_recorded = profile::tells_of(*side.run.profile, profile::Evidence::gpu_work) &&
                               !side.aggregation.devices.empty();
      return is_recorded ? Cell(value(side.aggregation)) : Cell();
    };
  };
  add("gpu_utilization", "GPU utilization", Unit::percent,
      of_gpu_work([](const aggregate::Aggregation& a) { return a.gpu_utilization(); }));
  add("kernel_launches", "Kernel launches per GPU", Unit::count, [](const Numbers& side) {
    return report::launches_per_gpu(*side.run.profile, side.aggregation);
  });
  const auto matched = [](const aggregate::MatchRate& rate) {
    const aggregate::MatchShare& share = rate.gpu.all_ns > 0 ? rate.gpu : rate.cpu;
    return Cell(100 * share.rate());
  };
  metrics.push_back({"Time of matched ops",
                     {"before_match_rate", "Time of matched ops, before",
                      matched(comparison.rate_before), Unit::percent},
                     {"after_match_rate", "Time of matched ops, after",
                      matched(comparison.rate_after), Unit::percent}});
  return metrics;
}

std::string range_text(const aggregate::IterationRange& range) {
  return fmt::format("{}:{}", range.first, range.last);
}

// What the markers of both are worth: those to choose from where neither is split, and what speaks
// against the chosen ones.
void add_markers(const Comparison& comparison, const OpenedRuns& opened, FactSection& section) {
  const auto& runs = *comparison.runs;
  const bool is_unsplit = !runs.before().is_split() || !runs.after().is_split();
  for (const OpenedProfile* const side : {&opened.before, &opened.after}) {
    const bool is_before = side == &opened.before;
    const std::string id = is_before ? "before" : "after";
    const auto& ranked = side->ranking->candidates();
    if (is_unsplit) {
      const std::string best = aggregate::best_markers_text(ranked);
      section.facts.push_back({id + "_best_markers", fmt::format("Best markers {}", id),
                               best.empty() ? "none: no op or range repeats" : best});
      continue;
    }
    const std::string caution = aggregate::marker_caution(ranked, side->selection.cut.key_op);
    if (caution.empty()) continue;
    section.facts.push_back({id + "_marker_caution", fmt::format("Marker {}", id), caution});
  }
}

// Of a mean that moves one way and a median that moves the other, by more than captures differ;
// else empty.
std::string mean_note(const Comparison& comparison) {
  const aggregate::Bar& mean = comparison.waterfall.iteration;
  if (!comparison.judgment.iteration || mean.before_ns <= 0) return "";
  const aggregate::ValueChange& median = *comparison.judgment.iteration;
  const double mean_change =
      static_cast<double>(mean.difference_ns()) / static_cast<double>(mean.before_ns);
  const bool is_opposite = mean_change * median.change() < 0;
  if (!is_opposite || std::abs(mean_change - median.change()) <= comparison.floor.limit()) {
    return "";
  }
  const auto text = [](double change) {
    return base::with_sign(change, fmt::format("{:.1f}%", std::abs(100 * change)));
  };
  return fmt::format(
      "mean {}, median {}: warm-up or outliers distort the mean; the verdict uses the median",
      text(mean_change), text(median.change()));
}

FactSection facts_of(const Comparison& comparison, const OpenedRuns& opened) {
  const auto& runs = *comparison.runs;
  FactSection section{
      "compared",
      "Two runs, per iteration and GPU",
      {{"before", "Before", runs.before().profile->source.path},
       {"after", "After", runs.after().profile->source.path},
       {"before_range", "Iterations before", range_text(comparison.ranges.before)},
       {"after_range", "Iterations after", range_text(comparison.ranges.after)},
       {"split_by", "Split by", to_text(runs.after().cut.split_by)},
       {"comparability", "Comparable", aggregate::to_text(comparison.comparability.level())},
       {"verdict", "Verdict", aggregate::verdict_text(comparison)}}};
  const std::string changes = aggregate::changes_text(comparison);
  if (!changes.empty()) section.facts.push_back({"what_changed", "What changed", changes});
  if (const auto all = aggregate::deciding_iterations(comparison)) {
    section.facts.push_back({"more_iterations", "More iterations",
                             fmt::format("--iterations all compares {} and {} iterations",
                                         base::format_count(all->before.size()),
                                         base::format_count(all->after.size()))});
  }
  if (std::string note = mean_note(comparison); !note.empty()) {
    section.facts.push_back({"mean_note", "Mean and median", std::move(note)});
  }
  add_markers(comparison, opened, section);
  if (!opened.caution.empty()) section.facts.push_back({"caution", "Caution", opened.caution});
  return section;
}

// What JSON has and people read in a sentence.
void add_verdict(const Comparison& comparison, FactSection& section) {
  const auto add = [&section](const char* id, Cell value, Unit unit = Unit::none) {
    section.facts.push_back({id, id, std::move(value), unit});
  };
  const std::optional<aggregate::ValueChange>& change = comparison.judgment.iteration;
  add("verdict_id", comparison.is_judged() ? Cell(aggregate::to_text(change->verdict)) : Cell());
  add("median_change_pct", change ? Cell(100 * change->change()) : Cell(), Unit::percent);
  const bool has_interval = change && change->interval;
  add("interval_low_pct", has_interval ? Cell(100 * change->interval->low) : Cell(), Unit::percent);
  add("interval_high_pct", has_interval ? Cell(100 * change->interval->high) : Cell(),
      Unit::percent);
  add("p", change ? Cell(change->p) : Cell());
  add("floor_pct", 100 * comparison.floor.limit(), Unit::percent);
  add("floor_is_learned", comparison.floor.is_learned());
}

std::vector<Table> tables_of(const report::SharedRunComparison& comparison) {
  return {report::make_waterfall(comparison),         report::make_op_changes(comparison),
          report::make_kernel_changes(comparison),    report::make_op_matches(comparison),
          report::make_comparison_checks(comparison), report::make_comparison_verdict(comparison)};
}

// The parts and the iteration, in the shown unit: as they are shown, parts add up.
Table waterfall_for_terminal(const Comparison& comparison) {
  const auto bars = std::make_shared<std::vector<std::pair<std::string, aggregate::Bar>>>();
  base::ComparedTable exact;
  const auto add_exact = [&exact](const aggregate::Bar& bar) {
    exact.add(bar.after_ns, bar.before_ns);
  };
  add_exact(comparison.waterfall.iteration);
  for (const aggregate::PartBar& part : comparison.waterfall.parts) add_exact(part);
  const aggregate::Waterfall shown = aggregate::in_steps_of(comparison.waterfall, exact.step_ns());
  for (const aggregate::PartBar& part : shown.parts) {
    if (part.before_sum_ns == 0 && part.after_sum_ns == 0) continue;
    bars->emplace_back(aggregate::title_of(part.part), part);
  }
  bars->emplace_back("Iteration", shown.iteration);
  const auto text = [bars, exact](std::string base::ComparedDurations::*side) {
    return [bars, exact, side](std::size_t row) {
      const aggregate::Bar& bar = (*bars)[row].second;
      return Cell(report::without_thin_spaces(exact.format(bar.after_ns, bar.before_ns).*side));
    };
  };
  Table table{"waterfall", "Waterfall", report::Layout::rows, {}, bars->size()};
  table.columns = {
      report::word_column("stack_part", "Part",
                          [bars](std::size_t row) { return Cell((*bars)[row].first); }),
      report::integer_column("before_ns", "Before", Unit::none,
                             text(&base::ComparedDurations::baseline)),
      report::integer_column("after_ns", "After", Unit::none,
                             text(&base::ComparedDurations::value)),
      report::integer_column("change", "Difference", Unit::none,
                             text(&base::ComparedDurations::difference))};
  return table;
}

// The table with these rows of it.
Table with_rows(Table table, std::vector<std::size_t> rows) {
  const auto chosen = std::make_shared<const std::vector<std::size_t>>(std::move(rows));
  for (report::Column& column : table.columns) {
    column.cell = [cell = column.cell, chosen](std::size_t row) { return cell((*chosen)[row]); };
  }
  table.row_count = chosen->size();
  return table;
}

// The count of calls has a word of its own, see for_terminal().
Table with_dashes(Table table) {
  for (report::Column& column : table.columns) {
    if (column.id.ends_with("calls")) continue;
    column.cell = [cell = column.cell](std::size_t row) {
      const Cell value = cell(row);
      return std::holds_alternative<std::monostate>(value) ? Cell(kNoStatistic) : value;
    };
  }
  return table;
}

// What is printed of a table without rows.
std::string none_text(const Table& table) {
  return table.name == "checks" ? "All checks passed: the runs are comparable."
                                : fmt::format("{}: none.", table.title);
}

// The rows with a change, in their order.
Table changed_rows(Table table) {
  const auto change = std::ranges::find(table.columns, "difference_ns", &report::Column::id)->cell;
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < table.row_count; ++row) {
    if (change(row) != Cell(int64_t{0})) rows.push_back(row);
  }
  return with_rows(std::move(table), std::move(rows));
}

// These columns in this order, and the rows with a change, at most kRowsInText.
Table changes_for_terminal(Table table, std::initializer_list<std::string_view> ids) {
  table = changed_rows(std::move(table));
  std::vector<report::Column> columns;
  for (const std::string_view id : ids) {
    columns.push_back(*std::ranges::find(table.columns, id, &report::Column::id));
  }
  const std::size_t changed = table.row_count;
  table.columns = std::move(columns);
  table.row_count = std::min(changed, kRowsInText);
  if (table.row_count < changed) {
    table.title += fmt::format(" ({} of {}: --table {} prints all)", table.row_count,
                               base::format_count(static_cast<int64_t>(changed)), table.name);
  }
  return for_terminal(with_dashes(std::move(table)));
}

void write_text(FactSection facts, std::vector<ComparedFact> metrics,
                const report::SharedRunComparison& comparison, std::ostream& out) {
  if (comparison->ranges.before.size() == 1 && comparison->ranges.after.size() == 1) {
    // Of one iteration the mean and the median are its duration.
    std::erase_if(metrics, [](const ComparedFact& fact) {
      return fact.difference_id == "difference_median_iteration_ns";
    });
    for (ComparedFact& fact : metrics) {
      if (fact.difference_id == "difference_mean_iteration_ns") {
        fact.title = comparison->runs->before().is_split() ? "Iteration" : "Whole run";
      }
    }
  }
  Table checks = report::make_comparison_checks(comparison);
  checks.columns.erase(checks.columns.begin() + 1);  // the id
  std::vector<Table> tables{
      metric_table(std::move(metrics), "Before", "After"), std::move(checks),
      waterfall_for_terminal(*comparison),
      changes_for_terminal(
          report::make_op_changes(comparison),
          {"change", "before_ns", "after_ns", "difference_ns", "stack_part", "changed_name"}),
      changes_for_terminal(report::make_kernel_changes(comparison),
                           {"change", "before_ns", "after_ns", "difference_ns", "stack_part",
                            "kernel_before", "kernel_after"})};
  print(Info{{std::move(facts)}, std::move(tables)}, false, out);
}

// The iteration and its parts.
Table parts_of(Table waterfall) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < waterfall.row_count; ++row) {
    const std::string level = report::to_text(waterfall.cell(row, 0));
    if (level == "iteration" || level == "part") rows.push_back(row);
  }
  return with_rows(std::move(waterfall), std::move(rows));
}

void write_markdown_table(const Table& table, std::ostream& out) {
  if (table.row_count == 0) return;
  out << "### " << table.title << "\n\n";
  report::write_markdown(table, out);
  out << '\n';
}

// What was compared, what came of it, and which checks speak against it: a comment begins with it.
void write_markdown_facts(const FactSection& facts, const Comparison& comparison,
                          std::ostream& out) {
  out << "**" << report::markdown_text(aggregate::verdict_text(comparison)) << "**\n\n";
  const auto write_line = [&out](std::string_view title, std::string_view text) {
    out << "- " << title << ": " << report::markdown_text(text) << '\n';
  };
  const auto write_side = [&](std::string_view title, const aggregate::ComparedRun& run,
                              const aggregate::IterationRange& range) {
    write_line(title,
               fmt::format("{}, iterations {}", run.profile->source.path, range_text(range)));
  };
  write_side("Before", comparison.runs->before(), comparison.ranges.before);
  write_side("After", comparison.runs->after(), comparison.ranges.after);
  static constexpr std::array<std::string_view, 7> kInOtherLines{
      "before", "after", "before_range", "after_range", "split_by", "comparability", "verdict"};
  for (const Fact& fact : facts.facts) {
    if (std::ranges::find(kInOtherLines, fact.id) != kInOtherLines.end()) continue;
    write_line(fact.title, report::to_text(fact.value));
  }
  write_line("Comparable", aggregate::to_text(comparison.comparability.level()));
  for (const aggregate::Reason& reason : comparison.comparability.reasons) {
    out << "  - " << report::markdown_text(reason.text) << '\n';
  }
  out << '\n';
}

// The changed rows, the largest first, at most kRowsInText: the file is for a comment or a summary.
void write_changes(Table table, std::ostream& out) {
  table = changed_rows(std::move(table));
  const std::size_t changed = table.row_count;
  static constexpr std::array<std::string_view, 10> kLeftOut{
      "op_before",           "op_after",
      "matched_by",          "by_calls_ns",
      "by_time_per_call_ns", "overlapped_before_ns",
      "overlapped_after_ns", "before_calls",
      "after_calls",         "share_of_difference"};
  std::erase_if(table.columns, [](const report::Column& column) {
    return std::ranges::find(kLeftOut, column.id) != kLeftOut.end();
  });
  table.row_count = std::min(changed, kRowsInText);
  write_markdown_table(table, out);
  if (changed > table.row_count) {
    out << base::format_count(static_cast<int64_t>(changed - table.row_count)) << " more: `--table "
        << table.name << "` prints all.\n\n";
  }
}

void write_markdown(std::vector<Table> tables, const FactSection& facts,
                    const Comparison& comparison, bool all_rows, std::ostream& out) {
  if (all_rows) {
    if (tables.front().row_count == 0) out << none_text(tables.front()) << '\n';
    return write_markdown_table(tables.front(), out);
  }
  write_markdown_facts(facts, comparison, out);
  for (Table& table : tables) {
    if (table.name == "waterfall") {
      write_markdown_table(parts_of(std::move(table)), out);
    } else if (table.name == "ops" || table.name == "kernels") {
      write_changes(std::move(table), out);
    }
  }
}

// The only row, a line for each cell: a terminal is not wide enough for one.
FactSection verdict_facts(const Table& verdict) {
  FactSection section{"verdict", verdict.title, {}};
  for (const report::Column& column : verdict.columns) {
    section.facts.push_back({column.id, column.title, column.cell(0), column.unit, kNoStatistic});
  }
  return section;
}

void write_runs(const OpenedProfile& opened, const report::SharedRunComparison& comparison,
                FactSection facts, std::vector<ComparedFact> metrics, const CompareOptions& options,
                std::ostream& out) {
  std::vector<Table> tables = tables_of(comparison);
  if (!options.table.empty()) {
    std::erase_if(tables, [&](const Table& table) { return table.name != options.table; });
  }
  switch (options.format) {
    case CompareFormat::json:
      add_verdict(*comparison, facts);
      add_facts(metrics, facts);
      print(Info{{std::move(facts)}, std::move(tables)}, true, out);
      break;
    case CompareFormat::csv: {
      const Table& table = tables.front();  // the waterfall, if none was named
      std::vector<uint32_t> rows(table.row_count);
      std::iota(rows.begin(), rows.end(), uint32_t{0});
      base::Progress progress;
      report::write_table_csv({table, rows, "", opened.selection}, out, progress);
      break;
    }
    case CompareFormat::markdown:
      write_markdown(std::move(tables), facts, *comparison, !options.table.empty(), out);
      break;
    case CompareFormat::html:
      break;  // see print_compared_runs()
    case CompareFormat::text:
      if (options.table.empty()) {
        write_text(std::move(facts), std::move(metrics), comparison, out);
      } else if (options.table == "verdict") {
        print(Info{{verdict_facts(tables.front())}, {}}, false, out);
      } else {
        if (tables.front().row_count == 0) out << none_text(tables.front()) << '\n';
        print(Info{{}, {for_terminal(with_dashes(std::move(tables.front())))}}, false, out);
      }
      break;
  }
}

}  // namespace

base::Result<RunComparison> compare_runs(const OpenedRuns& runs, const CompareOptions& options) {
  aggregate::MatchOptions match;
  if (!options.match.empty()) {
    auto steps = aggregate::parse_match_steps(options.match);
    if (!steps) return steps.error();
    match = std::move(*steps);
  }
  auto pairs = aggregate::parse_pairs(*runs.before.profile, *runs.after.profile, options.pairs);
  if (!pairs) return pairs.error();
  match.pairs = std::move(*pairs);
  if (!options.output.empty()) {
    for (const OpenedProfile* const opened : {&runs.before, &runs.after}) {
      DLVIEW_TRY(
          report::refuse_source(options.output, *opened->profile, "Choose another name with -o"));
    }
  }
  const bool chose_range = options.selection.iterations.has_value();
  ComparedSide from = side_of(runs.before, chose_range, options.all_iterations),
               to = side_of(runs.after, chose_range, options.all_iterations);
  return RunComparison{std::make_shared<const Comparison>(aggregate::compare(
                           std::make_shared<const aggregate::RunPair>(from.run, to.run, match),
                           {from.range, to.range})),
                       std::move(from.aggregation), std::move(to.aggregation)};
}

int print_compared_runs(const OpenedRuns& runs, const CompareOptions& options) {
  const auto compared = compare_runs(runs, options);
  if (!compared) return unusable(compared.error());
  const auto write = [&](std::ostream& out) {
    if (options.format == CompareFormat::html) {
      const aggregate::LimitIndex limits(*runs.before.profile, options.selection.limit_options);
      write_page(report::page::make_run_page({.profile = *runs.before.profile,
                                              .aggregation = compared->before,
                                              .version = kVersion,
                                              .limits = &limits,
                                              .comparison = compared->comparison,
                                              .after = &compared->after}),
                 out);
      return;
    }
    write_runs(runs.before, compared->comparison, facts_of(*compared->comparison, runs),
               metrics_of(*compared, options.samples), options, out);
  };
  if (options.output.empty()) {
    write(std::cout);
    return kExitSuccess;
  }
  const base::Status written = report::write_file(options.output, write);
  return code_of(written);
}

}  // namespace dlview::app
