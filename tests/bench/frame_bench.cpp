// What a frame of the window costs before it is drawn: preparation and Dear ImGui's build of the
// whole shell. The goal in every view, at 100,000 iterations and at 10 million kernels: median
// below 4 ms, 95th percentile below 6 ms.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <imgui.h>

#include "aggregate/aggregator.h"
#include "aggregate/outliers.h"
#include "aggregate/rules/rule_index.h"
#include "aggregate/steady.h"
#include "base/progress.h"
#include "bench/demo_files.h"
#include "bench/screen.h"
#include "generate/demo.h"
#include "import/open.h"
#include "import/pytorch/python_frames.h"
#include "timeline/lanes.h"
#include "ui/idle_host.h"
#include "ui/model.h"
#include "ui/run_views.h"
#include "ui/shell.h"
#include "ui/table/tables.h"
#include "ui/view.h"

namespace dlview::bench {
namespace {

// What a profile comes from: the demo run in memory, or its export of Nsight Systems, which also
// has the events that reports and the Timeline show; or a PyTorch trace.
enum class Source : uint8_t { demo, nsys_export, trace };

std::shared_ptr<const profile::Profile> open_profile(const RunSize& size, Source source) {
  if (source == Source::demo) return demo_profile(size);
  base::Progress progress;
  auto opened = import::open_profile(source == Source::trace ? demo_trace(size) : demo_export(size),
                                     progress);
  if (!opened) {
    std::fputs((base::to_text(opened.error()) + "\n").c_str(), stderr);
    std::exit(2);
  }
  return std::make_shared<const profile::Profile>(*std::move(opened));
}

// Null where the profile has none.
std::shared_ptr<const profile::PythonFrames> read_frames(const profile::Profile& profile,
                                                         Source source) {
  if (source != Source::trace) return nullptr;
  base::Progress progress;
  auto frames = import::pytorch::read_python_frames(profile, progress);
  if (!frames) return nullptr;
  return std::make_shared<const profile::PythonFrames>(*std::move(frames));
}

std::string marker_of(Source source) {
  return source == Source::trace ? "ProfilerStep"
                                 : std::string(generate::demo_key_op(generate::Framework::pytorch));
}

// What the program finds in the background once for each file.
struct OpenRun {
  explicit OpenRun(const RunSize& size, Source source)
      : profile(open_profile(size, source)),
        engine(aggregate::make_cpu_aggregator(profile)),
        whole(engine->aggregate({{.key_op = marker_of(source)}, {0, size.iterations}})),
        outliers(std::make_shared<const aggregate::Outliers>(
            aggregate::find_outliers(*profile, *whole.iteration_table))),
        rules(std::make_shared<const aggregate::RuleIndex>(*profile)),
        python_frames(read_frames(*profile, source)) {}

  std::shared_ptr<const profile::Profile> profile;
  std::unique_ptr<aggregate::Aggregator> engine;
  aggregate::Aggregation whole;
  std::shared_ptr<const aggregate::Outliers> outliers;
  std::shared_ptr<const aggregate::RuleIndex> rules;
  std::shared_ptr<const profile::PythonFrames> python_frames;
};

// Kept for the next view.
OpenRun& open_run(const RunSize& size, Source source) {
  static std::map<std::pair<RunSize, Source>, OpenRun> runs;
  return runs.try_emplace({size, source}, size, source).first->second;
}

class Window {
 public:
  explicit Window(const RunSize& size, Source source = Source::demo)
      : run_(open_run(size, source)) {
    shell_.set_look(ui::ThemeKind::dark, 1);
    model_.profile = run_.profile;
    model_.steady = aggregate::steady_range(run_.whole.iteration_table->iterations);
    model_.outliers = run_.outliers;
    model_.rules = run_.rules;
    model_.python_frames = run_.python_frames;
    select(run_.whole.selection.range);
  }

  void show(ui::ViewId view) {
    model_.view = view;
    if (view == ui::ViewId::timeline) {
      model_.lanes = timeline::build_lanes(run_.profile, run_.rules);
    }
    if (view == ui::ViewId::compare) compare_with_itself();
  }
  void select_row(const std::string& table, const std::string& key) {
    shell_.run_views(0).set_table({table, {}, key});
  }
  void settle() {
    hold_.reset();
    shell_.settle();
  }
  void point_at(float x, float y) { ImGui::GetIO().MousePos = {x, y}; }
  void select(aggregate::IterationRange range) {
    last_ = model_.aggregation;  // no frame frees it (workspace/engine_queue.cpp)
    model_.aggregation = std::make_shared<const aggregate::Aggregation>(
        run_.engine->aggregate(run_.whole.selection.with_range(range)));
    model_.selection = model_.aggregation->selection;
  }
  // With all of it, until everything is there.
  void compare_with_itself() {
    ui::OtherRun& other = model_.compared_run.emplace();
    other.run = model_;
    other.run.run = 1;
    model_.runs.resize(2);
    constexpr int kStages = 4;  // both runs, their pair, the comparison
    for (int stage = 0; stage < kStages; ++stage) {
      build_frame();
      settle();
    }
  }
  void build_frame() {
    hold_.reset();
    hold_.emplace(scheduler_);
    testing::begin_frame();
    shell_.draw(model_, host_);
    ImGui::Render();
  }

 private:
  OpenRun& run_;
  Screen screen_;
  base::Scheduler scheduler_;
  ui::Shell shell_{scheduler_};
  // From a frame to the next, or to settle().
  std::optional<base::Scheduler::Hold> hold_;
  ui::Model model_;
  std::shared_ptr<const aggregate::Aggregation> last_;
  testing::IdleHost host_;
};

RunSize run_of(const benchmark::State& state) {
  return {.iterations = state.range(0), .kernels = 4 * state.range(0), .gpus = 1};
}

void frame(benchmark::State& state, ui::ViewId view) {
  Window window(run_of(state));
  window.show(view);
  window.build_frame();
  float x = 100;
  for (auto _ : state) {
    window.point_at(x, 200);  // the tooltip has another bar in each frame
    x = x > 1800 ? 100 : x + 7;
    window.build_frame();
  }
}
BENCHMARK_CAPTURE(frame, dashboard, ui::ViewId::dashboard)
    ->Arg(256)
    ->Arg(100'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(frame, iterations, ui::ViewId::iterations)
    ->Arg(256)
    ->Arg(100'000)
    ->Unit(benchmark::kMillisecond);

// Shows range after range, and reports how long the first frame of each takes to build.
void change_ranges(benchmark::State& state, Window& window, int64_t ranges, int64_t iterations) {
  std::vector<double> times_ms;
  int64_t first = 0;
  for (auto _ : state) {
    window.settle();
    window.select({++first % ranges, iterations});
    const auto start = std::chrono::steady_clock::now();
    window.build_frame();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    state.SetIterationTime(time.count());
    times_ms.push_back(1000 * time.count());
  }
  std::ranges::sort(times_ms);
  state.counters["median_ms"] = times_ms[times_ms.size() / 2];
  state.counters["p95_ms"] = times_ms[times_ms.size() * 95 / 100];
}

// The first frame after a bound has moved: every panel prepares its content again.
void frame_after_range_change(benchmark::State& state, ui::ViewId view, Source source) {
  const int64_t iterations = state.range(0);
  Window window({.iterations = iterations, .kernels = state.range(1), .gpus = 2}, source);
  window.show(view);
  window.build_frame();
  change_ranges(state, window, 100, iterations);
}

const bool kEachView = [] {
  const auto add = [](const ui::ViewInfo& view, const std::string& name, Source source) {
    return benchmark::RegisterBenchmark((name + "/" + std::string(view.name)).c_str(),
                                        frame_after_range_change, view.id, source)
        ->ArgNames({"iterations", "kernels"})
        ->UseManualTime()
        ->Iterations(200)  // what the frame leaves to the background takes longer than the frame
        ->Unit(benchmark::kMillisecond);
  };
  for (const ui::ViewInfo& view : ui::views()) {
    // A trace of 500,000 kernels has 1 GB and more.
    add(view, "frame_of_trace_after_range_change", Source::trace)->Args({1000, 500'000});
    if (view.exists) continue;  // for data that the other files lack
    add(view, "frame_after_range_change", Source::demo)
        ->Args({2000, 10'000'000})
        ->Args({100'000, 400'000});
    add(view, "frame_of_export_after_range_change", Source::nsys_export)->Args({2000, 10'000'000});
  }
  return true;
}();

// The same where the tables of a view have one iteration with a third of a million kernels.
void frame_after_range_change_in_tables(benchmark::State& state, ui::ViewId view,
                                        const std::string& iterations) {
  constexpr int64_t kIterations = 3;
  Window window({.iterations = kIterations, .kernels = state.range(0), .gpus = 1});
  window.show(view);
  window.select_row(iterations, std::to_string(kIterations - 1));
  window.build_frame();
  change_ranges(state, window, 2, kIterations);
}
BENCHMARK_CAPTURE(frame_after_range_change_in_tables, by_iteration, ui::ViewId::by_iteration,
                  "iterations_table")
    ->Arg(1'000'000)
    ->UseManualTime()
    ->Iterations(200)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(frame_after_range_change_in_tables, by_op, ui::ViewId::by_op, "by_op_iterations")
    ->Arg(1'000'000)
    ->UseManualTime()
    ->Iterations(200)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dlview::bench
