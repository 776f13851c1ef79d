// Sums of the exported tables against the aggregation and against loops over the profile.

#include "report/parquet/event_tables.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/filter.h"
#include "support/random_profile.h"

namespace dlview::report::parquet {
namespace {

using aggregate::Aggregation;

struct Exported {
  std::shared_ptr<const profile::Profile> profile;
  std::shared_ptr<const Aggregation> aggregation;
  std::vector<Table> tables;

  const Table& table(std::string_view name) const {
    return *std::find_if(tables.begin(), tables.end(),
                         [&](const Table& table) { return table.name == name; });
  }
  std::vector<Cell> cells(std::string_view name, std::string_view column) const {
    const Table& rows = table(name);
    const auto found = std::find_if(rows.columns.begin(), rows.columns.end(),
                                    [&](const Column& each) { return each.id == column; });
    EXPECT_NE(found, rows.columns.end()) << column;
    std::vector<Cell> cells;
    for (std::size_t row = 0; row < rows.row_count; ++row) cells.push_back(found->cell(row));
    return cells;
  }
  int64_t sum(std::string_view name, std::string_view column) const {
    int64_t sum = 0;
    for (const Cell& cell : cells(name, column)) {
      if (const auto* number = std::get_if<int64_t>(&cell)) sum += *number;
    }
    return sum;
  }
};

constexpr aggregate::IterationRange kRange{2, 6};

struct Choice {
  std::optional<aggregate::IterationRange> range = std::nullopt;  // nullopt = all
  bool tensor_cores_only = false;
  uint64_t seed = 1;
  std::string_view marker = testing::kRandomKeyOp;
};

Exported exported(const Choice& choice) {
  Exported all;
  testing::RandomProfileOptions options;
  options.seed = choice.seed;
  all.profile = std::make_shared<const profile::Profile>(testing::random_profile(options));
  const auto aggregator = aggregate::make_cpu_aggregator(all.profile);
  aggregate::Selection selection{{aggregate::CutKind::start, std::string(choice.marker), 0},
                                 {0, 1'000'000}};
  if (choice.range) selection.range = *choice.range;
  if (choice.tensor_cores_only) {
    selection.filters = {{.kind = aggregate::FilterKind::tensor_core, .number = 1}};
  }
  all.aggregation = std::make_shared<const Aggregation>(aggregator->aggregate(selection));
  all.tables = event_tables(all.profile, all.aggregation);
  return all;
}

int64_t known(const std::vector<Cell>& cells) {
  return std::count_if(cells.begin(), cells.end(), [](const Cell& cell) {
    return !std::holds_alternative<std::monostate>(cell);
  });
}

TEST(EventTables, AreThoseThatAreNamed) {
  const Exported all = exported({});
  ASSERT_EQ(all.tables.size(), kEventTables.size());
  for (std::size_t i = 0; i < kEventTables.size(); ++i) {
    EXPECT_EQ(all.tables[i].name, kEventTables[i]);
  }
}

// The ranges leave out what runs between them.
TEST(EventTables, WholeRangeHasAllEvents) {
  Choice choice;
  choice.marker = testing::kRandomRange;
  const Exported all = exported(choice);
  EXPECT_EQ(all.table("kernels").row_count, all.profile->kernels.size());
  EXPECT_EQ(all.table("op_instances").row_count, all.profile->instances.size());
  EXPECT_EQ(known(all.cells("kernels", "iteration")), all.aggregation->kernel_launches);
  EXPECT_EQ(known(all.cells("op_instances", "iteration")), all.sum("ops", "calls"));
  EXPECT_LT(all.aggregation->kernel_launches, static_cast<int64_t>(all.profile->kernels.size()));
}

TEST(EventTables, AddUpToTheAggregation) {
  for (const bool tensor_cores_only : {false, true}) {
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      SCOPED_TRACE(seed);
      const Exported all = exported({kRange, tensor_cores_only, seed});
      const Aggregation& expected = *all.aggregation;
      EXPECT_EQ(static_cast<int64_t>(all.table("kernels").row_count), expected.kernel_launches);
      EXPECT_EQ(all.sum("kernels", "gpu_stop_ns") - all.sum("kernels", "gpu_start_ns"),
                expected.all_kernels.gpu_ns);
      EXPECT_EQ(static_cast<int64_t>(all.table("op_instances").row_count), all.sum("ops", "calls"));
      EXPECT_EQ(all.sum("op_instances", "gpu_time_ns"), all.sum("ops", "gpu_time_sum_ns"));
      EXPECT_EQ(all.sum("op_instances", "cpu_time_ns"), all.sum("ops", "cpu_time_sum_ns"));
      EXPECT_EQ(all.sum("op_instances", "api_time_ns"), all.sum("ops", "api_time_sum_ns"));
      EXPECT_EQ(all.sum("op_instances", "cpu_overhead_ns"), all.sum("ops", "cpu_overhead_sum_ns"));
      EXPECT_EQ(all.sum("op_instances", "gpu_idle_ns"), all.sum("ops", "gpu_idle_sum_ns"));
      EXPECT_EQ(all.sum("iterations", "duration_ns"), expected.range_ns);
      EXPECT_EQ(all.table("iterations").row_count, 5U);
    }
  }
}

TEST(EventTables, NamesTheIterationOfEachKernel) {
  const Exported all = exported({kRange});
  const auto& iterations = all.aggregation->iteration_table->iterations.rows;
  std::vector<Cell> expected;
  for (int64_t i = 2; i <= 6; ++i) {
    const auto& iteration = iterations[static_cast<std::size_t>(i)];
    for (auto k = all.profile->instances.first_kernel[iteration.first_instance];
         k < all.profile->instances.first_kernel[iteration.last_instance]; ++k) {
      expected.emplace_back(i);
    }
  }
  EXPECT_EQ(all.cells("kernels", "iteration"), expected);
}

TEST(EventTables, CollectivesLieInTheRange) {
  const Exported all = exported({kRange});
  EXPECT_GT(all.table("collectives").row_count, 0U);
  for (const Cell& cell : all.cells("collectives", "iteration")) {
    EXPECT_GE(std::get<int64_t>(cell), 2);
    EXPECT_LE(std::get<int64_t>(cell), 6);
  }
}

}  // namespace
}  // namespace dlview::report::parquet
