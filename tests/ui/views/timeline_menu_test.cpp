// The menu of an event on the lanes of the Timeline, on Dear ImGui alone.

#include <gmock/gmock.h>

#include "timeline/time_text.h"
#include "ui/views/timeline_fixture.h"

namespace dlview::ui {
namespace {

using aggregate::Filter;
using aggregate::FilterKind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using timeline::EventKind;

class TimelineMenuTest : public testing::TimelineFixture {
 protected:
  static constexpr const char* kKernel = "timeline/gpu_0/1/first";
  Filter conv_filter() const {
    const profile::Row op = model.profile->instances.op[model.profile->kernels.instance[0]];
    return {.kind = FilterKind::op,
            .text = std::string(model.profile->text(model.profile->ops.id[op]))};
  }
  std::vector<Filter> filters(timeline::EventRef event) const {
    return filters_of(*model.lanes, *find_place(*model.lanes, event));
  }
};

TEST_F(TimelineMenuTest, ARightClickSelectsTheEventAndOpensItsMenu) {
  open_menu(kKernel);
  EXPECT_EQ(value("timeline/details/name"), "xmma");
  EXPECT_TRUE(has_item("copy/name"));
  EXPECT_TRUE(has_item("copy/filter_kernel"));
  EXPECT_EQ(window().start_ns, model.lanes->whole.start_ns);
}

TEST_F(TimelineMenuTest, ARightClickOnNothingOpensNoMenu) {
  click(kKernel);
  frames(2);
  const ItemRect plot = item("timeline/plot");
  move_to((plot.left + plot.right) / 2, plot.bottom - 10);
  ImGui::GetIO().MouseDown[1] = true;
  frame();
  ImGui::GetIO().MouseDown[1] = false;
  frames(3);
  EXPECT_FALSE(has_item("copy/zoom"));
  EXPECT_TRUE(view_.has_selection());
}

TEST_F(TimelineMenuTest, WhoMeasuresGetsNoMenu) {
  run(TimelineCommand::measure);
  open_menu(kKernel);
  EXPECT_FALSE(has_item("copy/zoom"));
}

TEST_F(TimelineMenuTest, ItZoomsToTheEvent) {
  choose(kKernel, "zoom");
  EXPECT_EQ(window(), timeline::fitted(125, 165, model.lanes->whole));
}

TEST_F(TimelineMenuTest, ItGoesToTheNextOfTheNameAndToTheOneBefore) {
  choose(kKernel, "next");
  EXPECT_EQ(value("timeline/details/start"), timeline::time_text(225));
  run(TimelineCommand::show_selection);
  choose("timeline/selected", "previous");
  EXPECT_EQ(value("timeline/details/start"), timeline::time_text(125));
}

TEST_F(TimelineMenuTest, ItSelectsTheTimeOfTheEvent) {
  choose(kKernel, "select_time");
  EXPECT_EQ(value("timeline/stretch"), "40\u202fns");
  click("timeline/stretch/filter");
  frames(2);
  ASSERT_EQ(model.selection.filters.size(), 1U);
  EXPECT_EQ(model.selection.filters[0].window, (aggregate::TimeWindow{125, 165}));
}

TEST_F(TimelineMenuTest, ItSearchesForTheName) {
  choose(kKernel, "search");
  EXPECT_TRUE(view_.is_searching());
  EXPECT_EQ(value("timeline/search/answer"), "2 of 21 events: 20 kernels, 1 launch");
}

TEST_F(TimelineMenuTest, FiltersAllViewsAndRemovesTheFilter) {
  choose(kKernel, "filter_kernel");
  EXPECT_THAT(model.selection.filters,
              ElementsAre(Filter{.kind = FilterKind::kernel, .text = "xmma"}));
  choose(kKernel, "filter_kernel");
  EXPECT_THAT(model.selection.filters, IsEmpty());
}

TEST_F(TimelineMenuTest, AKernelOffersAllThatItBelongsTo) {
  EXPECT_THAT(filters({EventKind::kernel, 0}),
              ElementsAre(Filter{.kind = FilterKind::kernel, .text = "xmma"},
                          Filter{.kind = FilterKind::tensor_core, .number = 1},
                          Filter{.kind = FilterKind::device, .number = 0}, conv_filter(),
                          Filter{.kind = FilterKind::op_type, .text = "conv2d"}));
}

TEST_F(TimelineMenuTest, AnEventOffersOnlyWhatAppliesToIt) {
  const profile::Row conv = model.profile->kernels.instance[0];
  EXPECT_THAT(filters({EventKind::op, conv}),
              ElementsAre(conv_filter(), Filter{.kind = FilterKind::op_type, .text = "conv2d"}));
  ASSERT_FALSE(model.lanes->events.groups().empty());
  const auto group = filters({EventKind::group, 0});
  ASSERT_EQ(group.size(), 1U);
  EXPECT_EQ(group[0].kind, FilterKind::group);
  EXPECT_TRUE(group[0].text.ends_with('/')) << group[0].text;
}

}  // namespace
}  // namespace dlview::ui
