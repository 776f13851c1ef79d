// Runs of `dlview generate --ranks`, and the truth that it writes: what was planted comes back.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "generate/ranks.h"
#include "import/open.h"
#include "ranks/run_figures.h"
#include "ranks/straggler_finding.h"
#include "ranks/summarized_ranks.h"
#include "ranks/summary_file.h"
#include "support/file_contents.h"
#include "workspace/rank_files.h"

namespace dlview::ranks {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class PlantedRun : public ::testing::Test {
 protected:
  ~PlantedRun() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  void generate(generate::RanksOptions options, const std::string& skew) {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / (std::string("dlview_ranks_") + test->name() + "_" +
                                           std::to_string(static_cast<int>(options.format)));
    fs::remove_all(folder_);
    const auto parsed = generate::parse_skew(skew);
    ASSERT_TRUE(parsed) << base::to_text(parsed.error());
    options.skew = *parsed;
    options.skew_text = skew;
    base::Progress progress;
    const base::Status done = generate::generate_ranks(folder_, options, progress);
    ASSERT_TRUE(done) << base::to_text(done.error());
    std::ifstream file(folder_ / "truth.json");
    truth_ = json::parse(file);
  }

  std::vector<RunSummary> summaries() const {
    const auto files = workspace::rank_files({folder_.string()}, false);
    if (!files) throw std::runtime_error(base::to_text(files.error()));
    std::vector<RunSummary> all;
    for (const fs::path& file : *files) {
      base::Progress progress;
      auto opened = import::open_profile(file, progress);
      if (!opened) throw std::runtime_error(base::to_text(opened.error()));
      const auto profile = std::make_shared<const profile::Profile>(*std::move(opened));
      const aggregate::KeyRanking ranking(*profile);
      auto of_file =
          workspace::summarize_ranks(profile, ranking, {}, file.filename().string(), std::nullopt);
      if (!of_file) throw std::runtime_error(base::to_text(of_file.error()));
      std::ranges::move(*of_file, std::back_inserter(all));
    }
    return all;
  }

  SharedRunFigures run() const { return figures_of(summaries()); }

  // By rank and iteration, from the durations of the collectives in the files.
  std::map<int64_t, std::map<int64_t, int64_t>> waits() const {
    std::map<std::string, std::vector<int64_t>> members;
    for (const json& group : truth_["groups"]) {
      members[group["group"].get<std::string>()] = group["ranks"].get<std::vector<int64_t>>();
    }
    std::map<int64_t, std::map<int64_t, int64_t>> waits;
    for (const json& collective : truth_["collectives"]) {
      const auto durations = collective["durations_ns"].get<std::vector<int64_t>>();
      const int64_t least = *std::ranges::min_element(durations);
      const std::vector<int64_t>& ranks = members.at(collective["group"].get<std::string>());
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        waits[ranks[i]][collective["iteration"].get<int64_t>()] += durations[i] - least;
      }
    }
    return waits;
  }

  void expect_waits(const RunFigures& run) const {
    const auto expected = waits();
    int64_t compared = 0;
    for (std::size_t rank = 0; rank < run.rank_count(); ++rank) {
      for (std::size_t i = 0; i < run.times.numbers.size(); ++i) {
        const int64_t wait_ns = run.times.wait_ns.at(rank, i);
        ASSERT_GE(wait_ns, 0);
        EXPECT_EQ(wait_ns, expected.at(run.times.ranks[rank]).at(run.times.numbers[i]));
        const json& row = truth_["by_iteration"][i];
        // Times of collectives by arrival differ by the jitter of their ends.
        const auto exposed_ns = row["exposed_waits_ns"][rank].get<int64_t>();
        const int64_t jitter_ns = 100 * truth_["jitter_ns"].get<int64_t>();
        EXPECT_LE(run.times.least_exposed_wait_ns.at(rank, i), exposed_ns + jitter_ns);
        EXPECT_GE(run.times.most_exposed_wait_ns.at(rank, i), exposed_ns - jitter_ns);
        ++compared;
      }
    }
    EXPECT_GT(compared, 0);
  }

  void expect_clocks(const RunFigures& run) const {
    // The clock of a rank shows start + (1 + drift) true time + offset.
    const auto true_ns = [this](const RankHead& head, int64_t own_ns) {
      const json& rank = truth_["ranks"][static_cast<std::size_t>(head.rank)];
      const double drift = rank["drift_ns_per_s"].get<double>() * 1e-9;
      const int64_t shown_ns = *head.utc_start_ns + own_ns - truth_["start_utc_ns"].get<int64_t>() -
                               rank["offset_ns"].get<int64_t>();
      return std::llround(static_cast<double>(shown_ns) / (1 + drift));
    };
    const RankPart& first = run.summary.parts.front();
    const int64_t at_ns = first.clock.front().stop_ns;
    for (std::size_t part = 1; part < run.summary.parts.size(); ++part) {
      const RankHead& head = run.summary.parts[part].head;
      const ClockFit& fit = run.clocks[part];
      // The same true instant on both clocks.
      const int64_t own_ns = run.summary.parts[part].clock.front().stop_ns;
      const int64_t true_difference = true_ns(head, own_ns) - true_ns(first.head, at_ns);
      const int64_t found_difference = fit.to_reference(own_ns) - at_ns;
      EXPECT_LE(std::abs(found_difference - true_difference), 3 * fit.error_ns + 10)
          << "rank " << head.rank << " " << describe(fit);
    }
  }

  fs::path folder_;
  json truth_;
};

using generate::RanksFormat;

generate::RanksOptions exports(int64_t ranks, int64_t iterations, int64_t ranks_per_host = 8) {
  generate::RanksOptions options;
  options.ranks = ranks;
  options.ranks_per_host = ranks_per_host;
  options.iterations = iterations;
  options.kernels = 200 * iterations;
  return options;
}

TEST_F(PlantedRun, OfEightRanksInExportsComesBack) {
  generate(exports(8, 30, 4), "straggler=5:+8%,offset=5ms,drift=20");
  const auto figures = run();
  EXPECT_EQ(figures->ranks_text(), "8 ranks");
  EXPECT_EQ(figures->summary.rules.matching, SummaryRules::Matching::group_place);
  EXPECT_EQ(figures->stragglers.kind, StragglerKind::one_rank);
  EXPECT_EQ(figures->stragglers.rank, 5U);
  expect_waits(*figures);
  expect_clocks(*figures);
}

TEST_F(PlantedRun, OfTracesComesBack) {
  generate::RanksOptions options = exports(8, 30, 2);
  options.format = RanksFormat::pytorch;
  options.groups.tensor = 2;
  generate(options, "straggler=2:+8%,offset=20ms");
  const auto figures = run();
  EXPECT_EQ(figures->summary.rules.matching, SummaryRules::Matching::sequence);
  EXPECT_EQ(figures->stragglers.kind, StragglerKind::one_rank);
  EXPECT_EQ(figures->stragglers.rank, 2U);
  expect_waits(*figures);
  expect_clocks(*figures);
}

TEST_F(PlantedRun, OfOneFileComesBack) {
  generate::RanksOptions options = exports(4, 20);
  options.one_file = true;
  generate(options, "straggler=1:+10%");
  const auto figures = run();
  ASSERT_EQ(figures->rank_count(), 4U);
  EXPECT_EQ(figures->stragglers.rank, 1U);
  EXPECT_EQ(figures->clocks[3].by, ClockBy::same_file);
  expect_waits(*figures);
}

TEST_F(PlantedRun, FindsIterationWhenRankBecomesSlow) {
  generate(exports(8, 40, 4), "straggler=6:+8%:25-39,offset=5ms");
  const auto figures = run();
  EXPECT_EQ(figures->stragglers.rank, 6U);
  EXPECT_EQ(figures->stragglers.stretch, (Stretch{25, 40}));
  EXPECT_NEAR(figures->why.factor_of_kernels().value_or(0), 1.08, 0.002);
  EXPECT_THAT(figures->sentence(), ::testing::StartsWith("From iteration 25 on, rank 6 is"));
}

TEST_F(PlantedRun, EvenRanksHaveNoStraggler) {
  generate(exports(8, 30), "offset=1ms");
  EXPECT_EQ(run()->stragglers.kind, StragglerKind::none);
}

TEST_F(PlantedRun, SlowHostsAreFound) {
  generate(exports(8, 40, 2), "host=c:+9%");
  const auto figures = run();
  EXPECT_EQ(figures->stragglers.kind, StragglerKind::one_host);
  EXPECT_EQ(figures->stragglers.host, "c");
  EXPECT_NEAR(figures->why.factor_of_kernels().value_or(0), 1.09, 0.002);
  EXPECT_THAT(figures->sentence(), HasSubstr("Host c is slow: all kernels take 8.9% longer"));
}

TEST_F(PlantedRun, SlowDataLoadersAreNoSlowKernels) {
  generate(exports(4, 40), "straggler=1:+50%:data");
  const auto figures = run();
  EXPECT_EQ(figures->stragglers.kind, StragglerKind::one_rank);
  EXPECT_EQ(figures->why.factor_of_kernels(), std::nullopt);
  EXPECT_THAT(figures->sentence(), HasSubstr("mostly in the data loader"));
  EXPECT_THAT(straggler_finding(*figures)->advice.recommendation, HasSubstr("data loader"));
}

TEST_F(PlantedRun, LongIterationsOfAllRanksAreFound) {
  generate(exports(4, 30), "all=10:+300%");
  const auto figures = run();
  EXPECT_EQ(figures->stragglers.kind, StragglerKind::all_at_once);
  EXPECT_THAT(figures->stragglers.outlying, ::testing::ElementsAre(10));
  EXPECT_THAT(figures->sentence(), HasSubstr("iteration 10 is slow on all ranks: "));
}

// Later calls of the iteration have another place on the rank: their ends tell which they are.
TEST_F(PlantedRun, LostCallsAreNoWaits) {
  generate(exports(4, 20), "lost=2:3");
  const auto figures = run();
  const auto expected = waits();
  int64_t unknown = 0;
  for (std::size_t i = 0; i < figures->times.numbers.size(); ++i) {
    const bool is_unknown = figures->times.wait_ns.at(2, i) < 0;
    unknown += is_unknown ? 1 : 0;
    for (std::size_t rank = 0; rank < 4 && !is_unknown; ++rank) {
      EXPECT_EQ(figures->times.wait_ns.at(rank, i),
                expected.at(static_cast<int64_t>(rank)).at(figures->times.numbers[i]));
    }
    EXPECT_GE(figures->times.wait_ns.at(1, i), 0);
  }
  EXPECT_EQ(figures->stragglers.kind, StragglerKind::none);
  EXPECT_GE(unknown, 1);
  EXPECT_LE(unknown, 3);
  // (group, place), of all ranks.
  std::set<std::pair<std::string, int64_t>> lost;
  for (const json& call : truth_["ranks"][2]["lost"]) {
    lost.emplace(call["group"].get<std::string>(), call["place"].get<int64_t>());
  }
  EXPECT_EQ(lost.size(), 3);
  std::vector<int64_t> transfers, found;
  for (const json& collective : truth_["collectives"]) {
    if (lost.contains({collective["group"], collective["place"]})) continue;
    transfers.push_back(std::ranges::min(collective["durations_ns"].get<std::vector<int64_t>>()));
  }
  for (const CollectiveRow& row : figures->collectives) {
    found.insert(found.end(), row.transfer_ns.begin(), row.transfer_ns.end());
  }
  std::ranges::sort(transfers);
  std::ranges::sort(found);
  EXPECT_EQ(found, transfers);
  // Only iterations with a lost call are matched by time.
  EXPECT_LE(figures->times.by_time->iterations.size(), 3);
  EXPECT_EQ(figures->clocks[2].note, "");
  EXPECT_EQ(figures->clocks[2].doubt, "");
  EXPECT_THAT(figures->notes(),
              ::testing::Contains(HasSubstr("were found on all member ranks; rank 2 lacks 3")));
}

// Sequence numbers tell which call is lost: all others wait as before.
TEST_F(PlantedRun, LostCallsOfTracesConcernOneRank) {
  generate::RanksOptions options = exports(4, 20);
  options.format = RanksFormat::pytorch;
  generate(options, "lost=2:3");
  const auto figures = run();
  int64_t unknown = 0;
  for (std::size_t i = 0; i < figures->times.numbers.size(); ++i) {
    unknown += figures->times.wait_ns.at(2, i) < 0 ? 1 : 0;
    EXPECT_GE(figures->times.wait_ns.at(1, i), 0);
  }
  EXPECT_GE(unknown, 1);
  EXPECT_EQ(figures->stragglers.kind, StragglerKind::none);
}

TEST_F(PlantedRun, StagesAreNoStragglers) {
  for (const RanksFormat format : {RanksFormat::nsys, RanksFormat::pytorch}) {
    generate::RanksOptions options = exports(6, 20);
    options.format = format;
    generate(options, "stage=3:+25%");
    const auto figures = run();
    EXPECT_EQ(figures->stragglers.kind, StragglerKind::one_stage);
    EXPECT_THAT(figures->sentence(), HasSubstr(" on ranks 3–5 and "));
    EXPECT_THAT(figures->sentence(), HasSubstr(" on ranks 0–2."));
    const auto& ranks = figures->stragglers.ranks;
    EXPECT_EQ(ranks[0].peers, ranks[2].peers);
    EXPECT_NE(ranks[0].peers, ranks[3].peers);
    EXPECT_EQ(ranks[3].peers, ranks[5].peers);
    expect_waits(*figures);
  }
}

TEST_F(PlantedRun, MissingRanksAreSaid) {
  generate(exports(8, 20), "missing=3,straggler=6:+10%");
  const auto figures = run();
  EXPECT_EQ(figures->ranks_text(), "7 of 8 ranks");
  EXPECT_THAT(figures->notes(), ::testing::Contains("Missing ranks: 3"));
  ASSERT_TRUE(figures->stragglers.rank);
  EXPECT_EQ(figures->times.ranks[*figures->stragglers.rank], 6);
}

TEST_F(PlantedRun, OfSixtyFourRanksComesBack) {
  generate(exports(64, 20), "straggler=40:+8%,offset=5ms");
  const auto figures = run();
  EXPECT_EQ(figures->rank_count(), 64U);
  EXPECT_EQ(figures->stragglers.kind, StragglerKind::one_rank);
  EXPECT_EQ(figures->stragglers.rank, 40U);
  expect_waits(*figures);
  expect_clocks(*figures);
}

// The generator puts a secret into the environment of each export.
TEST_F(PlantedRun, SecretsStayInTheirFiles) {
  generate(exports(2, 3), "");
  const std::string content = testing::contents_of(folder_ / "report_0.sqlite");
  ASSERT_THAT(content, HasSubstr("API_TOKEN"));
  // Packed texts are not compressed before they are sections: look at the summary itself.
  for (const RunSummary& summary : summaries()) {
    const RankHead& head = summary.parts.front().head;
    for (const std::string& text : {head.source, head.host, head.file, head.format}) {
      EXPECT_THAT(text, Not(HasSubstr("TOKEN")));
      EXPECT_THAT(text, Not(HasSubstr(folder_.string())));
    }
  }
}

}  // namespace
}  // namespace dlview::ranks
