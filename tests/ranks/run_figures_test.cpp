// Figures of a run: the calls of a row of collectives, the lanes of the timeline, and the typical
// and slowest rank, of ranks drawn by hand.
#include "ranks/run_figures.h"

#include <numeric>
#include <vector>

#include <gmock/gmock.h>

#include "ranks/rank_lanes.h"
#include "ranks/straggler_finding.h"
#include "ranks/summarized_ranks.h"

namespace dlview::ranks {
namespace {

using ::testing::ElementsAre;

// Five ranks, ten iterations of 1 ms; rank 1 arrives 300 µs after the others in each.
constexpr int64_t kStep = 1'000'000;
DrawnRank drawn_rank(int64_t work_ns) {
  DrawnRank drawn;
  for (int64_t i = 0; i < 10; ++i) {
    drawn.work_ns.push_back(work_ns);
    drawn.ends_ns.push_back((i + 1) * kStep);
  }
  return drawn;
}
const std::vector<int64_t> kWork{500'000, 800'000, 400'000, 500'000, 500'000};

SharedRunFigures five_ranks() {
  std::vector<RunSummary> summaries;
  for (std::size_t rank = 0; rank < kWork.size(); ++rank) {
    summaries.push_back(drawn_summary(drawn_rank(kWork[rank]), static_cast<int64_t>(rank)));
  }
  return *make_run_figures(merged(std::move(summaries)));
}

TEST(RankSets, AreSpans) {
  const auto text_of = [](std::string_view text) {
    const auto set = parse_rank_set(text);
    return set ? set->text() : "error: " + set.error().detail;
  };
  EXPECT_EQ(text_of("7"), "7");
  EXPECT_EQ(text_of("5,0:3,4,9:11,10"), "0:5,9:11");
  EXPECT_EQ(text_of("1:1,3"), "1,3");
  EXPECT_EQ(RankSet({8, 2, 3, 2}).text(), "2:3,8");
  EXPECT_EQ(RankSet({0, 2, 4, 6}).brief(), "0, 2, 4, 6");
  EXPECT_EQ(RankSet({0, 2, 4, 6, 8}).brief(), "0, 2, 4, 6, …");
  for (const char* wrong : {"", "a", "3:", ":3", "3:1", "-1", "1,,2", "0:1:2",
                            "9223372036854775807", "99999999999999999999"}) {
    EXPECT_THAT(text_of(wrong), ::testing::StartsWith("error: ")) << wrong;
  }
  const RankSet set = *parse_rank_set("0:5,9:11");
  for (int64_t rank = 0; rank < 14; ++rank) {
    EXPECT_EQ(set.contains(rank), rank <= 5 || (rank >= 9 && rank <= 11)) << rank;
  }
  EXPECT_TRUE(parse_rank_set("0:9223372036854775806")->contains(1'000'000'000));
  EXPECT_EQ(parse_rank_set("0:9223372036854775806")->without(set).text(),
            "6:8,12:9223372036854775806");
  EXPECT_EQ(set.without(*parse_rank_set("2:3,5,10")).text(), "0:1,4,9,11");
  EXPECT_TRUE(set.without(set).empty());
}

TEST(SomeRanks, AreNamedThatTheRunDoesNotHave) {
  const RunSummary summary = random_summary(1, 0);
  const auto figures = make_run_figures(summary, *parse_rank_set("0,99")).value();
  EXPECT_THAT(figures->notes(), ::testing::Contains("Not in the run: ranks 99"));
}

// Figures of some ranks, whose waits are those for all.
TEST(SomeRanks, WaitForAll) {
  const SharedRunFigures all = five_ranks();
  const auto some = make_run_figures(all->summary, RankSet({0, 2, 7}));
  ASSERT_TRUE(some);
  const RunFigures& run = **some;
  EXPECT_EQ(run.ranks_text(), "2 ranks (0, 2) of 5");
  EXPECT_THAT(run.times.ranks, ElementsAre(0, 2));
  ASSERT_EQ(run.clocks.size(), 2U);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(run.times.wait_ns.at(0, i), all->times.wait_ns.at(0, i));
    EXPECT_EQ(run.times.wait_ns.at(1, i), all->times.wait_ns.at(2, i));
  }
  EXPECT_EQ(run.slowest_rank(), 0U);
  EXPECT_EQ(run.collectives.front().match_rate(), 1);
  const auto none = make_run_figures(all->summary, RankSet({5, 6}));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().detail, "5:6");
}

TEST(CallsOfARow, HaveTransferSkewAndLastRank) {
  const SharedRunFigures run = five_ranks();
  ASSERT_EQ(run->collectives.size(), 1U);
  const std::vector<CollectiveCall> calls = run->calls_of(0);
  ASSERT_EQ(calls.size(), 10U);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    EXPECT_TRUE(calls[i].is_matched);
    EXPECT_EQ(calls[i].transfer_ns, 200'000);
    EXPECT_EQ(calls[i].skew_ns, 400'000);
    EXPECT_EQ(calls[i].last_rank, 1);
    EXPECT_EQ(calls[i].first_rank, 2);
    EXPECT_EQ(calls[i].number, static_cast<int64_t>(i));
    EXPECT_TRUE(i == 0 || calls[i - 1].place < calls[i].place);
  }
}

TEST(CallsOfARow, AddUpToTheRow) {
  const SharedRunFigures run = five_ranks();
  const CollectiveRow& row = run->collectives.front();
  int64_t transfer = 0, skew = 0;
  for (const CollectiveCall& call : run->calls_of(0)) {
    transfer += call.transfer_ns;
    skew += call.skew_ns;
  }
  EXPECT_EQ(transfer, static_cast<int64_t>(row.transfer_sum_ns));
  EXPECT_EQ(skew, static_cast<int64_t>(row.skew_sum_ns));
}

TEST(CallsOfARow, AreUnknownWithoutAllMembers) {
  DrawnRank lost = drawn_rank(kWork[1]);
  lost.work_ns.pop_back();
  lost.ends_ns.pop_back();
  const SharedRunFigures run =
      *make_run_figures(merged({drawn_summary(drawn_rank(kWork[0]), 0), drawn_summary(lost, 1)}));
  const std::vector<CollectiveCall> calls = run->calls_of(0);
  ASSERT_EQ(calls.size(), 10U);
  EXPECT_TRUE(calls[8].is_matched);
  EXPECT_FALSE(calls[9].is_matched);
  EXPECT_EQ(calls[9].last_rank, -1);
}

TEST(RunFigures, NameTypicalAndSlowestRank) {
  const SharedRunFigures run = five_ranks();
  EXPECT_EQ(run->typical_rank(), 3U);
  EXPECT_EQ(run->slowest_rank(), 1U);
}

TEST(StragglerFinding, NamesTheSlowestRank) {
  const auto finding = straggler_finding(*five_ranks());
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->advice.problem,
              ::testing::HasSubstr("Rank 1 is clearly the slowest in all"));
  EXPECT_THAT(finding->advice.recommendation, ::testing::HasSubstr("rank 1 with rank 3"));
  EXPECT_EQ(finding->stake_ns, 300'000);
}

TEST(StragglerFinding, DifferencesWithoutAStragglerSaySo) {
  const SharedRunFigures run = *make_run_figures(
      merged({drawn_summary(drawn_rank(500'000), 0), drawn_summary(drawn_rank(800'000), 1),
              drawn_summary(drawn_rank(400'000), 2)}));
  EXPECT_EQ(run->stragglers.iterations_with, 0);
  const auto finding = straggler_finding(*run);
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->advice.problem, ::testing::HasSubstr("No single rank stands out"));
}

TEST(StragglerFinding, EqualRanksHaveNone) {
  const SharedRunFigures run = *make_run_figures(
      merged({drawn_summary(drawn_rank(kWork[0]), 0), drawn_summary(drawn_rank(kWork[0]), 1)}));
  EXPECT_FALSE(straggler_finding(*run));
}

TEST(RankLanes, HoldComputationAndCollectives) {
  DrawnRank drawn = drawn_rank(kWork[0]);
  drawn.overlapped_ns = 100'000;
  const RankLanes lanes = rank_lanes(drawn_input(drawn, 3));
  EXPECT_EQ(lanes.rank, 3);
  EXPECT_EQ(lanes.computing.total_ns(), 10 * (500'000 + 100'000));
  ASSERT_EQ(lanes.calls.size(), 10U);
  ASSERT_EQ(lanes.groups.size(), 1U);
  for (std::size_t i = 0; i < lanes.calls.size(); ++i) {
    const LaneCall& call = lanes.calls[i];
    EXPECT_TRUE(call.is_synchronizing());
    EXPECT_EQ(call.start_ns, static_cast<int64_t>(i) * kStep + 500'000);
    EXPECT_EQ(call.stop_ns, static_cast<int64_t>(i + 1) * kStep);
  }
}

// The key with which the summary has a collective finds it in the lanes.
TEST(RankLanes, HaveTheKeysOfTheSummary) {
  const RankInput input = random_rank(11, 0);
  const RankLanes lanes = rank_lanes(input);
  const RunSummary summary = summarize(input);
  std::size_t found = 0;
  for (const LaneCall& call : lanes.calls) {
    if (!call.is_synchronizing()) continue;
    const auto sum =
        summary.collectives.find({lanes.groups[static_cast<std::size_t>(call.group)], call.place});
    ASSERT_NE(sum, summary.collectives.end());
    ++found;
  }
  EXPECT_GE(found, summary.collectives.size());
}

}  // namespace
}  // namespace dlview::ranks
