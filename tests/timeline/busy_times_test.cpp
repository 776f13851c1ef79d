#include "timeline/busy_times.h"

#include <vector>

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

TEST(IdleSpans, HoldColumnsInWhichNothingRuns) {
  const std::vector<int64_t> busy{0, 0, 5, 0, 0, 0, 1, 0};
  EXPECT_EQ(idle_spans(busy, 1), (std::vector<ColumnSpan>{{0, 2}, {3, 6}, {7, 8}}));
  EXPECT_EQ(idle_spans(busy, 2), (std::vector<ColumnSpan>{{0, 2}, {3, 6}}));
  EXPECT_EQ(idle_spans(busy, 4), std::vector<ColumnSpan>{});
  EXPECT_EQ(idle_spans({}, 1), std::vector<ColumnSpan>{});
  EXPECT_EQ(idle_spans({0, 0}, 2), (std::vector<ColumnSpan>{{0, 2}}));
}

}  // namespace
}  // namespace dlview::timeline
