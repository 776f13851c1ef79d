#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "report/nsys/trace_sketch.h"
#include "ui/views/tables/cuda_summary.h"

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
  void show(aggregate::IterationRange range, const std::string& key_op = "step") {
    auto table = std::make_shared<aggregate::IterationTable>();
    for (int64_t i = 0; i < 3; ++i) {
      table->iterations.rows.push_back({100 * third_ * i, 100 * third_ * (i + 1) - 1});
    }
    auto aggregation = std::make_shared<aggregate::Aggregation>();
    aggregation->iteration_table = table;
    aggregation->selection = {{aggregate::CutKind::start, key_op}, range};
    model_.aggregation = aggregation;
  }
  void update() { data_.update(model_, background_); }
  // Of the one kernel; -1 = there is no table.
  int64_t launches() {
    if (!data_.data()) return -1;
    const report::Table& table = data_.data()->table;
    return std::get<int64_t>(
        table.cell(0, find_column(table, report::ColumnName(std::string_view("instances")))));
  }

  Model model_;
  int64_t third_ = 0;
  base::Scheduler scheduler_;
  Background background_{scheduler_};
  ReportData data_{*std::ranges::find(report::nsys::reports(), "cuda_gpu_kern_sum",
                                      &report::nsys::ReportInfo::name)};
};

TEST_F(ReportDataTest, OfASmallCaptureFollowsWithinTheFrame) {
  open(300);
  EXPECT_EQ(data_.made_for(), nullptr);
  update();
  EXPECT_EQ(data_.made_for(), model_.aggregation.get());
  EXPECT_EQ(launches(), 300);
  show({1, 1});
  update();
  EXPECT_EQ(launches(), 100);
}

TEST_F(ReportDataTest, OfALargeOneComesLaterAndTheOldOneStays) {
  open(60'000);
  update();
  EXPECT_EQ(data_.made_for(), nullptr);
  background_.wait_until_idle();
  update();
  EXPECT_EQ(launches(), 60'000);
  show({1, 2});
  update();
  EXPECT_EQ(launches(), 60'000);
  EXPECT_EQ(data_.made_for()->selection.range, (aggregate::IterationRange{0, 2}));
  background_.wait_until_idle();
  update();
  EXPECT_EQ(launches(), 40'000);
}

TEST_F(ReportDataTest, SharesTheNamesOfKernels) {
  open(300);
  const auto names = std::make_shared<SharedReportNames>();
  const auto report = [&names](std::string_view name) {
    return ReportData(
        *std::ranges::find(report::nsys::reports(), name, &report::nsys::ReportInfo::name), names);
  };
  ReportData sum = report("cuda_gpu_kern_sum"), trace = report("cuda_gpu_trace");
  sum.update(model_, background_);
  trace.update(model_, background_);
  ASSERT_NE(sum.names(), nullptr);
  EXPECT_EQ(sum.names(), trace.names());
  EXPECT_EQ(sum.names()->label("k"), "k");
}

// The frame waits neither for the table nor for the names.
TEST_F(ReportDataTest, OfLongNamesComesLater) {
  testing::TraceSketch sketch;
  for (int64_t i = 0; i < 10; ++i) {
    sketch.kernel(std::string(60'000, static_cast<char>('a' + i)), 100 * i, 100 * i + 10);
  }
  model_.profile = std::make_shared<const profile::Profile>(sketch.finish());
  third_ = 3;
  show({0, 2});
  update();
  EXPECT_EQ(data_.names(), nullptr);
  background_.wait_until_idle();
  update();
  EXPECT_NE(data_.names(), nullptr);
}

TEST_F(ReportDataTest, IsMadeOnceForARange) {
  open(300);
  update();
  const auto before = data_.data();
  show({0, 2});
  update();
  EXPECT_EQ(data_.data(), before);
}

// What is exported and copied names the cut and the range.
TEST_F(ReportDataTest, OfAnotherCutNamesThatCut) {
  open(300);
  update();
  show({0, 2}, "epoch");
  update();
  ASSERT_NE(data_.data(), nullptr);
  EXPECT_EQ(data_.data()->aggregation->selection.cut.key_op, "epoch");
  EXPECT_EQ(launches(), 300);
}

TEST_F(ReportDataTest, ReportsAFailureAndRetriesForAnotherRange) {
  static bool fails = true;
  const report::nsys::ReportInfo& kernels = report::nsys::reports().front();
  const report::nsys::ReportInfo greedy{
      "cuda_gpu_kern_sum",
      "",
      "",
      "",
      kernels.needs,
      report::nsys::Reference::none,
      [](const report::nsys::Input&) -> std::optional<report::Table> {
        if (fails) throw std::bad_alloc();
        return report::Table{};
      }};
  for (const int64_t count : {300, 60'000}) {
    SCOPED_TRACE(count);
    ReportData data(greedy);
    fails = true;
    open(count);
    data.update(model_, background_);
    background_.wait_until_idle();
    data.update(model_, background_);
    ASSERT_NE(data.error(), nullptr);
    EXPECT_EQ(data.data(), nullptr);
    fails = false;
    show({1, 1});
    data.update(model_, background_);
    background_.wait_until_idle();
    data.update(model_, background_);
    EXPECT_EQ(data.error(), nullptr);
    EXPECT_NE(data.data(), nullptr);
  }
}

TEST_F(ReportDataTest, IsNullWhereThereIsNothingToPrint) {
  open(0);
  update();
  EXPECT_NE(data_.made_for(), nullptr);
  EXPECT_EQ(data_.data(), nullptr);
}

TEST(GraphsNote, NamesTheTimeThatReportsLeaveOut) {
  profile::Trace trace;
  EXPECT_EQ(graphs_note(trace), "");
  trace.graph_launches.start_ns = std::vector<int64_t>{0, 1'000'000};
  trace.graph_launches.end_ns = std::vector<int64_t>{500'000, 3'000'000};
  EXPECT_EQ(graphs_note(trace), " · without CUDA graphs (2.50\u202fms in the capture)");
}

}  // namespace
}  // namespace dlview::ui
