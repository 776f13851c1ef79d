#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "aggregate/aggregator.h"
#include "aggregate/limits/limits.h"
#include "app/build_facts.h"
#include "app/commands/budget_run.h"
#include "app/commands/commands.h"
#include "app/commands/compare_runs.h"
#include "report/dlprof/write_reports.h"
#include "report/operators/operator_report.h"
#include "report/page/run_page.h"
#include "report/writers/file.h"

namespace dlview::app {

namespace {

base::Error filters_refused(bool is_per_operator) {
  return {is_per_operator ? "The report per operator does not support filters"
                          : "DLProf reports do not support filters",
          "the selection has filters",
          "Omit --only, or write a page with --html or tables with `dlview table`"};
}

// One kind of report a call: a page about the run, one about its ops, or DLProf's.
base::Status check_options(const ReportOptions& options) {
  const bool is_page = !options.operators && !options.html.empty();
  const bool has_file = !options.html.empty() || !options.pdf.empty();
  if (options.operators && !has_file) {
    return base::Error{"Missing output file", "--operators needs --html FILE or --pdf FILE",
                       "Example: dlview report run.sqlite --operators --html operators.html"};
  }
  if (!options.operators && !options.pdf.empty()) {
    return base::Error{"Missing --operators", "--pdf writes the report per operator",
                       "Add --operators, or use --html for a page about the run"};
  }
  if (has_file && !options.output_folder.empty()) {
    return base::Error{"Two kinds of report",
                       fmt::format("{} and --output-dir exclude each other",
                                   options.operators ? "--operators" : "--html"),
                       "Run dlview report once for each"};
  }
  if (!has_file && options.output_folder.empty()) {
    return base::Error{"Missing output", "",
                       "Add --html FILE for a page about the run, or --output-dir FOLDER for "
                       "DLProf's reports"};
  }
  const auto needs_page = [is_page](bool is_given, const char* option) -> base::Status {
    if (!is_given || is_page) return base::Success{};
    return base::Error{fmt::format("{} is for the page about the run", option), "",
                       "Add --html FILE, without --operators"};
  };
  DLVIEW_TRY(needs_page(!options.with.empty(), "--with"));
  DLVIEW_TRY(needs_page(!options.budget.empty(), "--budget"));
  DLVIEW_TRY(needs_page(options.with_host, "--with-host"));
  if (!options.baseline.empty() && options.budget.empty()) {
    return base::Error{"Missing --budget", "--baseline is for the budgets of a file",
                       "Add --budget FILE"};
  }
  return base::Success{};
}

// Budgets are those of the iterations of the budget file, also where two runs are compared.
base::Status check_budget_options(const ReportOptions& options) {
  const workspace::SelectionRequest& selection = options.selection;
  if (options.budget.empty()) return base::Success{};
  if (!selection.iterations && !selection.key_op && selection.filters.empty()) {
    return base::Success{};
  }
  return base::Error{"The budget file chooses the iterations",
                     "--iterations, --key-op and --only do not apply to its page",
                     "Omit them, or change [run] in the budget file"};
}

// The page must not replace what it is made of.
base::Status refuse_inputs(const ReportOptions& options) {
  for (const std::string& input : {options.budget, options.baseline}) {
    std::error_code ignored;
    if (!input.empty() && std::filesystem::equivalent(input, options.html, ignored)) {
      return base::Error{"The output is an input", options.html,
                         "Choose another name for the page"};
    }
  }
  return base::Success{};
}

// Writes the page about the run.
base::Status write_page_of(const ReportOptions& options) {
  DLVIEW_TRY(check_budget_options(options));
  DLVIEW_TRY(refuse_inputs(options));
  std::unique_ptr<JudgedRun> judged;
  std::optional<report::budget::CheckedRun> checked;
  if (!options.budget.empty()) {
    BudgetOptions budgets;
    // Of two runs the one after is the one that may have become worse.
    budgets.runs = {options.with.empty() ? options.path : options.with};
    budgets.budget = options.budget;
    budgets.baseline = options.baseline;
    budgets.use_cache = options.selection.use_cache;
    auto run = judge_run(budgets);
    if (!run) return run.error();
    judged = *std::move(run);
    checked.emplace(judged->checked());
  }
  const auto write = [&](const profile::Profile& profile, const aggregate::Aggregation& aggregation,
                         const report::SharedRunComparison& comparison,
                         const aggregate::Aggregation* after) -> base::Status {
    const aggregate::LimitIndex limits(profile, options.selection.limit_options);
    DLVIEW_TRY(report::page::write_run_page({.profile = profile,
                                             .aggregation = aggregation,
                                             .version = kVersion,
                                             .limits = &limits,
                                             .comparison = comparison,
                                             .after = after,
                                             .budgets = checked ? &*checked : nullptr,
                                             .with_host = options.with_host},
                                            options.html));
    std::cout << options.html << '\n';
    return base::Success{};
  };
  if (!options.with.empty()) {
    CompareOptions both;
    both.path = options.path;
    both.after = options.with;
    both.selection = options.selection;
    const auto runs = open_runs(both);
    if (!runs) return runs.error();
    if (!runs->caution.empty()) std::cerr << runs->caution << '\n';
    const auto compared = compare_runs(*runs, both);
    if (!compared) return compared.error();
    return write(*runs->before.profile, compared->before, compared->comparison, &compared->after);
  }
  if (judged) return write(*judged->profile, judged->meter->whole(), nullptr, nullptr);
  const auto opened = open_with_selection(options.path, options.selection);
  if (!opened) return opened.error();
  return write(*opened->profile,
               aggregate::make_cpu_aggregator(opened->profile)->aggregate(opened->selection),
               nullptr, nullptr);
}

// Writes the report per operator.
base::Status write_operators(const ReportOptions& options) {
  const auto opened = open_with_selection(options.path, options.selection);
  if (!opened) return opened.error();
  const aggregate::LimitIndex limits(*opened->profile, options.selection.limit_options);
  const aggregate::Aggregation aggregation =
      aggregate::make_cpu_aggregator(opened->profile)->aggregate(opened->selection);
  const report::OperatorReport made =
      report::make_operator_report(*opened->profile, aggregation, limits,
                                   std::filesystem::path(options.path).filename().string());
  const auto write_to = [&opened](const std::string& file, const auto& write) -> base::Status {
    if (file.empty()) return base::Success{};
    const base::Status is_other =
        report::refuse_source(file, *opened->profile, "Choose another name for the report");
    if (!is_other) return is_other.error();
    const base::Status written = write();
    if (!written) return written.error();
    std::cout << file << '\n';
    return base::Success{};
  };
  const base::Status html = write_to(options.html, [&] {
    return report::write_file(
        options.html, [&made](std::ostream& out) { report::write_operator_html(made, out); });
  });
  if (!html) return html.error();
  return write_to(options.pdf, [&] { return report::write_operator_pdf(made, options.pdf); });
}

}  // namespace

int run_report(const ReportOptions& options) {
  if (const base::Status valid = check_options(options); !valid) {
    return unusable(valid.error());
  }
  if (!options.operators && !options.html.empty()) {
    const base::Status written = write_page_of(options);
    return code_of(written);
  }
  if (!options.selection.filters.empty()) return unusable(filters_refused(options.operators));
  if (options.operators) {
    const base::Status written = write_operators(options);
    return code_of(written);
  }
  const auto reports = report::dlprof::parse_report_list(options.reports);
  if (!reports) return unusable(reports.error());
  const auto formats = report::dlprof::parse_format_list(options.formats);
  if (!formats) return unusable(formats.error());
  workspace::SelectionRequest request = options.selection;
  // DLProf splits by the host.
  if (!request.split_by) request.split_by = aggregate::SplitBy::host;
  const auto opened = open_with_selection(options.path, request);
  if (!opened) return unusable(opened.error());

  const aggregate::Aggregation aggregation =
      aggregate::make_cpu_aggregator(opened->profile)->aggregate(opened->selection);
  const auto written = report::dlprof::write_reports(*opened->profile, aggregation, *reports,
                                                     *formats, options.output_folder);
  if (!written) return unusable(written.error());
  for (const std::filesystem::path& file : *written) std::cout << file.string() << '\n';
  return kExitSuccess;
}

void bind_report(CLI::App& program, ChosenCommand& chosen) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* command =
      program.add_subcommand("report", "Write a page about a run, or DLProf's reports");
  command->add_option("FILE", options->path, "Profile")->required();
  command
      ->add_option("--reports", options->reports,
                   "Reports: all, or a list of summary, detail, iteration, kernel, tensor, "
                   "op_type, group_op, expert_systems")
      ->capture_default_str();
  command->add_option("--formats", options->formats, "Formats: csv, json")->capture_default_str();
  command->add_option("-o,--output-dir", options->output_folder,
                      "Output folder of DLProf's reports");
  command->add_flag("--operators", options->operators,
                    "Write what limits each op, how well it uses the GPU, and advice");
  command->add_option("--html", options->html,
                      "Write one web page about the run, which opens without a network; with "
                      "--operators about its ops");
  command->add_option("--with", options->with, "With --html: compare with this run, the one after");
  command->add_option("--budget", options->budget,
                      "With --html: check the limits of this budget file, too; with --with those "
                      "of the run after");
  command->add_option("--baseline", options->baseline, "Baseline file of --budget");
  command->add_flag("--with-host", options->with_host,
                    "With --html: name user, host, command and paths, which a page leaves out");
  command->add_option("--pdf", options->pdf, "With --operators: a PDF");
  bind_selection(*command, options->selection);
  command->get_option("--split-by")
      ->description(
          "Iterations end on the host (host), or with their last kernel on the main stream if that "
          "is later (gpu); default: host for DLProf's reports, as DLProf has it");
  command->get_option("--only")->description(
      "Filter KIND=VALUE for a page, repeatable; not for other reports");
  command->footer(
      "Examples:\n"
      "  dlview report run.sqlite --html run.html\n"
      "  dlview report before.sqlite --with after.sqlite --html compared.html\n"
      "  dlview report run.sqlite --output-dir out\n"
      "  dlview report run.sqlite --output-dir out --reports kernel,tensor --iterations 50:100\n"
      "  dlview report run.pt.trace.json.gz --operators --html operators.html");
  run_when_parsed(*command, chosen, options, run_report);
}

}  // namespace dlview::app
