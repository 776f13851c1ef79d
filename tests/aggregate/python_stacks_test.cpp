#include "aggregate/python_stacks.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/iterations.h"
#include "import/pytorch/event_sketch.h"
#include "support/python_frames_sketch.h"
#include "support/sketched_run.h"

namespace dlview::aggregate {
namespace {

using profile::kNoRow;
using profile::Profile;
using profile::PythonFrames;
using profile::Row;
using testing::EventSketch;
using testing::FrameSketch;
using ::testing::IsEmpty;
using testing::SketchedRun;

const std::vector<profile::Thread> kThreads{{100, 100}, {100, 102}};
constexpr Row kMainThread = 0, kAutogradThread = 1;

std::string times_text(const StackTimes& times) {
  return fmt::format("{} calls, cpu {} {}, gpu {} {}", times.calls, times.host_total_ns,
                     times.host_self_ns, times.gpu_total_ns, times.gpu_self_ns);
}

std::string path_of(const PythonStacks& stacks, const PythonFrames& frames, Row node) {
  const std::string name(frames.names[stacks.nodes[node].name]);
  const Row caller = stacks.nodes[node].caller;
  return caller == kNoRow ? name : path_of(stacks, frames, caller) + ">" + name;
}

std::map<std::string, std::string> nodes_of(const PythonStacks& stacks,
                                            const PythonFrames& frames) {
  std::map<std::string, std::string> lines;
  for (Row node = 0; node < stacks.nodes.size(); ++node) {
    lines[path_of(stacks, frames, node)] = times_text(stacks.nodes[node].times);
  }
  EXPECT_EQ(lines.size(), stacks.nodes.size());
  return lines;
}

std::map<std::string, std::string> functions_of(const PythonStacks& stacks,
                                                const PythonFrames& frames) {
  std::map<std::string, std::string> lines;
  for (const StackFunction& function : stacks.functions) {
    lines[std::string(frames.names[function.name])] = times_text(function.times);
  }
  EXPECT_EQ(lines.size(), stacks.functions.size());
  return lines;
}

using Lines = std::map<std::string, std::string>;

TEST(PythonStacks, AddUpFramesAndTheirKernels) {
  EventSketch sketch;
  sketch.op("aten::add", 0, 400);
  sketch.launch("k", 120);
  sketch.launch("k", 210);
  sketch.launch("k", 310);
  const SketchedRun run(std::move(sketch));
  FrameSketch frames(kThreads);
  const Row main = frames.frame("main", 0, 400);
  frames.frame("f", 100, 150, main);
  frames.frame("f", 200, 250, main);
  const PythonFrames all = std::move(frames).finish();
  const PythonStacks stacks = add_up_stacks(run.profile(), run.whole(), all);
  EXPECT_EQ(nodes_of(stacks, all), (Lines{{"main", "1 calls, cpu 400 300, gpu 30 10"},
                                          {"main>f", "2 calls, cpu 100 100, gpu 20 20"}}));
  EXPECT_EQ(functions_of(stacks, all), (Lines{{"main", "1 calls, cpu 400 300, gpu 30 10"},
                                              {"f", "2 calls, cpu 100 100, gpu 20 20"}}));
}

TEST(PythonStacks, CountRecursionOnceByFunction) {
  EventSketch sketch;
  sketch.op("aten::add", 0, 400);
  sketch.launch("k", 120);
  const SketchedRun run(std::move(sketch));
  FrameSketch frames(kThreads);
  const Row outer = frames.frame("f", 0, 300);
  const Row between = frames.frame("g", 50, 250, outer);
  frames.frame("f", 100, 200, between);
  const PythonFrames all = std::move(frames).finish();
  EXPECT_EQ(
      functions_of(add_up_stacks(run.profile(), run.whole(), all), all),
      (Lines{{"f", "2 calls, cpu 300 200, gpu 10 10"}, {"g", "1 calls, cpu 200 100, gpu 10 0"}}));
}

TEST(PythonStacks, FoldWhatLiesBelowTheLastLevel) {
  constexpr int64_t kDepth = kMostStackLevels + 40;
  EventSketch sketch;
  sketch.op("aten::add", 0, 10'000);
  sketch.launch("k", 5000);
  const SketchedRun run(std::move(sketch));
  FrameSketch frames(kThreads);
  Row caller = kNoRow;
  for (int64_t i = 0; i < kDepth; ++i) {
    caller = frames.frame(fmt::format("f{}", i), i, 10'000 - i, caller);
  }
  const PythonFrames all = std::move(frames).finish();
  const PythonStacks stacks = add_up_stacks(run.profile(), run.whole(), all);
  ASSERT_EQ(stacks.nodes.size(), std::size_t{kMostStackLevels});
  EXPECT_EQ(all.names[stacks.nodes.back().name], "f1023");
  EXPECT_EQ(times_text(stacks.nodes.front().times), "1 calls, cpu 10000 2, gpu 10 0");
  EXPECT_EQ(times_text(stacks.nodes[1022].times), "1 calls, cpu 7956 2, gpu 10 0");
  EXPECT_EQ(times_text(stacks.nodes.back().times), "41 calls, cpu 7954 7954, gpu 10 10");
  const Lines functions = functions_of(stacks, all);
  ASSERT_EQ(functions.size(), std::size_t{kDepth}) << "each function has its own times";
  EXPECT_EQ(functions.at("f1023"), "1 calls, cpu 7954 2, gpu 10 0");
  EXPECT_EQ(functions.at("f1062"), "1 calls, cpu 7876 2, gpu 10 0");
  EXPECT_EQ(functions.at("f1063"), "1 calls, cpu 7874 7874, gpu 10 10");
}

TEST(PythonStacks, CutFramesToTheRange) {
  EventSketch sketch;
  for (int step = 0; step < 3; ++step) {
    const int64_t start = 1000 * step;
    sketch.annotation(fmt::format("ProfilerStep#{}", step), start, start + 1000);
    sketch.op("aten::add", start + 100, start + 900);
    sketch.launch("k", start + 200);
  }
  const SketchedRun run(std::move(sketch), "ProfilerStep");
  ASSERT_EQ(run.iteration_count(), 3);
  FrameSketch frames(kThreads);
  // Open at the start of the recording, and to its end.
  const Row main = frames.frame("main", -500, 5000);
  const Row step = frames.frame("step", 500, 1500, main);
  frames.frame("add", 1100, 1300, step);
  frames.frame("early", 10, 20, main);
  const PythonFrames all = std::move(frames).finish();
  const Iteration middle = run.whole().iteration_table->iterations.rows[1];
  ASSERT_EQ(middle.start_ns, 1000);
  const int64_t length = middle.duration_ns();
  EXPECT_EQ(nodes_of(add_up_stacks(run.profile(), run.range({1, 1}), all), all),
            (Lines{{"main", fmt::format("1 calls, cpu {} {}, gpu 10 0", length, length - 500)},
                   {"main>step", "1 calls, cpu 500 300, gpu 10 0"},
                   {"main>step>add", "1 calls, cpu 200 200, gpu 10 10"}}));
}

TEST(PythonStacks, KeepThreadsApartAndAddThemUp) {
  EventSketch sketch;
  sketch.op("aten::add", 0, 400);
  sketch.launch("k", 120);
  sketch.op("MulBackward0", 0, 400, EventSketch::kAutograd);
  sketch.launch("k", 120, EventSketch::kAutograd);
  const SketchedRun run(std::move(sketch));
  FrameSketch frames(kThreads);
  frames.frame("f", 100, 200, kNoRow, kMainThread);
  frames.frame("f", 100, 250, kNoRow, kAutogradThread);
  frames.frame("g", 110, 130, kNoRow, kMainThread);
  const PythonFrames all = std::move(frames).finish();
  EXPECT_EQ(
      nodes_of(add_up_stacks(run.profile(), run.whole(), all), all),
      (Lines{{"f", "2 calls, cpu 250 250, gpu 10 10"}, {"g", "1 calls, cpu 20 20, gpu 10 10"}}));
}

TEST(PythonStacks, GiveCrossingFramesToTheLatestStart) {
  EventSketch sketch;
  sketch.op("aten::add", 0, 1000);
  sketch.launch("k", 205);  // in first and second
  sketch.launch("k", 500);  // where second has ended
  sketch.launch("k", 950);  // after the caller, in a frame of it
  const SketchedRun run(std::move(sketch));
  FrameSketch frames(kThreads);
  const Row main = frames.frame("main", 0, 900);
  frames.frame("first", 100, 210, main);
  frames.frame("second", 200, 300, main);
  frames.frame("late", 880, 980, main);
  const PythonFrames all = std::move(frames).finish();
  EXPECT_EQ(nodes_of(add_up_stacks(run.profile(), run.whole(), all), all),
            (Lines{{"main", "1 calls, cpu 900 680, gpu 30 10"},
                   {"main>first", "1 calls, cpu 110 110, gpu 0 0"},
                   {"main>second", "1 calls, cpu 100 100, gpu 10 10"},
                   {"main>late", "1 calls, cpu 100 100, gpu 10 10"}}));
}

TEST(PythonStacks, TakeTheInnermostOfEqualStarts) {
  EventSketch sketch;
  sketch.op("aten::add", 0, 400);
  sketch.launch("k", 100);
  const SketchedRun run(std::move(sketch));
  FrameSketch frames(kThreads);
  const Row outer = frames.frame("outer", 100, 200);
  frames.frame("inner", 100, 300, outer);  // ends later, by another clock
  const PythonFrames all = std::move(frames).finish();
  EXPECT_EQ(nodes_of(add_up_stacks(run.profile(), run.whole(), all), all),
            (Lines{{"outer", "1 calls, cpu 100 0, gpu 10 0"},
                   {"outer>inner", "1 calls, cpu 200 200, gpu 10 10"}}));
}

TEST(PythonStacks, HideInternalFrames) {
  EventSketch sketch;
  sketch.op("aten::add", 0, 400);
  sketch.launch("k", 150);
  const SketchedRun run(std::move(sketch));
  FrameSketch frames(kThreads);
  const Row outer = frames.frame("nn.Module: Net_0", 0, 300);
  const Row call = frames.frame("torch/nn/modules/module.py(1501): _call_impl", 10, 290, outer);
  const Row forward = frames.frame("net.py(7): forward", 20, 280, call);
  frames.frame("<built-in function linear>", 100, 200, forward);
  const PythonFrames all = std::move(frames).finish();
  const PythonStacks stacks = add_up_stacks(run.profile(), run.whole(), all, {true});
  EXPECT_EQ(nodes_of(stacks, all),
            (Lines{{"nn.Module: Net_0", "1 calls, cpu 300 40, gpu 10 0"},
                   {"nn.Module: Net_0>net.py(7): forward", "1 calls, cpu 260 260, gpu 10 10"}}));
  EXPECT_EQ(add_up_stacks(run.profile(), run.whole(), all).nodes.size(), 4u);
}

TEST(PythonStacks, LeaveOutKernelsWithoutALaunchOrFrame) {
  EventSketch sketch;
  sketch.op("aten::add", 0, 400);
  sketch.launch("k", 300);
  sketch.kernel("lost", 120, 130, 99);
  const SketchedRun run(std::move(sketch));
  FrameSketch frames(kThreads);
  frames.frame("f", 100, 200);
  const PythonFrames all = std::move(frames).finish();
  EXPECT_EQ(nodes_of(add_up_stacks(run.profile(), run.whole(), all), all),
            (Lines{{"f", "1 calls, cpu 100 100, gpu 0 0"}}));
}

TEST(PythonStacks, CountOnlyKernelsThatMatchTheFilters) {
  EventSketch sketch;
  sketch.op("aten::add", 0, 400);
  sketch.launch("one", 120);
  sketch.launch("two", 140);
  const SketchedRun run(std::move(sketch));
  FrameSketch frames(kThreads);
  frames.frame("f", 100, 200);
  const PythonFrames all = std::move(frames).finish();
  const auto one = parse_filter("kernel", "one");
  ASSERT_TRUE(one);
  EXPECT_EQ(nodes_of(add_up_stacks(run.profile(), run.whole({*one}), all), all),
            (Lines{{"f", "1 calls, cpu 100 100, gpu 10 10"}}));
}

// The obvious way: each sum goes through all frames.
class SlowStacks {
 public:
  SlowStacks(const Profile& profile, const Aggregation& aggregation, const PythonFrames& frames,
             bool hides)
      : frames_(frames), hides_(hides) {
    const auto& iterations = aggregation.iteration_table->iterations.rows;
    const auto& first = iterations[static_cast<std::size_t>(aggregation.selection.range.first)];
    const auto& last = iterations[static_cast<std::size_t>(aggregation.selection.range.last)];
    begin_ = first.start_ns;
    end_ = last.stop_ns;
    for (Row row = 0; row < frames.size(); ++row) {
      const int64_t from = std::max(begin_, frames.start_ns[row]);
      const int64_t to = std::min(end_, frames.end_ns[row]);
      if (is_hidden(row) || from > to) continue;
      StackTimes& times = nodes[path(row)];
      ++times.calls;
      times.host_total_ns += to - from;
      for (int64_t ns = from; ns < to; ++ns) {
        bool is_called = false;
        for (Row other = 0; other < frames.size() && !is_called; ++other) {
          is_called = !is_hidden(other) && caller(other) == row && frames.start_ns[other] <= ns &&
                      ns < frames.end_ns[other];
        }
        if (!is_called) ++times.host_self_ns;
      }
    }
    const auto& kernels = profile.kernels;
    for (profile::KernelIndex k{0}; k < kernels.size(); ++k) {
      const auto instance = kernels.instance[k];
      if (instance < first.first_instance || instance >= last.last_instance) continue;
      const profile::Thread thread = profile.threads[profile.launches.thread[kernels.launch[k]]];
      Row open = kNoRow;
      for (Row row = 0; row < frames.size(); ++row) {
        if (!(frames.threads[frames.thread[row]] == thread)) continue;
        if (frames.start_ns[row] > kernels.api_start_ns[k]) continue;
        if (frames.end_ns[row] < kernels.api_start_ns[k]) continue;
        if (open == kNoRow || frames.start_ns[row] >= frames.start_ns[open]) open = row;
      }
      if (open != kNoRow && is_hidden(open)) open = caller(open);
      if (open == kNoRow) continue;
      const int64_t ns = kernels.gpu_stop_ns[k] - kernels.gpu_start_ns[k];
      nodes[path(open)].gpu_self_ns += ns;
      for (Row row = open; row != kNoRow; row = caller(row)) nodes[path(row)].gpu_total_ns += ns;
    }
  }

  std::map<std::string, StackTimes> nodes;

 private:
  bool is_hidden(Row row) const {
    return hides_ && profile::is_internal_frame(frames_.names[frames_.name[row]]);
  }
  Row caller(Row row) const {
    Row each = frames_.caller[row];
    while (each != kNoRow && is_hidden(each)) each = frames_.caller[each];
    return each;
  }
  std::string path(Row row) const {
    const std::string name(frames_.names[frames_.name[row]]);
    return caller(row) == kNoRow ? name : path(caller(row)) + ">" + name;
  }

  const PythonFrames& frames_;
  bool hides_;
  int64_t begin_ = 0, end_ = 0;
};

TEST(PythonStacks, EqualTheObviousWay) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    std::mt19937 random(seed);
    const auto upto = [&random](int64_t most) {
      return static_cast<int64_t>(random() % static_cast<unsigned>(most));
    };
    EventSketch sketch;
    for (int step = 0; step < 4; ++step) {
      sketch.annotation(fmt::format("ProfilerStep#{}", step), 300 * step, 300 * step + 300);
      for (uint32_t thread : {EventSketch::kMain, EventSketch::kAutograd}) {
        sketch.op("aten::add", 300 * step + 5, 300 * step + 295, thread);
        for (int i = 0; i < 6; ++i) sketch.launch("k", 300 * step + 5 + upto(280), thread);
      }
    }
    const SketchedRun run(std::move(sketch), "ProfilerStep");
    FrameSketch sketched(kThreads);
    const char* const names[] = {"a", "b", "c", "<built-in function d>"};
    for (Row row = 0; row < 60; ++row) {
      const auto thread = static_cast<Row>(row % 2);
      // A frame of the same thread; callers that are no longer open are part of it.
      const auto caller = row < 2 || upto(5) == 0
                              ? kNoRow
                              : static_cast<Row>(2 * upto((row - thread) / 2) + thread);
      const int64_t start = upto(1400) - 100;
      sketched.frame(names[upto(4)], start, start + upto(row < 10 ? 900 : 80), caller, thread);
    }
    const PythonFrames frames = std::move(sketched).finish();
    for (const bool hides : {false, true}) {
      for (const IterationRange range : {IterationRange{0, 3}, {1, 2}, {3, 3}}) {
        const Aggregation aggregation = run.range(range);
        const SlowStacks slow(run.profile(), aggregation, frames, hides);
        Lines expected;
        for (const auto& [path, times] : slow.nodes) expected[path] = times_text(times);
        Lines found = nodes_of(add_up_stacks(run.profile(), aggregation, frames, {hides}), frames);
        // Only to be the caller of others.
        std::erase_if(found, [&](const auto& line) {
          return line.second == times_text({}) && !expected.contains(line.first);
        });
        EXPECT_EQ(found, expected) << seed << " " << hides << " " << range.first;
      }
    }
  }
}

TEST(PythonStacks, AreEmptyWithoutFrames) {
  EventSketch sketch;
  sketch.op("aten::add", 0, 400);
  const SketchedRun run(std::move(sketch));
  EXPECT_THAT(add_up_stacks(run.profile(), run.whole(), PythonFrames{}).nodes, IsEmpty());
}

TEST(InternalFrames, AreThoseThatPassACallOn) {
  EXPECT_TRUE(profile::is_internal_frame("<built-in method run_backward of type object>"));
  EXPECT_TRUE(profile::is_internal_frame("torch/nn/modules/module.py(1751): _call_impl"));
  EXPECT_TRUE(profile::is_internal_frame(
      "/usr/lib/python3/torch/nn/modules/module.py(1739): _wrapped_call_impl"));
  EXPECT_TRUE(profile::is_internal_frame("torch/utils/_device.py(77): __torch_function__"));
  EXPECT_TRUE(profile::is_internal_frame("torch/overrides.py(1590): handle_torch_function"));
  EXPECT_TRUE(profile::is_internal_frame("torch/_ops.py(500): __call__"));
  EXPECT_FALSE(profile::is_internal_frame("torch/nn/modules/module.py(900): _apply"));
  EXPECT_FALSE(profile::is_internal_frame("torch/nn/functional.py(1): linear"));
  EXPECT_FALSE(profile::is_internal_frame("mytorch/_ops.py(500): __call__"));
  EXPECT_FALSE(profile::is_internal_frame("net.py(12): __torch_function__"));
  EXPECT_FALSE(profile::is_internal_frame("net.py(12): _call_impl"));
  EXPECT_FALSE(profile::is_internal_frame("nn.Module: Linear_0"));
}

}  // namespace
}  // namespace dlview::aggregate
