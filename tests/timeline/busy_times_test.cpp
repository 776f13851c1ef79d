#include "timeline/busy_times.h"

#include <gtest/gtest.h>

namespace dlview::timeline {
namespace {

BusyTimes busy_in(std::vector<base::Interval> intervals) {
  return BusyTimes(
      std::make_shared<const base::IntervalSet>(base::IntervalSet::union_of(std::move(intervals))));
}

TEST(BusyTimes, TellHowLongNothingHasRun) {
  const BusyTimes times = busy_in({{100, 110}, {105, 130}, {150, 160}});
  EXPECT_EQ(times.idle_before(100), std::nullopt);
  EXPECT_EQ(times.idle_before(150), (base::Interval{130, 150}));
  EXPECT_EQ(times.idle_before(200), (base::Interval{160, 200}));
}

TEST(BusyTimes, TellTheGapThatHoldsATime) {
  const BusyTimes times = busy_in({{100, 130}, {150, 160}});
  EXPECT_EQ(times.gap_at(129), std::nullopt);
  for (const int64_t at : {130, 140, 149}) {
    EXPECT_EQ(times.gap_at(at), (base::Interval{130, 150})) << at;
  }
  for (const int64_t at : {99, 150, 160, 200}) EXPECT_EQ(times.gap_at(at), std::nullopt) << at;
}

TEST(BusyTimes, AreNotIdleBeforeWorkThatBeginsBesideOther) {
  const BusyTimes times = busy_in({{100, 130}, {110, 120}, {130, 140}});
  EXPECT_EQ(times.idle_before(110), (base::Interval{110, 110}));
  EXPECT_EQ(times.idle_before(130), (base::Interval{130, 130}));
  EXPECT_EQ(busy_in({}).idle_before(7), std::nullopt);
}

}  // namespace
}  // namespace dlview::timeline
