// The Dashboard of the real program on a generated run, by input events.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <imgui.h>

#include "app/run_support.h"
#include "generate/queries.h"

namespace dlview::app {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class DashboardOfProgram : public RunTest {
 protected:
  std::string copied(const std::string& item, const char* what) {
    choose(item, what);
    return ImGui::GetClipboardText();
  }
  // The only value that a figure's SQL gives on the database.
  std::string answer(const std::string& item) {
    const auto values = testing::first_column(path_, copied(item, "sql"));
    EXPECT_EQ(values.size(), 1u) << item;
    return values.empty() ? "" : values.front();
  }
  bool says(const std::string& words) {
    const Json values = state()["values"];
    return std::ranges::any_of(values.items(), [&](const auto& entry) {
      return entry.key().starts_with("dashboard/advice/") && entry.key().ends_with("/problem") &&
             entry.value().template get<std::string>().find(words) != std::string::npos;
    });
  }
  // The first finding that says this; its path.
  std::string finding(const std::string& words) {
    const Json values = state()["values"];
    for (const auto& [name, text] : values.items()) {
      if (name.starts_with("dashboard/advice/") && name.ends_with("/problem") &&
          text.get<std::string>().find(words) != std::string::npos) {
        return name.substr(0, name.rfind('/'));
      }
    }
    ADD_FAILURE() << "no finding says " << words;
    return "";
  }
  // What belongs to the finding that says this: unfolded, and scrolled to where it can be seen.
  std::string reveal(const std::string& words, const std::string& part) {
    const std::string path = finding(words);
    const std::string folded = path.substr(0, path.find("/parts/")) + "/folded";
    if (has_item(folded)) must("click-item " + scroll_to(folded));
    return scroll_to(path + part);
  }
  std::string scroll_to(const std::string& name) {
    constexpr double kHighest = 200, kLowest = 700;
    for (int turns = 0; turns < 30 && item(name)[3] > kLowest; ++turns) {
      must("move 640 400\nwheel -1");
    }
    for (int turns = 0; turns < 30 && item(name)[1] < kHighest; ++turns) {
      must("move 640 400\nwheel 1");
    }
    return name;
  }
  void click_finding(const std::string& words, const std::string& part) {
    must("click-item " + reveal(words, part));
  }
};

TEST_F(DashboardOfProgram, ShowsUtilizationOfAllAndOfUsedGpus) {
  EXPECT_THAT(value("dashboard/gpu_utilization/note"), EndsWith("on the 4 used of 8"));
}

TEST_F(DashboardOfProgram, SqlOfAFigureGivesTheFigure) {
  must("click-item strip/steady");
  const Json numbers = state()["aggregation"];
  ASSERT_NE(numbers["selection"]["range"], (Json{0, kRunSteps}));
  EXPECT_EQ(answer("dashboard/wall_time"), numbers["wall_ns"].dump());
  EXPECT_EQ(answer("dashboard/kernel_launches"), numbers["kernel_launches"].dump());
  const std::string memory = "dashboard/breakdown/memory";
  EXPECT_EQ(std::stoll(answer(memory)), numbers["breakdown_ns"][2].get<int64_t>() / 8);
}

TEST_F(DashboardOfProgram, AFigureTellsAndCopiesItsDefinition) {
  const std::string figure = "dashboard/breakdown/memory";
  const std::string tooltip = tooltip_at(figure);
  const std::string definition = copied(figure, "definition");
  const std::string in_full = copied(figure, "value");
  EXPECT_THAT(tooltip, HasSubstr("Counted as: exclusive"));
  EXPECT_THAT(tooltip, HasSubstr("\nFrom "));
  EXPECT_THAT(tooltip, HasSubstr(in_full));
  EXPECT_THAT(definition, HasSubstr("Counted as: exclusive"));
}

TEST_F(DashboardOfProgram, EveryFindingThatOpensSomethingShowsIt) {
  click_finding("without Tensor Cores", "/action");
  EXPECT_EQ(state()["view"], "ops");
  EXPECT_EQ(value("ops/filter/tc_eligible"), "1");
  EXPECT_TRUE(has_item("ops/rows/0"));
  must("command view.dashboard");
  click_finding("The following GPU device IDs are not being used", "/action");
  EXPECT_EQ(state()["view"], "gpus");
  must("command view.dashboard");
  click_finding("vary a lot", "/action");
  EXPECT_EQ(state()["view"], "iterations");
  EXPECT_GT(range()[0], 0) << "the steady range is chosen";
}

TEST_F(DashboardOfProgram, APlaceOfAFindingHasItsIterationInTheMenu) {
  const std::string place = reveal("GPU idle for", "/places/0");
  const std::string text = value(place.c_str());
  choose(place + "/menu", "iteration");
  EXPECT_EQ(state()["view"], "iterations");
  const auto iteration = program().session().compared().iteration;
  ASSERT_TRUE(iteration.has_value());
  EXPECT_THAT(text, HasSubstr(fmt::format("s {} · GPU", *iteration)));
}

TEST_F(DashboardOfProgram, APlaceOfAFindingOpensTheTimeline) {
  click_finding("GPU idle for", "/places/0");
  EXPECT_EQ(state()["view"], "timeline");
  EXPECT_TRUE(has_value("timeline/stretch"));
}

TEST_F(DashboardOfProgram, AClickOnATopOpOpensIt) {
  const std::string name = value("dashboard/top_ops/1/name");
  must("click-item dashboard/top_ops/1/open");
  EXPECT_EQ(state()["view"], "ops");
  EXPECT_EQ(value("details/name"), name);
}

TEST_F(DashboardOfProgram, FindingsTellTheTimeAtStakePerIteration) {
  const std::string path = finding("without Tensor Cores");
  EXPECT_THAT(value((path + "/stake").c_str()), ::testing::MatchesRegex("[0-9.]+.*s"));
}

TEST_F(DashboardOfProgram, AnEditedThresholdChangesWhatIsFound) {
  const std::string all = value("dashboard/advice/count");
  ASSERT_TRUE(says("GPU idle for"));
  click_finding("GPU idle for", "/threshold");
  EXPECT_EQ(state()["overlay"], "thresholds");
  must("click-item thresholds/saving\ntype 1000\nkey Enter");
  EXPECT_EQ(program().thresholds().saving, 1000);
  EXPECT_FALSE(says("GPU idle for"));
  must("click-item thresholds/saving/default");
  EXPECT_EQ(program().thresholds(), aggregate::AdviceThresholds{});
  EXPECT_EQ(value("dashboard/advice/count"), all);
  EXPECT_FALSE(has_item("thresholds/saving/default"));
}

TEST_F(DashboardOfProgram, DialogsAreAsHighAsTheirContents) {
  must("command help.thresholds");
  const double card = item("overlay")[3], last = item("thresholds/reset")[3];
  EXPECT_GT(card, last);
  EXPECT_LT(card, last + 30);
  EXPECT_LT(item("thresholds/iteration_variation/title")[2].get<double>(),
            item("thresholds/iteration_variation")[0].get<double>())
      << "the longest title is not cut";
  must(fmt::format("click 640 {}", card + 10));
  EXPECT_EQ(state()["overlay"], "") << "a click below the card closes it";
  must("command help.thresholds\nsize 1280 300\nframes 2");
  EXPECT_LT(item("overlay")[3].get<double>(), 300) << "and no higher than the window";
}

TEST_F(DashboardOfProgram, AFindingIsExplainedOnItsPage) {
  click_finding("GPU idle for", "/page");
  EXPECT_EQ(state()["overlay"], "definitions");
  EXPECT_EQ(value("definitions/finding/gpu_idle"), "GPU idle");
  EXPECT_FALSE(has_value("definitions/finding/scalar_reads"));
}

TEST_F(DashboardOfProgram, AThresholdMayBeAPartOfAPercent) {
  must("command help.thresholds\nclick-item thresholds/saving\ntype 0.5\nkey Enter");
  EXPECT_EQ(program().thresholds().saving, 0.5);
  EXPECT_EQ(value("thresholds/saving"), "0.5");
  must("click-item thresholds/saving/up");
  EXPECT_EQ(program().thresholds().saving, 1.5);
  must("click-item thresholds/saving\ntype 2000\nkey Enter");
  EXPECT_EQ(value("thresholds/saving"), "1000");
}

TEST_F(DashboardOfProgram, SwitchesBetweenStoredAggregations) {
  must("click-item nav/range");
  EXPECT_THAT(value("menu/range.stored_1"), EndsWith(fmt::format("0–{}", kRunSteps)));
  EXPECT_THAT(value("menu/range.stored_2"), EndsWith("12–30"));
  EXPECT_THAT(
      tooltip_at("menu/range.stored_2"),
      StartsWith("Iteration marker: " + generate::demo_key_op(generate::Framework::pytorch)));
  const Json before = state()["aggregation"];
  must("click-item menu/range.stored_2");
  const Json after = state()["aggregation"];
  EXPECT_EQ(after["selection"]["cut"], "stored");
  EXPECT_EQ(after["selection"]["stored_index"], 1);
  EXPECT_EQ(after["selection"]["range"], (Json{kSecondStored.first, kSecondStored.last}));
  EXPECT_NE(after["range_ns"], before["range_ns"]);
  EXPECT_THAT(value("nav/range"), HasSubstr("12–30"));
  must("key Alt+Left");
  EXPECT_EQ(state()["aggregation"], before);
}

TEST_F(DashboardOfProgram, ShowsWhatIfBesideTheBreakdown) {
  must("click-item dashboard/breakdown/what_if");
  EXPECT_TRUE(state()["what_if"]);
  EXPECT_EQ(value("what_if/gain"), "");
  must("click-item what_if/part/memory");
  EXPECT_EQ(value("what_if/part/memory"), "on");
  EXPECT_THAT(value("what_if/gain"), EndsWith("%"));
  EXPECT_EQ(value("what_if/gain"), value("what_if/part/memory/gain"));
  EXPECT_EQ(state()["state_string"].get<std::string>().find("memory"), std::string::npos);
  must("click-item what_if/reset");
  EXPECT_EQ(value("what_if/gain"), "");
  must("key Escape");
  EXPECT_FALSE(state()["what_if"]);
}

TEST_F(DashboardOfProgram, TypesHowMuchFasterAnOpIs) {
  must("command view.what_if\nclick-item what_if/part/other_kernels/factor\ntype 2\nkey Enter");
  EXPECT_EQ(value("what_if/part/other_kernels"), "on");
  EXPECT_THAT(value("what_if/gain"), EndsWith("%"));
}

TEST_F(DashboardOfProgram, ShowsOnePaneAtATime) {
  must("command view.what_if\ncommand view.kernel_details");
  EXPECT_FALSE(state()["what_if"]);
  EXPECT_TRUE(state()["kernel_details"]);
  must("command view.what_if");
  EXPECT_TRUE(state()["what_if"]);
  EXPECT_FALSE(state()["kernel_details"]);
}

}  // namespace
}  // namespace dlview::app
