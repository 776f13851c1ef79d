#include "ui/timeline/op_colours.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "support/random_profile.h"
#include "support/sketch.h"

namespace dlview::ui::timeline {
namespace {

TEST(OpColours, RankTypesByTheTimeOfTheirKernels) {
  testing::Sketch sketch;
  const auto conv = sketch.op("net/conv", "conv2d");
  const auto relu = sketch.op("net/relu", "relu");
  const auto again = sketch.op("net/conv_1", "conv2d");
  sketch.kernel(sketch.instance(conv, 0, 10), 0, 30);
  sketch.kernel(sketch.instance(relu, 20, 30), 40, 80);
  sketch.kernel(sketch.instance(again, 40, 50), 100, 120);
  const auto profile = sketch.finish();
  const OpColours colours(*profile, ColourBy::op_type);
  ASSERT_EQ(colours.entries().size(), 2U);
  EXPECT_EQ(colours.entries()[0].name, "conv2d");
  EXPECT_EQ(colours.entries()[0].time_ns, 50);
  EXPECT_EQ(colours.entries()[1].name, "relu");
  EXPECT_EQ(colours.of_instance(0), colours.of_instance(2));
  EXPECT_NE(colours.of_instance(0), colours.of_instance(1));
  EXPECT_FALSE(colours.has_others());
  const OpColours names(*profile, ColourBy::op);
  EXPECT_NE(names.of_instance(0), names.of_instance(2));
  // The sketch knows no directions.
  const OpColours directions(*profile, ColourBy::direction);
  EXPECT_TRUE(directions.entries().empty());
  EXPECT_TRUE(directions.has_others());
  EXPECT_EQ(directions.of_instance(0), OpColours::kOther);
}

TEST(OpColours, OfARunWithoutKernelsGoByTheTimeOnTheCpu) {
  testing::Sketch sketch;
  const auto brief = sketch.op("net/brief", "a"), lengthy = sketch.op("net/lengthy", "b");
  sketch.instance(brief, 0, 10);
  sketch.instance(lengthy, 20, 90);
  const auto profile = sketch.finish();
  const OpColours colours(*profile, ColourBy::op_type);
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
  const profile::Profile profile = testing::random_profile(options);
  const OpColours colours(profile, ColourBy::op);
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
  for (std::size_t row = 0; row < profile.instances.size(); ++row) {
    const auto name = profile.text(profile.ops.name[profile.instances.op[row]]);
    const auto entry = std::ranges::find(colours.entries(), name, &OpColours::Entry::name);
    const uint8_t hue = colours.of_instance(static_cast<profile::Row>(row));
    if (entry != colours.entries().end()) {
      ASSERT_EQ(hue, entry->hue);
    } else {
      ASSERT_EQ(hue, OpColours::kOther);
      ASSERT_LE(times.at(std::string(name)), shortest);
    }
  }
}

}  // namespace
}  // namespace dlview::ui::timeline
