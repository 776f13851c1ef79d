// The menu of an event of two iterations side by side, on Dear ImGui alone.

#include <gmock/gmock.h>

#include "ui/views/side_by_side_fixture.h"

namespace dlview::ui {
namespace {

using aggregate::Filter;
using aggregate::FilterKind;
using ::testing::ElementsAre;

class SideBySideMenuTest : public SideBySideTest {
 protected:
  static constexpr const char* kKernel = "timeline/second/gpu_0/1/first";
  SideBySideMenuTest() { begin(10, 4); }
};

TEST_F(SideBySideMenuTest, ARightClickSelectsTheEventInBoth) {
  open_menu(kKernel);
  EXPECT_TRUE(has_item("timeline/first/selected"));
  EXPECT_TRUE(has_item("timeline/second/selected"));
  EXPECT_TRUE(has_item("copy/next"));
  EXPECT_TRUE(has_item("copy/name"));
  EXPECT_FALSE(has_item("copy/select_time"));
}

TEST_F(SideBySideMenuTest, ItIsNotThereBesideEventsOrForWhoMeasures) {
  const ItemRect plot = item("timeline/first/plot");
  open_menu_at((plot.left + plot.right) / 2, plot.top + 4);
  EXPECT_FALSE(has_item("copy/zoom"));
  run(TimelineCommand::measure);
  open_menu(kKernel);
  EXPECT_FALSE(has_item("copy/zoom"));
}

TEST_F(SideBySideMenuTest, ItZoomsToTheEventAndToWhatDoesTheSame) {
  choose(kKernel, "zoom");
  ASSERT_TRUE(view_.window());
  EXPECT_LT(view_.window()->length_ns, 270);
  EXPECT_TRUE(has_item("timeline/first/selected"));
}

TEST_F(SideBySideMenuTest, ItGoesToTheNextOfTheNameInItsIteration) {
  testing::Sketch sketch;
  const auto step = sketch.op("step"), conv = sketch.op("conv");
  for (const int64_t at : {0, 1000, 2000}) {
    sketch.instance(step, at, at + 5);
    const auto instance = sketch.instance(conv, at + 10, at + 20);
    sketch.kernel(instance, at + 100, at + 200);
    sketch.kernel(instance, at + 600, at + 700);
  }
  show(sketch.finish(), "step");
  begin(1, 0);
  choose("timeline/first/gpu_0/1/first", "next");
  const ItemRect plot = item("timeline/first/plot"), second = item("timeline/first/selected");
  EXPECT_GT(second.left, (plot.left + plot.right) / 2);
  choose("timeline/first/selected", "previous");
  EXPECT_LT(item("timeline/first/selected").right, (plot.left + plot.right) / 2);
}

TEST_F(SideBySideMenuTest, ItSearchesForTheName) {
  choose(kKernel, "search");
  EXPECT_TRUE(view_.is_searching());
  EXPECT_TRUE(view_.is_side_by_side());
}

TEST_F(SideBySideMenuTest, ItFiltersEverything) {
  choose(kKernel, "filter_kernel");
  EXPECT_THAT(model.selection.filters,
              ElementsAre(Filter{.kind = FilterKind::kernel, .text = "xmma"}));
}

}  // namespace
}  // namespace dlview::ui
