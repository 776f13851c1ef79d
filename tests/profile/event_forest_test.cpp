#include "profile/event_forest.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "support/seeds.h"

namespace dlview::profile {
namespace {

using Event = EventForest::Event;

constexpr ThreadId kThreadOfEvents = 3;

EventForest forest_of(const std::vector<Event>& events) {
  return {events.size(), [](std::size_t) { return kThreadOfEvents; },
          [&](std::size_t i) -> Event {
            return {events[i].start_ns, events[i].stop_ns, static_cast<Row>(i)};
          }};
}

// Rows of the parents, by row.
std::vector<Row> parents_of(const std::vector<Event>& events) {
  const EventForest forest = forest_of(events);
  std::vector<Row> parents(events.size(), kNoRow);
  for (std::size_t i = 0; i < forest.size(); ++i) {
    const Row parent = forest.parent(i);
    parents[forest[i].row] = parent == kNoRow ? kNoRow : forest[parent].row;
  }
  return parents;
}

TEST(EventForest, NestsWhatLiesInside) {
  EXPECT_EQ(parents_of({{0, 100}, {10, 50}, {20, 30}, {60, 70}}),
            (std::vector<Row>{kNoRow, 0, 1, 0}));
}

TEST(EventForest, PutsTheLongerOfEqualStartsOutside) {
  EXPECT_EQ(parents_of({{0, 10}, {0, 100}}), (std::vector<Row>{1, kNoRow}));
}

TEST(EventForest, PutsTheFirstOfEqualTimesOutside) {
  EXPECT_EQ(parents_of({{0, 10}, {0, 10}}), (std::vector<Row>{kNoRow, 0}));
}

TEST(EventForest, MakesSiblingsOfWhatTouches) {
  EXPECT_EQ(parents_of({{0, 10}, {10, 20}, {10, 10}, {20, 20}}),
            (std::vector<Row>{kNoRow, kNoRow, 1, kNoRow}));
}

TEST(EventForest, GivesACrossingEventToWhatHoldsItWhole) {
  EXPECT_EQ(parents_of({{0, 100}, {10, 50}, {40, 60}, {45, 48}}),
            (std::vector<Row>{kNoRow, 0, 0, 2}));
}

TEST(EventForest, KeepsThreadsApart) {
  const std::vector<Event> events{{0, 100, 0}, {10, 20, 1}, {30, 40, 2}};
  const EventForest forest(
      3, [](std::size_t i) { return static_cast<ThreadId>(i % 2); },
      [&](std::size_t i) { return events[i]; });
  ASSERT_EQ(forest.threads().threads.size(), 2U);
  EXPECT_EQ(forest[0].row, 0U);
  EXPECT_EQ(forest[1].row, 2U);
  EXPECT_EQ(forest.parent(1), 0U);
  EXPECT_EQ(forest[2].row, 1U);
  EXPECT_EQ(forest.parent(2), kNoRow);
}

TEST(OpenEvents, FindsNothingOnAnotherThread) {
  const EventForest forest = forest_of({{0, 100}});
  EXPECT_EQ(OpenEvents(forest, kThreadOfEvents + 1).at(10), kNoRow);
  EXPECT_EQ(OpenEvents(forest, kThreadOfEvents).at(-1), kNoRow);
}

std::vector<Event> random_events(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Event> events;
  for (int i = 0; i < 60; ++i) {
    const auto start = static_cast<int64_t>(random() % 100);
    events.push_back({start, start + static_cast<int64_t>(random() % 40)});
  }
  return events;
}

// By the definitions, one event after the other.
TEST(OpenEvents, AgreeWithASearchOfAll) {
  for (uint64_t seed = 0; seed < testing::seeds(50); ++seed) {
    const std::vector<Event> events = random_events(seed);
    const EventForest forest = forest_of(events);
    std::vector<Row> stack;
    for (Row i = 0; i < forest.size(); ++i) {
      while (!stack.empty() && forest[stack.back()].stop_ns <= forest[i].start_ns) stack.pop_back();
      std::size_t at = stack.size();
      while (at > 0 && forest[stack[at - 1]].stop_ns < forest[i].stop_ns) --at;
      ASSERT_EQ(forest.parent(i), at == 0 ? kNoRow : stack[at - 1]) << "seed " << seed;
      stack.push_back(i);
    }
    OpenEvents open(forest, kThreadOfEvents);
    for (int64_t time = -1; time < 150; ++time) {
      Row expected = kNoRow;
      for (Row i = 0; i < forest.size() && forest[i].start_ns <= time; ++i) expected = i;
      while (expected != kNoRow && forest[expected].stop_ns < time) {
        expected = forest.parent(expected);
      }
      ASSERT_EQ(open.at(time), expected) << "seed " << seed << " at " << time;
    }
  }
}

}  // namespace
}  // namespace dlview::profile
