// Runs and the search below them against slow obvious twins; Line's tests ask them too.

#include "ui/timeline/runs.h"

#include <random>

#include <gtest/gtest.h>

namespace dlview::ui::timeline {
namespace {

TEST(Gallop, FindsWhatASearchFromTheBeginningDoesWhateverTheGuess) {
  std::mt19937_64 random(3);
  for (const std::size_t size : {0U, 1U, 2U, 7U, 64U, 500U}) {
    std::vector<int64_t> times;
    for (std::size_t i = 0; i < size; ++i) times.push_back(static_cast<int64_t>(random() % 300));
    std::ranges::sort(times);
    for (int round = 0; round < 2000; ++round) {
      const auto time = static_cast<int64_t>(random() % 320) - 10;
      const std::size_t from = random() % (size + 2), guess = random() % (size + 9);
      std::size_t expected = std::min(from, size);
      while (expected < size && times[expected] < time) ++expected;
      ASSERT_EQ(gallop(times, time, from, guess), expected);
    }
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

TEST_P(RunsOfManyEvents, LeaveNoEventOutOfTheTimeThatIsAskedFor) {
  std::mt19937_64 random(5);
  int found = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::size_t from = random() % times_.size();
    const int64_t time = times_[from].start_ns + static_cast<int64_t>(random() % 40'000);
    const int64_t before = time + static_cast<int64_t>(random() % 40'000);
    const std::size_t exact = runs_.first_from(time, from, time_of_);
    const std::size_t expected = (exact - from) * (50 + random() % 100) / 100;
    const std::size_t run = runs_.run_from(time, before, from, expected);
    if (run == runs_.size()) continue;
    ++found;
    ASSERT_GE(times_[run].start_ns, time);
    ASSERT_LT(times_[run].start_ns, before);
    ASSERT_GE(run, exact);
    ASSERT_LE(run - exact, (run - from) / 7);
  }
  if (GetParam() > 10'000) {
    EXPECT_GT(found, 500);
  }
}

TEST_P(RunsOfManyEvents, AreTooFewForFewEvents) {
  EXPECT_EQ(runs_.run_from(times_.back().start_ns, INT64_MAX, 0, 200), runs_.size());
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
    std::size_t longest = first;
    int64_t busy = 0;
    for (std::size_t i = first; i < last; ++i) {
      const auto length = [&times](std::size_t k) { return times[k].stop_ns - times[k].start_ns; };
      busy += length(i);
      if (length(i) > length(longest)) longest = i;
    }
    ASSERT_EQ(runs.longest(first, last, time_of), longest);
    ASSERT_EQ(runs.busy_ns(first, last, time_of), busy);
    ASSERT_EQ(runs.time(first, time_of), times[first]);
    const auto time = static_cast<int64_t>(random() % static_cast<uint64_t>(at));
    std::size_t expected = first;
    while (expected < times.size() && times[expected].start_ns < time) ++expected;
    ASSERT_EQ(runs.first_from(time, first, time_of, random() % 500), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, RunsOfManyEvents, ::testing::Values(1, 16, 300, 4096, 50'000));

}  // namespace
}  // namespace dlview::ui::timeline
