// The sizes of run that engines and their baselines are measured at, and the ranges they are asked
// for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include <benchmark/benchmark.h>

#include "aggregate/selection.h"
#include "bench/engine/reference_load.h"

namespace dlview::bench {

inline LoadSize size_of(const benchmark::State& state) {
  return {.kernels = state.range(0), .iterations = state.range(1)};
}

// 1 and 10 million kernels, and as many as the environment variable DLVIEW_BENCH_KERNELS says:
// 100 million take 14 GiB.
void sizes(benchmark::internal::Benchmark* benchmark);

// Rows [first, end) of Profile::kernels.
struct KernelRows {
  profile::Row first, end;
};
inline KernelRows kernels_of(const profile::Profile& profile, const LoadSize& size,
                             const aggregate::IterationRange& range) {
  const auto first_row = [&](int64_t iteration) {
    return profile.instances.first_kernel[static_cast<std::size_t>(iteration * size.ops)];
  };
  return {first_row(range.first), first_row(range.last + 1)};
}

// Random ranges, the same ones each time.
class RandomSelections {
 public:
  explicit RandomSelections(const LoadSize& size) : iterations_(size.iterations) {}
  aggregate::Selection next() {
    const auto any = [&] {
      return static_cast<int64_t>(random_() % static_cast<uint64_t>(iterations_));
    };
    const int64_t a = any(), b = any();
    return {{aggregate::CutKind::start, reference_key_op(), 0}, {std::min(a, b), std::max(a, b)}};
  }

 private:
  int64_t iterations_;
  std::mt19937_64 random_{1};
};

}  // namespace dlview::bench
