// Lanes of thread states and OS runtime calls, and the samples of a selected event.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "support/sketch.h"
#include "support/thread_ids.h"
#include "timeline/lanes.h"
#include "timeline/lanes_support.h"
#include "timeline/name_hits.h"
#include "ui/views/timeline/sample_icicle.h"

namespace dlview::timeline {
namespace {

using profile::kNoRow;
using profile::Row;
using profile::ThreadId;
using ::testing::ElementsAre;

constexpr ThreadId kMain = testing::thread_of(7, 9), kBusy = testing::thread_of(7, 10),
                   kIdle = testing::thread_of(7, 11), kStranger = testing::thread_of(8, 12);

// A run of 1000 ns on thread 9, with what the trace tells of it and three other threads.
class HostLanes : public ::testing::Test {
 protected:
  HostLanes() {
    testing::Sketch sketch(1);
    const auto op = sketch.op("/net/conv");
    sketch.kernel(sketch.instance(op, 0, 1000, {7, 9}), 10, 1000, 0, "sgemm");
    auto profile = std::make_shared<profile::Profile>(*sketch.finish());
    testing::add_threads(profile->trace.emplace());
    profile_ = std::move(profile);
  }
  profile::Trace& trace() { return *std::const_pointer_cast<profile::Profile>(profile_)->trace; }

  void set_switches() {
    trace().switches = {std::vector<int64_t>{0, 100, 300, 400, 0, 900, 5, 10, 0, 1000},
                        std::vector<ThreadId>{kMain, kMain, kMain, kMain, kBusy, kBusy, kIdle,
                                              kIdle, kStranger, kStranger},
                        std::vector<int32_t>(10),
                        std::vector<int16_t>{1, 0, 1, 0, 1, 0, 1, 0, 1, 0}};
  }
  std::vector<std::string> lanes() {
    std::vector<std::string> texts;
    const auto lanes = testing::lanes_of(profile_);
    for (const LaneGroup& group : lanes->groups) {
      for (const Lane& lane : group.lanes) {
        if (lane.kind != LaneKind::states && lane.kind != LaneKind::os_calls) continue;
        std::string text = std::to_string(group.thread.thread_id) + " " + lane.name + ":";
        for (const Line& line : lane.lines) {
          for (std::size_t i = 0; i < line.size(); ++i) {
            const base::Interval time = lanes->events.time(line[i]);
            text += " " + lanes->events.name(line[i]) + " " + std::to_string(time.start_ns) + "-" +
                    std::to_string(time.stop_ns);
          }
        }
        texts.push_back(text);
      }
    }
    return texts;
  }

  std::shared_ptr<const profile::Profile> profile_;
};

TEST_F(HostLanes, ShowCpuTimesOfBusyThreadsOnly) {
  set_switches();
  EXPECT_THAT(lanes(), ElementsAre("9 Running on CPU: running 0-100 running 300-400",
                                   "10 Running on CPU: running 0-900"));
}

TEST_F(HostLanes, TellOsCallsOfThreadsThatAreShown) {
  set_switches();
  trace().os_calls = {std::vector<int64_t>{120, 6},
                      std::vector<int64_t>{280, 8},
                      std::vector<ThreadId>{kMain, kIdle},
                      std::vector<profile::StringId>{profile_->kernels.name[0], 0},
                      {}};
  EXPECT_THAT(lanes(), ElementsAre("9 OS calls: sgemm 120-280",
                                   "9 Running on CPU: running 0-100 running 300-400",
                                   "10 Running on CPU: running 0-900"));
}

TEST_F(HostLanes, AreSearchedByTheNamesOfTheirEvents) {
  set_switches();
  trace().os_calls = {std::vector<int64_t>{120, 300},
                      std::vector<int64_t>{280, 310},
                      std::vector<ThreadId>{kMain, kMain},
                      std::vector<profile::StringId>{profile_->kernels.name[0], profile::kNoText},
                      {}};
  const base::Progress progress;
  const auto hits_of = [&](const char* text, EventClass event_class) {
    return NameHits(testing::lanes_of(profile_), text, progress).count(event_class);
  };
  EXPECT_EQ(hits_of("SGEMM", EventClass::os_calls), 1);
  EXPECT_EQ(hits_of("running", EventClass::states), 3);
  EXPECT_EQ(hits_of("sgemm", EventClass::states), 0);
}

TEST_F(HostLanes, HaveAPlaceForEachOfTheirEvents) {
  set_switches();
  const auto lanes = testing::lanes_of(profile_);
  for (std::size_t group = 0; group < lanes->groups.size(); ++group) {
    for (const Lane& lane : lanes->groups[group].lanes) {
      if (lane.kind != LaneKind::states) continue;
      const std::optional<Place> place = find_place(*lanes, lane.lines[0][0]);
      ASSERT_TRUE(place);
      EXPECT_EQ(event_at(*lanes, *place), lane.lines[0][0]);
    }
  }
}

TEST_F(HostLanes, SamplesBecomeAnIcicleOfFunctions) {
  const profile::StringId one = profile_->kernels.name[0], other = profile_->ops.name[0];
  trace().frames = {std::vector<Row>{kNoRow, 0, 0},
                    std::vector<profile::StringId>{one, other, profile::kNoText},
                    std::vector<profile::StringId>(3, profile::kNoText)};
  trace().samples = {std::vector<int64_t>{10, 20, 30, 40, 2000},
                     std::vector<ThreadId>{kMain, kMain, kMain, kBusy, kMain},
                     std::vector<Row>{1, 1, 2, 1, 1},
                     {}};
  const aggregate::HostRecord record(*profile_);
  const ui::SampleIcicle icicle = ui::prepare_samples(*profile_, record, {7, 9}, {0, 1000});
  EXPECT_EQ(icicle.samples, 3);
  std::vector<std::string> boxes;
  for (const ui::SampleIcicle::Function& box : icicle.functions) {
    boxes.push_back(box.name + " " + std::to_string(box.depth) + ": " + std::to_string(box.first) +
                    "+" + std::to_string(box.samples));
  }
  EXPECT_THAT(boxes, ElementsAre("sgemm 0: 0+3", "/net/conv 1: 0+2", "unknown 1: 2+1"));
}

TEST_F(HostLanes, ThreadsWithoutSamplesHaveNoIcicle) {
  const aggregate::HostRecord record(*profile_);
  EXPECT_EQ(ui::prepare_samples(*profile_, record, {7, 9}, {0, 1000}).samples, 0);
}

}  // namespace
}  // namespace dlview::timeline
