// Lines and their arrangement against slow obvious twins, on random events.

#include "timeline/line.h"

#include <algorithm>
#include <random>
#include <set>

#include <gmock/gmock.h>

#include "support/sketch.h"

namespace dlview::timeline {
namespace {

using ::testing::ElementsAre;

using Times = std::vector<base::Interval>;

// Kernels with these times, in this order.
Events kernels_at(const Times& times) {
  testing::Sketch sketch;
  const auto op = sketch.op("net/conv");
  for (const base::Interval& time : times) {
    sketch.kernel(sketch.instance(op, 0, 1), time.start_ns, time.stop_ns);
  }
  return Events(sketch.finish());
}

std::vector<EventRef> all_kernels(const Events& events) {
  std::vector<EventRef> all;
  for (profile::Row row = 0; row < events.profile().kernels.size(); ++row) {
    all.push_back({EventKind::kernel, row});
  }
  return all;
}

std::vector<Line> arranged(const Events& events) {
  std::vector<EventRef> all = all_kernels(events);
  sort_by_time(all, events);
  return arrange(std::move(all), events);
}

// As many as that, of up to 50 ns, some without length, within so many ns.
Times random_times(std::size_t count, int64_t within_ns, uint64_t seed) {
  std::mt19937_64 random(seed);
  Times times;
  for (std::size_t i = 0; i < count; ++i) {
    const auto start = static_cast<int64_t>(random() % static_cast<uint64_t>(within_ns));
    const auto length = random() % 8 == 0 ? 0 : static_cast<int64_t>(random() % 50);
    times.push_back({start, start + length});
  }
  return times;
}

// The same, none overlapping another.
Times random_row(std::size_t count, uint64_t seed) {
  Times times = random_times(count, 1, seed);
  std::mt19937_64 random(seed);
  int64_t at = -300;
  for (base::Interval& time : times) {
    const int64_t length = time.stop_ns - time.start_ns;
    at += random() % 3 == 0 ? 0 : static_cast<int64_t>(random() % 90);
    time = {at, at + length};
    at += length;
  }
  return times;
}

class LineOfManyEvents : public ::testing::TestWithParam<std::size_t> {
 protected:
  LineOfManyEvents()
      : times_(random_row(GetParam(), GetParam())),
        events_(kernels_at(times_)),
        line_(all_kernels(events_), events_) {}
  int64_t some_time() {
    const auto room = static_cast<uint64_t>(times_.back().stop_ns + 700);
    return static_cast<int64_t>(random_() % room) - 400;
  }

  Times times_;
  Events events_;
  Line line_;
  std::mt19937_64 random_{17};
};

TEST_P(LineOfManyEvents, FindsTheFirstEventFromATimeOn) {
  for (int round = 0; round < 3000; ++round) {
    const int64_t time = some_time();
    std::size_t expected = 0;
    while (expected < times_.size() && times_[expected].start_ns < time) ++expected;
    ASSERT_EQ(line_.first_from(time, events_), expected);
  }
}

TEST_P(LineOfManyEvents, FindsTheFirstEventThatIsVisible) {
  for (int round = 0; round < 1000; ++round) {
    const int64_t time = some_time();
    std::size_t expected = 0;
    while (expected < times_.size() && times_[expected].start_ns < time &&
           times_[expected].stop_ns <= time) {
      ++expected;
    }
    ASSERT_EQ(line_.first_visible(time, events_), expected);
  }
}

TEST_P(LineOfManyEvents, FindsEveryEvent) {
  for (std::size_t i = 0; i < times_.size(); ++i) {
    ASSERT_EQ(line_.find({EventKind::kernel, static_cast<profile::Row>(i)}, events_), i);
  }
  EXPECT_EQ(line_.find({EventKind::op, 0}, events_), line_.size());
}

INSTANTIATE_TEST_SUITE_P(Sizes, LineOfManyEvents, ::testing::Values(1, 16, 17, 257, 900, 9000));

TEST(Arrangement, PutsEventsThatDoNotOverlapOnOneLine) {
  const Events events = kernels_at({{20, 30}, {0, 10}, {10, 20}, {30, 30}});
  const std::vector<Line> lines = arranged(events);
  ASSERT_EQ(lines.size(), 1U);
  std::vector<profile::Row> order;
  for (std::size_t i = 0; i < lines[0].size(); ++i) order.push_back(lines[0][i].row);
  EXPECT_THAT(order, ElementsAre(1, 2, 0, 3));
}

TEST(Arrangement, PutsTheInnerOfTwoBelow) {
  const Events events = kernels_at({{0, 10}, {0, 100}, {20, 30}, {22, 25}});
  const std::vector<Line> lines = arranged(events);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0][0].row, 1U);
  EXPECT_EQ(lines[1].size(), 2U);
  EXPECT_EQ(lines[2][0].row, 3U);
}

TEST(Arrangement, OfNothingIsNothing) {
  EXPECT_TRUE(arranged(kernels_at({})).empty());
}

TEST(Arrangement, KeepsEveryEventAndNeedsNoMoreLinesThanRunAtOnce) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Times times = random_times(400, 200 + static_cast<int64_t>(seed) * 400, seed);
    const Events events = kernels_at(times);
    const std::vector<Line> lines = arranged(events);
    std::set<profile::Row> seen;
    for (const Line& line : lines) {
      for (std::size_t i = 0; i < line.size(); ++i) {
        EXPECT_TRUE(seen.insert(line[i].row).second);
        if (i == 0) continue;
        EXPECT_GE(events.time(line[i]).start_ns, events.time(line[i - 1]).stop_ns);
      }
    }
    EXPECT_EQ(seen.size(), times.size());
    // At the start of an event the number of those that run then; one without length counts where
    // it lies inside another.
    std::size_t most = 0;
    for (const base::Interval& time : times) {
      const auto runs = [&time](const base::Interval& other) {
        return other.start_ns <= time.start_ns && other.stop_ns > time.start_ns;
      };
      const auto running = static_cast<std::size_t>(std::ranges::count_if(times, runs));
      most = std::max(most, running + (time.stop_ns == time.start_ns ? 1 : 0));
    }
    EXPECT_EQ(lines.size(), most) << seed;
  }
}

}  // namespace
}  // namespace dlview::timeline
