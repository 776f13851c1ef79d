#include "ui/chart/iteration_popup.h"

#include <gtest/gtest.h>

#include "ui/tables.h"

namespace dlview::ui {
namespace {

const Palette& kColours = palette(ThemeKind::dark);

TEST(IterationPopup, ListsAllConstituentsWithTheirShares) {
  const BarData data(testing::table_of({100, 200}), {});
  const IterationPopup popup = prepare_popup(data, {1, 1}, {0, 1}, true, kColours);
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
  const IterationPopup popup = prepare_popup(data, {0, 2}, {0, 0}, true, kColours);
  EXPECT_EQ(popup.heading, "Iteration 1 · 200\u202fns");
  EXPECT_EQ(popup.note, "The longest of 3 iterations in this pixel, outside the range");
}

TEST(IterationPopup, SaysNotRecordedInsteadOfZeroForIo) {
  const BarData data(testing::table_of({100}), {});
  const IterationPopup popup = prepare_popup(data, {0, 0}, {0, 0}, false, kColours);
  EXPECT_EQ(popup.rows[4].label, "I/O");
  EXPECT_EQ(popup.rows[4].value, "not recorded");
  EXPECT_TRUE(popup.rows[4].share.empty());
}

}  // namespace
}  // namespace dlview::ui
