#include "app/text_list.h"

#include <iostream>
#include <ostream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "aggregate/definitions.h"
#include "aggregate/finding_pages.h"
#include "aggregate/metrics.h"
#include "aggregate/thresholds.h"
#include "app/program_commands.h"
#include "report/columns.h"
#include "report/nsys/reports.h"
#include "report/views/views.h"
#include "report/writers/export.h"
#include "ui/view.h"

namespace dlview::app {
namespace {

class Lines {
 public:
  Lines(std::string_view kind, std::ostream& out) : kind_(kind), out_(out) {}

  void add(std::string_view id, std::string_view text) const {
    if (text.empty()) return;
    out_ << kind_ << '\t' << id << '\t';
    for (const char c : text) c == '\n' ? out_ << "\\n" : out_ << c;
    out_ << '\n';
  }

 private:
  std::string_view kind_;
  std::ostream& out_;
};

void print_options(const CLI::App& command, const std::string& path, std::ostream& out) {
  Lines("command line", out).add(path, command.get_description());
  for (const CLI::Option* option : command.get_options()) {
    Lines("option", out)
        .add(fmt::format("{} {}", path, option->get_name()), option->get_description());
  }
  Lines("examples", out).add(path, command.get_footer());
  for (const CLI::App* each : command.get_subcommands({})) {
    print_options(*each, fmt::format("{} {}", path, each->get_name()), out);
  }
}

void print_window(std::ostream& out) {
  const Lines commands("command", out), views("view", out);
  for (const ProgramCommand& command : program_commands()) {
    commands.add(command.id, command.title);
    commands.add(command.id, command.help);
  }
  for (const ui::ViewInfo& view : ui::views()) {
    views.add(view.name, view.title);
    views.add(view.name, view.help);
  }
}

void print_tables(std::ostream& out) {
  const Lines tables("table", out), columns("column", out), reports("nsys report", out),
      formats("format", out);
  for (const report::ViewInfo& table : report::views()) {
    tables.add(table.name, table.title);
    tables.add(table.name, table.help);
  }
  for (const report::ColumnSpec& column : report::kColumns) {
    columns.add(column.key, column.title);
    if (column.screen_title() != column.title) columns.add(column.key, column.screen_title());
  }
  for (const report::nsys::ReportInfo& report : report::nsys::reports()) {
    reports.add(report.name, report.title);
    reports.add(report.name, report.help);
    reports.add(report.name, report.needs.what);
    reports.add(report.name, report.needs.remedy);
  }
  for (const report::ExportFormatInfo& format : report::kExportFormats) {
    formats.add(format.name, format.title);
  }
}

void print_numbers(std::ostream& out) {
  const Lines metrics("metric", out), findings("finding", out), thresholds("threshold", out);
  for (const aggregate::Metric& metric : aggregate::all_metrics()) {
    metrics.add(metric.id, metric.title);
    metrics.add(metric.id, metric.formula);
    metrics.add(metric.id, aggregate::definition_note(metric));
  }
  for (const aggregate::FindingPage& page : aggregate::finding_pages()) {
    for (const std::string_view text :
         {page.title, page.meaning, page.formula, page.fix, page.wrong_when}) {
      findings.add(page.detector, text);
    }
  }
  const aggregate::AdviceThresholds defaults;
  for (const aggregate::Threshold& threshold : aggregate::all_thresholds()) {
    thresholds.add(threshold.id, to_text(threshold, defaults));
  }
}

}  // namespace

void print_texts(const CLI::App& program, std::ostream& out) {
  print_options(program, "dlview", out);
  print_window(out);
  print_tables(out);
  print_numbers(out);
}

void bind_list_texts(CLI::App& program, ChosenCommand& chosen) {
  CLI::App* command = program.add_subcommand("strings", "List the declared texts of the program");
  command->group("");
  command->callback([&program, &chosen] {
    chosen = [&program] {
      print_texts(program, std::cout);
      return kExitSuccess;
    };
  });
}

}  // namespace dlview::app
