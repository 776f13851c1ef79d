#include <filesystem>
#include <iostream>
#include <memory>

#include "aggregate/aggregator.h"
#include "app/commands/commands.h"
#include "report/dlprof/write_reports.h"

namespace dlview::app {

namespace {

base::Error filters_refused() {
  return {"DLProf reports do not support filters", "the selection has filters",
          "Omit --only, or write tables with `dlview table`"};
}

}  // namespace

int run_report(const ReportOptions& options) {
  if (!options.selection.filters.empty()) return unusable(filters_refused());
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
  CLI::App* command = program.add_subcommand("report", "Write DLProf's reports as CSV or JSON");
  command->add_option("FILE", options->path, "Profile")->required();
  command
      ->add_option("--reports", options->reports,
                   "Reports: all, or a list of summary, detail, iteration, kernel, tensor, "
                   "op_type, group_op, expert_systems")
      ->capture_default_str();
  command->add_option("--formats", options->formats, "Formats: csv, json")->capture_default_str();
  command->add_option("-o,--output-dir", options->output_folder, "Output folder")->required();
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
      "  dlview report run.sqlite --output-dir out --reports kernel,tensor --iterations 50:100");
  command->callback([&chosen, options] { chosen = [options] { return run_report(*options); }; });
}

}  // namespace dlview::app
