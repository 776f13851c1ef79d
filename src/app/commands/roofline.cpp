#include "report/limits/roofline.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "aggregate/aggregator.h"
#include "aggregate/limits/limits.h"
#include "app/commands/commands.h"
#include "base/progress.h"
#include "report/limits/roofline_svg.h"
#include "report/views/views.h"
#include "report/writers/export.h"
#include "report/writers/file.h"
#include "report/writers/text.h"
#include "ui/views/limits/limit_data.h"

namespace dlview::app {
namespace {

using aggregate::LimitsBy;

struct TableOf {
  std::string_view by, table;
  LimitsBy rows;
};
constexpr std::array<TableOf, 4> kTables{{{"op", "roofline", LimitsBy::op},
                                          {"kernel", "roofline_kernels", LimitsBy::kernel},
                                          {"shape", "roofline_shapes", LimitsBy::shape},
                                          {"group", "roofline_groups", LimitsBy::group}}};

struct ColumnOf {
  std::string_view rule, column;
};
constexpr std::array<ColumnOf, 4> kRules{
    {{"uf", "class_uf"}, {"ub", "class_ub"}, {"i", "class_i"}, {"s", "class_s"}}};

// What a terminal has room for.
constexpr std::array<std::string_view, 12> kColumnsInTerminal{
    "limit_name", "input_shapes", "math_type", "num_calls", "limit_time", "limit_share",
    "limit",      "save_at_most", "tflops",    "gbps",      "pct_roof",   "limit_note"};

// The column of the rule takes the place of the verdict.
void show_rule(report::Table& table, std::string_view rule) {
  const auto column_of = [&table](std::string_view id) {
    return std::ranges::find(table.columns, id, &report::Column::id);
  };
  const auto wanted = std::ranges::find(kRules, rule, &ColumnOf::rule);
  if (wanted != kRules.end()) column_of("limit")->cell = column_of(wanted->column)->cell;
}

void keep_columns_in_terminal(report::Table& table) {
  std::erase_if(table.columns, [](const report::Column& column) {
    return std::ranges::find(kColumnsInTerminal, column.id) == kColumnsInTerminal.end();
  });
}

// Rows of one number format.
std::vector<uint32_t> rows_of_type(const report::Table& table, std::string_view type) {
  std::vector<uint32_t> rows(table.row_count);
  std::iota(rows.begin(), rows.end(), uint32_t{0});
  if (type.empty()) return rows;
  const auto column = std::ranges::find(table.columns, "math_type", &report::Column::id);
  const auto wanted = aggregate::parse_math_type(type);
  std::erase_if(rows, [&](uint32_t row) {
    const report::Cell cell = column->cell(row);
    return !wanted || report::to_text(cell) != to_text(*wanted);
  });
  return rows;
}

void keep_rows(report::Table& table, const std::vector<uint32_t>& rows) {
  for (report::Column& column : table.columns) {
    column.cell = [cell = std::move(column.cell), rows](std::size_t row) {
      return cell(rows[row]);
    };
  }
  table.row_count = rows.size();
}

// Why nothing is known of these rows, in a line on stderr.
void explain_unknown(const profile::Profile& profile, const report::Table& table,
                     const std::vector<uint32_t>& rows) {
  const auto knows = [&](std::string_view id) {
    const auto column = std::ranges::find(table.columns, id, &report::Column::id);
    return std::ranges::any_of(rows, [&](uint32_t row) {
      return !std::holds_alternative<std::monostate>(column->cell(row));
    });
  };
  const bool knows_work = knows("flops") || knows("limit_bytes");
  if (!knows_work && !profile.counters) {
    fmt::print(stderr, "{}.\n{}.\n", aggregate::kNoWorkRecorded, aggregate::kRecordWork);
  } else if (knows_work && !knows("roof_time")) {
    fmt::print(stderr, "Peaks of the GPU are unknown. Add --peaks FILE.\n");
  }
}

// The plot of the window's view Limits.
base::Status write_plot(const std::filesystem::path& file, const ui::LimitData& data,
                        const ui::LimitChoice& choice) {
  const base::Status is_other =
      report::refuse_source(file, *data.profile, "Choose another name for the plot");
  if (!is_other) return is_other.error();
  const report::Roofline plot = report::prepare_roofline(data.rows(), data.peaks, choice.rule);
  return report::write_file(file, [&](std::ostream& out) {
    out << report::roofline_svg(plot, data.rows(), ui::limits_head_line(data, choice));
  });
}

base::Status print_roofline(const RooflineOptions& options) {
  const auto opened = open_with_selection(options.path, options.selection);
  if (!opened) return opened.error();
  const profile::Profile& profile = *opened->profile;
  const auto aggregation = std::make_shared<const aggregate::Aggregation>(
      aggregate::make_cpu_aggregator(opened->profile)->aggregate(opened->selection));
  report::ViewArguments arguments;
  arguments.limits =
      std::make_shared<const aggregate::LimitIndex>(profile, options.selection.limit_options);
  const auto wanted = std::ranges::find(kTables, options.by, &TableOf::by);
  auto table = report::make_view(wanted->table, profile, *aggregation, arguments);
  if (!table) return table.error();
  if (!options.svg.empty()) {
    ui::LimitChoice choice;
    choice.by = wanted->rows;
    choice.type = aggregate::parse_math_type(options.type);
    choice.rule = report::parse_limit_rule(options.rule).value_or(report::LimitRule::best);
    const base::Status written = write_plot(
        options.svg, *ui::make_limit_data(opened->profile, aggregation, arguments.limits, choice),
        choice);
    if (!written) return written.error();
  }
  show_rule(*table, options.rule);
  const std::vector<uint32_t> rows = rows_of_type(*table, options.type);
  explain_unknown(profile, *table, rows);
  if (options.format != "table") {
    base::Progress progress;
    const auto format = report::parse_export_format(options.format);
    if (!format) return format.error();
    report::export_to_stream({*table, rows, "", aggregation->selection}, *format, std::cout,
                             progress);
    return base::Success{};
  }
  keep_columns_in_terminal(*table);
  keep_rows(*table, rows);
  report::write_text(*table, report::Numbers::readable, std::cout, "");
  return base::Success{};
}

}  // namespace

int run_roofline(const RooflineOptions& options) {
  const base::Status status = print_roofline(options);
  return code_of(status);
}

void bind_roofline(CLI::App& program, ChosenCommand& chosen) {
  const auto options = std::make_shared<RooflineOptions>();
  CLI::App* command = program.add_subcommand(
      "roofline", "Print what limits ops or kernels, and what they can save at most");
  command->add_option("FILE", options->path, "Profile")->required();
  command->add_option("--by", options->by, "Rows: op, kernel, shape or group; default: op")
      ->check(CLI::IsMember({"op", "kernel", "shape", "group"}));
  command
      ->add_option("--rule", options->rule,
                   "Rule that decides the limit: uf (FLOP/s), ub (busy counters), i (intensity), s "
                   "(Speed of Light); default: best evidence")
      ->check(CLI::IsMember({"uf", "ub", "i", "s"}));
  command
      ->add_option("--type", options->type,
                   "Only rows of this number format: " + aggregate::math_type_names())
      ->check([](const std::string& text) {
        return aggregate::parse_math_type(text)
                   ? std::string()
                   : "unknown number format; valid: " + aggregate::math_type_names();
      });
  command->add_option("--format", options->format, "Format: table, csv or json; default: table")
      ->check(CLI::IsMember({"table", "csv", "json"}));
  command->add_option("--svg", options->svg, "Also write the plot into this file");
  bind_selection(*command, options->selection);
  command->footer(
      "Examples:\n"
      "  dlview roofline run.pt.trace.json.gz\n"
      "  dlview roofline run.sqlite --by kernel --rule ub --format csv\n"
      "  dlview roofline run.sqlite --ncu run.csv --svg roofline.svg");
  run_when_parsed(*command, chosen, options, run_roofline);
}

}  // namespace dlview::app
