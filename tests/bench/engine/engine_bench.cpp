// What a dragged bound, a filter and another key op cost at the sizes that the goals are stated
// for. DLVIEW_BENCH_ENGINE=cuda measures the CUDA engine instead of the CPU engine, after an answer
// of it was compared with the CPU's.

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "aggregate/aggregator.h"
#include "aggregate/cpu/cpu_engine.h"
#include "aggregate/cuda/cuda_engine.h"
#include "aggregate/engine/engine_aggregator.h"
#include "aggregate/gpu_split.h"
#include "aggregate/iterations.h"
#include "aggregate/row_filter.h"
#include "bench/engine/questions.h"

namespace dlview::bench {
namespace {

using aggregate::Aggregator;
using aggregate::CutKind;
using aggregate::Filter;
using aggregate::FilterKind;
using aggregate::Part;
using aggregate::Selection;
using aggregate::SplitBy;

[[noreturn]] void fail(const std::string& why) {
  std::cerr << why << '\n';
  std::exit(1);
}

bool measures_cuda() {
  const char* name = std::getenv("DLVIEW_BENCH_ENGINE");
  if (name == nullptr || name == std::string("cpu")) return false;
  if (name == std::string("cuda")) return true;
  fail("DLVIEW_BENCH_ENGINE is cpu or cuda");
}

std::unique_ptr<Aggregator> make_engine(std::shared_ptr<const profile::Profile> load) {
  if (!measures_cuda()) return aggregate::make_cpu_aggregator(std::move(load));
  if (const auto device = aggregate::cuda_device(); !device.ok()) fail(device.error().detail);
  return aggregate::make_engine_aggregator(std::move(load), {aggregate::make_cuda_engine});
}

// A range, then the same filtered: the CUDA engine's answers must be the CPU engine's.
void compare_with_cpu(Aggregator& engine, const LoadSize& size) {
  const auto cpu = aggregate::make_cpu_aggregator(reference_load(size));
  Selection selection{{CutKind::start, reference_key_op(), 0},
                      {size.iterations / 3, size.iterations / 2}};
  for (const bool filtered : {false, true}) {
    if (filtered) selection.filters = {{.kind = FilterKind::tensor_core, .number = 1}};
    if (engine.aggregate(selection) != cpu->aggregate(selection)) {
      fail(std::string(engine.name()) + " and CPU engine give different numbers");
    }
    if (!engine.notice().empty()) fail(engine.notice());
  }
}

// One engine for all benchmarks of a size: it holds as much as the profile.
Aggregator& engine(const LoadSize& size) {
  static LoadSize held;
  static std::unique_ptr<Aggregator> engine;
  if (engine == nullptr || held != size) {
    engine.reset();
    engine = make_engine(reference_load(size));
    if (measures_cuda()) compare_with_cpu(*engine, size);
    held = size;
  }
  return *engine;
}

// What a question about all rows has to read of each kernel at least: start, end, time of its
// launch, instance and cell. Printed as bandwidth, to compare with gpu_memory_copy.
constexpr int64_t kKernelBytes = 3 * sizeof(int64_t) + 2 * sizeof(uint32_t);

void count_bytes(benchmark::State& state) {
  state.SetBytesProcessed(state.iterations() * size_of(state).kernels * kKernelBytes);
}

void drag_a_bound(benchmark::State& state) {
  const LoadSize size = size_of(state);
  RandomSelections selections(size);
  Aggregator& aggregator = engine(size);
  // The second one prepares what all others look up.
  for (int i = 0; i < 2; ++i) aggregator.aggregate(selections.next());
  for (auto _ : state) benchmark::DoNotOptimize(aggregator.aggregate(selections.next()));
}
BENCHMARK(drag_a_bound)->Apply(sizes);

// The rows of a range are those of a split by the host, so that it costs the same.
void drag_a_bound_split_by_gpu(benchmark::State& state) {
  const LoadSize size = size_of(state);
  RandomSelections selections(size);
  Aggregator& aggregator = engine(size);
  const auto next = [&] {
    Selection selection = selections.next();
    selection.cut.split_by = SplitBy::gpu;
    return selection;
  };
  for (int i = 0; i < 2; ++i) aggregator.aggregate(next());
  for (auto _ : state) benchmark::DoNotOptimize(aggregator.aggregate(next()));
}
BENCHMARK(drag_a_bound_split_by_gpu)->Apply(sizes);

// The reference load, but the kernels of every 128th instance wait for the end of the run.
std::shared_ptr<const profile::Profile> load_with_late_kernels(const LoadSize& size) {
  profile::Profile load = *reference_load(size);
  const auto& instances = load.instances;
  const auto& kernels = load.kernels;
  const auto late = [&](const profile::Column<int64_t>& times) {
    std::vector<int64_t> times_ns(times.span().begin(), times.span().end());
    for (std::size_t i = 0; i < instances.size(); i += 128) {
      for (auto k = instances.first_kernel[i]; k < instances.first_kernel[i + 1]; ++k) {
        times_ns[k] += load.last_ns;
      }
    }
    return profile::Column<int64_t>(std::move(times_ns));
  };
  load.kernels.gpu_start_ns = late(kernels.gpu_start_ns);
  load.kernels.gpu_stop_ns = late(kernels.gpu_stop_ns);
  load.last_ns *= 2;
  return std::make_shared<const profile::Profile>(std::move(load));
}

void ten_million(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"kernels", "iterations"})
      ->Args({10'000'000, 2'000})
      ->MeasureProcessCPUTime()
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

// Instances that lie in a window take turns with some that run on beyond it.
void drag_a_bound_in_a_window(benchmark::State& state) {
  const LoadSize size = size_of(state);
  const auto load = load_with_late_kernels(size);
  const auto aggregator = make_engine(load);
  RandomSelections selections(size);
  const auto next = [&] {
    Selection selection = selections.next();
    selection.filters = {{.kind = FilterKind::time, .window = {0, load->last_ns / 2}}};
    return selection;
  };
  for (int i = 0; i < 2; ++i) aggregator->aggregate(next());
  for (auto _ : state) benchmark::DoNotOptimize(aggregator->aggregate(next()));
}
BENCHMARK(drag_a_bound_in_a_window)->Apply(ten_million);

// Two values in turn, so that nothing of the last one can be kept.
void change_filters(benchmark::State& state, const std::vector<Filter>& one,
                    const std::vector<Filter>& other) {
  const LoadSize size = size_of(state);
  Aggregator& aggregator = engine(size);
  Selection selection{{CutKind::start, reference_key_op(), 0}, {0, size.iterations}};
  // The first answer adds up all rows, whatever the filter. Then, as in the program, what filters
  // need is made while nothing is asked.
  aggregator.aggregate(selection);
  while (aggregator.prepare_filters()) {
  }
  bool turn = false;
  for (auto _ : state) {
    turn = !turn;
    selection.filters = turn ? one : other;
    benchmark::DoNotOptimize(aggregator.aggregate(selection));
  }
  count_bytes(state);
}
void change_a_filter(benchmark::State& state, const Filter& one, const Filter& other) {
  change_filters(state, {one}, {other});
}
BENCHMARK_CAPTURE(change_a_filter, op_type, Filter{.kind = FilterKind::op_type, .text = "type3"},
                  Filter{.kind = FilterKind::op_type, .text = "type6"})
    ->Apply(sizes);
BENCHMARK_CAPTURE(change_a_filter, eligible, Filter{.kind = FilterKind::eligible, .number = 0},
                  Filter{.kind = FilterKind::eligible, .number = 1})
    ->Apply(sizes);
BENCHMARK_CAPTURE(change_a_filter, tensor_core,
                  Filter{.kind = FilterKind::tensor_core, .number = 0},
                  Filter{.kind = FilterKind::tensor_core, .number = 1})
    ->Apply(sizes);
BENCHMARK_CAPTURE(change_a_filter, device, Filter{.kind = FilterKind::device, .number = 0},
                  Filter{.kind = FilterKind::device, .number = 1})
    ->Apply(sizes);
BENCHMARK_CAPTURE(change_a_filter, kernel, Filter{.kind = FilterKind::kernel, .text = "kernel_7"},
                  Filter{.kind = FilterKind::kernel, .text = "kernel_14"})
    ->Apply(sizes);
BENCHMARK_CAPTURE(change_a_filter, time,
                  Filter{.kind = FilterKind::time, .window = {1'000'000, 3'000'000'000}},
                  Filter{.kind = FilterKind::time, .window = {2'000'000, 4'000'000'000}})
    ->Apply(sizes);

// Hundreds of windows at once, a tenth of the run together.
std::vector<Filter> short_windows(int64_t run_ns, int64_t from_ns) {
  constexpr int64_t kWindows = 500;
  std::vector<Filter> windows;
  for (int64_t w = 0; w < kWindows; ++w) {
    const int64_t start_ns = run_ns / kWindows * w + from_ns;
    windows.push_back(
        {.kind = FilterKind::time, .window = {start_ns, start_ns + run_ns / kWindows / 10}});
  }
  return windows;
}

void change_many_windows(benchmark::State& state) {
  const int64_t run_ns = reference_load(size_of(state))->last_ns;
  change_filters(state, short_windows(run_ns, 0), short_windows(run_ns, 1'000'000));
}
BENCHMARK(change_many_windows)->Apply(sizes);

// Start and end in turn, so that nothing of the last cut can be kept. `ask` is given each.
template <typename Ask>
void change_the_cut(benchmark::State& state, SplitBy split_by, const Ask& ask) {
  const LoadSize size = size_of(state);
  Aggregator& aggregator = engine(size);
  bool at_start = true;
  const auto ask_next = [&] {
    at_start = !at_start;
    const CutKind kind = at_start ? CutKind::start : CutKind::end;
    const aggregate::Cut cut{.kind = kind, .key_op = reference_key_op(), .split_by = split_by};
    ask(aggregator, Selection{cut, {0, size.iterations}});
  };
  ask_next();  // looks for what each split by the GPU needs
  for (auto _ : state) ask_next();
  count_bytes(state);
}
constexpr auto kPreview = [](Aggregator& aggregator, const Selection& selection) {
  benchmark::DoNotOptimize(aggregator.iteration_table(selection.cut));
};
constexpr auto kAllNumbers = [](Aggregator& aggregator, const Selection& selection) {
  benchmark::DoNotOptimize(aggregator.aggregate(selection));
};
BENCHMARK_CAPTURE(change_the_cut, preview, SplitBy::host, kPreview)->Apply(sizes);
BENCHMARK_CAPTURE(change_the_cut, all_numbers, SplitBy::host, kAllNumbers)->Apply(sizes);
BENCHMARK_CAPTURE(change_the_cut, preview_by_gpu, SplitBy::gpu, kPreview)->Apply(sizes);
BENCHMARK_CAPTURE(change_the_cut, all_numbers_by_gpu, SplitBy::gpu, kAllNumbers)->Apply(sizes);

// What the first split by the GPU has to find, once for a profile.
void find_boundary_kernels(benchmark::State& state) {
  const auto load = reference_load(size_of(state));
  for (auto _ : state) benchmark::DoNotOptimize(aggregate::BoundaryKernels(*load, std::nullopt));
}
BENCHMARK(find_boundary_kernels)->Apply(sizes);

// Whether the host or the GPU splits: for an export that is opened.
void choose_the_split(benchmark::State& state) {
  profile::Profile load = *reference_load(size_of(state));
  load.trace.emplace();
  const aggregate::Cut cut{.key_op = reference_key_op()};
  for (auto _ : state) benchmark::DoNotOptimize(aggregate::default_split(load, cut));
}
BENCHMARK(choose_the_split)->Apply(sizes);

// One question of those that an answer takes, asked of the engine itself.
struct Asked {
  Asked(std::shared_ptr<const profile::Profile> profile, const LoadSize& size)
      : load(std::move(profile)),
        iterations(aggregate::cut_iterations(
            *load, {.kind = CutKind::start, .key_op = reference_key_op()})),
        last(size.iterations) {
    const auto index = std::make_shared<const aggregate::ProfileIndex>(*load);
    engine = measures_cuda() ? aggregate::make_cuda_engine(*load, index)
                             : aggregate::cpu_engine()(*load, index);
    engine->set_iterations(iterations);
    engine->set_filter(filter(1));
    for (const aggregate::Iteration& iteration : iterations.rows) {
      times_ns.push_back(iteration.start_ns);
    }
  }
  aggregate::RowFilter filter(int64_t uses_tensor_cores) const {
    return {*load, {{.kind = FilterKind::tensor_core, .number = uses_tensor_cores}}};
  }
  std::shared_ptr<const profile::Profile> load;
  aggregate::Iterations iterations;
  int64_t last;
  std::unique_ptr<aggregate::Engine> engine;
  std::vector<int64_t> times_ns;
};

template <typename Question>
void one_question(benchmark::State& state, const Question& question) {
  const LoadSize size = size_of(state);
  Asked asked(reference_load(size), size);
  question(asked);
  for (auto _ : state) question(asked);
  count_bytes(state);
}
constexpr auto kRows = [](Asked& asked) {
  const auto& rows = asked.iterations.rows;
  const std::size_t third = rows.size() / 3;
  benchmark::DoNotOptimize(
      asked.engine->rows(Part::all, rows[third].first_instance, rows[2 * third].last_instance));
};
constexpr auto kGroups = [](Asked& asked) {
  benchmark::DoNotOptimize(asked.engine->groups(Part::all, {asked.last / 3, asked.last / 2}));
};
constexpr auto kNewGroups = [](Asked& asked) {
  asked.engine->set_iterations(asked.iterations);
  kGroups(asked);
};
constexpr auto kFilter = [](Asked& asked) { asked.engine->set_filter(asked.filter(0)); };
constexpr auto kKernels = [](Asked& asked) {
  benchmark::DoNotOptimize(asked.engine->kernel_totals(Part::kept));
};
constexpr auto kBusyTimes = [](Asked& asked) {
  constexpr profile::DeviceIndex kGpu{0};
  benchmark::DoNotOptimize(asked.engine->covered_before(Part::kept, kGpu, asked.times_ns));
};
BENCHMARK_CAPTURE(one_question, rows, kRows)->Apply(ten_million);
BENCHMARK_CAPTURE(one_question, groups, kGroups)->Apply(ten_million);
BENCHMARK_CAPTURE(one_question, groups_of_a_cut, kNewGroups)->Apply(ten_million);
BENCHMARK_CAPTURE(one_question, filter, kFilter)->Apply(ten_million);
BENCHMARK_CAPTURE(one_question, kernels, kKernels)->Apply(ten_million);
BENCHMARK_CAPTURE(one_question, busy_times, kBusyTimes)->Apply(ten_million);

void build_an_engine(benchmark::State& state) {
  const auto load = reference_load(size_of(state));
  for (auto _ : state) benchmark::DoNotOptimize(make_engine(load));
}
BENCHMARK(build_an_engine)->Apply(sizes);

}  // namespace
}  // namespace dlview::bench
