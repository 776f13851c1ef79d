// What opening an Nsight Compute CSV costs: 10,000 launches with 500 metrics each, as the raw
// page (a row per launch) and as details (a row per metric), beside reading the bytes.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/progress.h"
#include "bench/demo_files.h"
#include "generate/limits.h"
#include "import/ncu/read_counters.h"

namespace dlview::bench {
namespace {

using generate::CsvPage;

constexpr int64_t kLaunches = 10'000, kMetrics = 500;

void count(benchmark::State& state, const std::filesystem::path& path) {
  state.SetItemsProcessed(state.iterations() * kLaunches * kMetrics);
  state.SetBytesProcessed(state.iterations() *
                          static_cast<int64_t>(std::filesystem::file_size(path)));
}

void open_counters(benchmark::State& state, CsvPage page) {
  const std::vector<std::filesystem::path> files{demo_counters(kLaunches, kMetrics, page)};
  for (auto _ : state) {
    base::Progress progress;
    auto counters = import::ncu::read_counters(files, progress);
    if (!counters) return state.SkipWithError(base::to_text(counters.error()).c_str());
    if (counters->launches.size() != kLaunches) return state.SkipWithError("launches are missing");
    benchmark::DoNotOptimize(counters);
  }
  count(state, files.front());
}

// The baseline: every byte, and nothing done with it.
void read_counters_file(benchmark::State& state, CsvPage page) {
  const std::filesystem::path path = demo_counters(kLaunches, kMetrics, page);
  std::vector<char> block(1 << 20);
  for (auto _ : state) {
    std::ifstream file(path, std::ios::binary);
    int64_t quotes = 0;
    while (file.read(block.data(), static_cast<std::streamsize>(block.size())) ||
           file.gcount() > 0) {
      for (std::streamsize i = 0; i < file.gcount(); ++i) {
        quotes += block[static_cast<std::size_t>(i)] == '"' ? 1 : 0;
      }
    }
    benchmark::DoNotOptimize(quotes);
  }
  count(state, path);
}

void settings(benchmark::internal::Benchmark* benchmark) {
  benchmark->Unit(benchmark::kMillisecond)->UseRealTime();
}
BENCHMARK_CAPTURE(open_counters, raw, CsvPage::raw)->Apply(settings);
BENCHMARK_CAPTURE(open_counters, details, CsvPage::details)->Apply(settings);
BENCHMARK_CAPTURE(read_counters_file, raw, CsvPage::raw)->Apply(settings);
BENCHMARK_CAPTURE(read_counters_file, details, CsvPage::details)->Apply(settings);

}  // namespace
}  // namespace dlview::bench
