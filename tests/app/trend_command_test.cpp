// `dlview trend` as people and scripts use it.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/command_support.h"
#include "app/commands/commands.h"
#include "base/progress.h"
#include "generate/dlprof.h"
#include "support/file_contents.h"
#include "support/test_data.h"

namespace dlview::app {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

Outcome dlview_trend(std::vector<std::string> arguments) {
  CLI::App program{"dlview", "dlview"};
  ChosenCommand chosen;
  bind_trend(program, chosen);
  arguments.insert(arguments.begin(), "trend");
  arguments.emplace_back("--no-cache");
  return run_command_line(program, chosen, std::move(arguments));
}

// Five captures of a demo.
const std::vector<std::string>& shared_captures() {
  static const testing::TemporaryFolder folder;
  static std::vector<std::string> paths;
  for (uint64_t seed = paths.size() + 1; seed <= 5; ++seed) {
    const fs::path path = folder.path() / fmt::format("run{}.sqlite", seed);
    base::Progress progress;
    EXPECT_TRUE(generate::generate_dlprof(
                    path, {.iterations = 20, .kernels = 1000, .gpus = 1, .seed = seed}, progress)
                    .ok());
    paths.push_back(path.string());
  }
  return paths;
}

std::vector<std::string> captures_and(std::vector<std::string> more) {
  std::vector<std::string> arguments = shared_captures();
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(TrendCommand, PrintsMetricsAndCaptures) {
  const Outcome outcome = dlview_trend(captures_and({"--label", "c4f2=" + shared_captures()[2]}));
  EXPECT_EQ(outcome.code, 0);
  for (const char* const part : {"Duration of an iteration", "GPU utilization", "Kernel launches",
                                 "run1", "c4f2", "as given"}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
  EXPECT_THAT(outcome.out, Not(HasSubstr("run3 ")));
}

TEST(TrendCommand, WritesEachFormat) {
  const testing::TemporaryFolder folder;
  const std::string html = (folder.path() / "t.html").string(),
                    json = (folder.path() / "t.json").string(),
                    csv = (folder.path() / "t.csv").string();
  for (const std::string& path : {html, json, csv}) {
    EXPECT_EQ(dlview_trend(captures_and({"-o", path})).code, 0) << path;
  }
  EXPECT_THAT(testing::contents_of(html), HasSubstr("Trend of 5 captures"));
  const auto parsed = nlohmann::json::parse(testing::contents_of(json));
  EXPECT_EQ(parsed["captures"].size(), 5U);
  EXPECT_EQ(parsed["values"].size() % 5, 0U);
  EXPECT_THAT(testing::contents_of(csv),
              ::testing::StartsWith("metric,name,unit,capture,value,low,high"));
}

TEST(TrendCommand, FollowsChosenMetrics) {
  const Outcome outcome =
      dlview_trend(captures_and({"--metric", "kernel_launches", "--format", "csv"}));
  EXPECT_THAT(outcome.out, HasSubstr("kernel_launches,"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("gpu_utilization,")));
}

TEST(TrendCommand, TakesIterationsFromABudgetFile) {
  const testing::TemporaryFolder folder;
  const fs::path budget = folder.path() / "budget.toml";
  std::ofstream(budget) << "[run]\niterations = \"2:6\"\n[[budget]]\nname = \"few launches\"\n"
                           "metric = \"kernel_launches\"\nof = \"max\"\nat_most = 7\n";
  const Outcome outcome =
      dlview_trend(captures_and({"--budget", budget.string(), "--format", "text"}));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("2:6"));
  EXPECT_THAT(outcome.out, HasSubstr("few launches"));
}

// Whose limits compare with a baseline have a line with one, and are named without.
TEST(TrendCommand, NamesBudgetsThatNeedABaseline) {
  const testing::TemporaryFolder folder;
  const fs::path budget = folder.path() / "budget.toml";
  std::ofstream(budget) << "[run]\niterations = \"2:15\"\n"
                           "[[budget]]\nname = \"step\"\nmetric = \"iteration_duration\"\n"
                           "worse_by_at_most = \"5%\"\n";
  const Outcome without = dlview_trend(captures_and({"--budget", budget.string()}));
  EXPECT_EQ(without.code, 0) << without.err;
  EXPECT_THAT(without.out, HasSubstr("No line for step: the limit compares with a baseline"));
  const std::string baseline = (folder.path() / "baseline.json").string();
  CLI::App program{"dlview", "dlview"};
  ChosenCommand chosen;
  bind_budget(program, chosen);
  ASSERT_EQ(run_command_line(program, chosen,
                             {"budget", "baseline", shared_captures()[0], "--budget",
                              budget.string(), "-o", baseline, "--no-cache"})
                .code,
            0);
  const std::string html = (folder.path() / "t.html").string();
  const Outcome with =
      dlview_trend(captures_and({"--budget", budget.string(), "--baseline", baseline, "-o", html}));
  EXPECT_EQ(with.code, 0) << with.err;
  EXPECT_THAT(testing::contents_of(html), HasSubstr("Budget: at most "));
  EXPECT_THAT(testing::contents_of(html), HasSubstr("class=\"limit\""));
}

TEST(TrendCommand, RefusesWhatItCannotUse) {
  const std::string first = shared_captures()[0];
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{first},
                                             {first, first},
                                             captures_and({"--metric", "iteration"}),
                                             captures_and({"--label", "x"}),
                                             captures_and({"--label", "x=other.sqlite"}),
                                             captures_and({"--budget", "missing.toml"}),
                                             captures_and({"--iterations", "x"}),
                                             captures_and({"--iterations", "3:4000"}),
                                             captures_and({"-o", first}),
                                             captures_and({"--window", "-o", "trend.html"}),
                                             captures_and({"--window", "--format", "csv"}),
                                             captures_and({"--theme", "light"}),
                                             captures_and({"--baseline", "baseline.json"}),
                                             {first, "missing.sqlite"}}) {
    EXPECT_EQ(dlview_trend(arguments).code, kExitUnusable) << arguments.back();
  }
}

}  // namespace
}  // namespace dlview::app
