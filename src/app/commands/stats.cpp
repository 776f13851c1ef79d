#include "app/commands/stats.h"

#include <filesystem>
#include <iostream>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "aggregate/iterations.h"
#include "report/nsys/reports.h"
#include "report/nsys/write_reports.h"
#include "report/writers/file.h"

namespace dlview::app {
namespace {

using report::nsys::Format;

int print_report_names() {
  for (const report::nsys::ReportInfo& report : report::nsys::reports()) {
    std::cout << report.name;
    if (!report.old_name.empty()) std::cout << " [" << report.old_name << ']';
    std::cout << '\n';
  }
  return kExitSuccess;
}

base::Error no_trace(const profile::Profile& profile) {
  return {"These reports need an export of Nsight Systems",
          fmt::format("{} is a DLProf database, which does not keep what they count",
                      profile.source.path),
          "Open the export it was made from, usually nsys_profile.sqlite; `dlview report` and "
          "`dlview table` tell what this file holds"};
}

base::Error stats_filters_refused() {
  return {"The reports of nsys know no filters",
          "the selection has filters, which a report could not tell",
          "Leave --only out, or write tables with `dlview table`"};
}

base::Error one_document_each() {
  return {"JSON takes a file for each report", "there are several, as where --report names none",
          "Name a folder with --output-dir, or one report with --report"};
}

// The time of the chosen iterations; nothing when none were chosen.
std::optional<report::nsys::Window> chosen_window(const OpenedProfile& opened,
                                                  const SelectionRequest& request) {
  if (!request.iterations) return std::nullopt;
  return report::nsys::window_of(aggregate::cut_iterations(*opened.profile, opened.selection.cut),
                                 opened.selection.range);
}

// Tells on stderr of the reports that have nothing to show.
std::vector<report::Table> make_tables(const std::vector<const report::nsys::ReportInfo*>& reports,
                                       const report::nsys::Input& input) {
  std::vector<report::Table> tables;
  for (const report::nsys::ReportInfo* report : reports) {
    std::optional<report::Table> table = make_report(*report, input);
    if (table) {
      tables.push_back(*std::move(table));
    } else {
      std::cerr << fmt::format("SKIPPED: {}: {}{} does not contain {}\n", report->name,
                               input.window ? "in these iterations " : "",
                               input.profile.source.path, report->needs.what);
    }
  }
  return tables;
}

base::Status write_tables(const std::vector<report::Table>& tables, Format format,
                          const OpenedProfile& opened, const StatsOptions& options) {
  const profile::Profile& profile = *opened.profile;
  const aggregate::IterationRange& range = opened.selection.range;
  if (!options.output_folder.empty()) {
    const auto written =
        report::nsys::write_reports(tables, format, profile, range, options.output_folder);
    if (!written) return written.error();
    for (const std::filesystem::path& file : *written) std::cout << file.string() << '\n';
    return base::Success{};
  }
  if (tables.empty() && format != Format::json) return base::Success{};
  const auto write = [&](std::ostream& out) {
    if (tables.empty()) out << "[]\n";
    for (const report::Table& table : tables) {
      report::nsys::write_report(table, format, profile, range, out);
    }
  };
  if (options.output.empty()) {
    write(std::cout);
    return base::Success{};
  }
  const base::Status allowed =
      report::refuse_source(options.output, profile, "Choose another name with -o");
  return allowed ? report::write_file(options.output, write) : allowed;
}

// The exit code.
base::Result<int> make_stats(const StatsOptions& options) {
  if (!options.selection.filters.empty()) return stats_filters_refused();
  const auto reports = report::nsys::parse_report_list(options.reports);
  if (!reports) return reports.error();
  const auto format = report::nsys::parse_format(options.format);
  if (!format) return format.error();
  if (*format == Format::json && reports->size() > 1 && options.output_folder.empty()) {
    return one_document_each();
  }
  const auto opened = open_with_selection(options.path, options.selection);
  if (!opened) return opened.error();
  if (!opened->profile->trace) return no_trace(*opened->profile);
  const report::nsys::Input input{*opened->profile, chosen_window(*opened, options.selection)};
  const std::vector<report::Table> tables = make_tables(*reports, input);
  const base::Status written = write_tables(tables, *format, *opened, options);
  if (!written) return written.error();
  return tables.empty() ? kExitNothing : kExitSuccess;
}

}  // namespace

int run_stats(const StatsOptions& options) {
  if (options.list) return print_report_names();
  const base::Result<int> made = make_stats(options);
  return made ? *made : unusable(made.error());
}

void bind_stats(CLI::App& program, ChosenCommand& chosen) {
  const auto options = std::make_shared<StatsOptions>();
  CLI::App* command = program.add_subcommand(
      "stats", "Print the reports of `nsys stats` for an Nsight Systems export");
  CLI::Option* path = command->add_option("DB", options->path, "Export of Nsight Systems");
  CLI::Option* names = command
                           ->add_option("--report", options->reports,
                                        "Names of reports, with commas between several")
                           ->capture_default_str();
  command->add_flag("--list", options->list, "Print the names of the reports and exit")
      ->excludes(names);
  command
      ->add_option("--format", options->format, "csv (to the byte as nsys 2023.4), table or json")
      ->capture_default_str();
  CLI::Option* output =
      command->add_option("-o,--output", options->output, "File; by default standard output");
  command->add_option("--output-dir", options->output_folder, "Folder, with a file for each report")
      ->excludes(output);
  bind_selection(*command, options->selection);
  command->callback([&chosen, options, path] {
    if (!options->list && path->empty()) throw CLI::RequiredError("DB");
    chosen = [options] { return run_stats(*options); };
  });
}

}  // namespace dlview::app
