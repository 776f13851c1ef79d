// What surrounds the views: palette, "Go to", list of files, help, history, notices, memory.

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <imgui.h>

#include "app/program_commands.h"
#include "app/program_support.h"
#include "support/file_contents.h"
#include "support/test_data.h"
#include "workspace/state_string.h"

namespace dlview::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ShellOfProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (offscreen_) open(workspace::random_request());
  }
};

TEST_F(ShellOfProgram, PaletteRunsTheTypedCommandOnEnter) {
  ASSERT_TRUE(play("key Ctrl+Shift+P\ntype dark").ok());
  EXPECT_EQ(state()["overlay"], "commands");
  EXPECT_EQ(value("finder/query"), "dark");
  EXPECT_EQ(value("finder/0"), "Switch theme");
  ASSERT_TRUE(play("key Enter").ok());
  EXPECT_EQ(state()["overlay"], "");
  EXPECT_EQ(state()["theme"], "light");
}

TEST_F(ShellOfProgram, PaletteFindsHowToCompareTwoFiles) {
  ASSERT_TRUE(play("key Ctrl+Shift+P\ntype compare").ok());
  const Json values = state()["values"];
  std::vector<std::string> found;
  for (int i = 0; i < 12; ++i) found.push_back(values.value("finder/" + std::to_string(i), ""));
  EXPECT_THAT(found, ::testing::Contains("Compare with…"));
}

TEST_F(ShellOfProgram, NamesAnActionAlikeInEveryMenu) {
  const auto title_of = [](std::string_view id) {
    for (const ProgramCommand& command : program_commands()) {
      if (command.id == id) return std::string(command.title);
    }
    return std::string();
  };
  ASSERT_TRUE(play("command view.ops\nclick-item ops/columns").ok());
  EXPECT_EQ(value("menu/ops/columns_digits"), title_of("table.digits"));
  EXPECT_EQ(value("menu/ops/columns_filters"), title_of("table.filters"));
  ASSERT_TRUE(play("key Escape\nclick-item ops/export").ok());
  EXPECT_EQ(value("menu/ops/export_copy"), title_of("table.copy"));
  ASSERT_TRUE(play("key Escape\ncommand view.timeline").ok());
  EXPECT_EQ(value("timeline/open/timeline.side_by_side"), title_of("timeline.side_by_side"));
}

TEST_F(ShellOfProgram, PaletteIsWalkedByArrowsAndClicked) {
  ASSERT_TRUE(play("key Ctrl+Shift+P\ntype kernels\nkey Down").ok());
  const std::string second = value("finder/1");
  ASSERT_TRUE(play("key Up\nkey Down\nkey Enter").ok());
  EXPECT_EQ(state()["overlay"], "");
  ASSERT_TRUE(play("command go.command\ntype iterations\nclick-item finder/0").ok());
  EXPECT_EQ(state()["overlay"], "");
  EXPECT_FALSE(second.empty());
}

TEST_F(ShellOfProgram, TensorCoresCountByThePresentRulesAndBack) {
  ASSERT_TRUE(play("command view.ops\ncommand view.tensor_core_rules").ok());
  EXPECT_EQ(state()["view"], "ops") << "what is looked at stays";
  EXPECT_THAT(state()["state_string"].get<std::string>(), HasSubstr("tensor-cores=present"));
  EXPECT_THAT(value("status"), HasSubstr("Tensor Cores by dlview's rules"));
  ASSERT_TRUE(play("command view.tensor_core_rules").ok());
  EXPECT_THAT(state()["state_string"].get<std::string>(), Not(HasSubstr("tensor-cores")));
}

TEST_F(ShellOfProgram, EscapeClosesTheListFirstAndThenThePane) {
  ASSERT_TRUE(play("command view.kernel_details\nkey Ctrl+K\nkey Escape").ok());
  EXPECT_EQ(state()["overlay"], "");
  EXPECT_TRUE(state()["kernel_details"]);
  ASSERT_TRUE(play("key Escape").ok());
  EXPECT_FALSE(state()["kernel_details"]);
  EXPECT_FALSE(state()["commands"]["view.close"]);
}

TEST_F(ShellOfProgram, AnOpenMenuTakesTheEscapeKeyBeforeThePaneDoes) {
  ASSERT_TRUE(play("command view.kernel_details\nclick-item nav/view\nkey Escape").ok());
  EXPECT_TRUE(state()["kernel_details"]);
  EXPECT_FALSE(state()["items"].contains("menu/view.theme"));
  ASSERT_TRUE(play("key Escape").ok());
  EXPECT_FALSE(state()["kernel_details"]);
}

TEST_F(ShellOfProgram, AClickBesideAListClosesIt) {
  ASSERT_TRUE(play("key F1\nclick 20 700").ok());
  EXPECT_EQ(state()["overlay"], "");
}

TEST_F(ShellOfProgram, GoToFindsAnIterationByItsNumber) {
  ASSERT_TRUE(play("key Ctrl+K\ntype 4\nkey Enter").ok());
  EXPECT_EQ(state()["overlay"], "");
  EXPECT_EQ(state()["view"], "iterations");
  EXPECT_EQ(state()["selected_iteration"], 4);
}

TEST_F(ShellOfProgram, GoToStaysInTheTimeline) {
  program().run_command("view.timeline");
  ASSERT_TRUE(play("key Ctrl+K\ntype 4\nkey Enter").ok());
  EXPECT_EQ(state()["view"], "timeline");
  EXPECT_EQ(state()["selected_iteration"], 4);
}

TEST_F(ShellOfProgram, GoToOpensTheCardOfAnOpThatCanCutTheRun) {
  const auto& ops = program().session().aggregation()->ops;
  const profile::Profile& profile = *program().session().profile();
  const std::string id(profile.text(profile.ops.id[ops[1].op]));
  ASSERT_TRUE(play("key Ctrl+K\ntype " + id + "\nkey Enter").ok());
  EXPECT_EQ(state()["overlay"], "jump");
  EXPECT_EQ(value("subject/name"), profile.text(profile.ops.name[ops[1].op]));
  ASSERT_TRUE(play("click-item subject/key_op").ok());
  EXPECT_EQ(state()["overlay"], "");
  EXPECT_EQ(state()["selection"]["key_op"], id);
}

TEST_F(ShellOfProgram, GoesBackAndForthThroughSelections) {
  const auto first = state()["selection"];
  program().run_command("range.all");
  program().select({workspace::kStartCut, {1, 3}});
  program().run_command("view.dashboard");
  program().select({workspace::kStartCut, {2, 3}});
  const auto second = state()["selection"];
  ASSERT_TRUE(play("key Alt+Left").ok());
  EXPECT_EQ(state()["selection"]["range"], nlohmann::json::array({1, 3}));
  ASSERT_TRUE(play("key Alt+Left").ok());
  EXPECT_EQ(state()["selection"], first);
  EXPECT_FALSE(state()["commands"]["range.back"]);
  ASSERT_TRUE(play("key Alt+Right\nkey Alt+Right").ok());
  EXPECT_EQ(state()["selection"], second);
  EXPECT_FALSE(state()["commands"]["range.forward"]);
}

TEST_F(ShellOfProgram, CopiesAStateThatBringsBackTheSelection) {
  program().select({workspace::kEndCut, {1, 3}});
  ASSERT_TRUE(play("command view.iterations\nkey Ctrl+Shift+C").ok());
  const std::string text = ImGui::GetClipboardText();
  EXPECT_EQ(text, "file=random.sqlite," + state()["state_string"].get<std::string>());
  const auto request = workspace::parse_state(text);
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->view, "iterations");
  const auto chosen = workspace::choose_selection(*program().session().profile(), *request);
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(*chosen, program().session().selection());
  EXPECT_NE(state()["notice"].get<std::string>().find(text), std::string::npos);
}

TEST_F(ShellOfProgram, ListsFilesAndOpensTheOneThatIsChosen) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "runs");
  std::ofstream(folder.path() / "runs" / "deep.sqlite") << "x";
  ASSERT_TRUE(play("key Ctrl+O").ok());
  EXPECT_EQ(state()["overlay"], "files");
  program().list_folder(folder.path().string());
  ASSERT_TRUE(play("type runs\nkey Enter").ok());
  EXPECT_EQ(value("files/folder"), (folder.path() / "runs").string());
  EXPECT_EQ(value("finder/0"), "..");
  ASSERT_TRUE(play("type deep\nkey Enter").ok());
  EXPECT_EQ(opened_paths_.back(), (folder.path() / "runs" / "deep.sqlite").string());
  EXPECT_EQ(state()["overlay"], "");
}

// The frame that is drawn still shows the folder that the click lets go.
TEST_F(ShellOfProgram, ClosesTheFileListWithTheMouse) {
  for (const char* close : {"click 20 780", "click-item overlay/close"}) {
    ASSERT_TRUE(play("command file.open\nframes 1").ok());
    ASSERT_EQ(state()["overlay"], "files");
    ASSERT_TRUE(play(close).ok());
    EXPECT_EQ(state()["overlay"], "") << close;
  }
}

TEST_F(ShellOfProgram, OpensDroppedFilesBesideTheOpenOne) {
  ASSERT_TRUE(
      play("command view.iterations\ndrop /profiles/other.sqlite\nclick-item dropped/open").ok());
  EXPECT_EQ(opened_paths_, (std::vector<std::string>{"/profiles/other.sqlite"}));
  EXPECT_EQ(state()["state"], "open");
  EXPECT_EQ(state()["shown"], 1);
  program().add_input({render::FileDrop{"/a/one.sqlite"}, render::FileDrop{"/a/two.sqlite"}});
  offscreen_->draw_until_settled();
  EXPECT_EQ(state()["open"].size(), 4U);
  EXPECT_EQ(state()["shown"], 2) << "the first of those that were dropped";
}

TEST_F(ShellOfProgram, PathsInAScriptMayHoldBlanks) {
  const testing::TemporaryFolder folder;
  const std::string after = (folder.path() / "after  the drop.json").string();
  ASSERT_TRUE(play("drop /my profiles/the  other.sqlite \nkey Enter\n state " + after).ok());
  EXPECT_EQ(opened_paths_, (std::vector<std::string>{"/my profiles/the  other.sqlite"}));
  EXPECT_TRUE(std::filesystem::exists(after));
  EXPECT_FALSE(play("screenshot").ok());
}

TEST_F(ShellOfProgram, ShowsANoticeWhenTheEngineFails) {
  open(workspace::hungry_request());
  const Json before = state();
  program().select(program().session().selection().with_range({1, 3}));
  offscreen_->draw_until_settled();
  EXPECT_EQ(state()["selection"], before["selection"]);
  EXPECT_EQ(state()["notice"],
            "Not enough memory: the machine has too little memory for this. Close other programs, "
            "or use a machine with more memory");
}

TEST_F(ShellOfProgram, ErrorPageLeadsToAnotherFile) {
  open(workspace::failing_request());
  EXPECT_EQ(failures_, (std::vector<std::string>{"The file is a poem"}));
  ASSERT_TRUE(play("click-item page/file.open").ok());
  EXPECT_EQ(state()["overlay"], "files");
  ASSERT_TRUE(play("key Escape\nclick-item page/file.demo").ok());
  EXPECT_EQ(state()["state"], "open");
}

TEST_F(ShellOfProgram, ErrorPageLeadsBackToWhatWasOpenBefore) {
  workspace::OpenRequest first = workspace::random_request();
  first.path = "/profiles/random.sqlite";
  open(first);
  ASSERT_TRUE(play("command view.iterations").ok());
  program().select(program().session().selection().with_range({1, 3}));
  offscreen_->draw_until_settled();
  const Json before = state();
  open(workspace::failing_request());
  open(workspace::failing_request());  // nor that one
  EXPECT_EQ(value("page/back"), "Return to random.sqlite");
  ASSERT_TRUE(play("click-item page/file.back").ok());
  EXPECT_EQ(opened_paths_, (std::vector<std::string>{"/profiles/random.sqlite"}));
  EXPECT_EQ(state()["state"], "open");
  EXPECT_EQ(state()["view"], "iterations");
  EXPECT_EQ(state()["selection"], before["selection"]);
  EXPECT_FALSE(program().can_go_back_to_file());
}

class ProgramWithoutFile : public ProgramTest {};

TEST_F(ProgramWithoutFile, HasNoWayBackToOne) {
  open(workspace::failing_request());
  EXPECT_FALSE(state()["items"].contains("page/file.back"));
  EXPECT_TRUE(state()["items"].contains("page/file.demo"));
}

TEST_F(ShellOfProgram, KernelDetailsShowTheDashboardWithThem) {
  ASSERT_TRUE(play("command view.ops\ncommand view.kernel_details").ok());
  EXPECT_EQ(state()["view"], "dashboard");
  EXPECT_TRUE(state()["kernel_details"]);
  ASSERT_TRUE(play("command view.ops\ncommand view.kernel_details").ok());
  EXPECT_EQ(state()["view"], "dashboard");
  EXPECT_TRUE(state()["kernel_details"]) << "from another view nothing is closed";
  ASSERT_TRUE(play("command view.kernel_details").ok());
  EXPECT_FALSE(state()["kernel_details"]);
}

TEST_F(ShellOfProgram, StatusBarOpensTheListOfMissingData) {
  workspace::OpenRequest request = workspace::random_request();
  request.load = [](base::Progress&) -> base::Result<profile::Profile> {
    profile::Profile profile = testing::random_profile({.seed = 5});
    profile.not_recorded.push_back({"Streams", "Record with another tool"});
    return profile;
  };
  open(request);
  ASSERT_TRUE(play("click-item status/quality").ok());
  EXPECT_EQ(state()["overlay"], "data_quality");
}

TEST_F(ShellOfProgram, TellsInTheStatusBarWhyThisEngineAggregates) {
  workspace::OpenRequest request = workspace::random_request();
  request.make_engine = workspace::engine_factory(workspace::EngineChoice::automatic);
  open(request);
  ASSERT_TRUE(play("move-item status/engine").ok());
  EXPECT_EQ(value("tooltip"), "Too few kernels for a GPU to be faster");
}

TEST_F(ShellOfProgram, ShowsHelpAndTheVersion) {
  ASSERT_TRUE(play("key F1").ok());
  EXPECT_EQ(state()["overlay"], "keys");
  ASSERT_TRUE(play("command help.about").ok());
  EXPECT_EQ(value("about/version"), DLVIEW_VERSION);
}

TEST_F(ShellOfProgram, GivesTheAddressToWhoeverHasNoBrowser) {
  program().open_link("https://example.org/guide");
  EXPECT_EQ(links_, (std::vector<std::string>{"https://example.org/guide"}));
  program().link_failed("https://example.org/guide");
  EXPECT_STREQ(ImGui::GetClipboardText(), "https://example.org/guide");
  EXPECT_NE(state()["notice"].get<std::string>().find("example.org"), std::string::npos);
}

TEST_F(ShellOfProgram, ShowsTheTimesOfFramesWhenAsked) {
  ASSERT_TRUE(play("command view.frame_times").ok());
  EXPECT_NE(value("frame_times").find("ms"), std::string::npos);
  ASSERT_TRUE(play("command view.frame_times").ok());
  EXPECT_FALSE(state()["values"].contains("frame_times"));
}

TEST_F(ShellOfProgram, DrawsNothingWhileAListIsOpenAndNothingChanges) {
  ASSERT_TRUE(play("key Ctrl+Shift+P").ok());
  EXPECT_FALSE(program().wants_frame());
  EXPECT_EQ(program().next_change_s(), 0);
}

TEST_F(ShellOfProgram, FindsOutliersAndKeyOpsBesideTheFrames) {
  ui::Model model;
  program().session().describe(model);
  ASSERT_NE(model.outliers, nullptr);
  EXPECT_EQ(model.outliers->rows,
            aggregate::find_outliers(*model.profile, *model.aggregation->iteration_table,
                                     model.rules.get())
                .rows);
  ASSERT_NE(model.key_ops, nullptr);
  EXPECT_EQ(model.key_ops->size(), aggregate::rank_key_ops(*model.profile).size());
}

TEST_F(ShellOfProgram, PreviewsACutWithoutTouchingTheSelection) {
  const auto before = state()["selection"];
  program().preview_cut(workspace::kEndCut);
  offscreen_->draw_until_settled();
  ui::Model model;
  program().session().describe(model);
  ASSERT_NE(model.preview_table, nullptr);
  EXPECT_EQ(model.preview_table->iterations,
            aggregate::cut_iterations(*model.profile, workspace::kEndCut));
  EXPECT_EQ(state()["selection"], before);
  program().preview_cut(std::nullopt);
  ui::Model after;
  program().session().describe(after);
  EXPECT_EQ(after.preview_table, nullptr);
}

TEST_F(ShellOfProgram, RemembersViewAndRangeOfEachFile) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder.path() / "run.sqlite") << "x";
  const std::string path = (folder.path() / "run.sqlite").string();
  workspace::FileMemory memory(folder.path() / "files.json");
  memory_ = &memory;
  offscreen_.reset();
  SetUp();
  workspace::OpenRequest request = workspace::random_request();
  request.path = path;
  open(request);
  program().select({workspace::kStartCut, {1, 3}});
  program().show(ui::ViewId::iterations);
  open(workspace::random_request());
  EXPECT_EQ(memory.recall(path),
            workspace::state_string("iterations", {workspace::kStartCut, {1, 3}}));
  ASSERT_EQ(memory.recent().size(), 1u);
  EXPECT_EQ(memory.recent().front().path, path);
}

TEST_F(ShellOfProgram, BeginsInTheViewAndWithTheNoticeOfTheRequest) {
  workspace::OpenRequest request = workspace::random_request();
  request.view = "iterations";
  request.choose = [](const aggregate::KeyRanking&) -> base::Result<workspace::FirstSelection> {
    return workspace::FirstSelection{{workspace::kStartCut, {0, 1}}, "only two"};
  };
  open(request);
  EXPECT_EQ(state()["view"], "iterations");
  EXPECT_EQ(state()["notice"], "only two");
}

TEST_F(ShellOfProgram, CollapsesItsMenusIntoOneOnANarrowWindow) {
  EXPECT_TRUE(state()["items"].contains("nav/file"));
  for (int i = 0; i < 3; ++i) program().run_command("view.zoom_in");
  offscreen_->draw_until_settled();
  EXPECT_FALSE(state()["items"].contains("nav/file"));
  ASSERT_TRUE(play("click-item nav/menu\nclick-item menu/view.theme").ok());
  EXPECT_EQ(state()["theme"], "light");
}

TEST(Notices, FadeAfterAFewSeconds) {
  ProgramHooks hooks;
  auto created = OffscreenProgram::create(900, 600, {}, hooks);
  if (!created) GTEST_SKIP() << base::to_text(created.error());
  Program& program = (*created)->program();
  program.show_notice("done");
  program.draw_frame(900, 600, 0.1f);
  EXPECT_GT(program.next_change_s(), 1);
  program.draw_frame(900, 600, 4.5f);
  EXPECT_EQ(program.notice(), "done");
  EXPECT_TRUE(program.wants_frame());
  program.draw_frame(900, 600, 1.0f);
  EXPECT_EQ(program.notice(), "");
  EXPECT_EQ(program.next_change_s(), 0);
}

TEST(Notices, ShowAProblemBesideTheNextNotice) {
  auto created = OffscreenProgram::create(900, 600, {}, {});
  if (!created) GTEST_SKIP() << base::to_text(created.error());
  Program& program = (*created)->program();
  program.show_problem("disk full");
  program.show_notice("Copied");
  program.draw_frame(900, 600, 0.1f);
  const auto values = nlohmann::json::parse(state_json(program))["values"];
  EXPECT_EQ(values["notice/0"], "disk full");
  EXPECT_EQ(values["notice/1"], "Copied");
  EXPECT_EQ(values["notice"], "Copied");
}

TEST(Notices, DisappearAtOnceWithReducedMotion) {
  ProgramOptions options;
  options.reduced_motion = true;
  auto created = OffscreenProgram::create(900, 600, options, {});
  if (!created) GTEST_SKIP() << base::to_text(created.error());
  Program& program = (*created)->program();
  program.show_notice("done");
  for (int i = 0; i < 4; ++i) program.draw_frame(900, 600, 0.001f);
  program.draw_frame(900, 600, 4.9f);
  EXPECT_EQ(program.notice(), "done");
  EXPECT_FALSE(program.wants_frame()) << "a notice fades";
  EXPECT_GT(program.next_change_s(), 0);
  program.draw_frame(900, 600, 0.2f);
  EXPECT_EQ(program.notice(), "");
}

TEST_F(ShellOfProgram, TogglesPaletteAndMotionByCommand) {
  program().run_command("view.colorblind");
  program().run_command("view.reduced_motion");
  offscreen_->draw_until_settled();
  EXPECT_EQ(state()["palette"], "colorblind");
  EXPECT_EQ(state()["reduced_motion"], true);
  program().run_command("view.colorblind");
  offscreen_->draw_until_settled();
  EXPECT_EQ(state()["palette"], "default");
}

TEST(ProgramCommands, AllSayWhatTheyDo) {
  for (const ProgramCommand& command : program_commands()) {
    EXPECT_STRNE(command.title, "") << command.id;
    EXPECT_STRNE(command.help, "") << command.id;
  }
}

TEST(ProgramCommands, StandInTheListOfKeys) {
  const std::string keys = testing::contents_of(DLVIEW_SOURCE_DIR "/docs/shortcuts.md");
  EXPECT_NE(keys.find(commands_as_markdown()), std::string::npos)
      << "put the output of `dlview commands` into docs/shortcuts.md";
}

}  // namespace
}  // namespace dlview::app
