#include "ranks/match_by_time.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ranks/packed.h"
#include "ranks/run_figures.h"
#include "ranks/summarized_ranks.h"

namespace dlview::ranks {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A call as a rank recorded it. `id`: of its collective, which the summary does not have.
struct PlantedCall {
  int64_t id = 0;
  int64_t start_ns = 0, stop_ns = 0;
  std::optional<int64_t> bytes = std::nullopt;
};
using PlantedIteration = std::vector<PlantedCall>;  // in any order

constexpr int64_t kIterationNs = 100'000'000;

// A rank on a host of its own, whose calls are of one group and matched by their place. Fills
// `ids`: of the collectives of its places.
RunSummary planted_rank(int64_t rank, const std::vector<PlantedIteration>& iterations,
                        std::map<int64_t, int64_t>* ids = nullptr) {
  RunSummary summary;
  summary.rules.matching = SummaryRules::Matching::group_place;
  summary.groups["0"] = {};
  RankPart& part = summary.parts.emplace_back();
  part.head.rank = rank;
  part.head.file = part.head.host = "rank" + std::to_string(rank);
  part.head.checksum = static_cast<uint64_t>(rank) + 1;
  part.head.gpus = 1;
  part.size = std::ssize(iterations);
  const std::vector<int64_t> zeros(iterations.size());
  std::vector<int64_t> numbers, starts, stops, calls;
  std::array<std::vector<int64_t>, kCallClasses> durations;
  durations.fill(zeros);
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    const auto number = static_cast<int64_t>(i);
    PlantedIteration of_iteration = iterations[i];
    std::ranges::sort(of_iteration, {}, &PlantedCall::start_ns);
    numbers.push_back(number);
    starts.push_back(number * kIterationNs);
    stops.push_back((number + 1) * kIterationNs);
    calls.push_back(std::ssize(of_iteration));
    for (std::size_t at = 0; at < of_iteration.size(); ++at) {
      const PlantedCall& call = of_iteration[at];
      ClockSample& sample = part.clock.emplace_back();
      sample.group = "0";
      sample.place = number * kPlacesOfIteration + static_cast<int64_t>(at);
      sample.start_ns = call.start_ns;
      sample.stop_ns = call.stop_ns;
      sample.collective = profile::Collective::all_reduce;
      sample.bytes = call.bytes;
      sample.exposed_ns = call.stop_ns - call.start_ns;
      durations[call_class(std::ssize(of_iteration) - 1 - static_cast<int64_t>(at))][i] +=
          sample.exposed_ns;
      summary.collectives[{"0", sample.place}] = CollectiveSum::of_call(
          rank, number, sample.collective, call.bytes, sample.exposed_ns, sample.exposed_ns);
      if (ids != nullptr) (*ids)[sample.place] = call.id;
    }
  }
  for (std::string& column : part.rows) column = pack_column(zeros);
  const auto set = [&part](RowColumn column, const std::vector<int64_t>& values) {
    part.rows[static_cast<std::size_t>(column)] = pack_column(values);
  };
  set(RowColumn::number, numbers);
  set(RowColumn::start_ns, starts);
  set(RowColumn::stop_ns, stops);
  GroupRows& rows = part.groups["0"];
  rows.calls = pack_column(calls);
  for (std::size_t each = 0; each < kCallClasses; ++each) {
    rows.ns[each] = rows.exposed_ns[each] = pack_column(durations[each]);
  }
  return summary;
}

// Two streams: A ends at 40 ms, B at 30 ms. No two iterations are alike, or a clock that is off by
// some of them would fit as well.
std::vector<PlantedIteration> on_two_streams(int64_t a_starts_ns, int64_t b_starts_ns,
                                             int64_t clock_ns, int64_t count = 12) {
  std::vector<PlantedIteration> iterations;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t begin_ns = i * kIterationNs + i * i * 170'000 + clock_ns;
    iterations.push_back({{2 * i, begin_ns + a_starts_ns, begin_ns + 40'000'000},
                          {2 * i + 1, begin_ns + b_starts_ns, begin_ns + 30'000'000}});
  }
  return iterations;
}

TEST(MatchByTime, FindsCallsThatStartInAnotherOrder) {
  const int64_t clock_ns = 7'123'456;
  const auto figures =
      figures_of({planted_rank(0, on_two_streams(10'000'000, 20'000'000, 0)),
                  planted_rank(1, on_two_streams(25'000'000, 12'000'000, clock_ns))});
  EXPECT_THAT(figures->times.mismatched, IsEmpty());
  EXPECT_EQ(figures->clocks[1].by, ClockBy::collectives);
  EXPECT_EQ(figures->clocks[1].offset_ns, -clock_ns);
  EXPECT_EQ(figures->clocks[1].doubt, "");
  for (std::size_t i = 0; i < 12; ++i) {
    // A: 30 and 15 ms, B: 10 and 18 ms.
    EXPECT_EQ(figures->times.wait_ns.at(0, i), 15'000'000);
    EXPECT_EQ(figures->times.wait_ns.at(1, i), 8'000'000);
  }
  ASSERT_EQ(figures->collectives.size(), 1);
  EXPECT_EQ(figures->collectives[0].matched, 24);
  EXPECT_EQ(figures->collectives[0].transfer_sum_ns, 12 * 25'000'000);
  EXPECT_THAT(figures->notes(),
              Contains(HasSubstr("iterations 0, 1, 2, 3 and 8 more were matched by end time")));
}

TEST(MatchByTime, KeepsPlacesOfCallsThatEndTogether) {
  RunSummary summary = merged({planted_rank(0, on_two_streams(10'000'000, 20'000'000, 0)),
                               planted_rank(1, on_two_streams(12'000'000, 25'000'000, 500))});
  const RunSummary before = summary;
  Clocks clocks = align_clocks(summary);
  EXPECT_THAT(match_by_time(summary, clocks).iterations, IsEmpty());
  EXPECT_EQ(summary, before);
}

TEST(MatchByTime, LeavesUnrelatedCallsUnknown) {
  std::mt19937_64 random(5);
  std::vector<RunSummary> ranks;
  for (int64_t rank = 0; rank < 2; ++rank) {
    std::vector<PlantedIteration> iterations;
    for (int64_t i = 0; i < 12; ++i) {
      PlantedIteration& calls = iterations.emplace_back();
      for (int64_t call = 0; call < 5; ++call) {
        const auto start_ns =
            i * kIterationNs + static_cast<int64_t>(random() % (kIterationNs - 2'000'000));
        calls.push_back({0, start_ns, start_ns + 1'000'000});
      }
    }
    ranks.push_back(planted_rank(rank, iterations));
  }
  const auto figures = figures_of(std::move(ranks));
  EXPECT_THAT(figures->times.mismatched, Contains("0"));
  EXPECT_THAT(figures->times.by_time->iterations, IsEmpty());
  EXPECT_LT(figures->times.wait_ns.at(0, 3), 0);
}

// Both end within 50 us, and one rank lacks the first one of iteration 4: the end of its only call
// is nearer to that one.
TEST(MatchByTime, CallsOfOtherSizesAreOtherCalls) {
  const auto calls = [](bool lacks) {
    std::vector<PlantedIteration> iterations;
    for (int64_t i = 0; i < 12; ++i) {
      const int64_t begin_ns = i * kIterationNs + i * i * 170'000;
      PlantedIteration& its = iterations.emplace_back();
      const bool lacks_now = lacks && i == 4;
      if (!lacks_now) its.push_back({0, begin_ns, begin_ns + 1'000'000, 1000});
      its.push_back({1, begin_ns + 900'000, begin_ns + (lacks_now ? 1'015'000 : 1'050'000), 2000});
    }
    return iterations;
  };
  const auto figures = figures_of({planted_rank(0, calls(false)), planted_rank(1, calls(true))});
  const auto& collectives = figures->summary.collectives;
  const CollectiveSum& first = collectives.at({"0", 4 * kPlacesOfIteration});
  const CollectiveSum& second = collectives.at({"0", 4 * kPlacesOfIteration + 1});
  EXPECT_EQ(first.members, 1);
  EXPECT_EQ(second.members, 2);
  EXPECT_EQ(second.size(), 2000);
  EXPECT_TRUE(second.is_one());
  EXPECT_EQ(figures->times.wait_ns.at(0, 4), 35'000);
  EXPECT_LT(figures->times.wait_ns.at(1, 4), 0) << "it lacks a call";
  EXPECT_EQ(figures->times.wait_ns.at(1, 5), 0);
}

// In iteration 17 nothing of one rank ends with anything of the other.
TEST(MatchByTime, LeavesTheIterationUnknownThatDoesNotFit) {
  auto first = on_two_streams(10'000'000, 20'000'000, 0, 24);
  auto second = on_two_streams(25'000'000, 12'000'000, 0, 24);
  second[17][0].stop_ns += 5'000'000;
  second[17][1].stop_ns += 9'000'000;
  const auto figures = figures_of({planted_rank(0, first), planted_rank(1, second)});
  EXPECT_THAT(figures->times.mismatched, IsEmpty());
  EXPECT_EQ(figures->times.wait_ns.at(0, 16), 15'000'000);
  EXPECT_LT(figures->times.wait_ns.at(0, 17), 0);
  EXPECT_EQ(figures->collectives[0].matched, 46);
}

TEST(MatchByTime, NeedsOnlyIterationsThatAllRanksHave) {
  auto first = on_two_streams(10'000'000, 20'000'000, 0, 16);
  auto second = on_two_streams(25'000'000, 12'000'000, 0, 12);
  const auto figures = figures_of({planted_rank(0, first), planted_rank(1, second)});
  EXPECT_THAT(figures->times.mismatched, IsEmpty());
  EXPECT_EQ(figures->times.wait_ns.at(1, 11), 8'000'000);
  EXPECT_EQ(figures->collectives[0].matched, 24);
}

// Six calls an iteration, 2 to 5 ms apart; without one.
std::vector<PlantedIteration> six_calls(int64_t clock_ns, const std::map<int64_t, int64_t>& lost) {
  std::mt19937_64 random(3);
  std::vector<PlantedIteration> iterations;
  for (int64_t i = 0; i < 12; ++i) {
    PlantedIteration& calls = iterations.emplace_back();
    int64_t end_ns = i * kIterationNs + clock_ns;
    for (int64_t call = 0; call < 6; ++call) {
      end_ns += 2'000'000 + static_cast<int64_t>(random() % 3'000'000);
      const auto found = lost.find(i);
      if (found != lost.end() && found->second == call) continue;
      calls.push_back({6 * i + call, end_ns - 500'000, end_ns});
    }
  }
  return iterations;
}

TEST(MatchByTime, FindsTheClockWhereEachIterationLacksACall) {
  std::map<int64_t, int64_t> lost;
  for (int64_t i = 0; i < 12; ++i) lost[i] = i % 3;
  const auto figures =
      figures_of({planted_rank(0, six_calls(0, {})), planted_rank(1, six_calls(7'000'000, lost))});
  EXPECT_EQ(figures->clocks[1].by, ClockBy::collectives);
  EXPECT_EQ(figures->clocks[1].offset_ns, -7'000'000);
  EXPECT_EQ(figures->collectives[0].calls, 72);
  EXPECT_EQ(figures->collectives[0].matched, 60);
  EXPECT_EQ(figures->times.wait_ns.at(0, 4), 0);
  EXPECT_LT(figures->times.wait_ns.at(1, 4), 0);
}

// As many calls on both ranks, but not the same ones.
TEST(MatchByTime, SeesThatEachRankLacksAnotherCall) {
  const auto figures = figures_of(
      {planted_rank(0, six_calls(0, {{3, 1}})), planted_rank(1, six_calls(900'000, {{3, 4}}))});
  EXPECT_EQ(figures->collectives[0].calls, 72);
  EXPECT_EQ(figures->collectives[0].matched, 70);
  EXPECT_LT(figures->times.wait_ns.at(0, 3), 0);
  EXPECT_LT(figures->times.wait_ns.at(1, 3), 0);
  EXPECT_EQ(figures->times.wait_ns.at(0, 4), 0);
}

TEST(MatchByTime, KeepsDoubtsAboutOtherThings) {
  auto with_numbers = merged({planted_rank(0, on_two_streams(10'000'000, 20'000'000, 0)),
                              planted_rank(1, on_two_streams(25'000'000, 12'000'000, 0))});
  with_numbers.rules.matching = SummaryRules::Matching::sequence;
  EXPECT_THAT(make_run_figures(std::move(with_numbers)).value()->notes(),
              Contains(HasSubstr("end together: calls may be mismatched")));
}

TEST(MatchByTime, IsUndone) {
  const RunSummary before = merged({planted_rank(0, on_two_streams(10'000'000, 20'000'000, 0)),
                                    planted_rank(1, on_two_streams(25'000'000, 12'000'000, 0))});
  RunSummary summary = before;
  Clocks clocks = align_clocks(summary);
  const TimeMatches matches = match_by_time(summary, clocks);
  EXPECT_NE(summary, before);
  undo(matches, summary);
  EXPECT_EQ(summary, before);
}

TEST(MatchByTime, UnequalPartsMayBeSentToAll) {
  const auto calls = [](std::optional<int64_t> bytes) {
    std::vector<PlantedIteration> iterations = on_two_streams(10'000'000, 20'000'000, 0);
    for (PlantedIteration& iteration : iterations) iteration[0].bytes = bytes;
    return iterations;
  };
  RunSummary first = planted_rank(0, calls(1000)), second = planted_rank(1, calls(3000));
  for (RunSummary* const summary : {&first, &second}) {
    for (auto& [key, sum] : summary->collectives) sum.collective = profile::Collective::all_to_all;
    for (ClockSample& sample : summary->parts.front().clock) {
      sample.collective = profile::Collective::all_to_all;
    }
  }
  const auto figures = figures_of({first, second});
  ASSERT_EQ(figures->collectives.size(), 1);
  EXPECT_EQ(figures->collectives[0].matched, 24);
  EXPECT_EQ(figures->collectives[0].bytes, std::nullopt);
}

// As in a damaged file: nothing may overflow.
TEST(MatchByTime, TakesAnyNumbers) {
  std::mt19937_64 random(7);
  const auto any = [&random] {
    const auto value = static_cast<int64_t>(random());
    return random() % 2 == 0 ? value / 2 : value % 1'000'000'000;
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<RunSummary> ranks;
    for (int64_t rank = 0; rank < 3; ++rank) {
      RunSummary summary = planted_rank(rank, on_two_streams(10'000'000, 20'000'000, 0));
      RankPart& part = summary.parts.front();
      part.head.host = "a";
      part.head.utc_start_ns = random() % 2 == 0 ? 0 : any();
      for (ClockSample& sample : part.clock) {
        if (random() % 4 != 0) continue;
        sample.start_ns = any();
        sample.stop_ns = any();
        sample.exposed_ns = any();
        if (random() % 4 == 0) sample.place = any();
      }
      std::ranges::sort(part.clock);
      for (auto& [key, sum] : summary.collectives) {
        if (random() % 8 == 0) sum.number = any();
        if (random() % 8 == 0) sum.members = 1 + rank;
      }
      ranks.push_back(std::move(summary));
    }
    figures_of(std::move(ranks));
  }
}

// Planted runs: ranks with other clocks, calls on several streams with any waits, ends that jitter,
// lost calls.
class MatchByTimeOfPlanted : public ::testing::TestWithParam<uint64_t> {};

TEST_P(MatchByTimeOfPlanted, FindsEachCollective) {
  std::mt19937_64 random(GetParam());
  const auto below = [&random](int64_t most) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(most));
  };
  constexpr std::size_t kIterations = 10;
  const auto ranks = static_cast<std::size_t>(2 + below(5));
  std::vector<std::vector<PlantedIteration>> calls(ranks,
                                                   std::vector<PlantedIteration>(kIterations));
  std::vector<int64_t> clock_ns;
  for (std::size_t rank = 0; rank < ranks; ++rank) clock_ns.push_back(below(50'000'000));
  int64_t id = 0;
  std::set<int64_t> with_lost;  // iterations
  for (std::size_t i = 0; i < kIterations; ++i) {
    int64_t end_ns = static_cast<int64_t>(i) * kIterationNs + 10'000'000;
    for (int64_t call = 4 + below(12); call > 0; --call, ++id) {
      end_ns += 300'000 + below(3'000'000);
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        if (below(100) == 0) {
          with_lost.insert(static_cast<int64_t>(i));
          continue;
        }
        const int64_t stop_ns = end_ns + below(20'000) + clock_ns[rank];
        calls[rank][i].push_back({id, stop_ns - 200'000 - below(6'000'000), stop_ns});
      }
    }
  }
  std::vector<std::map<int64_t, int64_t>> ids(ranks);
  std::vector<RunSummary> summaries;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    summaries.push_back(planted_rank(static_cast<int64_t>(rank), calls[rank], &ids[rank]));
  }
  RunSummary summary = merged(std::move(summaries));
  Clocks clocks = align_clocks(summary);
  const TimeMatches matches = match_by_time(summary, clocks);
  EXPECT_THAT(clocks.mismatched, IsEmpty());
  for (const int64_t number : with_lost) EXPECT_NE(matches.find("0", number), nullptr) << number;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    EXPECT_NEAR(static_cast<double>(clocks.fits[rank].offset_ns),
                static_cast<double>(clock_ns[0] - clock_ns[rank]), 20'000);
  }
  // Calls have one place if and only if they have one id.
  std::map<int64_t, std::set<int64_t>> ids_of_place, places_of_id;
  std::map<int64_t, int64_t> members;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (const auto& [place, its_id] : ids[rank]) {
      if (matches.find("0", place / kPlacesOfIteration) == nullptr) continue;
      const int64_t found = matches.place_of(static_cast<int64_t>(rank), "0", place);
      ids_of_place[found].insert(its_id);
      places_of_id[its_id].insert(found);
      ++members[found];
    }
  }
  for (const auto& [place, its_ids] : ids_of_place) {
    EXPECT_EQ(its_ids.size(), 1) << place;
    EXPECT_EQ(summary.collectives.at({"0", place}).members, members[place]);
  }
  for (const auto& [its_id, places] : places_of_id) EXPECT_EQ(places.size(), 1) << its_id;
}

INSTANTIATE_TEST_SUITE_P(Seeds, MatchByTimeOfPlanted, ::testing::Range<uint64_t>(0, 40));

}  // namespace
}  // namespace dlview::ranks
