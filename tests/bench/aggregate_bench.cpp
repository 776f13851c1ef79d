// What a dragged bound, another key op and opening cost, on the demo run.

#include <random>
#include <span>
#include <vector>

#include <benchmark/benchmark.h>
#include <sqlite3.h>

#include "aggregate/aggregator.h"
#include "aggregate/comparison/run_pair.h"
#include "aggregate/exclusive/exclusive_index.h"
#include "aggregate/exclusive/what_if.h"
#include "aggregate/limits/limits.h"
#include "base/progress.h"
#include "bench/demo_files.h"
#include "generate/demo.h"
#include "import/open.h"

namespace dlview::bench {
namespace {

using aggregate::CutKind;
using aggregate::Selection;

const std::string& key_op() {
  static const std::string key = generate::demo_key_op(generate::Framework::pytorch);
  return key;
}

// A random range of at least a tenth of the run, as dragging makes them.
Selection random_selection(std::mt19937& random, int64_t iterations) {
  const auto a = static_cast<int64_t>(random() % static_cast<uint32_t>(iterations));
  const auto b = static_cast<int64_t>(random() % static_cast<uint32_t>(iterations));
  return {{CutKind::start, key_op(), 0}, {std::min(a, b), std::max(a, b)}};
}

void range_change(benchmark::State& state) {
  const RunSize size{.iterations = 1000, .kernels = state.range(0)};
  const auto engine = aggregate::make_cpu_aggregator(demo_profile(size));
  std::mt19937 random(1);
  engine->aggregate(random_selection(random, size.iterations));
  for (auto _ : state) {
    benchmark::DoNotOptimize(engine->aggregate(random_selection(random, size.iterations)));
  }
}
BENCHMARK(range_change)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

// What the What-if pane pays once for a split, in the background.
void exclusive_index(benchmark::State& state) {
  const RunSize size{.iterations = 1000, .kernels = state.range(0)};
  const auto profile = demo_profile(size);
  const aggregate::Cut cut{CutKind::start, key_op(), 0};
  const aggregate::RuleIndex rules(*profile);
  const aggregate::Iterations iterations = aggregate::cut_iterations(*profile, cut);
  for (auto _ : state) {
    const aggregate::ExclusiveIndex index(*profile, rules, iterations, cut);
    state.counters["bytes"] = static_cast<double>(index.memory_bytes());
  }
}
BENCHMARK(exclusive_index)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

// And for each dragged bound: sums, and what each suggested change gains.
void what_if_range_change(benchmark::State& state) {
  const RunSize size{.iterations = 1000, .kernels = state.range(0)};
  const auto profile = demo_profile(size);
  const aggregate::Cut cut{CutKind::start, key_op(), 0};
  const aggregate::RuleIndex rules(*profile);
  const aggregate::ExclusiveIndex index(*profile, rules, aggregate::cut_iterations(*profile, cut),
                                        cut);
  std::mt19937 random(1);
  for (auto _ : state) {
    const aggregate::PartSums sums = index.sums(random_selection(random, size.iterations).range);
    for (const aggregate::WhatIfChange& change : aggregate::suggested_changes(*profile, sums)) {
      benchmark::DoNotOptimize(aggregate::what_if(*profile, sums, std::span(&change, 1)));
    }
  }
}
BENCHMARK(what_if_range_change)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

// What a comparison of two runs costs in the frame of a dragged bound of one: its sums, and the
// waterfall of both.
void waterfall_range_change(benchmark::State& state) {
  const RunSize size{.iterations = 2000, .kernels = state.range(0), .gpus = 2};
  const auto profile = demo_profile(size);
  const aggregate::Cut cut{CutKind::start, key_op(), 0};
  const auto table = aggregate::make_cpu_aggregator(profile)->iteration_table(cut);
  const auto run = std::make_shared<const aggregate::ComparedRun>(profile, table, cut,
                                                                  aggregate::RuleIndex(*profile));
  const aggregate::RunPair runs(run, run);
  const aggregate::WaterfallSide before = run->side({0, size.iterations / 2});
  std::mt19937 random(1);
  for (auto _ : state) {
    const aggregate::WaterfallSide after =
        run->side(random_selection(random, size.iterations).range);
    benchmark::DoNotOptimize(
        runs.waterfall(before, after, {aggregate::WaterfallScope::Depth::parts}));
  }
}
BENCHMARK(waterfall_range_change)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);

// What Limits pays once for a profile, in the background.
void limit_index(benchmark::State& state) {
  const auto profile = demo_profile({.iterations = 1000, .kernels = state.range(0)});
  for (auto _ : state) {
    const aggregate::LimitIndex index(*profile);
    state.counters["groups"] = static_cast<double>(index.work().groups().size());
  }
}
BENCHMARK(limit_index)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

// And for each dragged bound: the rows of the roofline, by op and by kernel.
void limits_range_change(benchmark::State& state) {
  const RunSize size{.iterations = 1000, .kernels = state.range(0)};
  const auto profile = demo_profile(size);
  const aggregate::LimitIndex index(*profile);
  const auto engine = aggregate::make_cpu_aggregator(profile);
  std::mt19937 random(1);
  std::vector<aggregate::Aggregation> ranges;
  for (int i = 0; i < 8; ++i) {
    ranges.push_back(engine->aggregate(random_selection(random, size.iterations)));
  }
  std::size_t next = 0;
  for (auto _ : state) {
    const aggregate::Aggregation& aggregation = ranges[next++ % ranges.size()];
    state.counters["ops"] =
        static_cast<double>(index.rows(aggregation, aggregate::LimitsBy::op).size());
    benchmark::DoNotOptimize(index.rows(aggregation, aggregate::LimitsBy::kernel));
  }
}
BENCHMARK(limits_range_change)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

// The baseline of range_change: what a viewer pays that asks the database for op and kernel sums.
void range_change_in_sqlite(benchmark::State& state) {
  const RunSize size{.iterations = 1000, .kernels = state.range(0)};
  sqlite3* database = nullptr;
  sqlite3_open_v2(demo_database(size).c_str(), &database, SQLITE_OPEN_READONLY, nullptr);
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database,
                     "SELECT k.read_only_ops_id, k.name_id, COUNT(*), SUM(gpu_stop - gpu_start), "
                     "MIN(gpu_stop - gpu_start), MAX(gpu_stop - gpu_start) "
                     "FROM kernel_iteration_node n JOIN read_only_kernels k "
                     "ON k.id = n.read_only_kernel_id WHERE n.iter_value BETWEEN ? AND ? "
                     "GROUP BY 1, 2",
                     -1, &statement, nullptr);
  std::mt19937 random(1);
  for (auto _ : state) {
    const Selection selection = random_selection(random, size.iterations);
    sqlite3_bind_int64(statement, 1, selection.range.first);
    sqlite3_bind_int64(statement, 2, selection.range.last);
    int64_t groups = 0;
    while (sqlite3_step(statement) == SQLITE_ROW) ++groups;
    benchmark::DoNotOptimize(groups);
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  sqlite3_close(database);
}
BENCHMARK(range_change_in_sqlite)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

// Start and end in turn, so that nothing of the cut can be kept.
void cut_change(benchmark::State& state) {
  const RunSize size{.iterations = 1000, .kernels = state.range(0)};
  const auto engine = aggregate::make_cpu_aggregator(demo_profile(size));
  bool at_start = true;
  for (auto _ : state) {
    at_start = !at_start;
    const aggregate::Cut cut{at_start ? CutKind::start : CutKind::end, key_op(), 0};
    benchmark::DoNotOptimize(engine->aggregate({cut, {0, size.iterations}}));
  }
}
BENCHMARK(cut_change)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

// Two filters in turn, so that nothing of the last one can be kept. The first takes single kernels
// out of most ops, the second keeps every op with all its events.
void filter_change(benchmark::State& state) {
  using aggregate::Filter;
  using aggregate::FilterKind;
  const RunSize size{.iterations = 1000, .kernels = state.range(0)};
  const auto engine = aggregate::make_cpu_aggregator(demo_profile(size));
  const aggregate::Cut cut{CutKind::start, key_op(), 0};
  const std::vector<std::vector<Filter>> filters{
      {{.kind = FilterKind::tensor_core, .number = 0}},
      {{.kind = FilterKind::eligible, .number = 0}, {.kind = FilterKind::eligible, .number = 1}},
  };
  std::size_t next = 0;
  for (auto _ : state) {
    const Selection selection{cut, {0, size.iterations}, filters[next++ % filters.size()]};
    benchmark::DoNotOptimize(engine->aggregate(selection));
  }
}
BENCHMARK(filter_change)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

// range_change under a filter; the aggregation without it is part of the answer.
void range_change_under_a_filter(benchmark::State& state) {
  const RunSize size{.iterations = 1000, .kernels = state.range(0)};
  const auto engine = aggregate::make_cpu_aggregator(demo_profile(size));
  std::mt19937 random(1);
  const auto next = [&] {
    Selection selection = random_selection(random, size.iterations);
    selection.filters = {{.kind = aggregate::FilterKind::tensor_core, .number = 0}};
    return selection;
  };
  engine->aggregate(next());
  for (auto _ : state) benchmark::DoNotOptimize(engine->aggregate(next()));
}
BENCHMARK(range_change_under_a_filter)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void build_engine(benchmark::State& state) {
  const auto profile = demo_profile({.iterations = 1000, .kernels = state.range(0)});
  for (auto _ : state) benchmark::DoNotOptimize(aggregate::make_cpu_aggregator(profile));
}
BENCHMARK(build_engine)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void open_database(benchmark::State& state) {
  const auto path = demo_database({.iterations = 1000, .kernels = state.range(0)});
  for (auto _ : state) {
    base::Progress progress;
    auto profile = import::open_profile(path, progress);
    if (!profile) state.SkipWithError(base::to_text(profile.error()).c_str());
    benchmark::DoNotOptimize(profile);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(open_database)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dlview::bench
