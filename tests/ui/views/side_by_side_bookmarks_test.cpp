// Bookmarks of two iterations side by side.

#include <gmock/gmock.h>

#include "ui/views/side_by_side_fixture.h"

namespace dlview::ui {
namespace {

using ::testing::HasSubstr;
using timeline::TimeWindow;

// Iteration 4 begins at 400, iteration 10 at 1000.
TEST_F(SideBySideTest, ShowsBookmarksAboveTheirIteration) {
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
  run(TimelineCommand::whole_run);
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
  run(TimelineCommand::bookmark);
  type("like the other");
  hit(ImGuiKey_Enter);
  ASSERT_EQ(view_.bookmarks().size(), 1U);
  EXPECT_EQ(view_.bookmarks()[0].time, (TimeWindow{425, 40}));
  EXPECT_EQ(view_.bookmarks()[0].note, "like the other");
  EXPECT_EQ(value("timeline/second/bookmark/0"), "like the other");
  run(TimelineCommand::deselect);
  run(TimelineCommand::bookmark);
  ASSERT_EQ(view_.bookmarks().size(), 2U);
  EXPECT_EQ(view_.bookmarks()[1].time.start_ns, 1000);
  EXPECT_TRUE(has_item("timeline/bookmark_note"));
}

// Iteration 4 is from 400 to 499, iteration 10 from 1000 to 1299.
TEST_F(SideBySideTest, SetsABookmarkInTheVisibleIteration) {
  const auto bookmark_at = [&](const TimeWindow& window) {
    model.compared = {4, 10};
    view_.request({.window = window, .iteration = {}, .side_by_side = true});
    frames(4);
    run(TimelineCommand::bookmark);
    hit(ImGuiKey_Enter);
    return view_.bookmarks().back().time;
  };
  EXPECT_EQ(bookmark_at({60, 100}), (TimeWindow{460, 39})) << "the part of the first";
  EXPECT_TRUE(has_item("timeline/first/bookmark/0"));
  EXPECT_EQ(bookmark_at({150, 60}), (TimeWindow{1150, 60})) << "behind the end of the first";
  EXPECT_TRUE(has_item("timeline/second/bookmark/1"));
}

// The kernel of the next iteration begins behind the end of both.
TEST_F(SideBySideTest, NotesABookmarkOfAnotherIterationInPlace) {
  begin(4, 10);
  const ItemRect own = item("timeline/first/gpu_0/1/first");
  const double pixels = width() / static_cast<double>(view_.marked()[0].length_ns);
  click_at(own.left + static_cast<float>(110 * pixels), (own.top + own.bottom) / 2);
  run(TimelineCommand::bookmark);
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
  run(TimelineCommand::bookmark);
  EXPECT_TRUE(has_item("timeline/second/bookmark/0"));
  EXPECT_LT(item("timeline/bookmark_note").top, item("timeline/first/plot").top);
  run(TimelineCommand::side_by_side);
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
  run(TimelineCommand::bookmark);
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

}  // namespace
}  // namespace dlview::ui
