#include "aggregate/compare.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iostream>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "aggregate/aggregator.h"
#include "aggregate/compare_runs.h"
#include "aggregate/key_names.h"
#include "aggregate/outliers.h"
#include "aggregate/recorded.h"
#include "aggregate/rules/rule_index.h"
#include "app/commands/commands.h"
#include "app/commands/compare_runs.h"
#include "app/commands/compared_facts.h"
#include "app/commands/facts.h"
#include "base/progress.h"
#include "base/units.h"
#include "report/columns.h"
#include "report/differences.h"
#include "report/writers/delimited.h"
#include "report/writers/text.h"
#include "ui/chart/categories.h"
#include "workspace/state_string.h"

namespace dlview::app {
namespace {

using aggregate::IterationComparison;
using aggregate::Unit;
using profile::Profile;
using report::Cell;
using report::CellKind;
using report::Table;

struct Compared {
  report::SharedComparison comparison;
  aggregate::Outliers outliers;
  aggregate::RecordedCategories recorded;
};

base::Error no_such_iteration(std::string_view option, int64_t iteration, int64_t count) {
  return {fmt::format("Invalid {}: {}", option, iteration), "",
          count == 1 ? "The run has one iteration: choose an iteration marker with --key-op"
                     : fmt::format("Valid iterations: 0 to {}", count - 1)};
}

base::Result<Compared> compare(const OpenedProfile& opened, const CompareOptions& options) {
  const Profile& profile = *opened.profile;
  const aggregate::Aggregation aggregation =
      aggregate::make_cpu_aggregator(opened.profile)->aggregate(opened.selection);
  const aggregate::IterationTable& table = *aggregation.whole().iteration_table;
  const aggregate::RuleIndex rules(profile);
  Compared result{{}, aggregate::find_outliers(profile, table, &rules), {profile, aggregation}};
  const workspace::IterationPair& state = options.selection.compared;
  const int64_t iteration =
      (options.iteration ? options.iteration : state.iteration)
          .value_or(aggregate::slowest_iteration(table, aggregation.selection.range));
  const int64_t against =
      (options.against ? options.against : state.baseline).value_or(result.outliers.typical);
  const auto count = static_cast<int64_t>(table.iterations.rows.size());
  if (iteration < 0 || iteration >= count) {
    return no_such_iteration("--iteration", iteration, count);
  }
  if (against < 0 || against >= count) return no_such_iteration("--against", against, count);
  result.comparison = std::make_shared<const IterationComparison>(
      aggregate::compare_iterations(profile, table, iteration, against));
  return result;
}

// The class of an outlier; else empty.
Cell class_of(const aggregate::Outliers& outliers, int64_t iteration) {
  for (const aggregate::Outlier& row : outliers.rows) {
    if (row.iteration == iteration) return aggregate::to_text(row.kind);
  }
  return {};
}

std::string caution_of(const OpenedProfile& opened) {
  return opened.selection.filters.empty()
             ? ""
             : "Filters do not apply: a comparison of two iterations counts everything";
}

FactSection facts_of(const Profile& profile, const Compared& compared, aggregate::SplitBy split_by,
                     const std::string& caution) {
  const IterationComparison& c = *compared.comparison;
  FactSection section{"compared",
                      "Two iterations",
                      {{"iteration", "Iteration", c.iteration},
                       {"against", "Baseline", c.baseline},
                       {"typical", "Typical iteration", compared.outliers.typical},
                       {"split_by", "Split by", to_text(split_by)},
                       {"what_changed", "What changed", aggregate::change_text(profile, c)}}};
  if (!caution.empty()) section.facts.push_back({"caution", "Caution", caution});
  return section;
}

std::vector<ComparedFact> metrics_of(const Compared& compared) {
  const IterationComparison& c = *compared.comparison;
  constexpr std::string_view kNoOutlier = "no";
  std::vector<ComparedFact> metrics{
      {"Duration",
       {"against_ns", "Duration, other", c.baseline_duration_ns, Unit::ns},
       {"iteration_ns", "Duration", c.duration_ns, Unit::ns},
       "difference_ns"},
      {"Outlier",
       {"against_class", "Outlier, other", class_of(compared.outliers, c.baseline), Unit::none,
        kNoOutlier},
       {"class", "Outlier", class_of(compared.outliers, c.iteration), Unit::none, kNoOutlier}}};
  if (c.communication.ns > 0 || c.baseline_communication.ns > 0) {
    metrics.push_back({"Exposed communication",
                       {"against_exposed_communication_ns", "Exposed communication, other",
                        c.baseline_communication.exposed_ns, Unit::ns},
                       {"exposed_communication_ns", "Exposed communication",
                        c.communication.exposed_ns, Unit::ns},
                       "difference_exposed_communication_ns"});
  }
  return metrics;
}

Table category_table(const Compared& compared) {
  using aggregate::CategoryDifference;
  const auto& rows = compared.comparison->categories;
  const auto time = [&](const char* id, const char* title, auto value) {
    return report::integer_column(
        id, title, Unit::ns, [&rows, &recorded = compared.recorded, value](std::size_t row) {
          return recorded.contains(rows[row].category) ? Cell(value(rows[row])) : Cell();
        });
  };
  const bool has_communication = compared.comparison->communication.ns > 0 ||
                                 compared.comparison->baseline_communication.ns > 0;
  Table table{"categories",
              has_communication ? "Categories (exclusive time; kernels include communication)"
                                : "Categories (exclusive time)",
              report::Layout::rows,
              {},
              rows.size()};
  table.columns = {
      report::word_column("category", "Category",
                          [&](std::size_t row) { return ui::category_label(rows[row].category); }),
      time("ns", "Time", [](const CategoryDifference& row) { return row.ns; }),
      time("against_ns", "Other time",
           [](const CategoryDifference& row) { return row.baseline_ns; }),
      time("difference_ns", "Difference",
           [](const CategoryDifference& row) { return row.difference_ns(); })};
  return table;
}

// The beginning and the end of a long name, between which the middle is left out.
std::string shortened(const std::string& name) {
  constexpr std::size_t kLongest = 40, kEnd = 18;
  const std::string_view dots = "…";
  if (name.size() <= kLongest) return name;
  const auto inside_a_character = [&name](std::size_t at) {
    return (static_cast<unsigned char>(name[at]) & 0xC0) == 0x80;
  };
  std::size_t begin = kLongest - kEnd - dots.size(), end = name.size() - kEnd;
  while (begin > 0 && inside_a_character(begin)) --begin;
  while (end < name.size() && inside_a_character(end)) ++end;
  return fmt::format("{}{}{}", name.substr(0, begin), dots, name.substr(end));
}

// Puts the figures of the baseline, "against_ns", before those of the other iteration, "ns".
void baseline_first(std::vector<report::Column>& columns) {
  for (std::size_t i = 1; i < columns.size(); ++i) {
    if (columns[i].id == "against_" + columns[i - 1].id) std::swap(columns[i - 1], columns[i]);
  }
}

// Returns the texts of a row's baseline, value and difference.
using RowTexts = std::function<std::optional<ComparedTexts>(std::size_t row)>;

// Times share a unit and decimals, so that a column reads as one.
RowTexts time_texts(const report::Column& baseline, const report::Column& value,
                    std::size_t row_count) {
  using Times = std::optional<std::pair<int64_t, int64_t>>;
  const auto times_of = [baseline = baseline.cell, value = value.cell](std::size_t row) -> Times {
    const Cell from = baseline(row), to = value(row);
    const auto *from_ns = std::get_if<int64_t>(&from), *to_ns = std::get_if<int64_t>(&to);
    if (from_ns == nullptr || to_ns == nullptr) return std::nullopt;
    return std::pair(*from_ns, *to_ns);
  };
  base::ComparedTable table;
  for (std::size_t row = 0; row < row_count; ++row) {
    if (const Times times = times_of(row)) table.add(times->second, times->first);
  }
  return [times_of, table](std::size_t row) -> std::optional<ComparedTexts> {
    const Times times = times_of(row);
    if (!times) return std::nullopt;
    const base::ComparedDurations shown = table.format(times->second, times->first);
    return ComparedTexts{report::without_thin_spaces(shown.baseline),
                         report::without_thin_spaces(shown.value),
                         report::without_thin_spaces(shown.difference)};
  };
}

RowTexts count_texts(const report::Column& baseline, const report::Column& value, Unit unit) {
  return [baseline = baseline.cell, value = value.cell, unit](std::size_t row) {
    return compared_texts(baseline(row), value(row), unit);
  };
}

// Writes the baseline's number, the one next to it and their difference so that the difference is
// that of the shown numbers.
void compare_numbers(Table& table) {
  for (std::size_t i = 2; i < table.columns.size(); ++i) {
    report::Column* const three = &table.columns[i - 2];
    if (!three[2].id.starts_with("difference")) continue;
    const RowTexts texts = three[2].unit == Unit::ns
                               ? time_texts(three[0], three[1], table.row_count)
                               : count_texts(three[0], three[1], three[2].unit);
    static constexpr std::array kSides{&ComparedTexts::baseline, &ComparedTexts::value,
                                       &ComparedTexts::difference};
    for (std::size_t k = 0; k < 3; ++k) {
      three[k].cell = [texts, k, exact = three[k].cell](std::size_t row) {
        const auto shown = texts(row);
        return shown ? Cell((*shown).*kSides[k]) : exact(row);
      };
    }
  }
}

// The numbers first, then the names. The name in full is the last column, where its length moves
// nothing.
Table for_terminal(Table table) {
  baseline_first(table.columns);
  compare_numbers(table);
  const auto end = table.columns.end();
  const auto names = std::stable_partition(
      table.columns.begin(), end,
      [](const report::Column& column) { return column.kind != CellKind::text; });
  const auto full = std::find_if(
      names, end, [](const report::Column& column) { return column.id.ends_with("_name"); });
  if (full != end) std::rotate(full, full + 1, end);
  for (report::Column& column : table.columns) {
    const auto cell = column.cell;
    const bool counts_calls = column.id.ends_with("calls");
    if (column.id == report::ColumnId("only_in").text() || column.id == "change" || counts_calls) {
      const std::string_view of_none = counts_calls ? "none" : "–";
      column.cell = [cell, of_none](std::size_t row) {
        const Cell value = cell(row);
        return std::holds_alternative<std::monostate>(value) ? Cell(of_none) : value;
      };
    } else if (column.kind == CellKind::text && &column != &table.columns.back()) {
      column.cell = [cell](std::size_t row) { return Cell(shortened(report::to_text(cell(row)))); };
    }
  }
  return table;
}

// What is compared: facts of the comparison, figures of both sides, and tables.
struct Comparison {
  FactSection facts;
  std::vector<ComparedFact> metrics;
  std::vector<Table> tables;
  std::string baseline, value;  // titles of the sides
};

void print(Comparison comparison, const CompareOptions& options, const OpenedProfile& opened) {
  std::vector<Table>& tables = comparison.tables;
  if (options.json) {
    add_facts(comparison.metrics, comparison.facts);
    return print(Info{{comparison.facts}, tables}, true, std::cout);
  }
  if (options.csv.empty()) {
    std::ranges::transform(tables, tables.begin(), for_terminal);
    tables.insert(tables.begin(), metric_table(std::move(comparison.metrics), comparison.baseline,
                                               comparison.value));
    return print(Info{{comparison.facts}, tables}, false, std::cout);
  }
  const auto table = std::ranges::find(tables, options.csv, &Table::name);
  std::vector<uint32_t> rows(table->row_count);
  std::iota(rows.begin(), rows.end(), uint32_t{0});
  base::Progress progress;
  report::write_table_csv({*table, rows, "", opened.selection}, std::cout, progress);
}

std::string marker_of(const OpenedProfile& opened) {
  const std::string& key = opened.selection.cut.key_op;
  return key.empty() ? "none" : aggregate::key_op_label(*opened.profile, key);
}

// Splits two exports at the same marker, unless the user named one. A stored list of iterations
// stays.
base::Status use_common_key(OpenedProfile& before, OpenedProfile& after,
                            const CompareOptions& options) {
  if (options.selection.key_op) return base::Success{};
  if (!before.profile->trace || !after.profile->trace) return base::Success{};
  const std::optional<std::string> key =
      aggregate::common_key(before.ranking->candidates(), after.ranking->candidates());
  if (!key) {
    return base::Error{"The profiles have no iteration marker in common",
                       fmt::format("Before: {}. After: {}", marker_of(before), marker_of(after)),
                       "Name one that both have with --key-op, or compare the whole runs with "
                       "--key-op \"\""};
  }
  for (OpenedProfile* opened : {&before, &after}) {
    if (opened->selection.cut.key_op == *key) continue;
    workspace::SelectionRequest with_key = options.selection;
    with_key.key_op = *key;
    const auto& of_after = options.after_iterations;
    if (opened == &after && of_after) with_key.iterations = of_after;
    base::Result<aggregate::Selection> selection =
        workspace::choose_selection(*opened->ranking, with_key);
    if (!selection) return selection.error();
    opened->selection = std::move(*selection);
  }
  return base::Success{};
}

// Splits both by the GPU if either is, and both can be; else both by the host. What the user named
// is the same for both already.
void use_common_split(OpenedProfile& before, OpenedProfile& after) {
  if (before.selection.cut.split_by == after.selection.cut.split_by) return;
  const auto can_split_by_gpu = [](const OpenedProfile& opened) {
    aggregate::Cut cut = opened.selection.cut;
    cut.split_by = aggregate::SplitBy::gpu;
    return cut_iterations(*opened.profile, cut).split_by == aggregate::SplitBy::gpu;
  };
  const bool by_gpu = can_split_by_gpu(before) && can_split_by_gpu(after);
  for (OpenedProfile* opened : {&before, &after}) {
    opened->selection.cut.split_by = by_gpu ? aggregate::SplitBy::gpu : aggregate::SplitBy::host;
  }
}

// --iterations of both files, or once for each.
void bind_iterations(CLI::App& command, CompareOptions& options) {
  command.remove_option(command.get_option("--iterations"));
  command
      .add_option_function<std::vector<std::string>>(
          "--iterations",
          [&options](const std::vector<std::string>& texts) {
            std::vector<aggregate::IterationRange> ranges;
            for (const std::string& text : texts) {
              const auto range = workspace::parse_iterations(text);
              if (!range) throw CLI::ValidationError("--iterations", base::to_text(range.error()));
              ranges.push_back(*range);
            }
            if (ranges.size() > 2) {
              throw CLI::ValidationError("--iterations", "At most one range for each file");
            }
            options.selection.iterations = ranges.front();
            if (ranges.size() == 2) options.after_iterations = ranges.back();
          },
          "Iteration range A:B, both included; A alone means A:A. Twice: for FILE, then for AFTER")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

}  // namespace

int run_compare(const CompareOptions& options) {
  // A state that names one of two files is for both.
  workspace::SelectionRequest for_both = options.selection;
  for_both.file.clear();
  const bool names_after =
      !options.after.empty() && workspace::check_state_file(options.selection, options.after).ok();
  auto opened = open_with_selection(options.path, names_after ? for_both : options.selection);
  if (!opened) return unusable(opened.error());
  if (!options.after.empty()) {
    if (options.after_iterations) for_both.iterations = options.after_iterations;
    auto after = open_with_selection(options.after, for_both);
    if (!after) return unusable(after.error());
    const base::Status shared = use_common_key(*opened, *after, options);
    if (!shared) return unusable(shared.error());
    use_common_split(*opened, *after);
    const TwoRuns runs(*opened, *after);
    if (!options.csv.empty() && !runs.caution().empty()) std::cerr << runs.caution() << '\n';
    print({runs.facts(), runs.metrics(), runs.tables(), "Before", "After"}, options, *opened);
    return kExitSuccess;
  }
  const auto compared = compare(*opened, options);
  if (!compared) return unusable(compared.error());
  const Profile& profile = *opened->profile;
  const std::string caution = caution_of(*opened);
  if (!options.csv.empty() && !caution.empty()) std::cerr << caution << '\n';
  const auto title = [](int64_t iteration) { return "Iteration " + base::format_count(iteration); };
  std::vector<Table> tables{category_table(*compared),
                            report::make_op_differences(profile, compared->comparison),
                            report::make_kernel_differences(profile, compared->comparison)};
  for (Table& table : tables) report::name_iterations(table, *compared->comparison);
  print({facts_of(profile, *compared, opened->selection.cut.split_by, caution),
         metrics_of(*compared), std::move(tables), title(compared->comparison->baseline),
         title(compared->comparison->iteration)},
        options, *opened);
  return kExitSuccess;
}

void bind_compare(CLI::App& program, ChosenCommand& chosen) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* command = program.add_subcommand(
      "compare", "Compare two iterations or two files, largest differences first");
  command->add_option("FILE", options->path, "Profile")->required();
  CLI::Option* after = command->add_option("AFTER", options->after,
                                           "Second profile; compares the mean iterations of both");
  command
      ->add_option("--iteration", options->iteration,
                   "Iteration to compare; default: the slowest of the range")
      ->excludes(after);
  command
      ->add_option("--against", options->against,
                   "Iteration to compare it with; default: the typical one")
      ->excludes(after);
  CLI::Option* json = command->add_flag("--json", options->json, "Print JSON");
  command->add_option("--csv", options->csv, "Print one table as CSV: categories, ops or kernels")
      ->check(CLI::IsMember({"categories", "ops", "kernels"}))
      ->excludes(json);
  bind_selection(*command, options->selection);
  bind_iterations(*command, *options);
  command->footer(
      "Examples:\n"
      "  dlview compare run.sqlite                               the slowest iteration\n"
      "  dlview compare run.sqlite --iteration 57 --against 56\n"
      "  dlview compare before.sqlite after.sqlite --csv kernels\n"
      "  dlview compare before.sqlite after.sqlite --iterations 8:14 --iterations 1:9");
  command->callback([&chosen, options] {
    if (options->after_iterations && options->after.empty()) {
      throw CLI::ValidationError("--iterations", "A second range needs a second file, AFTER");
    }
    chosen = [options] { return run_compare(*options); };
  });
}

}  // namespace dlview::app
