#include "ranks/clocks.h"

#include <cmath>
#include <cstdlib>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ranks/clock_edge.h"
#include "ranks/run_summary.h"

namespace dlview::ranks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Ranks whose clocks are off by what is planted: time of the rank = (true time - offset) slowed.
struct PlantedClock {
  int64_t offset_ns = 0;
  double drift = 0;
  std::string host;
  std::optional<int64_t> utc_start_ns = std::nullopt, system_start_ns = std::nullopt;
};

RunSummary planted(const std::vector<PlantedClock>& clocks, int64_t length_ns, int collectives,
                   int64_t jitter_ns = 300) {
  std::mt19937_64 random(11);
  std::vector<std::vector<ClockSample>> samples(clocks.size());
  for (int i = 0; i < collectives; ++i) {
    const int64_t end_ns = length_ns / collectives * i + 5'000'000;
    for (std::size_t rank = 0; rank < clocks.size(); ++rank) {
      const auto own = [&](int64_t true_ns) {
        const auto since = static_cast<double>(true_ns - clocks[rank].offset_ns);
        return std::llround(since * (1 - clocks[rank].drift));
      };
      const auto wait_ns = static_cast<int64_t>(random() % 2'000'000);
      const auto late_ns =
          jitter_ns == 0 ? 0 : static_cast<int64_t>(random() % static_cast<uint64_t>(jitter_ns));
      samples[rank].push_back({"0", i, own(end_ns - 400'000 - wait_ns), own(end_ns + late_ns)});
    }
  }
  RunSummary summary;
  for (std::size_t rank = 0; rank < clocks.size(); ++rank) {
    RankPart& part = summary.parts.emplace_back();
    part.head.rank = static_cast<int64_t>(rank);
    part.head.host = clocks[rank].host;
    part.head.file = "report_" + std::to_string(rank);
    part.head.checksum = rank + 1;
    part.head.utc_start_ns = clocks[rank].utc_start_ns;
    part.head.system_start_ns = clocks[rank].system_start_ns;
    part.groups["0"] = {};
    part.clock = samples[rank];
  }
  return summary;
}

TEST(Clocks, AreFoundFromEndsOfCollectives) {
  const std::vector<PlantedClock> clocks{
      {0, 0, "a"}, {5'200'000, 0, "b"}, {-91'000'123, 0, "c"}, {7, 0, "d"}};
  const auto fits = align_clocks(planted(clocks, 10'000'000'000, 200)).fits;
  EXPECT_EQ(fits[0].by, ClockBy::reference);
  for (std::size_t rank = 1; rank < clocks.size(); ++rank) {
    EXPECT_EQ(fits[rank].by, ClockBy::collectives);
    EXPECT_EQ(fits[rank].pairs, 67);
    EXPECT_LE(std::abs(fits[rank].offset_ns - clocks[rank].offset_ns), fits[rank].error_ns);
    EXPECT_LT(fits[rank].error_ns, 1'000);
    EXPECT_EQ(fits[rank].note, "");
  }
}

TEST(Clocks, DriftIsFoundInLongCaptures) {
  const auto fits =
      align_clocks(planted({{0, 0, "a"}, {3'000'000, 40e-6, "b"}}, 300'000'000'000, 600)).fits;
  EXPECT_NEAR(fits[1].drift, 40e-6, 1e-8);
  // A true time near the end of the capture.
  const int64_t true_ns = 290'000'000'000;
  const auto own = std::llround(static_cast<double>(true_ns - 3'000'000) * (1 - 40e-6));
  EXPECT_LE(std::abs(fits[1].to_reference(own) - true_ns), 3 * fits[1].error_ns);
}

TEST(Clocks, ShortCapturesShowNoDrift) {
  const auto fits = align_clocks(planted({{0, 0, "a"}, {3'000, 0, "b"}}, 5'000'000'000, 100)).fits;
  EXPECT_EQ(fits[1].drift, 0);
}

TEST(Clocks, OfOneHostComeBeforeCollectives) {
  const auto fits = align_clocks(planted({{0, 0, "a", 1'000'000'000'000, 500},
                                          {200, 0, "a", 1'000'000'003'000, 3'700},
                                          {200, 0, "a", 1'000'000'004'000, std::nullopt}},
                                         1'000'000'000, 50))
                        .fits;
  EXPECT_EQ(fits[1].by, ClockBy::system_clock);
  EXPECT_EQ(fits[1].offset_ns, 3'200);
  EXPECT_EQ(fits[2].by, ClockBy::utc_of_host);
  EXPECT_EQ(fits[2].offset_ns, 4'000);
  EXPECT_EQ(describe(fits[1]), "by host clock, below 1 µs");
}

TEST(Clocks, EndsApartDoubtTheMatching) {
  RunSummary summary = planted({{0, 0, "a", 0, 0}, {0, 0, "a", 0, 0}}, 1'000'000'000, 100);
  EXPECT_EQ(align_clocks(summary).fits[1].note, "");
  // As if the order of some calls were another one on this rank.
  for (std::size_t i = 0; i < 10; ++i) {
    summary.parts[1].clock[i * 10].start_ns += 5'000'000;
    summary.parts[1].clock[i * 10].stop_ns += 5'000'000;
  }
  const Clocks clocks = align_clocks(summary);
  EXPECT_EQ(clocks.fits[1].doubt,
            "only 90.0% of 100 collectives end together: calls may be mismatched");
  EXPECT_THAT(clocks.mismatched, ElementsAre("0"));
  // Numbers of the profiler are right, whatever a clock tells.
  summary.rules.matching = SummaryRules::Matching::sequence;
  EXPECT_THAT(align_clocks(summary).mismatched, IsEmpty());
}

TEST(Clocks, OfUnrelatedCallsDoubtTheMatching) {
  RunSummary summary = planted({{0, 0, "a"}, {0, 0, "b"}}, 10'000'000'000, 100);
  std::mt19937_64 random(3);
  for (ClockSample& sample : summary.parts[1].clock) {
    const auto late_ns = static_cast<int64_t>(random() % 40'000'000);
    sample.start_ns += late_ns;
    sample.stop_ns += late_ns;
  }
  EXPECT_THAT(align_clocks(summary).mismatched, ElementsAre("0"));
}

// Ranks of one file have one clock: what lags is no clock, but other calls.
TEST(Clocks, OfOneFileAreNotMovedByCollectives) {
  RunSummary summary = planted({{0, 0, "a"}, {0, 0, "a"}}, 1'000'000'000, 100);
  summary.parts[1].head.checksum = summary.parts[0].head.checksum;
  summary.parts[1].head.file = summary.parts[0].head.file;
  for (ClockSample& sample : summary.parts[1].clock) {
    sample.start_ns += 3'000'000;
    sample.stop_ns += 3'000'000;
  }
  const Clocks clocks = align_clocks(summary);
  EXPECT_EQ(clocks.fits[1].by, ClockBy::same_file);
  EXPECT_EQ(clocks.fits[1].offset_ns, 0);
  EXPECT_THAT(clocks.fits[1].doubt, HasSubstr("only 0% of 100 collectives end together"));
  EXPECT_THAT(clocks.mismatched, ElementsAre("0"));
}

// One rank of many, and a group without the lowest rank of the host.
TEST(Clocks, EachRankAndGroupIsChecked) {
  std::vector<PlantedClock> clocks(30, {0, 0, "a", 0, 0});
  RunSummary summary = planted(clocks, 1'000'000'000, 100);
  EXPECT_THAT(align_clocks(summary).mismatched, IsEmpty());
  for (std::size_t rank = 28; rank < 30; ++rank) {
    RankPart& part = summary.parts[rank];
    part.groups["1"] = {};
    for (ClockSample sample : std::vector<ClockSample>(part.clock)) {
      sample.group = "1";
      if (rank == 29 && sample.place % 3 == 0) sample.stop_ns += 5'000'000;
      part.clock.push_back(sample);
    }
  }
  EXPECT_THAT(align_clocks(summary).mismatched, ElementsAre("1"));
  for (std::size_t i = 0; i < 100; i += 3) summary.parts[17].clock[i].stop_ns += 5'000'000;
  EXPECT_THAT(align_clocks(summary).mismatched, ElementsAre("0", "1"));
}

// Containers of different machines may have one name.
TEST(Clocks, AlignByCollectivesWhenHostsShareAName) {
  const auto clocks = align_clocks(
      planted({{0, 0, "worker", 0, 0}, {7'000'000, 0, "worker", 0, 0}}, 1'000'000'000, 100));
  EXPECT_EQ(clocks.fits[1].by, ClockBy::collectives);
  EXPECT_LE(std::abs(clocks.fits[1].offset_ns - 7'000'000), 3 * clocks.fits[1].error_ns);
  EXPECT_THAT(clocks.fits[1].note, HasSubstr("the host clock does not fit"));
  EXPECT_THAT(clocks.mismatched, IsEmpty());
}

TEST(Clocks, ChainsOfGroupsAddTheirErrors) {
  RunSummary summary =
      planted({{0, 0, "a"}, {1'000'000, 0, "b"}, {9'000'000, 0, "c"}}, 1'000'000'000, 90);
  // Rank 0 and 2 have no group in common.
  summary.parts[0].groups = {{"0", {}}};
  summary.parts[1].groups = {{"0", {}}, {"1", {}}};
  summary.parts[2].groups = {{"1", {}}};
  std::vector<ClockSample> more = summary.parts[1].clock;
  for (ClockSample& sample : more) sample.group = "1";
  summary.parts[1].clock.insert(summary.parts[1].clock.end(), more.begin(), more.end());
  for (ClockSample& sample : summary.parts[2].clock) sample.group = "1";
  const auto fits = align_clocks(summary).fits;
  EXPECT_EQ(fits[2].by, ClockBy::collectives);
  EXPECT_LE(std::abs(fits[2].offset_ns - 9'000'000), 2 * fits[2].error_ns);
  EXPECT_GT(fits[2].error_ns, fits[1].error_ns);
}

TEST(Clocks, SaysWhatDoesNotFit) {
  RunSummary summary = planted({{0, 0, "a"}, {1'000'000, 0, "b"}}, 1'000'000'000, 60);
  // A clock that was set in the middle.
  for (std::size_t i = 30; i < 60; ++i) {
    summary.parts[1].clock[i].start_ns += 500'000'000;
    summary.parts[1].clock[i].stop_ns += 500'000'000;
  }
  const Clocks clocks = align_clocks(summary);
  EXPECT_THAT(clocks.fits[1].note, HasSubstr("contradict each other"));
  // Waits need no clock: the matching is as good as before.
  EXPECT_THAT(clocks.mismatched, IsEmpty());
}

TEST(Clocks, WithoutAnyPathAreNotAligned) {
  RunSummary summary = planted({{0, 0, "a"}, {5, 0, "b"}, {5, 0, "c"}}, 1'000'000, 2);
  summary.parts[0].head.utc_start_ns = 10;
  summary.parts[2].head.utc_start_ns = 30;
  const auto fits = align_clocks(summary).fits;
  EXPECT_EQ(fits[1].by, ClockBy::none);
  EXPECT_EQ(fits[2].by, ClockBy::utc);
  EXPECT_EQ(fits[2].offset_ns, 20);
}

TEST(RobustLine, IgnoresOutliers) {
  std::vector<double> x, y;
  for (int i = 0; i < 100; ++i) {
    x.push_back(i);
    y.push_back(i % 5 == 0 ? 1e6 : 3.0 * i + 7);
  }
  const Line line = robust_line(x, y);
  EXPECT_NEAR(line.slope, 3, 1e-9);
  EXPECT_NEAR(line.offset, 7, 1e-9);
}

}  // namespace
}  // namespace dlview::ranks
