#include "aggregate/rules/saved_idle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dlview::aggregate {
namespace {

using base::Interval;
using ::testing::ElementsAre;

TEST(SavedIdle, IsAtMostTheGapAndAtMostTheCall) {
  const Interval calls[] = {{0, 100}, {200, 210}};
  const LaunchedGap gaps[] = {{90, 130, 120}, {205, 260, 250}};
  EXPECT_THAT(saved_idle_ns(calls, {}, gaps), ElementsAre(40 + 45, 10));
}

TEST(SavedIdle, EndsWhereTheHostBlocksAgain) {
  const Interval calls[] = {{0, 100}};
  const Interval barriers[] = {{150, 200}};
  const LaunchedGap gaps[] = {{90, 130, 120}, {190, 260, 250}};
  EXPECT_THAT(saved_idle_ns(calls, barriers, gaps), ElementsAre(40));
}

TEST(SavedIdle, TakesNoGapThatWasLaunchedForBefore) {
  const Interval calls[] = {{0, 100}};
  const LaunchedGap queued{120, 150, 110}, before_the_call{50, 60, 55};
  EXPECT_THAT(saved_idle_ns(calls, {}, {{queued}}), ElementsAre(0));
  EXPECT_THAT(saved_idle_ns(calls, {}, {{before_the_call}}), ElementsAre(0));
}

TEST(SavedIdle, CountsCallsOfSeveralThreadsOnce) {
  const Interval calls[] = {{0, 100}, {10, 110}, {5, 120}};
  const LaunchedGap gaps[] = {{100, 400, 390}};
  const std::vector<int64_t> saved_ns = saved_idle_ns(calls, {}, gaps);
  EXPECT_EQ(saved_ns[0] + saved_ns[1] + saved_ns[2], 120);
}

TEST(SavedIdle, CountsACallThatEndsWhileAnotherBlocks) {
  const Interval calls[] = {{10, 50}, {0, 100}};
  const LaunchedGap gaps[] = {{20, 60, 55}};
  EXPECT_THAT(saved_idle_ns(calls, {}, gaps), ElementsAre(40, 0));
}

TEST(SavedIdle, TakesFromTheLastCallFirst) {
  const Interval calls[] = {{0, 50}, {60, 90}, {95, 100}};
  const LaunchedGap gaps[] = {{80, 120, 110}, {130, 180, 170}};
  EXPECT_THAT(saved_idle_ns(calls, {}, gaps), ElementsAre(5 + 45, 30, 5));
}

}  // namespace
}  // namespace dlview::aggregate
