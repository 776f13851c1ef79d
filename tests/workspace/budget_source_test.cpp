// The budgets of the window: read in the background, again when they change, and judged as
// `dlview budget check` judges them.
#include "workspace/budget_source.h"

#include <chrono>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/iterations.h"
#include "aggregate/key_ops.h"
#include "generate/dlprof.h"
#include "import/open.h"
#include "report/budget/inputs.h"
#include "support/test_data.h"
#include "workspace/selection_request.h"
#include "workspace/state_string.h"

namespace dlview::workspace {
namespace {

namespace budget = report::budget;
namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kTwo = R"([[budget]]
name = "step"
metric = "iteration_duration"
at_most = "1 ns"
[[budget]]
name = "launches"
metric = "kernel_launches"
at_most = 1000000
)";

class BudgetSourceTest : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    const fs::path path = folder_.path() / name;
    std::ofstream(path) << text;
    return path.string();
  }
  void read() {
    source_.settle();
    source_.poll();
  }

  testing::TemporaryFolder folder_;
  base::Scheduler scheduler_;
  BudgetSource source_{scheduler_};
};

TEST_F(BudgetSourceTest, ReadsTheFile) {
  source_.choose({write("budget.toml", kTwo), ""});
  EXPECT_TRUE(source_.is_reading());
  read();
  ASSERT_TRUE(source_.get()->file);
  EXPECT_EQ(source_.get()->file->budgets.size(), 2U);
  EXPECT_FALSE(source_.get()->baseline);
}

TEST_F(BudgetSourceTest, ReadsChangedFilesAgain) {
  const std::string path = write("budget.toml", "[[budget]]\nname = 1\n");
  source_.choose({path, ""});
  read();
  EXPECT_THAT(source_.get()->error->detail, HasSubstr("budget.toml:1:1"));
  source_.look_at_disk();
  EXPECT_FALSE(source_.is_reading()) << "nothing has changed";
  write("budget.toml", kTwo);
  fs::last_write_time(path, fs::last_write_time(path) + std::chrono::seconds(5));
  source_.look_at_disk();
  EXPECT_TRUE(source_.is_reading());
  read();
  EXPECT_TRUE(source_.get()->file);
}

TEST_F(BudgetSourceTest, MissingFilesAreErrors) {
  source_.choose({(folder_.path() / "none.toml").string(), ""});
  read();
  EXPECT_EQ(source_.get()->error->title, "The budget file does not exist");
  source_.choose({write("budget.toml", kTwo), write("baseline.json", "{")});
  read();
  EXPECT_TRUE(source_.get()->file);
  EXPECT_TRUE(source_.get()->baseline_error);
}

TEST_F(BudgetSourceTest, JudgesAsTheCommandLine) {
  const fs::path path = folder_.path() / "run.sqlite";
  base::Progress progress;
  ASSERT_TRUE(
      generate::generate_dlprof(path, {.iterations = 30, .kernels = 1000, .gpus = 2}, progress)
          .ok());
  auto opened = import::open_profile(path, progress);
  ASSERT_TRUE(opened.ok());
  const auto profile = std::make_shared<const profile::Profile>(std::move(*opened));
  const auto budgets = load_budgets({write("budget.toml", kTwo), ""});
  const auto judged = judge_budgets(budgets, profile, std::nullopt);
  ASSERT_FALSE(judged->error);
  // Slow: as commands/budget does.
  const aggregate::KeyRanking ranking(*profile);
  aggregate::Selection selection = *choose_selection(ranking, {});
  selection.range =
      *budget::judged_range(*budgets->file, aggregate::cut_iterations(*profile, selection.cut));
  budget::Meter meter(profile, selection);
  const budget::Verdicts slow = budget::judge(*budgets->file, meter, nullptr);
  ASSERT_EQ(judged->verdicts.judgements.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(judged->verdicts.judgements[i].state, slow.judgements[i].state);
    EXPECT_EQ(judged->verdicts.judgements[i].value, slow.judgements[i].value);
  }
  EXPECT_EQ(judged->selection.range, selection.range);
  selection.range = {3, 4};
  EXPECT_EQ(judge_budgets(budgets, profile, selection)->verdicts.judgements[0].iterations, 2);
}

TEST(SharedFiles, AreWrittenAndReadInStates) {
  SharedFiles shared;
  shared.budgets = {"my budget.toml", "/runs/baseline.json"};
  shared.captures = {"a,b.sqlite", "/runs/c.sqlite"};
  const std::string text = state_string("trend", {}, {}, {}, false, {}, {}, shared);
  EXPECT_THAT(text, HasSubstr(",budget=my%20budget.toml,baseline=/runs/baseline.json"));
  const auto read = parse_state(text);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->shared, shared);
}

}  // namespace
}  // namespace dlview::workspace
