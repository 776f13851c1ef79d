// Two runs compared in the real program: ways in, the view, ranges, the state string.

#include <filesystem>

#include <gmock/gmock.h>

#include "app/run_support.h"
#include "app/screenshot.h"
#include "generate/changes.h"
#include "support/file_contents.h"
#include "workspace/state_string.h"

namespace dlview::app {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class CompareOfProgram : public RunTest {
 protected:
  void SetUp() override {
    opens_files_ = true;
    RunTest::SetUp();
    if (!offscreen_) return;
    program().close_all_runs();
    path_ = generated("before.sqlite", 1, {});
    after_path_ = generated("after.sqlite", 2, {"slower-op=batch_norm:1.5"});
    program().open(workspace::file_request(path_, {}, workspace::EngineChoice::automatic));
    offscreen_->draw_until_settled();
  }

  std::string generated(const std::string& name, uint64_t seed,
                        const std::vector<std::string>& changes, int64_t iterations = kRunSteps,
                        int64_t kernels = 6000) {
    generate::DemoOptions options{.iterations = iterations, .kernels = kernels};
    options.seed = seed;
    for (const std::string& change : changes) {
      const auto parsed = generate::parse_change(change);
      EXPECT_TRUE(parsed.ok());
      if (parsed) options.changes.push_back(*parsed);
    }
    base::Progress progress;
    auto made = generate::make_demo_profile(options, progress);
    EXPECT_TRUE(made.ok());
    const auto profile = std::make_shared<const profile::Profile>(std::move(*made));
    const auto engine = aggregate::make_cpu_aggregator(profile);
    const auto all = engine->aggregate(
        {{aggregate::CutKind::start, std::string(generate::demo_key_op(options.framework)), 0},
         {0, iterations}});
    const std::string path = (folder_.path() / name).string();
    EXPECT_TRUE(generate::write_dlprof_database(*profile, {all}, path, progress,
                                                generate::IfExists::replace)
                    .ok());
    return path;
  }
  void compare() {
    program().act(workspace::OpenToCompare{
        workspace::file_request(after_path_, {}, workspace::EngineChoice::automatic)});
    offscreen_->draw_until_settled();
    ASSERT_EQ(state()["view"], "compare");
  }
  std::string text_of(const std::string& name) { return state()["values"].value(name, "(none)"); }
  std::string state_string() { return state()["state_string"]; }

  std::string after_path_;
};

TEST_F(CompareOfProgram, ShowsWhatChangedAndSwaps) {
  compare();
  EXPECT_THAT(text_of("compare/verdict"), StartsWith("Slower: iterations take longer, median +"));
  EXPECT_THAT(text_of("compare/changes"), HasSubstr("Other kernels +"));
  EXPECT_EQ(text_of("compare/before/name"), "before.sqlite");
  EXPECT_THAT(text_of("compare/matched"), HasSubstr("100% / 100% matched"));
  EXPECT_EQ(text_of("compare_ops/rows/0/change"), "slower");
  EXPECT_THAT(text_of("compare_ops/rows/0/changed_name"), HasSubstr("batch_norm"));
  must("click-item compare/swap");
  EXPECT_THAT(text_of("compare/verdict"), StartsWith("Faster: iterations take less time"));
  EXPECT_EQ(text_of("compare/before/name"), "after.sqlite");
  EXPECT_EQ(state()["shown"], 0) << "the same run is active";
}

// What is matched in the background; the ranges are those of the swapped runs at once, and the run
// that comes first has more iterations than the other one.
TEST_F(CompareOfProgram, OldPairNeverMeetsSwappedRanges) {
  after_path_ = generated("long.sqlite", 2, {}, 4 * kRunSteps, 60'000);
  compare();
  must("command range.all");
  const std::string before = text_of("compare/waterfall/before");
  // "77.33 ms" of "Iteration before 77.33 ms", perhaps with a change behind it.
  const auto bar_of = [](const std::string& row) {
    const std::size_t unit = row.find("ms");
    return row.substr(row.rfind(' ', unit) + 1, unit - row.rfind(' ', unit) - 1);
  };
  const std::string after = text_of("compare/waterfall/after");
  ASSERT_NE(bar_of(before), bar_of(after));
  must("no-wait click-item compare/swap");
  for (int frame = 0; frame < 20; ++frame) {
    const std::string shown = text_of("compare/waterfall/before");
    if (shown != "(none)") {
      EXPECT_EQ(bar_of(shown), bar_of(after));
    }
    must("no-wait frames 1");
  }
  offscreen_->draw_until_settled();
  EXPECT_EQ(bar_of(text_of("compare/waterfall/before")), bar_of(after));
}

TEST_F(CompareOfProgram, SwapForgetsTheSelectedOp) {
  compare();
  must("click-item compare_ops/rows/0");
  EXPECT_THAT(text_of("compare/distribution/title"), HasSubstr("batch_norm"));
  must("click-item compare/swap");
  EXPECT_EQ(text_of("compare/distribution/title"), "Iterations");
}

TEST_F(CompareOfProgram, PartsOpenIntoOpsAndKernels) {
  compare();
  must("click-item compare/waterfall/other_kernels");
  EXPECT_EQ(text_of("compare/waterfall/title"), "Other kernels");
  EXPECT_EQ(text_of("compare/distribution/title"), "Other kernels");
  EXPECT_THAT(text_of("compare/waterfall/0"), ContainsRegex("batch_norm .*\\+"));
  EXPECT_THAT(text_of("compare/waterfall/rest_0"), HasSubstr("others "));
  EXPECT_THAT(state_string(), HasSubstr("row.compare_part=other_kernels"));
  must("click-item compare/waterfall/0");
  EXPECT_THAT(text_of("compare/waterfall/title"),
              ContainsRegex("^Other kernels › .*batch_norm \\(backward\\)$"));
  EXPECT_THAT(text_of("compare/distribution/title"), HasSubstr("batch_norm"))
      << "the op is selected in the table, too";
  must("key Escape");
  EXPECT_EQ(text_of("compare/waterfall/title"), "Other kernels");
  must("click-item compare/back");
  EXPECT_EQ(text_of("compare/waterfall/title"), "Difference per iteration and GPU");
}

TEST_F(CompareOfProgram, BoundsOfBothRunsCanBeDragged) {
  compare();
  const std::string before = text_of("compare/iterations_before/range");
  const std::string after = text_of("compare/iterations_after/range");
  const std::string waterfall = text_of("compare/waterfall/before");
  must("drag-item compare/iterations_before/start 40 0");
  EXPECT_NE(text_of("compare/iterations_before/range"), before);
  EXPECT_EQ(text_of("compare/iterations_after/range"), after);
  EXPECT_NE(text_of("compare/waterfall/before"), waterfall);
  must("drag-item compare/iterations_after/stop -40 0");
  EXPECT_NE(text_of("compare/iterations_after/range"), after);
  must("command range.back");
  EXPECT_EQ(text_of("compare/iterations_before/range"), before);
}

TEST_F(CompareOfProgram, OpsArePairedByHand) {
  compare();
  must("click-item compare/table/matching");
  const std::string first = text_of("compare_matching/rows/0/op_before");
  choose_in("compare_matching", 0, "op_before", "pair_before");
  EXPECT_THAT(text_of("compare/half_pair"), HasSubstr(first));
  const std::string second = text_of("compare_matching/rows/1/op_after");
  choose_in("compare_matching", 1, "op_after", "pair");
  EXPECT_EQ(text_of("compare/half_pair"), "(none)");
  EXPECT_EQ(text_of("compare_matching/rows/0/matched_by"), "hand");
  EXPECT_EQ(text_of("compare_matching/rows/0/op_after"), second);
  EXPECT_THAT(state_string(), HasSubstr("row.compare_pairs="));
  choose_in("compare_matching", 0, "op_before", "unpair");
  EXPECT_NE(text_of("compare_matching/rows/0/matched_by"), "hand");
}

TEST_F(CompareOfProgram, SwapTurnsPairsMadeByHand) {
  compare();
  must("click-item compare/table/matching");
  const std::string first = text_of("compare_matching/rows/0/op_before");
  const std::string second = text_of("compare_matching/rows/1/op_after");
  choose_in("compare_matching", 0, "op_before", "pair_before");
  choose_in("compare_matching", 1, "op_after", "pair");
  const auto partner_of = [this](const std::string& op, const std::string& side,
                                 const std::string& other) {
    for (int row = 0; row < 8; ++row) {
      const std::string at = fmt::format("compare_matching/rows/{}/", row);
      if (text_of(at + "matched_by") == "hand" && text_of(at + side) == op) {
        return text_of(at + other);
      }
    }
    return std::string();
  };
  ASSERT_EQ(partner_of(first, "op_before", "op_after"), second);
  // The selected row, which is the last part, belongs to the pair of runs before.
  const std::string state = state_string();
  const std::string pairs = state.substr(0, state.find(",row.compare_matching="));
  must("click-item compare/swap");
  EXPECT_EQ(partner_of(first, "op_after", "op_before"), second);
  must("click-item compare/swap");
  EXPECT_EQ(partner_of(first, "op_before", "op_after"), second);
  EXPECT_EQ(state_string(), pairs);
}

TEST_F(CompareOfProgram, SwapCancelsAHalfMadePair) {
  compare();
  must("click-item compare/table/matching");
  choose_in("compare_matching", 0, "op_before", "pair_before");
  EXPECT_NE(text_of("compare/half_pair"), "(none)");
  must("click-item compare/swap");
  EXPECT_EQ(text_of("compare/half_pair"), "(none)");
}

TEST_F(CompareOfProgram, OpsAreShownInEitherTimeline) {
  compare();
  choose_in("compare_ops", 0, "change", "timeline_after");
  EXPECT_EQ(state()["view"], "timeline");
  EXPECT_EQ(state()["shown"], 1);
}

TEST_F(CompareOfProgram, TimelinesOfBothAreAligned) {
  compare();
  must("click-item compare/timelines");
  EXPECT_EQ(state()["view"], "timeline");
  EXPECT_EQ(text_of("timeline/run_" + std::to_string(program().runs()[1]->id)),
            "aligned at typical iterations");
}

TEST_F(CompareOfProgram, APageIsSavedAboutBothRuns) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  compare();
  must("command file.save_page");
  std::filesystem::current_path(before);
  std::vector<std::filesystem::path> pages;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    if (entry.path().extension() == ".html") pages.push_back(entry.path());
  }
  ASSERT_EQ(pages.size(), 1U) << program().notice();
  const std::string text = testing::contents_of(pages.front());
  EXPECT_THAT(text, AllOf(HasSubstr("before.sqlite"), HasSubstr("after.sqlite")));
}

TEST_F(CompareOfProgram, ComparesWithAFileThatIsDropped) {
  must("drop " + after_path_);
  EXPECT_EQ(state()["overlay"], "dropped_file");
  must("click-item dropped/compare");
  EXPECT_EQ(state()["overlay"], "");
  EXPECT_EQ(state()["view"], "compare");
  EXPECT_EQ(state()["open"].size(), 2U);
  EXPECT_EQ(state()["shown"], 0);
  EXPECT_EQ(opened_paths_, (std::vector<std::string>{after_path_}));
}

TEST_F(CompareOfProgram, OffersAFileWhereNoneIsOpen) {
  must("command view.compare");
  EXPECT_EQ(text_of("compare/alone/title"), "Compare with another profile");
  must("click-item page/file.compare");
  EXPECT_EQ(state()["overlay"], "files");
}

TEST_F(CompareOfProgram, SaysThatBothRunsAreOneCapture) {
  program().act(workspace::OpenToCompare{
      workspace::file_request(path_, {}, workspace::EngineChoice::automatic)});
  offscreen_->draw_until_settled();
  EXPECT_THAT(text_of("compare/verdict"), StartsWith("The same capture"));
  EXPECT_THAT(text_of("compare/waterfall/unchanged"), StartsWith("No change: "));
  EXPECT_EQ(text_of("compare_ops/rows/0/difference_ns"), "0");
}

TEST_F(CompareOfProgram, ClosingTheOtherRunLeavesTheQuestion) {
  compare();
  program().close_run(1);
  offscreen_->draw_until_settled();
  EXPECT_EQ(state()["view"], "compare");
  EXPECT_EQ(text_of("compare/alone/title"), "Compare with another profile");
}

TEST_F(CompareOfProgram, AStateBringsTheComparisonBack) {
  compare();
  must("click-item compare/waterfall/other_kernels\ndrag-item compare/iterations_after/stop -40 0");
  const std::string state = state_string();
  EXPECT_THAT(state, AllOf(HasSubstr("view=compare"), HasSubstr(",with=after.sqlite,with-range=")));
  const std::string shown = text_of("compare/waterfall/after");
  program().close_all_runs();
  const auto request = workspace::parse_state(state);
  ASSERT_TRUE(request.ok());
  open(workspace::file_request(path_, *request, workspace::EngineChoice::automatic));
  EXPECT_EQ(opened_paths_, (std::vector<std::string>{after_path_}));
  EXPECT_EQ(text_of("compare/waterfall/after"), shown);
  EXPECT_EQ(state_string(), state);
}

TEST_F(CompareOfProgram, AScreenshotShowsBothFiles) {
  offscreen_.reset();  // one program at a time
  ScreenshotOptions options;
  options.path = path_;
  options.output = (folder_.path() / "compare.png").string();
  options.display.selection.with = workspace::OtherFile{.path = after_path_};
  options.display.selection.view = "compare";
  EXPECT_TRUE(take_screenshot(options).ok());
  options.display.selection.with->path = (folder_.path() / "none.sqlite").string();
  const base::Status missing = take_screenshot(options);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().title, "The file does not exist");
}

}  // namespace
}  // namespace dlview::app
