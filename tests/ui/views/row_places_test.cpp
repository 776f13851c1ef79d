#include "ui/views/tables/row_places.h"

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "report/views/views.h"
#include "support/random_profile.h"
#include "support/sketch.h"

namespace dlview::ui {
namespace {

class RowPlaces : public ::testing::Test {
 protected:
  RowPlaces() {
    profile_ = std::make_shared<const profile::Profile>(testing::random_profile());
    const auto engine = aggregate::make_cpu_aggregator(profile_);
    const std::string key_op(testing::kRandomKeyOp);
    aggregation_ = std::make_shared<const aggregate::Aggregation>(
        engine->aggregate({{aggregate::CutKind::start, key_op, 0}, {0, 1'000'000}}));
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

TEST_F(RowPlaces, OfGapsAreTheirTimesAndGpus) {
  const TableData gaps = data("idle_gaps");
  ASSERT_GT(gaps.table.row_count, 0U);
  const auto place = place_of_gap(gaps, 0);
  ASSERT_TRUE(place && place->stretch && place->device);
  EXPECT_EQ(profile_->devices[*place->device].device_id,
            std::get<int64_t>(gaps.table.cell(0, find_column(gaps.table, "device_id"))));
  EXPECT_EQ(place->stretch->start_ns,
            std::get<int64_t>(gaps.table.cell(0, find_column(gaps.table, "start"))));
}

}  // namespace
}  // namespace dlview::ui
