// The view of Python stacks on Dear ImGui alone, and what it is made of.
#include "ui/views/stacks/stacks.h"

#include <map>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "import/open.h"
#include "import/pytorch/event_sketch.h"
#include "import/pytorch/python_frames.h"
#include "support/python_frames_sketch.h"
#include "support/test_data.h"
#include "ui/view_fixture.h"
#include "ui/views/stacks/stack_data.h"

namespace dlview::ui {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::shared_ptr<const profile::PythonFrames> frames_of_two_steps() {
  testing::FrameSketch sketch({{100, 100}});
  const profile::Row main = sketch.frame("train.py(3): main", 0, 2000);
  for (const int64_t start : {0, 1000}) {
    const profile::Row step = sketch.frame("train.py(9): step", start + 100, start + 900, main);
    const profile::Row call = sketch.frame("torch/nn/modules/module.py(1751): _call_impl",
                                           start + 150, start + 800, step);
    sketch.frame("<built-in function linear>", start + 200, start + 600, call);
    sketch.frame("torch/optim/adam.py(5): update", start + 820, start + 850, step);
  }
  return std::make_shared<const profile::PythonFrames>(std::move(sketch).finish());
}

std::shared_ptr<const profile::Profile> profile_of_two_steps(int64_t frames) {
  testing::EventSketch sketch;
  for (const int64_t start : {0, 1000}) {
    sketch.annotation(fmt::format("ProfilerStep#{}", start / 1000), start, start + 1000);
    sketch.op("aten::linear", start + 200, start + 600);
    sketch.launch("gemm", start + 300);
  }
  profile::Profile profile = std::move(sketch).finish();
  profile.recorded_tables.clear();
  if (frames > 0) {
    profile.recorded_tables.push_back({std::string(profile::kPythonFrameTable), "", frames, ""});
  }
  return std::make_shared<const profile::Profile>(std::move(profile));
}

class StacksViewTest : public testing::ViewFixture {
 protected:
  StacksViewTest() { show(9); }
  void show(int64_t frame_count) {
    open(profile_of_two_steps(frame_count), "ProfilerStep");
    if (frame_count > 0) model.python_frames = frames_of_two_steps();
    view_.emplace();
    draw = [this](Frame& frame, const Box& box, BarLayer& bars) {
      view_->draw(frame, box, {bars, tables_});
    };
    frames(3);
  }
  void command(TableCommand command) {
    tables_.command = command;
    frames(3);
  }
  std::string choice() {
    for (const workspace::TableState& state : view_->table_states()) {
      if (state.table == StacksView::kStackChoice) return state.selected;
    }
    return "";
  }

  base::Scheduler scheduler_;
  Tables tables_{scheduler_};
  std::optional<StacksView> view_;
};

TEST_F(StacksViewTest, BeginsWhereTheStackSplits) {
  EXPECT_EQ(value("stacks/chart/root"), "train.py(3): main");
  EXPECT_THAT(value("stacks/chart/value"), StartsWith("2.00 µs"));
  EXPECT_TRUE(has_item("stacks/chart/train.py(9): step"));
}

TEST_F(StacksViewTest, FollowsRangeAndMeasure) {
  host.select({model.selection.cut, {0, 0}});
  frames(3);
  EXPECT_THAT(value("stacks/chart/value"), StartsWith("999 ns"));
  click("stacks/measure/gpu");
  EXPECT_EQ(value("stacks/chart/root"), "<built-in function linear>");
  EXPECT_THAT(value("stacks/chart/value"), StartsWith("10 ns"));
  EXPECT_EQ(view_->tables()[0]->model().query().sort[0].column, "gpu_time_self");
}

TEST_F(StacksViewTest, KeepsWhereTheUserWent) {
  click("stacks/chart/train.py(9): step");
  EXPECT_EQ(value("stacks/chart/root"), "train.py(9): step");
  host.select({model.selection.cut, {0, 0}});
  frames(3);
  EXPECT_EQ(value("stacks/chart/root"), "train.py(9): step");
  EXPECT_EQ(view_->tables()[0]->model().selected(), "train.py(9): step");
}

TEST_F(StacksViewTest, HidesInternalFrames) {
  EXPECT_TRUE(has_item("stacks/chart/torch/nn/modules/module.py(1751): _call_impl"));
  click("stacks/frames/own");
  EXPECT_FALSE(has_item("stacks/chart/torch/nn/modules/module.py(1751): _call_impl"));
  EXPECT_TRUE(has_item("stacks/chart/train.py(9): step"));
}

TEST_F(StacksViewTest, SelectedFunctionShowsInTheChart) {
  view_->tables()[0]->model().select("<built-in function linear>");
  frames(3);
  click("stacks/style/sunburst");
  EXPECT_EQ(value("stacks/chart/pointed"), "<built-in function linear>");
}

TEST_F(StacksViewTest, TableStyleShowsTheTreeOpenAlongTheLongestPath) {
  click("stacks/style/table");
  DataTable& tree = *view_->tables()[0];
  EXPECT_EQ(tree.model().look().id, "stack_tree");
  EXPECT_EQ(tree.model().row_count(), 5u) << "main, step, _call_impl, linear, update";
  click("stacks/collapse");
  EXPECT_EQ(tree.model().row_count(), 1u);
  click("stacks/expand");
  EXPECT_EQ(tree.model().row_count(), 5u);
}

TEST_F(StacksViewTest, CommandsSwitchAndStateKeepsIt) {
  EXPECT_EQ(choice(), "");
  command(TableCommand::next_stack_style);
  command(TableCommand::stack_measure);
  command(TableCommand::stack_internal);
  EXPECT_EQ(choice(), "sunburst gpu hide_internal");
  const auto states = view_->table_states();
  view_.emplace();
  for (const workspace::TableState& state : states) view_->set_table(state);
  frames(3);
  EXPECT_EQ(choice(), "sunburst gpu hide_internal");
  command(TableCommand::stack_icicle);
  command(TableCommand::stack_measure);
  command(TableCommand::stack_internal);
  EXPECT_EQ(choice(), "");
}

TEST_F(StacksViewTest, MenusSetDepthAndCutoff) {
  click("stacks/depth");
  frames(2);
  click("menu/stacks/depth_5");
  click("stacks/cutoff");
  frames(2);
  click("menu/stacks/cutoff_0");
  EXPECT_EQ(choice(), "levels=5 cutoff=0");
}

TEST_F(StacksViewTest, SearchMarksNamesInTheChart) {
  EXPECT_FALSE(has_value("stacks/chart/found"));
  view_->tables()[0]->model().set_search("TORCH/");
  frames(3);
  EXPECT_EQ(value("stacks/chart/found"), "2");
}

TEST_F(StacksViewTest, SaysWhatRecordsFrames) {
  show(0);
  EXPECT_EQ(value("stacks/none/title"), "No Python frames recorded");
  EXPECT_THAT(value("stacks/none/advice"), HasSubstr("with_stack=True"));
}

TEST_F(StacksViewTest, SaysWhyFramesCouldNotBeRead) {
  model.python_frames = nullptr;
  model.frames_error =
      base::Error{"The file has changed since it was opened", "a.json", "Open it."};
  frames(2);
  EXPECT_EQ(value("stacks/error/title"), "The file has changed since it was opened");
  EXPECT_TRUE(has_item("page/stacks.read"));
}

TEST_F(StacksViewTest, ShowsProgressAndCancel) {
  model.python_frames = nullptr;
  model.reading_frames = base::Progress::Snapshot{"Reading events", 3, 10};
  frames(2);
  EXPECT_EQ(value("stacks/reading/stage"), "Reading events");
  EXPECT_TRUE(has_item("stacks/reading/cancel"));
}

TEST(StackChoice, TextKeepsEveryPart) {
  EXPECT_EQ(to_text(StackChoice{}), "");
  for (const StackStyle style : {StackStyle::icicle, StackStyle::sunburst, StackStyle::table}) {
    const StackChoice choice{style, StackMeasure::gpu, 10, 0, true};
    EXPECT_EQ(parse_stack_choice(to_text(choice)), choice);
  }
  EXPECT_EQ(parse_stack_choice("sunburst levels=x pie cutoff="),
            (StackChoice{.style = StackStyle::sunburst}));
}

TEST(StackFrames, HavePackageAndFunction) {
  EXPECT_EQ(package_of("torch/nn/modules/module.py(1751): _call_impl"), "torch");
  EXPECT_EQ(package_of("nn.Module: Linear_3"), "nn.Module");
  EXPECT_EQ(package_of("<built-in method to of Tensor object at 0x7c>"), "built-in");
  EXPECT_EQ(package_of("train.py(3): main"), "other files");
  EXPECT_EQ(package_of("<frozen os>(12): walk"), "other files");
  EXPECT_EQ(package_of("/home/me/train.py(3): main"), "other files");
  EXPECT_EQ(function_of("torch/nn/modules/module.py(1751): _call_impl"), "_call_impl");
  EXPECT_EQ(function_of("nn.Module: Linear_3"), "Linear_3");
  EXPECT_EQ(function_of("<built-in method to of Tensor object at 0x7c>"), "to");
  EXPECT_EQ(function_of("<built-in function linear>"), "linear");
  EXPECT_EQ(function_of("<string>"), "<string>");
}

// Every node of the chart against the row of the table that has the same call stack.
TEST(StackData, EqualsTheTableOfStacks) {
  DLVIEW_REQUIRE_TEST_DATA();
  base::Progress progress;
  auto opened = import::open_profile(
      *testing::test_data_folder() / "pytorch/tracelens_h100_bert-small.json.gz", progress);
  ASSERT_TRUE(opened);
  const auto profile = std::make_shared<const profile::Profile>(*std::move(opened));
  auto read = import::pytorch::read_python_frames(*profile, progress);
  ASSERT_TRUE(read);
  const auto frames = std::make_shared<const profile::PythonFrames>(*std::move(read));
  const auto aggregation = std::make_shared<const aggregate::Aggregation>(
      aggregate::make_cpu_aggregator(profile)->aggregate({{}, {0, 0}}));
  for (const bool hides : {false, true}) {
    report::ViewArguments arguments;
    arguments.python_frames = frames;
    arguments.hides_internal_frames = hides;
    const auto table = report::make_view("stack_tree", *profile, *aggregation, arguments);
    ASSERT_TRUE(table);
    std::map<std::string, std::pair<int64_t, int64_t>> rows;
    for (std::size_t row = 0; row < table->row_count; ++row) {
      rows[report::to_text(cell_in(*table, row, "call_stack"))] = {
          std::get<int64_t>(cell_in(*table, row, "cpu_time_total")),
          std::get<int64_t>(cell_in(*table, row, "gpu_time_total"))};
    }
    EXPECT_GT(rows.size(), 200u);
    const StackData data = make_stack_data(profile, aggregation, frames, hides);
    ASSERT_EQ(data.by_cpu->tree.size(), rows.size());
    for (uint32_t node = 0; node < data.by_cpu->tree.size(); ++node) {
      std::string stack;
      for (const uint32_t each : data.by_cpu->tree.path(node)) {
        if (!stack.empty()) stack += " > ";
        stack += data.by_cpu->name(each);
      }
      ASSERT_TRUE(rows.contains(stack)) << stack;
      EXPECT_EQ(data.by_cpu->tree.value(node), rows[stack].first) << stack;
      EXPECT_EQ(data.by_gpu->tree.value(node), rows[stack].second) << stack;
    }
  }
}

}  // namespace
}  // namespace dlview::ui
