#include "ui/views/timeline/op_colors.h"

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
uint8_t hue(const OpColors& colors, timeline::EventRef event) {
  const std::optional<timeline::Place> place = timeline::find_place(*colors.lanes(), event);
  return colors.of_line(timeline::line_at(*colors.lanes(), *place)).of_place.at(place->at);
}
uint8_t hue_of_instance(const OpColors& colors, profile::Row instance) {
  return hue(colors, {timeline::EventKind::op, instance});
}

TEST(OpColors, RankTypesByTheTimeOfTheirKernels) {
  testing::Sketch sketch;
  const auto conv = sketch.op("net/conv", "conv2d");
  const auto relu = sketch.op("net/relu", "relu");
  const auto again = sketch.op("net/conv_1", "conv2d");
  sketch.kernel(sketch.instance(conv, 0, 10), 0, 30);
  sketch.kernel(sketch.instance(relu, 20, 30), 40, 80);
  sketch.kernel(sketch.instance(again, 40, 50), 100, 120);
  const auto lanes = testing::lanes_of(sketch.finish());
  const OpColors colors(lanes, timeline::ColorBy::op_type);
  ASSERT_EQ(colors.entries().size(), 2U);
  EXPECT_EQ(colors.entries()[0].name, "conv2d");
  EXPECT_EQ(colors.entries()[0].time_ns, 50);
  EXPECT_EQ(colors.entries()[1].name, "relu");
  EXPECT_EQ(hue_of_instance(colors, 0), hue_of_instance(colors, 2));
  EXPECT_NE(hue_of_instance(colors, 0), hue_of_instance(colors, 1));
  EXPECT_FALSE(colors.has_others());
  const OpColors names(lanes, timeline::ColorBy::op);
  EXPECT_NE(hue_of_instance(names, 0), hue_of_instance(names, 2));
  // The sketch knows no directions.
  const OpColors directions(lanes, timeline::ColorBy::direction);
  EXPECT_TRUE(directions.entries().empty());
  EXPECT_TRUE(directions.has_others());
  EXPECT_EQ(hue_of_instance(directions, 0), OpColors::kOther);
}

TEST(OpColors, OfARunWithoutKernelsGoByTheTimeOnTheCpu) {
  testing::Sketch sketch;
  const auto brief = sketch.op("net/brief", "a"), lengthy = sketch.op("net/lengthy", "b");
  sketch.instance(brief, 0, 10);
  sketch.instance(lengthy, 20, 90);
  const OpColors colors(testing::lanes_of(sketch.finish()), timeline::ColorBy::op_type);
  ASSERT_EQ(colors.entries().size(), 2U);
  EXPECT_EQ(colors.entries()[0].name, "b");
  EXPECT_EQ(colors.entries()[0].time_ns, 70);
}

// Against a sum in the order of the kernels.
TEST(OpColors, AreThoseWithMostTime) {
  testing::RandomProfileOptions options;
  options.kernels = 3000;
  options.instances = 900;
  options.ops = 60;
  const auto shared = std::make_shared<const profile::Profile>(testing::random_profile(options));
  const profile::Profile& profile = *shared;
  const OpColors colors(testing::lanes_of(shared), timeline::ColorBy::op);
  std::map<std::string, int64_t> times;
  for (std::size_t op = 0; op < profile.ops.size(); ++op) {
    times[std::string(profile.text(profile.ops.name[op]))];
  }
  for (std::size_t kernel = 0; kernel < profile.kernels.size(); ++kernel) {
    const auto op = profile.instances.op[profile.kernels.instance[kernel]];
    times[std::string(profile.text(profile.ops.name[op]))] +=
        profile.kernels.gpu_stop_ns[kernel] - profile.kernels.gpu_start_ns[kernel];
  }
  ASSERT_EQ(colors.entries().size(), 12U);
  EXPECT_TRUE(colors.has_others());
  int64_t shortest = INT64_MAX;
  for (const OpColors::Entry& entry : colors.entries()) {
    EXPECT_EQ(entry.time_ns, times.at(entry.name)) << entry.name;
    EXPECT_LE(entry.time_ns, shortest);
    shortest = entry.time_ns;
  }
  const auto expect_that_of_its_op = [&](timeline::EventRef event) {
    const auto op = profile.instances.op[instance_of(profile, event)];
    const auto name = profile.text(profile.ops.name[op]);
    const auto entry = std::ranges::find(colors.entries(), name, &OpColors::Entry::name);
    if (entry != colors.entries().end()) {
      ASSERT_EQ(hue(colors, event), entry->hue);
    } else {
      ASSERT_EQ(hue(colors, event), OpColors::kOther);
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

TEST(OpColors, OfGroupsAreTheirOwn) {
  testing::Sketch sketch;
  sketch.instance(sketch.op("net/a"), 0, 10);
  sketch.instance(sketch.op("loss/b"), 20, 30);
  const OpColors colors(testing::lanes_of(sketch.finish()), timeline::ColorBy::op);
  ASSERT_FALSE(colors.lanes()->events.groups().empty());
  EXPECT_EQ(hue(colors, {timeline::EventKind::group, 0}), OpColors::kGroup);
}

}  // namespace
}  // namespace dlview::ui
