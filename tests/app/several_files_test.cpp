// Several profiles in one window.

#include <map>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "app/program_support.h"
#include "support/test_data.h"
#include "workspace/file_names.h"
#include "workspace/state_string.h"

namespace dlview::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

workspace::OpenRequest named(workspace::OpenRequest request, const std::string& name) {
  request.name = request.path = "/profiles/" + name;
  return request;
}

class SeveralFiles : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (IsSkipped()) return;
    open(named(workspace::random_request(), "first.sqlite"));
  }
  void open_beside(workspace::OpenRequest request) {
    program().open_beside(std::move(request));
    offscreen_->draw_until_settled();
  }
  std::vector<std::string> open_files() {
    std::vector<std::string> files;
    const Json now = state();
    for (const Json& run : now["open"]) files.push_back(run["file"]);
    return files;
  }
  std::string shown() { return state()["file"]; }
};

TEST_F(SeveralFiles, OpenBesideEachOther) {
  program().open_several({named(workspace::random_request(), "second.sqlite"),
                          named(workspace::random_request(), "third.sqlite")});
  EXPECT_EQ(shown(), "/profiles/second.sqlite") << "the first of them";
  EXPECT_EQ(state()["state"], "loading");
  EXPECT_TRUE(program().is_loading());
  offscreen_->draw_until_settled();
  EXPECT_FALSE(program().is_loading());
  EXPECT_THAT(open_files(), ElementsAre("/profiles/first.sqlite", "/profiles/second.sqlite",
                                        "/profiles/third.sqlite"));
  const Json now = state();
  for (const Json& run : now["open"]) EXPECT_EQ(run["state"], "open");
}

TEST_F(SeveralFiles, ReplaceAnEmptyRun) {
  program().close_all_runs();
  ASSERT_EQ(state()["state"], "empty");
  open_beside(named(workspace::random_request(), "only.sqlite"));
  EXPECT_THAT(open_files(), ElementsAre("/profiles/only.sqlite"));
}

TEST_F(SeveralFiles, AreOpenedOnce) {
  open_beside(named(workspace::random_request(), "second.sqlite"));
  open_beside(named(workspace::random_request(), "first.sqlite"));
  EXPECT_EQ(program().runs().size(), 2U);
  EXPECT_EQ(shown(), "/profiles/first.sqlite");
}

TEST_F(SeveralFiles, KeepSeparateState) {
  const aggregate::Selection whole = program().session().selection();
  aggregate::Selection part = whole.with_range({2, 4});
  part.filters = {{.kind = aggregate::FilterKind::tensor_core, .number = 1}};
  program().select(part);
  program().show(ui::ViewId::ops);
  offscreen_->draw_until_settled();
  const Json first = state();

  open_beside(named(workspace::random_request(), "second.sqlite"));
  EXPECT_EQ(program().session().selection(), whole);
  EXPECT_FALSE(program().history().can_go_back());
  program().show(ui::ViewId::gpus);
  program().select(whole.with_range({1, 1}));
  offscreen_->draw_until_settled();
  const Json second = state();

  ASSERT_TRUE(play("key Ctrl+Tab").ok());
  EXPECT_EQ(state()["state_string"], first["state_string"]);
  EXPECT_EQ(state()["aggregation"], first["aggregation"]);
  EXPECT_TRUE(program().history().can_go_back());
  ASSERT_TRUE(play("key Ctrl+Shift+Tab").ok());
  EXPECT_EQ(state()["state_string"], second["state_string"]);
  EXPECT_EQ(state()["aggregation"], second["aggregation"]);
}

TEST_F(SeveralFiles, KeepSeparateTableSearches) {
  ASSERT_TRUE(play("command view.ops\ncommand table.search\ntype conv").ok());
  const std::string with_search = program().state_string();
  ASSERT_THAT(with_search, HasSubstr("search.ops=conv"));
  open_beside(named(workspace::random_request(), "second.sqlite"));
  EXPECT_EQ(program().view(), ui::ViewId::ops);
  EXPECT_EQ(program().state_string().find("search.ops"), std::string::npos);
  program().show_run(0);
  offscreen_->draw_until_settled();
  EXPECT_EQ(program().state_string(), with_search);
}

TEST_F(SeveralFiles, SwitchInOneFrame) {
  open_beside(named(workspace::random_request(), "second.sqlite"));
  program().show_run(0);
  offscreen_->draw();
  EXPECT_EQ(value("nav/run"), "first.sqlite");
  EXPECT_EQ(program().title(), "first.sqlite - dlview");
  EXPECT_TRUE(program().settled()) << "nothing is computed for it";
}

TEST_F(SeveralFiles, AreChosenFromAList) {
  EXPECT_FALSE(state()["items"].contains("nav/runs")) << "there is nothing to choose";
  open_beside(named(workspace::random_request(), "second.sqlite"));
  ASSERT_TRUE(play("click-item nav/runs").ok());
  EXPECT_EQ(value("menu/run.1"), "second.sqlite");
  ASSERT_TRUE(play("click-item menu/run.0").ok());
  EXPECT_EQ(shown(), "/profiles/first.sqlite");
  EXPECT_FALSE(state()["items"].contains("menu/run.0")) << "the menu closes";
}

TEST_F(SeveralFiles, CutTheirNamesBeforeTabs) {
  open_beside(named(workspace::random_request(), "2026.2_training_of_a_large_model.sqlite"));
  ASSERT_TRUE(play("size 1280 800").ok());
  EXPECT_FALSE(state()["items"].contains("nav/more"));
  EXPECT_TRUE(state()["items"].contains("nav/system"));
}

// A menu's entry is chosen while a frame is being built.
TEST_F(SeveralFiles, KeepTheirStateWhenSwitchedByMenu) {
  ASSERT_TRUE(play("command view.ops\ncommand table.search\ntype conv").ok());
  const std::string first = program().state_string();
  ASSERT_THAT(first, HasSubstr("search.ops=conv"));
  open_beside(named(workspace::random_request(), "second.sqlite"));
  ASSERT_TRUE(play("click-item nav/runs\nclick-item menu/run.0").ok());
  EXPECT_EQ(shown(), "/profiles/first.sqlite");
  EXPECT_EQ(program().state_string(), first);
}

TEST_F(SeveralFiles, KeepTheirBookmarksWhenSwitchedByMenu) {
  const testing::TemporaryFolder folder;
  const workspace::BookmarkFile file(folder.path() / "bookmarks.json");
  bookmarks_ = &file;
  offscreen_.reset();
  ProgramTest::SetUp();
  open(named(workspace::random_request(), "first.sqlite"));
  ASSERT_TRUE(play("command view.timeline\ncommand timeline.bookmark").ok());
  const std::string run = workspace::run_identity(*program().session().profile());
  ASSERT_EQ(file.of(run).size(), 1U);
  open_beside(named(workspace::random_request(), "second.sqlite"));
  for (const char* switches :
       {"click-item nav/runs\nclick-item menu/run.0", "click-item nav/runs\nclick-item menu/run.1",
        "click-item nav/file\nclick-item menu/file.close"}) {
    ASSERT_TRUE(play(switches).ok()) << switches;
    EXPECT_EQ(file.of(run).size(), 1U) << switches;
  }
  EXPECT_THAT(open_files(), ElementsAre("/profiles/first.sqlite"));
}

TEST_F(SeveralFiles, FreeTheLastOneClosedByMenu) {
  const std::weak_ptr<const profile::Profile> profile = program().session().profile();
  ASSERT_TRUE(play("click-item nav/file\nclick-item menu/file.close").ok());
  EXPECT_EQ(state()["state"], "empty");
  EXPECT_TRUE(profile.expired());
}

TEST_F(SeveralFiles, LoadOneAfterTheOther) {
  workspace::Gate gate;
  gate.close();
  program().open_several({named(gated_request(gate), "second.sqlite"),
                          named(workspace::random_request(), "third.sqlite")});
  offscreen_->draw();
  EXPECT_EQ(program().runs()[2]->session.state(), workspace::Session::State::empty) << "it waits";
  EXPECT_EQ(program().runs()[2]->state(), workspace::Session::State::loading);
  program().close_run(1);
  gate.open();
  offscreen_->draw_until_settled();
  EXPECT_THAT(open_files(), ElementsAre("/profiles/first.sqlite", "/profiles/third.sqlite"));
  EXPECT_EQ(program().runs()[1]->state(), workspace::Session::State::open);
}

TEST_F(SeveralFiles, CloseWhenLoadingIsCanceled) {
  workspace::Gate gate;
  gate.close();
  program().open_beside(named(gated_request(gate), "second.sqlite"));
  program().cancel_loading();
  EXPECT_THAT(open_files(), ElementsAre("/profiles/first.sqlite"));
  gate.open();
  open_beside(named(workspace::random_request(), "second.sqlite"));
  EXPECT_EQ(state()["state"], "open") << "it can be opened again";
}

TEST_F(SeveralFiles, GoBackToTheOneThatTheButtonNames) {
  program().open_several({named(workspace::failing_request(), "ode.txt"),
                          named(workspace::random_request(), "third.sqlite")});
  offscreen_->draw_until_settled();
  ASSERT_EQ(state()["state"], "failed");
  ASSERT_TRUE(play("command file.back").ok());
  EXPECT_EQ(shown(), "/profiles/first.sqlite");
}

TEST_F(SeveralFiles, HaveNamesThatTellThemApart) {
  workspace::OpenRequest other = named(workspace::random_request(), "first.sqlite");
  other.name = other.path = "/elsewhere/first.sqlite";
  open_beside(std::move(other));
  EXPECT_EQ(value("nav/run"), "elsewhere/first.sqlite");
  EXPECT_EQ(program().title(), "elsewhere/first.sqlite - dlview");
}

TEST(FileNames, AreAsLongAsItTakes) {
  EXPECT_EQ(workspace::name_of_file("/a/run/"), "run");
  EXPECT_EQ(workspace::name_of_file("run.sqlite"), "run.sqlite");
  EXPECT_THAT(workspace::distinct_names({"/a/0/x", "/a/1/x", "/b/y"}),
              ElementsAre("0/x", "1/x", "y"));
  EXPECT_THAT(workspace::distinct_names({"/a/0/x", "/b/0/x", "x"}),
              ElementsAre("a/0/x", "b/0/x", "x"));
  EXPECT_THAT(workspace::distinct_names({"/a/x", "/a/x", ""}), ElementsAre("x", "x", ""));
}

TEST_F(SeveralFiles, FreeTheirMemoryWhenTheyAreClosed) {
  open_beside(named(workspace::random_request(), "second.sqlite"));
  ASSERT_TRUE(play("command view.timeline\ncommand view.ops\ncommand go.anything\ntype op\n"
                   "key Escape\nkey Escape")
                  .ok());
  const std::weak_ptr<const profile::Profile> profile = program().session().profile();
  const std::weak_ptr<const profile::Profile> other = program().runs()[0]->session.profile();
  ASSERT_TRUE(play("key Ctrl+W").ok());
  EXPECT_EQ(shown(), "/profiles/first.sqlite");
  EXPECT_TRUE(profile.expired());
  EXPECT_FALSE(other.expired());
  ASSERT_TRUE(play("key Ctrl+W").ok());
  EXPECT_EQ(state()["state"], "empty");
  EXPECT_TRUE(other.expired());
}

TEST_F(SeveralFiles, AreClosedWhileTheyLoad) {
  workspace::Gate gate;
  gate.close();
  program().open_beside(named(gated_request(gate), "second.sqlite"));
  offscreen_->draw();
  program().close_run();
  EXPECT_EQ(shown(), "/profiles/first.sqlite");
  EXPECT_FALSE(program().is_loading());
  gate.open();
}

TEST_F(SeveralFiles, StayOpenWhenOneFails) {
  const Json before = state();
  program().open_several({named(workspace::random_request(), "first.sqlite"),
                          named(workspace::failing_request(), "ode.txt")});
  offscreen_->draw_until_settled();
  EXPECT_EQ(shown(), "/profiles/first.sqlite");
  EXPECT_EQ(state()["aggregation"], before["aggregation"]);
  EXPECT_EQ(state()["notice"], "Could not open ode.txt: The file is a poem");
  ASSERT_TRUE(play("key Ctrl+Tab").ok());
  EXPECT_EQ(state()["state"], "failed");
  EXPECT_EQ(state()["error"]["title"], "The file is a poem");
  ASSERT_TRUE(play("command file.back").ok());
  EXPECT_THAT(open_files(), ElementsAre("/profiles/first.sqlite")) << "its page is closed";
}

TEST_F(SeveralFiles, OpenFromTheFileList) {
  const testing::TemporaryFolder folder;
  program().choose_file(ui::FileUse::open_beside);
  program().open_file(folder.path() / "more.sqlite");
  offscreen_->draw_until_settled();
  EXPECT_EQ(program().runs().size(), 2U);
  ASSERT_TRUE(play("command file.open").ok());
  program().open_file(folder.path() / "more.sqlite");
  offscreen_->draw_until_settled();
  EXPECT_EQ(program().runs().size(), 2U) << "in place of the one that is shown";
}

TEST_F(SeveralFiles, CopyStatesThatIncludeTheFileName) {
  ASSERT_TRUE(play("command file.copy_state").ok());
  const std::string notice = state()["notice"];
  EXPECT_THAT(notice, HasSubstr("--state file=first.sqlite,view=dashboard,range="));
  const auto request = workspace::parse_state(notice.substr(notice.find("file=")));
  ASSERT_TRUE(request.ok());
  EXPECT_TRUE(workspace::check_state_file(*request, "/elsewhere/first.sqlite").ok());
  const base::Status other = workspace::check_state_file(*request, "/profiles/second.sqlite");
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(base::to_text(other.error()), HasSubstr("first.sqlite"));
  EXPECT_TRUE(workspace::check_state_file(*workspace::parse_state("view=ops"), "/any").ok());
}

// The second one is the first, but begins its range two iterations later.
class AllInTheTimeline : public SeveralFiles {
 protected:
  void SetUp() override {
    SeveralFiles::SetUp();
    if (IsSkipped()) return;
    open_beside(named(workspace::random_request(), "second.sqlite"));
    program().select(program().session().selection().with_range({2, 4}));
    program().show_run(0);
    program().show(ui::ViewId::timeline);
    program().run_command("timeline.all_profiles");
    ASSERT_TRUE(play("size 1280 4000"));  // so that no row of either is below the window
    offscreen_->draw_until_settled();
  }
  int64_t start_ns(int64_t iteration) const {
    const workspace::Session& session = offscreen_->program().session();
    const auto& rows = session.aggregation()->iteration_table->iterations.rows;
    return rows[static_cast<std::size_t>(iteration)].start_ns;
  }
};

TEST_F(AllInTheTimeline, AppearBelowActiveRunAlignedByRange) {
  EXPECT_EQ(value("timeline/run_1"), "aligned at range starts");
  EXPECT_EQ(value("timeline/run_1/group/gpu_0"), "open");
  const auto& items = program().inspector().items();
  ASSERT_TRUE(items.contains("timeline/gpu_0/1"));
  ASSERT_TRUE(items.contains("timeline/run_1/gpu_0/1"));
  EXPECT_GT(items.at("timeline/run_1/gpu_0/1").top, items.at("timeline/gpu_0/1").bottom);

  program().run_command("timeline.all_profiles");
  offscreen_->draw_until_settled();
  EXPECT_FALSE(program().inspector().items().contains("timeline/run_1/gpu_0/1"));
}

TEST_F(AllInTheTimeline, AClickShowsTheSameStretchOfTheOtherRun) {
  const int64_t ahead_ns = start_ns(2) - start_ns(0);
  ASSERT_GT(ahead_ns, 0);
  const timeline::TimeWindow window{start_ns(0), start_ns(1) - start_ns(0)};
  program().show_in_run(program().run().id, {.window = window, .iteration = {}});
  offscreen_->draw_until_settled();
  ASSERT_TRUE(play("click-item timeline/run_1/gpu_0/1"));
  offscreen_->draw_until_settled();
  EXPECT_EQ(program().active_run(), 1U);
  EXPECT_EQ(program().view(), ui::ViewId::timeline);
  const auto shown = workspace::parse_state(program().state_string());
  ASSERT_TRUE(shown.ok());
  EXPECT_EQ(shown->timeline.window->start_ns, window.start_ns + ahead_ns);
  EXPECT_EQ(shown->timeline.window->length_ns, window.length_ns);
  // And the first one stands where it stood.
  EXPECT_EQ(value("timeline/run_0"), "aligned at range starts");
}

TEST_F(AllInTheTimeline, GoWithTheirRuns) {
  const std::weak_ptr<const profile::Profile> closed = program().runs()[1]->session.profile();
  program().show(ui::ViewId::dashboard);
  offscreen_->draw_until_settled();
  program().close_run(1);
  offscreen_->draw_until_settled();
  EXPECT_TRUE(closed.expired()) << "the Timeline that is not shown holds it";
  program().show(ui::ViewId::timeline);
  offscreen_->draw_until_settled();
  EXPECT_FALSE(program().shows_all_runs());
  EXPECT_FALSE(program().inspector().items().contains("timeline/run_1/gpu_0/1"));
}

TEST_F(AllInTheTimeline, ReplacedProfilesAreFreed) {
  const std::weak_ptr<const profile::Profile> closed = program().runs()[1]->session.profile();
  program().show_run(1);
  open(named(workspace::random_request(), "third.sqlite"));
  EXPECT_TRUE(closed.expired());
  program().show_run(0);
  offscreen_->draw_until_settled();
  EXPECT_EQ(value("timeline/run_1/group/gpu_0"), "open");
}

// Rows under a resting pointer are looked at in the frame in which they appear.
TEST_F(AllInTheTimeline, MayAppearUnderThePointer) {
  const auto row = program().inspector().items().at("timeline/run_1/gpu_0/1");
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(
        play(fmt::format("move {} {}", (row.left + row.right) / 2, (row.top + row.bottom) / 2)));
    program().run_command("timeline.all_profiles");
    offscreen_->draw_until_settled();
  }
  EXPECT_EQ(program().active_run(), 0U);
}

TEST_F(AllInTheTimeline, BeginWithThreadsFolded) {
  const auto folded = [this](const std::string& prefix) {
    std::map<std::string, int> states;
    for (const auto& [name, value] : program().inspector().values()) {
      if (name.starts_with(prefix + "thread_")) ++states[value];
    }
    return states;
  };
  for (const char* prefix : {"timeline/group/", "timeline/run_1/group/"}) {
    EXPECT_EQ(folded(prefix).size(), 1U) << prefix;
    EXPECT_GT(folded(prefix)["folded"], 0) << prefix;
  }
  program().run_command("timeline.all_profiles");
  offscreen_->draw_until_settled();
  EXPECT_EQ(folded("timeline/group/")["folded"], 0) << "alone it stands as before";
}

TEST_F(AllInTheTimeline, SwitchingStaysInTheTimeline) {
  ASSERT_TRUE(play("key Ctrl+Tab"));
  EXPECT_EQ(program().active_run(), 1U);
  EXPECT_EQ(program().view(), ui::ViewId::timeline);
  program().show(ui::ViewId::ops);
  ASSERT_TRUE(play("key Ctrl+Tab"));
  EXPECT_EQ(program().view(), ui::ViewId::timeline) << "its own view";
  program().run_command("timeline.all_profiles");
  ASSERT_TRUE(play("key Ctrl+Tab"));
  EXPECT_EQ(program().view(), ui::ViewId::ops) << "one at a time, each has its view";
}

TEST_F(AllInTheTimeline, HaveRowsInTheStrip) {
  const auto& items = program().inspector().items();
  ASSERT_TRUE(items.contains("strip/run_1/plot"));
  EXPECT_GE(items.at("strip/run_1/plot").top, items.at("strip/plot").bottom);
  EXPECT_EQ(items.at("strip/run_1/plot").left, items.at("strip/plot").left);
  program().show(ui::ViewId::dashboard);
  offscreen_->draw_until_settled();
  EXPECT_FALSE(program().inspector().items().contains("strip/run_1/plot"));
}

TEST_F(AllInTheTimeline, KeepTheirRangesWhenOthersAreDragged) {
  const aggregate::IterationRange first = program().runs()[0]->session.selection().range;
  ASSERT_TRUE(play("drag-item strip/run_1/start -2000 0"));
  offscreen_->draw_until_settled();
  EXPECT_EQ(program().active_run(), 0U);
  EXPECT_EQ(program().runs()[0]->session.selection().range, first);
  EXPECT_EQ(program().runs()[1]->session.selection().range, (aggregate::IterationRange{0, 4}));

  program().show_run(1);
  program().run_command("range.back");
  offscreen_->draw_until_settled();
  EXPECT_EQ(program().session().selection().range, (aggregate::IterationRange{2, 4}))
      << "one drag is one step";
}

TEST_F(AllInTheTimeline, FoldTheirGroups) {
  ASSERT_TRUE(play("click-item timeline/run_1/group/gpu_0"));
  offscreen_->draw_until_settled();
  EXPECT_EQ(value("timeline/run_1/group/gpu_0"), "folded");
  EXPECT_EQ(value("timeline/group/gpu_0"), "open");
}

TEST_F(AllInTheTimeline, KeepTheirColorsWhenTheyAreShown) {
  workspace::OpenRequest request = named(workspace::random_request(), "third.sqlite");
  request.timeline.colors = timeline::ColorBy::op;
  program().open_several({request, named(workspace::random_request(), "first.sqlite")}, 1);
  offscreen_->draw_until_settled();
  ASSERT_EQ(program().active_run(), 0U);
  program().show_in_run(program().runs()[2]->id, {.window = {{100, 200}}, .iteration = {}});
  offscreen_->draw_until_settled();
  EXPECT_THAT(program().state_string(), HasSubstr("colours=op"));
}

}  // namespace
}  // namespace dlview::app
