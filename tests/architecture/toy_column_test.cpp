// A column is declared in one place, report/columns/. A table needs its ColumnId and what its
// cells hold; a look needs its ColumnId. Neither compiles when the id is misspelled.

#include <algorithm>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/compare.h"
#include "aggregate/comparison/comparison.h"
#include "base/units.h"
#include "profile/recorded.h"
#include "report/columns.h"
#include "report/comparison/comparison_tables.h"
#include "report/views/views.h"
#include "report/writers/csv.h"
#include "support/random_profile.h"
#include "support/sketch.h"
#include "ui/views/compare/compare_data.h"
#include "ui/views/iterations/comparison.h"
#include "ui/views/tables/drill_down.h"
#include "ui/views/tables/groups.h"
#include "ui/views/tables/kernel_columns.h"
#include "ui/views/tables/looks.h"
#include "ui/views/tables/table_view.h"
#include "ui/views/tables/time_columns.h"

namespace dlview {
namespace {

using report::ColumnSpec;
using report::kColumns;
using report::Table;

TEST(ToyColumn, TakesADeclarationAnAccessorAndALook) {
  Table table;
  table.title = "Toy";
  table.row_count = 1;
  table.columns = {
      report::column("kernel_summaries.gpu_time", [](std::size_t) { return int64_t{1'500'000}; })};
  const ui::ColumnLook look = ui::column_look("kernel_summaries.gpu_time");

  EXPECT_EQ(report::header_text(table.columns[0]), "GPU Time (ns)");
  EXPECT_EQ(table.columns[0].first_sort, report::SortDirection::descending);
  EXPECT_EQ(ui::cell_in(table, 0, "kernel_summaries.gpu_time"), report::Cell(int64_t{1'500'000}));
  EXPECT_EQ(ui::cell_text(table.columns[0], table.cell(0, 0), ui::Digits::few),
            fmt::format("1.50{}ms", base::kThinSpace));
  EXPECT_EQ(look.title, "GPU time");
  EXPECT_TRUE(aggregate::metric(look.metric).formula.starts_with("Sum of the durations"));
  std::ostringstream csv;
  report::write_csv(table, csv);
  EXPECT_EQ(csv.str(), "Toy\nGPU Time (ns)\n1500000\n");
}

// The declaration of a column of the table; null = there is none.
const ColumnSpec* declared(std::string_view table, std::string_view id) {
  const ColumnSpec* found = nullptr;
  for (const ColumnSpec& column : kColumns) {
    if (column.id() != id) continue;
    if (column.table() == table) return &column;
    if (column.table().empty()) found = &column;
  }
  return found;
}

// Makes every table of the program, of runs as a DLProf database, a PyTorch trace and an export
// have them. Keeps the keys of their columns.
class Columns : public ::testing::Test {
 protected:
  Columns() {
    add_tables(std::make_shared<const profile::Profile>(testing::random_profile({.seed = 1})));
    profile::Profile traced = testing::random_profile({.seed = 2});
    traced.trace.emplace();
    traced.trace->capture.recorder = profile::Recorder::pytorch_profiler;
    add_tables(std::make_shared<const profile::Profile>(std::move(traced)));
    profile::Profile exported = testing::random_profile({.seed = 3});
    exported.trace.emplace();
    add_tables(std::make_shared<const profile::Profile>(std::move(exported)));
    add_tables(nested_range());
  }

  // As the importer names the self time of a range that contains an op.
  static std::shared_ptr<const profile::Profile> nested_range() {
    testing::Sketch sketch;
    sketch.kernel(sketch.instance(sketch.op("step/step (self time)"), 0, 10), 0, 7);
    sketch.kernel(sketch.instance(sketch.op("step/net/conv"), 10, 20), 10, 40);
    return sketch.finish();
  }

  void expect_declared(std::string_view name, const Table& table) {
    for (const report::Column& column : table.columns) {
      SCOPED_TRACE(std::string(name) + "." + column.id);
      const ColumnSpec* spec = declared(name, column.id);
      ASSERT_NE(spec, nullptr);
      EXPECT_EQ(column.title, spec->title);
      EXPECT_EQ(column.unit, spec->unit);
      EXPECT_EQ(column.kind, spec->kind);
      EXPECT_EQ(column.first_sort, spec->first_sort);
      keys.insert(spec->key);
    }
  }

  std::set<std::string_view> keys;

 private:
  void add_tables(const std::shared_ptr<const profile::Profile>& profile) {
    const auto aggregation = std::make_shared<const aggregate::Aggregation>(
        aggregate::make_cpu_aggregator(profile)->aggregate({{}, {0, 1'000'000}}));
    const auto data = [&](std::string_view view) {
      return ui::TableData{profile, aggregation, *report::make_view(view, *profile, *aggregation)};
    };
    for (const report::ViewInfo& view : report::views()) {
      if (report::needs_pytorch_trace(view.needs) && !profile::is_pytorch_trace(*profile)) continue;
      if (view.needs == report::ViewNeeds::nsys_export && !profile::is_nsys_export(*profile)) {
        continue;
      }
      expect_declared(view.name, data(view.name).table);
    }
    ui::TableData types = data("op_type_summary");
    ui::add_parts_of_types(types, {});
    expect_declared("op_type_summary", types.table);
    ui::TableData ops = data("op_nodes");
    ui::add_times_of_ops(ops, {});
    expect_declared("op_nodes", ops.table);
    ui::TableData groups = data("group_ops");
    ui::add_tree(groups, {});
    expect_declared("group_ops", groups.table);
    ui::TableData names = data("kernel_names");
    ui::add_times_of_kernel_names(names, {});
    expect_declared("kernel_names", names.table);
    ui::TableData devices = data("gpu_devices");
    ui::add_device_columns(devices, {});
    expect_declared("gpu_devices", devices.table);
    ui::TableData iterations = data("iterations_profiled");
    ui::add_iteration_times(iterations, {});
    expect_declared("iterations_profiled", iterations.table);
    ui::TableData kernels = data("kernel_summaries");
    ui::add_tensor_core_rules(kernels, {});
    expect_declared("kernel_summaries", kernels.table);
    add_gaps(profile, aggregation);
    const auto comparison = std::make_shared<const aggregate::IterationComparison>(
        aggregate::compare_iterations(*profile, *aggregation->iteration_table, 0, 0));
    expect_declared("differences", report::make_op_differences(*profile, comparison));
    expect_declared("differences", report::make_kernel_differences(*profile, comparison));
    add_run_comparison(profile, aggregation);
  }
  void add_run_comparison(const std::shared_ptr<const profile::Profile>& profile,
                          const std::shared_ptr<const aggregate::Aggregation>& aggregation) {
    const aggregate::RuleIndex rules(*profile);
    const auto run = std::make_shared<const aggregate::ComparedRun>(
        profile, aggregation->iteration_table, aggregation->selection.cut, rules);
    const auto runs = std::make_shared<const aggregate::RunPair>(run, run);
    const auto comparison = std::make_shared<const aggregate::Comparison>(
        aggregate::compare(runs, runs->usual_ranges()));
    expect_declared("run_comparison", report::make_waterfall(comparison));
    expect_declared("run_comparison", report::make_comparison_verdict(comparison));
    const auto shown = ui::make_compare_data(*comparison, {profile, aggregation, {}});
    for (const auto& data : {shown->ops, shown->kernels, shown->matching, shown->checks}) {
      expect_declared("run_comparison", data->table);
    }
  }
  void add_gaps(const std::shared_ptr<const profile::Profile>& profile,
                const std::shared_ptr<const aggregate::Aggregation>& aggregation) {
    base::Scheduler scheduler;
    ui::Background background(scheduler);
    ui::Model model;
    model.profile = profile;
    model.aggregation = aggregation;
    model.rules = std::make_shared<const aggregate::RuleIndex>(*profile);
    ui::GapsData gaps;
    gaps.get(model, background);
    background.wait_until_idle();
    const auto made = gaps.get(model, background);
    ASSERT_TRUE(made);
    expect_declared("idle_gaps", made->table);
  }
};

TEST_F(Columns, MatchTheirDeclarationsInEveryTable) {
  EXPECT_GT(keys.size(), 100U);
}

TEST_F(Columns, ThatAreDeclaredBelongToATable) {
  for (const ColumnSpec& column : kColumns) {
    EXPECT_TRUE(keys.contains(column.key)) << column.key;
  }
}

TEST(ColumnList, DeclaresEachKeyOnce) {
  std::set<std::string_view> keys;
  for (const ColumnSpec& column : kColumns) {
    EXPECT_TRUE(keys.insert(column.key).second) << column.key;
    EXPECT_FALSE(column.title.empty()) << column.key;
    EXPECT_GT(column.screen.width, 0) << column.key;
  }
}

TEST(ColumnList, NamesTablesThatExist) {
  for (const ColumnSpec& column : kColumns) {
    const bool is_view = std::ranges::any_of(
        report::views(), [&](const report::ViewInfo& view) { return view.name == column.table(); });
    const bool is_comparison =
        column.table() == "differences" || column.table() == "run_comparison";
    EXPECT_TRUE(column.table().empty() || is_comparison || is_view) << column.key;
  }
}

TEST(ColumnList, IsReadWhenTheProgramIsCompiled) {
  static_assert(report::ColumnId("idle_gaps.duration").text() == "duration");
  static_assert(report::ColumnId("idle_gaps.duration").spec().screen.metric ==
                aggregate::MetricId("idle_gap"));
  static_assert(report::ColumnName("kernel_name").text() == "kernel_name");
}

}  // namespace
}  // namespace dlview
