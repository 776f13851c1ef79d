#include "ui/timeline/picture.h"

#include <random>

#include <gmock/gmock.h>

#include "support/sketch.h"
#include "ui/timeline/lanes_support.h"

namespace dlview::ui::timeline {
namespace {

using testing::RandomProfileOptions;

// Whether any of the event's time is in the window; one without length is where it starts.
bool is_visible(const base::Interval& time, const TimeWindow& window) {
  return time.start_ns < window.stop_ns() &&
         (time.stop_ns > window.start_ns || time.start_ns >= window.start_ns);
}

// The columns that the line covers, event by event.
std::vector<std::pair<int32_t, int32_t>> covered_columns(const Line& line, const Events& events,
                                                         const TimeMap& map) {
  std::vector<std::pair<int32_t, int32_t>> covered;
  for (std::size_t place = 0; place < line.size(); ++place) {
    const base::Interval time = events.time(line[place]);
    if (!is_visible(time, map.window())) continue;
    const int32_t column = std::max(0, map.column(time.start_ns));
    const int32_t right = std::min(map.columns(), map.column(time.stop_ns));
    const bool is_last_of_column =
        place + 1 == line.size() ||
        std::max(0, map.column(events.time(line[place + 1]).start_ns)) > column;
    const bool is_first = covered.empty() || covered.back().second <= column;
    const bool has_own_box = is_last_of_column && (is_first || right - column >= 2);
    if (is_first) {
      covered.push_back({column, column + 1});
      if (has_own_box) covered.back().second = std::max(column + 1, right);
    } else if (has_own_box) {
      covered.push_back({column + 1, right});
    }
  }
  return covered;
}

std::vector<std::pair<int32_t, int32_t>> columns_of(const LinePicture& picture) {
  std::vector<std::pair<int32_t, int32_t>> columns;
  for (const Mark& mark : picture) columns.push_back({mark.left, mark.right});
  return columns;
}

int64_t length_ns(const Line& line, const Events& events, std::size_t place) {
  const base::Interval time = events.time(line[place]);
  return time.stop_ns - time.start_ns;
}

// Event by event: the first of the longest, and what all take.
void expect_longest_and_time(const Mark& mark, const Line& line, const Events& events) {
  uint32_t longest = mark.first;
  int64_t busy_ns = 0;
  for (uint32_t place = mark.first; place < mark.first + mark.count; ++place) {
    busy_ns += length_ns(line, events, place);
    if (length_ns(line, events, place) > length_ns(line, events, longest)) longest = place;
  }
  ASSERT_EQ(mark.longest, longest);
  ASSERT_EQ(mark.busy_ns, busy_ns);
}

// Every visible event once, nothing else, and no mark on the columns of another.
void expect_complete(const Line& line, const Events& events, const TimeMap& map) {
  const LinePicture picture = prepare_line(line, events, map);
  ASSERT_EQ(columns_of(picture), covered_columns(line, events, map));
  std::size_t next = 0;
  while (next < line.size() && !is_visible(events.time(line[next]), map.window())) ++next;
  int32_t free_from = 0;
  for (const Mark& mark : picture) {
    ASSERT_EQ(mark.first, next);
    ASSERT_GE(mark.count, 1U);
    next += mark.count;
    ASSERT_LE(next, line.size());
    ASSERT_GE(mark.left, free_from);
    ASSERT_GT(mark.right, mark.left);
    ASSERT_LE(mark.right, map.columns());
    free_from = mark.right;
    const int64_t begin_ns = map.begin_ns(mark.left), end_ns = map.begin_ns(mark.left + 1);
    const int64_t eighth_ns = (end_ns - begin_ns) / 8;
    for (std::size_t place = mark.first; place < next; ++place) {
      const base::Interval time = events.time(line[place]);
      ASSERT_TRUE(is_visible(time, map.window()));
      ASSERT_NEAR(std::max(0, map.column(time.start_ns)), mark.left, 1);
      if (!mark.is_fold() || mark.left == 0) continue;
      ASSERT_GE(time.start_ns, begin_ns);
      ASSERT_LT(time.start_ns, end_ns + eighth_ns);
    }
    ASSERT_NO_FATAL_FAILURE(expect_longest_and_time(mark, line, events));
  }
  for (; next < line.size(); ++next) {
    ASSERT_FALSE(is_visible(events.time(line[next]), map.window())) << next;
  }
}

class PictureOfARandomRun : public ::testing::TestWithParam<RandomProfileOptions> {};

TEST_P(PictureOfARandomRun, ShowsEveryVisibleEventAsABoxOrCountsItInAFold) {
  const auto lanes = testing::random_lanes(GetParam());
  testing::RandomWindows windows(lanes->whole, GetParam().seed);
  for (int round = 0; round < 60; ++round) {
    const TimeMap map(windows.next(), windows.next_columns());
    for (const LaneGroup& group : lanes->groups) {
      for (const Lane& lane : group.lanes) {
        for (const Line& line : lane.lines) {
          ASSERT_NO_FATAL_FAILURE(expect_complete(line, lanes->events, map));
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Profiles, PictureOfARandomRun,
    ::testing::Values(RandomProfileOptions{.seed = 1},
                      RandomProfileOptions{.seed = 2, .threads = 1},
                      RandomProfileOptions{.seed = 3, .backwards = true},
                      RandomProfileOptions{.seed = 4, .processes = 3},
                      RandomProfileOptions{.seed = 5, .kernels = 9000, .length_ns = 300'000'000},
                      RandomProfileOptions{.seed = 6, .kernels = 9000, .length_ns = 50'000}));

// Bursts of many short events and pauses: where folds take whole bins, and where they cannot.
TEST(Picture, OfThousandsOfEventsInAColumnIsCompleteToo) {
  std::mt19937_64 random(11);
  testing::Sketch sketch;
  const auto instance = sketch.instance(sketch.op("net/conv"), 0, 1);
  int64_t at = 0;
  for (int burst = 0; burst < 60; ++burst) {
    const uint64_t count = 1 + random() % 3000;
    for (uint64_t i = 0; i < count; ++i) {
      const auto length = static_cast<int64_t>(random() % 9);
      sketch.kernel(instance, at, at + length);
      at += length + static_cast<int64_t>(random() % 3);
    }
    at += random() % 2 == 0 ? 0 : static_cast<int64_t>(random() % 50'000);
  }
  const auto lanes = testing::lanes_of(sketch.finish());
  const Line& line = lanes->groups[0].lanes[1].lines[0];
  testing::RandomWindows windows(lanes->whole, 4);
  uint32_t largest = 0, rough = 0;
  for (int round = 0; round < 100; ++round) {
    const TimeMap map(windows.next(), 1 + static_cast<int32_t>(random() % 300));
    ASSERT_NO_FATAL_FAILURE(expect_complete(line, lanes->events, map));
    for (const Mark& mark : prepare_line(line, lanes->events, map)) {
      largest = std::max(largest, mark.count);
      const std::size_t begins_in_it = line.first_from(map.begin_ns(mark.left + 1), lanes->events) -
                                       line.first_from(map.begin_ns(mark.left), lanes->events);
      rough += mark.left > 0 && mark.count != begins_in_it ? 1 : 0;
    }
  }
  EXPECT_GT(largest, 4000U);
  EXPECT_GT(rough, 1000U);
}

TEST(Picture, ABoxCoversTheColumnsOfItsTime) {
  testing::Sketch sketch;
  const auto instance = sketch.instance(sketch.op("net/conv"), 0, 1);
  sketch.kernel(instance, 100, 300);
  sketch.kernel(instance, 300, 301);  // alone in its column: seen although it is too short
  sketch.kernel(instance, 500, 520);
  sketch.kernel(instance, 520, 525);  // in the column of the one before
  const auto lanes = testing::lanes_of(sketch.finish());
  const Line& line = lanes->groups[0].lanes[1].lines[0];
  const LinePicture picture = prepare_line(line, lanes->events, TimeMap({0, 1000}, 20));
  ASSERT_EQ(picture.size(), 3U);
  EXPECT_EQ(picture[0], (Mark{2, 6, 0, 1, 0, 200}));
  EXPECT_EQ(picture[1], (Mark{6, 7, 1, 1, 1, 1}));
  EXPECT_EQ(picture[2], (Mark{10, 11, 2, 2, 2, 25}));
}

TEST(Picture, WhatIsCutOffReachesToTheEdges) {
  testing::Sketch sketch;
  sketch.kernel(sketch.instance(sketch.op("net/conv"), 0, 1), 100, 900);
  const auto lanes = testing::lanes_of(sketch.finish());
  const Line& line = lanes->groups[0].lanes[1].lines[0];
  const LinePicture picture = prepare_line(line, lanes->events, TimeMap({400, 100}, 50));
  ASSERT_EQ(picture.size(), 1U);
  EXPECT_EQ(picture[0].left, 0);
  EXPECT_EQ(picture[0].right, 50);
}

TEST(Picture, MarksAreFoundByTheirColumnsOrNearThem) {
  const LinePicture picture{{2, 6, 0, 1, 0, 1}, {9, 10, 1, 1, 1, 1}};
  EXPECT_EQ(find_mark(picture, 2, 0), &picture[0]);
  EXPECT_EQ(find_mark(picture, 5, 0), &picture[0]);
  EXPECT_EQ(find_mark(picture, 6, 0), nullptr);
  EXPECT_EQ(find_mark(picture, 6, 1), &picture[0]);
  EXPECT_EQ(find_mark(picture, 8, 2), &picture[1]);
  EXPECT_EQ(find_mark(picture, 20, 3), nullptr);
  EXPECT_EQ(find_mark({}, 3, 3), nullptr);
}

TEST(Picture, IterationsFoldLikeEvents) {
  std::vector<aggregate::Iteration> iterations;
  for (int64_t i = 0; i < 1000; ++i) {
    iterations.push_back({.start_ns = i * 100, .stop_ns = i * 100 + (i == 700 ? 99 : 98)});
  }
  const IterationLine line(iterations);
  const LinePicture whole = line.prepare(TimeMap({0, 100'000}, 10));
  ASSERT_EQ(whole.size(), 10U);
  uint32_t count = 0;
  for (const Mark& mark : whole) count += mark.count;
  EXPECT_EQ(count, 1000U);
  EXPECT_EQ(whole[7].longest, 700U);
  const LinePicture few = line.prepare(TimeMap({150, 200}, 200));
  ASSERT_EQ(few.size(), 3U);
  EXPECT_EQ(few[0], (Mark{0, 48, 1, 1, 1, 98}));
  EXPECT_EQ(few[2], (Mark{150, 200, 3, 1, 3, 98}));
}

TEST(BusyTimes, OfColumnsAreThoseOfTheUnion) {
  std::mt19937_64 random(3);
  std::vector<base::Interval> intervals;
  for (int i = 0; i < 700; ++i) {
    const auto start = static_cast<int64_t>(random() % 100'000);
    intervals.push_back({start, start + static_cast<int64_t>(random() % 150)});
  }
  const auto busy =
      std::make_shared<const base::IntervalSet>(base::IntervalSet::union_of(intervals));
  const BusyTimes times(busy);
  testing::RandomWindows windows({-500, 101'000}, 8);
  for (int round = 0; round < 200; ++round) {
    const TimeMap map(windows.next(), windows.next_columns());
    const std::vector<int64_t> columns = times.by_column(ColumnTimes(map));
    ASSERT_EQ(columns.size(), static_cast<std::size_t>(map.columns()));
    for (int32_t column = 0; column < map.columns(); ++column) {
      const auto [begin, end] = map.shown(column);
      ASSERT_EQ(columns[static_cast<std::size_t>(column)], busy->covered_ns(begin, end));
    }
  }
}

TEST(BusyTimes, FillEveryColumnWhereANanosecondIsWiderThanOne) {
  const BusyTimes times(
      std::make_shared<const base::IntervalSet>(base::IntervalSet::union_of({{100, 110}})));
  const std::vector<int64_t> columns = times.by_column(ColumnTimes(TimeMap({100, 20}, 1000)));
  ASSERT_EQ(columns.size(), 1000U);
  for (std::size_t column = 0; column < 1000; ++column) {
    EXPECT_EQ(columns[column], column < 500 ? 1 : 0) << column;
  }
}

TEST(BusyTimes, OfAGpuWithoutWorkAreNone) {
  const BusyTimes times(std::make_shared<const base::IntervalSet>());
  EXPECT_EQ(times.by_column(ColumnTimes(TimeMap({-100, 200}, 2))), (std::vector<int64_t>{0, 0}));
}

}  // namespace
}  // namespace dlview::ui::timeline
