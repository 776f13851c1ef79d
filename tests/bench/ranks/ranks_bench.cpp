// What a run of many ranks costs to open from one merged summary of 1,000 iterations: the figures
// of all ranks and the values of the first map; then another value of all ranks; and the bars of
// the mean iterations.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "generate/ranks/summary.h"
#include "ranks/run_figures.h"
#include "ranks/summary_file.h"

namespace dlview::bench {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kIterations = 1'000;

// Made once, and removed in the end.
class SummaryFiles {
 public:
  SummaryFiles() : folder_(fs::temp_directory_path() / fmt::format("dlview_ranks_{}", getpid())) {
    fs::create_directories(folder_);
  }
  ~SummaryFiles() { fs::remove_all(folder_); }
  SummaryFiles(const SummaryFiles&) = delete;
  SummaryFiles& operator=(const SummaryFiles&) = delete;

  fs::path of(int64_t count) const {
    fs::path path = folder_ / fmt::format("{}.dlsum", count);
    if (fs::exists(path)) return path;
    generate::SummaryOptions options;
    options.ranks = count;
    options.iterations = kIterations;
    options.straggler = count / 3;
    const std::string bytes = ranks::to_bytes(generate::generate_summary(options));
    std::ofstream(path, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path;
  }

 private:
  fs::path folder_;
};

fs::path file_of(const benchmark::State& state) {
  static const SummaryFiles files;
  return files.of(state.range(0));
}

ranks::SharedRunFigures figures_of(benchmark::State& state) {
  auto summary = ranks::open_summary(file_of(state));
  if (!summary) {
    state.SkipWithError(base::to_text(summary.error()).c_str());
    return nullptr;
  }
  const auto figures = ranks::make_run_figures(*std::move(summary));
  if (!figures) state.SkipWithError(base::to_text(figures.error()).c_str());
  return figures ? *figures : nullptr;
}

void open_checked(benchmark::State& state) {
  const fs::path path = file_of(state);
  for (auto _ : state) benchmark::DoNotOptimize(ranks::open_summary(path));
}

void open_with_figures(benchmark::State& state) {
  file_of(state);
  for (auto _ : state) benchmark::DoNotOptimize(figures_of(state));
}

void another_value(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    const ranks::SharedRunFigures figures = figures_of(state);
    state.ResumeTiming();
    if (!figures) return;
    figures->times.parts[1].load_all();
  }
}

void bars(benchmark::State& state) {
  const ranks::SharedRunFigures figures = figures_of(state);
  if (!figures) return;
  for (auto _ : state) benchmark::DoNotOptimize(ranks::rank_sums(figures->times));
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  for (const int64_t count : {64, 1'024, 16'384}) benchmark->Arg(count);
  benchmark->Unit(benchmark::kMillisecond)->UseRealTime();
}
BENCHMARK(open_checked)->Apply(sizes);
BENCHMARK(open_with_figures)->Apply(sizes);
BENCHMARK(another_value)->Apply(sizes);
BENCHMARK(bars)->Apply(sizes);

}  // namespace
}  // namespace dlview::bench
