// The workspace without a window: actions in, runs and state strings out.
#include "workspace/workspace.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/comparison/run_pair.h"
#include "workspace/clock.h"
#include "workspace/session_support.h"
#include "workspace/state_string.h"

namespace dlview::workspace {
namespace {

using aggregate::IterationRange;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Views that keep what they are given.
struct KeptLook final : RunLook {
  void set_table(TableState state) override { tables.push_back(std::move(state)); }
  void set_timeline(const timeline::Request& request) override { timeline = request; }
  void set_bookmarks(timeline::Bookmarks bookmarks) override { marks = std::move(bookmarks); }
  std::vector<TableState> table_states(std::string_view) const override { return tables; }
  timeline::Request timeline_state() const override { return timeline; }
  const timeline::Bookmarks& bookmarks() const override { return marks; }

  std::vector<TableState> tables;
  timeline::Request timeline;
  timeline::Bookmarks marks;
};

struct KeptLooks final : Looks {
  RunLook& look(RunId run) override { return of_runs[run]; }
  void clear(RunId run) override {
    ++clears;
    of_runs[run] = {};
  }
  void close_run(RunId run) override { of_runs.erase(run); }
  std::string view_named(std::string_view name) const override {
    std::string known(name);
    std::ranges::replace(known, '-', '_');
    return known == "kitchen" ? "" : known;
  }
  int clears = 0;
  std::map<RunId, KeptLook> of_runs;
};

OpenRequest named(const std::string& name) {
  OpenRequest request = random_request();
  request.name = request.path = "/profiles/" + name;
  return request;
}

class WorkspaceTest : public ::testing::Test {
 protected:
  void apply(Action action) {
    workspace_.apply(std::move(action));
    workspace_.settle();
  }
  void apply(RunId run, Action action) {
    workspace_.apply(run, std::move(action));
    workspace_.settle();
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& run : workspace_.runs()) names.push_back(run->name());
    return names;
  }
  IterationRange range() const { return workspace_.active().session.selection().range; }
  std::string state() const { return state_of(workspace_.active()); }

  KeptLooks looks_;
  RunSources sources_{.demo = [] { return named("demo.sqlite"); },
                      .file = [](const std::string& path) { return named(path.substr(10)); }};
  std::vector<std::string> notices_;
  int changes_ = 0;
  base::Scheduler scheduler_{[] {}};
  Workspace workspace_{scheduler_,
                       looks_,
                       sources_,
                       "dashboard",
                       {.notice = [this](std::string text) { notices_.push_back(std::move(text)); },
                        .changed = [this] { ++changes_; },
                        .activated = [] {},
                        .opening = [] {}}};
};

TEST_F(WorkspaceTest, OpensSelectsAndTakesBack) {
  apply(Open{named("one.sqlite")});
  const aggregate::Selection whole = workspace_.active().session.selection();
  apply(Select{whole.with_range({2, 4}), 1});
  apply(Select{whole.with_range({2, 5}), 1});  // of the same drag
  apply(Select{whole.with_range({3, 3}), 2});
  EXPECT_EQ(range(), (IterationRange{3, 3}));
  apply(GoBack{});
  EXPECT_EQ(range(), (IterationRange{2, 5}));
  apply(GoBack{});
  EXPECT_EQ(range(), whole.range);
  apply(GoBack{});
  EXPECT_EQ(range(), whole.range) << "there is nothing before it";
  apply(GoForward{});
  EXPECT_EQ(range(), (IterationRange{2, 5}));
}

TEST_F(WorkspaceTest, RunsKeepTheirOwnState) {
  apply(OpenBeside{{named("one.sqlite"), named("two.sqlite")}});
  EXPECT_THAT(names(), ElementsAre("/profiles/one.sqlite", "/profiles/two.sqlite"));
  ASSERT_EQ(workspace_.active_run(), 0U);
  const aggregate::Selection whole = workspace_.active().session.selection();
  apply(Select{whole.with_range({2, 4})});
  apply(ShowTable{"ops", {.table = "ops", .selected = "CONV2D_1"}});
  apply(SelectIteration{3});
  const std::string first = state();
  EXPECT_THAT(first, HasSubstr("view=ops,range=2:4"));
  EXPECT_THAT(first, HasSubstr("iteration=3"));
  EXPECT_THAT(first, HasSubstr("row.ops=CONV2D_1"));
  apply(Activate{1});
  EXPECT_THAT(state(), HasSubstr("view=dashboard"));
  EXPECT_EQ(range(), whole.range);
  apply(Activate{0});
  EXPECT_EQ(state(), first);
}

TEST_F(WorkspaceTest, ComparesARunWithAFileBesideIt) {
  apply(Open{named("one.sqlite")});
  apply(OpenToCompare{named("two.sqlite")});
  EXPECT_THAT(names(), ElementsAre("/profiles/one.sqlite", "/profiles/two.sqlite"));
  EXPECT_EQ(workspace_.active_run(), 0U) << "the file is not activated";
  const workspace::Run& one = *workspace_.runs()[0];
  const workspace::Run& two = *workspace_.runs()[1];
  EXPECT_EQ(one.view, kCompareView);
  EXPECT_EQ(workspace_.other_of(one), &two);
  EXPECT_EQ(workspace_.other_of(two), &one);
  EXPECT_FALSE(workspace_.is_after(one));
  EXPECT_TRUE(workspace_.is_after(two));
  apply(CompareAs{true});
  EXPECT_TRUE(workspace_.is_after(one));
  EXPECT_FALSE(workspace_.is_after(two));
  EXPECT_THAT(state_of(one, &two), HasSubstr(",with=two.sqlite,"));
  EXPECT_THAT(state_of(one, &two), HasSubstr(",with-as=before"));
  apply(OpenToCompare{named("two.sqlite")});
  EXPECT_EQ(names().size(), 2U) << "it is open";
  apply(OpenToCompare{named("one.sqlite")});
  EXPECT_EQ(names().size(), 3U) << "a run is no run to compare with itself";
}

TEST_F(WorkspaceTest, ComparisonsBeginWithTheUsualRange) {
  apply(Open{named("one.sqlite")});
  const aggregate::Selection whole = workspace_.active().session.selection();
  const IterationRange usual = aggregate::usual_range(
      workspace_.active().session.aggregation()->iteration_table->iterations);
  ASSERT_NE(usual, whole.range);
  apply(OpenBeside{{named("two.sqlite")}});
  apply(Select{whole.with_range({2, 4})});
  apply(ShowView{std::string(kCompareView)});
  EXPECT_EQ(range(), (IterationRange{2, 4})) << "as it was chosen";
  EXPECT_EQ(workspace_.runs()[0]->session.selection().range, usual);
  apply(1, Select{whole});
  apply(ShowView{"ops"});
  apply(ShowView{std::string(kCompareView)});
  EXPECT_EQ(range(), whole.range) << "a comparison that is known keeps its ranges";
}

TEST_F(WorkspaceTest, TimelinesAlignTypicalIterations) {
  apply(Open{named("one.sqlite")});
  apply(OpenToCompare{named("two.sqlite")});
  apply(1, Select{workspace_.runs()[1]->session.selection().with_range({3, 3})});
  RunModel one, two;
  workspace_.runs()[0]->session.describe(one);
  workspace_.runs()[1]->session.describe(two);
  const auto start_ns = [](const RunModel& run, int64_t iteration) {
    return run.aggregation->iteration_table->iterations.rows[static_cast<std::size_t>(iteration)]
        .start_ns;
  };
  EXPECT_EQ(typical_iteration(two), 3) << "the only one of the range";
  EXPECT_EQ(typical_offset(one, two).ns, start_ns(one, typical_iteration(one)) - start_ns(two, 3));
  apply(ShowComparedTimelines{});
  EXPECT_TRUE(workspace_.aligns_typical());
  EXPECT_TRUE(workspace_.shows_all());
  EXPECT_EQ(workspace_.active().view, kTimelineView);
  apply(ShowAllRuns{false});
  EXPECT_FALSE(workspace_.aligns_typical());
}

TEST_F(WorkspaceTest, StatesOpenTheFileToCompareWith) {
  OpenRequest request = named("one.sqlite");
  request.view = kCompareView;
  request.with = OtherFile{.path = "two.sqlite", .range = {{3, 4}}, .is_before = true};
  apply(Open{std::move(request)});
  EXPECT_THAT(names(), ElementsAre("/profiles/one.sqlite", "/profiles/two.sqlite"));
  EXPECT_EQ(workspace_.active_run(), 0U);
  EXPECT_TRUE(workspace_.is_after(workspace_.active()));
  EXPECT_EQ(workspace_.runs()[1]->session.selection().range, (IterationRange{3, 4}));
  apply(Close{workspace_.runs()[1]->id});
  EXPECT_EQ(workspace_.other_of(workspace_.active()), nullptr);
}

TEST_F(WorkspaceTest, AFileInPlaceOfAnotherBeginsWithCleanViews) {
  apply(Open{named("one.sqlite")});
  apply(ShowTable{"ops", {.table = "ops", .selected = "CONV2D_1"}});
  const int clears = looks_.clears;
  apply(Open{named("two.sqlite")});
  EXPECT_EQ(looks_.clears, clears + 1);
  EXPECT_TRUE(looks_.of_runs.begin()->second.tables.empty());
}

TEST_F(WorkspaceTest, ShowsTheTimelineWithWhatWasAskedOfIt) {
  apply(Open{named("one.sqlite")});
  apply(ShowTimeline{{.window = {}, .iteration = {}, .side_by_side = true}});
  EXPECT_EQ(workspace_.active().view, kTimelineView);
  EXPECT_THAT(state(), HasSubstr("side-by-side=yes"));
}

TEST_F(WorkspaceTest, ClosingFreesARunAndItsViews) {
  apply(OpenBeside{{named("one.sqlite"), named("two.sqlite")}});
  const std::weak_ptr<const profile::Profile> first = workspace_.runs()[0]->session.profile();
  apply(Close{0});
  EXPECT_TRUE(first.expired());
  EXPECT_EQ(looks_.of_runs.size(), 1U);
  EXPECT_THAT(names(), ElementsAre("/profiles/two.sqlite"));
  apply(CloseAll{});
  EXPECT_THAT(names(), ElementsAre(""));
  EXPECT_FALSE(workspace_.can_close());
}

TEST_F(WorkspaceTest, IgnoresWhatIsNotThere) {
  apply(Open{named("one.sqlite")});
  const std::string before = state();
  const int changes = changes_;
  apply(Activate{7});
  apply(Close{7});
  apply(ReturnToFile{});
  apply(GoForward{});
  apply(CancelLoading{});
  apply(ShowView{"dashboard"});
  EXPECT_EQ(state(), before);
  EXPECT_EQ(changes_, changes);
}

TEST_F(WorkspaceTest, ReturnsToWhatWasOpenBeforeAFileThatCannotBe) {
  apply(Open{named("one.sqlite")});
  apply(Select{workspace_.active().session.selection().with_range({2, 4})});
  OpenRequest poem = failing_request();
  poem.path = "/profiles/ode.txt";
  apply(Open{poem});
  ASSERT_TRUE(workspace_.can_go_back());
  EXPECT_EQ(workspace_.name_to_go_back_to(), "one.sqlite");
  apply(ReturnToFile{});
  EXPECT_EQ(range(), (IterationRange{2, 4}));
}

TEST_F(WorkspaceTest, ActsOnTheRunThatIsNamed) {
  apply(OpenBeside{{named("one.sqlite"), named("two.sqlite")}});
  const RunId second = workspace_.runs()[1]->id;
  const aggregate::Selection whole = workspace_.active().session.selection();
  workspace_.apply(second, Select{whole.with_range({2, 4})});
  workspace_.apply(second, ShowKernelDetails{});
  workspace_.settle();
  EXPECT_EQ(range(), whole.range);
  EXPECT_FALSE(workspace_.active().kernel_details);
  EXPECT_EQ(workspace_.runs()[1]->session.selection().range, (IterationRange{2, 4}));
  EXPECT_TRUE(workspace_.runs()[1]->kernel_details);
  apply(Close{second});
  workspace_.apply(second, Select{whole.with_range({3, 3})});
  EXPECT_EQ(range(), whole.range) << "what was asked of a closed run is asked of none";
}

TEST_F(WorkspaceTest, OpensTheViewOfTheRequestIfThereIsOne) {
  OpenRequest request = named("one.sqlite");
  request.view = "cuda-summary";
  apply(Open{request});
  EXPECT_THAT(state(), HasSubstr("view=cuda_summary"));
  request.view = "kitchen";
  apply(Open{request});
  EXPECT_THAT(state(), HasSubstr("view=cuda_summary")) << "as before";
}

TEST_F(WorkspaceTest, ShowsAllRunsWhileThereAreSeveral) {
  apply(OpenBeside{{named("one.sqlite"), named("two.sqlite")}});
  EXPECT_FALSE(workspace_.shows_all());
  apply(ShowAllRuns{});
  EXPECT_TRUE(workspace_.shows_all());
  apply(Close{workspace_.runs()[1]->id});
  EXPECT_FALSE(workspace_.shows_all());
}

TEST_F(WorkspaceTest, PreviewsACut) {
  apply(Open{named("one.sqlite")});
  const int changes = changes_;
  apply(PreviewCut{kEndCut});
  EXPECT_EQ(changes_, changes + 1);
  RunModel model;
  workspace_.active().session.describe(model);
  EXPECT_NE(model.preview_table, nullptr);
  apply(PreviewCut{kEndCut});
  EXPECT_EQ(changes_, changes + 1) << "it is there already";
  apply(PreviewCut{});
  workspace_.active().session.describe(model);
  EXPECT_EQ(changes_, changes + 2);
}

}  // namespace
}  // namespace dlview::workspace
