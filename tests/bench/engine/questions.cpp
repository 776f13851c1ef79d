#include "bench/engine/questions.h"

#include <cstdlib>

namespace dlview::bench {

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"kernels", "iterations"})
      ->Args({1'000'000, 2'000})
      ->Args({10'000'000, 2'000})
      ->MeasureProcessCPUTime()
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
  const char* kernels = std::getenv("DLVIEW_BENCH_KERNELS");
  if (kernels != nullptr) benchmark->Args({std::atoll(kernels), 10'000});
}

}  // namespace dlview::bench
