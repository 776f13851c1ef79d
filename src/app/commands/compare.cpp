#include "app/commands/compare.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include "aggregate/aggregator.h"
#include "aggregate/compare.h"
#include "aggregate/outliers.h"
#include "aggregate/recorded.h"
#include "app/commands/compare_runs.h"
#include "app/commands/facts.h"
#include "base/progress.h"
#include "report/writers/delimited.h"
#include "ui/chart/category_names.h"

namespace dlview::app {
namespace {

using aggregate::IterationComparison;
using aggregate::Unit;
using profile::Profile;
using report::Cell;
using report::Table;

struct Compared {
  IterationComparison comparison;
  aggregate::Outliers outliers;
  aggregate::RecordedCategories recorded;
};

base::Error no_such_iteration(std::string_view option, int64_t iteration, int64_t count) {
  return {"There is no such iteration", fmt::format("{} {}", option, iteration),
          count == 1 ? "There is only iteration 0: choose a key op with --key-op"
                     : fmt::format("The iterations are 0 to {}", count - 1)};
}

base::Result<Compared> compare(const OpenedProfile& opened, const CompareOptions& options) {
  const Profile& profile = *opened.profile;
  const aggregate::Aggregation aggregation =
      aggregate::make_cpu_aggregator(opened.profile)->aggregate(opened.selection);
  const aggregate::IterationTable& table = *aggregation.whole().iteration_table;
  Compared result{{}, aggregate::find_outliers(profile, table), {profile, aggregation}};
  const ui::IterationPair& state = options.selection.compared;
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
  result.comparison = aggregate::compare_iterations(profile, table, iteration, against);
  return result;
}

// Of an outlier the class, of any other nothing.
Cell class_of(const aggregate::Outliers& outliers, int64_t iteration) {
  for (const aggregate::Outlier& row : outliers.rows) {
    if (row.iteration == iteration) return aggregate::to_text(row.kind);
  }
  return {};
}

FactSection facts_of(const Compared& compared) {
  const IterationComparison& c = compared.comparison;
  constexpr std::string_view kNoOutlier = "no outlier";
  FactSection section{"compared",
                      "Two iterations",
                      {{"iteration", "Iteration", c.iteration},
                       {"against", "Against", c.baseline},
                       {"typical", "Typical iteration", compared.outliers.typical},
                       {"iteration_ns", "Duration (ns)", c.duration_ns},
                       {"against_ns", "Duration of the other (ns)", c.baseline_duration_ns},
                       {"difference_ns", "Difference (ns)", c.duration_ns - c.baseline_duration_ns},
                       {"class", "Outlier", class_of(compared.outliers, c.iteration), kNoOutlier},
                       {"against_class", "Outlier, the other",
                        class_of(compared.outliers, c.baseline), kNoOutlier}}};
  if (c.communication.ns > 0 || c.baseline_communication.ns > 0) {
    section.facts.push_back(
        {"exposed_communication_ns", "Exposed communication (ns)", c.communication.exposed_ns});
    section.facts.push_back({"against_exposed_communication_ns",
                             "Exposed communication of the other (ns)",
                             c.baseline_communication.exposed_ns});
  }
  return section;
}

// The columns that all three tables end with. `is_known` tells of a row whether it was recorded.
template <typename Row, typename IsKnown>
void add_times(const std::vector<Row>& rows, const IsKnown& is_known, Table& table) {
  const auto time = [&](const char* id, const char* title, auto value) {
    table.columns.push_back(
        report::integer_column(id, title, Unit::ns, [&rows, is_known, value](std::size_t row) {
          return is_known(rows[row]) ? Cell(value(rows[row])) : Cell();
        }));
  };
  time("ns", "Time", [](const Row& row) { return row.ns; });
  time("against_ns", "Other time", [](const Row& row) { return row.baseline_ns; });
  time("difference_ns", "Difference", [](const Row& row) { return row.difference_ns(); });
}

Table category_table(const Compared& compared) {
  const auto& rows = compared.comparison.categories;
  Table table{"categories", "Categories, exclusive", report::Layout::rows, {}, rows.size()};
  table.columns = {report::word_column("category", "Category", [&](std::size_t row) {
    return ui::category_label(rows[row].category);
  })};
  add_times(
      rows,
      [&recorded = compared.recorded](const aggregate::CategoryDifference& row) {
        return recorded.contains(row.category);
      },
      table);
  return table;
}

Table op_table(const Profile& profile, const Compared& compared) {
  const auto& rows = compared.comparison.ops;
  const auto text = [&](const char* id, const char* title, const auto& column) {
    return report::text_column(id, title,
                               [&](std::size_t row) { return profile.text(column[rows[row].op]); });
  };
  Table table{"ops", "Ops", report::Layout::rows, {}, rows.size()};
  table.columns = {
      text("op_id", "Op id", profile.ops.id),
      text("op_name", "Op name", profile.ops.name),
      text("op_type", "Op type", profile.ops.type),
      report::word_column(
          "time", "Of",
          [&](std::size_t row) { return std::string_view(rows[row].on_gpu ? "GPU" : "CPU"); }),
      report::integer_column("calls", "Calls", Unit::count,
                             [&](std::size_t row) { return rows[row].calls; }),
      report::integer_column("against_calls", "Other calls", Unit::count,
                             [&](std::size_t row) { return rows[row].baseline_calls; })};
  add_times(
      rows, [](const aggregate::OpDifference&) { return true; }, table);
  return table;
}

Table kernel_table(const Profile& profile, const Compared& compared) {
  const auto& rows = compared.comparison.kernels;
  Table table{"kernels", "Kernels, plain sums", report::Layout::rows, {}, rows.size()};
  table.columns = {
      report::text_column("kernel_name", "Kernel name",
                          [&](std::size_t row) { return profile.text(rows[row].name); }),
      report::integer_column("launches", "Launches", Unit::count,
                             [&](std::size_t row) { return rows[row].count; }),
      report::integer_column("against_launches", "Other launches", Unit::count,
                             [&](std::size_t row) { return rows[row].baseline_count; })};
  add_times(
      rows, [](const aggregate::KernelDifference&) { return true; }, table);
  return table;
}

void print(const Info& info, const CompareOptions& options, const OpenedProfile& opened) {
  if (options.csv.empty()) return print(info, options.json, std::cout);
  const auto table = std::ranges::find(info.tables, options.csv, &Table::name);
  std::vector<uint32_t> rows(table->row_count);
  std::iota(rows.begin(), rows.end(), uint32_t{0});
  base::Progress progress;
  report::write_table_csv({*table, rows, "", opened.selection}, std::cout, progress);
}

}  // namespace

int run_compare(const CompareOptions& options) {
  const auto opened = open_with_selection(options.path, options.selection);
  if (!opened) return unusable(opened.error());
  if (!options.after.empty()) {
    const auto after = open_with_selection(options.after, options.selection);
    if (!after) return unusable(after.error());
    const TwoRuns runs(*opened, *after);
    if (!options.csv.empty() && !runs.caution().empty()) std::cerr << runs.caution() << '\n';
    print(runs.info(), options, *opened);
    return kExitSuccess;
  }
  const auto compared = compare(*opened, options);
  if (!compared) return unusable(compared.error());
  const Profile& profile = *opened->profile;
  const Info info{
      {facts_of(*compared)},
      {category_table(*compared), op_table(profile, *compared), kernel_table(profile, *compared)}};
  print(info, options, *opened);
  return kExitSuccess;
}

void bind_compare(CLI::App& program, ChosenCommand& chosen) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* command = program.add_subcommand(
      "compare", "Set two iterations, or two files, side by side: what differs, the most first");
  command->add_option("DB", options->path, "Profile")->required();
  CLI::Option* after =
      command->add_option("AFTER", options->after,
                          "Second profile: compares the mean iterations of DB and of this one");
  command
      ->add_option("--iteration", options->iteration,
                   "Iteration; by default the slowest of the range")
      ->excludes(after);
  command
      ->add_option("--against", options->against,
                   "Iteration to compare with; by default the typical one")
      ->excludes(after);
  CLI::Option* json = command->add_flag("--json", options->json, "Print JSON");
  command->add_option("--csv", options->csv, "Print one table as CSV: categories, ops or kernels")
      ->check(CLI::IsMember({"categories", "ops", "kernels"}))
      ->excludes(json);
  bind_selection(*command, options->selection);
  command->footer(
      "Examples:\n"
      "  dlview compare run.sqlite                               the slowest iteration\n"
      "  dlview compare run.sqlite --iteration 57 --against 56\n"
      "  dlview compare before.sqlite after.sqlite --csv kernels");
  command->callback([&chosen, options] { chosen = [options] { return run_compare(*options); }; });
}

}  // namespace dlview::app
