// Budgets and Trend in the real program: ways in, what stays, and the state string.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "app/run_support.h"
#include "app/screenshot.h"
#include "render/input_event.h"
#include "workspace/state_string.h"

namespace dlview::app {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ViewsOfCompare : public RunTest {
 protected:
  void SetUp() override {
    opens_files_ = true;
    RunTest::SetUp();
    if (!offscreen_) return;
    budget_ = write("budget.toml",
                    "[[budget]]\nname = \"step\"\nmetric = \"iteration_duration\"\n"
                    "at_most = \"1 ns\"\n[[budget]]\nname = \"launches\"\n"
                    "metric = \"kernel_launches\"\nat_most = 1000000\n");
  }
  std::string write(const std::string& name, const std::string& text) {
    const fs::path path = folder_.path() / name;
    std::ofstream(path) << text;
    return path.string();
  }
  std::string capture(uint64_t seed) {
    const fs::path path = folder_.path() / fmt::format("capture{}.sqlite", seed);
    base::Progress progress;
    EXPECT_TRUE(generate::generate_dlprof(
                    path, {.iterations = 20, .kernels = 1000, .gpus = 1, .seed = seed}, progress)
                    .ok());
    return path.string();
  }
  void drop(const std::vector<std::string>& paths) {
    std::vector<render::InputEvent> events;
    for (const std::string& path : paths) events.emplace_back(render::FileDrop{path});
    program().add_input(events);
    offscreen_->draw_until_settled();
  }
  void open_with_state(const std::string& state) {
    const auto request = workspace::parse_state(state);
    ASSERT_TRUE(request.ok());
    open(workspace::file_request(path_, *request, workspace::EngineChoice::automatic));
  }
  std::string text_of(const std::string& name) { return state()["values"].value(name, "(none)"); }
  std::string state_string() { return state()["state_string"]; }

  std::string budget_;
};

TEST_F(ViewsOfCompare, ADroppedBudgetFileIsChecked) {
  drop({budget_});
  EXPECT_EQ(state()["view"], "budgets");
  EXPECT_EQ(text_of("budgets/file/name"), "budget.toml");
  EXPECT_THAT(text_of("budgets/summary"), StartsWith("2 budgets: 1 broken"));
  EXPECT_THAT(text_of("budgets/0"), StartsWith("broken: step "));
  EXPECT_THAT(state_string(), AllOf(HasSubstr("view=budgets"), HasSubstr(",budget=budget.toml")));
}

TEST_F(ViewsOfCompare, ABrokenBudgetLeadsToItsIteration) {
  drop({budget_});
  must("click-item budgets/0");
  EXPECT_EQ(state()["view"], "iterations");
  EXPECT_TRUE(program().session().compared().iteration);
}

TEST_F(ViewsOfCompare, AStateShowsBudgets) {
  open_with_state("view=budgets,budget=budget.toml,row.budgets_range=selected,range=2:5");
  EXPECT_EQ(state()["view"], "budgets");
  EXPECT_THAT(text_of("budgets/run"), StartsWith("selected range: iterations 2–5"));
  EXPECT_THAT(state_string(), HasSubstr("row.budgets_range=selected"));
}

TEST_F(ViewsOfCompare, WrongBudgetFilesSayWhere) {
  open_with_state("view=budgets,budget=" +
                  write("bad.toml", "[[budget]]\nname = \"a\"\nmetrik = 1\n"));
  EXPECT_THAT(text_of("budgets/error/detail"), HasSubstr("bad.toml:3:1"));
  write("bad.toml", "[[budget]]\nname = \"a\"\nmetric = \"findings\"\nat_most = 9999\n");
  must("click-item page/budgets.reload");
  EXPECT_EQ(text_of("budgets/summary"), "1 budget: 1 kept");
}

TEST_F(ViewsOfCompare, AllOpenRunsAreInTheTrend) {
  must("command view.trend");
  EXPECT_EQ(text_of("trend/none/title"), "A trend needs captures");
  const std::string one = capture(1), two = capture(2), three = capture(3);
  drop({one, two, three});
  EXPECT_EQ(program().runs().size(), 1U) << "captures are measured, not opened";
  EXPECT_THAT(text_of("trend/order"), StartsWith("4 captures"));
  EXPECT_THAT(state_string(),
              AllOf(HasSubstr("view=trend"), HasSubstr(",capture=capture1.sqlite")));
}

TEST_F(ViewsOfCompare, ADotOpensItsCapture) {
  const std::string one = capture(1), two = capture(2);
  open_with_state("view=trend,capture=capture1.sqlite,capture=capture2.sqlite");
  const auto measured = program().runs().size();
  must("click-item trend/0/dot/0");
  EXPECT_EQ(program().runs().size(), measured + 1);
  EXPECT_EQ(state()["view"], "trend");
  EXPECT_EQ(program().run().path, one);
  must("click-item trend/0/dot/2");
  EXPECT_EQ(program().run().path, path_) << "that run was open";
  EXPECT_EQ(program().runs().size(), measured + 1);
  program().show_capture(one, two);
  offscreen_->draw_until_settled();
  EXPECT_EQ(state()["view"], "compare");
  EXPECT_EQ(text_of("compare/before/name"), "capture1.sqlite");
  EXPECT_EQ(text_of("compare/after/name"), "capture2.sqlite");
}

TEST_F(ViewsOfCompare, AddedFilesKeepTheListOpen) {
  const std::string one = capture(1);
  must("command trend.add");
  EXPECT_EQ(state()["view"], "trend");
  program().open_file(one);
  offscreen_->draw_until_settled();
  EXPECT_EQ(program().overlay(), ui::Overlay::files);
  EXPECT_THAT(std::string(program().notice()), StartsWith("Added capture1.sqlite"));
  must("key Escape");
  EXPECT_THAT(text_of("trend/order"), StartsWith("2 captures"));
}

TEST_F(ViewsOfCompare, ScreenshotsShowBoth) {
  capture(1);
  offscreen_.reset();  // one program at a time
  for (const char* view :
       {"view=budgets,budget=budget.toml", "view=trend,capture=capture1.sqlite"}) {
    ScreenshotOptions options;
    options.path = path_;
    options.output = (folder_.path() / "view.png").string();
    const auto request = workspace::parse_state(view);
    ASSERT_TRUE(request.ok());
    options.display.selection = *request;
    const base::Status taken = take_screenshot(options);
    EXPECT_TRUE(taken.ok()) << base::to_text(taken.error());
  }
}

}  // namespace
}  // namespace dlview::app
