// Two iterations side by side in the Timeline, on Dear ImGui alone.

#include <array>

#include <gmock/gmock.h>

#include "base/units.h"
#include "timeline/time_text.h"
#include "ui/theme.h"
#include "ui/views/side_by_side_fixture.h"

namespace dlview::ui {
namespace {

using ::testing::HasSubstr;
using timeline::TimeWindow;

TEST_F(SideBySideTest, ShowsSlowestAboveTypicalByDefault) {
  run(TimelineCommand::side_by_side);
  EXPECT_TRUE(view_.is_side_by_side());
  EXPECT_THAT(value("timeline/first/title"), HasSubstr("slowest of the range"));
  EXPECT_THAT(value("timeline/second/title"), HasSubstr("typical"));
  EXPECT_THAT(value("timeline/second/title"),
              HasSubstr(base::format_duration(int64_t{200}) + " shorter"));
  run(TimelineCommand::side_by_side);
  EXPECT_FALSE(view_.is_side_by_side());
  EXPECT_TRUE(has_item("timeline/plot"));
}

TEST_F(SideBySideTest, TheIterationThatIsShownStandsAbove) {
  view_.request({.window = {}, .iteration = 4});
  frames(2);
  run(TimelineCommand::side_by_side);
  EXPECT_EQ(model.compared.iteration, 4);
  EXPECT_EQ(view_.marked().size(), 2U);
}

TEST_F(SideBySideTest, BothBandsCountFromTheirOwnStart) {
  begin(10, 4);
  EXPECT_EQ(view_.window(), std::nullopt);
  const auto& rows = model.aggregation->iteration_table->iterations.rows;
  for (int i = 0; i < 4; ++i) {
    const auto shown = view_.marked();
    ASSERT_EQ(shown.size(), 2U);
    EXPECT_EQ(shown[0].length_ns, shown[1].length_ns);
    EXPECT_EQ(shown[0].start_ns - rows[10].start_ns, shown[1].start_ns - rows[4].start_ns);
    run(i % 2 == 0 ? TimelineCommand::zoom_in : TimelineCommand::pan_right);
  }
  EXPECT_NE(view_.window(), std::nullopt);
  run(TimelineCommand::whole_run);
  EXPECT_EQ(view_.window(), std::nullopt);
}

TEST_F(SideBySideTest, TheEndOfTheShorterOneIsMarked) {
  begin(10, 4);
  const float first = std::stof(value("timeline/first/end"));
  const float second = std::stof(value("timeline/second/end"));
  EXPECT_GT(first, 0.9f * width());
  EXPECT_NEAR(second / first, 1.0 / 3, 0.02);
}

TEST_F(SideBySideTest, BusyCountsTheIterationOnly) {
  testing::Sketch sketch;
  const auto step = sketch.op("train/step");
  const auto conv = sketch.op("net/conv");
  // From iteration 1 on. The third takes 299 ns, the others 99; kernels take 20, 40, 60, ... ns.
  const std::array<int64_t, 5> starts{100, 200, 300, 600, 700};
  for (std::size_t i = 0; i < starts.size(); ++i) {
    sketch.instance(step, starts[i], starts[i] + 90);
    const auto instance = sketch.instance(conv, starts[i] + 5, starts[i] + 10);
    const auto length = static_cast<int64_t>(20 * (i + 1));
    sketch.kernel(instance, starts[i] + 10, starts[i] + 10 + length);
  }
  show(sketch.finish(), "train/step");
  begin(1, 3);
  const auto& rows = model.aggregation->iteration_table->iterations.rows;
  ASSERT_EQ(rows[1].stop_ns - rows[1].start_ns, 99);
  ASSERT_EQ(rows[3].stop_ns - rows[3].start_ns, 299);
  EXPECT_EQ(value("timeline/first/gpu_0/share"), base::format_percent(2000.0 / 99));
  EXPECT_EQ(value("timeline/second/gpu_0/share"), base::format_percent(6000.0 / 299));
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

TEST_F(SideBySideTest, FindsAnEventInTableAndOtherIteration) {
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
  run(TimelineCommand::zoom_to_selection);
  EXPECT_LT(view_.window()->length_ns, 270);  // 240 from the start of one to the stop of the other
  EXPECT_TRUE(has_item("timeline/second/selected"));
  run(TimelineCommand::deselect);
  EXPECT_FALSE(has_item("timeline/first/selected"));
  EXPECT_TRUE(view_.is_side_by_side());
  run(TimelineCommand::deselect);
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
  run(TimelineCommand::differences);
  EXPECT_THAT(value("differing_kernels/why_none"), HasSubstr("No kernel"));
}

TEST_F(SideBySideTest, ListsGpuIdleInTheTable) {
  begin(10, 4);
  EXPECT_EQ(value("differing_ops/rows/1/op_name"), "GPU idle");
  EXPECT_EQ(value("differing_ops/rows/1/difference_ns"), "+" + base::format_duration(int64_t{200}));
  click("differing_ops/rows/1");
  frames(2);
  EXPECT_FALSE(view_.has_selection());
  const auto open_menu_of = [this](const std::string& row) {
    const ItemRect rect = item(row);
    open_menu_at(rect.left + 40, (rect.top + rect.bottom) / 2);
  };
  open_menu_of("differing_ops/rows/0");
  EXPECT_TRUE(has_item("copy/everything"));
  hit(ImGuiKey_Escape);
  open_menu_of("differing_ops/rows/1");
  EXPECT_TRUE(has_item("copy/cell"));
  EXPECT_FALSE(has_item("copy/everything"));
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

TEST_F(SideBySideTest, ShowsTheHoveredEventWithItsMatch) {
  begin(10, 4);
  move_to("timeline/first/gpu_0/1/first");
  frames(2);
  EXPECT_TRUE(has_item("timeline/first/pointed"));
  EXPECT_TRUE(has_item("timeline/second/pointed"));
  EXPECT_THAT(value("tooltip"), HasSubstr("in iteration 10"));
  EXPECT_THAT(value("tooltip"), HasSubstr("in iteration 4"));
  move_to("timeline/first/thread_1_1/0/first");
  frames(2);
  EXPECT_THAT(value("tooltip"), HasSubstr("0 compared with iteration 4"));
}

TEST_F(SideBySideTest, AnotherIterationKeepsThePartThatIsShown) {
  begin(10, 4);
  for (int i = 0; i < 4; ++i) run(TimelineCommand::zoom_in);
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
  EXPECT_THAT(value("timeline/first/title"), HasSubstr("may be incomplete"));
  EXPECT_THAT(value("timeline/second/title"), ::testing::Not(HasSubstr("cut off")));
}

TEST_F(SideBySideTest, TheSameIterationTwiceSaysSo) {
  begin(4, 4);
  EXPECT_THAT(value("differing_ops/why_none"), HasSubstr("Both are the same iteration"));
  EXPECT_EQ(value("timeline/first/end"), value("timeline/second/end"));
}

TEST_F(SideBySideTest, OfOneIterationItSaysThatTwoAreNeeded) {
  show(testing::run_of_twenty_steps(), "");
  run(TimelineCommand::side_by_side);
  EXPECT_EQ(value("timeline/page"), "Only one iteration");
  run(TimelineCommand::deselect);
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

TEST_F(SideBySideTest, StepsThroughHitsWithinTheIteration) {
  begin(10, 4);
  run(TimelineCommand::search);
  type("xmma");
  frames(3);
  run(TimelineCommand::next_hit);
  EXPECT_TRUE(has_item("timeline/first/selected"));
  const float left = item("timeline/first/selected").left;
  run(TimelineCommand::next_hit);  // there is no other one in it
  EXPECT_EQ(item("timeline/first/selected").left, left);
}

// Behind its end the shorter one shows what comes after it.
TEST_F(SideBySideTest, WhatBelongsToAnotherIterationIsDimmed) {
  begin(10, 4);
  const ItemRect own = item("timeline/second/gpu_0/1/first");
  const float y = (own.top + own.bottom) / 2;
  const Color lit = color_at("timeline/second/gpu_0/1/first");
  EXPECT_EQ(lit, color_at("timeline/first/gpu_0/1/first"));
  const double pixels = width() / static_cast<double>(view_.marked()[0].length_ns);
  const Color next = color_at(own.left + static_cast<float>(100 * pixels) + 3, y);
  EXPECT_EQ(next, mix(palette(model.theme).background, lit, 0.16f));
}

// A kernel of 40 ns, from 225 ns on in iteration 10 and from 25 ns on in iteration 4.
TEST_F(SideBySideTest, TheTimeBetweenEdgesOfABandIsMeasured) {
  begin(10, 4);
  run(TimelineCommand::measure);
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
  run(TimelineCommand::deselect);
  EXPECT_FALSE(view_.is_measuring());
  EXPECT_TRUE(view_.is_side_by_side());
}

TEST_F(SideBySideTest, ExportsDifferencesWithoutFilters) {
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
  EXPECT_EQ(host.exported->title, "Differences by op, iteration 10 vs. 4");
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
  run(TimelineCommand::zoom_in);
  const int64_t before = view_.marked()[1].start_ns;
  drag("timeline/second/plot", -100);
  EXPECT_GT(view_.marked()[1].start_ns, before);
  const auto& rows = model.aggregation->iteration_table->iterations.rows;
  EXPECT_EQ(view_.marked()[0].start_ns - rows[10].start_ns,
            view_.marked()[1].start_ns - rows[4].start_ns);
}

}  // namespace
}  // namespace dlview::ui
