#include "timeline/frame_events.h"

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "support/python_frames_sketch.h"
#include "support/sketch.h"
#include "timeline/lanes_support.h"
#include "timeline/name_hits.h"

namespace dlview::timeline {
namespace {

using profile::kNoRow;
using profile::PythonFrames;
using profile::Row;
using ::testing::ElementsAre;
using testing::FrameSketch;

constexpr int64_t kMs = 1'000'000;
const std::vector<profile::Thread> kMain{{1, 1}};

std::shared_ptr<const PythonFrames> finished(FrameSketch& sketch) {
  return std::make_shared<const PythonFrames>(std::move(sketch).finish());
}

// "main 0-9;" of each line.
std::vector<std::string> lines_of(const PutFrames& put, std::size_t thread = 0) {
  std::vector<std::string> texts;
  for (const std::vector<Row>& line : put.threads[thread].lines) {
    std::string& text = texts.emplace_back();
    for (const Row row : line) {
      const base::Interval time = put.events->time(row);
      text += std::string(put.events->name(row)) + " " + std::to_string(time.start_ns) + "-" +
              std::to_string(time.stop_ns) + ";";
    }
  }
  return texts;
}

PutFrames put(FrameSketch& sketch) {
  return put_on_lines(profile::Profile(), finished(sketch));
}

TEST(FrameLines, StandBelowTheirCallers) {
  FrameSketch sketch(kMain);
  const Row main = sketch.frame("main", 0, 100);
  const Row first = sketch.frame("f", 10, 40, main);
  sketch.frame("f", 50, 90, main);
  sketch.frame("g", 20, 30, first);
  EXPECT_THAT(lines_of(put(sketch)), ElementsAre("main 0-100;", "f 10-40;f 50-90;", "g 20-30;"));
}

TEST(FrameLines, CutAFrameThatRunsIntoTheNext) {
  FrameSketch sketch(kMain);
  const Row main = sketch.frame("main", 0, 100);
  const Row first = sketch.frame("f", 10, 55, main);
  sketch.frame("g", 50, 90, main);
  const PutFrames all = put(sketch);
  EXPECT_THAT(lines_of(all), ElementsAre("main 0-100;", "f 10-50;g 50-90;"));
  EXPECT_EQ(all.events->recorded_time(first), (base::Interval{10, 55}));
}

TEST(FrameLines, CutNoMoreThanTheClocksDiffer) {
  FrameSketch sketch(kMain);
  sketch.frame("f", 0, 10 * kMs);
  sketch.frame("g", 8 * kMs, 12 * kMs);
  sketch.frame("short", 20 * kMs, 20 * kMs + 10);
  sketch.frame("next", 20 * kMs + 2, 21 * kMs);
  EXPECT_THAT(lines_of(put(sketch)), ElementsAre("f 0-10000000;short 20000000-20000010;",
                                                 "g 8000000-12000000;next 20000002-21000000;"));
}

TEST(FrameLines, MoveFramesInsideOthersDown) {
  FrameSketch sketch(kMain);
  const Row main = sketch.frame("main", 0, 100);
  sketch.frame("f", 10, 90, main);
  const Row lost = sketch.frame("lost", 20, 80);
  sketch.frame("called", 30, 40, lost);
  EXPECT_THAT(lines_of(put(sketch)),
              ElementsAre("main 0-100;", "f 10-90;", "lost 20-80;", "called 30-40;"));
}

TEST(FrameLines, KeepFramesThatStartBeforeTheirCaller) {
  FrameSketch sketch(kMain);
  const Row main = sketch.frame("main", 10, 100);
  sketch.frame("f", 5, 50, main);
  EXPECT_THAT(lines_of(put(sketch)), ElementsAre("main 10-100;", "f 5-50;"));
}

// Whatever the file says: each frame has one place, and nothing on a line overlaps.
TEST(FrameLines, HoldEachFrameOnce) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    const auto upto = [&random](int64_t most) {
      return static_cast<int64_t>(random() % static_cast<unsigned>(most));
    };
    FrameSketch sketch({{1, 1}, {1, 2}});
    for (Row row = 0; row < 300; ++row) {
      const auto thread = static_cast<Row>(row % 2);
      const auto caller = row < 2 || upto(6) == 0
                              ? kNoRow
                              : static_cast<Row>(2 * upto((row - thread) / 2) + thread);
      const int64_t start = upto(5000);
      sketch.frame("f", start, start + upto(row < 20 ? 3000 : 60), caller, thread);
    }
    const auto frames = finished(sketch);
    const PutFrames all = put_on_lines(profile::Profile(), frames);
    std::vector<std::size_t> line_of(frames->size(), SIZE_MAX);
    for (const PutFrames::OfThread& of_thread : all.threads) {
      for (std::size_t line = 0; line < of_thread.lines.size(); ++line) {
        int64_t until_ns = INT64_MIN;
        for (const Row row : of_thread.lines[line]) {
          EXPECT_EQ(line_of[row], SIZE_MAX) << "twice";
          line_of[row] = line;
          EXPECT_EQ(frames->threads[frames->thread[row]], of_thread.thread);
          const base::Interval time = all.events->time(row);
          EXPECT_EQ(time.start_ns, frames->start_ns[row]);
          EXPECT_LE(time.start_ns, time.stop_ns);
          EXPECT_LE(time.stop_ns, frames->end_ns[row]);
          EXPECT_LE(2 * (frames->end_ns[row] - time.stop_ns),
                    frames->end_ns[row] - frames->start_ns[row]);
          EXPECT_GE(time.start_ns, until_ns) << "overlap";
          until_ns = time.stop_ns;
        }
      }
    }
    EXPECT_EQ(std::ranges::count(line_of, SIZE_MAX), 0) << "lost";
    for (Row row = 0; row < frames->size(); ++row) {
      const Row caller = frames->caller[row];
      if (caller == kNoRow || frames->start_ns[caller] > frames->start_ns[row]) continue;
      EXPECT_GT(line_of[row], line_of[caller]);
    }
  }
}

TEST(FrameLanes, KeepTheirPlacesOfOtherEvents) {
  testing::Sketch sketch;
  const auto conv = sketch.op("conv");
  const auto instance = sketch.instance(conv, 20, 50, {1, 1});
  sketch.kernel(instance, 60, 80, 0, "sgemm");
  const auto lanes = testing::lanes_of(sketch.finish());
  FrameSketch frames({{1, 1}, {1, 7}});
  const Row main = frames.frame("main", 0, 90);
  frames.frame("a.py(3): f", 10, 60, main);
  frames.frame("run", 10, 95, kNoRow, 1);
  const auto with = with_python_frames(*lanes, finished(frames));
  ASSERT_EQ(with->groups.size(), lanes->groups.size() + 1);
  EXPECT_EQ(event_count(*with), event_count(*lanes) + 3);
  for (std::size_t group = 0; group < lanes->groups.size(); ++group) {
    for (std::size_t lane = 0; lane < lanes->groups[group].lanes.size(); ++lane) {
      const Lane& before = lanes->groups[group].lanes[lane];
      const Lane& now = with->groups[group].lanes[lane];
      EXPECT_EQ(now.name, before.name);
      ASSERT_EQ(now.lines.size(), before.lines.size());
      for (std::size_t line = 0; line < before.lines.size(); ++line) {
        ASSERT_EQ(now.lines[line].size(), before.lines[line].size());
        EXPECT_EQ(now.lines[line][0], before.lines[line][0]);
      }
    }
  }
  EXPECT_EQ(with->recorded, lanes->recorded);
  EXPECT_GE(with->whole.stop_ns(), 95) << "all of it can be shown";
  const EventRef f{EventKind::frame, 1};
  const auto place = find_place(*with, f);
  ASSERT_TRUE(place);
  EXPECT_EQ(event_at(*with, *place), f);
  const LaneGroup& group = with->groups[place->group];
  EXPECT_EQ(group.thread, (profile::Thread{1, 1}));
  EXPECT_EQ(place->lane + 1, group.lanes.size()) << "below all else";
  EXPECT_EQ(group.lanes[place->lane].kind, LaneKind::frames);
  EXPECT_EQ(place->line, 1U);
  EXPECT_EQ(with->groups.back().thread, (profile::Thread{1, 7}));
  EXPECT_FALSE(find_place(*lanes, {EventKind::frame, 1}));
}

TEST(FrameLanes, HaveAGroupForEachThread) {
  testing::Sketch sketch;
  const auto conv = sketch.op("conv");
  sketch.instance(conv, 20, 50, {1, 1});
  sketch.instance(conv, 20, 50, {1, 2});
  const auto lanes = testing::lanes_of(sketch.finish());
  FrameSketch frames({{1, 9}, {1, 2}, {2, 1}, {1, 1}});
  for (Row thread = 0; thread < 4; ++thread) frames.frame("f", 0, 90, kNoRow, thread);
  const auto with = with_python_frames(*lanes, finished(frames));
  EXPECT_EQ(with->groups.size(), lanes->groups.size() + 2);
  for (const profile::Thread thread : {profile::Thread{1, 9}, {1, 2}, {2, 1}, {1, 1}}) {
    int count = 0;
    for (const LaneGroup& group : with->groups) {
      for (const Lane& lane : group.lanes) {
        if (group.device == kNoRow && group.thread == thread)
          count += lane.kind == LaneKind::frames;
      }
    }
    EXPECT_EQ(count, 1) << thread.process_id << " " << thread.thread_id;
  }
}

// They are ranges of their thread.
TEST(FrameLines, LeaveOutModules) {
  FrameSketch sketch(kMain);
  const Row main = sketch.frame("main", 0, 100);
  const Row net = sketch.frame("nn.Module: Net_0", 10, 90, main);
  const Row layer = sketch.frame("nn.Module: Linear_0", 15, 85, net);
  const Row forward = sketch.frame("forward", 20, 80, layer);
  const PutFrames all = put(sketch);
  EXPECT_THAT(lines_of(all), ElementsAre("main 0-100;", "forward 20-80;"));
  EXPECT_EQ(all.events->caller(forward), main);
  EXPECT_EQ(all.events->module_around(forward), layer);
  EXPECT_EQ(all.events->module_around(main), kNoRow);
  EXPECT_EQ(all.events->caller(main), kNoRow);
}

TEST(FrameLanes, AreSearched) {
  testing::Sketch sketch;
  sketch.instance(sketch.op("conv"), 20, 50, {1, 1});
  FrameSketch frames(kMain);
  const Row main = frames.frame("main", 0, 90);
  frames.frame("linear", 10, 60, main);
  const auto with = with_python_frames(*testing::lanes_of(sketch.finish()), finished(frames));
  EXPECT_EQ(with->events.category({EventKind::frame, 0}), Category::frame);
  base::Progress progress;
  const NameHits hits(with, "Linear", progress);
  EXPECT_EQ(hits.count(EventClass::frames), 1);
  const auto next = hits.next(0, 1);
  ASSERT_TRUE(next);
  EXPECT_EQ(event_at(*with, *next), (EventRef{EventKind::frame, 1}));
}

}  // namespace
}  // namespace dlview::timeline
