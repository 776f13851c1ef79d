#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "aggregate/iterations.h"
#include "app/commands/commands.h"
#include "app/commands/stats_output.h"
#include "report/names.h"
#include "report/nsys/cells.h"
#include "report/nsys/reports.h"
#include "report/nsys/write_reports.h"
#include "report/writers/file.h"

namespace dlview::app {
namespace {

using report::nsys::Format;
using report::nsys::ReportInfo;

int print_report_names() {
  for (const ReportInfo& report : report::nsys::reports()) {
    std::cout << report.name;
    if (!report.old_name.empty()) std::cout << " [" << report.old_name << ']';
    if (report.reference == report::nsys::Reference::none) std::cout << " (not compared with nsys)";
    std::cout << '\n';
  }
  return kExitSuccess;
}

base::Error no_trace(const profile::Profile& profile) {
  return {
      "These reports need an Nsight Systems export or a PyTorch trace",
      fmt::format("{} is a DLProf database, which does not contain the data", profile.source.path),
      "Open the export that it was made from, usually nsys_profile.sqlite, or use `dlview report` "
      "or `dlview "
      "table`"};
}

base::Error stats_filters_refused() {
  return {"nsys stats reports do not support filters", "the selection has filters",
          "Omit --only, or write tables with `dlview table`"};
}

base::Error one_document_each(Format format) {
  return {fmt::format("{} needs one file per report", format == Format::json ? "JSON" : "hdoc"),
          "there are several reports; without --report, dlview prints all default ones",
          "Choose a folder with --output-dir, or one report with --report"};
}

// The time of the chosen iterations; nothing when none were chosen.
std::optional<report::nsys::Window> chosen_window(const OpenedProfile& opened,
                                                  const workspace::SelectionRequest& request) {
  if (!request.iterations) return std::nullopt;
  return report::nsys::window_of(aggregate::cut_iterations(*opened.profile, opened.selection.cut),
                                 opened.selection.range);
}

// Item i, or the last one where there are fewer: as nsys pairs reports, formats and outputs.
template <typename T>
const T& item_or_last(const std::vector<T>& items, std::size_t i) {
  return items[std::min(i, items.size() - 1)];
}

struct StatsPlan {
  std::vector<const ReportInfo*> reports;
  std::vector<Format> formats;
  std::vector<StatsOutput> outputs;
  report::nsys::TimeUnit unit;
};

base::Result<std::vector<Format>> parse_formats(std::string_view list) {
  std::vector<Format> formats;
  for (const std::string_view name : report::split_names(list)) {
    const auto format = report::nsys::parse_format(name);
    if (!format) return format.error();
    formats.push_back(*format);
  }
  return formats;
}

// Two documents cannot follow each other in one place.
std::optional<base::Error> find_shared_document(const StatsPlan& plan) {
  for (std::size_t i = 0; i < plan.reports.size(); ++i) {
    const Format format = item_or_last(plan.formats, i);
    const StatsOutput& output = item_or_last(plan.outputs, i);
    if (!report::nsys::is_document(format) || output.kind == StatsOutput::Kind::folder) continue;
    for (std::size_t other = 0; other < plan.reports.size(); ++other) {
      if (other != i && item_or_last(plan.outputs, other) == output) {
        return one_document_each(format);
      }
    }
  }
  return std::nullopt;
}

base::Result<StatsPlan> make_plan(const StatsOptions& options) {
  StatsPlan plan;
  auto reports = report::nsys::parse_report_list(options.reports);
  if (!reports) return reports.error();
  plan.reports = *std::move(reports);
  auto formats = parse_formats(options.format);
  if (!formats) return formats.error();
  plan.formats = *std::move(formats);
  const auto unit = report::nsys::parse_time_unit(options.time_unit);
  if (!unit) return unit.error();
  plan.unit = *unit;
  plan.outputs = parse_stats_outputs(options.outputs);
  if (!options.output_folder.empty()) {
    plan.outputs = {{StatsOutput::Kind::folder, options.output_folder}};
  }
  if (plan.outputs.empty()) plan.outputs.emplace_back();
  if (auto shared = find_shared_document(plan)) return *std::move(shared);
  return plan;
}

// Tells on stderr of the reports that have nothing to show. JSON stays in ns, which it names.
std::vector<StatsJob> make_jobs(const StatsPlan& plan, const report::nsys::Input& input) {
  std::vector<StatsJob> jobs;
  for (std::size_t i = 0; i < plan.reports.size(); ++i) {
    const ReportInfo& report = *plan.reports[i];
    std::optional<report::Table> table = make_report(report, input);
    if (!table) {
      std::cerr << fmt::format("SKIPPED: {}: {}{} does not contain {}\n", report.name,
                               input.window ? "in these iterations " : "",
                               input.profile.source.path, report.needs.what);
      continue;
    }
    const Format format = item_or_last(plan.formats, i);
    jobs.push_back(
        {format == Format::json ? *std::move(table) : in_time_unit(*std::move(table), plan.unit),
         format, item_or_last(plan.outputs, i)});
  }
  return jobs;
}

// What JSON has instead of a report.
base::Status write_no_report(const StatsPlan& plan, const profile::Profile& profile) {
  if (plan.formats.front() != Format::json) return base::Success{};
  const StatsOutput& output = plan.outputs.front();
  if (output.kind == StatsOutput::Kind::standard) std::cout << "[]\n";
  if (output.kind != StatsOutput::Kind::file) return base::Success{};
  const base::Status allowed =
      report::refuse_source(output.text, profile, "Choose another name with -o");
  return allowed ? report::write_file(output.text, [](std::ostream& out) { out << "[]\n"; })
                 : allowed;
}

// The exit code.
base::Result<int> make_stats(const StatsOptions& options) {
  if (!options.selection.filters.empty()) return stats_filters_refused();
  const base::Result<StatsPlan> plan = make_plan(options);
  if (!plan) return plan.error();
  const auto opened = open_with_selection(options.path, options.selection);
  if (!opened) return opened.error();
  if (!opened->profile->trace) return no_trace(*opened->profile);
  const report::nsys::Input input{*opened->profile, chosen_window(*opened, options.selection)};
  const std::vector<StatsJob> jobs = make_jobs(*plan, input);
  const base::Status written = jobs.empty()
                                   ? write_no_report(*plan, *opened->profile)
                                   : write_stats(jobs, *opened->profile, opened->selection.range);
  if (!written) return written.error();
  return jobs.empty() ? kExitNothing : kExitSuccess;
}

}  // namespace

int run_stats(const StatsOptions& options) {
  if (options.list) return print_report_names();
  const base::Result<int> made = make_stats(options);
  return code_of(made);
}

void bind_stats(CLI::App& program, ChosenCommand& chosen) {
  const auto options = std::make_shared<StatsOptions>();
  CLI::App* command = program.add_subcommand(
      "stats", "Print the reports of `nsys stats` for an Nsight Systems export or a PyTorch trace");
  CLI::Option* path =
      command->add_option("EXPORT", options->path, "Nsight Systems export or PyTorch trace");
  CLI::Option* names =
      command->add_option("--report", options->reports, "Report names, comma-separated")
          ->capture_default_str();
  command->add_flag("--list", options->list, "List the report names and exit")->excludes(names);
  command
      ->add_option("--format", options->format,
                   "Format: csv (byte for byte as nsys 2023.4), tsv, column, table, json, hdoc or "
                   "htable; comma-separated for several reports")
      ->capture_default_str();
  command
      ->add_option("--timeunit", options->time_unit,
                   "Time unit: ns, us, ms or s; JSON always has ns")
      ->capture_default_str();
  CLI::Option* output =
      command->add_option("-o,--output", options->outputs,
                          "Output: a file, - for standard output (default), . for one file per "
                          "report, or @COMMAND; comma-separated for several reports");
  output->allow_extra_args(false);
  command->add_option("--output-dir", options->output_folder, "Output folder, one file per report")
      ->excludes(output);
  bind_selection(*command, options->selection);
  command->get_option("--only")->group("");  // see stats_filters_refused()
  command->callback([&chosen, options, path] {
    if (!options->list && path->empty()) throw CLI::RequiredError("EXPORT");
    chosen = [options] { return run_stats(*options); };
  });
}

}  // namespace dlview::app
