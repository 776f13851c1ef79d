// Statistics over the iterations of two runs, as `dlview compare` and the Compare view need them:
// the verdicts of 2,000 ops with 200 iterations on each side. The aim is 0.3 s.

#include <cmath>
#include <random>

#include <benchmark/benchmark.h>

#include "aggregate/comparison/common_subsequence.h"
#include "aggregate/comparison/statistics.h"

namespace dlview::bench {
namespace {

void judge_rows(benchmark::State& state) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> value(1e6, 1.3e4);
  const auto values = [&] {
    std::vector<int64_t> result(static_cast<std::size_t>(state.range(1)));
    for (int64_t& v : result) v = std::llround(value(random));
    return result;
  };
  std::vector<aggregate::RowValues> rows(static_cast<std::size_t>(state.range(0)));
  for (aggregate::RowValues& row : rows) row = {values(), values()};
  for (auto _ : state) benchmark::DoNotOptimize(aggregate::judge_rows(rows, {}));
}
BENCHMARK(judge_rows)->Args({2000, 200})->Args({200, 2000})->Unit(benchmark::kMillisecond);

// The places of ops between two matched neighbors.
void common_subsequence(benchmark::State& state) {
  std::mt19937_64 random(2);
  std::vector<uint32_t> from(static_cast<std::size_t>(state.range(0))), to(from.size());
  for (uint32_t& type : from) type = static_cast<uint32_t>(random() % 40);
  for (uint32_t& type : to) type = static_cast<uint32_t>(random() % 40);
  for (auto _ : state) benchmark::DoNotOptimize(aggregate::common_subsequence(from, to));
}
BENCHMARK(common_subsequence)->Arg(2000)->Arg(20'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dlview::bench
