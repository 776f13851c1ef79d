// The acceptance of findings: each is found where its problem was planted, with what it costs, and
// not where a program only comes near it.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/findings.h"
#include "generate/programs/problems.h"
#include "support/opened_capture.h"
#include "support/seeds.h"

namespace dlview::aggregate {
namespace {

using generate::programs::JobRun;
using generate::programs::PlannedProblem;

constexpr uint64_t kSeeds = 5;
constexpr double kMostOff = 0.10;  // of the savings

// Of the usual steps.
FoundFindings findings_of(const JobRun& run) {
  const auto profile = testing::opened_capture(run.capture);
  const int64_t last = std::ssize(run.starts_ns) - 2;
  const Aggregation aggregation = make_cpu_aggregator(profile)->aggregate(
      {{CutKind::start, "step", 0}, {generate::programs::kFirstUsualStep, last}});
  const RuleIndex rules(*profile);
  return find_findings(*profile, aggregation, {}, &rules);
}

// Of one detector.
struct Tally {
  int planted = 0, found = 0, near = 0, reported = 0;
  double most_off = 0;  // of the savings, relative
};

std::string listed(const FoundFindings& found) {
  std::string text;
  for (const Finding& finding : found.findings) {
    text += fmt::format("\n    {}: {}", finding.advice.detector, finding.advice.problem);
  }
  return text;
}

class PlantedProblems {
 public:
  void check(const PlannedProblem& problem, uint64_t seed) {
    const JobRun run = problem.make(seed, true);
    const FoundFindings found = findings_of(run);
    const Finding* finding = find_finding(found.findings, problem.detector);
    Tally& tally = tallies_[std::string(problem.detector)];
    const std::string where = fmt::format("{} {}{}", problem.name, seed, listed(found));
    if (problem.is_near) {
      ++tally.near;
      tally.reported += finding == nullptr ? 0 : 1;
      EXPECT_EQ(finding, nullptr) << where;
      return;
    }
    ++tally.planted;
    EXPECT_NE(finding, nullptr) << where;
    if (finding == nullptr) return;
    ++tally.found;
    const double planted_ns = generate::programs::usual_step_ns(run) -
                              generate::programs::usual_step_ns(problem.make(seed, false));
    const double off =
        std::abs(static_cast<double>(finding->stake_ns.value_or(0)) - planted_ns) / planted_ns;
    EXPECT_LE(off, kMostOff) << fmt::format("{} ns, planted {:.0f} ns, ",
                                            finding->stake_ns.value_or(0), planted_ns)
                             << where;
    tally.most_off = std::max(tally.most_off, off);
  }

  void print() const {
    for (const auto& [detector, tally] : tallies_) {
      fmt::print("| `{}` | {} of {} | {} of {} | {:.1f}% |\n", detector, tally.found, tally.planted,
                 tally.reported, tally.near, 100 * tally.most_off);
    }
  }

 private:
  std::map<std::string, Tally> tallies_;
};

TEST(PlantedProblems, AreFoundWithTheirSavingsAndNearMissesAreNot) {
  PlantedProblems problems;
  for (const PlannedProblem& problem : generate::programs::planned_problems()) {
    for (uint64_t seed = 1; seed <= testing::seeds(kSeeds); ++seed) problems.check(problem, seed);
  }
  problems.print();
}

TEST(PlantedProblems, HaveThreeProgramsAndThreeNearMissesEach) {
  std::map<std::string_view, std::pair<int, int>> counts;
  for (const PlannedProblem& problem : generate::programs::planned_problems()) {
    ++(problem.is_near ? counts[problem.detector].second : counts[problem.detector].first);
  }
  for (const char* detector :
       {"blocking_allocations", "cuda_api_sync", "cuda_core_products_detector", "cuda_memcpy_async",
        "cuda_memcpy_async_to_host", "cuda_memcpy_sync", "cuda_memset_sync",
        "exposed_communication_detector", "exposed_copies_to_gpu", "exposed_copies_to_host",
        "gpu_idle", "launch_bound", "layout_transposes", "memory_operations_detector",
        "scalar_reads", "slow_iterations"}) {
    EXPECT_EQ(counts[detector], std::pair(3, 3)) << detector;
  }
  EXPECT_EQ(counts.size(), 16U);
}

TEST(PlantedProblems, AreNoneInAProgramWithoutAny) {
  for (uint64_t seed = 1; seed <= testing::seeds(kSeeds); ++seed) {
    const FoundFindings found =
        findings_of(generate::programs::play_job({.seed = seed, .processes = 2}, {}));
    EXPECT_TRUE(found.findings.empty()) << listed(found);
  }
}

}  // namespace
}  // namespace dlview::aggregate
