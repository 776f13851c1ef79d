// The view Ranks of many ranks: cells of the map, and what a frame costs before it is drawn.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <benchmark/benchmark.h>

#include "bench/screen.h"
#include "generate/ranks/summary.h"
#include "ranks/run_figures.h"
#include "ui/idle_host.h"
#include "ui/shell.h"
#include "ui/views/ranks/heat_map.h"

namespace dlview::bench {
namespace {

constexpr int64_t kIterations = 1000;
constexpr std::size_t kPlotWidth = 1500, kPlotHeight = 700;

ranks::RunSummary summary_of(int64_t count) {
  generate::SummaryOptions options;
  options.ranks = count;
  options.iterations = kIterations;
  return generate::generate_summary(options);
}

// Kept for the next benchmark.
const ranks::SharedRunFigures& run_of(int64_t count) {
  static std::map<int64_t, ranks::SharedRunFigures> runs;
  ranks::SharedRunFigures& run = runs[count];
  if (!run) run = *ranks::make_run_figures(summary_of(count));
  return run;
}

// Another value of the map: its cells and pixels.
void rank_map_value(benchmark::State& state) {
  const auto& run = run_of(state.range(0));
  for (auto _ : state) {
    const ui::MapCells cells =
        ui::make_map_cells(*run, ui::MapValue::deviation, ui::MapOrder::rank);
    benchmark::DoNotOptimize(ui::make_map_pixels(cells, kPlotWidth, kPlotHeight));
  }
}
BENCHMARK(rank_map_value)->Arg(64)->Arg(1024)->Arg(16'384)->Unit(benchmark::kMillisecond);

// The pointer moves over the map: another cell is explained in each frame.
void rank_frame(benchmark::State& state) {
  Screen screen;
  base::Scheduler scheduler;
  ui::Shell shell(scheduler);
  testing::IdleHost host;
  ui::Model model;
  shell.set_look(ui::ThemeKind::dark, 1);
  model.view = ui::ViewId::ranks;
  auto read = std::make_shared<workspace::ReadRanks>();
  read->figures = run_of(state.range(0));
  read->paths.resize(read->figures->rank_count());
  read->is_whole = true;
  workspace::RankModel& ranks = model.ranks.emplace();
  ranks.files = 1;
  ranks.read = std::move(read);
  std::optional<base::Scheduler::Hold> hold;
  const auto build = [&] {
    hold.reset();
    hold.emplace(scheduler);
    testing::begin_frame();
    shell.draw(model, host);
    ImGui::Render();
  };
  constexpr int kStages = 4;  // cells, pixels, and what follows
  for (int stage = 0; stage < kStages; ++stage) {
    build();
    hold.reset();
    shell.settle();
  }
  float x = 300;
  for (auto _ : state) {
    ImGui::GetIO().MousePos = {x, 300};
    x = x > 1400 ? 300 : x + 7;
    build();
  }
}
BENCHMARK(rank_frame)->Arg(64)->Arg(1024)->Arg(16'384)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dlview::bench
