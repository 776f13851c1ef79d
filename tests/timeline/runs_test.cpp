// Runs and the walk through them against slow obvious twins; Line's tests ask them too.

#include "timeline/runs.h"

#include <random>

#include <gtest/gtest.h>

namespace dlview::timeline {
namespace {

using Times = std::vector<base::Interval>;

int64_t length(const base::Interval& time) {
  return time.stop_ns - time.start_ns;
}

// Event by event.
std::size_t longest_of(const Times& times, std::size_t first, std::size_t last) {
  std::size_t longest = first;
  for (std::size_t i = first; i < last; ++i) {
    if (length(times[i]) > length(times[longest])) longest = i;
  }
  return longest;
}

int64_t sum_of(const Times& times, std::size_t first, std::size_t last) {
  int64_t busy = 0;
  for (std::size_t i = first; i < last; ++i) busy += length(times[i]);
  return busy;
}

// A walk over all events in steps of any width: each stretch is what it says.
void expect_walk(const Times& times, const Runs& runs, int64_t longest_step_ns, uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto time_of = [&times](std::size_t place) { return times[place]; };
  RunWalk walk(runs, time_of);
  for (std::size_t first = 0; first < times.size();) {
    const auto step = static_cast<int64_t>(random() % static_cast<uint64_t>(longest_step_ns));
    const int64_t time = times[first].start_ns + 1 + step;
    const Stretch stretch = walk.until(time, first);
    std::size_t behind = first;
    while (behind < times.size() && times[behind].start_ns < time) ++behind;
    ASSERT_EQ(stretch.behind, behind);
    ASSERT_EQ(stretch.behind_ns, behind == times.size() ? Runs::kNever : times[behind].start_ns);
    ASSERT_EQ(stretch.longest, longest_of(times, first, behind));
    ASSERT_EQ(stretch.busy_ns, sum_of(times, first, behind));
    first = behind;
  }
}

class RunsOfManyEvents : public ::testing::TestWithParam<std::size_t> {
 protected:
  RunsOfManyEvents() {
    std::mt19937_64 random(GetParam());
    int64_t at = 0;
    while (times_.size() < GetParam()) {
      const auto length = static_cast<int64_t>(random() % 6);
      times_.push_back({at, at + length});
      at += length + static_cast<int64_t>(random() % 4);
      if (random() % 2000 == 0) at += 100'000;
    }
    runs_ = Runs(times_.size(), time_of_);
  }

  std::vector<base::Interval> times_;
  Runs runs_;
  const std::function<base::Interval(std::size_t)> time_of_ = [this](std::size_t place) {
    return times_[place];
  };
};

TEST_P(RunsOfManyEvents, TellTheStartOfEachEvent) {
  for (std::size_t place = 0; place < times_.size(); ++place) {
    ASSERT_EQ(runs_.start_ns(place, time_of_), times_[place].start_ns);
  }
}

TEST_P(RunsOfManyEvents, AreWalkedThroughWithoutLeavingOutAnEvent) {
  for (const int64_t step : {1, 7, 100, 3000, 40'000, 10'000'000}) {
    for (uint64_t seed = 0; seed < 5; ++seed) {
      ASSERT_NO_FATAL_FAILURE(expect_walk(times_, runs_, step, seed));
    }
  }
}

TEST(RunsOfHours, AreAsExactAsThoseOfMicroseconds) {
  std::mt19937_64 random(8);
  std::vector<base::Interval> times;
  int64_t at = 0;
  for (int i = 0; i < 900; ++i) {
    const auto some_ns = [&random](uint64_t most) { return static_cast<int64_t>(random() % most); };
    const int64_t length = random() % 9 == 0 ? some_ns(9'000'000'000) : some_ns(1000);
    times.push_back({at, at + length});
    at += length + (random() % 11 == 0 ? some_ns(9'000'000'000) : some_ns(1000));
  }
  const auto time_of = [&times](std::size_t place) { return times[place]; };
  const Runs runs(times.size(), time_of);
  for (int round = 0; round < 3000; ++round) {
    const std::size_t first = random() % times.size();
    const std::size_t last = first + 1 + random() % (times.size() - first);
    ASSERT_EQ(runs.longest(first, last, time_of).place, longest_of(times, first, last));
    ASSERT_EQ(runs.time(first, time_of), times[first]);
    const auto time = static_cast<int64_t>(random() % static_cast<uint64_t>(at));
    std::size_t expected = 0;
    while (expected < times.size() && times[expected].start_ns < time) ++expected;
    ASSERT_EQ(runs.first_from(time, time_of), expected);
  }
  for (const int64_t step : std::initializer_list<int64_t>{5000, 20'000'000'000, 900'000'000'000}) {
    ASSERT_NO_FATAL_FAILURE(expect_walk(times, runs, step, 3));
  }
}

TEST_P(RunsOfManyEvents, TellTheLongestOfAnyStretch) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 500; ++round) {
    const std::size_t first = random() % times_.size();
    const std::size_t last = first + 1 + random() % (times_.size() - first);
    ASSERT_EQ(runs_.longest(first, last, time_of_).place, longest_of(times_, first, last));
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, RunsOfManyEvents, ::testing::Values(1, 16, 300, 4096, 50'000));

}  // namespace
}  // namespace dlview::timeline
