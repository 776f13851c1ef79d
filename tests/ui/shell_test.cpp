#include "ui/shell.h"

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <imgui.h>

#include "aggregate/aggregator.h"
#include "support/drawn_boxes.h"
#include "support/imgui_frames.h"
#include "support/sketch.h"
#include "ui/idle_host.h"
#include "ui/system_faces.h"
#include "ui/view.h"

namespace dlview::ui {
namespace {

// Records what was asked for and answers as the program does: a selection is aggregated at once.
class FakeHost : public testing::IdleHost {
 public:
  explicit FakeHost(Model& model) : model_(model) {}
  void select(const aggregate::Selection& selection) override {
    ++selections;
    const auto computed = aggregate::make_cpu_aggregator(model_.profile)->aggregate(selection);
    model_.selection = computed.selection;
    model_.aggregation = std::make_shared<aggregate::Aggregation>(computed);
  }
  void show(ViewId view) override { model_.view = view; }
  void show_tab(TabId tab) override { model_.view = views_of(tab).front().id; }
  void run_command(std::string_view id) override { commands.emplace_back(id); }
  void cancel_loading() override { canceled = true; }
  void open_link(const std::string& url) override { links.push_back(url); }
  void open_file(const std::string& path) override { files.push_back(path); }
  void show_overlay(Overlay overlay) override { model_.overlay = overlay; }
  void show_definitions(std::string_view) override { model_.overlay = Overlay::definitions; }
  void select_iteration(std::optional<int64_t> iteration) override {
    model_.compared.iteration = iteration;
  }
  void select_baseline(std::optional<int64_t> iteration) override {
    model_.compared.baseline = iteration;
  }

  int selections = 0;
  bool canceled = false;
  std::vector<std::string> commands, links, files;

 private:
  Model& model_;
};

// The shell on Dear ImGui alone: frames are built, never drawn.
class ShellTest : public ::testing::Test {
 protected:
  ShellTest() : context_(ImGui::CreateContext()), host_(model_) {
    testing::set_up_frames(1280, 800);
    shell_ = std::make_unique<Shell>(scheduler_);
    shell_->set_look(ThemeKind::dark, 1);
  }
  ~ShellTest() override {
    shell_.reset();
    ImGui::DestroyContext(context_);
  }

  // 20 steps of 100 ns, each with a kernel of 40 ns; iterations 0 to 20.
  void open_run(bool with_key_op = true) {
    testing::Sketch sketch;
    const auto step = sketch.op("train/step");
    const auto conv = sketch.op("net/conv", "conv2d", true);
    for (int i = 0; i < 20; ++i) {
      sketch.instance(step, 100 + 100 * i, 110 + 100 * i);
      sketch.kernel(sketch.instance(conv, 120 + 100 * i, 180 + 100 * i), 130 + 100 * i,
                    170 + 100 * i, 0, "xmma", true);
    }
    model_.profile = sketch.finish();
    model_.key_ops = std::make_shared<const std::vector<aggregate::KeyOpCandidate>>(
        aggregate::rank_key_ops(*model_.profile));
    model_.engine = "CPU";
    model_.aggregation_ms = 1;
    host_.select({{aggregate::CutKind::start, with_key_op ? "train/step" : "", 0}, {0, 1000}});
    host_.selections = 0;
  }
  void frame() {
    testing::begin_frame();
    shell_->draw(model_, host_);
    ImGui::Render();
  }
  void frames(int count) {
    for (int i = 0; i < count; ++i) frame();
  }
  // Returns whether fonts were baked, then or once the faces were found.
  bool set_texts(workspace::RunId run, const std::shared_ptr<const profile::Profile>& profile) {
    const bool at_once = shell_->set_texts(run, profile);
    shell_->settle();
    return shell_->set_texts(run, profile) || at_once;
  }
  ItemRect item(const std::string& name) {
    const auto found = shell_->inspector().items().find(name);
    EXPECT_NE(found, shell_->inspector().items().end()) << name;
    return found == shell_->inspector().items().end() ? ItemRect{} : found->second;
  }
  std::string value(const std::string& name) {
    const auto found = shell_->inspector().values().find(name);
    return found == shell_->inspector().values().end() ? "(none)" : found->second;
  }
  void move_to(float x, float y) {
    ImGui::GetIO().MousePos = {x, y};
    frame();
  }
  void press(bool down) {
    ImGui::GetIO().MouseDown[0] = down;
    frame();
  }
  void click(const std::string& name) {
    const ItemRect rect = item(name);
    move_to((rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2);
    frame();
    press(true);
    press(false);
    frame();
  }
  void drag(const std::string& name, float dx) {
    const ItemRect rect = item(name);
    const float x = (rect.left + rect.right) / 2;
    const float y = (rect.top + rect.bottom) / 2;
    move_to(x, y);
    frame();
    press(true);
    for (int i = 1; i <= 10; ++i) move_to(x + dx * static_cast<float>(i) / 10, y);
    press(false);
    frame();
  }
  void turn_wheel(const std::string& name, float lines) {
    const ItemRect rect = item(name);
    move_to((rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2);
    ImGui::GetIO().MouseWheel = lines;
    frames(2);
  }

  ImGuiContext* context_;
  Model model_;
  FakeHost host_;
  base::Scheduler scheduler_;
  std::unique_ptr<Shell> shell_;
};

TEST_F(ShellTest, NothingOpenShowsNoViews) {
  frames(2);
  EXPECT_FALSE(shell_->inspector().items().contains("nav/dashboard"));
}

TEST_F(ShellTest, AnErrorIsShownWithWhatToDo) {
  model_.error = base::Error{"Too new", "run.sqlite is 1.9", "Use a newer viewer"};
  frames(2);
  EXPECT_EQ(value("error/title"), "Too new");
  EXPECT_EQ(value("error/advice"), "Use a newer viewer");
}

TEST_F(ShellTest, LoadingCanBeCanceled) {
  model_.loading = base::Progress::Snapshot{"Reading kernels", 10, 100};
  frames(2);
  EXPECT_EQ(value("loading/stage"), "Reading kernels");
  click("loading/cancel");
  EXPECT_TRUE(host_.canceled);
}

TEST_F(ShellTest, OnlyProgressOfUnknownLengthMovesByItself) {
  model_.loading = base::Progress::Snapshot{"Reading kernels", 10, 100};
  frames(2);
  EXPECT_FALSE(shell_->animating()) << "cores that draw do not read";
  model_.loading = base::Progress::Snapshot{"Looking into the file", 0, 0};
  frames(2);
  EXPECT_TRUE(shell_->animating());
}

TEST_F(ShellTest, TheDashboardShowsTheSameNumbersAsTheAggregation) {
  open_run();
  frames(2);
  EXPECT_EQ(value("dashboard/kernel_launches"), "20");
  EXPECT_EQ(value("dashboard/tensor_core_efficiency"), "100%");
  EXPECT_EQ(value("dashboard/top_ops/0/name"), "net/conv");
}

TEST_F(ShellTest, TheNavigationBarSwitchesViews) {
  open_run();
  frames(2);
  click("nav/iterations");
  EXPECT_EQ(model_.view, ViewId::iterations);
  click("nav/brand");
  EXPECT_EQ(model_.view, ViewId::dashboard);
}

TEST_F(ShellTest, DraggingABoundReaggregatesWhileItMoves) {
  open_run();
  model_.view = ViewId::iterations;
  frames(2);
  const ItemRect plot = item("iterations/plot");
  const float per_iteration = (plot.right - plot.left) / 21;
  drag("iterations/bound_start", 5 * per_iteration);
  EXPECT_EQ(value("iterations/kernel_launches"), "16");
  EXPECT_GE(host_.selections, 4);  // on the way, not only at the end
  drag("iterations/bound_stop", -3 * per_iteration);
  EXPECT_EQ(value("iterations/in_range"), "13");
  EXPECT_EQ(value("iterations/profiled_iterations"), "13 of 21");
}

TEST_F(ShellTest, TheSlidersHandlesAndSpanMoveTheRange) {
  open_run();
  model_.view = ViewId::iterations;
  frames(2);
  const ItemRect plot = item("iterations/plot");
  const float per_iteration = (plot.right - plot.left) / 21;
  drag("iterations/slider/start", 4 * per_iteration);
  drag("iterations/slider/stop", -6 * per_iteration);
  EXPECT_EQ(model_.selection.range, (aggregate::IterationRange{4, 14}));
  drag("iterations/slider/span", 2 * per_iteration);
  EXPECT_EQ(model_.selection.range, (aggregate::IterationRange{6, 16}));
}

TEST_F(ShellTest, FieldsStepWithArrowsAndWheel) {
  open_run();
  model_.view = ViewId::iterations;
  frames(2);
  click("iterations/start_field/up");
  EXPECT_EQ(model_.selection.range.first, 1);
  turn_wheel("iterations/start_field", 1);
  EXPECT_EQ(model_.selection.range.first, 2);
  turn_wheel("iterations/stop_field", -1);
  EXPECT_EQ(model_.selection.range.last, 19);
  click("iterations/stop_field/down");
  EXPECT_EQ(model_.selection.range.last, 18);
}

TEST_F(ShellTest, ATypedNumberCountsAsSoonAsItIsLegal) {
  open_run();
  model_.view = ViewId::iterations;
  frames(2);
  click("iterations/start_field");
  ImGui::GetIO().AddInputCharactersUTF8("12");
  frames(2);
  EXPECT_EQ(model_.selection.range.first, 12);
}

TEST_F(ShellTest, TheWheelZoomsTheChartAndADoubleClickShowsAllAgain) {
  open_run();
  model_.view = ViewId::iterations;
  frames(2);
  const ItemRect before = item("iterations/bound_start");
  turn_wheel("iterations/plot", 3);
  EXPECT_FALSE(shell_->inspector().items().contains("iterations/bound_start"));
  press(true);
  press(false);
  press(true);
  press(false);
  frames(2);
  EXPECT_EQ(item("iterations/bound_start"), before);
  EXPECT_EQ(host_.selections, 0);
}

TEST_F(ShellTest, HidingACategoryChangesNoNumber) {
  open_run();
  frames(2);
  const std::string shown = value("dashboard/kernel_time/memory");
  ASSERT_NE(shown, "(none)");
  click("dashboard/kernel_time/legend/memory");
  EXPECT_EQ(value("dashboard/kernel_time/memory"), shown);
  EXPECT_EQ(host_.selections, 0);
}

TEST_F(ShellTest, ARunWithOneIterationSaysWhyThereIsNothingToDrag) {
  open_run(false);
  model_.view = ViewId::iterations;
  frames(2);
  EXPECT_EQ(value("iterations/single_note"), "The run is not split: no iteration marker is set.");
  EXPECT_FALSE(shell_->inspector().items().contains("iterations/bound_start"));
}

TEST_F(ShellTest, AKeyOpChosenFromTheListCutsTheRun) {
  open_run(false);
  model_.view = ViewId::iterations;
  frames(2);
  click("iterations/key_op_open");
  frames(2);
  click("iterations/key_op_list/train/step");
  frames(2);
  EXPECT_EQ(model_.selection.cut.key_op, "train/step");
  EXPECT_EQ(value("iterations/total"), "21");
}

TEST_F(ShellTest, CuttingAtTheEndsOfTheKeyOpIsOneClick) {
  open_run();
  model_.view = ViewId::iterations;
  frames(2);
  click("iterations/cut/end");
  EXPECT_EQ(model_.selection.cut.kind, aggregate::CutKind::end);
}

TEST_F(ShellTest, EveryWindowSizeAndScaleCanBeLaidOut) {
  open_run();
  for (const float scale : {0.75f, 1.0f, 1.5f, 2.0f}) {
    shell_->set_look(ThemeKind::light, scale);
    for (const ImVec2 size : {ImVec2{320, 200}, ImVec2{1280, 800}, ImVec2{3840, 2160}}) {
      ImGui::GetIO().DisplaySize = size;
      for (const ViewId view : {ViewId::dashboard, ViewId::iterations}) {
        model_.view = view;
        frames(2);
        EXPECT_GT(shell_->inspector().values().size(), 10u);
      }
    }
  }
}

TEST_F(ShellTest, FontsAreBakedAnewForAnotherScaleOnly) {
  EXPECT_FALSE(shell_->set_look(ThemeKind::dark, 1));
  EXPECT_FALSE(shell_->set_look(ThemeKind::light, 1));
  EXPECT_TRUE(shell_->set_look(ThemeKind::light, 1.5f));
}

TEST_F(ShellTest, BakesFontsAnewOnlyForTextsThatNeedOthers) {
  const auto profile_of = [](const char* name) {
    testing::Sketch sketch;
    sketch.op(name);
    return sketch.finish();
  };
  EXPECT_FALSE(set_texts(0, nullptr));
  EXPECT_FALSE(set_texts(0, profile_of("/net/forward")));
  const auto foreign = profile_of("/net/层");
  EXPECT_FALSE(shell_->set_texts(0, foreign)) << "faces are found in the background";
  EXPECT_TRUE(set_texts(0, foreign));
  EXPECT_FALSE(set_texts(0, foreign));
  EXPECT_FALSE(set_texts(0, profile_of("/other/层"))) << "the same characters";
  EXPECT_FALSE(set_texts(0, nullptr)) << "while the next file is read";
  EXPECT_FALSE(set_texts(0, profile_of("/net/forward"))) << "it needs fewer";
}

TEST_F(ShellTest, DrawsNoBoxesInAnyView) {
  open_run();
  for (const ViewInfo& view : views()) {
    model_.view = view.id;
    frames(3);
    EXPECT_EQ(testing::count_drawn_boxes(), 0) << view.name;
  }
}

TEST_F(ShellTest, DrawsEveryCharacterThatTheSystemHas) {
  // Every system that tests dlview has DejaVu, which has the first two. Few have the others.
  std::string characters;
  for (const auto& [character, text] :
       std::initializer_list<std::pair<char32_t, const char*>>{{U'\u2200', "\u2200"},
                                                               {U'\u26a1', "\u26a1\ufe0f"},
                                                               {U'\u5c42', "\u5c42"},
                                                               {U'\U0001f525', "\U0001f525"}}) {
    if (!find_system_faces(std::span(&character, 1)).empty()) characters += text;
  }
  if (characters.empty()) GTEST_SKIP() << "this system has no fonts: install fonts-dejavu-core";
  testing::Sketch sketch;
  const auto step = sketch.op("train/step");
  const auto named = sketch.op("net/" + characters + "x", characters);
  for (int i = 0; i < 3; ++i) {
    sketch.instance(step, 100 + 100 * i, 110 + 100 * i);
    sketch.kernel(sketch.instance(named, 120 + 100 * i, 180 + 100 * i), 130 + 100 * i,
                  170 + 100 * i);
  }
  model_.profile = sketch.finish();
  host_.select({{aggregate::CutKind::start, "train/step", 0}, {0, 1000}});
  model_.view = ViewId::ops;
  frames(3);
  EXPECT_GT(testing::count_drawn_boxes(), 0) << "no system face is baked yet";
  EXPECT_TRUE(set_texts(0, model_.profile));
  frames(3);
  EXPECT_EQ(testing::count_drawn_boxes(), 0);
}

TEST_F(ShellTest, BakesFontsOnceForAllRuns) {
  const auto profile_of = [](const char* name) {
    testing::Sketch sketch;
    sketch.op(name);
    return sketch.finish();
  };
  const auto first = profile_of("/net/\u0561"), second = profile_of("/net/\u0562");
  EXPECT_TRUE(set_texts(0, first));
  EXPECT_TRUE(set_texts(1, second));
  for (const workspace::RunId run : {0, 1, 0}) {
    EXPECT_FALSE(set_texts(run, run == 0 ? first : second)) << "switching bakes nothing";
  }
}

TEST(ViewNames, AreAlsoReadWithDashes) {
  const auto view = parse_view("cuda-summary");
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(*view, ViewId::cuda_summary);
  EXPECT_EQ(info(*view).name, "cuda_summary");
  const auto unknown = parse_view("cuda");
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().advice.find("cuda_summary"), std::string::npos);
}

}  // namespace
}  // namespace dlview::ui
