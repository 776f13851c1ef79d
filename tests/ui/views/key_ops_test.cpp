#include "ui/views/iterations/key_ops.h"

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "support/sketch.h"

namespace dlview::ui {
namespace {

TEST(KeyOps, OffersNamesThatRanAtLeastTwiceInTheOrderOfTheirFirstRun) {
  testing::Sketch sketch;
  const auto late = sketch.op("net/late");
  const auto once = sketch.op("net/once");
  const auto early = sketch.op("net/early");
  const auto same_name = sketch.op("net/early");
  sketch.instance(late, 50, 60);
  sketch.instance(late, 150, 160);
  sketch.instance(once, 20, 30);
  sketch.instance(early, 0, 10);
  sketch.instance(same_name, 100, 110);
  const auto choices = prepare_key_ops(*sketch.finish());
  ASSERT_EQ(choices.size(), 2u);
  EXPECT_EQ(choices[0].name, "net/early");
  EXPECT_EQ(choices[0].instances, 2);
  EXPECT_EQ(choices[1].name, "net/late");
  EXPECT_TRUE(choices[1].contains("lat"));
  EXPECT_TRUE(choices[1].contains("OP_1"));
  EXPECT_FALSE(choices[1].contains("early"));
}

SingleIterationNote note_for(std::shared_ptr<const profile::Profile> profile,
                             const std::string& key_op) {
  const auto aggregation = aggregate::make_cpu_aggregator(profile)->aggregate(
      {{aggregate::CutKind::start, key_op, 0}, {0, 1000}});
  return prepare_single_iteration(*profile, aggregation);
}

TEST(KeyOps, ARunThatIsNotCutSaysWhyAndWhatToDo) {
  testing::Sketch sketch;
  const auto step = sketch.op("step");
  sketch.instance(step, 10, 20);
  sketch.instance(step, 30, 40);
  const auto profile = sketch.finish();
  EXPECT_EQ(note_for(profile, "").reason,
            "The whole run is one iteration, because no key op is set.");
  EXPECT_EQ(note_for(profile, "nosuch").reason,
            "The whole run is one iteration: no op is called nosuch.");
  EXPECT_TRUE(note_for(profile, "nosuch").advice.starts_with("Enter the name"));
  EXPECT_TRUE(note_for(profile, "step").reason.empty());
}

TEST(KeyOps, AFileInWhichEveryOpRanOnceSaysSo) {
  testing::Sketch sketch;
  sketch.instance(sketch.op("only"), 10, 20);
  EXPECT_TRUE(
      note_for(sketch.finish(), "").advice.starts_with("Every op of this file ran only once"));
}

}  // namespace
}  // namespace dlview::ui
