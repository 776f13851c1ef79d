// Captures measured in the background: the same numbers as report::TrendMeasure gives one by one,
// the order of recording, and captures that cannot be measured.
#include "workspace/trend_runs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/key_ops.h"
#include "generate/dlprof.h"
#include "import/open.h"
#include "report/trend/trend_measure.h"
#include "support/test_data.h"
#include "workspace/selection_request.h"

namespace dlview::workspace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Five captures of a demo, of all tests.
const std::vector<std::string>& captures() {
  static const testing::TemporaryFolder folder;
  static std::vector<std::string> paths;
  for (uint64_t seed = paths.size() + 1; seed <= 5; ++seed) {
    const auto path = folder.path() / fmt::format("run{}.sqlite", seed);
    base::Progress progress;
    EXPECT_TRUE(generate::generate_dlprof(
                    path, {.iterations = 20, .kernels = 1000, .gpus = 1, .seed = seed}, progress)
                    .ok());
    paths.push_back(path.string());
  }
  return paths;
}

std::shared_ptr<const profile::Profile> opened(const std::string& path) {
  base::Progress progress;
  auto profile = import::open_profile(path, progress);
  EXPECT_TRUE(profile.ok());
  return std::make_shared<const profile::Profile>(std::move(*profile));
}

// Slow: one after another on this thread, as the command line does.
aggregate::Trend measured_one_by_one(const std::vector<std::string>& paths) {
  report::TrendMeasure measure(report::default_trend_specs());
  const std::vector<std::string> labels = report::trend_labels(paths);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const auto profile = opened(paths[i]);
    const aggregate::KeyRanking ranking(*profile);
    const auto selection = choose_selection(ranking, {});
    EXPECT_TRUE(measure.add({labels[i], profile, selection->cut, std::nullopt}).ok());
  }
  return measure.finish();
}

class TrendRunsTest : public ::testing::Test {
 protected:
  void measure(const std::vector<TrendRuns::OpenRun>& open = {}) {
    runs_.want(open, nullptr);
    runs_.settle();
    runs_.poll();
  }
  const MeasuredTrend& measured() { return *runs_.describe().measured; }

  base::Scheduler scheduler_;
  TrendRuns runs_{scheduler_};
};

TEST_F(TrendRunsTest, EqualsMeasuringOneByOne) {
  runs_.add(captures());
  measure();
  const aggregate::Trend slow = measured_one_by_one(captures());
  const aggregate::Trend& shown = *measured().trend;
  EXPECT_EQ(shown.metrics, slow.metrics);
  ASSERT_EQ(shown.captures.size(), slow.captures.size());
  for (std::size_t c = 0; c < slow.captures.size(); ++c) {
    EXPECT_EQ(shown.captures[c].label, slow.captures[c].label);
    EXPECT_EQ(shown.captures[c].values, slow.captures[c].values);
    EXPECT_EQ(measured().paths[c], captures()[c]);
  }
}

TEST_F(TrendRunsTest, OpenRunsBelongToIt) {
  runs_.add({captures()[0], captures()[1]});
  measure({{captures()[2], "run3.sqlite", opened(captures()[2])},
           {captures()[0], "run1.sqlite", opened(captures()[0])},
           {"", "demo", opened(captures()[3])}});
  EXPECT_THAT(measured().paths, ElementsAre(captures()[0], captures()[1], captures()[2], ""));
  EXPECT_EQ(measured().trend->captures.back().label, "demo");
}

TEST_F(TrendRunsTest, RestoresRemovedCaptures) {
  runs_.add({captures()[0], captures()[1], captures()[2]});
  const std::vector<TrendRuns::OpenRun> open{{captures()[3], "run4.sqlite", opened(captures()[3])},
                                             {captures()[0], "run1.sqlite", opened(captures()[0])}};
  runs_.remove(captures()[1]);
  runs_.remove(captures()[3]);
  measure(open);
  EXPECT_THAT(measured().paths, ElementsAre(captures()[0], captures()[2]));
  EXPECT_EQ(runs_.describe().removed, 2U);
  EXPECT_THAT(runs_.files(), ElementsAre(captures()[0], captures()[2])) << "as states name them";
  runs_.restore();
  measure(open);
  EXPECT_THAT(measured().paths,
              ElementsAre(captures()[0], captures()[1], captures()[2], captures()[3]));
  EXPECT_THAT(runs_.files(), ElementsAre(captures()[0], captures()[1], captures()[2]))
      << "an open profile does not become a file of the trend";
  EXPECT_EQ(runs_.describe().removed, 0U);
  runs_.remove(captures()[1]);
  runs_.add({captures()[1]});
  EXPECT_EQ(runs_.describe().removed, 0U);
}

TEST_F(TrendRunsTest, UnchangedCapturesAreNotMeasuredAgain) {
  runs_.add(captures());
  measure();
  const auto before = runs_.describe().measured;
  runs_.add({captures()[0]});
  measure({{captures()[1], "run2.sqlite", opened(captures()[1])}});
  EXPECT_EQ(runs_.describe().measured, before);
  runs_.measure_again();
  measure();
  EXPECT_NE(runs_.describe().measured, before);
}

TEST_F(TrendRunsTest, BadFilesAreLeftOut) {
  const testing::TemporaryFolder folder;
  const std::string bad = (folder.path() / "bad.sqlite").string();
  std::ofstream(bad) << "no database";
  runs_.add({captures()[0], bad, captures()[1]});
  measure();
  ASSERT_EQ(measured().left_out.size(), 1U);
  EXPECT_EQ(measured().left_out.front().name, "bad.sqlite");
  EXPECT_THAT(measured().paths, ElementsAre(captures()[0], captures()[1]));
}

TEST_F(TrendRunsTest, TheSameCaptureCountsOnce) {
  const testing::TemporaryFolder folder;
  const std::string copy = (folder.path() / "copy.sqlite").string();
  std::filesystem::copy_file(captures()[0], copy);
  runs_.add({captures()[0], copy, captures()[1]});
  measure();
  ASSERT_EQ(measured().left_out.size(), 1U);
  EXPECT_THAT(measured().left_out.front().error.title, HasSubstr("same capture"));
}

TEST_F(TrendRunsTest, OneCaptureIsNoTrend) {
  runs_.add({captures()[0]});
  measure();
  EXPECT_EQ(runs_.describe().measured, nullptr);
  EXPECT_FALSE(runs_.is_measuring());
}

TEST_F(TrendRunsTest, CancelingEndsTheMeasurement) {
  runs_.add(captures());
  {
    const base::Scheduler::Hold hold(scheduler_);
    runs_.want({}, nullptr);
    EXPECT_TRUE(runs_.is_measuring());
    runs_.cancel();
  }
  EXPECT_FALSE(runs_.is_measuring());
  EXPECT_TRUE(runs_.describe().is_canceled);
  runs_.want({}, nullptr);
  EXPECT_FALSE(runs_.is_measuring()) << "until it is asked for";
  runs_.measure_again();
  runs_.want({}, nullptr);
  EXPECT_TRUE(runs_.is_measuring());
}

TEST_F(TrendRunsTest, BudgetsAreLinesAndChooseIterations) {
  auto budgets = std::make_shared<LoadedBudgets>();
  auto file = report::budget::parse_budget_file(
      "[run]\niterations = \"2:9\"\n[[budget]]\nname = \"step\"\nmetric = \"iteration_duration\"\n"
      "at_most = \"7 ms\"\n",
      "budget.toml");
  ASSERT_TRUE(file.ok());
  budgets->file = *std::move(file);
  runs_.add({captures()[0], captures()[1]});
  runs_.want({}, budgets);
  runs_.settle();
  runs_.poll();
  EXPECT_EQ(measured().trend->metrics.front().at_most, 7e6);
  EXPECT_EQ(measured().trend->captures.front().first_iteration, 2);
  EXPECT_EQ(measured().trend->captures.front().iterations, 8);
}

}  // namespace
}  // namespace dlview::workspace
