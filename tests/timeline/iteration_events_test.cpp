#include "timeline/iteration_events.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "import/pytorch/event_sketch.h"
#include "timeline/lanes_support.h"

namespace dlview::timeline {
namespace {

using profile::kNoRow;
using profile::Profile;
using profile::Row;
using testing::iterations_of;

// Three steps of torch.profiler of this length, one each µs, with ops in and before them.
std::shared_ptr<const Profile> trace_of_steps(int64_t step_ns) {
  testing::EventSketch sketch;
  sketch.op("aten::zeros", 0, 50);
  for (const int64_t at : {1000, 2000, 3000}) {
    sketch.annotation("ProfilerStep#" + std::to_string(at / 1000), at, at + step_ns);
    sketch.op("aten::add", at + 100, at + 500);
  }
  return std::make_shared<const Profile>(std::move(sketch).finish());
}

TEST(LaneOfIterations, HoldsTheStepsThatAreIterations) {
  const auto lane_of = [](const std::shared_ptr<const Profile>& profile, const char* key) {
    const aggregate::Cut cut{aggregate::CutKind::start, key, 0};
    return lane_of_iterations(*testing::lanes_of(profile),
                              aggregate::cut_iterations(*profile, cut));
  };
  const auto steps = trace_of_steps(1000);
  const auto lane = lane_of(steps, "ProfilerStep");
  ASSERT_TRUE(lane);
  const auto lanes = testing::lanes_of(steps);
  EXPECT_EQ(lanes->groups[lane->group].lanes[lane->lane].name, "Steps");
  EXPECT_EQ(lanes->events.name(event_at(*lanes, *lane)), "ProfilerStep#1");
  EXPECT_EQ(lanes->groups[lane->group].lanes[lane->lane].event_count(), 3U) << "no ops";
  EXPECT_FALSE(lane_of(steps, "aten::add")) << "others mark the iterations";
  EXPECT_FALSE(lane_of(trace_of_steps(900), "ProfilerStep")) << "they end before the iterations";
}

// The call makes an op of the first step, and of the range that is as long as the second one.
TEST(LaneOfIterations, StandsForTheOpOfAStep) {
  testing::EventSketch sketch;
  sketch.annotation("ProfilerStep#1", 1000, 2000);
  sketch.launch("alone", 1100);
  sketch.annotation("ProfilerStep#2", 3000, 4000);
  sketch.annotation("train", 3000, 4000);
  sketch.launch("inside", 3100);
  const auto profile = std::make_shared<const Profile>(std::move(sketch).finish());
  ASSERT_EQ(profile->instances.size(), 2U);
  const auto lanes = testing::lanes_of(profile);
  std::map<std::string, std::vector<std::string>> names;
  for (const LaneGroup& group : lanes->groups) {
    for (const Lane& lane : group.lanes) {
      if (lane.kind != LaneKind::ranges) continue;
      for (const Line& line : lane.lines) {
        for (std::size_t at = 0; at < line.size(); ++at) {
          names[lane.name].push_back(lanes->events.name(line[at]));
        }
      }
    }
  }
  EXPECT_EQ(names["Steps"], (std::vector<std::string>{"ProfilerStep#1", "ProfilerStep#2"}));
  names.erase("Steps");
  std::vector<std::string> others;
  for (const auto& [lane, events] : names)
    others.insert(others.end(), events.begin(), events.end());
  EXPECT_EQ(others, std::vector<std::string>{"train"});
}

TEST(IterationEvents, AreEachOfOneIterationAtMost) {
  const auto lanes = testing::random_lanes({.seed = 4});
  const Profile& profile = lanes->events.profile();
  std::vector<IterationEvents> all;
  for (const auto& row : iterations_of(profile)) all.emplace_back(profile, row);
  ASSERT_GT(all.size(), 5U);
  std::size_t held = 0;
  for (Row row = 0; row < profile.kernels.size(); ++row) {
    const EventRef event{EventKind::kernel, row};
    const auto count = std::ranges::count_if(
        all, [&](const IterationEvents& own) { return own.contains(lanes->events, event); });
    ASSERT_LE(count, 1);
    held += static_cast<std::size_t>(count);
    for (const IterationEvents& own : all) {
      if (!own.contains(lanes->events, event)) continue;
      EXPECT_LE(profile.kernels.gpu_stop_ns[row], own.time().stop_ns);
    }
  }
  EXPECT_GT(held, profile.kernels.size() / 2);
}

TEST(IterationEvents, KnowWhenTheirGpuActivityRuns) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const auto lanes = testing::random_lanes({.seed = seed});
    const profile::Profile& profile = lanes->events.profile();
    for (const aggregate::Iteration& row : iterations_of(profile)) {
      const IterationEvents own(profile, row);
      for (profile::DeviceIndex gpu{0}; gpu < profile.devices.size(); ++gpu) {
        std::vector<base::Interval> times;
        const auto add = [&](EventKind kind, std::size_t count, const auto& device_of_row) {
          for (profile::Row i = 0; i < count; ++i) {
            const EventRef event{kind, i};
            if (device_of_row(i) == gpu && own.contains(lanes->events, event)) {
              times.push_back(lanes->events.time(event));
            }
          }
        };
        add(EventKind::kernel, profile.kernels.size(),
            [&](profile::Row i) { return profile.device_of_kernel(profile::KernelIndex(i)); });
        add(EventKind::memory_op, profile.memory_ops.size(),
            [&](profile::Row i) { return profile.memory_ops.device[i]; });
        EXPECT_EQ(own.busy(gpu), base::IntervalSet::union_of(std::move(times)));
      }
    }
  }
}

// Asked of each event's op instance, or of its start where it has none.
TEST(IterationEvents, FollowTheirOpInstances) {
  const auto lanes = testing::random_lanes({.seed = 7, .processes = 2});
  const Profile& profile = lanes->events.profile();
  std::size_t of_ops = 0, of_none = 0;
  for (const auto& iteration : iterations_of(profile)) {
    const IterationEvents own(profile, iteration);
    for (const LaneGroup& group : lanes->groups) {
      for (const Lane& lane : group.lanes) {
        for (const Line& line : lane.lines) {
          for (std::size_t at = 0; at < line.size(); ++at) {
            const profile::InstanceIndex instance = instance_of(profile, line[at]);
            const int64_t start_ns = lanes->events.start_ns(line[at]);
            const bool expected =
                instance == kNoRow
                    ? start_ns >= iteration.start_ns && start_ns <= iteration.stop_ns
                    : instance >= iteration.first_instance && instance < iteration.last_instance;
            ASSERT_EQ(own.contains(lanes->events, line[at]), expected);
            (instance == kNoRow ? of_none : of_ops) += expected ? 1 : 0;
          }
        }
      }
    }
  }
  EXPECT_GT(of_ops, 100U);
  EXPECT_GT(of_none, 10U);
}

// Ranges and calls of no op begin on the host, before the kernels of the iteration.
TEST(IterationEvents, OfASplitByTheGpuTakeTheTimeOnTheHost) {
  const auto lanes = testing::random_lanes({.seed = 7});
  const Profile& profile = lanes->events.profile();
  std::size_t held = 0;
  for (aggregate::Iteration by_gpu : iterations_of(profile)) {
    const IterationEvents by_host(profile, by_gpu);
    by_gpu.host = base::Interval{by_gpu.start_ns, by_gpu.stop_ns};
    by_gpu.start_ns += 1'000'000;
    by_gpu.stop_ns += 1'000'000;
    const IterationEvents own(profile, by_gpu);
    for (Row row = 0; row < profile.user_ranges.size(); ++row) {
      const EventRef event{EventKind::user_range, row};
      EXPECT_EQ(own.contains(lanes->events, event), by_host.contains(lanes->events, event));
      held += own.contains(lanes->events, event) ? 1 : 0;
    }
  }
  EXPECT_GT(held, 0U);
}

TEST(IterationEvents, DoNotCountLinesWithoutVisibleEvents) {
  for (const uint64_t seed : {1, 2, 3}) {
    const auto lanes = testing::random_lanes({.seed = seed, .threads = 6, .instances = 60});
    testing::RandomWindows windows(lanes->whole, seed);
    for (int i = 0; i < 40; ++i) {
      const TimeWindow one = windows.next(), other = windows.next();
      const LineCounts counts =
          count_lines(*lanes, {{one.start_ns, one.stop_ns()}, {other.start_ns, other.stop_ns()}});
      const auto is_visible = [&](EventRef event) {
        const base::Interval time = lanes->events.time(event);
        return std::ranges::any_of(std::array{one, other}, [&](const TimeWindow& window) {
          return time.start_ns < window.stop_ns() &&
                 (time.stop_ns > window.start_ns || time.start_ns == window.start_ns);
        });
      };
      for (std::size_t group = 0; group < lanes->groups.size(); ++group) {
        std::size_t any = 0;
        const auto& of_group = lanes->groups[group].lanes;
        for (std::size_t lane = 0; lane < of_group.size(); ++lane) {
          if (of_group[lane].kind == LaneKind::busy) continue;
          std::size_t expected = 0;
          for (std::size_t line = 0; line < of_group[lane].lines.size(); ++line) {
            for (std::size_t at = 0; at < of_group[lane].lines[line].size(); ++at) {
              if (is_visible(of_group[lane].lines[line][at])) expected = line + 1;
            }
          }
          EXPECT_EQ(counts[group][lane], expected);
          any += expected;
        }
        for (std::size_t lane = 0; lane < of_group.size(); ++lane) {
          if (of_group[lane].kind != LaneKind::busy) continue;
          EXPECT_EQ(counts[group][lane], any > 0 ? 1U : 0U);
        }
      }
    }
  }
}

// Each place asked for itself.
TEST(SubjectEvents, AreThoseOfTheOpOrOfTheKernelInTheIterations) {
  const auto lanes = testing::random_lanes({.seed = 5, .ops = 5});
  const Profile& profile = lanes->events.profile();
  const auto rows = iterations_of(profile);
  const std::vector<IterationEvents> own{{profile, rows[2]}, {profile, rows[5]}};
  const base::Progress progress;
  std::size_t found = 0;
  for (const Subject subject : {Subject{Subject::Kind::op, profile.instances.op[10]},
                                Subject{Subject::Kind::kernel, profile.kernels.name[20]},
                                Subject{Subject::Kind::kernel, profile.kernels.name[21]}}) {
    const SubjectEvents events(*lanes, own, subject, progress);
    for (std::size_t group = 0; group < lanes->groups.size(); ++group) {
      for (std::size_t lane = 0; lane < lanes->groups[group].lanes.size(); ++lane) {
        const auto& lines = lanes->groups[group].lanes[lane].lines;
        for (std::size_t line = 0; line < lines.size(); ++line) {
          for (std::size_t at = 0; at < lines[line].size(); ++at) {
            const EventRef event = lines[line][at];
            const profile::InstanceIndex instance = instance_of(profile, event);
            const bool is_own =
                own[0].contains(lanes->events, event) || own[1].contains(lanes->events, event);
            const bool is_of =
                subject.kind == Subject::Kind::op
                    ? instance != kNoRow && profile.instances.op[instance] == subject.id
                    : work_of(event).kind == EventKind::kernel &&
                          profile.kernels.name[event.row] == subject.id;
            EXPECT_EQ(events.any_in({group, lane, line}, at, at + 1), is_own && is_of);
            found += is_own && is_of ? 1 : 0;
          }
        }
      }
    }
  }
  EXPECT_GT(found, 10U);
}

}  // namespace
}  // namespace dlview::timeline
