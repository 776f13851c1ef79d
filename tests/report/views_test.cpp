#include "report/views/views.h"

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "support/random_profile.h"

namespace dlview::report {
namespace {

using aggregate::Aggregation;
using aggregate::Selection;

class Views : public ::testing::Test {
 protected:
  static constexpr aggregate::IterationRange kRange{2, 6};

  Views() {
    testing::RandomProfileOptions options;
    options.stored_aggregation = true;
    profile_ = std::make_shared<const profile::Profile>(testing::random_profile(options));
    aggregation_ = aggregate::make_cpu_aggregator(profile_)->aggregate(
        {{aggregate::CutKind::start, std::string(testing::kRandomKeyOp), 0}, kRange});
  }

  Table table(std::string_view name, const ViewArguments& arguments = {}) const {
    auto made = make_view(name, *profile_, aggregation_, arguments);
    if (!made) throw std::runtime_error(base::to_text(made.error()));
    return *std::move(made);
  }

  base::Error error(std::string_view name, const ViewArguments& arguments) const {
    const auto made = make_view(name, *profile_, aggregation_, arguments);
    return made ? base::Error{} : made.error();
  }

  std::shared_ptr<const profile::Profile> profile_;
  Aggregation aggregation_;
};

using Cells = std::vector<std::vector<Cell>>;

std::size_t column_index(const Table& table, std::string_view id) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [id](const Column& column) { return column.id == id; });
  return static_cast<std::size_t>(found - table.columns.begin());
}

// The rows in which the column has this cell.
Cells rows_with(const Table& table, std::string_view column_id, const Cell& wanted) {
  const std::size_t column = column_index(table, column_id);
  Cells rows;
  for (std::size_t row = 0; row < table.row_count; ++row) {
    if (table.cell(row, column) != wanted) continue;
    std::vector<Cell> cells;
    for (std::size_t c = 0; c < table.columns.size(); ++c) cells.push_back(table.cell(row, c));
    rows.push_back(std::move(cells));
  }
  return rows;
}

Cells all_rows(const Table& table) {
  Cells rows;
  for (std::size_t row = 0; row < table.row_count; ++row) {
    std::vector<Cell>& cells = rows.emplace_back();
    for (std::size_t c = 0; c < table.columns.size(); ++c) cells.push_back(table.cell(row, c));
  }
  return rows;
}

TEST_F(Views, ListTheGpusThatFiltersKeep) {
  const int64_t kept = profile_->devices.back().device_id;
  ASSERT_GT(profile_->devices.size(), 1U);
  EXPECT_EQ(table("gpu_devices").row_count, profile_->devices.size());
  Selection selection = aggregation_.selection;
  selection.filters = {{.kind = aggregate::FilterKind::device, .number = kept}};
  aggregation_ = aggregate::make_cpu_aggregator(profile_)->aggregate(selection);
  const Table devices = table("gpu_devices");
  ASSERT_EQ(devices.row_count, 1U);
  EXPECT_EQ(devices.cell(0, column_index(devices, "device_id")), Cell(kept));
}

TEST_F(Views, AreSortedWithTitleAndHelp) {
  EXPECT_TRUE(std::is_sorted(views().begin(), views().end(),
                             [](const ViewInfo& a, const ViewInfo& b) { return a.name < b.name; }));
  for (const ViewInfo& view : views()) {
    EXPECT_FALSE(view.help.empty()) << view.name;
    if (needs_pytorch_trace(view.needs) || view.needs == ViewNeeds::nsys_export) continue;
    const Table made = table(view.name);
    EXPECT_EQ(made.name, view.name);
    EXPECT_EQ(made.title, view.title);
    EXPECT_FALSE(made.columns.empty()) << view.name;
  }
}

// So that thousands of them are written as they are elsewhere.
TEST_F(Views, CountIterations) {
  for (const ViewInfo& view : views()) {
    if (needs_pytorch_trace(view.needs) || view.needs == ViewNeeds::nsys_export) continue;
    for (const Column& column : table(view.name).columns) {
      if (column.id != "iter_value") continue;
      EXPECT_EQ(column.unit, aggregate::Unit::count) << view.name;
    }
  }
}

TEST_F(Views, SelectRowsOfAnIteration) {
  for (const ViewInfo& view : views()) {
    if (!view.has_iterations) continue;
    const Table whole = table(view.name);
    for (int64_t number = kRange.first; number <= kRange.last; ++number) {
      const Cells narrowed = all_rows(table(view.name, {number, {}}));
      EXPECT_EQ(narrowed, rows_with(whole, "iter_value", number)) << view.name << ' ' << number;
    }
    EXPECT_GT(whole.row_count, 0U);
  }
}

TEST_F(Views, StayEqualForAnIteration) {
  const auto engine = aggregate::make_cpu_aggregator(profile_);
  const aggregate::Cut start = aggregation_.selection.cut;
  aggregate::Cut end = start;
  end.kind = aggregate::CutKind::end;
  const std::vector<aggregate::Filter> filters{
      {.kind = aggregate::FilterKind::tensor_core, .number = 1}};
  const std::vector<Selection> selections{{start, {2, 6}},
                                          {start, {2, 5}},
                                          {start, {3, 7}},
                                          {start, {4, 7}},
                                          {end, {2, 6}},
                                          {start, {2, 6}, filters},
                                          aggregate::default_selection(*profile_)};
  std::vector<Aggregation> aggregations;
  for (const Selection& selection : selections) {
    aggregations.push_back(engine->aggregate(selection));
  }
  std::vector<std::size_t> kept;
  for (const Aggregation& one : aggregations) {
    kept.push_back(0);
    for (const Aggregation& other : aggregations) {
      if (!tells_the_same(one, other, {3, {}})) continue;
      ++kept.back();
      for (const ViewInfo& view : views()) {
        if (!view.has_iterations) continue;
        Table first = *make_view(view.name, *profile_, one, {3, {}});
        Table second = *make_view(view.name, *profile_, other, {3, {}});
        for (Table* table : {&first, &second}) {
          std::erase_if(table->columns, [](const Column& c) { return c.id == "aggr_id"; });
        }
        EXPECT_EQ(all_rows(first), all_rows(second)) << view.name;
      }
    }
  }
  // Itself, and for three ranges each other; the fourth of the start's cut lacks the iteration.
  EXPECT_EQ(kept, (std::vector<std::size_t>{3, 3, 3, 0, 1, 1, 1}));
  EXPECT_FALSE(tells_the_same(aggregations[0], aggregations[1], {}));
}

TEST_F(Views, SelectRowsOfAnOp) {
  for (const ViewInfo& view : views()) {
    if (!view.has_ops) continue;
    const Table whole = table(view.name);
    const bool has_id = column_index(whole, "op_node_id") < whole.columns.size();
    const std::string_view column = has_id ? "op_node_id" : "op_node_name";
    std::size_t rows = 0;
    for (profile::OpIndex op{0}; op < profile_->ops.size(); ++op) {
      const Cell wanted = profile_->text(has_id ? profile_->ops.id[op] : profile_->ops.name[op]);
      const auto ops = find_ops(*profile_, std::get<std::string_view>(wanted));
      EXPECT_TRUE(std::find(ops.begin(), ops.end(), op) != ops.end());
      const Cells narrowed = all_rows(table(view.name, {{}, ops}));
      EXPECT_EQ(narrowed, rows_with(whole, column, wanted)) << view.name;
      rows += has_id ? narrowed.size() : 0;
    }
    if (has_id) {
      EXPECT_EQ(rows, whole.row_count) << view.name;
    }
  }
}

int64_t sum_of(const Table& table, std::string_view column) {
  int64_t sum = 0;
  for (std::size_t row = 0; row < table.row_count; ++row) {
    sum += std::get<int64_t>(table.cell(row, column_index(table, column)));
  }
  return sum;
}

TEST_F(Views, OfPytorchTracesNeedATrace) {
  for (const char* name : {"module_classes", "modules", "torch_op_shapes", "torch_op_stacks",
                           "torch_op_tree", "torch_ops", "torch_tb_overview", "torch_tb_steps"}) {
    EXPECT_EQ(error(name, {}).title, "This table is for PyTorch profiler traces only") << name;
  }
}

TEST_F(Views, SumsOfKernelsAgree) {
  const int64_t launches = sum_of(table("kernel_summaries"), "calls");
  const int64_t gpu_ns = sum_of(table("kernel_summaries"), "gpu_time");
  EXPECT_GT(launches, 0);
  for (const char* name : {"kernel_names", "kernel_launches"}) {
    EXPECT_EQ(sum_of(table(name), "calls"), launches) << name;
    EXPECT_EQ(sum_of(table(name), "gpu_time"), gpu_ns) << name;
  }
  EXPECT_GT(table("kernel_launches").row_count, table("kernel_names").row_count);
}

// The twin: the sum of all rows is 100%.
TEST_F(Views, DivideGpuTimesByTotalAndIterations) {
  const std::pair<const char*, const char*> kTables[] = {
      {"kernel_names", "gpu_time"}, {"kernel_launches", "gpu_time"}, {"op_shapes", "gpu_time_sum"}};
  for (const auto& [name, time] : kTables) {
    const Table whole = table(name);
    const auto total = static_cast<double>(sum_of(whole, time));
    ASSERT_GT(total, 0) << name;
    for (std::size_t row = 0; row < whole.row_count; ++row) {
      const auto ns =
          static_cast<double>(std::get<int64_t>(whole.cell(row, column_index(whole, time))));
      const auto real = [&](std::string_view column) {
        return std::get<double>(whole.cell(row, column_index(whole, column)));
      };
      EXPECT_DOUBLE_EQ(real("gpu_time_share"), 100 * ns / total) << name;
      EXPECT_DOUBLE_EQ(real("gpu_time_per_iteration"), ns / 5) << name;
    }
  }
}

TEST_F(Views, KeepTheTotalOfSharesUnderFilters) {
  const auto shares_of = [this](const char* name) {
    std::map<std::string, double> shares;
    const Table part = table(name);
    for (std::size_t row = 0; row < part.row_count; ++row) {
      shares[to_text(part.cell(row, 0))] +=
          std::get<double>(part.cell(row, column_index(part, "gpu_time_share")));
    }
    return shares;
  };
  const Table names = table("kernel_names");
  const std::string kernel = to_text(names.cell(0, column_index(names, "kernel_name")));
  const auto all = shares_of("kernel_names");
  Selection selection = aggregation_.selection;
  selection.filters = {{.kind = aggregate::FilterKind::kernel, .text = kernel}};
  aggregation_ = aggregate::make_cpu_aggregator(profile_)->aggregate(selection);
  for (const char* name : {"kernel_names", "kernel_launches"}) {
    const auto filtered = shares_of(name);
    ASSERT_EQ(filtered.size(), 1U) << name;
    EXPECT_NEAR(filtered.at(kernel), all.at(kernel), 1e-9) << name;
    EXPECT_LT(filtered.at(kernel), 100) << name;
  }
}

TEST_F(Views, InputShapesDivideTheOps) {
  const Table shapes = table("op_shapes"), ops = table("op_nodes");
  EXPECT_GT(shapes.row_count, ops.row_count);
  EXPECT_EQ(sum_of(shapes, "num_calls"), sum_of(ops, "num_calls"));
  EXPECT_EQ(sum_of(shapes, "gpu_time_sum"), sum_of(ops, "gpu_time"));
  EXPECT_EQ(sum_of(shapes, "kernel_calls"), sum_of(ops, "kernel_calls"));
}

TEST_F(Views, SelectRowsOfOpAndIteration) {
  const Table whole = table("iteration_op_kernels");
  for (profile::OpIndex op{0}; op < profile_->ops.size(); ++op) {
    Cells expected = rows_with(whole, "op_node_id", profile_->text(profile_->ops.id[op]));
    std::erase_if(expected, [&](const std::vector<Cell>& row) {
      return row[column_index(whole, "iter_value")] != Cell(int64_t{4});
    });
    EXPECT_EQ(all_rows(table("iteration_op_kernels", {4, {op}})), expected);
  }
}

TEST_F(Views, AllIterationsReachBeyondTheRange) {
  EXPECT_EQ(table("iterations_all").row_count, aggregation_.iteration_table->facts.size());
  EXPECT_EQ(table("iterations_all", {0, {}}).row_count, 1U);
  EXPECT_EQ(table("iterations_profiled").row_count, 5U);
}

TEST_F(Views, NameWhatCannotBeDone) {
  EXPECT_EQ(error("op_node", {}).title, "Unknown table: \"op_node\"");
  EXPECT_EQ(error("iteration_kernels", {7, {}}).detail,
            "requested: 7; iteration_kernels covers 2:6");
  EXPECT_EQ(error("iterations_all", {-1, {}}).title, "The table does not cover this iteration");
  EXPECT_EQ(error("gpu_devices", {2, {}}).advice,
            "These can: iteration_kernels, iteration_op_kernels, iteration_ops, iterations_all, "
            "iterations_profiled");
  EXPECT_EQ(error("gpu_devices", {{}, {profile::OpIndex{0}}}).title,
            "This table cannot be narrowed to an op");
}

TEST_F(Views, HasNoIdForOtherRanges) {
  EXPECT_EQ(table("key_op_name").cell(0, 0), Cell());
  const auto& stored = profile_->stored_aggregations.front();
  const Aggregation as_stored = aggregate::make_cpu_aggregator(profile_)->aggregate(
      {{aggregate::CutKind::stored, stored.key_op, 0},
       {stored.first_iteration, stored.last_iteration}});
  EXPECT_EQ(make_view("key_op_name", *profile_, as_stored)->cell(0, 0), Cell(stored.id));
  const Aggregation part = aggregate::make_cpu_aggregator(profile_)->aggregate(
      {as_stored.selection.cut,
       as_stored.selection.range,
       {{.kind = aggregate::FilterKind::eligible, .number = 1}}});
  EXPECT_EQ(make_view("key_op_name", *profile_, part)->cell(0, 0), Cell());
}

int64_t sum(const Table& table, std::string_view column_id) {
  int64_t total = 0;
  for (std::size_t row = 0; row < table.row_count; ++row) {
    total += std::get<int64_t>(table.cell(row, column_index(table, column_id)));
  }
  return total;
}

TEST_F(Views, ApplyFiltersOfTheSelection) {
  using aggregate::Filter;
  using aggregate::FilterKind;
  const std::string op_type(profile_->text(profile_->ops.type[0]));
  const std::string kernel(profile_->text(profile_->kernels.name[0]));
  const std::vector<std::vector<Filter>> choices = {
      {{.kind = FilterKind::op_type, .text = op_type}},
      {{.kind = FilterKind::kernel, .text = kernel}},
      {{.kind = FilterKind::tensor_core, .number = 1}},
      {{.kind = FilterKind::device, .number = profile_->devices[0].device_id},
       {.kind = FilterKind::time, .window = {8'000, 20'000}}}};
  int64_t kept = 0;
  for (const std::vector<Filter>& filters : choices) {
    const Aggregation part = aggregate::make_cpu_aggregator(profile_)->aggregate(
        {aggregation_.selection.cut, kRange, filters});
    const auto view = [&](std::string_view name) { return *make_view(name, *profile_, part); };
    const Table kernels = view("iteration_kernels");
    EXPECT_EQ(static_cast<int64_t>(kernels.row_count), part.kernel_launches);
    EXPECT_EQ(sum(kernels, "kernel_duration"), part.all_kernels.gpu_ns);
    EXPECT_EQ(sum(view("iteration_ops"), "total_count"), part.kernel_launches);
    EXPECT_EQ(sum(view("iteration_ops"), "total_gpu_time"), part.all_kernels.gpu_ns);
    EXPECT_EQ(sum(view("iterations_profiled"), "total_kernel_count"), part.kernel_launches);
    EXPECT_EQ(sum(view("kernel_summaries"), "calls"), part.kernel_launches);
    EXPECT_EQ(view("op_nodes").row_count, part.ops.size());
    EXPECT_LT(part.kernel_launches, aggregation_.kernel_launches);
    kept += part.kernel_launches;
  }
  EXPECT_GT(kept, 0);
}

TEST_F(Views, FindOpsByIdAndName) {
  EXPECT_EQ(find_ops(*profile_, "STEP_1").size(), 1U);
  EXPECT_EQ(find_ops(*profile_, testing::kRandomKeyOp).size(), 2U);
  EXPECT_TRUE(find_ops(*profile_, "no such op").empty());
}

}  // namespace
}  // namespace dlview::report
