#include "timeline/time_window.h"

#include <random>

#include <gmock/gmock.h>

namespace dlview::timeline {
namespace {

constexpr int64_t kTenHours = 36'000'000'000'000;
constexpr int64_t kHundredDays = 8'640'000'000'000'000;

TEST(TimeMap, ColumnsBeginWhereTheWindowBeginsAndEndWhereItEnds) {
  const TimeMap map({kTenHours, 1'234'567}, 1601);
  EXPECT_EQ(map.begin_ns(0), kTenHours);
  EXPECT_EQ(map.begin_ns(1601), kTenHours + 1'234'567);
  EXPECT_EQ(map.column(kTenHours - 1), -1);
  EXPECT_EQ(map.column(kTenHours), 0);
  EXPECT_EQ(map.column(kTenHours + 1'234'566), 1600);
  EXPECT_EQ(map.column(kTenHours + 1'234'567), 1601);
}

TEST(TimeMap, KeepsEveryNanosecondTenHoursIntoARun) {
  for (int32_t columns : {20, 21, 640, 1601, 3840}) {
    const TimeMap map({kTenHours + 7, kShortestWindowNs}, columns);
    for (int64_t ns = kTenHours + 7; ns < kTenHours + 7 + kShortestWindowNs; ++ns) {
      EXPECT_EQ(map.begin_ns(map.column(ns)), ns) << columns;
    }
  }
}

TEST(TimeMap, AColumnBeginsWithTheFirstTimeThatItShows) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 2000; ++round) {
    const int64_t length = int64_t{20} << (random() % 48);
    const auto columns = static_cast<int32_t>(1 + random() % 4000);
    const auto start = static_cast<int64_t>(random() % (2 * kTenHours)) - kTenHours;
    const TimeMap map({start, length}, columns);
    const auto time = start + static_cast<int64_t>(random() % static_cast<uint64_t>(length));
    const int32_t column = map.column(time);
    ASSERT_GE(column, 0);
    ASSERT_LT(column, columns);
    EXPECT_LE(map.begin_ns(column), time);
    EXPECT_GT(map.begin_ns(column + 1), time);
    if (length < columns) continue;
    EXPECT_EQ(map.column(map.begin_ns(column)), column);
    EXPECT_EQ(map.column(map.begin_ns(column) - 1), column - 1);
  }
}

TEST(TimeMap, DoesNotOverflowInARunOfAHundredDays) {
  const TimeMap map({0, kHundredDays}, 8000);
  EXPECT_EQ(map.column(kHundredDays / 2), 4000);
  EXPECT_EQ(map.begin_ns(4000), kHundredDays / 2);
}

TEST(TimeWindow, ZoomKeepsTheTimeUnderThePointerInItsColumn) {
  const TimeWindow whole{0, kTenHours};
  std::mt19937_64 random(5);
  for (int round = 0; round < 500; ++round) {
    const TimeWindow window{kTenHours / 2, int64_t{1'000} << (random() % 20)};
    const auto at =
        window.start_ns + static_cast<int64_t>(random() % static_cast<uint64_t>(window.length_ns));
    for (const double factor : {0.8, 1.25}) {
      const TimeWindow next = zoomed(window, at, factor, whole);
      EXPECT_NEAR(TimeMap(window, 1500).column(at), TimeMap(next, 1500).column(at), 2);
    }
  }
}

TEST(TimeWindow, ZoomEndsAtTheShortestWindowAndAtTheWholeRun) {
  const TimeWindow whole{-50, 10'000};
  TimeWindow window = whole;
  for (int i = 0; i < 100; ++i) window = zoomed(window, 777, 0.5, whole);
  EXPECT_EQ(window.length_ns, kShortestWindowNs);
  EXPECT_LE(window.start_ns, 777);
  EXPECT_GE(window.stop_ns(), 777);
  for (int i = 0; i < 100; ++i) window = zoomed(window, 777, 2, whole);
  EXPECT_EQ(window, whole);
}

TEST(TimeWindow, ARunShorterThanTheShortestWindowIsShownWhole) {
  const TimeWindow whole{0, 5};
  EXPECT_EQ(zoomed(whole, 2, 0.5, whole), whole);
}

TEST(TimeWindow, PanningStopsAtTheEndsOfTheRun) {
  const TimeWindow whole{100, 1000};
  EXPECT_EQ(panned({400, 200}, -1000, whole), (TimeWindow{100, 200}));
  EXPECT_EQ(panned({400, 200}, 1000, whole), (TimeWindow{900, 200}));
  EXPECT_EQ(panned({400, 200}, 50, whole), (TimeWindow{450, 200}));
}

TEST(TimeWindow, FittingLeavesAMarginOnEitherSide) {
  const TimeWindow whole{0, 100'000};
  EXPECT_EQ(fitted(2000, 4000, whole), (TimeWindow{1900, 2200}));
  EXPECT_EQ(fitted(5000, 5000, whole).length_ns, kShortestWindowNs + 2);
}

TEST(TimeWindow, RevealingMovesOnlyWhatIsNotVisible) {
  const TimeWindow whole{0, 100'000};
  EXPECT_EQ(revealing({1000, 500}, 1100, 1200, whole), (TimeWindow{1000, 500}));
  EXPECT_EQ(revealing({1000, 500}, 9000, 9100, whole), (TimeWindow{8800, 500}));
  EXPECT_EQ(revealing({1000, 500}, 9000, 19'000, whole), (TimeWindow{9000, 500}));
}

TEST(TimeWindow, OfWhatIsAskedForThePartInsideIsLeft) {
  const TimeWindow whole{100, 900};
  EXPECT_EQ(part_inside({700, 5000}, whole), (TimeWindow{700, 300}));
  EXPECT_EQ(part_inside({0, 200}, whole), (TimeWindow{100, 100}));
  EXPECT_EQ(part_inside({0, 9000}, whole), whole);
  EXPECT_EQ(part_inside({300, 50}, whole), (TimeWindow{300, 50}));
  EXPECT_EQ(part_inside({2000, 50}, whole), (TimeWindow{950, 50}));
}

TEST(WindowHistory, GoesBackOneGestureAtATime) {
  WindowHistory history;
  EXPECT_TRUE(history.empty());
  history.leave({0, 100}, 1);
  history.leave({0, 90}, 1);
  history.leave({0, 50}, 2);
  EXPECT_EQ(history.back(), (TimeWindow{0, 50}));
  EXPECT_EQ(history.back(), (TimeWindow{0, 100}));
  EXPECT_EQ(history.back(), std::nullopt);
}

TEST(Navigator, TakesTurnsOfTheWheelBackTogetherAndJumpsOneByOne) {
  Navigator navigator({0, 10'000});
  for (int i = 0; i < 4; ++i) navigator.zoom(5000, 0.5, Navigator::By::wheel);
  const TimeWindow turned = navigator.window();
  EXPECT_EQ(turned.length_ns, 625);
  navigator.jump({100, 200});
  navigator.jump({700, 200});
  navigator.back();
  EXPECT_EQ(navigator.window(), (TimeWindow{100, 200}));
  navigator.back();
  EXPECT_EQ(navigator.window(), turned);
  navigator.back();
  EXPECT_TRUE(navigator.shows_whole());
  EXPECT_FALSE(navigator.can_go_back());
}

TEST(Navigator, ADragMovesTheWindowFromWhereItWasTaken) {
  Navigator navigator({0, 10'000});
  navigator.jump({4000, 1000});
  navigator.begin_drag();
  navigator.drag(100);
  navigator.drag(-300);
  EXPECT_EQ(navigator.window(), (TimeWindow{3700, 1000}));
  navigator.back();
  EXPECT_EQ(navigator.window(), (TimeWindow{4000, 1000}));
}

TEST(Navigator, InOtherRoomWhatIsShownKeepsItsPlaceAndScale) {
  Navigator navigator({0, 10'000});
  navigator.resize(750, 1000);
  EXPECT_EQ(navigator.window(), (TimeWindow{0, 7500}));
  navigator.resize(1000, 750);
  EXPECT_TRUE(navigator.shows_whole());
  navigator.jump({4000, 1000});
  navigator.resize(750, 1000);
  EXPECT_EQ(navigator.window(), (TimeWindow{4000, 750}));
  navigator.resize(1000, 750);
  EXPECT_EQ(navigator.window(), (TimeWindow{4000, 1000}));
  navigator.show_start({4990, 5500});
  EXPECT_EQ(navigator.window(), (TimeWindow{4000, 1000}));
  navigator.show_start({5000, 5500});
  EXPECT_LE(navigator.window().start_ns, 5000);
  EXPECT_GE(navigator.window().stop_ns(), 5500);
  navigator.back();
  EXPECT_TRUE(navigator.shows_whole()) << "none is a step";
  navigator.jump({9000, 750});
  navigator.resize(1500, 750);
  EXPECT_EQ(navigator.window(), (TimeWindow{8500, 1500})) << "the run ends there";
}

TEST(Navigator, InItsFormerRoomAllOfTheRunIsShownAgain) {
  for (const int64_t length : {99, 101, 10'000, 10'001, 10'002, 10'003}) {
    Navigator navigator({0, length});
    navigator.resize(700, 1000);
    EXPECT_FALSE(navigator.shows_whole());
    navigator.resize(1000, 700);
    EXPECT_TRUE(navigator.shows_whole()) << length;
  }
}

TEST(Navigator, ShowsAllOfAGrownRun) {
  Navigator navigator({100, 900});
  navigator.set_whole({0, 1000});
  EXPECT_EQ(navigator.window(), (TimeWindow{0, 1000}));
  navigator.jump({200, 10});
  navigator.set_whole({100, 900});
  EXPECT_EQ(navigator.window(), (TimeWindow{200, 10}));
  EXPECT_EQ(navigator.whole(), (TimeWindow{100, 900}));
}

TEST(Navigator, NothingThatDoesNotMoveTheWindowIsAStep) {
  Navigator navigator({0, 10'000});
  navigator.zoom(10, 2, Navigator::By::keys);
  navigator.jump({-5, 20'000});
  EXPECT_FALSE(navigator.can_go_back());
}

}  // namespace
}  // namespace dlview::timeline
