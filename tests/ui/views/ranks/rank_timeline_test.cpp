// The timeline of ranks: which ranks it shows, waits on one clock, the next skew, and what the
// pointer frames.
#include "ui/views/ranks/rank_timeline.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "ui/view_fixture.h"
#include "ui/views/ranks/collective_chart.h"

namespace dlview::ui {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kRankStep = 1'000'000, kRankTransfer = 100'000;
constexpr std::size_t kRankSteps = 10;

// Each iteration computes `work`, then all wait for the last one and transfer.
struct LanesOfRun {
  std::shared_ptr<ranks::RunFigures> run = std::make_shared<ranks::RunFigures>();
  workspace::ReadLanes lanes;
};
LanesOfRun lanes_of(const std::vector<int64_t>& work, int64_t offset_of_second = 0) {
  LanesOfRun made;
  ranks::RunFigures& run = *made.run;
  const int64_t slowest = *std::ranges::max_element(work);
  for (std::size_t i = 0; i < kRankSteps; ++i) run.times.numbers.push_back(static_cast<int64_t>(i));
  const std::vector<int64_t> steps(work.size() * kRankSteps, kRankStep);
  run.times.start_ns = {kRankSteps, steps};
  run.times.duration_ns = {kRankSteps, steps};
  run.stragglers.cost_ns.assign(kRankSteps, 1);
  run.stragglers.cost_ns[4] = 5;
  run.clocks.resize(work.size());
  for (std::size_t r = 0; r < work.size(); ++r) {
    const int64_t offset = r == 1 ? offset_of_second : 0;
    run.clocks[r].offset_ns = -offset;
    run.times.ranks.push_back(static_cast<int64_t>(r));
    run.summary.parts.emplace_back().head.rank = static_cast<int64_t>(r);
    run.stragglers.ranks.emplace_back().mean_own_ns = static_cast<double>(work[r]);
    auto lanes = std::make_shared<ranks::RankLanes>();
    lanes->groups = {"AllReduce"};
    std::vector<base::Interval> computing;
    for (std::size_t i = 0; i < kRankSteps; ++i) {
      const auto number = static_cast<int64_t>(i);
      const int64_t start = number * kRankStep + offset;
      run.times.start_ns.at(r, i) = start;
      computing.push_back({start, start + work[r]});
      lanes->calls.push_back({start + work[r], start + slowest + kRankTransfer, 0, number,
                              profile::Collective::all_reduce});
      ranks::CollectiveSum& sum = run.summary.collectives[{"AllReduce", number}];
      sum.collective = profile::Collective::all_reduce;
      sum.members = static_cast<int64_t>(work.size());
      sum.least_ns = kRankTransfer;
      sum.greatest_ns = slowest - *std::ranges::min_element(work) + kRankTransfer;
    }
    lanes->computing = base::IntervalSet::union_of(std::move(computing));
    made.lanes[static_cast<int64_t>(r)] = {std::move(lanes), std::nullopt};
  }
  return made;
}

TEST(TimelineRanks, AreAllOfFew) {
  const auto made = lanes_of({100, 200, 300});
  EXPECT_THAT(timeline_ranks(*made.run, {"a", "", "c"}, std::nullopt), ElementsAre(0, 2));
}

TEST(TimelineRanks, AreExtremesOfMany) {
  std::vector<int64_t> work;
  for (int64_t r = 0; r < 40; ++r) work.push_back(1000 + 10 * r);
  const auto made = lanes_of(work);
  const auto chosen = timeline_ranks(*made.run, std::vector<std::string>(40, "file"), 20);
  EXPECT_EQ(chosen.size(), workspace::kMostTimelines);
  EXPECT_TRUE(std::ranges::is_sorted(chosen));
  EXPECT_EQ(std::ranges::adjacent_find(chosen), chosen.end()) << "each once";
  for (const std::size_t rank : {0U, 20U, 39U}) EXPECT_THAT(chosen, Contains(rank));
}

TEST(RankTimelines, WaitUntilTheLastArrives) {
  const auto made = lanes_of({300'000, 500'000});
  const RankTimelinesData data = make_rank_timelines(*made.run, {0, 1}, made.lanes);
  ASSERT_EQ(data.ranks.size(), 2U);
  EXPECT_EQ(data.ranks[0].calls[3].wait_ns, 200'000);
  EXPECT_EQ(data.ranks[1].calls[3].wait_ns, 0);
  ASSERT_EQ(data.skews.size(), kRankSteps);
  EXPECT_EQ(data.skews[3].start_ns, 3 * kRankStep + 300'000);
  EXPECT_EQ(data.skews[3].stop_ns, 3 * kRankStep + 600'000);
  EXPECT_EQ(data.whole, (timeline::TimeWindow{0, kRankSteps * kRankStep}));
}

TEST(RankTimelines, ShiftRanksOntoOneClock) {
  const auto made = lanes_of({300'000, 500'000}, 7'000'000);
  const RankTimelinesData data = make_rank_timelines(*made.run, {0, 1}, made.lanes);
  EXPECT_EQ(data.ranks[0].calls[2].stop_ns, data.ranks[1].calls[2].stop_ns);
  EXPECT_EQ(data.ranks[1].to_own(2 * kRankStep), 2 * kRankStep + 7'000'000);
}

TEST(RankTimelines, DriftsGoBackAndForth) {
  TimelineOfRank rank;
  rank.clock.offset_ns = -123'456'789;
  rank.clock.drift = 40e-6;
  for (const int64_t own : {0L, 1'000'000'000L, 60'000'000'000L}) {
    EXPECT_LE(std::abs(rank.to_own(rank.clock.to_reference(own)) - own), 1);
  }
}

TEST(RankTimelines, ClockErrorsHideSkews) {
  const auto made = lanes_of({300'000, 500'000});
  made.run->clocks[1].error_ns = 70'000;
  EXPECT_TRUE(make_rank_timelines(*made.run, {0, 1}, made.lanes).skews.empty());
  made.run->clocks[1].error_ns = 60'000;
  EXPECT_FALSE(make_rank_timelines(*made.run, {0, 1}, made.lanes).skews.empty());
}

TEST(RankTimelines, RanksNotReadAreLeftOut) {
  auto made = lanes_of({300'000, 500'000});
  made.lanes.erase(0);
  const RankTimelinesData data = make_rank_timelines(*made.run, {0, 1}, made.lanes);
  ASSERT_EQ(data.ranks.size(), 1U);
  EXPECT_EQ(data.ranks[0].rank, 1U);
}

TEST(RankTimelines, MissCallsWithinTheirSpan) {
  LanesOfRun made = lanes_of({300'000, 400'000, 500'000});
  auto lanes = std::make_shared<ranks::RankLanes>(*made.lanes[2].lanes);
  lanes->calls.erase(lanes->calls.begin() + 4);
  lanes->calls.pop_back();  // it may have ended earlier
  made.lanes[2].lanes = std::move(lanes);
  const RankTimelinesData data = make_rank_timelines(*made.run, {0, 1, 2}, made.lanes);
  EXPECT_TRUE(data.ranks[0].missing.empty());
  ASSERT_EQ(data.ranks[2].missing.size(), 1U);
  EXPECT_EQ(data.ranks[2].missing[0].start_ns, 4 * kRankStep + 300'000);
}

class RankTimelineTest : public testing::ViewFixture {
 protected:
  RankTimelineTest() {
    draw = [this](Frame& frame, const Box& box, BarLayer& bars) {
      shown_.model = &ranks_model_;
      const MapRequest request = timeline_.draw(frame, box, shown_, bars, background_);
      if (request.rank) request_ = request;
    };
  }
  void show(const LanesOfRun& made, std::vector<std::size_t> wanted) {
    shown_.run = made.run;
    shown_.ranks = std::move(wanted);
    ranks_model_.lanes = std::make_shared<const workspace::ReadLanes>(made.lanes);
    frame();
    background_.wait_until_idle();
    frames(2);
  }
  // Of a time of the window that is shown, which is an iteration with a twentieth on either side.
  float x_of(double iteration, int64_t number) {
    const ItemRect plot = item("ranks/timeline");
    const double share = (iteration - static_cast<double>(number) + 0.05) / 1.1;
    return plot.left + (plot.right - plot.left) * static_cast<float>(share);
  }
  // Of the line of communication of a row.
  float y_of(std::size_t row, std::size_t rows) {
    const ItemRect plot = item("ranks/timeline");
    return plot.top +
           (plot.bottom - plot.top) * (static_cast<float>(row) + 0.7f) / static_cast<float>(rows);
  }

  base::Scheduler scheduler_;
  Background background_{scheduler_};
  RankTimeline timeline_;
  RankTimeline::Shown shown_;
  workspace::RankModel ranks_model_;
  MapRequest request_;
};

TEST_F(RankTimelineTest, BeginsWithTheCostliestIteration) {
  show(lanes_of({300'000, 500'000}), {0, 1});
  move_to(x_of(4.35, 4), y_of(0, 2));
  frame();
  EXPECT_EQ(value("ranks/timeline/pointed"),
            "AllReduce, rank 0: Wait 200\u202fµs, transfer 100\u202fµs; last: rank 1");
}

TEST_F(RankTimelineTest, ShowsTheSelectedIteration) {
  shown_.iteration = 7;
  show(lanes_of({300'000, 500'000}), {0, 1});
  move_to(x_of(7.55, 7), y_of(1, 2));
  frame();
  EXPECT_EQ(value("ranks/timeline/pointed"),
            "AllReduce, rank 1: Wait 0, transfer 100\u202fµs; last: rank 1");
}

TEST_F(RankTimelineTest, TheNextSkewFillsTheWindow) {
  shown_.iteration = 2;
  show(lanes_of({300'000, 500'000}), {0, 1});
  timeline_.find_next_skew();
  frames(2);
  const ItemRect plot = item("ranks/timeline");
  move_to((plot.left + plot.right) / 2, y_of(0, 2));
  frame();
  EXPECT_THAT(value("ranks/timeline/pointed"), HasSubstr("rank 0: Wait 200\u202fµs"));
}

TEST_F(RankTimelineTest, SixteenRanksFitALowWindow) {
  ImGui::GetIO().DisplaySize = {900, 220};
  std::vector<std::size_t> ranks(16);
  std::vector<int64_t> work;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    ranks[r] = r;
    work.push_back(300'000 + static_cast<int64_t>(r));
  }
  show(lanes_of(work), ranks);
  ASSERT_TRUE(has_item("ranks/timeline/name/15"));
  EXPECT_LE(item("ranks/timeline/name/15").bottom, 220);
}

TEST_F(RankTimelineTest, AMissingCallIsMarked) {
  LanesOfRun made = lanes_of({300'000, 400'000, 500'000});
  auto lanes = std::make_shared<ranks::RankLanes>(*made.lanes[2].lanes);
  lanes->calls.erase(lanes->calls.begin() + 4);
  made.lanes[2].lanes = std::move(lanes);
  show(made, {0, 1, 2});
  EXPECT_EQ(value("ranks/timeline/missing/2"), "missing");
  EXPECT_FALSE(has_value("ranks/timeline/missing/1"));
}

TEST_F(RankTimelineTest, ANameOpensItsRank) {
  show(lanes_of({300'000, 500'000}), {0, 1});
  click("ranks/timeline/name/1");
  EXPECT_EQ(request_.rank, 1U);
}

TEST_F(RankTimelineTest, SummariesHaveNoEvents) {
  show(lanes_of({300'000, 500'000}), {});
  EXPECT_THAT(value("ranks/timeline/status"), HasSubstr("no events"));
}

TEST_F(RankTimelineTest, UnreadableFilesAreNamed) {
  auto made = lanes_of({300'000, 500'000});
  made.lanes.clear();
  made.lanes[1].error = base::Error{"The file is damaged", "rank_1.sqlite", ""};
  show(made, {0, 1});
  EXPECT_THAT(value("ranks/timeline/status"), HasSubstr("Rank 1: The file is damaged"));
}

std::vector<ranks::CollectiveCall> many_rank_calls(std::size_t count) {
  std::vector<ranks::CollectiveCall> calls(count);
  for (std::size_t i = 0; i < count; ++i) {
    calls[i].is_matched = i % 7 != 3;
    calls[i].transfer_ns = 1000;
    calls[i].skew_ns = static_cast<int64_t>((i * 7919) % 1000);
  }
  return calls;
}

TEST(CallColumns, ShowTheLongestOfEach) {
  const auto calls = many_rank_calls(1000);
  const CallColumns all = make_call_columns(calls, 300);
  ASSERT_EQ(all.columns.size(), 100U);
  std::size_t next = 0;
  for (const CallColumns::Column& column : all.columns) {
    EXPECT_EQ(column.first, next);
    next = column.last;
    int64_t longest = -1;
    for (std::size_t i = column.first; i < column.last; ++i) {
      if (calls[i].is_matched) longest = std::max(longest, calls[i].skew_ns);
    }
    ASSERT_TRUE(column.longest);
    EXPECT_EQ(calls[*column.longest].skew_ns, longest);
  }
  EXPECT_EQ(next, calls.size());
}

TEST(CallColumns, CutWhatTowersAboveAll) {
  auto calls = many_rank_calls(100);
  calls[50].is_matched = true;
  calls[50].skew_ns = 1'000'000;
  const CallColumns all = make_call_columns(calls, 600);
  EXPECT_EQ(all.highest_ns, 1'001'000);
  EXPECT_LT(all.top_ns, 5000);
}

TEST(CallColumns, OfNothingAreNone) {
  EXPECT_TRUE(make_call_columns({}, 100).columns.empty());
}

}  // namespace
}  // namespace dlview::ui
