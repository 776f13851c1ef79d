#include "ranks/stragglers.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ranks/run_figures.h"
#include "ranks/straggler_kind.h"
#include "ranks/summarized_ranks.h"

namespace dlview::ranks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kTransferNs = 2 * kMs;

// Ranks that wait for one another after the work that each has in each iteration.
std::vector<RunSummary> drawn_ranks(const std::vector<std::vector<int64_t>>& work_ns,
                                    int64_t overlapped_ns = 0) {
  std::vector<RunSummary> ranks;
  for (std::size_t rank = 0; rank < work_ns.size(); ++rank) {
    DrawnRank drawn{.work_ns = work_ns[rank], .ends_ns = {}, .overlapped_ns = overlapped_ns};
    int64_t end_ns = 0;
    for (std::size_t i = 0; i < work_ns[rank].size(); ++i) {
      int64_t most_ns = 0;
      for (const auto& each : work_ns) most_ns = std::max(most_ns, each[i]);
      end_ns += most_ns + kTransferNs;
      drawn.ends_ns.push_back(end_ns);
    }
    ranks.push_back(drawn_summary(drawn, static_cast<int64_t>(rank)));
  }
  return ranks;
}

SharedRunFigures run_of(const std::vector<std::vector<int64_t>>& work_ns,
                        int64_t overlapped_ns = 0) {
  return figures_of(drawn_ranks(work_ns, overlapped_ns));
}

// `ranks` alike but for noise.
std::vector<std::vector<int64_t>> even_work(std::size_t ranks, std::size_t iterations,
                                            uint64_t seed = 1, double deviation = 0.002) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, deviation);
  std::vector<std::vector<int64_t>> work(ranks, std::vector<int64_t>(iterations));
  for (auto& of_rank : work) {
    for (int64_t& ns : of_rank) ns = std::llround(100.0 * kMs * (1 + noise(random)));
  }
  return work;
}

TEST(RankTimes, WaitsAreWhatTheLastOneTakesLonger) {
  const auto run = run_of({{10 * kMs, 10 * kMs, 10 * kMs},
                           {13 * kMs, 10 * kMs, 11 * kMs},
                           {10 * kMs, 14 * kMs, 10 * kMs}});
  const RankTimes& times = run->times;
  ASSERT_THAT(times.numbers, ElementsAre(0, 1, 2));
  const std::vector<std::vector<int64_t>> waits{{3, 4, 1}, {0, 4, 0}, {3, 0, 1}};
  for (std::size_t rank = 0; rank < 3; ++rank) {
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(times.wait_ns.at(rank, i), waits[rank][i] * kMs);
      // Nothing runs beside: all of it is exposed.
      EXPECT_EQ(times.least_exposed_wait_ns.at(rank, i), waits[rank][i] * kMs);
      EXPECT_EQ(times.most_exposed_wait_ns.at(rank, i), waits[rank][i] * kMs);
    }
  }
}

TEST(RankTimes, OverlappedWaitsAreBounded) {
  const auto run = run_of({{10 * kMs}, {13 * kMs}}, kMs);
  // 3 ms of waiting, beside which a kernel runs for 1 ms.
  EXPECT_EQ(run->times.wait_ns.at(0, 0), 3 * kMs);
  EXPECT_EQ(run->times.least_exposed_wait_ns.at(0, 0), 2 * kMs);
  EXPECT_EQ(run->times.most_exposed_wait_ns.at(0, 0), 3 * kMs);
}

TEST(RankTimes, LostCallsAreNotZeroWaits) {
  RunSummary lost = drawn_summary({{10 * kMs, 10 * kMs}, {15 * kMs, 30 * kMs}}, 0);
  const RunSummary other = drawn_summary({{13 * kMs, 12 * kMs}, {15 * kMs, 30 * kMs}}, 1);
  auto& groups = lost.parts.front().groups;
  ASSERT_EQ(groups.size(), 1U);
  const std::vector<int64_t> calls{1, 0};
  groups.begin()->second.calls = pack_column(calls);
  const auto run = make_run_figures(merged({lost, other}));
  ASSERT_TRUE(run);
  EXPECT_EQ((*run)->times.wait_ns.at(0, 0), 3 * kMs);
  EXPECT_EQ((*run)->times.wait_ns.at(0, 1), -1);
  EXPECT_EQ((*run)->stragglers.straggler[1], -1);
  EXPECT_EQ((*run)->times.wait_ns.at(1, 0), 0);
}

TEST(RankTimes, RefusesRanksWithoutCommonIterations) {
  RunSummary early = drawn_summary({{kMs, kMs}, {5 * kMs, 10 * kMs}}, 0),
             late = drawn_summary({{kMs, kMs}, {5 * kMs, 10 * kMs}}, 1);
  const std::vector<int64_t> numbers{7, 8};
  late.parts.front().rows[static_cast<std::size_t>(RowColumn::number)] = pack_column(numbers);
  const auto run = make_run_figures(merged({early, late}));
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().title, "These ranks have no iteration in common");
  EXPECT_THAT(run.error().detail, HasSubstr("report_1.sqlite"));
}

TEST(Stragglers, FindTheRankThatIsSlow) {
  auto work = even_work(8, 40);
  for (int64_t& ns : work[5]) ns += 8 * kMs;
  const auto run = run_of(work);
  const Stragglers& found = run->stragglers;
  EXPECT_EQ(found.kind, StragglerKind::one_rank);
  EXPECT_EQ(found.rank, 5U);
  EXPECT_EQ(found.ranks[5].times_straggler, 40);
  EXPECT_NEAR(found.mean_cost_ns, 8.0 * kMs, 0.3 * kMs);
  EXPECT_LT(found.chance, 1e-20);
  EXPECT_THAT(run->sentence(),
              HasSubstr("Rank 5 is clearly the slowest in all iterations. On average, it takes"));
  const Why why = why_slower(run->times, found, 5);
  double sum = why.exposed_transfer_ns;
  for (const double part : why.parts_ns) sum += part;
  EXPECT_NEAR(sum, why.difference_ns, 1);
  EXPECT_THAT(run->sentence(), HasSubstr("mostly in other kernels"));
}

TEST(Stragglers, TellSinceWhenARankIsSlow) {
  struct Case {
    std::size_t first, end;
    const char* text;
  };
  for (const auto& [first, end, text] :
       {Case{24, 40, "From iteration 24 on, rank 5 is clearly the slowest each time. "},
        Case{0, 15, "Through iteration 14, rank 5 is"},
        Case{10, 25, "In iterations 10–24, rank 5 is"},
        Case{0, 40, "Rank 5 is clearly the slowest in all iterations. "}}) {
    auto work = even_work(8, 40);
    for (std::size_t i = first; i < end; ++i) work[5][i] += 8 * kMs;
    const auto run = run_of(work);
    EXPECT_EQ(run->stragglers.kind, StragglerKind::one_rank) << text;
    EXPECT_THAT(run->sentence(), ::testing::StartsWith(text));
    // Not spread over the iterations in which it is as fast as others.
    EXPECT_NEAR(run->why.difference_ns, 8.0 * kMs, 0.3 * kMs);
  }
}

TEST(Stragglers, TellSinceWhenAHostIsSlow) {
  auto work = even_work(8, 60, 4);
  std::mt19937 random(9);
  for (std::size_t i = 20; i < 60; ++i) work[2 * (random() % 4) + 1][i] += 9 * kMs;
  // Once before, and much slower.
  work[1][3] += 90 * kMs;
  const auto run = run_of(work);
  EXPECT_EQ(run->stragglers.kind, StragglerKind::one_host);
  EXPECT_THAT(run->sentence(),
              ::testing::StartsWith("From iteration 20 on, the slowest rank is usually"));
  EXPECT_THAT(run->sentence(), HasSubstr("Over the whole run, this costs "));
  EXPECT_NEAR(run->why.difference_ns, 9.0 * kMs, 0.3 * kMs) << "of the stretch";
}

// Lost calls at the start: nothing is known of the rank then.
TEST(Stragglers, DoNotTakeUnknownIterationsForFastOnes) {
  auto work = even_work(6, 40);
  for (int64_t& ns : work[4]) ns += 6 * kMs;
  std::vector<RunSummary> ranks = drawn_ranks(work);
  std::vector<int64_t> calls(40, 1);
  std::fill_n(calls.begin(), 15, 0);
  ranks[4].parts.front().groups.begin()->second.calls = pack_column(calls);
  const auto run = figures_of(std::move(ranks));
  EXPECT_EQ(run->stragglers.rank, 4U);
  EXPECT_EQ(run->stragglers.ranks[4].known_waits, 25);
  EXPECT_EQ(run->stragglers.stretch, std::nullopt);
  EXPECT_NEAR(run->stragglers.named_cost_ns, 6.0 * kMs, 0.3 * kMs);
  EXPECT_THAT(run->sentence(), HasSubstr("in 100% of the iterations in which its wait is known. "));
}

// "0001101": 1 = slow.
std::optional<Stretch> stretch_in(std::string_view iterations) {
  std::vector<bool> is_slow;
  for (const char each : iterations) is_slow.push_back(each == '1');
  return find_stretch(is_slow);
}

TEST(SlowStretch, LeavesOutWhatIsAlmostAllOrScattered) {
  EXPECT_EQ(stretch_in("00000000000000000000111111111111111"), (Stretch{20, 35}));
  EXPECT_EQ(stretch_in("00000001000000000000111110111111111"), (Stretch{20, 35}));
  EXPECT_EQ(stretch_in("00001111111111111111111111111111111"), std::nullopt) << "4 outside";
  EXPECT_EQ(stretch_in("00000000000000000000000000000001111"), std::nullopt) << "4 inside";
  EXPECT_EQ(stretch_in("0000011111"), std::nullopt) << "5 of 10 may be chance";
  EXPECT_EQ(stretch_in("00000000000000000000111111111111101"), (Stretch{20, 35}));
  EXPECT_EQ(stretch_in("00000000000000000000111111111111110"), (Stretch{20, 35})) << "goes on";
  EXPECT_EQ(stretch_in("01111111111111000000000000000000000"), (Stretch{0, 14}))
      << "from the start";
  EXPECT_EQ(stretch_in("00011111111111111111111111111111100"), std::nullopt) << "few on each side";
  EXPECT_EQ(stretch_in("00100100100100100000111111111111111"), std::nullopt) << "often before";
  EXPECT_EQ(stretch_in("01010101010101010101010101010101010"), std::nullopt);
  EXPECT_EQ(stretch_in(""), std::nullopt);
  EXPECT_EQ(stretch_in("00000000000000000000000000000000000"), std::nullopt);
}

// Of 2,000 runs in which a rank is slow by chance alone, in any share of the iterations.
TEST(SlowStretch, IsHardlyEverFoundByChance) {
  std::mt19937 random(11);
  int found = 0;
  for (int run = 0; run < 2000; ++run) {
    const double share = std::uniform_real_distribution<double>(0.02, 0.98)(random);
    std::bernoulli_distribution slow(share);
    std::vector<bool> is_slow(60);
    for (std::size_t i = 0; i < is_slow.size(); ++i) is_slow[i] = slow(random);
    found += find_stretch(is_slow) ? 1 : 0;
  }
  EXPECT_LE(found, 2);
}

// Few iterations that cost more than the noise of all others.
TEST(Stragglers, FindABurst) {
  auto work = even_work(8, 60);
  for (std::size_t i = 6; i < 9; ++i) work[2][i] += 30 * kMs;
  const auto run = run_of(work);
  EXPECT_EQ(run->stragglers.rank, 2U);
  EXPECT_EQ(run->stragglers.stretch, (Stretch{6, 9}));
  EXPECT_THAT(run->sentence(),
              ::testing::StartsWith(
                  "In iterations 6–8, rank 2 is clearly the slowest. On average, it takes "));
  EXPECT_NEAR(run->why.difference_ns, 30.0 * kMs, 0.5 * kMs);
  EXPECT_NEAR(run->stragglers.named_cost_ns, 30.0 * kMs * 3 / 60, 0.1 * kMs) << "noise is no cost";
  // The same scattered over the run.
  auto scattered = even_work(8, 60);
  for (const std::size_t i : {6U, 25U, 50U}) scattered[2][i] += 30 * kMs;
  const auto other = run_of(scattered);
  EXPECT_EQ(other->stragglers.rank, 2U);
  EXPECT_EQ(other->stragglers.stretch, std::nullopt);
  // With the times that it stands out by chance.
  const auto times = static_cast<double>(other->stragglers.ranks[2].times_straggler);
  EXPECT_GE(times, 3);
  EXPECT_NEAR(other->why.difference_ns * times / 60, other->stragglers.named_cost_ns, 2);
}

TEST(Stragglers, NamesOthersSlowAtOtherTimes) {
  auto work = even_work(8, 30, 2);
  for (std::size_t i = 4; i < 10; ++i) work[2][i] += 28 * kMs;
  for (std::size_t i = 14; i < 26; ++i) work[5][i] += 10 * kMs;
  const auto run = run_of(work);
  EXPECT_EQ(run->stragglers.rank, 2U) << "the costliest, not the most frequent one";
  EXPECT_NEAR(run->stragglers.named_cost_ns, 28.0 * kMs * 6 / 30, 0.3 * kMs);
  EXPECT_THAT(run->sentence(), HasSubstr("Also slow: rank 5 (iterations 14–25)."));
}

TEST(Stragglers, NamesOthersSlowAtTheSameTime) {
  auto work = even_work(8, 40);
  for (int64_t& ns : work[3]) ns += 7 * kMs;
  for (int64_t& ns : work[5]) ns += 5 * kMs;
  const auto run = run_of(work);
  EXPECT_EQ(run->stragglers.rank, 3U);
  EXPECT_THAT(run->sentence(), HasSubstr("Also slow: rank 5 (100% of the iterations)."));
}

TEST(Stragglers, NameRanksThatAreEquallySlow) {
  auto work = even_work(16, 20, 3);
  for (const std::size_t rank : {9U, 11U, 13U, 15U}) {
    for (int64_t& ns : work[rank]) ns += 6 * kMs;
  }
  const auto run = run_of(work);
  EXPECT_EQ(run->stragglers.kind, StragglerKind::several) << "the other half of host b is fast";
  EXPECT_THAT(run->sentence(), ::testing::StartsWith("Ranks 9, 11, 13, 15 are slow in most"));
}

// The median absolute deviation of 16 ranks says nothing if half of them are slow.
TEST(Stragglers, FindOneSlowHostOfTwo) {
  for (const std::size_t first : {0U, 12U}) {
    auto work = even_work(16, 30, 6);
    for (std::size_t rank = 1; rank < 16; rank += 2) {
      for (std::size_t i = first; i < 30; ++i) work[rank][i] += 5 * kMs;
    }
    const auto run = run_of(work);
    EXPECT_EQ(run->stragglers.kind, StragglerKind::one_host);
    EXPECT_EQ(run->stragglers.host, "b");
    EXPECT_THAT(run->sentence(),
                ::testing::StartsWith(first == 0 ? "Host b is slow, mostly in"
                                                 : "From iteration 12 on, host b is slow"));
    EXPECT_NEAR(run->why.difference_ns, 5.0 * kMs, 0.6 * kMs);
    EXPECT_NEAR(run->stragglers.named_cost_ns, 5.0 * kMs * static_cast<double>(30 - first) / 30,
                0.3 * kMs);
  }
}

// Of runs without any straggler.
TEST(Stragglers, NoRankIsNamedByChance) {
  int named = 0, runs = 0;
  for (const std::size_t ranks : {2U, 3U, 4U, 8U}) {
    for (const std::size_t iterations : {10U, 30U, 100U}) {
      for (const double deviation : {0.01, 0.03}) {
        for (uint64_t seed = 1; seed <= 40; ++seed) {
          const auto run = run_of(even_work(ranks, iterations, seed, deviation));
          ++runs;
          named += run->stragglers.rank || !run->stragglers.host.empty() ? 1 : 0;
        }
      }
    }
  }
  EXPECT_LE(named, runs / 100) << "of " << runs;
}

// Its own work is more, but others make the run wait.
TEST(Stragglers, ARankThatCostsNothingIsNotTheOne) {
  auto work = even_work(8, 40);
  for (std::size_t i = 0; i < 40; ++i) {
    work[5][i] += 3 * kMs;
    work[i % 4][i] += 9 * kMs;
  }
  const auto run = run_of(work);
  EXPECT_FALSE(run->stragglers.rank) << run->sentence();
}

TEST(Stragglers, OthersAreNamedWithoutHosts) {
  auto work = even_work(8, 40);
  for (int64_t& ns : work[3]) ns += 7 * kMs;
  for (int64_t& ns : work[5]) ns += 5 * kMs;
  std::vector<RunSummary> ranks = drawn_ranks(work);
  for (RunSummary& rank : ranks) rank.parts.front().head.host.clear();
  EXPECT_THAT(figures_of(std::move(ranks))->sentence(), HasSubstr("Also slow: rank 5 (100%"));
}

TEST(Stragglers, AreNoneAmongEvenRanks) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_EQ(run_of(even_work(8, 30, seed))->stragglers.kind, StragglerKind::none);
  }
}

TEST(Stragglers, FindTheHostThatIsSlow) {
  auto work = even_work(8, 40, 4);
  std::mt19937 random(9);
  // Odd ranks are on host b; another one of them each time.
  for (std::size_t i = 0; i < 40; ++i) work[2 * (random() % 4) + 1][i] += 9 * kMs;
  const auto run = run_of(work);
  EXPECT_EQ(run->stragglers.kind, StragglerKind::one_host);
  EXPECT_EQ(run->stragglers.host, "b");
}

TEST(Stragglers, RotateIfEachIsSlowInTurn) {
  auto work = even_work(8, 80, 5);
  std::mt19937 random(2);
  for (std::size_t i = 0; i < 80; ++i) work[random() % 8][i] += 10 * kMs;
  const auto run = run_of(work);
  EXPECT_EQ(run->stragglers.kind, StragglerKind::rotating);
  EXPECT_THAT(run->sentence(), HasSubstr("mostly in other kernels"));
}

TEST(Stragglers, SeeIterationsThatAreLongOnAllRanks) {
  auto work = even_work(4, 30, 6);
  for (auto& of_rank : work) of_rank[12] += 300 * kMs;
  const auto run = run_of(work);
  EXPECT_EQ(run->stragglers.kind, StragglerKind::all_at_once);
  EXPECT_THAT(run->stragglers.outlying, ElementsAre(12));
}

TEST(Stragglers, NeedTenIterations) {
  auto work = even_work(4, 9);
  for (int64_t& ns : work[1]) ns += 20 * kMs;
  EXPECT_EQ(run_of(work)->stragglers.kind, StragglerKind::too_few);
}

// A rank that lacks calls seems to work while it waits.
TEST(Stragglers, LeaveOutRanksWithUnknownWaits) {
  auto work = even_work(6, 40);
  for (std::size_t i = 0; i < 40; ++i) work[4][i] += 6 * kMs;
  std::vector<RunSummary> ranks = drawn_ranks(work);
  std::vector<int64_t> calls(40, 1);
  for (std::size_t i = 0; i < 40; i += 2) calls[i] = 0;
  ranks[1].parts.front().groups.begin()->second.calls = pack_column(calls);
  const auto run = figures_of(std::move(ranks));
  EXPECT_EQ(run->stragglers.kind, StragglerKind::one_rank);
  EXPECT_EQ(run->stragglers.rank, 4U);
  EXPECT_EQ(run->stragglers.ranks[1].times_straggler, 0);
  EXPECT_EQ(run->stragglers.ranks[1].known_waits, 20);
  EXPECT_EQ(run->slowest_rank(), 4U);
}

// As pipeline stages do, of which the second half of the ranks is one with more work.
std::vector<RunSummary> ranks_of_stages(int64_t more_ns) {
  auto work = even_work(8, 40);
  for (std::size_t rank = 4; rank < 8; ++rank) {
    for (int64_t& ns : work[rank]) ns += more_ns;
  }
  for (int64_t& ns : work[2]) ns += 3 * kMs;
  return drawn_ranks(work);
}

TEST(Stragglers, AreSlowerThanTheirPeersOnly) {
  std::vector<RunSummary> ranks = ranks_of_stages(20 * kMs);
  for (std::size_t rank = 4; rank < 8; ++rank) {
    ranks[rank].parts.front().head.launches_per_1000 = 2'800;  // of 2,000
  }
  const auto run = figures_of(ranks);
  EXPECT_EQ(run->stragglers.kind, StragglerKind::one_rank);
  EXPECT_EQ(run->stragglers.rank, 2U);
  EXPECT_NE(run->stragglers.ranks[0].peers, run->stragglers.ranks[4].peers);
  // A few launches more or less, which depend on the data, do not part ranks.
  for (std::size_t rank = 4; rank < 8; ++rank) {
    ranks[rank].parts.front().head.launches_per_1000 = 2'100;
  }
  const auto alike = figures_of(std::move(ranks));
  EXPECT_EQ(alike->stragglers.ranks[0].peers, alike->stragglers.ranks[4].peers);
  EXPECT_NE(alike->stragglers.rank, 2U);
}

TEST(Stragglers, PeersAreThoseOfDataParallelGroups) {
  std::vector<RunSummary> ranks = ranks_of_stages(20 * kMs);
  for (std::size_t rank = 0; rank < 8; ++rank) {
    const std::string group = rank < 4 ? "1" : "2";
    ranks[rank].groups[group].description = "mesh_dp";
    ranks[rank].parts.front().groups[group] = {};
  }
  const auto run = figures_of(ranks);
  EXPECT_EQ(run->stragglers.rank, 2U);
  EXPECT_NE(run->stragglers.ranks[0].peers, run->stragglers.ranks[4].peers);
  // One without such a group: nobody knows whose peer it is.
  ranks[7].groups.erase("2");
  ranks[7].parts.front().groups.erase("2");
  const auto unknown = figures_of(std::move(ranks));
  EXPECT_EQ(unknown->stragglers.ranks[0].peers, unknown->stragglers.ranks[4].peers);
}

TEST(GroupKinds, AreReadFromTheDescription) {
  EXPECT_EQ(kind_of_group("mesh_dp_shard"), GroupKind::data);
  EXPECT_EQ(kind_of_group("DATA_PARALLEL_GROUP_WITH_CP"), GroupKind::data);
  EXPECT_EQ(kind_of_group("TENSOR_MODEL_PARALLEL_GROUP"), GroupKind::tensor);
  EXPECT_EQ(kind_of_group("PIPELINE_MODEL_PARALLEL_GROUP"), GroupKind::pipeline);
  EXPECT_EQ(kind_of_group("ep"), GroupKind::expert);
  EXPECT_EQ(kind_of_group("mesh_cp"), GroupKind::context);
  for (const char* other : {"", "default_pg", "update", "endpoint", "tpu", "mesh"}) {
    EXPECT_EQ(kind_of_group(other), GroupKind::unknown) << other;
  }
}

TEST(Stragglers, BlameIsWhatAllOthersWaitFor) {
  const auto run = run_of({{10 * kMs}, {13 * kMs}, {18 * kMs}});
  EXPECT_EQ(run->stragglers.ranks[2].blame_ns, 5 * kMs);
  EXPECT_EQ(run->stragglers.ranks[1].blame_ns, 0);
  ASSERT_EQ(run->collectives.size(), 1U);
  EXPECT_EQ(run->collectives[0].last_rank, 2);
  EXPECT_THAT(run->collectives[0].transfer_ns, ElementsAre(kTransferNs));
  EXPECT_THAT(run->collectives[0].skew_ns, ElementsAre(8 * kMs));
  EXPECT_EQ(run->collectives[0].match_rate(), 1);
}

// Slow: sorts each iteration.
void expect_plain_figures(const RankTimes& times, const Stragglers& found) {
  const std::size_t ranks = times.ranks.size();
  std::vector<double> places(ranks);
  std::size_t ranked = 0;
  for (std::size_t i = 0; i < times.numbers.size(); ++i) {
    std::vector<int64_t> own, durations, distances, known;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      own.push_back(times.own_ns(rank, i));
      durations.push_back(times.duration_ns.at(rank, i));
      if (times.wait_ns.at(rank, i) >= 0) known.push_back(own.back());
    }
    // Of ranks whose wait is not known nothing is compared, unless it is known of none.
    std::vector<int64_t> compared = own;
    if (!known.empty()) {
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        if (times.wait_ns.at(rank, i) < 0) compared[rank] = -1;
      }
    }
    const std::vector<int64_t>& values = known.empty() ? own : known;
    const int64_t step = lower_median(durations), median = lower_median(values);
    const auto most = std::ranges::max_element(compared);
    for (const int64_t each : values) distances.push_back(std::abs(each - median));
    const double limit = std::max(3 * kMadToSigma * static_cast<double>(lower_median(distances)),
                                  0.005 * static_cast<double>(step));
    ASSERT_EQ(found.step_ns[i], step);
    ASSERT_EQ(found.median_own_ns[i], lower_median(known));
    ASSERT_EQ(found.cost_ns[i], *most - median);
    ASSERT_EQ(found.straggler[i],
              *most - median > std::llround(limit) ? most - compared.begin() : -1);
    if (known.size() < ranks && !known.empty()) continue;
    ++ranked;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const auto below = std::ranges::count_if(own, [&](int64_t ns) { return ns < own[rank]; });
      const auto equal = std::ranges::count(own, own[rank]);
      places[rank] += static_cast<double>(below) + static_cast<double>(equal - 1) / 2;
    }
  }
  const auto n = static_cast<double>(ranks), m = static_cast<double>(ranked);
  double squares = 0;
  for (const double sum : places) squares += std::pow(sum - m * (n - 1) / 2, 2);
  EXPECT_DOUBLE_EQ(found.concordance, ranked < 2 ? 0 : 12 * squares / (m * m * (n * n * n - n)));
}

// Many ranks are sorted another way than few.
TEST(Stragglers, AreThoseOfPlainSorting) {
  for (const std::size_t ranks : {5U, 600U, 1024U}) {
    SCOPED_TRACE(ranks);
    constexpr std::size_t kIterations = 20;
    std::mt19937_64 random(ranks);
    RankTimes times;
    RunSummary summary;
    std::vector<int64_t> durations, waits;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      times.ranks.push_back(static_cast<int64_t>(rank));
      summary.parts.emplace_back().head.rank = static_cast<int64_t>(rank);
      for (std::size_t i = 0; i < kIterations; ++i) {
        // Ties, waits that are not known, and one that is far out.
        durations.push_back(static_cast<int64_t>(1000 * kMs + random() % 500 * 1000));
        waits.push_back(
            i % 3 == 0 && random() % 50 == 0 ? -1 : static_cast<int64_t>(random() % 300 * 1000));
        if (rank == 3 && i % 4 == 0) durations.back() += int64_t{1} << 50;
      }
    }
    for (std::size_t i = 0; i < kIterations; ++i) times.numbers.push_back(static_cast<int64_t>(i));
    times.duration_ns = {kIterations, durations};
    times.wait_ns = {kIterations, waits};
    times.least_exposed_wait_ns = {kIterations, waits};
    const RankTimes& made = times;
    expect_plain_figures(made, find_stragglers(made, summary));
  }
}

}  // namespace
}  // namespace dlview::ranks
