#include "ui/views/tables/report_data.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "report/nsys/trace_sketch.h"

namespace dlview::ui {
namespace {

// Kernels of 10 ns that begin at 0, 100, 200, ...; three iterations of a third of them each.
class ReportDataTest : public ::testing::Test {
 protected:
  void open(int64_t kernels) {
    testing::TraceSketch sketch;
    for (int64_t i = 0; i < kernels; ++i) sketch.kernel("k", 100 * i, 100 * i + 10);
    model_.profile = std::make_shared<const profile::Profile>(sketch.finish());
    third_ = kernels / 3;
    show({0, 2});
  }
  void show(aggregate::IterationRange range) {
    auto table = std::make_shared<aggregate::IterationTable>();
    for (int64_t i = 0; i < 3; ++i) {
      table->iterations.rows.push_back({100 * third_ * i, 100 * third_ * (i + 1) - 1, 0, 0});
    }
    auto aggregation = std::make_shared<aggregate::Aggregation>();
    aggregation->iteration_table = table;
    aggregation->selection.range = range;
    model_.aggregation = aggregation;
  }
  void update() { data_.update(model_, background_); }
  // Of the one kernel; -1 = there is no table.
  int64_t launches() {
    if (!data_.data()) return -1;
    const report::Table& table = data_.data()->table;
    return std::get<int64_t>(table.cell(0, find_column(table, "instances")));
  }

  Model model_;
  int64_t third_ = 0;
  Background background_{[] {}};
  ReportData data_{*std::ranges::find(report::nsys::reports(), "cuda_gpu_kern_sum",
                                      &report::nsys::ReportInfo::name)};
};

TEST_F(ReportDataTest, OfASmallCaptureFollowsWithinTheFrame) {
  open(300);
  EXPECT_FALSE(data_.is_made());
  update();
  EXPECT_TRUE(data_.is_made());
  EXPECT_EQ(launches(), 300);
  show({1, 1});
  update();
  EXPECT_EQ(launches(), 100);
}

TEST_F(ReportDataTest, OfALargeOneComesLaterAndTheOldOneStays) {
  open(60'000);
  update();
  EXPECT_FALSE(data_.is_made());
  background_.wait_until_idle();
  update();
  EXPECT_EQ(launches(), 60'000);
  show({1, 2});
  update();
  EXPECT_EQ(launches(), 60'000);
  background_.wait_until_idle();
  update();
  EXPECT_EQ(launches(), 40'000);
}

TEST_F(ReportDataTest, IsMadeOnceForARange) {
  open(300);
  update();
  const auto before = data_.data();
  show({0, 2});
  update();
  EXPECT_EQ(data_.data(), before);
}

TEST_F(ReportDataTest, IsNullWhereThereIsNothingToPrint) {
  open(0);
  update();
  EXPECT_TRUE(data_.is_made());
  EXPECT_EQ(data_.data(), nullptr);
}

}  // namespace
}  // namespace dlview::ui
