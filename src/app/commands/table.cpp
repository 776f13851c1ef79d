#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "aggregate/aggregator.h"
#include "aggregate/tensor_core_uses.h"
#include "app/commands/commands.h"
#include "base/progress.h"
#include "import/pytorch/python_frames.h"
#include "report/not_recorded.h"
#include "report/query.h"
#include "report/views/views.h"
#include "report/writers/export.h"
#include "report/writers/file.h"
#include "report/writers/text.h"
#include "workspace/suggestions.h"

namespace dlview::app {
namespace {

namespace fs = std::filesystem;
using report::ExportFormat;

// The tables that --table accepts, as a table.
report::Table list_of_tables() {
  const auto views = report::views();
  const auto text = [views](const char* id, const char* title,
                            std::string_view report::ViewInfo::*member) {
    return report::text_column(id, title,
                               [views, member](std::size_t row) { return views[row].*member; });
  };
  report::Table table{"tables", "Tables", report::Layout::rows, {}, views.size()};
  table.columns = {text("name", "Name", &report::ViewInfo::name),
                   text("title", "Title", &report::ViewInfo::title),
                   text("help", "Rows", &report::ViewInfo::help)};
  return table;
}

base::Status print_list(const TableOptions& options) {
  const report::Table table = list_of_tables();
  if (!options.format) {
    report::write_text(table, report::Numbers::readable, std::cout);
    return base::Success{};
  }
  const auto format = report::parse_export_format(*options.format);
  if (!format) return format.error();
  if (!report::info(*format).is_text) {
    return base::Error{"The list of tables needs a text format",
                       fmt::format("{} is not a text format", report::info(*format).name),
                       "Valid formats: csv, json, html, tsv"};
  }
  std::vector<uint32_t> rows(table.row_count);
  std::iota(rows.begin(), rows.end(), uint32_t{0});
  base::Progress progress;
  const aggregate::Selection none;
  report::export_to_stream({table, rows, "", none}, *format, std::cout, progress);
  return base::Success{};
}

base::Result<ExportFormat> choose_format(const TableOptions& options) {
  if (options.format) return report::parse_export_format(*options.format);
  const std::string suffix = fs::path(options.output).extension().string();
  if (suffix.empty()) return ExportFormat::csv;
  auto named = report::parse_export_format(suffix.substr(1));
  if (named) return named;
  return base::Error{"The file extension names no format", options.output,
                     named.error().advice + ", or use --format"};
}

base::Result<report::TableQuery> read_query(const TableOptions& options) {
  report::TableQuery query;
  query.search = options.search;
  for (const std::string& text : options.filters) {
    const auto filter = report::parse_column_filter(text);
    if (!filter) return filter.error();
    query.filters.push_back(*filter);
  }
  const auto sort = report::parse_sort(options.sort);
  if (!sort) return sort.error();
  query.sort = *sort;
  return query;
}

base::Error no_op(const profile::Profile& profile, const std::string& op) {
  std::set<std::string_view> texts;
  for (profile::OpIndex row{0}; row < profile.ops.size(); ++row) {
    texts.insert(profile.text(profile.ops.id[row]));
    texts.insert(profile.text(profile.ops.name[row]));
  }
  const std::string similar = workspace::similar_texts(texts, op);
  return {"Op not found", fmt::format("no op has the id or name \"{}\"", op),
          similar.empty() ? "`dlview table FILE --table op_nodes` lists the ops"
                          : fmt::format("Did you mean {}?", similar)};
}

// A table of frames alone says why there are none.
bool reads_python_frames(const profile::Profile& profile, std::string_view table) {
  const auto view = std::ranges::find(report::views(), table, &report::ViewInfo::name);
  if (view == report::views().end()) return false;
  return view->needs == report::ViewNeeds::python_frames ||
         (view->needs == report::ViewNeeds::trace_and_frames &&
          profile::python_frame_count(profile) > 0);
}

bool needs_limits(std::string_view table) {
  const auto view = std::ranges::find(report::views(), table, &report::ViewInfo::name);
  return view != report::views().end() && view->needs == report::ViewNeeds::limits;
}

base::Result<report::ViewArguments> choose_rows(const profile::Profile& profile,
                                                const TableOptions& options) {
  report::ViewArguments arguments;
  if (needs_limits(options.table)) {
    arguments.limits =
        std::make_shared<const aggregate::LimitIndex>(profile, options.selection.limit_options);
  }
  arguments.iteration = options.iteration;
  arguments.hides_internal_frames = options.hide_internal_frames;
  if (!options.changes.empty() && options.table != "what_if") {
    return base::Error{"Only the table what_if has changes", "--if was given",
                       "Add --table what_if, or leave --if out"};
  }
  for (const std::string& text : options.changes) {
    const auto change = aggregate::find_change(profile, text);
    if (!change) return change.error();
    arguments.changes.push_back(*change);
  }
  if (reads_python_frames(profile, options.table)) {
    base::Progress progress;
    auto frames = import::pytorch::read_python_frames(profile, progress);
    if (!frames) return frames.error();
    arguments.python_frames = std::make_shared<const profile::PythonFrames>(*std::move(frames));
  }
  if (options.op.empty()) return arguments;
  arguments.ops = report::find_ops(profile, options.op);
  if (arguments.ops.empty()) return no_op(profile, options.op);
  return arguments;
}

base::Status write(const report::ShownTable& shown, ExportFormat format,
                   const profile::Profile& profile, const std::string& output) {
  base::Progress progress;
  if (output.empty()) {
    report::export_to_stream(shown, format, std::cout, progress);
    return base::Success{};
  }
  const base::Status allowed =
      report::refuse_source(output, profile, "Choose another name with -o");
  if (!allowed) return allowed.error();
  return report::export_to_file(shown, format, output, progress);
}

// The name that the profile has, else that of its file.
std::string name_of(const profile::Profile& profile) {
  const std::string& name = profile.system.profile_name;
  return name.empty() ? fs::path(profile.source.path).filename().string() : name;
}

base::Status make_table(const TableOptions& options) {
  const auto format = choose_format(options);
  if (!format) return format.error();
  if (options.output.empty() && !report::info(*format).is_text) {
    return base::Error{
        "This format needs a file",
        fmt::format("{} is not a text format", report::info(*format).name),
        fmt::format("Write to a file: -o {}.{}", options.table, report::info(*format).name)};
  }
  const auto query = read_query(options);
  if (!query) return query.error();
  const auto opened = open_with_selection(options.path, options.selection);
  if (!opened) return opened.error();
  const profile::Profile& profile = *opened->profile;
  const auto arguments = choose_rows(profile, options);
  if (!arguments) return arguments.error();

  const aggregate::Aggregation aggregation =
      aggregate::make_cpu_aggregator(opened->profile)->aggregate(opened->selection);
  auto table = report::make_view(options.table, profile, aggregation, *arguments);
  if (!table) return table.error();
  report::empty_unknown_use(*table, profile, aggregate::UnknownTensorCoreUse(profile));
  base::Progress progress;
  const auto rows = report::run_query(*table, *query, progress);
  if (!rows) return rows.error();
  const std::string name = name_of(profile);
  return write({*table, *rows, name, aggregation.selection}, *format, profile, options.output);
}

}  // namespace

int run_table(const TableOptions& options) {
  const base::Status status = options.list ? print_list(options) : make_table(options);
  return code_of(status);
}

void bind_table(CLI::App& program, ChosenCommand& chosen) {
  const auto options = std::make_shared<TableOptions>();
  CLI::App* command =
      program.add_subcommand("table", "Write a table of any range, filtered and sorted");
  CLI::Option* path = command->add_option("FILE", options->path, "Profile");
  CLI::Option* table = command->add_option("--table", options->table, "Name of the table");
  command->add_flag("--list", options->list, "List the tables and exit; for scripts: --format csv")
      ->excludes(table);
  command->add_option("--search", options->search, "Only rows with this text in any column");
  make_repeatable(*command->add_option(
      "--filter", options->filters,
      "Only rows where COLUMN=TEXT; repeatable. Texts: a part or /regex/; numbers: "
      ">1ms, <20, 10..20, 5%; flags: 1 or 0"));
  command->add_option("--sort", options->sort,
                      "Sort by COLUMN[:asc|desc], comma-separated; ascending by default");
  command->add_option("--iteration", options->iteration, "Only rows of this iteration");
  command->add_option("--op", options->op, "Only rows of ops with this id or name");
  command->add_flag("--hide-internal-frames", options->hide_internal_frames,
                    "In stacks and stack_tree: leave out built-in functions and torch frames that "
                    "only wrap another call");
  make_repeatable(*command->add_option(
      "--if", options->changes,
      "In what_if: a change, repeatable. data_loader, exposed_communication, memory, "
      "io, idle_CAUSE, tensor_cores; op=NAME:FACTOR, op_type=, kernel=, part="));
  command->add_option(
      "--format", options->format,
      "Format: csv, json, xlsx, pdf, html or tsv; default: by file extension, else csv");
  command->add_option("-o,--output", options->output, "Output file; default: standard output");
  bind_selection(*command, options->selection);
  command->footer(
      "Examples:\n"
      "  dlview table --list\n"
      "  dlview table run.sqlite --table op_nodes --filter 'gpu_time=>1ms' --sort "
      "gpu_time:desc\n"
      "  dlview table run.sqlite --table kernel_summaries --op CONV2D_1 -o kernels.xlsx");
  command->callback([&chosen, options, path, table] {
    if (!options->list && path->empty()) throw CLI::RequiredError("FILE");
    if (!options->list && table->empty()) throw CLI::RequiredError("--table or --list");
    chosen = [options] { return run_table(*options); };
  });
}

}  // namespace dlview::app
