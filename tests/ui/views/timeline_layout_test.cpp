#include <gmock/gmock.h>

#include "timeline/lanes_support.h"
#include "ui/views/timeline/layout.h"

namespace dlview::ui {
namespace {

constexpr TimelineHeights kHeights{20, 30, 10, 5};

TEST(TimelineLayout, HasARowForEveryLineAndAHeadingForEveryGroup) {
  const auto lanes = testing::random_lanes({.seed = 1});
  const TimelineLayout layout = lay_out(*lanes, {}, kHeights);
  std::size_t expected = lanes->groups.size();
  for (const timeline::LaneGroup& group : lanes->groups) {
    for (const timeline::Lane& lane : group.lanes) {
      expected += lane.lines.size() + (lane.kind == timeline::LaneKind::busy ? 1 : 0);
    }
  }
  EXPECT_EQ(layout.rows.size(), expected);
  for (std::size_t i = 0; i < layout.rows.size(); ++i) {
    const TimelineRow& row = layout.rows[i];
    EXPECT_EQ(layout.at((row.top + row.bottom) / 2), &row);
    if (i > 0) {
      EXPECT_GE(row.top, layout.rows[i - 1].bottom);
    }
    if (row.kind == TimelineRowKind::line) {
      EXPECT_EQ(layout.find({row.group, row.lane, row.line, 0}), &row);
    }
  }
}

TEST(TimelineLayout, WithCountsOfLinesLeavesOutWhatShowsNothing) {
  const auto lanes = testing::random_lanes({.seed = 1});
  timeline::LineCounts lines;
  for (const timeline::LaneGroup& group : lanes->groups) {
    lines.emplace_back(group.lanes.size(), 0);
  }
  EXPECT_TRUE(lay_out(*lanes, {}, kHeights, &lines).rows.empty());
  lines[1][1] = 1;
  const TimelineLayout layout = lay_out(*lanes, {}, kHeights, &lines);
  ASSERT_EQ(layout.rows.size(), 2U);
  EXPECT_EQ(layout.rows[0].kind, TimelineRowKind::heading);
  EXPECT_EQ(layout.rows[1].group, 1U);
  EXPECT_EQ(layout.rows[1].lane, 1U);
  EXPECT_NE(layout.find({1, 1, 0, 0}), nullptr);
  EXPECT_EQ(layout.find({0, 1, 0, 0}), nullptr);
}

TEST(TimelineLayout, OfAFoldedGroupOnlyTheHeadingStays) {
  const auto lanes = testing::random_lanes({.seed = 1});
  const std::string id = lanes->groups[0].id;
  const TimelineLayout layout = lay_out(*lanes, {id}, kHeights);
  EXPECT_EQ(layout.rows[0].kind, TimelineRowKind::heading);
  EXPECT_TRUE(layout.rows[0].is_folded);
  EXPECT_EQ(layout.rows[1].group, 1U);
  EXPECT_EQ(layout.find({0, 1, 0, 0}), nullptr);
}

TEST(TimelineLayout, TellsWhichRowsAreVisible) {
  const auto lanes = testing::random_lanes({.seed = 2});
  const TimelineLayout layout = lay_out(*lanes, {}, kHeights);
  for (float top = -50; top < layout.height; top += 17) {
    const auto [first, last] = layout.visible(top, top + 60);
    for (std::size_t i = 0; i < layout.rows.size(); ++i) {
      const bool is_visible = layout.rows[i].bottom > top && layout.rows[i].top < top + 60;
      EXPECT_EQ(i >= first && i < last, is_visible) << i << " from " << top;
    }
  }
}

TEST(KeptLayout, IsMadeAnewWhereItWouldBeAnotherAndOnlyThere) {
  const auto lanes = testing::random_lanes({.seed = 3});
  KeptLayout kept;
  kept.update(lanes, {}, kHeights);
  const TimelineRow* first = kept->rows.data();
  const std::size_t rows = kept->rows.size();
  EXPECT_EQ(rows, lay_out(*lanes, {}, kHeights).rows.size());
  kept.update(lanes, {}, kHeights);
  EXPECT_EQ(kept->rows.data(), first);
  kept.update(lanes, {lanes->groups[0].id}, kHeights);
  EXPECT_LT(kept->rows.size(), rows);
  const float height = kept->height;
  kept.update(lanes, {lanes->groups[0].id}, {40, 60, 20, 10});
  EXPECT_EQ(kept->height, 2 * height);
  const auto others = testing::random_lanes({.seed = 4});
  kept.update(others, {}, kHeights);
  EXPECT_EQ(kept->rows.size(), lay_out(*others, {}, kHeights).rows.size());
}

}  // namespace
}  // namespace dlview::ui
