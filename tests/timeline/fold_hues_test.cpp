#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "timeline/time_bins.h"

namespace dlview::timeline {
namespace {

struct HuedEvent {
  base::Interval time;
  uint8_t hue = 0;
};

struct HuedEvents {
  explicit HuedEvents(std::vector<HuedEvent> all)
      : events(std::move(all)),
        bins(events.size(), [this](std::size_t place) { return events[place].time; }),
        hues(
            bins, [this](std::size_t place) { return length(place); },
            [this](std::size_t place) { return events[place].hue; }) {}

  int64_t length(std::size_t place) const {
    return events[place].time.stop_ns - events[place].time.start_ns;
  }
  // Of the bins in a time.
  std::optional<uint8_t> most(const BinLevel& level, const base::Interval& time) const {
    return hues.most(level, level.first_from(time.start_ns), level.last_until(time.stop_ns));
  }
  // Of what begins in a time, one after the other.
  FoldHues::Times times_in(const base::Interval& time) const {
    FoldHues::Times times;
    for (std::size_t place = 0; place < events.size(); ++place) {
      const int64_t start_ns = events[place].time.start_ns;
      if (start_ns >= time.start_ns && start_ns < time.stop_ns) {
        times.add(events[place].hue, length(place));
      }
    }
    return times;
  }

  std::vector<HuedEvent> events;
  TimeBins bins;
  FoldHues hues;
};

HuedEvents random_hued_events(uint64_t seed, int count, int64_t longest_ns) {
  std::mt19937_64 random(seed);
  std::vector<HuedEvent> events;
  int64_t now_ns = -500;
  for (int i = 0; i < count; ++i) {
    const auto length_ns = static_cast<int64_t>(random() % static_cast<uint64_t>(longest_ns));
    events.push_back({{now_ns, now_ns + length_ns}, static_cast<uint8_t>(random() % 11)});
    now_ns += length_ns + static_cast<int64_t>(random() % 300);
  }
  return HuedEvents(std::move(events));
}

TEST(FoldHues, OfEachBinAreThoseThatTakeMostOfItsTime) {
  const HuedEvents events = random_hued_events(1, 2'000, 100'000);
  ASSERT_GT(events.bins.levels().size(), 5U);
  for (const BinLevel& level : events.bins.levels()) {
    for (std::size_t bin = 0; bin + 1 < level.bins.size(); ++bin) {
      const base::Interval time{level.begin_ns(bin), level.begin_ns(bin + 1)};
      const FoldHues::Times times = events.times_in(time);
      const auto most = events.most(level, time);
      if (times.of(times.most()) == 0) {
        EXPECT_EQ(most, std::nullopt);
      } else {
        ASSERT_TRUE(most.has_value()) << level.shift << ' ' << bin;
        EXPECT_EQ(times.of(*most), times.of(times.most())) << level.shift << ' ' << bin;
      }
    }
  }
}

// However long a single one of another hue is.
TEST(FoldHues, OfManyShortEventsHideOneThatIsLong) {
  std::vector<HuedEvent> all;
  for (int64_t i = 0; i < 4096; ++i) {
    const bool is_long = i % 512 == 0;
    all.push_back(
        {{1000 * i, 1000 * i + (is_long ? 1000 : 400)}, static_cast<uint8_t>(is_long ? 3 : 1)});
  }
  const HuedEvents events(std::move(all));
  for (const BinLevel& level : events.bins.levels()) {
    const int64_t width_ns = int64_t{1} << level.shift;
    if (width_ns < 8'000 || width_ns > 25'000) continue;  // a long one, and within what is asked
    for (int64_t begin_ns = 0; begin_ns < 3'000'000; begin_ns += 777'777) {
      EXPECT_EQ(events.most(level, {begin_ns, begin_ns + 100'000}), 1);
    }
  }
}

TEST(FoldHues, TellOfTimesThatNoEventTakes) {
  std::vector<HuedEvent> all(100, HuedEvent{{5, 5}, 2});
  all.push_back({{1'000'000, 1'000'100}, 4});
  const HuedEvents events(std::move(all));
  const BinLevel& level = events.bins.levels().front();
  EXPECT_EQ(events.most(level, {level.start_ns, level.begin_ns(1)}), std::nullopt)
      << "they take no time";
  EXPECT_EQ(events.most(level, {900'000, 1'100'000}), 4);
  EXPECT_EQ(events.most(level, {500'000, 500'001}), std::nullopt);
}

// What is longer than an entry holds is still the longest.
TEST(FoldHues, OfHoursAreToldToo) {
  constexpr int64_t kHour = int64_t{3'600} * 1'000'000'000;
  const HuedEvents events({{{0, kHour}, 7},
                           {{kHour, kHour + 10}, 1},
                           {{kHour + 20, kHour + 30}, 1},
                           {{kHour + 40, kHour + 50}, 1}});
  const BinLevel& widest = events.bins.levels().back();
  EXPECT_EQ(events.most(widest, {0, 3 * kHour}), 7);
}

// Each of its bins holds all that an entry does.
TEST(FoldHues, OfManyFullBinsAreToldToo) {
  constexpr int64_t kYear = int64_t{365} * 86'400 * 1'000'000'000;
  constexpr int64_t kCount = 2 * int64_t{FoldHues::kMostBins};
  constexpr int kShift = 11;  // of bins of about two events
  std::vector<HuedEvent> all;
  for (int64_t i = 0; i < kCount; ++i) {
    const int64_t start_ns = 1000 * i;
    const bool is_most = (start_ns >> kShift) % 5 < 3;
    all.push_back({{start_ns, start_ns + kYear}, static_cast<uint8_t>(is_most ? 9 : 2)});
  }
  const HuedEvents events(std::move(all));
  const BinLevel* const level = events.bins.of_width(int64_t{1} << kShift);
  ASSERT_TRUE(level != nullptr && level->shift == kShift);
  EXPECT_EQ(events.most(*level, {0, 1000 * kCount}), 9);
}

}  // namespace
}  // namespace dlview::timeline
