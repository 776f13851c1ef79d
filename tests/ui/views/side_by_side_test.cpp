// Two iterations side by side in the Timeline, on Dear ImGui alone.

#include <functional>
#include <future>

#include <gmock/gmock.h>

#include "base/units.h"
#include "ui/theme.h"
#include "ui/timeline/time_text.h"
#include "ui/views/timeline_fixture.h"

namespace dlview::ui {
namespace {

using ::testing::HasSubstr;
using timeline::Command;
using timeline::TimeWindow;

class SideBySideTest : public testing::TimelineFixture {
 protected:
  // Iteration 10 holds the data loader and takes 300 ns, all others 100.
  void begin(int64_t iteration, int64_t baseline) {
    model.compared = {iteration, baseline};
    view_.request({.window = {}, .iteration = {}, .side_by_side = true});
    frames(4);
  }
  float width() const {
    const ItemRect plot = item("timeline/first/plot");
    return plot.right - plot.left;
  }
};

TEST_F(SideBySideTest, ShowsTheSlowestAboveTheTypicalOneUnlessOthersAreChosen) {
  run(Command::side_by_side);
  EXPECT_TRUE(view_.is_side_by_side());
  EXPECT_THAT(value("timeline/first/title"), HasSubstr("slowest of the range"));
  EXPECT_THAT(value("timeline/second/title"), HasSubstr("typical"));
  EXPECT_THAT(value("timeline/second/title"),
              HasSubstr(base::format_duration(int64_t{200}) + " shorter"));
  run(Command::side_by_side);
  EXPECT_FALSE(view_.is_side_by_side());
  EXPECT_TRUE(has_item("timeline/plot"));
}

TEST_F(SideBySideTest, TheIterationThatIsShownStandsAbove) {
  view_.request({.window = {}, .iteration = 4});
  frames(2);
  run(Command::side_by_side);
  EXPECT_EQ(model.compared.iteration, 4);
  EXPECT_EQ(view_.marked().size(), 2U);
}

TEST_F(SideBySideTest, BothBandsShowTheSameTimeFromTheStartsOfTheirIterations) {
  begin(10, 4);
  EXPECT_EQ(view_.window(), std::nullopt);
  const auto& rows = model.aggregation->iteration_table->iterations.rows;
  for (int i = 0; i < 4; ++i) {
    const auto shown = view_.marked();
    ASSERT_EQ(shown.size(), 2U);
    EXPECT_EQ(shown[0].length_ns, shown[1].length_ns);
    EXPECT_EQ(shown[0].start_ns - rows[10].start_ns, shown[1].start_ns - rows[4].start_ns);
    run(i % 2 == 0 ? Command::zoom_in : Command::pan_right);
  }
  EXPECT_NE(view_.window(), std::nullopt);
  run(Command::whole_run);
  EXPECT_EQ(view_.window(), std::nullopt);
}

TEST_F(SideBySideTest, TheEndOfTheShorterOneIsMarked) {
  begin(10, 4);
  const float first = std::stof(value("timeline/first/end"));
  const float second = std::stof(value("timeline/second/end"));
  EXPECT_GT(first, 0.9f * width());
  EXPECT_NEAR(second / first, 1.0 / 3, 0.02);
}

TEST_F(SideBySideTest, LanesOfOneThatTheOtherHasNotAreKeptInBoth) {
  testing::Sketch sketch(2);
  const auto step = sketch.op("step"), conv = sketch.op("conv");
  for (const int64_t at : {0, 100, 200}) {
    const auto instance = sketch.instance(step, at, at + 50);
    if (at == 100) sketch.kernel(instance, at + 5, at + 15, 0);
    if (at == 200) sketch.instance(conv, at + 60, at + 70, {1, 2});
  }
  show(sketch.finish(), "step");
  begin(1, 0);
  for (const std::string side : {"first", "second"}) {
    EXPECT_TRUE(has_item("timeline/" + side + "/group/gpu_0")) << side;
    EXPECT_FALSE(has_item("timeline/" + side + "/group/gpu_1")) << side;
    EXPECT_FALSE(has_item("timeline/" + side + "/group/thread_1_2")) << side;
  }
}

TEST_F(SideBySideTest, AnEventIsFoundInTheTableAndInTheOtherIteration) {
  begin(10, 4);
  click("timeline/first/gpu_0/1/first");
  frames(2);
  EXPECT_TRUE(has_item("timeline/first/selected"));
  EXPECT_TRUE(has_item("timeline/second/selected"));
  // It runs 200 ns later in iteration 10.
  const float first = item("timeline/first/selected").left;
  const float second = item("timeline/second/selected").left;
  const double per_pixel = static_cast<double>(view_.marked()[0].length_ns) / width();
  EXPECT_NEAR((first - second) * per_pixel, 200, 2 * per_pixel);
  run(Command::zoom_to_selection);
  EXPECT_LT(view_.window()->length_ns, 270);  // 240 from the start of one to the stop of the other
  EXPECT_TRUE(has_item("timeline/second/selected"));
  run(Command::deselect);
  EXPECT_FALSE(has_item("timeline/first/selected"));
  EXPECT_TRUE(view_.is_side_by_side());
  run(Command::deselect);
  EXPECT_FALSE(view_.is_side_by_side());
}

TEST_F(SideBySideTest, TheTableListsWhatDiffersAndLightsIt) {
  begin(10, 4);
  EXPECT_EQ(value("differing_ops/rows/0/op_name"), "data/next");
  EXPECT_EQ(value("differing_ops/rows/0/difference_ns"), "+" + base::format_duration(int64_t{200}));
  EXPECT_EQ(value("differing_ops/rows/0/only_in"), "10");
  click("differing_ops/rows/0");
  frames(2);
  EXPECT_FALSE(view_.has_selection());  // of an event
  run(Command::differences);
  EXPECT_THAT(value("differing_kernels/why_none"), HasSubstr("No kernel"));
}

// Seven threads are more than a band shows at once.
TEST_F(SideBySideTest, WhatIsSelectedInTheTableIsScrolledTo) {
  testing::Sketch sketch;
  const auto step = sketch.op("step"), conv = sketch.op("conv"), late = sketch.op("late");
  for (const int64_t at : {0, 1000, 2000}) {
    sketch.instance(step, at, at + 50);
    for (int thread = 2; thread < 8; ++thread) {
      sketch.instance(conv, at + 60, at + 70, {1, thread});
    }
    sketch.instance(late, at + 100, at + (at == 1000 ? 400 : 200), {1, 8});
  }
  show(sketch.finish(), "step");
  begin(1, 0);
  EXPECT_FALSE(has_item("timeline/first/thread_1_8/0"));
  EXPECT_EQ(value("differing_ops/rows/0/op_name"), "late");
  click("differing_ops/rows/0");
  frames(3);
  EXPECT_TRUE(has_item("timeline/first/thread_1_8/0"));
  EXPECT_TRUE(has_item("timeline/second/thread_1_8/0"));
}

TEST_F(SideBySideTest, WhatThePointerIsAtIsToldWithWhatDoesTheSameInTheOther) {
  begin(10, 4);
  move_to("timeline/first/gpu_0/1/first");
  frames(2);
  EXPECT_TRUE(has_item("timeline/first/pointed"));
  EXPECT_TRUE(has_item("timeline/second/pointed"));
  EXPECT_THAT(value("tooltip"), HasSubstr("in iteration 10"));
  EXPECT_THAT(value("tooltip"), HasSubstr("in iteration 4"));
  move_to("timeline/first/thread_1_1/0/first");
  frames(2);
  EXPECT_THAT(value("tooltip"), HasSubstr("0 against iteration 4"));
}

TEST_F(SideBySideTest, AnotherIterationKeepsThePartThatIsShown) {
  begin(10, 4);
  for (int i = 0; i < 4; ++i) run(Command::zoom_in);
  const auto before = view_.window();
  model.compared.iteration = 11;
  frames(3);
  ASSERT_TRUE(before && view_.window());
  EXPECT_EQ(view_.window()->length_ns, before->length_ns);
  const auto& rows = model.aggregation->iteration_table->iterations.rows;
  EXPECT_GE(view_.marked()[0].start_ns, rows[11].start_ns);
}

TEST_F(SideBySideTest, OfTheLastIterationItIsToldThatItMayBeCutOff) {
  begin(20, 4);
  EXPECT_THAT(value("timeline/first/title"), HasSubstr("may be cut off"));
  EXPECT_THAT(value("timeline/second/title"), ::testing::Not(HasSubstr("cut off")));
}

TEST_F(SideBySideTest, TheSameIterationTwiceSaysSo) {
  begin(4, 4);
  EXPECT_THAT(value("differing_ops/why_none"), HasSubstr("same iteration twice"));
  EXPECT_EQ(value("timeline/first/end"), value("timeline/second/end"));
}

TEST_F(SideBySideTest, OfOneIterationItSaysThatTwoAreNeeded) {
  show(testing::run_of_twenty_steps(), "");
  run(Command::side_by_side);
  EXPECT_EQ(value("timeline/page"), "There is only one iteration");
  run(Command::deselect);
  EXPECT_TRUE(has_item("timeline/plot"));
}

TEST_F(SideBySideTest, IterationsWithoutGpuWorkShowTheirThreads) {
  testing::Sketch sketch;
  const auto step = sketch.op("step");
  for (int64_t at = 0; at < 500; at += 100) sketch.instance(step, at, at + 40 + at / 10);
  show(sketch.finish(), "step");
  begin(3, 1);
  EXPECT_TRUE(has_item("timeline/first/group/thread_1_1"));
  EXPECT_EQ(value("differing_ops/rows/0/difference_ns"), "+" + base::format_duration(int64_t{20}));
}

TEST_F(SideBySideTest, HitsOfTheSearchAreSteppedThroughWithinTheIteration) {
  begin(10, 4);
  run(Command::search);
  type("xmma");
  frames(3);
  run(Command::next_hit);
  EXPECT_TRUE(has_item("timeline/first/selected"));
  const float left = item("timeline/first/selected").left;
  run(Command::next_hit);  // there is no other one in it
  EXPECT_EQ(item("timeline/first/selected").left, left);
}

// Behind its end the shorter one shows what comes after it.
TEST_F(SideBySideTest, WhatBelongsToAnotherIterationIsDimmed) {
  begin(10, 4);
  const ItemRect own = item("timeline/second/gpu_0/1/first");
  const float y = (own.top + own.bottom) / 2;
  const Colour lit = colour_at("timeline/second/gpu_0/1/first");
  EXPECT_EQ(lit, colour_at("timeline/first/gpu_0/1/first"));
  const double pixels = width() / static_cast<double>(view_.marked()[0].length_ns);
  const Colour next = colour_at(own.left + static_cast<float>(100 * pixels) + 3, y);
  EXPECT_EQ(next, mix(palette(model.theme).background, lit, 0.16f));
}

// A kernel of 40 ns, from 225 ns on in iteration 10 and from 25 ns on in iteration 4.
TEST_F(SideBySideTest, TheTimeBetweenEdgesOfABandIsMeasured) {
  begin(10, 4);
  run(Command::measure);
  EXPECT_TRUE(view_.is_measuring());
  const auto click_edges = [&](const std::string& band) {
    const ItemRect kernel = item(band + "/gpu_0/1/first");
    const float y = (kernel.top + kernel.bottom) / 2;
    click_at(kernel.left, y);
    click_at(kernel.right, y);
    frames(2);
  };
  click_edges("timeline/second");
  EXPECT_EQ(value("timeline/measured"), base::format_ns(40));
  EXPECT_EQ(view_.status(), "Measured from " + timeline::time_text(25) + " to " +
                                timeline::time_text(65) + ": " + base::format_ns(40));
  const ItemRect other = item("timeline/first/gpu_0/1/first");
  move_to(other.left, (other.top + other.bottom) / 2);
  frames(2);
  EXPECT_EQ(value("timeline/measured"), base::format_ns(40)) << "stays until something else is";
  click_edges("timeline/first");
  EXPECT_THAT(view_.status(), ::testing::StartsWith("Measured from " + timeline::time_text(225)));
  EXPECT_FALSE(view_.has_selection());
  run(Command::deselect);
  EXPECT_FALSE(view_.is_measuring());
  EXPECT_TRUE(view_.is_side_by_side());
}

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
  // Nothing is found beside the frame until go() is called.
  void stop() {
    tables_.background.run([this] { may_go_.get_future().wait(); });
  }
  void go() {
    may_go_.set_value();
    settle();
  }
  // In the first of the two its partner begins 5 µs later.
  void select_first_kernel() {
    click("timeline/second/gpu_0/1/first");
    frames(2);
    ASSERT_TRUE(view_.has_selection());
  }

 private:
  std::promise<void> may_go_;
};

TEST_F(LongSideBySideTest, WhatIsSelectedIsShownOnceWhatDoesTheSameIsFound) {
  stop();
  select_first_kernel();
  const auto before = view_.window();
  run(Command::show_selection);
  EXPECT_EQ(view_.window(), before);
  EXPECT_THAT(view_.status(), HasSubstr("Looking for what does the same in iteration 1"));
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
    ImGui::GetIO().KeyCtrl = true;
    turn_wheel(1);
    ImGui::GetIO().KeyCtrl = false;
  };
  const std::vector<std::function<void()>> gestures{
      [&] { run(Command::zoom_in); }, [&] { run(Command::measure); }, zoom_by_wheel,
      [&] { drag("timeline/first/plot", 40); }, [&] { run(Command::deselect); }};
  for (std::size_t i = 0; i < gestures.size(); ++i) {
    begin_late(TimeWindow{90, 400});
    std::promise<void> may_go;
    tables_.background.run([&] { may_go.get_future().wait(); });
    // Another one in each round: what has been found once is known.
    const ItemRect plot = item("timeline/second/plot"), row = item("timeline/second/gpu_0/1/first");
    const float per_ns = (plot.right - plot.left) / 400;
    click_at(plot.left + static_cast<float>(15 + 20 * i) * per_ns, (row.top + row.bottom) / 2);
    run(Command::show_selection);
    EXPECT_THAT(view_.status(), HasSubstr("Looking for")) << i;
    gestures[i]();
    const auto window = view_.window();
    EXPECT_THAT(view_.status(), ::testing::Not(HasSubstr("Looking for"))) << i;
    may_go.set_value();
    settle();
    EXPECT_EQ(view_.window(), window) << i;
    if (view_.is_measuring()) run(Command::measure);
  }
}

TEST_F(LongSideBySideTest, AnotherCutKeepsThePartThatIsShownAndMeasuring) {
  run(Command::measure);
  const auto before = view_.window();
  aggregate::Selection selection = model.selection;
  selection.cut.kind = aggregate::CutKind::end;
  stop();
  host.select(selection);
  frame();
  EXPECT_EQ(value("timeline/page"), "Preparing the two iterations…");
  EXPECT_EQ(view_.window(), before);
  go();
  EXPECT_TRUE(has_item("timeline/first/plot"));
  EXPECT_TRUE(view_.is_measuring());
  EXPECT_EQ(view_.window(), before);
  // Where there is nothing to stand side by side both end.
  selection.cut.key_op = "";
  host.select(selection);
  frames(2);
  EXPECT_EQ(value("timeline/page"), "There is only one iteration");
  EXPECT_FALSE(view_.is_measuring());
}

// Found or not: what has no partner waits for none.
TEST_F(LongSideBySideTest, AnEventOfAnotherIterationIsShownWithoutAWait) {
  stop();
  select_first_kernel();
  run(Command::deselect);
  begin_at({999'990, 100});
  click("timeline/second/thread_1_1/0/first");  // where the next iteration begins
  frames(2);
  ASSERT_TRUE(view_.has_selection());
  const auto before = view_.window();
  run(Command::show_selection);
  EXPECT_THAT(view_.status(), ::testing::Not(HasSubstr("Looking for")));
  EXPECT_NE(view_.window(), before);
  go();
}

TEST_F(LongSideBySideTest, WhileTheTwoArePreparedMeasuringBeginsButNoBookmarkIsSet) {
  EXPECT_TRUE(view_.can_set_bookmark());
  aggregate::Selection selection = model.selection;
  selection.cut.kind = aggregate::CutKind::end;
  stop();
  host.select(selection);
  frame();
  EXPECT_EQ(value("timeline/page"), "Preparing the two iterations…");
  EXPECT_FALSE(view_.can_set_bookmark());
  run(Command::measure);
  EXPECT_TRUE(view_.is_measuring());
  go();
  EXPECT_TRUE(has_item("timeline/first/plot"));
  EXPECT_TRUE(view_.is_measuring());
  EXPECT_TRUE(view_.can_set_bookmark());
}

// Kernels that are far above the threads, and more of them than a frame looks at.
TEST_F(LongSideBySideTest, WhatWasSelectedInTheTableScrollsNoMoreOnceAnEventIs) {
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

TEST_F(SideBySideTest, DifferencesAreExportedUnderThePresentRangeWithoutFilters) {
  begin(10, 4);
  aggregate::Selection selection = model.selection;
  selection.range = {2, 12};
  selection.filters = {{aggregate::FilterKind::op_type, "conv2d"}};
  host.select(selection);
  frames(3);
  click("differing_ops/export");
  frames(3);
  click("menu/differing_ops/export_csv");
  ASSERT_TRUE(host.exported);
  EXPECT_EQ(host.exported->selection.range, selection.range);
  EXPECT_THAT(host.exported->selection.filters, ::testing::IsEmpty());
  EXPECT_EQ(host.exported->title, "Differences by op, iteration 10 against 4");
}

TEST_F(SideBySideTest, LongIterationsAreLookedAtBesideTheFrame) {
  show(run_of_long_steps(), "step");
  model.compared = {1, 0};
  view_.request({.window = TimeWindow{90, 400}, .iteration = {}, .side_by_side = true});
  frame();
  EXPECT_EQ(value("timeline/page"), "Preparing the two iterations…");
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
  EXPECT_THAT(value("timeline/first/title"), HasSubstr("may be cut off"));
}

// Iteration 4 begins at 400, iteration 10 at 1000.
TEST_F(SideBySideTest, BookmarksStandAboveTheIterationInWhichTheyBegin) {
  begin(10, 4);
  view_.bookmarks() = {{{425, 40}, {410, 100}, "kernel"},
                       {{700, 10}, {650, 100}, "elsewhere"},
                       {{1225, 40}, {0, 2000}, "late kernel"}};
  frames(2);
  EXPECT_EQ(value("timeline/second/bookmark/0"), "kernel");
  EXPECT_EQ(value("timeline/first/bookmark/2"), "late kernel");
  for (const std::string other :
       {"first/bookmark/0", "first/bookmark/1", "second/bookmark/1", "second/bookmark/2"}) {
    EXPECT_FALSE(has_item("timeline/" + other)) << other;
  }
  click("timeline/second/bookmark/0");
  frames(2);
  EXPECT_EQ(view_.window(), (TimeWindow{10, 100}));
  run(Command::whole_run);
  click("timeline/first/bookmark/2");  // set where more was visible than there is
  frames(2);
  ASSERT_TRUE(view_.window());
  EXPECT_LE(view_.window()->start_ns, 225);
  EXPECT_GE(view_.window()->stop_ns(), 265);
  EXPECT_LT(view_.window()->length_ns, 60);
}

TEST_F(SideBySideTest, ABookmarkIsSetAtWhatIsSelectedAndTakesANote) {
  begin(10, 4);
  click("timeline/second/gpu_0/1/first");
  frames(2);
  run(Command::bookmark);
  type("like the other");
  hit(ImGuiKey_Enter);
  ASSERT_EQ(view_.bookmarks().size(), 1U);
  EXPECT_EQ(view_.bookmarks()[0].time, (TimeWindow{425, 40}));
  EXPECT_EQ(view_.bookmarks()[0].note, "like the other");
  EXPECT_EQ(value("timeline/second/bookmark/0"), "like the other");
  run(Command::deselect);
  run(Command::bookmark);
  ASSERT_EQ(view_.bookmarks().size(), 2U);
  EXPECT_EQ(view_.bookmarks()[1].time.start_ns, 1000);
  EXPECT_TRUE(has_item("timeline/bookmark_note"));
}

// Iteration 4 is from 400 to 499, iteration 10 from 1000 to 1299.
TEST_F(SideBySideTest, ABookmarkIsSetInTheIterationThatTheWindowShows) {
  const auto bookmark_at = [&](const TimeWindow& window) {
    model.compared = {4, 10};
    view_.request({.window = window, .iteration = {}, .side_by_side = true});
    frames(4);
    run(Command::bookmark);
    hit(ImGuiKey_Enter);
    return view_.bookmarks().back().time;
  };
  EXPECT_EQ(bookmark_at({60, 100}), (TimeWindow{460, 39})) << "the part of the first";
  EXPECT_TRUE(has_item("timeline/first/bookmark/0"));
  EXPECT_EQ(bookmark_at({150, 60}), (TimeWindow{1150, 60})) << "behind the end of the first";
  EXPECT_TRUE(has_item("timeline/second/bookmark/1"));
}

// The kernel of the next iteration begins behind the end of both.
TEST_F(SideBySideTest, ABookmarkOfAnotherIterationTakesItsNoteWhereItIsSet) {
  begin(4, 10);
  const ItemRect own = item("timeline/first/gpu_0/1/first");
  const double pixels = width() / static_cast<double>(view_.marked()[0].length_ns);
  click_at(own.left + static_cast<float>(110 * pixels), (own.top + own.bottom) / 2);
  run(Command::bookmark);
  EXPECT_LT(item("timeline/bookmark_note").top, item("timeline/first/plot").top);
  type("of the next one");
  hit(ImGuiKey_Enter);
  ASSERT_EQ(view_.bookmarks().size(), 1U);
  EXPECT_EQ(view_.bookmarks()[0].time, (TimeWindow{525, 40}));
  EXPECT_EQ(view_.bookmarks()[0].note, "of the next one");
  EXPECT_FALSE(has_item("timeline/first/bookmark/0"));
}

TEST_F(SideBySideTest, ANoteIsTypedInOneBandAndEndsWithIt) {
  begin(4, 4);
  run(Command::bookmark);
  EXPECT_TRUE(has_item("timeline/second/bookmark/0"));
  EXPECT_LT(item("timeline/bookmark_note").top, item("timeline/first/plot").top);
  run(Command::side_by_side);
  EXPECT_TRUE(has_item("timeline/bookmark/0"));
  EXPECT_FALSE(has_item("timeline/bookmark_note"));
}

// At the right edge the field lies over a button and over a flag.
TEST_F(SideBySideTest, NothingUnderTheFieldOfANoteIsClicked) {
  begin(4, 10);
  view_.request({.window = TimeWindow{0, 240}, .iteration = {}, .side_by_side = true});
  view_.bookmarks() = {{{1195, 5}, {1000, 100}, "under it"}};
  frames(4);
  const ItemRect swap = item("timeline/swap"), flag = item("timeline/second/bookmark/0");
  click("timeline/second/gpu_0/1/first");
  run(Command::bookmark);
  EXPECT_FALSE(has_item("timeline/swap"));
  const ItemRect field = item("timeline/bookmark_note");
  ASSERT_LT(field.left, flag.left);
  ASSERT_GT(field.right, swap.left);
  const auto before = view_.window();
  click_at((flag.left + flag.right) / 2, (flag.top + field.bottom) / 2);
  EXPECT_EQ(view_.window(), before);
  click_at((swap.left + std::min(swap.right, field.right)) / 2, (swap.top + swap.bottom) / 2);
  type("still typed");
  hit(ImGuiKey_Enter);
  ASSERT_EQ(view_.bookmarks().size(), 2U);
  EXPECT_EQ(view_.bookmarks()[1].note, "still typed");
  frames(2);
  EXPECT_TRUE(has_item("timeline/swap"));
}

TEST_F(SideBySideTest, NoFrameShowsTheBandsElsewhereThanTheWindowIs) {
  begin(10, 4);
  view_.bookmarks() = {{{425, 40}, {410, 100}, "kernel"}};
  frames(2);
  move_to("timeline/second/bookmark/0");
  const auto begins_at = [&] { return view_.marked()[1].start_ns - 400; };
  for (const bool down : {true, false}) {
    press(down);
    EXPECT_EQ(begins_at(), view_.window().value_or(TimeWindow{}).start_ns) << down;
  }
  EXPECT_EQ(view_.window(), (TimeWindow{10, 100}));
}

TEST_F(SideBySideTest, ADragMovesBothAndDoubleClickShowsAnEventAlone) {
  begin(10, 4);
  run(Command::zoom_in);
  const int64_t before = view_.marked()[1].start_ns;
  drag("timeline/second/plot", -100);
  EXPECT_GT(view_.marked()[1].start_ns, before);
  const auto& rows = model.aggregation->iteration_table->iterations.rows;
  EXPECT_EQ(view_.marked()[0].start_ns - rows[10].start_ns,
            view_.marked()[1].start_ns - rows[4].start_ns);
}

}  // namespace
}  // namespace dlview::ui
