// The timeline of 10 million kernels: putting all events in order, and what a frame of the shell
// costs when the window has moved, from the whole run down to one kernel, also below 10 million
// Python frames, or of two iterations side by side. The aim is under 2 s, and under 4 ms.

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "aggregate/aggregator.h"
#include "aggregate/outliers.h"
#include "base/large_memory.h"
#include "bench/demo_files.h"
#include "bench/screen.h"
#include "generate/demo.h"
#include "profile/python_frames.h"
#include "timeline/lanes.h"
#include "ui/idle_host.h"
#include "ui/run_views.h"
#include "ui/shell.h"

namespace dlview::bench {
namespace {

RunSize timeline_run(const benchmark::State& state) {
  return {.iterations = 2000, .kernels = state.range(0), .gpus = 2};
}

void lanes(benchmark::State& state) {
  const auto profile = demo_profile(timeline_run(state));
  const auto rules = std::make_shared<const aggregate::RuleIndex>(*profile);
  for (auto _ : state) benchmark::DoNotOptimize(timeline::build_lanes(profile, rules));
}
BENCHMARK(lanes)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);

// Made once, for the benchmarks of a run ask again and again.
ui::Model make_model(const RunSize& run) {
  ui::Model model;
  model.view = ui::ViewId::timeline;
  model.profile = demo_profile(run);
  model.aggregation = std::make_shared<const aggregate::Aggregation>(
      aggregate::make_cpu_aggregator(model.profile)
          ->aggregate({{.key_op = generate::demo_key_op(generate::Framework::pytorch)},
                       {0, run.iterations}}));
  model.selection = model.aggregation->selection;
  model.lanes = timeline::build_lanes(model.profile,
                                      std::make_shared<const aggregate::RuleIndex>(*model.profile));
  return model;
}

const ui::Model& model_of(const RunSize& run) {
  static std::map<RunSize, ui::Model> models;
  const auto known = models.find(run);
  if (known != models.end()) return known->second;
  models.clear();  // those of another run would take as much memory again
  return models.emplace(run, make_model(run)).first->second;
}

// The Timeline of a run on a screen of its own.
struct TimelineScreen {
  explicit TimelineScreen(const RunSize& run) : model(model_of(run)) {
    shell.set_look(ui::ThemeKind::dark, 1);
  }
  void build_frame() {
    testing::begin_frame();
    shell.draw(model, host);
    ImGui::Render();
  }

  Screen screen;  // before what needs it
  base::Scheduler scheduler;
  ui::Shell shell{scheduler};
  ui::Model model;
  testing::IdleHost host;
};

// About one part in state.range(1) of the run is shown, another one in each frame. `request`: how
// the Timeline looks before.
void move_through(benchmark::State& state, TimelineScreen& timeline,
                  const timeline::Request& request) {
  const timeline::TimeWindow whole = timeline.model.lanes->whole;
  const int64_t length = whole.length_ns / state.range(1) * 99 / 100;
  timeline.shell.run_views(0).set_timeline(request);
  timeline.build_frame();
  timeline.shell.settle();
  int64_t moved = 0;
  for (auto _ : state) {
    moved = (moved + std::max<int64_t>(1, length / 7)) % (whole.length_ns - length);
    timeline.shell.run_views(0).set_timeline(
        {.window = timeline::TimeWindow{whole.start_ns + moved, length}, .iteration = {}});
    timeline.build_frame();
  }
}

void move_through(benchmark::State& state, timeline::ColorBy colors) {
  TimelineScreen timeline(timeline_run(state));
  move_through(state, timeline, {.window = {}, .iteration = {}, .colors = colors});
}

void timeline_frame(benchmark::State& state) {
  move_through(state, timeline::ColorBy::category);
}
BENCHMARK(timeline_frame)
    ->ArgsProduct({{1'000'000, 10'000'000}, {1, 2, 10, 30, 100, 1000, 100'000, 10'000'000}})
    ->Unit(benchmark::kMillisecond);

// The op of each event is asked for.
void timeline_frame_by_op(benchmark::State& state) {
  move_through(state, timeline::ColorBy::op);
}
BENCHMARK(timeline_frame_by_op)
    ->ArgsProduct({{1'000'000, 10'000'000}, {1, 2, 10, 100}})
    ->Unit(benchmark::kMillisecond);

// So many frames of the first thread, from the start of the run to its end: each calls two others.
profile::PythonFrames python_frames(const profile::Profile& profile, int64_t count) {
  constexpr int64_t kFrameNames = 5000, kAroundCalls = 20;  // a twentieth of a frame is its own
  profile::StringTableBuilder names;
  std::vector<profile::StringId> name_ids;
  for (int64_t i = 0; i < kFrameNames; ++i) {
    name_ids.push_back(names.intern(fmt::format("model/layer.py({}): call_{}", i, i % 100)));
  }
  base::LargeVector<int64_t> start_ns, end_ns;
  base::LargeVector<profile::StringId> name;
  base::LargeVector<profile::Row> thread, caller;
  for (int64_t frame = 0; frame < count; ++frame) {
    const int64_t around = (frame - 1) / 2;
    base::Interval time{profile.first_ns, profile.last_ns};
    if (frame > 0) {
      const int64_t from = start_ns[static_cast<std::size_t>(around)];
      const int64_t length = end_ns[static_cast<std::size_t>(around)] - from;
      const int64_t half = length / 2, left_out = length / kAroundCalls;
      time.start_ns = from + left_out + (frame % 2 == 0 ? half : 0);
      time.stop_ns = time.start_ns + half - 2 * left_out;
    }
    start_ns.push_back(time.start_ns);
    end_ns.push_back(time.stop_ns);
    name.push_back(name_ids[static_cast<std::size_t>(frame % kFrameNames)]);
    thread.push_back(0);
    caller.push_back(frame == 0 ? profile::kNoRow : static_cast<profile::Row>(around));
  }
  profile::PythonFrames frames;
  frames.start_ns = std::move(start_ns);
  frames.end_ns = std::move(end_ns);
  frames.name = std::move(name);
  frames.thread = std::move(thread);
  frames.caller = std::move(caller);
  frames.names = std::move(names).finish();
  frames.threads = std::vector{profile.threads[profile::ThreadIndex{0}]};
  return frames;
}

void frame_lanes(benchmark::State& state) {
  const ui::Model& model = model_of(timeline_run(state));
  const auto frames =
      std::make_shared<const profile::PythonFrames>(python_frames(*model.profile, state.range(1)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(timeline::with_python_frames(*model.lanes, frames));
  }
}
BENCHMARK(frame_lanes)->Args({1'000'000, 10'000'000})->Unit(benchmark::kMillisecond);

// The rows of Python frames are open.
void timeline_frame_with_python(benchmark::State& state) {
  static std::shared_ptr<const timeline::Lanes> with_frames;
  TimelineScreen timeline(timeline_run(state));
  if (!with_frames || &with_frames->events.profile() != timeline.model.profile.get()) {
    with_frames = timeline::with_python_frames(
        *timeline.model.lanes, std::make_shared<const profile::PythonFrames>(
                                   python_frames(*timeline.model.profile, 10'000'000)));
  }
  timeline.model.lanes = with_frames;
  move_through(state, timeline, {.window = {}, .iteration = {}, .python_frames = true});
}
BENCHMARK(timeline_frame_with_python)
    ->ArgsProduct({{1'000'000}, {1, 2, 10, 100, 1000, 100'000}})
    ->Unit(benchmark::kMillisecond);

// Two of state.range(1) iterations side by side, of which about one part in state.range(2) is
// shown, another one in each frame.
void side_by_side_frame(benchmark::State& state) {
  const RunSize run{.iterations = state.range(1), .kernels = state.range(0), .gpus = 2};
  TimelineScreen timeline(run);
  const aggregate::IterationTable& table = *timeline.model.aggregation->iteration_table;
  timeline.model.outliers = std::make_shared<const aggregate::Outliers>(
      aggregate::find_outliers(*timeline.model.profile, table));
  timeline.model.compared = {run.iterations / 2, run.iterations / 2 + 1};
  const auto length_of = [&](int64_t iteration) {
    return table.iterations.rows[static_cast<std::size_t>(iteration)].duration_ns();
  };
  const int64_t whole = std::min(length_of(run.iterations / 2), length_of(run.iterations / 2 + 1));
  const int64_t length = whole / state.range(2) * 99 / 100;
  timeline.shell.run_views(0).set_timeline({.window = {}, .iteration = {}, .side_by_side = true});
  timeline.build_frame();
  timeline.shell.settle();
  int64_t moved = 0;
  for (auto _ : state) {
    moved = (moved + std::max<int64_t>(1, length / 7)) % (whole - length);
    timeline.shell.run_views(0).set_timeline(
        {.window = timeline::TimeWindow{moved, length}, .iteration = {}, .side_by_side = true});
    timeline.build_frame();
  }
}
BENCHMARK(side_by_side_frame)
    ->ArgsProduct({{10'000'000}, {10, 2000}, {1, 10, 1000}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dlview::bench
