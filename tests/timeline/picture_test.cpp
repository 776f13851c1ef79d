#include "timeline/picture.h"

#include <random>

#include <gmock/gmock.h>

#include "support/sketch.h"
#include "timeline/lanes_support.h"
#include "timeline/picture_support.h"

namespace dlview::timeline {
namespace {

using testing::RandomProfileOptions;

class PictureOfARandomRun : public ::testing::TestWithParam<RandomProfileOptions> {};

TEST_P(PictureOfARandomRun, ShowsEveryVisibleEventInABoxOrFold) {
  const auto lanes = testing::random_lanes(GetParam());
  testing::RandomWindows windows(lanes->whole, GetParam().seed);
  for (int round = 0; round < 60; ++round) {
    const TimeMap map(windows.next(), windows.next_columns());
    for (const LaneGroup& group : lanes->groups) {
      for (const Lane& lane : group.lanes) {
        for (const Line& line : lane.lines) {
          ASSERT_NO_FATAL_FAILURE(testing::expect_complete(line, lanes->events, map));
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
}  // namespace dlview::timeline
