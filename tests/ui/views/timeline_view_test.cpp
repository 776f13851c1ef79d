// The Timeline view on Dear ImGui alone: rows, events, selection and what is told of it.

#include <gmock/gmock.h>

#include "base/units.h"
#include "import/pytorch/event_sketch.h"
#include "support/thread_ids.h"
#include "timeline/time_text.h"
#include "ui/theme.h"
#include "ui/views/timeline_fixture.h"

namespace dlview::ui {
namespace {

using timeline::TimeWindow;

class TimelineViewTest : public testing::TimelineFixture {
 protected:
  // The stream of the GPU, and its first kernel.
  static constexpr const char* kStream = "timeline/gpu_0/1";
  void select_first_kernel() {
    click(std::string(kStream) + "/first");
    frames(2);
  }
};

TEST_F(TimelineViewTest, SaysThatItIsBeingPrepared) {
  model.lanes = nullptr;
  frame();
  EXPECT_EQ(value("timeline/page"), "Building the timeline…");
}

TEST_F(TimelineViewTest, OfARunWithoutEventsSaysSo) {
  open(testing::Sketch().finish(), "");
  model.lanes = testing::lanes_of(model.profile);
  frame();
  EXPECT_EQ(value("timeline/page"), "No events recorded");
}

TEST_F(TimelineViewTest, ShowsTheWholeRunAtFirst) {
  EXPECT_EQ(view_.window(), std::nullopt);
  EXPECT_EQ(value(kStream), "All streams");
  EXPECT_EQ(value("timeline/thread_1_1/0"), "Ops");
  EXPECT_EQ(value("timeline/group/gpu_0"), "open");
}

TEST_F(TimelineViewTest, AClickOpensIdleThreads) {
  testing::Sketch sketch;
  sketch.instance(sketch.op("net/conv"), 0, 1000, {7, 9});
  auto profile = std::make_shared<profile::Profile>(*sketch.finish());
  testing::add_threads(profile->trace.emplace());
  const profile::ThreadId idle = testing::thread_of(7, 10);
  profile->trace->switches = {std::vector<int64_t>{0, 500},
                              std::vector<profile::ThreadId>{idle, idle}, std::vector<int32_t>(2),
                              std::vector<int16_t>{1, 0}};
  show(profile, "");
  EXPECT_EQ(value("timeline/group/idle_threads"), "folded");
  EXPECT_FALSE(has_value("timeline/group/thread_7_10"));
  click("timeline/group/idle_threads");
  frames(2);
  EXPECT_EQ(value("timeline/group/idle_threads"), "open");
  EXPECT_EQ(value("timeline/group/thread_7_10"), "open");
}

TEST_F(TimelineViewTest, ShowsCountersBelowTheirGpu) {
  testing::EventSketch sketch;
  sketch.op("aten::add", 0, 1000);
  sketch.kernel("k", 0, 1000, 1);
  sketch.counter("Queue Length", "stream 7", 0, 0, 3);
  sketch.counter("Queue Length", "stream 7", 0, 600, 12.345);
  sketch.counter("load", "load", 4711, 900, 1e20);
  show(std::make_shared<const profile::Profile>(std::move(sketch).finish()), "");
  const std::string queue = "timeline/gpu_0/1", load = "timeline/counters_0/0";
  EXPECT_EQ(value(queue), "Queue Length · stream 7");
  EXPECT_EQ(value(queue + "/bounds"), "3 to 12.3");
  EXPECT_EQ(value("timeline/gpu_0/2"), "Stream 7 · kernels");
  EXPECT_EQ(value("timeline/group/counters_0"), "open");
  EXPECT_EQ(value(load), "load") << "a value of the counter's name";
  EXPECT_EQ(value(load + "/bounds"), "1e+20");

  const auto tooltip_at = [&](const std::string& row, int64_t time_ns) {
    const ItemRect plot = item("timeline/plot"), box = item(row);
    const timeline::TimeMap map(window(), static_cast<int32_t>(plot.right - plot.left));
    move_to(plot.left + static_cast<float>(map.column(time_ns)) + 0.5f, (box.top + box.bottom) / 2);
    frames(2);
    return value("tooltip");
  };
  EXPECT_EQ(tooltip_at(queue, 300), "Queue Length · stream 7: 3");
  EXPECT_EQ(tooltip_at(queue, 800), "Queue Length · stream 7: 12.3");
  EXPECT_EQ(tooltip_at(load, 300), "load: unknown");
  EXPECT_EQ(tooltip_at(load, 950), "load: 1e+20");
}

TEST_F(TimelineViewTest, OpensGpuMetricsWhenClicked) {
  testing::Sketch sketch;
  const profile::Row op = sketch.op("net/conv");
  sketch.kernel(sketch.instance(op, 0, 1000), 0, 1000);
  auto profile = std::make_shared<profile::Profile>(*sketch.finish());
  profile::TraceCounters& counters = profile->trace.emplace().counters;
  counters.time_ns = std::vector<int64_t>{100, 300, 500, 100, 300, 500, 100, 300, 500};
  counters.value = std::vector<double>{10, 20, 60, 50, 50, 50, 5, 10, 15};
  for (const char* name : {"SM Active", "DRAM Read Throughput", "DRAM Write Throughput"}) {
    const std::size_t first = 3 * counters.series.size();
    profile::TraceCounters::Series& series = counters.series.emplace_back();
    series.counter = name;
    series.device = 1;
    series.first = first;
    series.kind = profile::CounterKind::sample;
    series.unit = "%";
  }
  show(profile, "");
  const std::string active = "timeline/gpu_0/1", memory = "timeline/gpu_0/2";
  EXPECT_EQ(value(active), "SM active");
  EXPECT_EQ(value(active + "/means"), "30.0%");
  EXPECT_FALSE(has_value(memory));
  click(active + "/name");
  frames(2);
  EXPECT_EQ(value(memory), "DRAM R + W");
  EXPECT_EQ(value(memory + "/means"), "50.0 + 10.0%");
  const ItemRect plot = item("timeline/plot"), box = item(memory);
  const timeline::TimeMap map(window(), static_cast<int32_t>(plot.right - plot.left));
  move_to(plot.left + static_cast<float>(map.column(350)) + 0.5f, (box.top + box.bottom) / 2);
  frames(2);
  EXPECT_THAT(value("tooltip"), ::testing::HasSubstr("DRAM Write Throughput"));
  EXPECT_THAT(value("tooltip"), ::testing::HasSubstr("15.0%")) << "until the next sample";
  EXPECT_THAT(value("tooltip"), ::testing::HasSubstr("Sampled every 200"));
  click(active + "/name");
  frames(2);
  EXPECT_FALSE(has_value(memory));
}

TEST_F(TimelineViewTest, AClickOnAKernelTellsOfIt) {
  select_first_kernel();
  EXPECT_TRUE(view_.has_selection());
  EXPECT_EQ(value("timeline/details/name"), "xmma");
  EXPECT_EQ(value("timeline/details/duration"), base::format_duration(int64_t{40}));
  EXPECT_EQ(value("timeline/details/start"), timeline::time_text(125));
  EXPECT_EQ(value("timeline/details/op"), "net/conv");
  EXPECT_EQ(value("timeline/details/iteration"), "1");
  EXPECT_EQ(value("timeline/details/same_name"), "20");
  EXPECT_EQ(value("timeline/details/rank"), "1 of 20");
  EXPECT_EQ(value("timeline/details/tensor_cores"), "used");
  run(TimelineCommand::deselect);
  EXPECT_FALSE(view_.has_selection());
}

TEST_F(TimelineViewTest, AClickedEventStaysUnderThePointer) {
  const std::string first = std::string(kStream) + "/first";
  view_.request({.window = TimeWindow{110, 400}, .iteration = {}});
  frames(3);
  const ItemRect before = item(first);
  select_first_kernel();
  EXPECT_EQ(window().start_ns, 110);
  EXPECT_LT(window().length_ns, 400);
  EXPECT_NEAR(item(first).left, before.left, 1);
  EXPECT_NEAR(item(first).right, before.right, 1);
  run(TimelineCommand::deselect);
  EXPECT_EQ(window().start_ns, 110);
  EXPECT_NEAR(static_cast<double>(window().length_ns), 400, 2);
}

TEST_F(TimelineViewTest, ClosingThePaneTakesItsScrollingBack) {
  const TimeWindow before{110, 400};
  view_.request({.window = before, .iteration = {}});
  frames(3);
  const ItemRect plot = item("timeline/plot"), stream = item(std::string(kStream) + "/first");
  const float y = (stream.top + stream.bottom) / 2;
  for (float x = plot.right - 5; !view_.has_selection() && x > plot.left; x -= 20) click_at(x, y);
  frames(2);
  EXPECT_GT(window().start_ns, before.start_ns) << "the event would be behind the pane";
  run(TimelineCommand::deselect);
  EXPECT_EQ(window(), before);
}

TEST_F(TimelineViewTest, KeepsTheScaleOfTheRunNextToThePane) {
  const std::string first = std::string(kStream) + "/first";
  const ItemRect before = item(first);
  select_first_kernel();
  EXPECT_NEAR(item(first).left, before.left, 1);
  EXPECT_NEAR(item(first).right, before.right, 1);
  run(TimelineCommand::deselect);
  EXPECT_EQ(view_.window(), std::nullopt);
}

// The first click opens the pane, in the second case under the pointer.
TEST_F(TimelineViewTest, ADoubleClickShowsTheEventOfItsFirstClick) {
  for (const TimeWindow& shown : {model.lanes->whole, TimeWindow{0, 150}}) {
    view_.request({.window = shown, .iteration = {}});
    frames(3);
    const ItemRect kernel = item(std::string(kStream) + "/first");
    move_to((kernel.left + kernel.right) / 2, (kernel.top + kernel.bottom) / 2);
    for (int i = 0; i < 2; ++i) {
      press(true);
      press(false);
    }
    frames(2);
    EXPECT_EQ(value("timeline/details/start"), timeline::time_text(125));
    EXPECT_EQ(window(), timeline::fitted(125, 165, model.lanes->whole));
    run(TimelineCommand::deselect);
  }
}

// One that its pane would cover is brought to where it is seen.
TEST_F(TimelineViewTest, WhatThePaneWouldCoverIsMoved) {
  view_.request({.window = TimeWindow{0, 150}, .iteration = {}});
  frames(3);
  select_first_kernel();
  EXPECT_LE(window().start_ns, 125);
  EXPECT_GE(window().stop_ns(), 165);
}

// The background is seen in real gaps alone.
TEST_F(TimelineViewTest, DarkEdgesSeparateBoxesThatTouch) {
  for (const int64_t next_start : {200, 250}) {
    testing::Sketch sketch;
    const auto instance = sketch.instance(sketch.op("net/conv"), 0, 1);
    sketch.kernel(instance, 100, 200, 0);
    sketch.kernel(instance, next_start, 300, 0);
    show(sketch.finish(), "");
    view_.request({.window = TimeWindow{90, 300}, .iteration = {}});
    frames(3);
    const ItemRect box = item(std::string(kStream) + "/first");
    const float middle = (box.top + box.bottom) / 2;
    const Color inside = color_at(box.right - 2, middle);
    const Color edge = color_at(box.right - 0.5f, middle);
    ASSERT_NE(inside, 0U);
    EXPECT_EQ(edge == inside, next_start > 200);
    EXPECT_NE(edge, 0U);
    EXPECT_EQ(color_at(box.right + 0.5f, middle) == 0, next_start > 200);
  }
}

TEST_F(TimelineViewTest, TheLegendNamesWhatTheRunHas) {
  std::vector<std::string> names;
  for (int i = 0; value("timeline/legend/" + std::to_string(i)) != "(none)"; ++i) {
    names.push_back(value("timeline/legend/" + std::to_string(i)));
  }
  EXPECT_THAT(names, ::testing::Contains("Tensor Core kernels"));
  EXPECT_THAT(names, ::testing::Not(::testing::Contains("Communication")));
  EXPECT_THAT(names, ::testing::Not(::testing::Contains("NVTX")));
}

TEST_F(TimelineViewTest, SelectsTheNextOfANameWithItsGap) {
  select_first_kernel();
  EXPECT_EQ(value("timeline/details/gap"), "(none)");
  run(TimelineCommand::next);
  EXPECT_EQ(value("timeline/details/start"), timeline::time_text(225));
  EXPECT_EQ(value("timeline/details/gap"), base::format_duration(int64_t{60}));
  EXPECT_EQ(value("timeline/details/iteration"), "2");
  run(TimelineCommand::previous);
  EXPECT_EQ(value("timeline/details/start"), timeline::time_text(125));
}

TEST_F(TimelineViewTest, ZoomFillsAndFindLeavesRoom) {
  select_first_kernel();
  run(TimelineCommand::zoom_to_selection);
  EXPECT_EQ(window(), timeline::fitted(125, 165, model.lanes->whole));
  run(TimelineCommand::show_selection);
  EXPECT_GT(window().length_ns, 5 * 40);
  EXPECT_LE(window().start_ns, 125);
  EXPECT_GE(window().stop_ns(), 165);
  run(TimelineCommand::whole_run);
  EXPECT_EQ(view_.window(), std::nullopt);
}

TEST_F(TimelineViewTest, LinksLeadToCallAndOpAndNameThem) {
  select_first_kernel();
  run(TimelineCommand::next);
  run(TimelineCommand::zoom_to_selection);
  EXPECT_EQ(value("timeline/arrow").substr(0, 3), "‹");
  click("timeline/go_to/op");
  frames(2);
  EXPECT_EQ(value("timeline/details/name"), "net/conv");
  EXPECT_EQ(value("timeline/details/kernels"), "1");
  run(TimelineCommand::whole_run);
  EXPECT_EQ(value("timeline/kernel_arrows"), "1");
  click("timeline/go_to/work");
  frames(2);
  EXPECT_EQ(value("timeline/details/name"), "xmma");
  click("timeline/go_to/launch");
  frames(2);
  EXPECT_EQ(value("timeline/details/start"), timeline::time_text(0));
}

TEST_F(TimelineViewTest, BackwardAndForwardOpsLeadToEachOther) {
  testing::Sketch sketch;
  const auto forward = sketch.instance(sketch.op("net/linear"), 10, 20);
  sketch.instance(sketch.op("net/relu"), 30, 40, {1, 3});
  const auto backward = sketch.instance(sketch.op("net/LinearBackward"), 900, 990, {1, 2});
  sketch.caused_by(backward, forward);
  show(sketch.finish(), "");
  click("timeline/thread_1_2/0/first");
  frames(2);
  run(TimelineCommand::whole_run);
  EXPECT_EQ(value("timeline/arrow"), "on screen");
  EXPECT_EQ(value("timeline/details/other_pass"), "linear");
  run(TimelineCommand::zoom_to_selection);
  EXPECT_EQ(value("timeline/arrow").substr(0, 14), "‹ forward op");
  click("timeline/go_to/other_pass");
  frames(2);
  EXPECT_EQ(value("timeline/details/name"), "net/linear");
  EXPECT_EQ(value("timeline/details/other_pass"), "LinearBackward");
  EXPECT_TRUE(value("timeline/arrow").starts_with("backward op ")) << value("timeline/arrow");
  click("timeline/go_to/other_pass");
  frames(2);
  EXPECT_EQ(value("timeline/details/name"), "net/LinearBackward");
  run(TimelineCommand::whole_run);
  click("timeline/thread_1_3/0/first");
  frames(2);
  EXPECT_EQ(value("timeline/arrow"), "(none)");
  EXPECT_EQ(value("timeline/details/other_pass"), "(none)");
}

TEST_F(TimelineViewTest, AnotherTimeReplacesTheFilter) {
  host.select({model.selection.cut,
               model.selection.range,
               {{.kind = aggregate::FilterKind::time, .window = {0, 10}},
                {.kind = aggregate::FilterKind::op_type, .text = "conv2d"}}});
  frames(2);
  select_first_kernel();
  run(TimelineCommand::filter_time);
  ASSERT_EQ(model.selection.filters.size(), 2U);
  EXPECT_EQ(model.selection.filters[1].window, (aggregate::TimeWindow{125, 165}));
}

TEST_F(TimelineViewTest, MeasuresFromEdgeToEdgeUntilItIsEnded) {
  run(TimelineCommand::measure);
  EXPECT_EQ(view_.status().substr(0, 10), "Measuring:");
  view_.request({.window = TimeWindow{100, 200}, .iteration = {}});
  frames(2);
  const ItemRect plot = item("timeline/plot"), stream = item(kStream);
  const auto x_of = [&plot](int64_t ns) {
    return plot.left + (plot.right - plot.left) * static_cast<float>(ns - 100) / 200;
  };
  const float y = (stream.top + stream.bottom) / 2;
  click_at(x_of(125) + 4, y);  // where the first kernel starts
  EXPECT_FALSE(view_.has_selection());
  move_to(x_of(225) - 4, y);  // where the next one does
  frame();
  EXPECT_EQ(value("timeline/measured"), "100\u202fns");
  click_at(x_of(265) - 3, y);
  move_to(x_of(290), y);
  frame();
  EXPECT_EQ(value("timeline/measured"), "140\u202fns");
  EXPECT_NE(view_.status().find("140\u202fns"), std::string::npos) << view_.status();
  EXPECT_EQ(window(), (TimeWindow{100, 200}));
  run(TimelineCommand::deselect);
  EXPECT_FALSE(view_.is_measuring());
  EXPECT_EQ(value("timeline/measured"), "(none)");
}

TEST_F(TimelineViewTest, AGroupFoldsAway) {
  click("timeline/group/gpu_0");
  frames(2);
  EXPECT_EQ(value("timeline/group/gpu_0"), "folded");
  EXPECT_EQ(value(kStream), "(none)");
  click("timeline/group/gpu_0");
  frames(2);
  EXPECT_EQ(value(kStream), "All streams");
}

TEST_F(TimelineViewTest, TellsGapsAndHowBusyTheGpuIs) {
  view_.request({.window = TimeWindow{125, 200}, .iteration = {}});
  frames(3);
  // Two kernels of 40 ns, with 60 ns before the next one.
  EXPECT_EQ(value("timeline/gpu_0/share"), base::format_percent(40));
  EXPECT_EQ(value("timeline/gpu_0/gap/0"), "idle " + base::format_duration(int64_t{60}));
}

TEST_F(TimelineViewTest, ShortEventsShareARowUntilZoomedIn) {
  testing::Sketch sketch;
  const auto op = sketch.op("net/conv");
  for (int64_t i = 0; i < 300; ++i) {
    const auto instance = sketch.instance(op, i * 100'000, i * 100'000 + 50);
    sketch.sync(instance, i * 100'000 + 10, i * 100'000 + 20);
  }
  show(sketch.finish(), "");
  EXPECT_EQ(value("timeline/thread_1_1/0/short"), "2 lanes · 600 events");
  const ItemRect row = item("timeline/thread_1_1/0/short");
  const timeline::TimeMap map(window(), static_cast<int32_t>(row.right - row.left));
  click_at(row.left + static_cast<float>(map.column(100'000)) + 0.5f, (row.top + row.bottom) / 2);
  frames(2);
  EXPECT_TRUE(view_.has_selection());
  EXPECT_TRUE(has_item("timeline/selected"));
  run(TimelineCommand::deselect);
  view_.request({.window = TimeWindow{0, 1000}, .iteration = {}});
  frames(3);
  EXPECT_EQ(value("timeline/thread_1_1/0"), "Ops");
  EXPECT_EQ(value("timeline/thread_1_1/0/short"), "(none)");
}

TEST_F(TimelineViewTest, FewLanesFillTheWindow) {
  const ItemRect plot = item("timeline/plot"), stream = item(kStream);
  EXPECT_GT(stream.bottom - stream.top, 19);
  EXPECT_LE(stream.bottom - stream.top, 2 * 19);
  EXPECT_LT(stream.bottom, plot.bottom);
}

TEST_F(TimelineViewTest, TheSearchFieldEndsBeforeTheColors) {
  ImGui::GetIO().DisplaySize.x = 640;
  frames(3);
  EXPECT_LE(item("timeline/search").right, item("timeline/colors").left);
}

TEST_F(TimelineViewTest, TheTooltipOfAFoldCountsItsEvents) {
  testing::Sketch sketch;
  const auto instance = sketch.instance(sketch.op("net/conv"), 0, 1);
  for (int64_t i = 0; i < 5000; ++i) sketch.kernel(instance, i * 10, i * 10 + 5);
  open(sketch.finish(), "");
  model.lanes = testing::lanes_of(model.profile);
  frames(3);
  const ItemRect stream = item(kStream);
  move_to((stream.left + stream.right) / 2, (stream.top + stream.bottom) / 2);
  frame();
  EXPECT_NE(value("tooltip").find("events (zoom in to separate)"), std::string::npos)
      << value("tooltip");
}

}  // namespace

}  // namespace dlview::ui
