// What a frame of the window costs before it is drawn: preparation and Dear ImGui's build of the
// whole shell. The aim is under 4 ms at 100 000 iterations.

#include <benchmark/benchmark.h>
#include <imgui.h>

#include "aggregate/aggregator.h"
#include "bench/demo_files.h"
#include "bench/screen.h"
#include "generate/demo.h"
#include "ui/shell.h"
#include "ui/table/table_state.h"

namespace dlview::bench {
namespace {

class Window {
 public:
  explicit Window(const RunSize& size) {
    shell_.set_look(ui::ThemeKind::dark, 1);
    model_.profile = demo_profile(size);
    engine_ = aggregate::make_cpu_aggregator(model_.profile);
    cut_.key_op = generate::demo_key_op(generate::Framework::pytorch);
    select({0, size.iterations});
    model_.outliers = std::make_shared<const aggregate::Outliers>(
        aggregate::find_outliers(*model_.profile, *model_.aggregation->iteration_table));
  }

  void show(ui::ViewId view) { model_.view = view; }
  void select_row(const std::string& table, const std::string& key) {
    shell_.set_table({table, {}, key});
  }
  void settle() { shell_.settle(); }
  void point_at(float x, float y) { ImGui::GetIO().MousePos = {x, y}; }
  void select(aggregate::IterationRange range) {
    model_.aggregation =
        std::make_shared<const aggregate::Aggregation>(engine_->aggregate({cut_, range}));
    model_.selection = model_.aggregation->selection;
  }
  void build_frame() {
    ImGui::NewFrame();
    shell_.draw(model_, host_);
    ImGui::Render();
  }

 private:
  Screen screen_;
  ui::Shell shell_;
  std::unique_ptr<aggregate::Aggregator> engine_;
  aggregate::Cut cut_;
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
  Window window(run_of(state));
  window.show(view);
  window.build_frame();
  int64_t first = 0;
  for (auto _ : state) {
    state.PauseTiming();
    window.select({++first % 100, state.range(0)});
    state.ResumeTiming();
    window.build_frame();
  }
}
BENCHMARK_CAPTURE(frame_after_range_change, dashboard, ui::ViewId::dashboard)
    ->Arg(100'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(frame_after_range_change, iterations, ui::ViewId::iterations)
    ->Arg(100'000)
    ->Unit(benchmark::kMillisecond);

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
