#include "ui/views/timeline/op_colours.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "support/random_profile.h"
#include "support/sketch.h"
#include "timeline/lanes_support.h"

namespace dlview::ui {
namespace {

// Of an event where it is drawn.
uint8_t hue(const OpColours& colours, timeline::EventRef event) {
  const std::optional<timeline::Place> place = timeline::find_place(*colours.lanes(), event);
  return colours.of_line(timeline::line_at(*colours.lanes(), *place)).of_place.at(place->at);
}
uint8_t hue_of_instance(const OpColours& colours, profile::Row instance) {
  return hue(colours, {timeline::EventKind::op, instance});
}

TEST(OpColours, RankTypesByTheTimeOfTheirKernels) {
  testing::Sketch sketch;
  const auto conv = sketch.op("net/conv", "conv2d");
  const auto relu = sketch.op("net/relu", "relu");
  const auto again = sketch.op("net/conv_1", "conv2d");
  sketch.kernel(sketch.instance(conv, 0, 10), 0, 30);
  sketch.kernel(sketch.instance(relu, 20, 30), 40, 80);
  sketch.kernel(sketch.instance(again, 40, 50), 100, 120);
  const auto lanes = testing::lanes_of(sketch.finish());
  const OpColours colours(lanes, timeline::ColourBy::op_type);
  ASSERT_EQ(colours.entries().size(), 2U);
  EXPECT_EQ(colours.entries()[0].name, "conv2d");
  EXPECT_EQ(colours.entries()[0].time_ns, 50);
  EXPECT_EQ(colours.entries()[1].name, "relu");
  EXPECT_EQ(hue_of_instance(colours, 0), hue_of_instance(colours, 2));
  EXPECT_NE(hue_of_instance(colours, 0), hue_of_instance(colours, 1));
  EXPECT_FALSE(colours.has_others());
  const OpColours names(lanes, timeline::ColourBy::op);
  EXPECT_NE(hue_of_instance(names, 0), hue_of_instance(names, 2));
  // The sketch knows no directions.
  const OpColours directions(lanes, timeline::ColourBy::direction);
  EXPECT_TRUE(directions.entries().empty());
  EXPECT_TRUE(directions.has_others());
  EXPECT_EQ(hue_of_instance(directions, 0), OpColours::kOther);
}

TEST(OpColours, OfARunWithoutKernelsGoByTheTimeOnTheCpu) {
  testing::Sketch sketch;
  const auto brief = sketch.op("net/brief", "a"), lengthy = sketch.op("net/lengthy", "b");
  sketch.instance(brief, 0, 10);
  sketch.instance(lengthy, 20, 90);
  const OpColours colours(testing::lanes_of(sketch.finish()), timeline::ColourBy::op_type);
  ASSERT_EQ(colours.entries().size(), 2U);
  EXPECT_EQ(colours.entries()[0].name, "b");
  EXPECT_EQ(colours.entries()[0].time_ns, 70);
}

// Against a sum in the order of the kernels.
TEST(OpColours, AreThoseWithMostTime) {
  testing::RandomProfileOptions options;
  options.kernels = 3000;
  options.instances = 900;
  options.ops = 60;
  const auto shared = std::make_shared<const profile::Profile>(testing::random_profile(options));
  const profile::Profile& profile = *shared;
  const OpColours colours(testing::lanes_of(shared), timeline::ColourBy::op);
  std::map<std::string, int64_t> times;
  for (std::size_t op = 0; op < profile.ops.size(); ++op) {
    times[std::string(profile.text(profile.ops.name[op]))];
  }
  for (std::size_t kernel = 0; kernel < profile.kernels.size(); ++kernel) {
    const auto op = profile.instances.op[profile.kernels.instance[kernel]];
    times[std::string(profile.text(profile.ops.name[op]))] +=
        profile.kernels.gpu_stop_ns[kernel] - profile.kernels.gpu_start_ns[kernel];
  }
  ASSERT_EQ(colours.entries().size(), 12U);
  EXPECT_TRUE(colours.has_others());
  int64_t shortest = INT64_MAX;
  for (const OpColours::Entry& entry : colours.entries()) {
    EXPECT_EQ(entry.time_ns, times.at(entry.name)) << entry.name;
    EXPECT_LE(entry.time_ns, shortest);
    shortest = entry.time_ns;
  }
  const auto expect_that_of_its_op = [&](timeline::EventRef event) {
    const auto op = profile.instances.op[instance_of(profile, event)];
    const auto name = profile.text(profile.ops.name[op]);
    const auto entry = std::ranges::find(colours.entries(), name, &OpColours::Entry::name);
    if (entry != colours.entries().end()) {
      ASSERT_EQ(hue(colours, event), entry->hue);
    } else {
      ASSERT_EQ(hue(colours, event), OpColours::kOther);
      ASSERT_LE(times.at(std::string(name)), shortest);
    }
  };
  for (profile::Row row = 0; row < profile.instances.size(); ++row) {
    expect_that_of_its_op({timeline::EventKind::op, row});
  }
  for (profile::Row row = 0; row < profile.kernels.size(); ++row) {
    expect_that_of_its_op({timeline::EventKind::kernel, row});
    expect_that_of_its_op({timeline::EventKind::launch, row});
  }
}

TEST(OpColours, OfGroupsAreTheirOwn) {
  testing::Sketch sketch;
  sketch.instance(sketch.op("net/a"), 0, 10);
  sketch.instance(sketch.op("loss/b"), 20, 30);
  const OpColours colours(testing::lanes_of(sketch.finish()), timeline::ColourBy::op);
  ASSERT_FALSE(colours.lanes()->events.groups().empty());
  EXPECT_EQ(hue(colours, {timeline::EventKind::group, 0}), OpColours::kGroup);
}

}  // namespace
}  // namespace dlview::ui
