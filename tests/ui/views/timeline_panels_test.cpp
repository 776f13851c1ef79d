// What stands below the lanes of the Timeline, and its bookmarks, on Dear ImGui alone.

#include <gmock/gmock.h>

#include "base/units.h"
#include "timeline/time_text.h"
#include "ui/views/timeline_fixture.h"

namespace dlview::ui {
namespace {

using ::testing::HasSubstr;
using timeline::Bookmark;
using timeline::TimeWindow;

class TimelinePanelsTest : public testing::TimelineFixture {
 protected:
  // A gap that another view asks for.
  void expect_mark_until_deselected(const TimeWindow& gap) {
    view_.request({.window = {},
                   .iteration = {},
                   .stretch = gap,
                   .device = profile::DeviceIndex{0},
                   .is_gap = true});
    frames(3);
    EXPECT_TRUE(has_item("timeline/gap"));
    run(TimelineCommand::deselect);
    EXPECT_FALSE(has_item("timeline/gap"));
  }
};

TEST_F(TimelinePanelsTest, GapsAreListedTheLongestFirst) {
  EXPECT_FALSE(has_item("timeline_gaps/rows/0"));
  run(TimelineCommand::gaps);
  EXPECT_THAT(value("timeline_gaps/showing"), HasSubstr("Showing 19 gaps"));
  click("timeline_gaps/rows/0");
  frames(3);
  // Between the kernels of steps 9 and 10, of which the data loader makes one longer.
  EXPECT_EQ(value("timeline/stretch"), base::format_duration(int64_t{260}));
  run(TimelineCommand::gaps);
  EXPECT_FALSE(has_item("timeline_gaps/rows/0"));
}

TEST_F(TimelinePanelsTest, KeysGoFromGapToGapAndEnterShowsOneAgain) {
  run(TimelineCommand::gaps);
  hit(ImGuiKey_DownArrow);
  frames(2);
  EXPECT_EQ(value("timeline/stretch"), base::format_duration(int64_t{260}));
  hit(ImGuiKey_DownArrow);
  frames(2);
  EXPECT_EQ(value("timeline/stretch"), base::format_duration(int64_t{60}));
  run(TimelineCommand::deselect);
  EXPECT_EQ(value("timeline/stretch"), "(none)");
  hit(ImGuiKey_Enter);
  frames(2);
  EXPECT_EQ(value("timeline/stretch"), base::format_duration(int64_t{60}));
}

TEST_F(TimelinePanelsTest, OfASelectedKernelTheGapsOfItsGpuAreListed) {
  testing::Sketch sketch(2);
  const auto instance = sketch.instance(sketch.op("net/conv"), 0, 1);
  for (const int64_t start : {100, 200, 400}) sketch.kernel(instance, start, start + 50, 0);
  for (const int64_t start : {100, 600}) sketch.kernel(instance, start, start + 50, 1);
  open(sketch.finish(), "");
  model.lanes = testing::lanes_of(model.profile);
  model.rules = std::make_shared<const aggregate::RuleIndex>(*model.profile);
  frames(3);
  view_.request({.window = {}, .iteration = {}, .kernel = profile::KernelIndex{0}});
  frames(3);
  const auto device = model.profile->device_of_kernel(profile::KernelIndex{0});
  run(TimelineCommand::gaps);
  EXPECT_EQ(value("timeline_gaps/filter/device_id"), std::to_string(device));
  EXPECT_THAT(value("timeline_gaps/showing"), HasSubstr(device == 0 ? "2 of 3" : "1 of 3"));
  run(TimelineCommand::gaps);
  run(TimelineCommand::deselect);
  run(TimelineCommand::gaps);
  EXPECT_THAT(value("timeline_gaps/showing"), HasSubstr("Showing 3 gaps"));
}

TEST_F(TimelinePanelsTest, AChosenGapIsMarkedOnTheLanesOfItsGpu) {
  testing::Sketch sketch(2);
  const auto instance = sketch.instance(sketch.op("net/conv"), 0, 1);
  for (const int64_t start : {100, 200, 400}) sketch.kernel(instance, start, start + 50, 0);
  for (const int64_t start : {100, 700}) sketch.kernel(instance, start, start + 50, 1);
  show(sketch.finish(), "");
  click("timeline/group/gpu_1");
  run(TimelineCommand::gaps);
  click("timeline_gaps/rows/0");
  frames(3);
  // That of the second GPU, from 150 to 700, which was folded away.
  EXPECT_EQ(value("timeline/group/gpu_1"), "open");
  const ItemRect mark = item("timeline/gap");
  EXPECT_GT(mark.top, item("timeline/group/gpu_1").top);
  EXPECT_GE(mark.bottom, item("timeline/gpu_1/1/first").bottom);
  EXPECT_NEAR(mark.left, item("timeline/gpu_1/1/first").right, 1);
}

TEST_F(TimelinePanelsTest, GapsThatBeginTogetherAreToldApart) {
  testing::Sketch sketch(2);
  const auto instance = sketch.instance(sketch.op("net/conv"), 0, 1);
  for (const int64_t start : {100, 200}) sketch.kernel(instance, start, start + 50, 0);
  for (const int64_t start : {100, 700}) sketch.kernel(instance, start, start + 50, 1);
  show(sketch.finish(), "");
  run(TimelineCommand::gaps);
  click("timeline_gaps/rows/0");
  frames(3);
  EXPECT_GT(item("timeline/gap").top, item("timeline/group/gpu_1").top);
  click("timeline_gaps/rows/1");
  frames(3);
  EXPECT_EQ(value("timeline/stretch"), base::format_duration(int64_t{50}));
  EXPECT_LT(item("timeline/gap").top, item("timeline/group/gpu_1").top);
}

TEST_F(TimelinePanelsTest, TheMarkOfAGapStaysAsLongAsItIsSelected) {
  run(TimelineCommand::gaps);
  click("timeline_gaps/rows/0");
  frames(3);
  click("timeline/gpu_0/1/first");
  frames(2);
  EXPECT_EQ(value("timeline/stretch"), "(none)");
  EXPECT_TRUE(has_item("timeline/gap"));
  run(TimelineCommand::gaps);
  EXPECT_FALSE(has_item("timeline/gap"));
  expect_mark_until_deselected({300, 50});
}

TEST_F(TimelinePanelsTest, ShowsAndSelectsAGapOnBusyTimes) {
  view_.request({.window = TimeWindow{150, 100}, .iteration = {}});
  frames(3);
  const ItemRect plot = item("timeline/plot"), busy = item("timeline/gpu_0/0");
  const float y = (busy.top + busy.bottom) / 2, width = plot.right - plot.left;
  move_to(plot.left + width / 20, y);  // the first kernel runs until 165, the next one from 225 on
  frame();
  EXPECT_THAT(value("tooltip"), HasSubstr("Busy"));
  move_to(plot.left + width / 2, y);
  frame();
  const std::string idle = "Idle " + base::format_duration(int64_t{60}) + ", then xmma";
  EXPECT_EQ(value("tooltip"), idle + "\nHost: already launched, in net/conv");
  model.rules = nullptr;
  frame();
  EXPECT_EQ(value("tooltip"), idle);
  click_at(plot.left + width / 2, y);
  frames(2);
  EXPECT_EQ(value("timeline/stretch"), base::format_duration(int64_t{60}));
  EXPECT_TRUE(has_item("timeline/gap"));
  EXPECT_EQ(window(), (TimeWindow{150, 100}));
}

TEST_F(TimelinePanelsTest, DoesNotMarkBusyTimeAsAGap) {
  view_.request({.window = {},
                 .iteration = {},
                 .stretch = TimeWindow{300, 50},
                 .device = profile::DeviceIndex{0}});
  frames(3);
  EXPECT_EQ(value("timeline/stretch"), base::format_duration(int64_t{50}));
  EXPECT_FALSE(has_item("timeline/gap"));
}

TEST_F(TimelinePanelsTest, SelectingAnotherRowRemovesTheGapMark) {
  run(TimelineCommand::gaps);
  click("timeline_gaps/rows/0");
  frames(3);
  expect_mark_until_deselected({300, 50});
}

TEST_F(TimelinePanelsTest, GapsWaitUntilTheyAreFound) {
  model.rules = nullptr;
  run(TimelineCommand::gaps);
  EXPECT_FALSE(has_item("timeline_gaps/rows/0"));
  model.rules = std::make_shared<const aggregate::RuleIndex>(*model.profile);
  frames(2);
  EXPECT_TRUE(has_item("timeline_gaps/rows/0"));
}

TEST_F(TimelinePanelsTest, AKernelTellsOfTheIdleTimeBeforeIt) {
  run(TimelineCommand::gaps);
  click("timeline_gaps/rows/0");
  frames(3);
  run(TimelineCommand::gaps);
  run(TimelineCommand::deselect);
  // The kernel of step 10, behind the data loader.
  view_.request({.window = {}, .iteration = {}, .kernel = profile::KernelIndex{9}});
  frames(3);
  EXPECT_EQ(value("timeline/details/idle"), base::format_duration(int64_t{260}));
  EXPECT_THAT(value("timeline/details/meanwhile"), HasSubstr("already launched"));
  EXPECT_THAT(value("timeline/details/latency"), HasSubstr("from call start"));
  EXPECT_THAT(value("timeline/details/queue"), HasSubstr("from call end"));
}

TEST_F(TimelinePanelsTest, SetsABookmarkWithNoteAtTheSelection) {
  view_.request({.window = {}, .iteration = {}, .stretch = TimeWindow{300, 50}});
  frames(3);
  const TimeWindow before = window();
  run(TimelineCommand::bookmark);
  type("slow copy");
  hit(ImGuiKey_Enter);
  EXPECT_EQ(view_.bookmarks(), (timeline::Bookmarks{{{300, 50}, before, "slow copy"}}));
  EXPECT_EQ(value("timeline/bookmark/0"), "slow copy");
  run(TimelineCommand::deselect);
  run(TimelineCommand::whole_run);
  click("timeline/bookmark/0");
  frames(2);
  EXPECT_EQ(window(), before);
  EXPECT_EQ(value("timeline/stretch"), base::format_duration(int64_t{50}));
}

TEST_F(TimelinePanelsTest, BookmarksTheWindowWithoutSelection) {
  run(TimelineCommand::zoom_in);
  const TimeWindow before = window();
  run(TimelineCommand::bookmark);
  hit(ImGuiKey_Escape);
  EXPECT_EQ(view_.bookmarks(), (timeline::Bookmarks{{before, before, ""}}));
  EXPECT_FALSE(has_item("timeline/bookmark_note"));
  run(TimelineCommand::bookmark);  // the same: its note again
  EXPECT_EQ(view_.bookmarks().size(), 1U);
  EXPECT_TRUE(has_item("timeline/bookmark_note"));
}

TEST_F(TimelinePanelsTest, ListsABookmarkUnderItsIteration) {
  view_.request({.window = {}, .iteration = 7});
  frames(3);
  run(TimelineCommand::bookmark);
  hit(ImGuiKey_Escape);
  run(TimelineCommand::bookmarks);
  EXPECT_EQ(value("timeline/bookmarks/0/iteration"), "7");
}

TEST_F(TimelinePanelsTest, TheListShowsAndRemovesThem) {
  run(TimelineCommand::bookmarks);
  EXPECT_EQ(value("timeline/bookmarks"), "none");
  view_.bookmarks() = {{{300, 50}, {200, 400}, "one"}, {{700, 10}, {650, 100}, ""}};
  frames(2);
  EXPECT_EQ(value("timeline/bookmarks/0"), "one");
  EXPECT_EQ(value("timeline/bookmarks/1"), "Bookmark");
  click("timeline/bookmarks/1");
  frames(2);
  EXPECT_EQ(window(), (TimeWindow{650, 100}));
  click("timeline/bookmarks/0/remove");
  frames(2);
  EXPECT_EQ(view_.bookmarks(), (timeline::Bookmarks{{{700, 10}, {650, 100}, ""}}));
}

TEST_F(TimelinePanelsTest, OnlyOnePanelIsOpen) {
  run(TimelineCommand::gaps);
  run(TimelineCommand::bookmarks);
  EXPECT_FALSE(has_item("timeline_gaps/rows/0"));
  EXPECT_EQ(value("timeline/bookmarks"), "none");
}

TEST(Bookmarks, AreInOrderOfTimeAndEachTimeHasOne) {
  timeline::Bookmarks bookmarks;
  EXPECT_EQ(add_bookmark(bookmarks, {{300, 50}, {0, 900}, "b"}), 0U);
  EXPECT_EQ(add_bookmark(bookmarks, {{100, 50}, {0, 900}, "a"}), 0U);
  EXPECT_EQ(add_bookmark(bookmarks, {{300, 60}, {0, 900}, "c"}), 2U);
  EXPECT_EQ(add_bookmark(bookmarks, {{300, 50}, {0, 100}, "d"}), 1U);
  ASSERT_EQ(bookmarks.size(), 3U);
  EXPECT_EQ(bookmarks[1].note, "b");
}

}  // namespace
}  // namespace dlview::ui
