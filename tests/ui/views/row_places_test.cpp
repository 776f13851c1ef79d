#include "ui/views/tables/row_places.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/group_tree.h"
#include "aggregate/row_filter.h"
#include "report/views/views.h"
#include "support/random_profile.h"
#include "support/sketch.h"
#include "ui/text_in.h"

namespace dlview::ui {
namespace {

using testing::text_in;

class RowPlaces : public ::testing::Test {
 protected:
  RowPlaces() {
    profile_ = std::make_shared<const profile::Profile>(testing::random_profile());
    select({0, 1'000'000});
  }
  void select(aggregate::IterationRange range, const std::vector<aggregate::Filter>& filters = {}) {
    const std::string key_op(testing::kRandomKeyOp);
    aggregation_ = std::make_shared<const aggregate::Aggregation>(
        aggregate::make_cpu_aggregator(profile_)->aggregate(
            {{aggregate::CutKind::start, key_op, 0}, range, filters}));
  }
  TableData data(const std::string& view) {
    auto table = report::make_view(view, *profile_, *aggregation_);
    EXPECT_TRUE(table.ok());
    return {profile_, aggregation_, std::move(*table)};
  }

  std::shared_ptr<const profile::Profile> profile_;
  std::shared_ptr<const aggregate::Aggregation> aggregation_;
};

TEST_F(RowPlaces, OfIterationsAreTheirTimes) {
  const TableData iterations = data("iterations_profiled");
  const auto& rows = aggregation_->iteration_table->iterations.rows;
  ASSERT_EQ(iterations.table.row_count, rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto place = place_of_iteration(iterations, row);
    ASSERT_TRUE(place && place->stretch);
    EXPECT_EQ(place->stretch->start_ns, rows[row].start_ns);
  }
}

TEST_F(RowPlaces, OfKernelsAreTheKernelsThemselves) {
  const TableData kernels = data("iteration_kernels");
  ASSERT_GT(kernels.table.row_count, 100U);
  for (std::size_t row = 0; row < kernels.table.row_count; row += 17) {
    const auto place = place_of_kernel(kernels, row);
    ASSERT_TRUE(place && place->kernel);
    const std::size_t start = find_column(kernels.table, "kernel_timestamp");
    EXPECT_EQ(profile_->kernels.api_start_ns[*place->kernel],
              std::get<int64_t>(kernels.table.cell(row, start)));
  }
}

// One call, three kernels that differ only in when they run.
TEST(RowPlacesOfAGraph, TellKernelsOfOneLaunchApart) {
  testing::Sketch sketch;
  const auto instance = sketch.instance(sketch.op("net/conv"), 0, 100);
  for (const int64_t start : {10, 20, 30}) sketch.kernel(instance, start, start + 5);
  const auto profile = sketch.finish();
  const auto aggregation = std::make_shared<const aggregate::Aggregation>(
      aggregate::make_cpu_aggregator(profile)->aggregate({{}, {0, 1'000'000}}));
  auto table = report::make_view("iteration_kernels", *profile, *aggregation);
  ASSERT_TRUE(table.ok());
  const TableData data{profile, aggregation, std::move(*table)};
  ASSERT_EQ(data.table.row_count, 3U);
  for (std::size_t row = 0; row < 3; ++row) {
    const auto place = place_of_kernel(data, row);
    ASSERT_TRUE(place && place->kernel);
    EXPECT_EQ(profile->kernels.gpu_start_ns[*place->kernel], 10 + 10 * static_cast<int64_t>(row));
  }
}

int64_t integer_in(const TableData& data, std::size_t row, report::ColumnName column) {
  return std::get<int64_t>(cell_in(data.table, row, column));
}
// Of rows that stand for many: whole runs, a part of one, and what filters leave of it.
class PlacesOfTheLongest : public RowPlaces {
 protected:
  using Seen = std::function<void()>;
  void for_each_selection(const Seen& look) {
    using enum aggregate::FilterKind;
    const aggregate::Filter late{.kind = time, .window = {12'000, 30'000}};
    const aggregate::Filter gpu{.kind = device, .number = profile_->devices[0].device_id};
    for (const auto& filters : {std::vector<aggregate::Filter>{}, {late}, {gpu}, {late, gpu}}) {
      for (const aggregate::IterationRange range : {aggregate::IterationRange{0, 100}, {2, 5}}) {
        select(range, filters);
        look();
      }
    }
  }
  // The first of the longest calls of ops that are `wanted`, as slowly as can be.
  template <typename Wanted>
  std::optional<profile::InstanceIndex> longest_call(const Wanted& wanted,
                                                     std::optional<int64_t> iteration = {}) const {
    const aggregate::RowFilter filter(*profile_, aggregation_->selection.filters);
    const auto& instances = profile_->instances;
    const auto& rows = aggregation_->iteration_table->iterations.rows;
    const auto range = aggregation_->selection.range;
    const auto first = static_cast<std::size_t>(iteration.value_or(range.first));
    const auto last = static_cast<std::size_t>(iteration.value_or(range.last));
    std::vector<std::tuple<int64_t, int64_t, profile::InstanceIndex>> found;
    for (profile::InstanceIndex i = rows[first].first_instance; i < rows[last].last_instance; ++i) {
      const int64_t start = instances.cpu_start_ns[i];
      if (wanted(instances.op[i]) && filter.counts_instance(i)) {
        found.emplace_back(start - instances.cpu_stop_ns[i], start, i);
      }
    }
    if (found.empty()) return std::nullopt;
    return std::get<2>(std::ranges::min(found));
  }
  bool is_op(profile::OpIndex op, const TableData& data, std::size_t row, const char* id) const {
    return profile_->text(profile_->ops.id[op]) == text_in(data, row, id);
  }
};

TEST_F(PlacesOfTheLongest, OfAnOpAreItsLongestCall) {
  for_each_selection([&] {
    const TableData ops = data("op_nodes");
    ASSERT_GT(ops.table.row_count, 0U);
    for (std::size_t row = 0; row < ops.table.row_count; ++row) {
      const auto place = place_of_op(ops, row);
      ASSERT_TRUE(place && place->instance);
      EXPECT_EQ(place->instance, longest_call([&](profile::OpIndex op) {
                  return is_op(op, ops, row, "op_node_id");
                }));
    }
  });
}

TEST_F(PlacesOfTheLongest, OfAnOpInAnIterationLieInThatIteration) {
  select({1, 6});
  const TableData ops = data("iteration_ops");
  ASSERT_GT(ops.table.row_count, 20U);
  for (std::size_t row = 0; row < ops.table.row_count; ++row) {
    const auto place = place_of_op(ops, row);
    ASSERT_TRUE(place && place->instance);
    EXPECT_EQ(place->instance,
              longest_call([&](profile::OpIndex op) { return is_op(op, ops, row, "op_node_id"); },
                           integer_in(ops, row, "iter_value")));
  }
}

TEST_F(PlacesOfTheLongest, OfATypeAreTheLongestCallOfItsOps) {
  for_each_selection([&] {
    const TableData types = data("op_type_summary");
    for (std::size_t row = 0; row < types.table.row_count; ++row) {
      const auto place = place_of_op_type(types, row);
      ASSERT_TRUE(place && place->instance);
      EXPECT_EQ(place->instance, longest_call([&](profile::OpIndex op) {
                  return profile_->text(profile_->ops.type[op]) ==
                         text_in(types, row, "op_node_type");
                }));
    }
  });
}

TEST_F(PlacesOfTheLongest, OfAGroupAreTheLongestCallInIt) {
  for_each_selection([&] {
    const TableData groups = data("group_ops");
    for (std::size_t row = 0; row < groups.table.row_count; ++row) {
      const bool is_group = integer_in(groups, row, "row_type") == report::kGroupRow;
      const std::string name = text_in(groups, row, "row_full_name");
      const auto place = place_of_group_or_op(groups, row);
      ASSERT_TRUE(place && place->instance);
      EXPECT_EQ(place->instance, longest_call([&](profile::OpIndex op) {
                  return is_group ? profile_->text(profile_->ops.name[op]).starts_with(name)
                                  : is_op(op, groups, row, "row_full_id");
                }))
          << name;
    }
  });
}

TEST_F(PlacesOfTheLongest, OfKernelsOfOneNameAreTheLongestThatCounts) {
  for_each_selection([&] {
    const TableData names = data("kernel_summaries");
    const profile::Kernels& kernels = profile_->kernels;
    ASSERT_GT(names.table.row_count, 0U);
    for (std::size_t row = 0; row < names.table.row_count; ++row) {
      const auto place = place_of_kernels(names, row);
      ASSERT_TRUE(place && place->kernel);
      const profile::KernelIndex kernel = *place->kernel;
      EXPECT_EQ(kernels.gpu_stop_ns[kernel] - kernels.gpu_start_ns[kernel],
                integer_in(names, row, "max"));
      EXPECT_EQ(profile_->text(kernels.name[kernel]), text_in(names, row, "kernel_name"));
      EXPECT_TRUE(
          is_op(profile_->instances.op[kernels.instance[kernel]], names, row, "op_node_id"));
    }
  });
}

TEST_F(PlacesOfTheLongest, OfLaunchConfigurationsHaveTheirSizes) {
  for_each_selection([&] {
    const TableData launches = data("kernel_launches");
    const profile::Kernels& kernels = profile_->kernels;
    ASSERT_GT(launches.table.row_count, 0U);
    for (std::size_t row = 0; row < launches.table.row_count; ++row) {
      const auto place = place_of_kernels(launches, row);
      ASSERT_TRUE(place && place->kernel);
      const profile::KernelIndex kernel = *place->kernel;
      EXPECT_EQ(kernels.gpu_stop_ns[kernel] - kernels.gpu_start_ns[kernel],
                integer_in(launches, row, "max"));
      const profile::Dim3& grid = profile_->launches.grid[kernels.launch[kernel]];
      EXPECT_EQ(fmt::format("{}, {}, {}", grid.x, grid.y, grid.z), text_in(launches, row, "grid"));
    }
  });
}

TEST(PlacesOfEquals, AreThoseOfTheFirst) {
  testing::Sketch sketch;
  const auto op = sketch.op("net/conv");
  const auto first = sketch.instance(op, 0, 100), second = sketch.instance(op, 200, 300);
  sketch.kernel(first, 30, 35);
  sketch.kernel(first, 10, 15);
  sketch.kernel(second, 220, 225);
  const auto profile = sketch.finish();
  const auto aggregation = std::make_shared<const aggregate::Aggregation>(
      aggregate::make_cpu_aggregator(profile)->aggregate({{}, {0, 1'000'000}}));
  const auto data = [&](const char* view) {
    return TableData{profile, aggregation, *report::make_view(view, *profile, *aggregation)};
  };
  EXPECT_EQ(place_of_op(data("op_nodes"), 0)->instance, first);
  const auto kernel = place_of_kernels(data("kernel_summaries"), 0)->kernel;
  EXPECT_EQ(profile->kernels.gpu_start_ns[kernel.value()], 10);
}

TEST_F(RowPlaces, OfGapsAreTheirTimesAndGpus) {
  const TableData gaps = data("idle_gaps");
  ASSERT_GT(gaps.table.row_count, 0U);
  const auto place = place_of_gap(gaps, 0);
  ASSERT_TRUE(place && place->stretch && place->device);
  EXPECT_EQ(profile_->devices[*place->device].device_id,
            std::get<int64_t>(gaps.table.cell(0, find_column(gaps.table, "device_id"))));
  EXPECT_EQ(place->stretch->start_ns,
            std::get<int64_t>(gaps.table.cell(0, find_column(gaps.table, "idle_gaps.start"))));
}

}  // namespace
}  // namespace dlview::ui
