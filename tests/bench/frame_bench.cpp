// What a frame of the window costs before it is drawn: preparation and Dear ImGui's build of the
// whole shell. The aim is under 4 ms in any view, at 100 000 iterations and at 10 million kernels.

#include <map>
#include <optional>
#include <string>

#include <benchmark/benchmark.h>
#include <imgui.h>

#include "aggregate/aggregator.h"
#include "aggregate/outliers.h"
#include "aggregate/rules/rule_index.h"
#include "aggregate/steady.h"
#include "bench/demo_files.h"
#include "bench/screen.h"
#include "generate/demo.h"
#include "timeline/lanes.h"
#include "ui/model.h"
#include "ui/run_views.h"
#include "ui/shell.h"
#include "ui/table/tables.h"
#include "ui/view.h"

namespace dlview::bench {
namespace {

// What the program finds in the background once for each file.
struct OpenRun {
  explicit OpenRun(const RunSize& size)
      : profile(demo_profile(size)),
        engine(aggregate::make_cpu_aggregator(profile)),
        whole(engine->aggregate({{.key_op = generate::demo_key_op(generate::Framework::pytorch)},
                                 {0, size.iterations}})),
        outliers(std::make_shared<const aggregate::Outliers>(
            aggregate::find_outliers(*profile, *whole.iteration_table))),
        rules(std::make_shared<const aggregate::RuleIndex>(*profile)) {}

  std::shared_ptr<const profile::Profile> profile;
  std::unique_ptr<aggregate::Aggregator> engine;
  aggregate::Aggregation whole;
  std::shared_ptr<const aggregate::Outliers> outliers;
  std::shared_ptr<const aggregate::RuleIndex> rules;
};

// Kept, for another view is asked for next.
OpenRun& open_run(const RunSize& size) {
  static std::map<RunSize, OpenRun> runs;
  return runs.try_emplace(size, size).first->second;
}

class Window {
 public:
  explicit Window(const RunSize& size) : run_(open_run(size)) {
    shell_.set_look(ui::ThemeKind::dark, 1);
    model_.profile = run_.profile;
    model_.steady = aggregate::steady_range(run_.whole.iteration_table->iterations);
    model_.outliers = run_.outliers;
    model_.rules = run_.rules;
    select(run_.whole.selection.range);
  }

  void show(ui::ViewId view) {
    model_.view = view;
    if (view == ui::ViewId::timeline) {
      model_.lanes = timeline::build_lanes(run_.profile, run_.rules);
    }
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
    model_.aggregation = std::make_shared<const aggregate::Aggregation>(
        run_.engine->aggregate(run_.whole.selection.with_range(range)));
    model_.selection = model_.aggregation->selection;
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
  SilentHost host_;
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
    window.point_at(x, 200);  // another bar is told in each frame
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

// The first frame after a bound has moved: all panels are prepared anew.
void frame_after_range_change(benchmark::State& state, ui::ViewId view) {
  const int64_t iterations = state.range(0);
  Window window({.iterations = iterations, .kernels = state.range(1), .gpus = 2});
  window.show(view);
  window.build_frame();
  int64_t first = 0;
  for (auto _ : state) {
    state.PauseTiming();
    window.settle();
    window.select({++first % 100, iterations});
    state.ResumeTiming();
    window.build_frame();
  }
}

const bool kEachView = [] {
  for (const ui::ViewInfo& view : ui::views()) {
    const std::string name = "frame_after_range_change/" + std::string(view.name);
    benchmark::RegisterBenchmark(name.c_str(), frame_after_range_change, view.id)
        ->ArgNames({"iterations", "kernels"})
        ->Args({100'000, 400'000})
        ->Args({2000, 10'000'000})
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

// The same where the tables of a view tell of one iteration with a third of a million kernels.
void frame_after_range_change_in_tables(benchmark::State& state, ui::ViewId view,
                                        const std::string& iterations) {
  constexpr int64_t kIterations = 3;
  Window window({.iterations = kIterations, .kernels = state.range(0), .gpus = 1});
  window.show(view);
  window.select_row(iterations, std::to_string(kIterations - 1));
  window.build_frame();
  int64_t first = 0;
  for (auto _ : state) {
    state.PauseTiming();
    window.settle();
    window.select({++first % 2, kIterations});
    state.ResumeTiming();
    window.build_frame();
  }
}
BENCHMARK_CAPTURE(frame_after_range_change_in_tables, by_iteration, ui::ViewId::by_iteration,
                  "iterations_table")
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(frame_after_range_change_in_tables, by_op, ui::ViewId::by_op, "by_op_iterations")
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dlview::bench
