// The timeline of 10 million kernels: putting all events in order, and what a frame of the shell
// costs when the window has moved, from the whole run down to one kernel. The aim is under 2 s, and
// under 4 ms.

#include <benchmark/benchmark.h>

#include "aggregate/aggregator.h"
#include "bench/demo_files.h"
#include "bench/screen.h"
#include "generate/demo.h"
#include "ui/shell.h"
#include "ui/timeline/lanes.h"

namespace dlview::bench {
namespace {

RunSize run_of(const benchmark::State& state) {
  return {.iterations = 2000, .kernels = state.range(0), .gpus = 2};
}

void lanes(benchmark::State& state) {
  const auto profile = demo_profile(run_of(state));
  const auto rules = std::make_shared<const aggregate::RuleIndex>(*profile);
  for (auto _ : state) benchmark::DoNotOptimize(ui::timeline::build_lanes(profile, rules));
}
BENCHMARK(lanes)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);

// About one part in state.range(1) of the run is shown, another one in each frame.
void timeline_frame(benchmark::State& state) {
  const Screen screen;
  ui::Shell shell;
  shell.set_look(ui::ThemeKind::dark, 1);
  SilentHost host;
  ui::Model model;
  model.view = ui::ViewId::timeline;
  model.profile = demo_profile(run_of(state));
  model.aggregation = std::make_shared<const aggregate::Aggregation>(
      aggregate::make_cpu_aggregator(model.profile)
          ->aggregate(
              {{.key_op = generate::demo_key_op(generate::Framework::pytorch)}, {0, 2000}}));
  model.selection = model.aggregation->selection;
  model.lanes = ui::timeline::build_lanes(
      model.profile, std::make_shared<const aggregate::RuleIndex>(*model.profile));
  const ui::timeline::TimeWindow whole = model.lanes->whole;
  const int64_t length = whole.length_ns / state.range(1) * 99 / 100;
  const auto build_frame = [&] {
    ImGui::NewFrame();
    shell.draw(model, host);
    ImGui::Render();
  };
  build_frame();
  int64_t moved = 0;
  for (auto _ : state) {
    moved = (moved + std::max<int64_t>(1, length / 7)) % (whole.length_ns - length);
    shell.set_timeline(
        {.window = ui::timeline::TimeWindow{whole.start_ns + moved, length}, .iteration = {}});
    build_frame();
  }
}
BENCHMARK(timeline_frame)
    ->ArgsProduct({{1'000'000, 10'000'000}, {1, 2, 10, 30, 100, 1000, 100'000, 10'000'000}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dlview::bench
