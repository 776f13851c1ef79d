#include "ui/chart/iteration_popup.h"

#include <gtest/gtest.h>

#include "profile/recorded.h"
#include "ui/tables.h"

namespace dlview::ui {
namespace {

const Palette& kColours = palette(ThemeKind::dark);

aggregate::RecordedCategories recorded(bool io, std::vector<profile::NotRecorded> lacks = {}) {
  profile::Profile profile;
  profile.not_recorded = std::move(lacks);
  aggregate::Aggregation aggregation;
  aggregation.io_recorded = io;
  return {profile, aggregation};
}

TEST(IterationPopup, ListsAllConstituentsWithTheirShares) {
  const BarData data(testing::table_of({100, 200}), {});
  const IterationPopup popup = prepare_popup(data, {1, 1}, {0, 1}, recorded(true), kColours);
  EXPECT_EQ(popup.heading, "Iteration 1 · 200\u202fns");
  ASSERT_EQ(popup.rows.size(), aggregate::kCategoryCount + 1);
  EXPECT_EQ(popup.rows[1].label, "Other kernels");
  EXPECT_EQ(popup.rows[1].value, "100\u202fns");
  EXPECT_EQ(popup.rows[1].share, "50.0\u202f%");
  EXPECT_EQ(popup.rows[2].value, "0");
  EXPECT_EQ(popup.rows.back().value, "3");
  EXPECT_TRUE(popup.note.empty());
}

TEST(IterationPopup, TellsTheLongestOfThePixelAndThatItLiesOutside) {
  const BarData data(testing::table_of({100, 200, 150}), {});
  const IterationPopup popup = prepare_popup(data, {0, 2}, {0, 0}, recorded(true), kColours);
  EXPECT_EQ(popup.heading, "Iteration 1 · 200\u202fns");
  EXPECT_EQ(popup.note, "The longest of 3 iterations in this pixel, outside the range");
}

TEST(IterationPopup, SaysNotRecordedInsteadOfZeroForIo) {
  const BarData data(testing::table_of({100}), {});
  const IterationPopup popup = prepare_popup(data, {0, 0}, {0, 0}, recorded(false), kColours);
  EXPECT_EQ(popup.rows[4].label, "I/O");
  EXPECT_EQ(popup.rows[4].value, "not recorded");
  EXPECT_TRUE(popup.rows[4].share.empty());
}

TEST(IterationPopup, SaysNotRecordedInsteadOfZeroForGpuWork) {
  const BarData data(testing::table_of({100}), {});
  const auto without_gpu = recorded(true, {{std::string(profile::kNoGpuWorkAndCalls), "trace it"}});
  const IterationPopup popup = prepare_popup(data, {0, 0}, {0, 0}, without_gpu, kColours);
  for (const std::size_t row : {0, 1, 2, 7}) EXPECT_EQ(popup.rows[row].value, "not recorded");
  EXPECT_NE(popup.rows[5].value, "not recorded") << "CPU";
}

}  // namespace
}  // namespace dlview::ui
