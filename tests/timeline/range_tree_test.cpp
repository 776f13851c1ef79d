// The tree of a thread: NVTX ranges and ops are one.

#include "timeline/range_tree.h"

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "import/pytorch/event_sketch.h"
#include "support/sketch.h"
#include "timeline/lanes_support.h"
#include "timeline/thread_events.h"

namespace dlview::timeline {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> tree_of(const Lanes& lanes, std::size_t group = 0) {
  std::vector<std::string> lines;
  for (const Line& line : lanes.groups[group].lanes[0].lines) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const base::Interval time = lanes.events.time(line[i]);
      const char* kind = line[i].kind == EventKind::op      ? "op "
                         : line[i].kind == EventKind::group ? "group "
                                                            : "";
      text +=
          fmt::format("{}{} {}-{};", kind, lanes.events.name(line[i]), time.start_ns, time.stop_ns);
    }
    lines.push_back(text);
  }
  return lines;
}

TEST(RangeTree, ARangeOfAnOpsTimeIsTheOp) {
  testing::Sketch sketch;
  const auto conv = sketch.instance(sketch.op("/step/conv"), 10, 20);
  sketch.user_range("/step", 0, 100);
  sketch.user_range("/step/conv", 10, 20);
  const auto lanes = testing::lanes_of(sketch.finish());
  ASSERT_EQ(lanes->groups.size(), 1U);
  ASSERT_EQ(lanes->groups[0].lanes.size(), 1U);
  EXPECT_EQ(lanes->groups[0].lanes[0].name, "NVTX ranges");
  EXPECT_THAT(tree_of(*lanes), ElementsAre("step 0-100;", "op conv 10-20;"));
  EXPECT_TRUE(lanes->events.is_recorded_range({EventKind::op, conv}));
}

TEST(RangeTree, AnotherStopOrStartIsAnotherRange) {
  testing::Sketch sketch;
  const auto conv = sketch.instance(sketch.op("conv"), 10, 20);
  sketch.user_range("later", 10, 21);
  sketch.user_range("earlier", 9, 20);
  const auto lanes = testing::lanes_of(sketch.finish());
  EXPECT_THAT(tree_of(*lanes), ElementsAre("earlier 9-20;", "later 10-21;", "op conv 10-20;"));
  EXPECT_FALSE(lanes->events.is_recorded_range({EventKind::op, conv}));
}

TEST(RangeTree, OnlyOneOfEqualRangesIsTheOp) {
  testing::Sketch sketch;
  sketch.instance(sketch.op("conv"), 10, 20);
  sketch.user_range("conv", 10, 20);
  sketch.user_range("again", 10, 20);
  const auto lanes = testing::lanes_of(sketch.finish());
  EXPECT_THAT(tree_of(*lanes), ElementsAre("again 10-20;", "op conv 10-20;"));
}

TEST(RangeTree, GroupsOfAnotherThreadsRangeHaveBoxes) {
  testing::Sketch sketch;
  sketch.instance(sketch.op("load"), 0, 1);
  sketch.user_range("/step", 10, 100);
  sketch.instance(sketch.op("/step/forward"), 10, 50);
  sketch.instance(sketch.op("/step/backward"), 50, 90, {1, 2});
  const auto lanes = testing::lanes_of(sketch.finish());
  ASSERT_EQ(lanes->groups.size(), 2U);
  EXPECT_THAT(tree_of(*lanes, 0), ElementsAre("op load 0-1;step 10-100;", "op forward 10-50;"));
  EXPECT_THAT(tree_of(*lanes, 1), ElementsAre("group step 50-90;", "op backward 50-90;"));
  EXPECT_EQ(lanes->groups[1].lanes[0].name, "Ops");
}

TEST(RangeTree, ModulesOfATraceStandForGroups) {
  testing::EventSketch sketch;
  sketch.module("Net_0", 0, 100);
  sketch.forward("aten::linear", 30, 40, 7);
  sketch.backward("LinearBackward0", 50, 60, 7);
  sketch.op("aten::to", 110, 120);
  const auto lanes =
      testing::lanes_of(std::make_shared<const profile::Profile>(std::move(sketch).finish()));
  const auto tree_of_thread = [&](std::string_view id) {
    const auto group = std::ranges::find(lanes->groups, id, &LaneGroup::id);
    return tree_of(*lanes, static_cast<std::size_t>(group - lanes->groups.begin()));
  };
  EXPECT_THAT(tree_of_thread("thread_100_100"),
              ElementsAre("nn.Module: Net_0 0-100;op aten::to 110-120;", "op aten::linear 30-40;"));
  const auto main = std::ranges::find(lanes->groups, "thread_100_100", &LaneGroup::id);
  EXPECT_EQ(main->lanes[0].name, "Annotations");
  // The forward op's module is on another thread.
  EXPECT_THAT(tree_of_thread("thread_100_102"),
              ElementsAre("group Net_0 50-60;", "op LinearBackward0 50-60;"));
}

// Ranges that nest, some of which are ops.
std::shared_ptr<const profile::Profile> random_nesting(uint64_t seed) {
  testing::Sketch sketch;
  const auto op = sketch.op("conv");
  std::mt19937_64 random(seed);
  std::set<std::pair<int64_t, int64_t>> used;
  const auto add = [&](const auto& self, int64_t start_ns, int64_t stop_ns) -> void {
    if (stop_ns - start_ns < 4 || !used.insert({start_ns, stop_ns}).second) return;
    if (random() % 3 == 0) sketch.instance(op, start_ns, stop_ns);
    sketch.user_range("range", start_ns, stop_ns);
    const int64_t middle =
        start_ns + 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(stop_ns - start_ns));
    self(self, start_ns + static_cast<int64_t>(random() % 2), middle);
    self(self, middle, stop_ns - static_cast<int64_t>(random() % 2));
  };
  add(add, 0, 3000);
  return sketch.finish();
}

// Each time once, as an op where it is one, below all times around it.
TEST(RangeTree, HoldsEachTimeOnceBelowThoseAroundIt) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const auto lanes = testing::lanes_of(random_nesting(seed));
    const profile::Profile& profile = lanes->events.profile();
    std::set<std::pair<int64_t, int64_t>> ops;
    for (profile::InstanceIndex i{0}; i < profile.instances.size(); ++i) {
      ops.insert({profile.instances.cpu_start_ns[i], profile.instances.cpu_stop_ns[i]});
    }
    struct Placed {
      base::Interval time;
      std::size_t line;
    };
    std::vector<Placed> all;
    const std::vector<Line>& lines = lanes->groups[0].lanes[0].lines;
    for (std::size_t line = 0; line < lines.size(); ++line) {
      for (std::size_t at = 0; at < lines[line].size(); ++at) {
        const base::Interval time = lanes->events.time(lines[line][at]);
        EXPECT_EQ(lines[line][at].kind == EventKind::op,
                  ops.contains({time.start_ns, time.stop_ns}));
        all.push_back({time, line});
      }
    }
    EXPECT_EQ(all.size(), profile.user_ranges.size());
    EXPECT_GT(ops.size(), 20U);
    for (const Placed& inner : all) {
      for (const Placed& outer : all) {
        const bool is_around = outer.time.start_ns <= inner.time.start_ns &&
                               outer.time.stop_ns >= inner.time.stop_ns && outer.time != inner.time;
        if (is_around) {
          EXPECT_LT(outer.line, inner.line);
        }
      }
    }
  }
}

std::vector<int64_t> thread_order(const Lanes& lanes) {
  std::vector<int64_t> ids;
  for (const LaneGroup& group : lanes.groups) {
    if (group.device == profile::kNoRow) ids.push_back(group.thread.thread_id);
  }
  return ids;
}

// The first thread of a sketch launches its kernels.
TEST(Threads, ComeInOrderOfTheirLaunches) {
  testing::Sketch sketch;
  const auto op = sketch.op("conv");
  const auto launched = sketch.instance(op, 10, 20, {1, 9});
  sketch.kernel(launched, 30, 40);
  sketch.instance(op, 10, 20, {1, 3});
  sketch.instance(op, 10, 20, {1, 2});
  const auto lanes = testing::lanes_of(sketch.finish());
  EXPECT_THAT(thread_order(*lanes), ElementsAre(9, 2, 3));
}

TEST(Threads, ComeLastWhereNotRecorded) {
  testing::Sketch sketch;
  const auto op = sketch.op("conv");
  sketch.kernel(sketch.instance(op, 10, 20, {1, 0}), 30, 40);
  sketch.instance(op, 10, 20, {1, 2});
  const auto lanes = testing::lanes_of(sketch.finish());
  EXPECT_THAT(thread_order(*lanes), ElementsAre(2, 0));
}

}  // namespace
}  // namespace dlview::timeline
