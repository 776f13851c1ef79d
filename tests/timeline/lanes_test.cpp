#include "timeline/lanes.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "import/open.h"
#include "import/pytorch/event_sketch.h"
#include "support/python_frames_sketch.h"
#include "support/sketch.h"
#include "support/test_data.h"
#include "timeline/lanes_support.h"

namespace dlview::timeline {
namespace {

using ::testing::ElementsAre;
using testing::RandomProfileOptions;

std::vector<std::string> names(const Lanes& lanes, const Lane& lane) {
  std::vector<std::string> lines;
  for (const Line& line : lane.lines) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const base::Interval time = lanes.events.time(line[i]);
      text += lanes.events.name(line[i]) + " " + std::to_string(time.start_ns) + "-" +
              std::to_string(time.stop_ns) + ";";
    }
    lines.push_back(text);
  }
  return lines;
}

TEST(Lanes, StandByGpuThenByThread) {
  testing::Sketch sketch(2);
  const auto conv = sketch.op("/net/block/conv");
  const auto first = sketch.instance(conv, 0, 50, {7, 9});
  sketch.kernel(first, 60, 80, 1, "sgemm");
  sketch.copy(first, 80, 90, 1);
  sketch.sync(first, 20, 30);
  sketch.user_range("/step", 0, 100);
  const auto lanes = testing::lanes_of(sketch.finish());
  ASSERT_EQ(lanes->groups.size(), 3U);
  EXPECT_EQ(lanes->groups[0].name, "GPU 1");
  ASSERT_EQ(lanes->groups[0].lanes.size(), 2U);
  EXPECT_EQ(lanes->groups[0].lanes[0].kind, LaneKind::busy);
  EXPECT_EQ(lanes->groups[0].lanes[1].name, "All streams");
  EXPECT_THAT(names(*lanes, lanes->groups[0].lanes[1]), ElementsAre("sgemm 60-80;memcpy 80-90;"));
  const ColumnTimes column(TimeMap({0, 85}, 1));
  EXPECT_EQ(lanes->groups[0].busy->by_column(column), std::vector<int64_t>{25});
}

TEST(Lanes, CountersStandBelowTheirGpuOrAfterAll) {
  testing::EventSketch sketch;
  sketch.events.threads[0] = {"0", "0", "", ""};
  sketch.events.threads[1] = {"5", "9", "", ""};
  sketch.op("aten::add", 0, 1000, testing::EventSketch::kAutograd);
  sketch.kernel("k", 0, 1000, 1).device = 3;
  for (const int64_t process : {3, 6, 77}) sketch.counter("load", "%", process, 100, 0.5);
  sketch.counter("Queue Length", "Queue Length", 3, 200, 4);
  sketch.counter("Queue Length", "stream 7", 6, 300, 2);
  const auto lanes =
      testing::lanes_of(std::make_shared<const profile::Profile>(std::move(sketch).finish()));
  std::vector<std::string> all;
  for (const LaneGroup& group : lanes->groups) {
    for (const Lane& lane : group.lanes) {
      if (lane.kind != LaneKind::counter) continue;
      ASSERT_NE(lane.counter, nullptr);
      EXPECT_EQ(lane.event_count(), 0U);
      const CounterCurve::Bounds& bounds = lane.counter->all();
      all.push_back(group.id + "|" + group.name + "|" + lane.name + "|" +
                    std::to_string(bounds.most));
      EXPECT_EQ(group.is_of_no_thread(), group.id.starts_with("counters"));
    }
  }
  EXPECT_THAT(all, ElementsAre("gpu_3|GPU 3 · NVIDIA H100|load · %|0.500000",
                               "gpu_3|GPU 3 · NVIDIA H100|Queue Length|4.000000",
                               "counters_0|Counters · process 6|load · %|0.500000",
                               "counters_0|Counters · process 6|Queue Length · stream 7|2.000000",
                               "counters_1|Counters · process 77|load · %|0.500000"));
  EXPECT_EQ(lanes->recorded, (base::Interval{0, 1000})) << "they extend nothing";
  EXPECT_EQ(event_count(*lanes), 3U) << "the kernel, the op, and one for what launched the kernel";

  testing::FrameSketch frames({{0, 0}});
  frames.frame("main", 0, 900);
  const auto with = with_python_frames(
      *lanes, std::make_shared<const profile::PythonFrames>(std::move(frames).finish()));
  EXPECT_EQ(with->groups.size(), lanes->groups.size() + 1) << "counters are no thread 0";
}

// A look at each pair of GPUs for each pair of devices with memory would take hours.
TEST(Lanes, MemoryOfManyGpusStandsWithEach) {
  constexpr int64_t kGpus = 800;
  testing::EventSketch sketch;
  sketch.op("aten::add", 0, 1000);
  for (int64_t gpu = 0; gpu < kGpus; ++gpu) {
    sketch.kernel("k", gpu, gpu + 10, gpu + 1).device = gpu;
    import::pytorch::AllocationEvent event;
    event.time_ns = testing::EventSketch::kOrigin + gpu;
    event.bytes = 100 + gpu;
    event.device_type = 1;
    event.device = gpu;
    sketch.events.allocations.push_back(event);
  }
  const auto lanes =
      testing::lanes_of(std::make_shared<const profile::Profile>(std::move(sketch).finish()));
  const auto& devices = lanes->events.profile().devices;
  int64_t gpus = 0;
  for (const LaneGroup& group : lanes->groups) {
    if (group.device == profile::kNoRow) continue;
    ++gpus;
    ASSERT_TRUE(group.memory) << group.name;
    EXPECT_EQ(group.memory->most_bytes, 100 + devices[group.device].device_id);
  }
  EXPECT_EQ(gpus, kGpus);
}

// Lanes of GPUs and of what belongs to no thread: "id|name|lane: event start-stop;".
std::vector<std::string> sync_lines(const Lanes& lanes) {
  std::vector<std::string> lines;
  for (const LaneGroup& group : lanes.groups) {
    for (const Lane& lane : group.lanes) {
      if (lane.kind != LaneKind::syncs && lane.kind != LaneKind::overhead) continue;
      for (const std::string& line : names(lanes, lane)) {
        lines.push_back(group.id + "|" + group.name + "|" + lane.name + ": " + line);
      }
    }
  }
  return lines;
}

TEST(Lanes, SynchronizationHasALanePerStream) {
  testing::EventSketch sketch;
  sketch.op("aten::add", 0, 1000);
  sketch.kernel("k", 0, 1000, 1);
  sketch.sync("Stream Wait Event", 30, 60, 20);
  sketch.sync("Stream Wait Event", 40, 50, 20);
  sketch.sync("Stream Sync", 10, 20, 7);
  sketch.sync("Context Sync", 70, 80, profile::kNoValue);
  sketch.sync("Event Sync", 5, 6, 9).device = 3;
  sketch.sync("Event Sync", 7, 8, 9).device = profile::kNoValue;
  sketch.sync("Event Sync", 11, 12, 9).device = -5;
  sketch.sync("Event Sync", 13, 14, 9).device = -7;
  sketch.overhead("Buffer Flush", 1, 4);
  sketch.overhead("Lazy Function Loading", 2, 3);
  const auto lanes =
      testing::lanes_of(std::make_shared<const profile::Profile>(std::move(sketch).finish()));
  EXPECT_THAT(
      sync_lines(*lanes),
      ElementsAre("gpu_0|GPU 0 · NVIDIA H100|Synchronization: Context Sync 70-80;",
                  "gpu_0|GPU 0 · NVIDIA H100|Synchronization · stream 7: Stream Sync 10-20;",
                  "gpu_0|GPU 0 · NVIDIA H100|Synchronization · stream 20: Stream Wait Event 30-60;",
                  "gpu_0|GPU 0 · NVIDIA H100|Synchronization · stream 20: Stream Wait Event 40-50;",
                  "syncs|Synchronization|Synchronization · stream 9: "
                  "Event Sync 7-8;Event Sync 11-12;Event Sync 13-14;",
                  "syncs_3|Synchronization · GPU 3|Synchronization · stream 9: Event Sync 5-6;",
                  "overhead|Profiler overhead|Overhead: Buffer Flush 1-4;",
                  "overhead|Profiler overhead|Overhead: Lazy Function Loading 2-3;"));
  for (const EventKind kind : {EventKind::gpu_sync, EventKind::overhead}) {
    for (profile::Row row = 0; row < (kind == EventKind::gpu_sync ? 8U : 2U); ++row) {
      const auto place = find_place(*lanes, {kind, row});
      ASSERT_TRUE(place);
      EXPECT_EQ(event_at(*lanes, *place), (EventRef{kind, row}));
    }
  }
  EXPECT_EQ(lanes->events.category({EventKind::gpu_sync, 0}), Category::sync);
  EXPECT_EQ(lanes->events.category({EventKind::overhead, 0}), Category::overhead);

  testing::FrameSketch frames({{0, 0}});
  frames.frame("main", 0, 900);
  const auto with = with_python_frames(
      *lanes, std::make_shared<const profile::PythonFrames>(std::move(frames).finish()));
  EXPECT_EQ(with->groups.size(), lanes->groups.size() + 1) << "none of them is thread 0";
}

// DLProf's device ids may be any.
TEST(Lanes, SynchronizationOfTheLastGpuStandsWithIt) {
  testing::EventSketch sketch;
  sketch.op("aten::add", 0, 1000);
  sketch.kernel("k", 0, 1000, 1);
  sketch.sync("Event Sync", 7, 8, 9).device = 3;
  profile::Profile profile = std::move(sketch).finish();
  profile.devices[0].device_id = INT64_MAX;
  const auto lanes =
      testing::lanes_of(std::make_shared<const profile::Profile>(std::move(profile)));
  EXPECT_THAT(sync_lines(*lanes),
              ElementsAre("syncs_3|Synchronization · GPU 3|Synchronization · stream 9: "
                          "Event Sync 7-8;"));
}

TEST(Lanes, OpsHangBelowTheirGroupsAndNeighborsShareOne) {
  testing::Sketch sketch;
  const auto conv = sketch.op("/net/block/conv");
  const auto relu = sketch.op("/net/block/relu");
  const auto loss = sketch.op("/net/loss");
  const auto step = sketch.op("step");
  sketch.instance(conv, 0, 10);
  sketch.instance(relu, 12, 20);
  sketch.instance(loss, 20, 30);
  sketch.instance(step, 40, 50);
  sketch.instance(conv, 50, 60);
  const auto lanes = testing::lanes_of(sketch.finish());
  ASSERT_EQ(lanes->groups.size(), 1U);
  EXPECT_THAT(names(*lanes, lanes->groups[0].lanes[0]),
              ElementsAre("net 0-30;step 40-50;net 50-60;", "block 0-20;loss 20-30;block 50-60;",
                          "conv 0-10;relu 12-20;conv 50-60;"));
}

TEST(Lanes, RangesStandForGroupsOfTheirName) {
  testing::Sketch sketch;
  const auto own = sketch.op("/step/step (self time)");
  const auto add = sketch.op("/step/forward/add");
  sketch.instance(sketch.op("load"), 0, 1);
  for (const int64_t at : {100, 900}) {
    sketch.user_range("/step", at, at + 70);
    sketch.user_range("/step/forward", at + 10, at + 50);
    sketch.instance(own, at, at + 10);
    sketch.instance(add, at + 10, at + 20);
    sketch.instance(add, at + 30, at + 40);  // a gap inside one range
    sketch.instance(own, at + 50, at + 70);
  }
  const auto lanes = testing::lanes_of(sketch.finish());
  EXPECT_THAT(names(*lanes, lanes->groups[0].lanes[0])[0], "load 0-1;step 100-170;step 900-970;");
  EXPECT_THAT(names(*lanes, lanes->groups[0].lanes[0])[1],
              "step (self time) 100-110;forward 110-150;step (self time) 150-170;"
              "step (self time) 900-910;forward 910-950;step (self time) 950-970;");
  EXPECT_TRUE(lanes->events.groups().empty());
}

TEST(Lanes, AGroupWithoutRangesEndsWhereItsOpsOccurAgain) {
  testing::Sketch sketch;
  const auto conv = sketch.op("/net/block/conv");
  const auto relu = sketch.op("/net/block/relu");
  const auto loss = sketch.op("/net/loss");
  sketch.instance(sketch.op("load"), 0, 1);
  for (const int64_t at : {100, 900}) {
    sketch.instance(conv, at, at + 10);
    sketch.instance(relu, at + 10, at + 20);
    sketch.instance(loss, at + 30, at + 40);
  }
  const auto lanes = testing::lanes_of(sketch.finish());
  EXPECT_THAT(names(*lanes, lanes->groups[0].lanes[0]),
              ElementsAre("load 0-1;net 100-140;net 900-940;",
                          "block 100-120;loss 130-140;block 900-920;loss 930-940;",
                          "conv 100-110;relu 110-120;conv 900-910;relu 910-920;"));
}

// Steps with phases on thread 1, and ops of the same groups on thread 2 while the step is open.
class RandomSteps {
 public:
  explicit RandomSteps(uint64_t seed) : random_(seed) {
    sketch_.instance(sketch_.op("load"), 0, 1);
    for (int i = 0; i < 4; ++i) {
      inner_.push_back(sketch_.op("/step/forward/op" + std::to_string(i)));
      outer_.push_back(sketch_.op("/step/op" + std::to_string(i)));
    }
    int64_t now_ns = 10;
    for (int step = 0; step < 40; ++step) {
      const int64_t start_ns = now_ns;
      now_ns = run(outer_, now_ns, {1, 1});
      const int64_t forward_ns = now_ns;
      now_ns = run(inner_, now_ns, {1, 1});
      sketch_.user_range("/step/forward", forward_ns, now_ns);
      now_ns = run(inner_, now_ns, {1, 2});
      sketch_.user_range("/step", start_ns, now_ns);
      now_ns += static_cast<int64_t>(random_() % 3 * (random_() % 500));
    }
  }
  std::shared_ptr<const profile::Profile> finish() { return sketch_.finish(); }

 private:
  // Returns when they end; no time may lie between.
  int64_t run(const std::vector<profile::Row>& ops, int64_t at_ns, profile::Thread thread) {
    for (uint64_t left = 1 + random_() % 6; left > 0; --left) {
      const auto start_ns = at_ns + static_cast<int64_t>(random_() % 2 * (random_() % 50));
      at_ns = start_ns + 1 + static_cast<int64_t>(random_() % 20);
      sketch_.instance(ops[random_() % ops.size()], start_ns, at_ns, thread);
    }
    return at_ns;
  }

  testing::Sketch sketch_;
  std::mt19937_64 random_;
  std::vector<profile::Row> inner_, outer_;
};

TEST(Lanes, BoxesOfGroupsLieInOneRangeEach) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const auto lanes = testing::lanes_of(RandomSteps(seed).finish());
    const Events& events = lanes->events;
    const profile::UserRanges& ranges = events.profile().user_ranges;
    std::map<std::pair<std::size_t, profile::Row>, int> steps;  // boxes by thread and range
    for (std::size_t thread = 0; thread < lanes->groups.size(); ++thread) {
      for (const Line& line : lanes->groups[thread].lanes[0].lines) {
        for (std::size_t i = 0; i < line.size(); ++i) {
          if (line[i].kind != EventKind::group || events.name(line[i]) != "step") continue;
          const base::Interval box = events.time(line[i]);
          profile::Row around = 0;
          while (around < ranges.size() &&
                 (events.profile().text(ranges.path[around]) != "/step" ||
                  ranges.start_ns[around] > box.start_ns || ranges.stop_ns[around] < box.stop_ns)) {
            ++around;
          }
          ASSERT_LT(around, ranges.size()) << box.start_ns << "-" << box.stop_ns;
          ++steps[{thread, around}];
        }
      }
    }
    // On the other thread: on its own the range stands for the group. Nothing lies between the ops
    // of a step there, so that each has one box.
    EXPECT_EQ(steps.size(), 40U);
    for (const auto& [step, boxes] : steps) {
      EXPECT_EQ(step.first, 1U);
      EXPECT_EQ(boxes, 1);
    }
  }
}

// Null where it does not open.
std::shared_ptr<const Lanes> lanes_of_real(const std::string& name) {
  base::Progress progress;
  auto opened =
      import::open_profile(*testing::test_data_folder() / "nsys" / (name + ".sqlite"), progress);
  if (!opened) return nullptr;
  return testing::lanes_of(std::make_shared<const profile::Profile>(std::move(*opened)));
}

TEST(Lanes, TheStepsOfARealRunAreBoxes) {
  DLVIEW_REQUIRE_TEST_DATA();
  const auto lanes = lanes_of_real("2023.4_dataloader_bound_59_steps");
  ASSERT_NE(lanes, nullptr);
  int64_t ranges = 0, boxes = 0, longest_ns = 0;
  for (const LaneGroup& group : lanes->groups) {
    for (const Lane& lane : group.lanes) {
      if (lane.kind != LaneKind::ranges) continue;
      for (const Line& line : lane.lines) {
        for (std::size_t at = 0; at < line.size(); ++at) {
          const std::string name = lanes->events.name(line[at]);
          const bool is_box = line[at].kind == EventKind::group && name == "step";
          if (!is_box && !(line[at].kind == EventKind::nvtx && name.starts_with("step "))) continue;
          (is_box ? boxes : ranges) += 1;
          longest_ns = std::max(longest_ns, line.length_ns(at, lanes->events));
        }
      }
    }
  }
  EXPECT_EQ(ranges, 59);  // on the program's thread
  EXPECT_EQ(boxes, 59);   // on that of the backward pass
  EXPECT_LT(longest_ns, 200'000'000);
}

// It has layers such as "/blocks.0/blocks.0.19/fc/fc.0/Conv".
TEST(Lanes, SlashesOfNamesAddNoLines) {
  DLVIEW_REQUIRE_TEST_DATA();
  const auto lanes = lanes_of_real("2022.4_tensorrt_nvtx_layers");
  ASSERT_NE(lanes, nullptr);
  ASSERT_FALSE(lanes->groups.empty());
  for (const LaneGroup& group : lanes->groups) {
    for (const Lane& lane : group.lanes) EXPECT_LE(lane.lines.size(), 5U) << lane.name;
  }
}

TEST(Lanes, AGroupThatHoldsAllOpsHasNoBox) {
  testing::Sketch sketch;
  const auto conv = sketch.op("/model/net/conv");
  const auto loss = sketch.op("/model/loss");
  sketch.instance(conv, 0, 10);
  sketch.instance(loss, 10, 20);
  const auto lanes = testing::lanes_of(sketch.finish());
  EXPECT_THAT(names(*lanes, lanes->groups[0].lanes[0]),
              ElementsAre("net 0-10;loss 10-20;", "conv 0-10;"));
}

// They may lie seconds apart, and nothing was recorded in between.
TEST(Lanes, WorkOutsideEveryOpHasNoGroup) {
  testing::Sketch sketch;
  sketch.instance(sketch.op("/net/conv"), 0, 10);
  sketch.instance(sketch.op("unassociated_cudaLaunchKernel/gemm"), 20, 30);
  sketch.instance(sketch.op("unassociated_cudaLaunchKernel/relu"), 900, 910);
  const auto lanes = testing::lanes_of(sketch.finish());
  EXPECT_THAT(names(*lanes, lanes->groups[0].lanes[0]),
              ElementsAre("net 0-10;gemm 20-30;relu 900-910;", "conv 0-10;"));
}

TEST(Lanes, KernelsOfOneNameAreToldApartByTheirFullNames) {
  testing::Sketch sketch;
  const auto instance = sketch.instance(sketch.op("net/conv"), 0, 10);
  sketch.kernel(instance, 10, 20, 0, "elementwise", false, "elementwise<rsqrt>");
  sketch.kernel(instance, 20, 30, 0, "elementwise", false, "elementwise<add>");
  sketch.kernel(instance, 30, 40, 0, "elementwise", false, "elementwise<rsqrt>");
  const auto lanes = testing::lanes_of(sketch.finish());
  const auto first = find_place(*lanes, {EventKind::kernel, 0});
  const auto next = next_of_name(*lanes, *first, 1);
  ASSERT_TRUE(next);
  EXPECT_EQ(lanes->events.start_ns(event_at(*lanes, *next)), 30);
  EXPECT_EQ(next_of_name(*lanes, *find_place(*lanes, {EventKind::kernel, 1}), 1), std::nullopt);
}

TEST(Lanes, OpsThatOverlapHaveLinesOfTheirOwn) {
  testing::Sketch sketch;
  const auto outer = sketch.op("net/outer");
  const auto inner = sketch.op("net/inner");
  sketch.instance(outer, 0, 100);
  sketch.instance(inner, 20, 30);
  sketch.instance(sketch.op("step"), 100, 110);
  const auto lanes = testing::lanes_of(sketch.finish());
  EXPECT_THAT(names(*lanes, lanes->groups[0].lanes[0]),
              ElementsAre("net 0-100;step 100-110;", "outer 0-100;", "net 20-30;", "inner 20-30;"));
}

TEST(Lanes, ACallThatLaunchedSeveralKernelsIsOne) {
  testing::Sketch sketch;
  const auto instance = sketch.instance(sketch.op("net/conv"), 0, 10);
  sketch.kernel(instance, 10, 20);
  sketch.kernel(instance, 20, 30);
  sketch.kernel(instance, 30, 40);
  const auto lanes = testing::lanes_of(sketch.finish());
  const Lane* calls = nullptr;
  for (const LaneGroup& group : lanes->groups) {
    for (const Lane& lane : group.lanes) {
      if (lane.kind == LaneKind::api_calls) calls = &lane;
    }
  }
  ASSERT_NE(calls, nullptr);
  EXPECT_EQ(calls->event_count(), 1U);
  const auto place = find_place(*lanes, {EventKind::launch, 2});
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(event_at(*lanes, *place), (EventRef{EventKind::launch, 0}));
}

TEST(Lanes, TheNextOfANameIsTheNextInTime) {
  testing::Sketch sketch;
  const auto instance = sketch.instance(sketch.op("net/conv"), 0, 1);
  sketch.kernel(instance, 0, 100, 0, "a");
  sketch.kernel(instance, 10, 20, 0, "b");
  sketch.kernel(instance, 30, 40, 0, "a");
  sketch.kernel(instance, 110, 120, 0, "a");
  sketch.kernel(instance, 130, 140, 0, "b");
  const auto lanes = testing::lanes_of(sketch.finish());
  const auto at = [&](profile::Row kernel) {
    return *find_place(*lanes, {EventKind::kernel, kernel});
  };
  EXPECT_EQ(next_of_name(*lanes, at(0), 1), at(2));
  EXPECT_EQ(next_of_name(*lanes, at(2), 1), at(3));
  EXPECT_EQ(next_of_name(*lanes, at(3), 1), std::nullopt);
  EXPECT_EQ(next_of_name(*lanes, at(3), -1), at(2));
  EXPECT_EQ(next_of_name(*lanes, at(1), 1), at(4));
  EXPECT_EQ(next_of_name(*lanes, at(1), -1), std::nullopt);
}

TEST(Lanes, OfEventsOfANameThatStartTogetherEachHasItsTurn) {
  testing::Sketch sketch;
  const auto instance = sketch.instance(sketch.op("net/conv"), 0, 1);
  sketch.kernel(instance, 5, 100, 0, "a");
  sketch.kernel(instance, 5, 20, 0, "a");
  sketch.kernel(instance, 5, 12, 0, "a");
  sketch.kernel(instance, 110, 120, 0, "a");
  const auto lanes = testing::lanes_of(sketch.finish());
  std::optional<Place> place = find_place(*lanes, {EventKind::kernel, 0});
  std::set<profile::Row> seen{0};
  while ((place = next_of_name(*lanes, *place, 1)) && seen.size() < 9) {
    EXPECT_TRUE(seen.insert(event_at(*lanes, *place).row).second);
    if (event_at(*lanes, *place).row == 3) break;
  }
  EXPECT_EQ(seen.size(), 4U);
  seen = {3};
  while (place && (place = next_of_name(*lanes, *place, -1))) {
    ASSERT_TRUE(seen.insert(event_at(*lanes, *place).row).second);
  }
  EXPECT_EQ(seen.size(), 4U);
}

TEST(Lanes, OfAnEmptyProfileAreNone) {
  const auto lanes = testing::lanes_of(testing::Sketch().finish());
  EXPECT_TRUE(lanes->groups.empty());
  EXPECT_GT(lanes->whole.length_ns, 0);
}

TEST(Lanes, HoldEveryEventOfTheProfileOnce) {
  for (const uint64_t seed : {1, 2, 3}) {
    const auto lanes =
        testing::random_lanes({.seed = seed, .processes = 2, .backwards = seed == 3});
    const profile::Profile& profile = lanes->events.profile();
    std::map<EventKind, std::set<profile::Row>> seen;
    for (const LaneGroup& group : lanes->groups) {
      for (const Lane& lane : group.lanes) {
        for (const Line& line : lane.lines) {
          for (std::size_t i = 0; i < line.size(); ++i) {
            EXPECT_TRUE(seen[line[i].kind].insert(line[i].row).second);
            EXPECT_GE(lanes->events.time(line[i]).start_ns, lanes->whole.start_ns);
            EXPECT_LE(lanes->events.time(line[i]).stop_ns, lanes->whole.stop_ns());
          }
        }
      }
    }
    EXPECT_EQ(seen[EventKind::kernel].size(), profile.kernels.size());
    EXPECT_EQ(seen[EventKind::memory_op].size(), profile.memory_ops.size());
    EXPECT_EQ(seen[EventKind::api_call].size(), profile.api_calls.size());
    EXPECT_EQ(seen[EventKind::op].size(), profile.instances.size());
    EXPECT_EQ(seen[EventKind::user_range].size(), profile.user_ranges.size());
    EXPECT_EQ(seen[EventKind::group].size(), lanes->events.groups().size());
    // Calls of several rows are found under any of them.
    for (profile::SyncIndex row{0}; row < profile.syncs.size(); ++row) {
      const auto place = find_place(*lanes, {EventKind::sync, row});
      ASSERT_TRUE(place.has_value());
      EXPECT_EQ(lanes->events.time(event_at(*lanes, *place)),
                lanes->events.time({EventKind::sync, row}));
    }
  }
}

// Kernel -> launch -> op and back, on the places where they are drawn, against the columns.
void expect_correlated(const Lanes& lanes) {
  const profile::Profile& profile = lanes.events.profile();
  for (profile::KernelIndex row{0}; row < profile.kernels.size(); ++row) {
    const EventRef kernel{EventKind::kernel, row};
    const auto place = find_place(lanes, kernel);
    ASSERT_TRUE(place.has_value()) << row;
    ASSERT_EQ(event_at(lanes, *place), kernel);
    ASSERT_EQ(lanes.groups[place->group].device, profile.device_of_kernel(row));
    if (profile.kernels.api_stop_ns[row] > profile.kernels.api_start_ns[row]) {
      const auto launch = find_place(lanes, call_of(kernel));
      ASSERT_TRUE(launch.has_value()) << row;
      const base::Interval time = lanes.events.time(event_at(lanes, *launch));
      ASSERT_EQ(time.start_ns, profile.kernels.api_start_ns[row]);
      ASSERT_EQ(time.stop_ns, profile.kernels.api_stop_ns[row]);
      const profile::ThreadIndex thread = profile.launches.thread[profile.kernels.launch[row]];
      ASSERT_EQ(lanes.groups[launch->group].thread, profile.threads[thread]);
      ASSERT_EQ(work_of(call_of(kernel)), kernel);
    }
    const profile::InstanceIndex instance = instance_of(profile, call_of(kernel));
    ASSERT_EQ(instance, profile.kernels.instance[row]);
    const auto op = find_place(lanes, {EventKind::op, instance});
    ASSERT_TRUE(op.has_value()) << row;
    ASSERT_EQ(event_at(lanes, *op), (EventRef{EventKind::op, instance}));
  }
}

TEST(Lanes, OfARandomRunLeadFromEveryKernelToItsLaunchAndItsOp) {
  expect_correlated(*testing::random_lanes({.seed = 9, .processes = 2}));
}

TEST(Lanes, OfTheRealFilesLeadFromEveryKernelToItsLaunchAndItsOp) {
  DLVIEW_REQUIRE_TEST_DATA();
  int files = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(*testing::test_data_folder())) {
    if (entry.path().extension() != ".sqlite") continue;
    base::Progress progress;
    auto opened = import::open_profile(entry.path(), progress);
    if (!opened) continue;  // what cannot be opened is told by the tests of the importers
    SCOPED_TRACE(entry.path());
    expect_correlated(
        *testing::lanes_of(std::make_shared<const profile::Profile>(std::move(*opened))));
    ++files;
  }
  EXPECT_GT(files, 10);
}

}  // namespace
}  // namespace dlview::timeline
