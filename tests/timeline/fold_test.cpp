// Folds of lines with bursts of very many events, told event by event: at any density from a few
// events in a column, which are walked through, to thousands, which are read off bins.

#include <random>

#include <gmock/gmock.h>

#include "support/sketch.h"
#include "timeline/lanes_support.h"
#include "timeline/picture_support.h"

namespace dlview::timeline {
namespace {

// Bursts of short events, each followed by one long event, by a pause or by both.
struct Bursts {
  const char* name;
  int64_t unit_ns = 1;   // of lengths and pauses
  int64_t start_ns = 0;  // of the first event
  uint64_t bursts = 30;
  uint64_t longest = 2000;  // units, of long events
  uint64_t pause = 20'000;  // units, at most
};

class FoldsOfBursts : public ::testing::TestWithParam<Bursts> {
 protected:
  FoldsOfBursts() : random_(11) {
    testing::Sketch sketch;
    const auto instance = sketch.instance(sketch.op("net/conv"), 0, 1);
    const Bursts& bursts = GetParam();
    int64_t at = bursts.start_ns;
    const auto add = [&](int64_t units, int64_t pause) {
      const int64_t stop_ns = at + units * bursts.unit_ns;
      sketch.kernel(instance, at, stop_ns);
      at = stop_ns + pause * bursts.unit_ns;
    };
    for (uint64_t burst = 0; burst < bursts.bursts; ++burst) {
      for (uint64_t count = 1 + some(2000); count > 0; --count) add(some(9), some(3));
      if (some(3) > 0) add(some(bursts.longest), 0);
      if (some(3) > 0) at += some(bursts.pause) * bursts.unit_ns;
    }
    for (int i = 0; i < 1500; ++i) add(some(9), some(3));  // the last one is dense up to its end
    lanes_ = testing::lanes_of(sketch.finish());
    stop_ns_ = lanes_->events.time(line()[line().size() - 1]).stop_ns;
  }
  int64_t some(uint64_t below) { return static_cast<int64_t>(random_() % below); }
  const Line& line() const { return lanes_->groups[0].lanes[1].lines[0]; }
  // Where `events` of the bursts begin in each column.
  TimeWindow window_of_density(int64_t events, int32_t columns) {
    const int64_t spacing_ns = 5 * GetParam().unit_ns;
    return {0, std::max<int64_t>(kShortestWindowNs, events * spacing_ns * columns)};
  }
  void expect_complete(const TimeMap& map) {
    ASSERT_NO_FATAL_FAILURE(testing::expect_complete(line(), lanes_->events, map));
    const LinePicture picture = prepare_line(line(), lanes_->events, map);
    for (std::size_t i = 0; i < picture.size(); ++i) {
      const Mark& mark = picture[i];
      const int64_t begin_ns = map.begin_ns(mark.left), end_ns = map.begin_ns(mark.left + 1);
      const std::size_t begin_in_it =
          line().first_from(end_ns, lanes_->events) - line().first_from(begin_ns, lanes_->events);
      few_ += mark.is_fold() && mark.count < 16 ? 1 : 0;
      rough_ += mark.left > 0 && mark.is_fold() && mark.count != begin_in_it ? 1 : 0;
      const bool is_behind =
          i > 0 && picture[i - 1].count >= 16 && picture[i - 1].right == mark.left;
      long_behind_folds_ += is_behind && mark.right - mark.left > 1 ? 1 : 0;
    }
  }

  std::mt19937_64 random_;
  std::shared_ptr<const Lanes> lanes_;
  int64_t stop_ns_ = 0;  // of the last event
  int few_ = 0, rough_ = 0, long_behind_folds_ = 0;
};

TEST_P(FoldsOfBursts, HoldAllThatBeginsInTheirColumnsAtAnyDensity) {
  ASSERT_GT(line().size(), 20'000U);
  for (int64_t events = 1; events <= 4096; events *= 2) {
    for (int round = 0; round < 8; ++round) {
      const auto columns = static_cast<int32_t>(1 + some(300));
      TimeWindow window = window_of_density(events + some(static_cast<uint64_t>(events)), columns);
      const auto at = static_cast<std::size_t>(some(line().size()));  // shown somewhere in it
      window.start_ns =
          lanes_->events.time(line()[at]).start_ns - some(static_cast<uint64_t>(window.length_ns));
      ASSERT_NO_FATAL_FAILURE(expect_complete(TimeMap(window, columns))) << events;
    }
  }
  EXPECT_GT(few_, 50);
  EXPECT_GT(rough_, 30);
  EXPECT_GT(long_behind_folds_, 5);
}

TEST_P(FoldsOfBursts, EndWhereTheLineDoes) {
  for (int64_t events = 1; events <= 1024; events *= 2) {
    for (int round = 0; round < 4; ++round) {
      const auto columns = static_cast<int32_t>(20 + some(200));
      TimeWindow window = window_of_density(events, columns);
      window.start_ns =
          stop_ns_ - window.length_ns / 2 - some(static_cast<uint64_t>(window.length_ns / 4));
      const TimeMap map(window, columns);
      ASSERT_NO_FATAL_FAILURE(expect_complete(map)) << events;
      const LinePicture picture = prepare_line(line(), lanes_->events, map);
      ASSERT_FALSE(picture.empty());
      EXPECT_LE(picture.back().right, map.column(stop_ns_) + 1);
      EXPECT_EQ(picture.back().first + picture.back().count, line().size());
    }
  }
}

// More than 4.3 s are too much for a bin, and this one lies across the beginning of a column that
// holds no other.
TEST(Fold, KeepsTheLengthOfALongEventAfterShortOnes) {
  constexpr int64_t kSecond = 1'000'000'000;
  testing::Sketch sketch;
  const auto instance = sketch.instance(sketch.op("net/conv"), 0, 1);
  const auto fill = [&](int64_t from_ns, int64_t to_ns) {
    for (int64_t at = from_ns; at < to_ns; at += kSecond / 10) sketch.kernel(instance, at, at + 5);
  };
  fill(0, 40 * kSecond);
  const int64_t burst_ns = 40 * kSecond + kSecond / 100;
  for (int64_t i = 0; i < 9; ++i) sketch.kernel(instance, burst_ns + 10 * i, burst_ns + 10 * i + 5);
  sketch.kernel(instance, burst_ns + 100, burst_ns + 20 * kSecond);
  fill(61 * kSecond, 160 * kSecond);
  const auto lanes = testing::lanes_of(sketch.finish());
  const Line& line = lanes->groups[0].lanes[1].lines[0];
  const TimeMap map({0, 160 * kSecond}, 40);
  ASSERT_NE(bins_of(line, ColumnTimes(map)), nullptr);
  ASSERT_NO_FATAL_FAILURE(testing::expect_complete(line, lanes->events, map));
}

INSTANTIATE_TEST_SUITE_P(
    Lines, FoldsOfBursts,
    ::testing::Values(Bursts{"OfNanoseconds"},
                      Bursts{.name = "WithEventsOverManyColumns", .longest = 900'000},
                      Bursts{.name = "BeforeZero", .start_ns = -150'000},
                      Bursts{.name = "AllBeforeZero", .start_ns = -40'000'000'000'000},
                      // More than a bin can tell, and more than 31 bits.
                      Bursts{.name = "OfSeconds", .unit_ns = 300'000'000}),
    [](const auto& line) { return std::string(line.param.name); });

}  // namespace
}  // namespace dlview::timeline
