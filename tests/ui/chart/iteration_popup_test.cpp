#include "ui/chart/iteration_popup.h"

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "profile/recorded.h"
#include "support/sketch.h"
#include "ui/tables.h"

namespace dlview::ui {
namespace {

const Palette& kPopupColors = palette(ThemeKind::dark);

aggregate::RecordedCategories recorded(bool io, std::vector<profile::NotRecorded> lacks = {}) {
  profile::Profile profile;
  profile.not_recorded = std::move(lacks);
  aggregate::Aggregation aggregation;
  aggregation.io_recorded = io;
  return {profile, aggregation};
}

TEST(IterationPopup, ListsAllConstituentsWithTheirShares) {
  const BarData data(testing::table_of({100, 200}), {});
  const IterationPopup popup = prepare_popup(data, {1, 1}, {0, 1}, recorded(true), kPopupColors);
  EXPECT_EQ(popup.heading, "Iteration 1 · 200\u202fns");
  ASSERT_EQ(popup.rows.size(), aggregate::kCategoryCount + 1);
  EXPECT_EQ(popup.rows[1].label, "Other kernels");
  EXPECT_EQ(popup.rows[1].value, "100\u202fns");
  EXPECT_EQ(popup.rows[1].share, "50.0%");
  EXPECT_EQ(popup.rows[2].value, "0");
  EXPECT_EQ(popup.rows.back().label, "Launched by it");
  EXPECT_EQ(popup.rows.back().value, "3 kernels, 0");
  EXPECT_TRUE(popup.note.empty());
}

TEST(IterationPopup, TellsTheLongestOfThePixelAndThatItLiesOutside) {
  const BarData data(testing::table_of({100, 200, 150}), {});
  const IterationPopup popup = prepare_popup(data, {0, 2}, {0, 0}, recorded(true), kPopupColors);
  EXPECT_EQ(popup.heading, "Iteration 1 · 200\u202fns");
  EXPECT_EQ(popup.note, "The longest of 3 iterations in this pixel, outside the range");
}

TEST(IterationPopup, SaysNotRecordedInsteadOfZeroForIo) {
  const BarData data(testing::table_of({100}), {});
  const IterationPopup popup = prepare_popup(data, {0, 0}, {0, 0}, recorded(false), kPopupColors);
  EXPECT_EQ(popup.rows[4].label, "I/O");
  EXPECT_EQ(popup.rows[4].value, "not recorded");
  EXPECT_TRUE(popup.rows[4].share.empty());
}

TEST(IterationPopup, SaysNotRecordedInsteadOfZeroForGpuWork) {
  const BarData data(testing::table_of({100}), {});
  const auto without_gpu = recorded(true, {{std::string(profile::kNoGpuWorkAndCalls), "trace it"}});
  const IterationPopup popup = prepare_popup(data, {0, 0}, {0, 0}, without_gpu, kPopupColors);
  for (const std::size_t row : {0, 1, 2, 7}) EXPECT_EQ(popup.rows[row].value, "not recorded");
  EXPECT_NE(popup.rows[5].value, "not recorded") << "CPU";
}

// Two steps, 10 and 20, of 80 ns each, the second with three micro-steps.
std::shared_ptr<const profile::Profile> timed_steps() {
  testing::Sketch sketch;
  sketch.kernel(sketch.instance(sketch.op("op"), 0, 300), 0, 100);
  sketch.user_range("/step", 0, 80, 10);
  sketch.user_range("/step", 100, 180, 20);
  for (int64_t i = 0; i < 3; ++i) {
    sketch.user_range("/step/micro-step", 100 + 20 * i, 110 + 21 * i, i);
  }
  return sketch.finish();
}

TEST(IterationPopup, NamesTheRangeWithItsNumberAndItsLength) {
  const auto engine = aggregate::make_cpu_aggregator(timed_steps());
  const BarData data(engine->iteration_table({aggregate::CutKind::start, "step", 0}), {});
  const IterationPopup popup = prepare_popup(data, {0, 0}, {0, 1}, recorded(true), kPopupColors);
  EXPECT_EQ(popup.heading, "Iteration 0 · step 10 · 99\u202fns");
  const TooltipRow& range = popup.rows[aggregate::kCategoryCount];
  EXPECT_EQ(range.label, "step, the marker");
  EXPECT_EQ(range.value, "80\u202fns");
  EXPECT_EQ(range.share, "80.8%");
}

// Two steps whose kernels run behind both.
TEST(IterationPopup, NamesTheSplitAndTheTimeOfItsKernels) {
  testing::Sketch sketch;
  const auto op = sketch.op("op");
  for (int64_t i = 0; i < 2; ++i) {
    sketch.user_range("/step", 10 * i, 10 * i + 8);
    sketch.kernel(sketch.instance(op, 10 * i + 2, 10 * i + 3), 100 + 50 * i, 140 + 50 * i);
  }
  const auto engine = aggregate::make_cpu_aggregator(sketch.finish());
  aggregate::Cut cut{.key_op = "step"};
  const auto popup = [&] {
    return prepare_popup(BarData(engine->iteration_table(cut), {}), {0, 0}, {0, 1}, recorded(true),
                         kPopupColors);
  };
  EXPECT_EQ(popup().heading, "Iteration 0 · 9\u202fns");
  EXPECT_EQ(popup().rows[1].value, "0") << "no kernel ran in its time";
  EXPECT_EQ(popup().rows.back().value, "1 kernel, 40\u202fns");
  cut.split_by = aggregate::SplitBy::gpu;
  EXPECT_EQ(popup().heading, "Iteration 0 · 140\u202fns, by GPU");
  EXPECT_EQ(popup().rows[1].value, "40\u202fns");
  EXPECT_EQ(popup().rows[aggregate::kCategoryCount].label, "step, its kernels");
  EXPECT_EQ(popup().rows[aggregate::kCategoryCount].value, "40\u202fns");
  EXPECT_EQ(popup().rows.back().value, "1 kernel, 40\u202fns");
}

TEST(IterationPopup, TellsOfTheMicroStepsInAStep) {
  const auto profile = timed_steps();
  const auto iterations =
      aggregate::cut_iterations(*profile, {aggregate::CutKind::start, "step", 0});
  EXPECT_TRUE(prepare_inner_ranges(*profile, iterations, 0).empty());
  const auto rows = prepare_inner_ranges(*profile, iterations, 1);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].label, "3 × micro-step, 10\u202fns to 12\u202fns each");
  EXPECT_EQ(rows[0].value, "33\u202fns");
}

TEST(IterationPopup, TellsCommunicationWhereTheRunHasAny) {
  auto table = std::make_shared<aggregate::IterationTable>(*testing::table_of({200}));
  table->facts[0].communication_per_device = {40, 10};
  table->has_communication = true;
  const IterationPopup popup =
      prepare_popup(BarData(table, {}), {0, 0}, {0, 0}, recorded(true, {}), kPopupColors);
  ASSERT_EQ(popup.rows.size(), aggregate::kCategoryCount + 3);
  EXPECT_EQ(popup.rows[1].value, "90\u202fns") << "other kernels, as on the Dashboard";
  EXPECT_EQ(popup.rows[2].label, "Exposed communication");
  EXPECT_EQ(popup.rows[2].value, "10\u202fns");
  EXPECT_EQ(popup.rows[2].share, "5.0%");
  EXPECT_EQ(popup.rows[8].label, "Overlapped communication");
  EXPECT_EQ(popup.rows[8].value, "30\u202fns");
}

}  // namespace
}  // namespace dlview::ui
