// `dlview budget` as CI sees it.

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "aggregate/steady.h"
#include "app/command_support.h"
#include "app/commands/commands.h"
#include "base/progress.h"
#include "generate/dlprof.h"
#include "import/open.h"
#include "report/budget/metrics.h"
#include "support/file_contents.h"
#include "support/test_data.h"

namespace dlview::app {
namespace {

namespace fs = std::filesystem;
namespace budget = report::budget;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

using Json = nlohmann::json;

Outcome dlview_budget(std::vector<std::string> arguments) {
  CLI::App program{"dlview", "dlview"};
  ChosenCommand chosen;
  bind_budget(program, chosen);
  arguments.insert(arguments.begin(), "budget");
  return run_command_line(program, chosen, std::move(arguments));
}

// Of all tests: a run of 40 iterations on four GPUs, captured with four seeds.
const fs::path& shared_run(uint64_t seed, int gpus = 4) {
  static const testing::TemporaryFolder folder;
  static std::map<std::pair<uint64_t, int>, fs::path> runs;
  fs::path& path = runs[{seed, gpus}];
  if (!path.empty()) return path;
  path = folder.path() / fmt::format("run{}x{}.sqlite", seed, gpus);
  base::Progress progress;
  EXPECT_TRUE(generate::generate_dlprof(
                  path, {.iterations = 40, .kernels = 4000, .gpus = gpus, .seed = seed}, progress)
                  .ok());
  return path;
}

class BudgetCommand : public ::testing::Test {
 protected:
  std::string path(const char* name) const { return (folder_.path() / name).string(); }
  std::string write(const char* name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  // A file with one budget of these lines.
  std::string budget_with(const std::string& lines, const std::string& run = "") const {
    return write("budget.toml", "[run]\n" + run + "\n[[budget]]\nname = \"one\"\n" + lines + "\n");
  }
  Outcome check(std::vector<std::string> more, uint64_t seed = 4, int gpus = 4) const {
    std::vector<std::string> arguments{"check", shared_run(seed, gpus), "--budget",
                                       path("budget.toml")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return dlview_budget(arguments);
  }
  Outcome make_baseline(std::vector<uint64_t> seeds, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"baseline"};
    for (const uint64_t seed : seeds) arguments.push_back(shared_run(seed));
    arguments.insert(arguments.end(),
                     {"--budget", path("budget.toml"), "-o", path("baseline.json")});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return dlview_budget(arguments);
  }

  testing::TemporaryFolder folder_;
};

TEST_F(BudgetCommand, ExitsByTheWorstBudget) {
  budget_with("metric = \"kernel_launches\"\nat_least = 1");
  EXPECT_EQ(check({}).code, 0);
  budget_with("metric = \"kernel_launches\"\nat_most = 1");
  EXPECT_EQ(check({}).code, 1);
  budget_with("metric = \"kernel_launches\"\nat_most = 1\nlevel = \"warning\"");
  EXPECT_EQ(check({}).code, 0);
  budget_with("metric = \"kernel_launch\"\nat_most = 1");
  EXPECT_EQ(check({}).code, 2);
  budget_with("metric = \"kernel_launches\"\nat_most = 1", "needs = [\"gpus = 8\"]");
  EXPECT_EQ(check({}).code, 3);
  EXPECT_EQ(check({"--inconclusive", "pass"}).code, 0);
}

TEST_F(BudgetCommand, ShowsBrokenBudgetsWhenOutputsFail) {
  budget_with("metric = \"kernel_launches\"\nat_most = 1");
  const Outcome failed = check(
      {"--annotations", "github", "--junit", path("none/out.xml"), "--json", path("out.json")});
  EXPECT_EQ(failed.code, 2);
  EXPECT_THAT(failed.out, AllOf(HasSubstr("broken"), HasSubstr("::error ")));
  EXPECT_THAT(failed.err, HasSubstr("none/out.xml"));
  EXPECT_TRUE(fs::exists(path("out.json"))) << "other outputs are written";
}

TEST_F(BudgetCommand, RefusesTwoOutputsOfOneName) {
  budget_with("metric = \"kernel_launches\"\nat_least = 1");
  const Outcome refused = check({"--junit", path("out"), "--json",
                                 path("./../") + folder_.path().filename().string() + "/out"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("Two outputs share a path"), HasSubstr("--junit and --json")));
  EXPECT_FALSE(fs::exists(path("out")));
  EXPECT_EQ(check({"--junit", "/dev/null", "--json", "/dev/null"}).code, 0);
}

TEST_F(BudgetCommand, NamesLineColumnAndNearestName) {
  budget_with("metric = \"kernel_launch\"\nat_most = 1");
  const Outcome refused = check({});
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("Unknown metric: \"kernel_launch\""), HasSubstr("budget.toml:5:10"),
                    HasSubstr("Did you mean kernel_launches?")));
  EXPECT_THAT(refused.out, IsEmpty());
}

// The demo's numbers by hand: the run has exactly 4000 kernels.
TEST_F(BudgetCommand, MeasuresTheWholeRun) {
  budget_with("metric = \"kernel_launches\"\nof = \"sum\"\nequals = 4000", "iterations = \"all\"");
  EXPECT_EQ(check({}).code, 0) << check({}).out;
  budget_with("metric = \"kernel_launches\"\nof = \"range\"\nequals = 4000",
              "iterations = \"all\"");
  EXPECT_EQ(check({}).code, 0);
  budget_with("metric = \"profiled_iterations\"\nequals = 41", "iterations = \"all\"");
  EXPECT_EQ(check({}).code, 0);
  budget_with("metric = \"profiled_iterations\"\nequals = 5", "iterations = \"10:14\"");
  EXPECT_EQ(check({}).code, 0);
}

TEST_F(BudgetCommand, LearnsFromThreeCaptures) {
  budget_with("metric = \"iteration_duration\"\nworse_by_at_most = \"learned\"");
  const Outcome made = make_baseline({1, 2, 3}, {"--accept", "first state"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.out, Not(HasSubstr("not learned")));
  const Json baseline = Json::parse(testing::contents_of(path("baseline.json")));
  EXPECT_EQ(baseline["accepted"], "first state");
  EXPECT_EQ(baseline["captures"].size(), 3U);
  EXPECT_EQ(baseline["captures"][0]["file"], "run1x4.sqlite");
  EXPECT_EQ(baseline["captures"][0]["checksum"].get<std::string>().size(), 16U);
  EXPECT_THAT(testing::contents_of(path("baseline.json")), Not(HasSubstr(folder_.path().string())));
  const Outcome kept = check({"--baseline", path("baseline.json"), "--json", path("out.json")});
  EXPECT_EQ(kept.code, 0) << kept.out;
  const Json json = Json::parse(testing::contents_of(path("out.json")));
  EXPECT_TRUE(json["budgets"][0]["baseline"]["learned"]);
  EXPECT_EQ(json["budgets"][0]["baseline"]["captures"], 3);
  // A baseline of half the time is broken.
  Json faster = baseline;
  for (Json& capture : faster["budgets"][0]["captures"]) {
    capture["value"] = capture["value"].get<int64_t>() / 2;
    for (Json& sample : capture["samples"]) sample = sample.get<int64_t>() / 2;
  }
  write("baseline.json", faster.dump());
  const Outcome broken = check({"--baseline", path("baseline.json")});
  EXPECT_EQ(broken.code, 1);
  EXPECT_THAT(broken.out, HasSubstr("is beyond what 3 captures differ by"));
}

TEST_F(BudgetCommand, SaysThatOneCaptureTeachesNothing) {
  budget_with("metric = \"iteration_duration\"\nworse_by_at_most = \"learned\"");
  EXPECT_THAT(make_baseline({1}).out, HasSubstr("not learned"));
  constexpr const char* kBands = "kept within 2%, broken beyond 2.6%, otherwise inconclusive";
  EXPECT_THAT(check({"--baseline", path("baseline.json")}).out,
              AllOf(HasSubstr("not learned"), HasSubstr(kBands)));
  std::string explained = dlview_budget({"explain", "--budget", path("budget.toml"), "--baseline",
                                         path("baseline.json")})
                              .out;
  explained = std::regex_replace(explained, std::regex("\\s+"), " ");
  EXPECT_THAT(explained, HasSubstr(kBands));
}

TEST_F(BudgetCommand, NeedsTheBaselineItComparesWith) {
  budget_with("metric = \"iteration_duration\"\nworse_by_at_most = \"3%\"");
  const Outcome refused = check({});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("Add --baseline FILE"));
}

TEST_F(BudgetCommand, DoesNotCompareOtherMachines) {
  budget_with("metric = \"iteration_duration\"\nworse_by_at_most = \"3%\"");
  ASSERT_EQ(make_baseline({1, 2, 3}).code, 0);
  const Outcome other = check({"--baseline", path("baseline.json")}, 4, 1);
  EXPECT_EQ(other.code, 3);
  EXPECT_THAT(other.out, HasSubstr("the baseline ran on 4 x "));
}

TEST_F(BudgetCommand, DoesNotCompareOtherSplits) {
  const std::string budget = "metric = \"iteration_duration\"\nworse_by_at_most = \"3%\"";
  budget_with(budget, "split_by = \"host\"");
  ASSERT_EQ(make_baseline({1, 2, 3}).code, 0);
  budget_with(budget, "split_by = \"gpu\"");
  const Outcome other = check({"--baseline", path("baseline.json")});
  EXPECT_EQ(other.code, 3);
  EXPECT_THAT(other.out, HasSubstr("iterations of the baseline are split by the host"));
  Json old = Json::parse(testing::contents_of(path("baseline.json")));
  for (Json& capture : old["captures"]) capture.erase("split_by");
  write("baseline.json", old.dump());
  EXPECT_THAT(check({"--baseline", path("baseline.json")}).out,
              HasSubstr("does not record whether the host or the GPU splits"));
}

TEST_F(BudgetCommand, DoesNotTrustAChangedBudget) {
  budget_with("metric = \"iteration_duration\"\nworse_by_at_most = \"3%\"");
  ASSERT_EQ(make_baseline({1, 2, 3}).code, 0);
  budget_with("metric = \"iteration_duration\"\nof = \"mean\"\nworse_by_at_most = \"3%\"");
  const Outcome changed = check({"--baseline", path("baseline.json")});
  EXPECT_EQ(changed.code, 3);
  EXPECT_THAT(changed.out, HasSubstr("measured something else"));
  budget_with("metric = \"iteration_duration\"\nworse_by_at_most = \"3%\"",
              "iterations = \"10:30\"");
  EXPECT_EQ(check({"--baseline", path("baseline.json")}).code, 3);
}

TEST_F(BudgetCommand, RefusesOneCaptureTwice) {
  budget_with("metric = \"iteration_duration\"\nworse_by_at_most = \"learned\"");
  const Outcome twice = make_baseline({1, 2, 1});
  EXPECT_EQ(twice.code, 2);
  EXPECT_THAT(twice.err, HasSubstr("The same capture twice"));
  EXPECT_FALSE(fs::exists(path("baseline.json")));
}

TEST_F(BudgetCommand, FailsWhatCannotBeMeasured) {
  const std::string limit = "metric = \"memory_peak\"\nat_most = \"1 GiB\"\n";
  budget_with(limit);
  const Outcome failed = check({});
  EXPECT_EQ(failed.code, 1);
  EXPECT_THAT(failed.out, HasSubstr("not measurable: memory events: not recorded"));
  for (const char* unknown : {"pass", "skip"}) {
    budget_with(limit + fmt::format("unknown = \"{}\"", unknown));
    EXPECT_EQ(check({}).code, 0);
  }
  budget_with("metric = \"op_gpu_time\"\nonly = [\"op_type=conv3d\"]\nat_most = \"1 s\"");
  const Outcome no_match = check({});
  EXPECT_EQ(no_match.code, 1);
  EXPECT_THAT(no_match.out, HasSubstr("no op_type is \"conv3d\""));
}

TEST_F(BudgetCommand, AppendsTheSummary) {
  budget_with("metric = \"kernel_launches\"\nat_least = 1");
  const std::string summary = write("summary.md", "before");
  EXPECT_EQ(check({"--markdown", summary}).code, 0);
  EXPECT_EQ(check({"--markdown", summary}).code, 0);
  const std::string text = testing::contents_of(summary);
  EXPECT_THAT(text, StartsWith("before\n### Budgets: kept\n"));
  EXPECT_NE(text.find("### Budgets", 20), std::string::npos);
  // GitHub shows 1 MiB.
  write("summary.md", std::string((std::size_t{1} << 20U) - 10, 'x'));
  EXPECT_EQ(check({"--markdown", summary}).code, 0);
  EXPECT_LE(fs::file_size(summary), std::size_t{1} << 20U);
}

TEST_F(BudgetCommand, DoesNotWriteIntoItsInputs) {
  budget_with("metric = \"kernel_launches\"\nat_least = 1\nworse_by_at_most = \"3%\"");
  ASSERT_EQ(make_baseline({1, 2, 3}).code, 0);
  for (const char* output : {"--junit", "--json", "--markdown"}) {
    for (const std::string& input :
         {path("budget.toml"), path("baseline.json"), shared_run(4).string()}) {
      const std::string before = testing::contents_of(input);
      EXPECT_EQ(check({"--baseline", path("baseline.json"), output, input}).code, 2) << input;
      EXPECT_EQ(testing::contents_of(input), before);
    }
  }
  EXPECT_EQ(dlview_budget({"baseline", shared_run(1), "--budget", path("budget.toml"), "-o",
                           path("budget.toml")})
                .code,
            2);
}

TEST_F(BudgetCommand, ReportsUnusableInputToCi) {
  budget_with("metric = \"kernel_launches\"\nat_least = 1");
  const Outcome missing =
      dlview_budget({"check", path("none.sqlite"), "--budget", path("budget.toml"), "--junit",
                     path("out.xml"), "--annotations", "github"});
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(testing::contents_of(path("out.xml")),
              AllOf(HasSubstr("<error "), HasSubstr("none.sqlite")));
  EXPECT_THAT(missing.out, StartsWith("::error file="));
}

TEST_F(BudgetCommand, SaysOnceThatAnOutputFails) {
  budget_with("metric = \"kernel_launches\"\nat_least = 1");
  const Outcome failed = check({"--junit", path("no/folder/out.xml"), "--annotations", "github"});
  EXPECT_EQ(failed.code, 2);
  EXPECT_EQ(failed.err.find("out.xml"), failed.err.rfind("out.xml")) << failed.err;
  EXPECT_THAT(failed.out, HasSubstr("1 budget: 1 kept")) << "the verdict stands all the same";
}

TEST_F(BudgetCommand, NamesTheLineOfAnUnknownMarker) {
  budget_with("metric = \"kernel_launches\"\nat_least = 1", "key_op = \"no such op\"");
  const Outcome outcome = check({});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("Iteration marker not found"),
                                 HasSubstr("budget.toml:2:10: no op, NVTX range")));
}

TEST_F(BudgetCommand, ExplainsWithoutARun) {
  budget_with("metric = \"iteration_duration\"\nworse_by_at_most = \"learned\"");
  ASSERT_EQ(make_baseline({1, 2, 3}).code, 0);
  const auto explain = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"explain", "--budget", path("budget.toml")});
    return dlview_budget(more).out;
  };
  EXPECT_THAT(explain({}), HasSubstr("unknown without --baseline"));
  EXPECT_THAT(
      explain({"--baseline", path("baseline.json")}),
      AllOf(HasSubstr("99% prediction interval"), HasSubstr("3 captures"), HasSubstr("Not seen")));
  EXPECT_THAT(explain({"--baseline", path("baseline.json"), shared_run(4)}), HasSubstr("This run"));
}

TEST_F(BudgetCommand, RefusesOptionsOfOtherActions) {
  budget_with("metric = \"kernel_launches\"\nat_least = 1");
  const std::string run = shared_run(1), file = path("budget.toml");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"check", run, "--accept", "x"},
        {"check", run, run},
        {"check"},
        {"check", run, "-o", path("x")},
        {"baseline", run},
        {"baseline", "-o", path("x")},
        {"baseline", run, "-o", path("x"), "--junit", path("y")},
        {"explain", "--markdown", path("y")},
        {"check", run, "--name", "one"},
        {"verify", run}}) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"--budget", file});
    EXPECT_EQ(dlview_budget(all).code, kExitUnusable) << arguments.front();
  }
  EXPECT_FALSE(fs::exists(path("x")));
}

// Of a comparison the run after is judged, over the iterations of the budget file.
TEST_F(BudgetCommand, PageJudgesTheRunAfter) {
  budget_with("metric = \"kernel_launches\"\nof = \"range\"\nat_least = 1", "iterations = \"5:9\"");
  const auto report = [&](std::vector<std::string> more) {
    CLI::App program{"dlview", "dlview"};
    ChosenCommand chosen;
    bind_report(program, chosen);
    std::vector<std::string> arguments{"report",      shared_run(1),    "--with",
                                       shared_run(2), "--budget",       path("budget.toml"),
                                       "--html",      path("both.html")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_command_line(program, chosen, std::move(arguments));
  };
  const Outcome written = report({});
  ASSERT_EQ(written.code, 0) << written.err;
  EXPECT_THAT(testing::contents_of(path("both.html")),
              HasSubstr("Judged: run2x4.sqlite, iterations 5 to 9"));
  EXPECT_THAT(report({"--iterations", "1:20"}).err,
              HasSubstr("The budget file chooses the iterations"));
}

// The table of docs/budgets.md has every metric, and no other.
TEST(BudgetMetrics, AreInTheGuide) {
  const std::string guide = testing::contents_of(fs::path(DLVIEW_SOURCE_DIR) / "docs/budgets.md");
  const std::string section = guide.substr(
      guide.find("\n## Metrics"), guide.find("\n## The baseline") - guide.find("\n## Metrics"));
  std::string rows;
  for (const budget::BudgetMetric& metric : budget::all_budget_metrics()) {
    const aggregate::Unit unit = metric.unit();
    rows += fmt::format(
        "| `{}`: {} | {} | {} | {} |\n", metric.id.text(), aggregate::metric(metric.id).title,
        unit == aggregate::Unit::ns        ? "time"
        : unit == aggregate::Unit::percent ? "%"
        : unit == aggregate::Unit::bytes   ? "bytes"
                                           : "count",
        metric.is_per_iteration ? "yes" : "no", metric.less_is_better ? "more" : "less");
  }
  EXPECT_THAT(section, HasSubstr(rows));
  EXPECT_EQ(std::ranges::count(section, '\n'), std::ranges::count(rows, '\n') + 9) << rows;
}

// Fast values come from the iteration table, slow ones from one range change for each iteration.
TEST(BudgetMetrics, EqualOneRangeChangeEach) {
  base::Progress progress;
  auto opened = import::open_profile(shared_run(4), progress);
  ASSERT_TRUE(opened.ok());
  const auto profile = std::make_shared<const profile::Profile>(*std::move(opened));
  const aggregate::KeyRanking ranking(*profile);
  aggregate::Selection selection = aggregate::default_selection(ranking);
  selection.cut.key_op = generate::demo_key_op(generate::Framework::pytorch);
  selection.range = {3, 30};
  budget::Meter meter(profile, selection);
  const auto aggregator = aggregate::make_cpu_aggregator(profile);
  const std::array<std::vector<aggregate::Filter>, 4> filters{
      {{},
       {{aggregate::FilterKind::op_type, "conv2d"}},
       {{aggregate::FilterKind::device, "", 1}},
       {{aggregate::FilterKind::tensor_core, "", 1}}}};
  int compared = 0;
  for (const budget::BudgetMetric& metric : budget::all_budget_metrics()) {
    if (!metric.is_per_iteration) continue;
    for (const auto& only : filters) {
      aggregate::Selection filtered = selection;
      filtered.filters = only;
      const budget::Measurement measured = meter.measure(metric, budget::Statistic::median, only);
      if (!measured.is_known()) continue;
      const auto slow = budget::slow_samples(metric, *profile, *aggregator, filtered);
      EXPECT_EQ(measured.samples, slow) << metric.id.text() << " " << only.size();
      compared += std::ranges::any_of(slow, [](int64_t value) { return value != 0; }) ? 1 : 0;
    }
  }
  EXPECT_GT(compared, 40);
}

}  // namespace
}  // namespace dlview::app
