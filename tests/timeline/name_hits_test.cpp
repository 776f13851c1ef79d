#include "timeline/name_hits.h"

#include <algorithm>
#include <tuple>

#include <gtest/gtest.h>

#include "support/sketch.h"
#include "timeline/lanes_support.h"

namespace dlview::timeline {
namespace {

auto order_of(const Lanes& lanes, const Place& place) {
  return std::tuple(lanes.events.start_ns(event_at(lanes, place)), place.group, place.lane,
                    place.line, place.at);
}

std::vector<Place> all_places(const Lanes& lanes) {
  std::vector<Place> places;
  for (std::size_t group = 0; group < lanes.groups.size(); ++group) {
    for (std::size_t lane = 0; lane < lanes.groups[group].lanes.size(); ++lane) {
      const std::vector<Line>& lines = lanes.groups[group].lanes[lane].lines;
      for (std::size_t line = 0; line < lines.size(); ++line) {
        for (std::size_t at = 0; at < lines[line].size(); ++at) {
          places.push_back({group, lane, line, at});
        }
      }
    }
  }
  std::ranges::sort(places, {}, [&](const Place& place) { return order_of(lanes, place); });
  return places;
}

std::string small(std::string text) {
  for (char& letter : text) letter = static_cast<char>(std::tolower(letter));
  return text;
}

NameHits search(std::shared_ptr<const Lanes> lanes, std::string text) {
  const base::Progress progress;
  return {std::move(lanes), std::move(text), progress};
}

class EachText : public ::testing::TestWithParam<const char*> {};

// All names asked one by one, all hits sorted by time.
TEST_P(EachText, IsFoundWhereLookingAtEachNameFindsIt) {
  for (const uint64_t seed : {1, 2, 3}) {
    testing::RandomProfileOptions options;
    options.seed = seed;
    options.instances = 300;
    const auto lanes = testing::random_lanes(options);
    const NameHits hits = search(lanes, GetParam());
    std::vector<Place> expected;
    std::array<int64_t, kEventClassCount> counts = {};
    const std::vector<Place> places = all_places(*lanes);
    for (const Place& place : places) {
      const EventRef event = event_at(*lanes, place);
      const profile::Profile& profile = lanes->events.profile();
      std::string names = small(lanes->events.name(event));
      if (event.kind == EventKind::kernel || event.kind == EventKind::launch) {
        names += '\n' + small(std::string(profile.text(profile.kernels.long_name[event.row])));
      }
      const bool is_hit = names.find(small(GetParam())) != std::string::npos;
      if (is_hit) expected.push_back(place);
      ASSERT_EQ(hits.contains(place), is_hit) << lanes->events.name(event);
      counts[static_cast<std::size_t>(class_of(event.kind))] += is_hit;
    }
    ASSERT_EQ(hits.count(), static_cast<int64_t>(expected.size()));
    for (std::size_t i = 0; i < kEventClassCount; ++i) {
      EXPECT_EQ(hits.count(static_cast<EventClass>(i)), counts[i]);
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(hits.number_of(expected[i]), static_cast<int64_t>(i) + 1);
    }
    // From any event on, a hit or not.
    for (std::size_t i = 0; i < places.size(); i += 7) {
      const auto here = order_of(*lanes, places[i]);
      const auto by_order = [&](const Place& place) { return order_of(*lanes, place); };
      const auto behind = std::ranges::upper_bound(expected, here, {}, by_order);
      const auto before = std::ranges::lower_bound(expected, here, {}, by_order);
      if (expected.empty()) {
        ASSERT_EQ(hits.next(places[i], 1), std::nullopt);
        ASSERT_EQ(hits.next(places[i], -1), std::nullopt);
        continue;
      }
      ASSERT_EQ(hits.next(places[i], 1), behind == expected.end() ? expected.front() : *behind);
      ASSERT_EQ(hits.next(places[i], -1),
                before == expected.begin() ? expected.back() : *(before - 1));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Texts, EachText,
                         ::testing::Values("1", "OP", "memcpy", "cuda", "launch of", "e", "<Float>",
                                           "no such name"));

TEST(NameHits, BeginAtATime) {
  testing::Sketch sketch;
  const auto instance = sketch.instance(sketch.op("net/conv"), 0, 1000);
  for (const int64_t start : {100, 200, 300}) {
    sketch.kernel(instance, start, start + 10, 0, start == 200 ? "sgemm" : "Conv2d");
  }
  const auto lanes = testing::lanes_of(sketch.finish());
  const NameHits hits = search(lanes, "conv2D");
  EXPECT_EQ(hits.count(EventClass::kernels), 2);
  const auto start_of = [&](const std::optional<Place>& place) {
    return lanes->events.start_ns(event_at(*lanes, *place));
  };
  EXPECT_EQ(start_of(search(lanes, "sgemm").next(150, 1)), 200);
  EXPECT_EQ(lanes->events.name(event_at(*lanes, *search(lanes, "sgemm").next(0, -1))), "sgemm");
}

TEST(HoldsText, TakesLargeAndSmallLettersForTheSame) {
  EXPECT_TRUE(holds_text("ampere_SGEMM_128x64", "sgemm"));
  EXPECT_TRUE(holds_text("faltung für Größe", "größe"));
  EXPECT_FALSE(holds_text("sgem", "sgemm"));
  EXPECT_TRUE(holds_text("anything", ""));
}

// All hits that the iteration holds, one after the other, and around.
TEST(NameHits, OfAnIterationAreSteppedThroughWithoutThoseOfOthers) {
  const auto lanes = testing::random_lanes({.seed = 6});
  const NameHits hits = search(lanes, "a");
  std::size_t passed = 0;
  for (const auto& row : testing::iterations_of(lanes->events.profile())) {
    const IterationEvents own(lanes->events.profile(), row);
    std::vector<Place> expected;
    for (const Place& place : all_places(*lanes)) {
      if (!hits.contains(place)) continue;
      const EventRef event = event_at(*lanes, place);
      const int64_t start_ns = lanes->events.start_ns(event);
      if (own.contains(lanes->events, event)) {
        expected.push_back(place);
      } else if (start_ns >= own.reach().start_ns && start_ns <= own.reach().stop_ns) {
        ++passed;
      }
    }
    if (expected.empty()) {
      ASSERT_EQ(hits.next(row.start_ns, 1, &own), std::nullopt);
      continue;
    }
    ASSERT_EQ(hits.next(own.reach().start_ns, 1, &own), expected.front());
    ASSERT_EQ(hits.next(own.reach().stop_ns + 1, -1, &own), expected.back());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::size_t next = (i + 1) % expected.size();
      ASSERT_EQ(hits.next(expected[i], 1, &own), expected[next]);
      ASSERT_EQ(hits.next(expected[next], -1, &own), expected[i]);
    }
  }
  EXPECT_GT(passed, 100U);
}

}  // namespace
}  // namespace dlview::timeline
