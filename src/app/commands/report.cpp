#include <filesystem>
#include <iostream>
#include <memory>

#include "aggregate/aggregator.h"
#include "aggregate/limits/limits.h"
#include "app/commands/commands.h"
#include "report/dlprof/write_reports.h"
#include "report/operators/operator_report.h"
#include "report/writers/file.h"

namespace dlview::app {

namespace {

base::Error filters_refused(bool is_per_operator) {
  return {is_per_operator ? "The report per operator does not support filters"
                          : "DLProf reports do not support filters",
          "the selection has filters", "Omit --only, or write tables with `dlview table`"};
}

base::Status check_operator_options(const ReportOptions& options) {
  const bool has_file = !options.html.empty() || !options.pdf.empty();
  if (options.operators && !has_file) {
    return base::Error{"Missing output file", "--operators needs --html FILE or --pdf FILE",
                       "Example: dlview report run.sqlite --operators --html operators.html"};
  }
  if (!options.operators && has_file) {
    return base::Error{"Missing --operators", "--html and --pdf write the report per operator",
                       "Add --operators"};
  }
  if (options.operators && !options.output_folder.empty()) {
    return base::Error{"Two kinds of report", "--operators and --output-dir exclude each other",
                       "Run dlview report once for each"};
  }
  if (!options.operators && options.output_folder.empty()) {
    return base::Error{"Missing output folder", "DLProf's reports need --output-dir",
                       "Add --output-dir FOLDER, or --operators --html FILE"};
  }
  return base::Success{};
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
  if (const base::Status valid = check_operator_options(options); !valid) {
    return unusable(valid.error());
  }
  if (!options.selection.filters.empty()) return unusable(filters_refused(options.operators));
  if (options.operators) {
    const base::Status written = write_operators(options);
    return written ? kExitSuccess : unusable(written.error());
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
      program.add_subcommand("report", "Write DLProf's reports, or one per operator");
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
  command->add_option("--html", options->html, "With --operators: a web page without scripts");
  command->add_option("--pdf", options->pdf, "With --operators: a PDF");
  bind_selection(*command, options->selection);
  command->get_option("--split-by")
      ->description(
          "Iterations end on the host (host, default: as in DLProf), or with their last kernel on "
          "the main stream if "
          "that is later (gpu)");
  command->get_option("--only")->group("");  // see filters_refused()
  command->footer(
      "Examples:\n"
      "  dlview report run.sqlite --output-dir out\n"
      "  dlview report run.sqlite --output-dir out --reports kernel,tensor --iterations 50:100\n"
      "  dlview report run.pt.trace.json.gz --operators --html operators.html");
  command->callback([&chosen, options] { chosen = [options] { return run_report(*options); }; });
}

}  // namespace dlview::app
