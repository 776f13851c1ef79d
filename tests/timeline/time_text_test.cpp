#include "timeline/time_text.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace dlview::timeline {
namespace {

// With plain blanks for thin ones.
std::string plain(std::string text) {
  const std::string thin = "\u202f";
  for (std::size_t at; (at = text.find(thin)) != std::string::npos;) {
    text.replace(at, thin.size(), " ");
  }
  return text;
}

TEST(TimeText, HasAsManyDecimalsAsAreAskedFor) {
  EXPECT_EQ(plain(time_text(10'527'308'114)), "10.527 308 114 s");
  EXPECT_EQ(plain(time_text(10'527'308'114, 3)), "10.527 s");
  EXPECT_EQ(plain(time_text(10'527'308'114, 0)), "10 s");
  EXPECT_EQ(plain(time_text(-1'500, 6)), "-0.000 001 s");
  EXPECT_EQ(plain(time_text(36'000'000'000'001)), "36,000.000 000 001 s");
}

TEST(TimeText, IsReadToTheNanosecond) {
  EXPECT_EQ(parse_time("1.20s"), 1'200'000'000);
  EXPECT_EQ(parse_time("36000.000000001s"), 36'000'000'000'001);
  EXPECT_EQ(parse_time("350ms"), 350'000'000);
  EXPECT_EQ(parse_time("0.5us"), 500);
  EXPECT_EQ(parse_time("17µs"), 17'000);
  EXPECT_EQ(parse_time("1.5min"), 90'000'000'000);
  EXPECT_EQ(parse_time("1200"), 1200);
  EXPECT_EQ(parse_time("-3ms"), -3'000'000);
  EXPECT_EQ(parse_time("1.9ns"), 1);
}

TEST(TimeText, IsNotReadWhereItIsNoTime) {
  for (const char* text :
       {"", "s", "1.2.3s", "1,5s", "one", "99999999999999999999s", "-", ".", "60.2"}) {
    EXPECT_EQ(parse_time(text), std::nullopt) << text;
  }
}

TEST(TimeText, OfAWindowIsTwoTimes) {
  const auto window = parse_window("1.20s:1.25s");
  ASSERT_TRUE(window.ok());
  EXPECT_EQ(*window, (TimeWindow{1'200'000'000, 50'000'000}));
  for (const char* text :
       {"1.2s", "1.25s:1.20s", "1s:1s", ":", "a:b", "-4611686018427387909:4611686018427387909"}) {
    EXPECT_FALSE(parse_window(text).ok()) << text;
  }
}

std::vector<std::string> labels_of(const TimeTicks& ticks) {
  std::vector<std::string> all;
  for (const TimeTick& tick : ticks.ticks) all.push_back(plain(tick.label));
  return all;
}

TEST(TimeTicks, AreRoundTimesWithinTheWindow) {
  const TimeTicks ticks = time_ticks({10'340'000'000, 217'000'000}, 10);
  EXPECT_THAT(labels_of(ticks),
              ::testing::ElementsAre("10.35 s", "10.40 s", "10.45 s", "10.50 s", "10.55 s"));
  EXPECT_EQ(ticks.ticks[1].time_ns, 10'400'000'000);
  EXPECT_FALSE(ticks.origin.has_value());
  EXPECT_THAT(labels_of(time_ticks({0, 10'800'000'000'000}, 3)),
              ::testing::ElementsAre("0 s", "5,000 s", "10,000 s"));
}

TEST(TimeTicks, AreToldInMillisecondsWithinTheFirstSecond) {
  EXPECT_THAT(labels_of(time_ticks({-1'000'000, 66'000'000}, 3)),
              ::testing::ElementsAre("0 ms", "50 ms"));
  EXPECT_THAT(labels_of(time_ticks({900'000'000, 200'000'000}, 3)),
              ::testing::ElementsAre("900 ms", "1.0 s"));
  EXPECT_EQ(plain(time_ticks({3'312'345, 80'000}, 5).origin->label), "3 ms");
}

TEST(TimeTicks, CountMicrosecondsFromAWholeMillisecond) {
  const TimeTicks ticks = time_ticks({3'620'312'345, 80'000}, 5);
  ASSERT_TRUE(ticks.origin.has_value());
  EXPECT_EQ(ticks.origin->time_ns, 3'620'000'000);
  EXPECT_EQ(plain(ticks.origin->label), "3.620 s");
  EXPECT_THAT(labels_of(ticks), ::testing::ElementsAre("+320 µs", "+340 µs", "+360 µs", "+380 µs"));
  EXPECT_EQ(ticks.ticks[0].time_ns, 3'620'320'000);
}

TEST(TimeTicks, CountNanosecondsFromAWholeMicrosecond) {
  const TimeTicks ticks = time_ticks({36'000'000'000'450, 20}, 10);
  ASSERT_TRUE(ticks.origin.has_value());
  EXPECT_EQ(plain(ticks.origin->label), "36,000.000 000 s");
  EXPECT_EQ(plain(ticks.ticks[0].label), "+450 ns");
  EXPECT_EQ(plain(time_ticks({-1'500, 300}, 1).origin->label), "-0.000 002 s");
}

TEST(TimeTicks, NearZeroNeedNoOrigin) {
  const TimeTicks ticks = time_ticks({-25'000, 60'000}, 4);
  EXPECT_FALSE(ticks.origin.has_value());
  EXPECT_THAT(labels_of(ticks), ::testing::ElementsAre("-20 µs", "0 µs", "20 µs"));
  EXPECT_THAT(labels_of(time_ticks({-600'000, 5'000'000}, 3)),
              ::testing::ElementsAre("0 ms", "2 ms", "4 ms"));
  EXPECT_THAT(labels_of(time_ticks({-600'000, 2'000'000}, 5)),
              ::testing::ElementsAre("-0.5 ms", "0.0 ms", "0.5 ms", "1.0 ms"));
}

TEST(TimeTicks, StayBelowAThousandOfAUnit) {
  const TimeTicks across = time_ticks({60'252'970'000, 80'000}, 5);
  EXPECT_EQ(plain(across.origin->label), "60.252 9 s");
  EXPECT_THAT(labels_of(across), ::testing::ElementsAre("+80 µs", "+100 µs", "+120 µs", "+140 µs"));
  EXPECT_EQ(plain(time_ticks({252'970'000, 80'000}, 5).origin->label), "252.9 ms");
  const TimeTicks long_one = time_ticks({60'252'800'000, 2'000'000}, 5);
  EXPECT_EQ(plain(long_one.origin->label), "60 s");
  EXPECT_THAT(labels_of(long_one),
              ::testing::ElementsAre("+253.0 ms", "+253.5 ms", "+254.0 ms", "+254.5 ms"));
}

int64_t time_of(const std::string& label) {
  std::string text = plain(label);
  std::erase_if(text, [](char c) { return c == ' ' || c == ','; });
  return parse_time(text.starts_with('+') ? text.substr(1) : text).value();
}

TEST(TimeTicks, AreWholeTimesTogetherWithTheirOrigin) {
  for (int64_t length = 1; length < 40'000'000'000'000; length = length * 2 + 1) {
    for (const int64_t start : {int64_t{36'000'620'312'345}, int64_t{312'345}, int64_t{-5'000'312},
                                int64_t{-2'000'000'000'123}}) {
      const TimeTicks ticks = time_ticks({start, length}, 9);
      const int64_t origin_ns = ticks.origin ? time_of(ticks.origin->label) : 0;
      for (const TimeTick& tick : ticks.ticks) {
        EXPECT_EQ(origin_ns + time_of(tick.label), tick.time_ns) << tick.label;
      }
    }
  }
}

TEST(TimeTicks, AreToldApartAtEveryZoom) {
  for (int64_t length = 1; length < 40'000'000'000'000; length = length * 2 + 1) {
    const TimeTicks ticks = time_ticks({36'000'620'312'345, length}, 9);
    std::vector<std::string> all = labels_of(ticks);
    for (const std::string& label : all) EXPECT_LE(label.size(), 15U) << label;
    std::ranges::sort(all);
    EXPECT_EQ(std::ranges::adjacent_find(all), all.end()) << length;
  }
}

TEST(TimeTicks, AreNeverMoreThanAskedFor) {
  for (int64_t length = 1; length < 4'000'000'000'000; length = length * 3 + 1) {
    for (const int64_t start : {int64_t{-12'345}, int64_t{0}, int64_t{36'000'000'000'777}}) {
      const TimeTicks ticks = time_ticks({start, length}, 8);
      EXPECT_LE(ticks.ticks.size(), 9U) << length;
      for (const TimeTick& tick : ticks.ticks) {
        EXPECT_GE(tick.time_ns, start);
        EXPECT_LT(tick.time_ns, start + length);
      }
    }
  }
}

}  // namespace
}  // namespace dlview::timeline
