// Two iterations side by side that are so long that much is found in the background.

#include <functional>
#include <optional>

#include <gmock/gmock.h>

#include "ui/views/side_by_side_fixture.h"

namespace dlview::ui {
namespace {

using ::testing::HasSubstr;
using timeline::TimeWindow;

// 30 000 kernels, which are more than a frame looks at; those of the second iteration begin 5 µs
// later than in the others. With further threads, that do the same op without any, they are longer.
std::shared_ptr<const profile::Profile> run_of_long_steps(int further_threads = 0) {
  testing::Sketch sketch;
  const auto step = sketch.op("step"), conv = sketch.op("conv");
  for (int64_t at = 0; at < 3'000'000; at += 1'000'000) {
    sketch.instance(step, at, at + 50);
    for (int thread = 2; thread < 2 + further_threads; ++thread) {
      sketch.instance(conv, at + 60, at + 300'000, {1, thread});
    }
    const auto instance = sketch.instance(conv, at + 60, at + 70);
    const int64_t first = at + (at == 1'000'000 ? 5100 : 100);
    const int64_t length = at == 1'000'000 && further_threads > 0 ? 15 : 10;
    for (int64_t i = 0; i < 30'000; ++i) {
      sketch.kernel(instance, first + 20 * i, first + length + 20 * i);
    }
  }
  return sketch.finish();
}

TEST_F(SideBySideTest, LongIterationsAreLookedAtBesideTheFrame) {
  show(run_of_long_steps(), "step");
  model.compared = {1, 0};
  view_.request({.window = TimeWindow{90, 400}, .iteration = {}, .side_by_side = true});
  frame();
  EXPECT_EQ(value("timeline/page"), "Matching events…");
  tables_.background.wait_until_idle();
  frames(3);
  click("timeline/second/gpu_0/1/first");
  tables_.background.wait_until_idle();
  frames(2);
  EXPECT_TRUE(has_item("timeline/first/selected"));
  model.compared = {2, 0};
  frame();
  EXPECT_TRUE(has_item("timeline/first/plot"));  // those before, for a moment
  tables_.background.wait_until_idle();
  frames(3);
  EXPECT_THAT(value("timeline/first/title"), HasSubstr("may be incomplete"));
}

class LongSideBySideTest : public SideBySideTest {
 protected:
  LongSideBySideTest() {
    show(run_of_long_steps(), "step");
    begin_late({{90, 400}});
  }
  void begin_late(const std::optional<TimeWindow>& window) {
    model.compared = {1, 0};
    view_.request({.window = window, .iteration = {}, .side_by_side = true});
    frame();
    settle();
  }
  // Shows another part of the same two.
  void begin_at(const TimeWindow& window) {
    view_.request({.window = window, .iteration = {}, .side_by_side = true});
    frames(2);
  }
  void settle() {
    for (int i = 0; i < 3; ++i) {
      tables_.background.wait_until_idle();
      frames(2);
    }
  }
  // Nothing is found in the background until go() is called.
  void stop() { hold_.emplace(scheduler_); }
  void go() {
    hold_.reset();
    settle();
  }
  // Another cut, whose two iterations are prepared until go() is called.
  void cut_at_ends() {
    aggregate::Selection selection = model.selection;
    selection.cut.kind = aggregate::CutKind::end;
    stop();
    host.select(selection);
    frame();
    EXPECT_EQ(value("timeline/page"), "Matching events…");
  }
  // In the first of the two its partner begins 5 µs later.
  void select_first_kernel() {
    click("timeline/second/gpu_0/1/first");
    frames(2);
    ASSERT_TRUE(view_.has_selection());
  }

 private:
  std::optional<base::Scheduler::Hold> hold_;
};

TEST_F(LongSideBySideTest, ShowsTheSelectionOnceItsMatchIsFound) {
  stop();
  select_first_kernel();
  const auto before = view_.window();
  run(TimelineCommand::show_selection);
  EXPECT_EQ(view_.window(), before);
  EXPECT_THAT(view_.status(), HasSubstr("Finding the matching event in iteration 1"));
  go();
  ASSERT_TRUE(view_.window());
  EXPECT_NE(view_.window(), before);
  EXPECT_LE(view_.window()->start_ns, 100);
  EXPECT_GE(view_.window()->stop_ns(), 5110);
  EXPECT_TRUE(has_item("timeline/first/selected"));
  EXPECT_TRUE(has_item("timeline/second/selected"));
}

TEST_F(LongSideBySideTest, ADoubleClickWaitsToo) {
  stop();
  const ItemRect kernel = item("timeline/second/gpu_0/1/first");
  const auto before = view_.window();
  for (int i = 0; i < 2; ++i) click_at((kernel.left + kernel.right) / 2, kernel.top + 8);
  EXPECT_EQ(view_.window(), before);
  go();
  ASSERT_TRUE(view_.window());
  EXPECT_LE(view_.window()->start_ns, 100);
  EXPECT_GE(view_.window()->stop_ns(), 5110);
}

TEST_F(LongSideBySideTest, AnyOtherGestureEndsTheWait) {
  const auto zoom_by_wheel = [&] {
    move_to("timeline/first/plot");
    testing::hold_ctrl(true);
    turn_wheel(1);
    testing::hold_ctrl(false);
  };
  const std::vector<std::function<void()>> gestures{
      [&] { run(TimelineCommand::zoom_in); }, [&] { run(TimelineCommand::measure); }, zoom_by_wheel,
      [&] { drag("timeline/first/plot", 40); }, [&] { run(TimelineCommand::deselect); }};
  for (std::size_t i = 0; i < gestures.size(); ++i) {
    begin_late(TimeWindow{90, 400});
    stop();
    // Another one in each round: what has been found once is known.
    const ItemRect plot = item("timeline/second/plot"), row = item("timeline/second/gpu_0/1/first");
    const float per_ns = (plot.right - plot.left) / 400;
    click_at(plot.left + static_cast<float>(15 + 20 * i) * per_ns, (row.top + row.bottom) / 2);
    run(TimelineCommand::show_selection);
    EXPECT_THAT(view_.status(), HasSubstr("Finding the matching")) << i;
    gestures[i]();
    const auto window = view_.window();
    EXPECT_THAT(view_.status(), ::testing::Not(HasSubstr("Finding the matching"))) << i;
    go();
    EXPECT_EQ(view_.window(), window) << i;
    if (view_.is_measuring()) run(TimelineCommand::measure);
  }
}

TEST_F(LongSideBySideTest, AnotherSplitKeepsVisiblePartAndMeasuring) {
  run(TimelineCommand::measure);
  const auto before = view_.window();
  cut_at_ends();
  EXPECT_EQ(view_.window(), before);
  go();
  EXPECT_TRUE(has_item("timeline/first/plot"));
  EXPECT_TRUE(view_.is_measuring());
  EXPECT_EQ(view_.window(), before);
  // Where there is nothing to stand side by side both end.
  aggregate::Selection selection = model.selection;
  selection.cut.key_op = "";
  host.select(selection);
  frames(2);
  EXPECT_EQ(value("timeline/page"), "Only one iteration");
  EXPECT_FALSE(view_.is_measuring());
}

// Found or not: what has no partner waits for none.
TEST_F(LongSideBySideTest, ShowsAnEventOfAnotherIterationAtOnce) {
  stop();
  select_first_kernel();
  run(TimelineCommand::deselect);
  begin_at({999'990, 100});
  click("timeline/second/thread_1_1/0/first");  // where the next iteration begins
  frames(2);
  ASSERT_TRUE(view_.has_selection());
  const auto before = view_.window();
  run(TimelineCommand::show_selection);
  EXPECT_THAT(view_.status(), ::testing::Not(HasSubstr("Finding the matching")));
  EXPECT_NE(view_.window(), before);
  go();
}

TEST_F(LongSideBySideTest, AllowsMeasuringBeforeBookmarks) {
  EXPECT_TRUE(view_.can_set_bookmark());
  cut_at_ends();
  EXPECT_FALSE(view_.can_set_bookmark());
  run(TimelineCommand::measure);
  EXPECT_TRUE(view_.is_measuring());
  go();
  EXPECT_TRUE(has_item("timeline/first/plot"));
  EXPECT_TRUE(view_.is_measuring());
  EXPECT_TRUE(view_.can_set_bookmark());
}

// Kernels that are far above the threads, and more of them than a frame looks at.
TEST_F(LongSideBySideTest, SelectingAnEventStopsTableScrolling) {
  show(run_of_long_steps(8), "step");
  begin_late(std::nullopt);
  move_to("timeline/second/plot");
  turn_wheel(-40);
  const std::string last = "timeline/second/thread_1_9/0";
  ASSERT_TRUE(has_item(last));
  ASSERT_FALSE(has_item("timeline/second/gpu_0/1"));
  stop();
  click("differing_ops/rows/0");
  frames(2);
  click(last + "/first");
  frames(2);
  ASSERT_TRUE(view_.has_selection());
  go();
  EXPECT_TRUE(has_item(last));
}

}  // namespace
}  // namespace dlview::ui
