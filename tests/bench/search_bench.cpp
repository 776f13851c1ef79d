// A search of the timeline of 10 million kernels: a name is looked at once, each event has its bit.
// It runs in the background, with each letter that is typed; the aim is under 1 s. Then the way to
// the next hit, which a frame has to wait for.

#include <benchmark/benchmark.h>

#include "bench/demo_files.h"
#include "timeline/name_hits.h"

namespace dlview::bench {
namespace {

std::shared_ptr<const timeline::Lanes> lanes_of(const benchmark::State& state) {
  const auto profile = demo_profile({.iterations = 2000, .kernels = state.range(0), .gpus = 2});
  return timeline::build_lanes(profile, std::make_shared<const aggregate::RuleIndex>(*profile));
}

void timeline_search(benchmark::State& state) {
  const auto lanes = lanes_of(state);
  const base::Progress progress;
  int64_t hits = 0;
  for (auto _ : state) hits = timeline::NameHits(lanes, "gemm", progress).count();
  state.counters["hits"] = static_cast<double>(hits);
}
BENCHMARK(timeline_search)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);

void timeline_next_hit(benchmark::State& state) {
  const auto lanes = lanes_of(state);
  const base::Progress progress;
  const timeline::NameHits hits(lanes, "gemm", progress);
  auto place = hits.next(lanes->whole.start_ns, 1);
  for (auto _ : state) {
    place = hits.next(*place, 1);
    benchmark::DoNotOptimize(hits.number_of(*place));
  }
}
BENCHMARK(timeline_next_hit)->Arg(10'000'000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace dlview::bench
