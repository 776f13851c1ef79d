#include "aggregate/compare.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "aggregate/aggregator.h"
#include "aggregate/key_names.h"
#include "aggregate/outliers.h"
#include "aggregate/recorded.h"
#include "aggregate/rules/rule_index.h"
#include "app/commands/commands.h"
#include "app/commands/compare_runs.h"
#include "app/commands/compared_facts.h"
#include "app/commands/facts.h"
#include "base/progress.h"
#include "base/shell_quote.h"
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
  return opened.selection.filters.empty() ? ""
                                          : "Filters do not apply: a comparison counts everything";
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

void print(FactSection facts, std::vector<ComparedFact> metrics, std::vector<Table> tables,
           const IterationComparison& comparison, const CompareOptions& options,
           const OpenedProfile& opened) {
  if (options.format == CompareFormat::json) {
    add_facts(metrics, facts);
    return print(Info{{facts}, tables}, true, std::cout);
  }
  if (options.format == CompareFormat::text) {
    const auto title = [](int64_t iteration) {
      return "Iteration " + base::format_count(iteration);
    };
    std::ranges::transform(tables, tables.begin(), for_terminal);
    tables.insert(tables.begin(), metric_table(std::move(metrics), title(comparison.baseline),
                                               title(comparison.iteration)));
    return print(Info{{facts}, tables}, false, std::cout);
  }
  const auto table = std::ranges::find(tables, options.table, &Table::name);
  std::vector<uint32_t> rows(table->row_count);
  std::iota(rows.begin(), rows.end(), uint32_t{0});
  base::Progress progress;
  report::write_table_csv({*table, rows, "", opened.selection}, std::cout, progress);
}

std::string marker_of(const OpenedProfile& opened) {
  const std::string& key = opened.selection.cut.key_op;
  return key.empty() ? "none" : aggregate::key_op_label(*opened.profile, key);
}

// A marker of the profile to be named in an advice: that at which it is split, else its best one.
std::string marker_to_name(const OpenedProfile& opened) {
  const std::string& key = opened.selection.cut.key_op;
  if (!key.empty()) return base::shell_quoted(key);
  const std::vector<aggregate::KeyOpCandidate>& candidates = opened.ranking->candidates();
  return candidates.empty() ? "\"\"" : base::shell_quoted(candidates.front().key);
}

// Splits two exports at the same marker, or each at its steps, unless the user named one. A stored
// list of iterations stays.
base::Status use_common_key(OpenedProfile& before, OpenedProfile& after,
                            const CompareOptions& options) {
  if (options.selection.key_op) return base::Success{};
  if (!before.profile->trace || !after.profile->trace) return base::Success{};
  const std::optional<aggregate::KeyPair> keys =
      aggregate::keys_to_compare(before.ranking->candidates(), after.ranking->candidates());
  if (!keys) {
    return base::Error{"The profiles have no iteration marker in common",
                       fmt::format("Before: {}. After: {}", marker_of(before), marker_of(after)),
                       fmt::format("Name one for each, for example --key-op {} --key-op {}, or "
                                   "compare the totals of the whole runs with --key-op \"\"",
                                   marker_to_name(before), marker_to_name(after))};
  }
  for (OpenedProfile* opened : {&before, &after}) {
    const std::string& key = opened == &before ? keys->one : keys->other;
    if (opened->selection.cut.key_op == key) continue;
    workspace::SelectionRequest with_key = options.selection;
    with_key.key_op = key;
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

// --key-op of both files, or once for each.
void bind_key_op(CLI::App& command, CompareOptions& options) {
  command.remove_option(command.get_option("--key-op"));
  make_repeatable(*command.add_option_function<std::vector<std::string>>(
      "--key-op",
      [&options](const std::vector<std::string>& names) {
        if (names.size() > 2) {
          throw CLI::ValidationError("--key-op", "At most one marker for each file");
        }
        options.selection.key_op = names.front();
        if (names.size() == 2) options.after_key_op = names.back();
      },
      "Op, op id, NVTX range or annotation that marks iterations; \"\" = do not split. Twice: "
      "for FILE, then for AFTER. Default of two files: a marker that both have, or the steps "
      "of each"));
}

// --iterations of both files, or once for each.
void bind_iterations(CLI::App& command, CompareOptions& options) {
  command.remove_option(command.get_option("--iterations"));
  make_repeatable(*command.add_option_function<std::vector<std::string>>(
      "--iterations",
      [&options](const std::vector<std::string>& texts) {
        std::vector<aggregate::IterationRange> ranges;
        const auto is_word = [](const std::string& text) {
          return text == "steady" || text == "all";
        };
        if (texts.size() > 1 && std::ranges::any_of(texts, is_word)) {
          throw CLI::ValidationError("--iterations",
                                     "steady and all are for both files: give it once");
        }
        for (const std::string& text : texts) {
          // The steady state is what two files are compared by.
          if (text == "steady") continue;
          if (text == "all") {
            options.all_iterations = true;
            continue;
          }
          const auto range = workspace::parse_iterations(text);
          if (!range) throw CLI::ValidationError("--iterations", base::to_text(range.error()));
          ranges.push_back(*range);
        }
        if (ranges.size() > 2) {
          throw CLI::ValidationError("--iterations", "At most one range for each file");
        }
        if (!ranges.empty()) options.selection.iterations = ranges.front();
        if (ranges.size() == 2) options.after_iterations = ranges.back();
      },
      "Iteration range A:B, both included; A alone means A:A. Twice: for FILE, then for AFTER. "
      "Default of two files: steady, the steady state of each; or all"));
}

// An error on a marker that only one file has says how to name two.
base::Error with_two_markers(base::Error error, const CompareOptions& options,
                             std::string_view before, std::string_view after) {
  if (error.title != workspace::kMarkerNotFound || !options.selection.key_op ||
      options.after_key_op) {
    return error;
  }
  if (!error.advice.empty()) error.advice += ". ";
  error.advice +=
      fmt::format("Name a marker for each file: --key-op {} --key-op {}", before, after);
  return error;
}

// The best marker of a file in which the named one was not found.
std::string best_marker_of(const std::string& path, workspace::SelectionRequest request) {
  request.key_op.reset();
  const auto opened = open_with_selection(path, request);
  return opened ? marker_to_name(*opened) : "MARKER";
}

}  // namespace

base::Result<OpenedRuns> open_runs(const CompareOptions& options) {
  // A state that names one of two files is for both.
  workspace::SelectionRequest for_both = options.selection;
  for_both.file.clear();
  const bool names_after = workspace::check_state_file(options.selection, options.after).ok();
  auto before = open_with_selection(options.path, names_after ? for_both : options.selection);
  if (!before) {
    const bool is_missing = before.error().title == workspace::kMarkerNotFound;
    // A name that neither file has is no advice.
    if (!is_missing || !open_with_selection(options.after, for_both)) return before.error();
    return with_two_markers(before.error(), options, best_marker_of(options.path, for_both),
                            base::shell_quoted(options.selection.key_op.value_or("")));
  }
  if (options.after_iterations) for_both.iterations = options.after_iterations;
  if (options.after_key_op) for_both.key_op = options.after_key_op;
  auto after = open_with_selection(options.after, for_both);
  if (!after) {
    const bool is_missing = after.error().title == workspace::kMarkerNotFound;
    return with_two_markers(after.error(), options, marker_to_name(*before),
                            is_missing ? best_marker_of(options.after, for_both) : "MARKER");
  }
  OpenedRuns runs{*std::move(before), *std::move(after), {}};
  runs.caution = caution_of(runs.before);
  DLVIEW_TRY(use_common_key(runs.before, runs.after, options));
  use_common_split(runs.before, runs.after);
  return runs;
}

int run_compare(const CompareOptions& options) {
  const auto warn = [&options](const std::string& caution) {
    if (!caution.empty() && options.format != CompareFormat::json) std::cerr << caution << '\n';
  };
  if (!options.after.empty()) {
    const auto runs = open_runs(options);
    if (!runs) return unusable(runs.error());
    warn(runs->caution);
    return print_compared_runs(*runs, options);
  }
  auto opened = open_with_selection(options.path, options.selection);
  if (!opened) return unusable(opened.error());
  const std::string caution = caution_of(*opened);
  warn(caution);
  const auto compared = compare(*opened, options);
  if (!compared) return unusable(compared.error());
  const Profile& profile = *opened->profile;
  std::vector<Table> tables{category_table(*compared),
                            report::make_op_differences(profile, compared->comparison),
                            report::make_kernel_differences(profile, compared->comparison)};
  for (Table& table : tables) report::name_iterations(table, *compared->comparison);
  print(facts_of(profile, *compared, opened->selection.cut.split_by, caution),
        metrics_of(*compared), std::move(tables), *compared->comparison, options, *opened);
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
  const std::vector<std::string> tables{"waterfall", "ops",     "kernels",   "matching",
                                        "checks",    "verdict", "categories"};
  CLI::Option* table =
      command
          ->add_option(
              "--table", options->table,
              "Print one table: waterfall, ops, kernels, matching, checks or verdict; of two "
              "iterations categories, ops or kernels")
          ->check(CLI::IsMember(tables));
  static const std::map<std::string, CompareFormat> kFormats{{"text", CompareFormat::text},
                                                             {"json", CompareFormat::json},
                                                             {"csv", CompareFormat::csv},
                                                             {"md", CompareFormat::markdown},
                                                             {"html", CompareFormat::html}};
  CLI::Option* format =
      command
          ->add_option("--format", options->format,
                       "Format: text, json, csv (one table); of two files also "
                       "md (GitHub's Markdown) or html "
                       "(the page of `dlview report FILE --with AFTER`)")
          ->transform(CLI::CheckedTransformer(kFormats).description("{text,json,csv,md,html}"));
  CLI::Option* json = command
                          ->add_flag_callback(
                              "--json", [options] { options->format = CompareFormat::json; },
                              "Print JSON; short for --format json")
                          ->excludes(format);
  command
      ->add_option_function<std::string>(
          "--csv",
          [options](const std::string& name) {
            options->format = CompareFormat::csv;
            options->table = name;
          },
          "Print one table as CSV; short for --format csv --table")
      ->check(CLI::IsMember(tables))
      ->excludes(json)
      ->excludes(format)
      ->excludes(table);
  command->add_option("-o,--output", options->output,
                      "Output file, of two files; default: standard output");
  command->add_option("--match", options->match,
                      "Steps that match ops of two files, separated by commas: id, path, layer, "
                      "shape, place, name; default: all");
  command
      ->add_option("--pair", options->pairs,
                   "Op before and op after that are the same, OLD=NEW: ids or names; repeatable")
      ->allow_extra_args(false);
  command
      ->add_option("--samples", options->samples,
                   "Samples per iteration before and after, A,B: prints times per sample, too")
      ->delimiter(',')
      ->expected(2)
      ->check([](const std::string& text) {
        double number = 0;
        const char* const end = text.data() + text.size();
        const std::from_chars_result read = std::from_chars(text.data(), end, number);
        // Times per sample stay within 64 bits.
        constexpr double kFewest = 0.001, kMost = 1e12;
        const bool is_number =
            read.ec == std::errc() && read.ptr == end && number >= kFewest && number <= kMost;
        return is_number ? std::string()
                         : fmt::format("\"{}\" is not a number from 0.001 to 1e12", text);
      });
  bind_selection(*command, options->selection);
  bind_iterations(*command, *options);
  bind_key_op(*command, *options);
  command->footer(
      "Examples:\n"
      "  dlview compare run.sqlite                               the slowest iteration\n"
      "  dlview compare run.sqlite --iteration 57 --against 56\n"
      "  dlview compare before.sqlite after.sqlite               the steady state of both\n"
      "  dlview compare before.sqlite after.sqlite --table ops --format md\n"
      "  dlview compare before.sqlite after.sqlite --format html -o compared.html\n"
      "  dlview compare before.sqlite after.sqlite --iterations 8:14 --iterations 1:9\n"
      "  dlview compare export.sqlite trace.json.gz --key-op step --key-op ProfilerStep");
  command->callback([&chosen, options] {
    if (options->after.empty()) {
      const auto needs_after = [](bool is_given, const char* option) {
        if (is_given) throw CLI::ValidationError(option, "Needs a second file, AFTER");
      };
      needs_after(options->after_iterations.has_value() || options->all_iterations, "--iterations");
      needs_after(options->after_key_op.has_value(), "--key-op");
      needs_after(options->format == CompareFormat::markdown, "--format md");
      needs_after(options->format == CompareFormat::html, "--format html");
      needs_after(!options->match.empty(), "--match");
      needs_after(!options->pairs.empty(), "--pair");
      needs_after(!options->samples.empty(), "--samples");
      needs_after(!options->output.empty(), "--output");
      needs_after(options->table == "waterfall" || options->table == "matching" ||
                      options->table == "checks" || options->table == "verdict",
                  "--table");
      if (options->table.empty()) options->table = "categories";
    } else if (options->table == "categories") {
      options->table = "waterfall";
    }
    if (options->format == CompareFormat::html && !options->table.empty()) {
      throw CLI::ValidationError("--table", "--format html has all tables");
    }
    chosen = [options] { return run_compare(*options); };
  });
}

}  // namespace dlview::app
