// Search and colors of the Timeline on Dear ImGui alone.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/units.h"
#include "import/pytorch/event_sketch.h"
#include "timeline/time_text.h"
#include "ui/theme.h"
#include "ui/views/timeline_fixture.h"

namespace dlview::ui {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class TimelineSearchTest : public testing::TimelineFixture {
 protected:
  void search(const char* text) {
    run(TimelineCommand::search);
    type(text);
  }
  std::string answer() const { return value("timeline/search/answer"); }
  std::string start() const { return value("timeline/details/start"); }
};

TEST_F(TimelineSearchTest, CountsWhatItFindsByKind) {
  search("XMM");
  // All of them are launched at one time.
  EXPECT_EQ(answer(), "21 events: 20 kernels, 1 launch");
  EXPECT_TRUE(view_.is_searching());
  EXPECT_FALSE(view_.has_selection());
}

TEST_F(TimelineSearchTest, LightsWhatItFindsAndDimsTheRest) {
  view_.request({.window = {}, .iteration = 4});
  frames(3);
  const std::string kernel = "timeline/gpu_0/1/first", op = "timeline/thread_1_1/0/first";
  const Color kernels = color_at(kernel), ops = color_at(op);
  ASSERT_NE(kernels, 0U);
  ASSERT_NE(ops, 0U);
  search("xmma");
  EXPECT_EQ(color_at(kernel), kernels);
  EXPECT_EQ(color_at(op), mix(palette(model.theme).background, ops, 0.16f));
}

TEST_F(TimelineSearchTest, AFoldHasTheColorOfTheHitInIt) {
  testing::Sketch sketch;
  const auto instance = sketch.instance(sketch.op("net/all"), 0, 200'000'000);
  for (int64_t start = 0; start < 200'000'000; start += 1'000'000) {
    sketch.kernel(instance, start, start + 1000, 0, "gemm", true);
    sketch.kernel(instance, start + 1000, start + 1010, 0, "ncclDevKernel_AllReduce");
  }
  show(sketch.finish(), "");
  const ItemRect plot = item("timeline/plot"), row = item("timeline/gpu_0/1");
  const timeline::TimeMap map(window(), static_cast<int32_t>(plot.right - plot.left));
  const auto column = static_cast<float>(map.column(100'000'000));
  search("nccl");
  EXPECT_EQ(color_at(plot.left + column + 0.5f, (row.top + row.bottom) / 2),
            palette(model.theme).tone(Tone::communication));
}

TEST_F(TimelineSearchTest, SaysThatNothingIsFound) {
  search("no such kernel");
  EXPECT_EQ(answer(), "No event name contains “no such kernel”");
  run(TimelineCommand::next_hit);
  EXPECT_FALSE(view_.has_selection());
}

TEST_F(TimelineSearchTest, EnterStepsForwardAndShiftEnterBack) {
  search("twice");
  hit(ImGuiKey_Enter);
  EXPECT_EQ(value("timeline/details/name"), "net/twice");
  EXPECT_THAT(answer(), StartsWith("1 of 40 events"));
  const std::string first = start();
  hit(ImGuiKey_Enter);
  EXPECT_THAT(answer(), StartsWith("2 of 40 events"));
  testing::hold_shift(true);
  hit(ImGuiKey_Enter);
  EXPECT_EQ(start(), first);
  hit(ImGuiKey_Enter);
  testing::hold_shift(false);
  EXPECT_THAT(answer(), StartsWith("40 of 40 events"));  // around the beginning
}

TEST_F(TimelineSearchTest, CommandsStepWithoutTheField) {
  search("twice");
  run(TimelineCommand::next_hit);
  run(TimelineCommand::next_hit);
  EXPECT_THAT(answer(), StartsWith("2 of 40"));
  run(TimelineCommand::previous_hit);
  EXPECT_THAT(answer(), StartsWith("1 of 40"));
}

TEST_F(TimelineSearchTest, AHitInAFoldedGroupOpensIt) {
  click("timeline/group/gpu_0");
  frames(2);
  search("xmma");
  while (value("timeline/details/name") != "xmma") run(TimelineCommand::next_hit);
  EXPECT_EQ(value("timeline/group/gpu_0"), "open");
}

TEST_F(TimelineSearchTest, FindsStepsThatOnlyTheRulerShows) {
  testing::EventSketch sketch;
  for (const int64_t at : {0, 1000, 2000}) {
    sketch.annotation("ProfilerStep#" + std::to_string(at / 1000), at, at + 1000);
    sketch.op("aten::add", at + 100, at + 500);
  }
  show(std::make_shared<const profile::Profile>(std::move(sketch).finish()), "ProfilerStep");
  const std::string steps = "timeline/thread_100_100/0", tree = "timeline/thread_100_100/1";
  EXPECT_FALSE(has_item(steps));
  EXPECT_TRUE(has_item(tree));
  search("ProfilerStep#");
  EXPECT_THAT(answer(), StartsWith("3 "));
  EXPECT_FALSE(has_item(steps));
  run(TimelineCommand::next_hit);
  EXPECT_THAT(value("timeline/details/name"), StartsWith("ProfilerStep#"));
  EXPECT_TRUE(has_item(steps));
  run(TimelineCommand::deselect);
  EXPECT_FALSE(has_item(steps));
}

TEST_F(TimelineSearchTest, EscapeEndsIt) {
  search("twice");
  hit(ImGuiKey_Escape);
  EXPECT_FALSE(view_.is_searching());
  EXPECT_EQ(answer(), "(none)");
  search("twice");
  run(TimelineCommand::next_hit);
  run(TimelineCommand::deselect);
  EXPECT_TRUE(view_.is_searching());
  run(TimelineCommand::deselect);
  EXPECT_FALSE(view_.is_searching());
}

TEST_F(TimelineSearchTest, ColorsAreChosenAndToldOf) {
  EXPECT_EQ(value("timeline/colors"), "Colors: Category");
  EXPECT_EQ(value("timeline/legend/0"), "Tensor Core kernels");
  run(TimelineCommand::next_colors);
  EXPECT_EQ(value("timeline/colors"), "Colors: Op type");
  EXPECT_EQ(value("timeline/legend/0"), "conv2d");
  run(TimelineCommand::color_by_op);
  EXPECT_EQ(value("timeline/legend/0"), "net/conv");
  run(TimelineCommand::color_by_direction);
  EXPECT_EQ(value("timeline/legend/0"), "Groups of ops");
  EXPECT_EQ(value("timeline/legend/1"), "Other");
  EXPECT_EQ(view_.colors(), timeline::ColorBy::direction);
  run(TimelineCommand::next_colors);
  EXPECT_EQ(view_.colors(), timeline::ColorBy::category);
}

TEST_F(TimelineSearchTest, TheLegendNamesGroupsAndWhatBelongsToNoOp) {
  ImGui::GetIO().DisplaySize.x = 3000;
  testing::Sketch sketch;
  sketch.instance(sketch.op("net/step", "step"), 100, 200);
  sketch.instance(sketch.op("data/load", "load"), 210, 220);
  sketch.user_range("epoch", 50, 300);
  open(sketch.finish(), "");
  model.lanes = testing::lanes_of(model.profile);
  frames(3);
  const auto names = [this] {
    std::vector<std::string> all;
    for (int i = 0; value(fmt::format("timeline/legend/{}", i)) != "(none)"; ++i) {
      all.push_back(value(fmt::format("timeline/legend/{}", i)));
    }
    return all;
  };
  EXPECT_THAT(names(), ::testing::Contains("NVTX ranges and groups"));
  run(TimelineCommand::next_colors);
  EXPECT_THAT(names(), ::testing::ElementsAre("step", "load", "Groups of ops", "Other"));
}

TEST_F(TimelineSearchTest, BeginsWithTheColorsItIsAskedFor) {
  view_.request({.window = {}, .iteration = {}, .colors = timeline::ColorBy::op_type});
  EXPECT_EQ(view_.colors(), timeline::ColorBy::op_type);
  frames(2);
  EXPECT_EQ(value("timeline/colors"), "Colors: Op type");
}

TEST_F(TimelineSearchTest, ShowsATimeOrKernelFromAnotherView) {
  view_.request({.window = {}, .iteration = {}, .stretch = timeline::TimeWindow{300, 50}});
  frames(3);
  EXPECT_TRUE(view_.has_selection());
  EXPECT_EQ(value("timeline/stretch"), base::format_duration(int64_t{50}));
  ASSERT_TRUE(view_.window());
  EXPECT_LE(view_.window()->start_ns, 300);
  EXPECT_GE(view_.window()->stop_ns(), 350);
  view_.request({.window = {}, .iteration = {}, .kernel = profile::KernelIndex{2}});
  frames(3);
  EXPECT_EQ(start(), timeline::time_text(325));
}

}  // namespace
}  // namespace dlview::ui
