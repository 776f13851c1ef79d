#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ui/views/iterations/chart.h"

namespace dlview::ui {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> labels(const std::vector<Tick>& ticks) {
  std::vector<std::string> texts;
  for (const Tick& tick : ticks) texts.push_back(tick.label);
  return texts;
}

TEST(Ticks, DurationsAreRoundAndShareOneUnit) {
  EXPECT_THAT(labels(duration_ticks(430e6, 5)),
              ElementsAre("0\u202fms", "100\u202fms", "200\u202fms", "300\u202fms", "400\u202fms"));
  EXPECT_THAT(labels(duration_ticks(1.06e9, 6)),
              ElementsAre("0.0\u202fs", "0.2\u202fs", "0.4\u202fs", "0.6\u202fs", "0.8\u202fs",
                          "1.0\u202fs"));
}

TEST(Ticks, DurationsStayWithinNumberAndMaximum) {
  for (double maximum = 1; maximum < 1e16; maximum *= 1.37) {
    const auto ticks = duration_ticks(maximum, 5);
    ASSERT_LE(ticks.size(), 6u) << maximum;
    ASSERT_GE(ticks.size(), 2u) << maximum;
    EXPECT_LE(ticks.back().value, maximum * 1.000001);
  }
}

TEST(Ticks, AnEmptyAxisHasItsZero) {
  EXPECT_THAT(labels(duration_ticks(0, 5)), ElementsAre("0"));
}

TEST(Ticks, IterationNumbersAreMultiplesOfTheirStep) {
  EXPECT_THAT(labels(iteration_ticks(0, 255, 6)),
              ElementsAre("0", "50", "100", "150", "200", "250"));
  EXPECT_THAT(labels(iteration_ticks(47, 52, 10)), ElementsAre("47", "48", "49", "50", "51", "52"));
  EXPECT_THAT(labels(iteration_ticks(1003, 2900, 2)), ElementsAre("2,000"));
}

TEST(Ticks, ASingleIterationIsMarked) {
  EXPECT_THAT(labels(iteration_ticks(0, 0, 10)), ElementsAre("0"));
}

TEST(Ticks, ALowChartStillHasAMarkAboveZero) {
  for (const double maximum : {1.1e6, 1.9e6, 2.4e6, 4.6e7, 4.9e7, 9.9e7, 1e8, 7.3e2}) {
    const auto ticks = duration_ticks(maximum, 2);
    ASSERT_GE(ticks.size(), 2u) << maximum;
    EXPECT_LE(ticks.size(), 3u) << maximum;
    EXPECT_LE(ticks.back().value, maximum * 1.000001) << maximum;
  }
}

}  // namespace
}  // namespace dlview::ui
