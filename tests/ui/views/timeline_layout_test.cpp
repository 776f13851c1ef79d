#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "support/sketch.h"
#include "support/thread_ids.h"
#include "timeline/lanes_support.h"
#include "ui/views/timeline/layout.h"

namespace dlview::ui {
namespace {

constexpr TimelineHeights kHeights{20, 30, 10, 5, 8};

TimelineLayout all_of(const timeline::Lanes& lanes, int64_t column_ns = 0) {
  return lay_out(lanes, {.folded = {}, .column_ns = column_ns}, kHeights);
}

TEST(TimelineLayout, HasARowForEveryLineAndAHeadingForEveryGroup) {
  const auto lanes = testing::random_lanes({.seed = 1});
  const TimelineLayout layout = all_of(*lanes);
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
  EXPECT_TRUE(lay_out(*lanes, {.folded = {}, .lines = &lines}, kHeights).rows.empty());
  lines[1][1] = 1;
  const TimelineLayout layout = lay_out(*lanes, {.folded = {}, .lines = &lines}, kHeights);
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
  const TimelineLayout layout = lay_out(*lanes, {.folded = {id}}, kHeights);
  EXPECT_EQ(layout.rows[0].kind, TimelineRowKind::heading);
  EXPECT_TRUE(layout.rows[0].is_folded);
  EXPECT_EQ(layout.rows[1].group, 1U);
  EXPECT_EQ(layout.find({0, 1, 0, 0}), nullptr);
}

// A thread with an op, and two of the same process that only had a CPU.
std::shared_ptr<const timeline::Lanes> lanes_with_idle_threads() {
  testing::Sketch sketch;
  sketch.instance(sketch.op("net/conv"), 0, 1000, {7, 14});
  auto profile = std::make_shared<profile::Profile>(*sketch.finish());
  profile::Trace& trace = profile->trace.emplace();
  testing::add_threads(trace);
  const profile::ThreadId first = testing::thread_of(7, 9), second = testing::thread_of(7, 10);
  trace.switches = {std::vector<int64_t>{0, 500, 0, 900},
                    std::vector<profile::ThreadId>{first, first, second, second},
                    std::vector<int32_t>(4), std::vector<int16_t>{1, 0, 1, 0}};
  return testing::lanes_of(profile);
}

TEST(TimelineLayout, FoldsIdleThreadsIntoOneRow) {
  const auto lanes = lanes_with_idle_threads();
  ASSERT_EQ(lanes->groups.size(), 3U);
  EXPECT_EQ(lanes->groups[0].thread.thread_id, 14) << "idle threads are last";
  std::set<std::string> folded = folded_at_first();
  TimelineLayout layout = lay_out(*lanes, {.folded = folded}, kHeights);
  ASSERT_EQ(layout.rows.size(), 3U) << "heading and op, then all idle threads";
  EXPECT_EQ(layout.rows[2].kind, TimelineRowKind::idle_threads);
  EXPECT_EQ(layout.rows[2].threads, 2);
  EXPECT_TRUE(layout.rows[2].is_folded);
  EXPECT_NE(layout.find({0, 0, 0, 0}), nullptr);
  EXPECT_EQ(layout.find({1, 0, 0, 0}), nullptr);
  EXPECT_EQ(layout.find({2, 0, 0, 0}), nullptr);
  unfold(folded, *lanes, {.group = 0});
  EXPECT_EQ(folded, folded_at_first());
  unfold(folded, *lanes, {.group = 2});
  layout = lay_out(*lanes, {.folded = folded}, kHeights);
  ASSERT_EQ(layout.rows.size(), 7U);
  EXPECT_FALSE(layout.rows[2].is_folded);
  EXPECT_EQ(layout.find({1, 0, 0, 0}), &layout.rows[4]);
  EXPECT_EQ(layout.find({2, 0, 0, 0}), &layout.rows[6]);
}

TEST(TimelineLayout, CountsIdleThreadsThatShowSomething) {
  const auto lanes = lanes_with_idle_threads();
  timeline::LineCounts lines{{1}, {0}, {1}};
  const std::set<std::string> folded = folded_at_first();
  EXPECT_EQ(lay_out(*lanes, {.folded = folded, .lines = &lines}, kHeights).rows.back().threads, 1);
  lines[2][0] = 0;
  EXPECT_EQ(lay_out(*lanes, {.folded = folded, .lines = &lines}, kHeights).rows.size(), 2U);
  lines = {{0}, {1}, {0}};
  const TimelineLayout layout = lay_out(*lanes, {.folded = folded, .lines = &lines}, kHeights);
  ASSERT_EQ(layout.rows.size(), 2U) << "nothing else is there to show";
  EXPECT_EQ(layout.rows[0].kind, TimelineRowKind::heading);
}

TEST(TimelineLayout, TellsWhichRowsAreVisible) {
  const auto lanes = testing::random_lanes({.seed = 2});
  const TimelineLayout layout = all_of(*lanes);
  for (float top = -50; top < layout.height; top += 17) {
    const auto [first, last] = layout.visible(top, top + 60);
    for (std::size_t i = 0; i < layout.rows.size(); ++i) {
      const bool is_visible = layout.rows[i].bottom > top && layout.rows[i].top < top + 60;
      EXPECT_EQ(i >= first && i < last, is_visible) << i << " from " << top;
    }
  }
}

// Each line is on one row. It shares it if its events are short and so are those of the line above
// or below.
TEST(TimelineLayout, GivesLinesOfShortEventsOneRow) {
  int64_t shared = 0, alone = 0;
  for (const int64_t column_ns : {0, 1'000, 100'000, 10'000'000, 1'000'000'000}) {
    const auto lanes = testing::random_lanes({.seed = 5, .threads = 3});
    const TimelineLayout layout = all_of(*lanes, column_ns);
    for (std::size_t group = 0; group < lanes->groups.size(); ++group) {
      for (std::size_t lane = 0; lane < lanes->groups[group].lanes.size(); ++lane) {
        const timeline::Lane& shown = lanes->groups[group].lanes[lane];
        for (std::size_t line = 0; line < shown.lines.size(); ++line) {
          const TimelineRow* row = layout.find({group, lane, line, 0});
          ASSERT_NE(row, nullptr);
          int times = 0;
          row->for_each_line([&](const TimelineRow& one) {
            times += one.lane == lane && one.line == line ? 1 : 0;
            EXPECT_EQ(one.top, row->top);
          });
          EXPECT_EQ(times, 1);
          const bool is_shared = row->kind == TimelineRowKind::short_events;
          if (is_shared) {
            EXPECT_GE(row->lines.size(), 2U);
            EXPECT_LT(shown.lines[line].longest_ns(), column_ns);
          }
          (is_shared ? shared : alone) += 1;
        }
      }
    }
  }
  EXPECT_GT(shared, 10);
  EXPECT_GT(alone, 10);
}

// Two lanes of a thread, with calls of 10 ns and an op of 100.
std::shared_ptr<const timeline::Lanes> short_lanes() {
  testing::Sketch sketch;
  const auto instance = sketch.instance(sketch.op("net/conv"), 0, 100);
  sketch.sync(instance, 20, 30);
  sketch.instance(sketch.op("step"), 1000, 1001);
  return testing::lanes_of(sketch.finish());
}

TEST(TimelineLayout, OpensLanesAsTheirEventsWiden) {
  const auto lanes = short_lanes();
  const auto kinds_at = [&lanes](int64_t column_ns) {
    std::vector<TimelineRowKind> kinds;
    for (const TimelineRow& row : all_of(*lanes, column_ns).rows) kinds.push_back(row.kind);
    return kinds;
  };
  using Kind = TimelineRowKind;
  EXPECT_THAT(kinds_at(101), ::testing::ElementsAre(Kind::heading, Kind::short_events));
  EXPECT_EQ(kinds_at(100).back(), Kind::line) << "the op is one column wide";
  EXPECT_THAT(kinds_at(10), ::testing::Each(::testing::AnyOf(Kind::heading, Kind::line)));
}

TEST(TimelineLayout, KeepsTheRowsOfABusyStream) {
  testing::Sketch sketch;
  const auto instance = sketch.instance(sketch.op("net/conv"), 0, 1);
  // At the same time, so that the stream has two lines: one is busy all the time, one hardly ever.
  for (int64_t i = 0; i < 100; ++i) sketch.kernel(instance, 10 * i, 10 * i + 10);
  sketch.kernel(instance, 500, 505);
  const auto lanes = testing::lanes_of(sketch.finish());
  const TimelineLayout layout = all_of(*lanes, 1000);
  EXPECT_EQ(layout.find({0, 1, 0, 0})->kind, TimelineRowKind::line);
  EXPECT_EQ(layout.find({0, 1, 1, 0})->kind, TimelineRowKind::line) << "one alone saves nothing";
}

TEST(TimelineLayout, GrowsToTheRoomItHas) {
  const auto lanes = testing::random_lanes({.seed = 1});
  const TimelineLayout layout = all_of(*lanes);
  EXPECT_EQ(grown(kHeights, layout, layout.height), kHeights);
  EXPECT_EQ(grown(kHeights, layout, 10), kHeights);
  float before = layout.height;
  for (float room = layout.height; room < 3 * layout.height; room += 50) {
    const TimelineHeights higher = grown(kHeights, layout, room);
    const float height = lay_out(*lanes, {.folded = {}}, higher).height;
    EXPECT_LE(height, room);
    EXPECT_GE(height, before);
    EXPECT_LE(higher.line, 2 * kHeights.line);
    EXPECT_EQ(higher.heading, kHeights.heading);
    before = height;
  }
  EXPECT_GT(before, layout.height);
}

TEST(KeptLayout, IsMadeAgainOnlyWhereItDiffers) {
  const auto lanes = testing::random_lanes({.seed = 3});
  const std::set<std::string> none, first_group{lanes->groups[0].id};
  KeptLayout kept;
  kept.update(lanes, {none, kHeights});
  const TimelineRow* first = kept->rows.data();
  const std::size_t rows = kept->rows.size();
  EXPECT_EQ(rows, all_of(*lanes).rows.size());
  kept.update(lanes, {none, kHeights});
  EXPECT_EQ(kept->rows.data(), first);
  kept.update(lanes, {none, kHeights, 1});
  EXPECT_EQ(kept->rows.data(), first) << "no line has shorter events";
  kept.update(lanes, {none, kHeights, 1'000'000'000});
  EXPECT_LT(kept->rows.size(), rows);
  kept.update(lanes, {none, kHeights, 0, 3 * kept->height});
  EXPECT_GT(kept->height, all_of(*lanes).height);
  kept.update(lanes, {first_group, kHeights});
  EXPECT_LT(kept->rows.size(), rows);
  const float height = kept->height;
  kept.update(lanes, {first_group, {40, 60, 20, 10, 16}});
  EXPECT_EQ(kept->height, 2 * height);
  const auto others = testing::random_lanes({.seed = 4});
  kept.update(others, {none, kHeights});
  EXPECT_EQ(kept->rows.size(), all_of(*others).rows.size());
}

}  // namespace
}  // namespace dlview::ui
