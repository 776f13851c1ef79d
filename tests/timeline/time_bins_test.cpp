// TimeBins against a slow obvious twin, on random events.

#include "timeline/time_bins.h"

#include <random>

#include <gtest/gtest.h>

namespace dlview::timeline {
namespace {

using Times = std::vector<base::Interval>;

int64_t length_of(const base::Interval& time) {
  return time.stop_ns - time.start_ns;
}

// Bursts and pauses, some events without length; none longer than that.
Times random_bin_times(std::size_t count, uint64_t longest_ns, uint64_t seed) {
  std::mt19937_64 random(seed);
  Times times;
  int64_t at = 5000;
  while (times.size() < count) {
    const auto length = static_cast<int64_t>(random() % (longest_ns + 1));
    times.push_back({at, at + length});
    at += length + static_cast<int64_t>(random() % 4);
    if (random() % 100 == 0) at += static_cast<int64_t>(random() % 100 * longest_ns);
  }
  return times;
}

TimeBins bins_of(const Times& times) {
  return {times.size(), [&times](std::size_t place) { return times[place]; }};
}

std::size_t first_from(const Times& times, int64_t time_ns) {
  std::size_t place = 0;
  while (place < times.size() && times[place].start_ns < time_ns) ++place;
  return place;
}

// Event by event.
void expect_sum(const Times& times, std::size_t first, std::size_t behind, const Bin::Sum& sum) {
  std::size_t longest = first;
  int64_t busy_ns = 0;
  for (std::size_t place = first; place < behind; ++place) {
    busy_ns += length_of(times[place]);
    if (length_of(times[place]) > length_of(times[longest])) longest = place;
  }
  ASSERT_EQ(sum.longest, longest);
  ASSERT_EQ(sum.longest_ns, length_of(times[longest]));
  ASSERT_EQ(sum.busy_ns, busy_ns);
}

class BinsOfManyEvents : public ::testing::TestWithParam<std::size_t> {};

TEST_P(BinsOfManyEvents, TellWhatBeginsInThem) {
  const Times times = random_bin_times(GetParam(), 9, GetParam());
  const TimeBins bins = bins_of(times);
  std::mt19937_64 random(3);
  int levels = 0;
  for (int64_t width = 1; width < times.back().stop_ns; width *= 2) {
    const BinLevel* level = bins.of_width(width);
    if (level == nullptr) continue;
    ++levels;
    ASSERT_LE(int64_t{1} << level->shift, width);
    for (int round = 0; round < 100; ++round) {
      const std::size_t first = random() % (level->bins.size() - 1);
      const std::size_t last = first + 1 + random() % (level->bins.size() - 1 - first);
      const std::size_t place = level->bins[first].first, behind = level->bins[last].first;
      ASSERT_EQ(place, first_from(times, level->begin_ns(first)));
      ASSERT_EQ(behind, first_from(times, level->begin_ns(last)));
      const auto sum = Bin::sum(&level->bins[first], &level->bins[last]);
      ASSERT_TRUE(sum);
      if (place == behind) {
        ASSERT_EQ(sum->longest_ns, -1);
        continue;
      }
      ASSERT_NO_FATAL_FAILURE(expect_sum(times, place, behind, *sum));
    }
  }
  EXPECT_GT(levels, 0);
}

TEST_P(BinsOfManyEvents, AreFoundByTheTimeWhenTheyBegin) {
  const Times times = random_bin_times(GetParam(), 9, GetParam());
  const TimeBins bins = bins_of(times);
  const BinLevel& level = *bins.of_width(INT64_MAX);
  const BinLevel& narrow = *bins.of_width(times.back().stop_ns / 4);
  for (const BinLevel* of : {&level, &narrow}) {
    const std::size_t end = of->bins.size() - 1;
    std::vector<int64_t> asked{INT64_MIN / 4, of->begin_ns(end), of->begin_ns(end) + 1,
                               of->begin_ns(end + 3), INT64_MAX / 4};
    for (int64_t time = 4990; time < times.back().stop_ns + 20; ++time) asked.push_back(time);
    for (const int64_t time : asked) {
      const std::size_t from = of->first_from(time), until = of->last_until(time);
      ASSERT_LE(from, end);
      ASSERT_TRUE(from == end || of->begin_ns(from) >= time);
      ASSERT_TRUE(from == 0 || of->begin_ns(from - 1) < time);
      ASSERT_TRUE(until == 0 || of->begin_ns(until) <= time);
      ASSERT_TRUE(until == end || of->begin_ns(until + 1) > time);
    }
    EXPECT_EQ(of->bins[end].first, times.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, BinsOfManyEvents, ::testing::Values(8, 33, 1000, 20'000));

TEST(TimeBins, SayWhereTheyHoldMoreThanTheyCanTell) {
  const Times times = random_bin_times(4000, 900'000'000, 2);
  const TimeBins bins = bins_of(times);
  bool tells = false, says_not = false;
  for (int64_t width = 1; width < times.back().stop_ns; width *= 2) {
    const BinLevel* level = bins.of_width(width);
    if (level == nullptr) continue;
    for (std::size_t bin = 0; bin + 1 < level->bins.size(); ++bin) {
      const std::size_t place = level->bins[bin].first, behind = level->bins[bin + 1].first;
      if (place == behind) continue;
      const auto sum = Bin::sum(&level->bins[bin], &level->bins[bin + 1]);
      tells |= sum.has_value();
      says_not |= !sum;
      if (!sum) continue;
      ASSERT_NO_FATAL_FAILURE(expect_sum(times, place, behind, *sum));
    }
  }
  EXPECT_TRUE(tells);
  EXPECT_TRUE(says_not);
}

TEST(TimeBins, ThereAreNoneOfFewEvents) {
  EXPECT_EQ(TimeBins().of_width(INT64_MAX), nullptr);
  EXPECT_EQ(bins_of({{1, 2}, {3, 4}}).of_width(INT64_MAX), nullptr);
}

TEST(TimeBins, HoldEventsThatAllBeginTogether) {
  const TimeBins bins = bins_of(Times(100, {7, 7}));
  const BinLevel* level = bins.of_width(1);
  ASSERT_NE(level, nullptr);
  EXPECT_EQ(level->bins.front().first, 0U);
  EXPECT_EQ(level->bins.back().first, 100U);
  EXPECT_EQ(Bin::sum(&level->bins.front(), &level->bins.back())->longest, 0U);
}

}  // namespace
}  // namespace dlview::timeline
