// What opening a trace of the PyTorch profiler costs, stage by stage, beside simdjson on the same
// file. `./dev bench traces` runs it on files of 1 GB, the whole program and Python beside it.
// Alone it makes files of 100 MB; $DLVIEW_BENCH_TRACES names a folder that has mix.json,
// mix.json.gz, stacks.json and stacks.json.gz.

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/large_memory.h"
#include "base/progress.h"
#include "bench/demo_files.h"
#include "bench/simdjson_events.h"
#include "import/byte_source.h"
#include "import/column_cache/identity.h"
#include "import/column_cache/store.h"
#include "import/open.h"
#include "import/pytorch/python_frames.h"
#include "import/pytorch/trace_reader.h"
#include "import/quality_log.h"
#include "profile/builder.h"

namespace dlview::bench {
namespace {

namespace fs = std::filesystem;

// `mix`: training with shapes. `stacks`: half of the bytes are Python frames.
constexpr const char* kMix = "mix.json";
constexpr const char* kPackedMix = "mix.json.gz";
constexpr const char* kStacks = "stacks.json";
constexpr const char* kPackedStacks = "stacks.json.gz";

fs::path trace_file(const std::string& name) {
  const char* const folder = std::getenv("DLVIEW_BENCH_TRACES");
  return folder != nullptr ? fs::path(folder) / name : demo_trace(name, 100'000'000);
}

// Counts bytes of JSON, whatever the file takes.
void set_bytes(benchmark::State& state, const fs::path& path) {
  const int64_t unpacked = import::recorded_unpacked_bytes(path);
  const auto bytes = unpacked > 0 ? unpacked : static_cast<int64_t>(fs::file_size(path));
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * bytes);
}

template <typename Result>
void skip_if_failed(benchmark::State& state, const Result& result) {
  if (!result) state.SkipWithError(base::to_text(result.error()).c_str());
}

// The bound of all others: the bytes of the file, unpacked, and nothing done with them.
void trace_bytes(benchmark::State& state, const char* name) {
  const fs::path path = trace_file(name);
  std::vector<char> block(std::size_t{1} << 20);
  for (auto _ : state) {
    base::Progress progress;
    auto source = import::ByteSource::open(path, progress);
    if (!source) return skip_if_failed(state, source);
    auto stream = import::ByteStream::open(*source, progress);
    if (!stream) return skip_if_failed(state, stream);
    base::Result<std::size_t> bytes = block.size();
    while (bytes && *bytes == block.size()) bytes = stream->read(block);
    skip_if_failed(state, bytes);
  }
  set_bytes(state, path);
}

// JSON to raw columns. Memory that is given back is kept, as while a file is opened.
void trace_events(benchmark::State& state, const char* name, bool all_frames) {
  const fs::path path = trace_file(name);
  const base::KeptMemory kept;
  for (auto _ : state) {
    base::Progress progress;
    auto source = import::ByteSource::open(path, progress);
    if (!source) return skip_if_failed(state, source);
    profile::ProfileBuilder builder;
    import::QualityLog quality;
    import::pytorch::ReadOptions options;
    options.all_frames = all_frames;
    auto events = import::pytorch::read_trace_events(*source, builder, quality, progress, options);
    skip_if_failed(state, events);
    benchmark::DoNotOptimize(events);
  }
  set_bytes(state, path);
}

// As the cache stores them, without the page for its header.
double column_megabytes(const profile::Profile& profile, const fs::path& path) {
  namespace column_cache = import::column_cache;
  const fs::path folder = path.parent_path() / "columns";
  fs::create_directories(folder);
  fs::permissions(folder, fs::perms::owner_all);
  const auto identity = column_cache::identity_of(path);
  double bytes = 0;
  if (identity && column_cache::store(profile, *identity, folder, {}, {}).ok()) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) bytes += static_cast<double>(entry.file_size());
    }
  }
  fs::remove_all(folder);
  return bytes / 1e6;
}

void trace_profile(benchmark::State& state, const char* name) {
  const fs::path path = trace_file(name);
  for (auto _ : state) {
    base::Progress progress;
    auto profile = import::open_profile(path, progress);
    if (!profile) return skip_if_failed(state, profile);
    state.PauseTiming();
    state.counters["columns_mb"] = column_megabytes(*profile, path);
    state.ResumeTiming();
  }
  set_bytes(state, path);
}

// What opening Stacks reads.
void trace_frames(benchmark::State& state, const char* name) {
  const fs::path path = trace_file(name);
  base::Progress progress;
  const auto profile = import::open_profile(path, progress);
  if (!profile) return skip_if_failed(state, profile);
  for (auto _ : state) {
    auto frames = import::pytorch::read_python_frames(*profile, progress);
    skip_if_failed(state, frames);
    benchmark::DoNotOptimize(frames);
  }
  set_bytes(state, path);
}

// The file is in memory before, as simdjson needs it, and so is the memory that simdjson takes.
void trace_simdjson(benchmark::State& state, const char* name) {
  const fs::path path = trace_file(name);
  SimdjsonEvents events;
  if (!events.load(path)) return state.SkipWithError("built without simdjson, or it cannot read");
  benchmark::DoNotOptimize(events.read());
  for (auto _ : state) benchmark::DoNotOptimize(events.read());
  set_bytes(state, path);
}

void often(benchmark::internal::Benchmark* benchmark) {
  benchmark->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();
}
BENCHMARK_CAPTURE(trace_bytes, mix, kMix)->Apply(often);
BENCHMARK_CAPTURE(trace_bytes, mix_gz, kPackedMix)->Apply(often);
BENCHMARK_CAPTURE(trace_simdjson, mix, kMix)->Apply(often);
BENCHMARK_CAPTURE(trace_simdjson, stacks, kStacks)->Apply(often);
BENCHMARK_CAPTURE(trace_events, mix, kMix, false)->Apply(often);
BENCHMARK_CAPTURE(trace_events, mix_gz, kPackedMix, false)->Apply(often);
BENCHMARK_CAPTURE(trace_events, stacks, kStacks, false)->Apply(often);
BENCHMARK_CAPTURE(trace_events, stacks_gz, kPackedStacks, false)->Apply(often);
BENCHMARK_CAPTURE(trace_events, stacks_all_frames, kStacks, true)->Apply(often);
BENCHMARK_CAPTURE(trace_profile, mix, kMix)->Apply(often);
BENCHMARK_CAPTURE(trace_profile, mix_gz, kPackedMix)->Apply(often);
BENCHMARK_CAPTURE(trace_profile, stacks, kStacks)->Apply(often);
BENCHMARK_CAPTURE(trace_frames, stacks, kStacks)->Apply(often);

}  // namespace
}  // namespace dlview::bench
