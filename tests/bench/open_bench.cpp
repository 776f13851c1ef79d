// What opening costs: an export and a DLProf database read from end to end, and mapped out of the
// cache, beside a bare scan of the same tables by two connections. With DLVIEW_BENCH_LARGE in the
// environment also at 10 million kernels, which takes 25 GB of disk.

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>
#include <sqlite3.h>

#include "base/progress.h"
#include "bench/demo_files.h"
#include "import/column_cache/folder.h"
#include "import/column_cache/identity.h"
#include "import/column_cache/restore.h"
#include "import/column_cache/store.h"
#include "import/open.h"

namespace dlview::bench {
namespace {

constexpr int kConnections = 2;
constexpr const char* kExportTables[] = {"CUPTI_ACTIVITY_KIND_KERNEL",
                                         "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS"};
constexpr const char* kDlprofTables[] = {"read_only_op_instances", "read_only_kernels"};

// With few_ops, five kernels for each op instance, as the reference load has them.
enum class Format { nsys, nsys_few_ops, dlprof };

std::filesystem::path file_of(Format format, int64_t kernels) {
  RunSize size{.iterations = kernels / 5000, .kernels = kernels};
  if (format == Format::dlprof) return demo_database(size);
  if (format == Format::nsys_few_ops) size.kernels_per_op = 5;
  return demo_export(size);
}

int64_t scan(const std::filesystem::path& path, const std::string& table, int part) {
  sqlite3* database = nullptr;
  sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
  const std::string rows = "(SELECT max(rowid) FROM " + table + ")";
  const std::string sql = "SELECT * FROM " + table + " WHERE rowid > " + rows + " * ?1 / ?2" +
                          " AND rowid <= " + rows + " * (?1 + 1) / ?2";
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr);
  sqlite3_bind_int(statement, 1, part);
  sqlite3_bind_int(statement, 2, kConnections);
  int64_t sum = 0;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      sum += sqlite3_column_int64(statement, i);
    }
  }
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return sum;
}

// The baseline: every value of the tables, and nothing done with it.
void bare_scan(benchmark::State& state, Format format) {
  const std::filesystem::path path = file_of(format, state.range(0));
  const std::vector<std::string> tables =
      format == Format::dlprof
          ? std::vector<std::string>(std::begin(kDlprofTables), std::end(kDlprofTables))
          : std::vector<std::string>(std::begin(kExportTables), std::end(kExportTables));
  for (auto _ : state) {
    std::atomic<int64_t> sum{0};
    std::vector<std::thread> threads;
    for (int part = 0; part < kConnections; ++part) {
      threads.emplace_back([&, part] {
        for (const std::string& table : tables) sum += scan(path, table, part);
      });
    }
    for (std::thread& thread : threads) thread.join();
    benchmark::DoNotOptimize(sum.load());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void open_cold(benchmark::State& state, Format format) {
  const std::filesystem::path path = file_of(format, state.range(0));
  for (auto _ : state) {
    base::Progress progress;
    auto profile = import::open_profile(path, progress);
    if (!profile) state.SkipWithError(base::to_text(profile.error()).c_str());
    benchmark::DoNotOptimize(profile);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void open_from_cache(benchmark::State& state, Format format) {
  namespace column_cache = import::column_cache;
  const std::filesystem::path path = file_of(format, state.range(0));
  const std::filesystem::path folder = path.parent_path();
  const auto identity = column_cache::identity_of(path);
  base::Progress progress;
  const auto profile = import::open_profile(path, progress);
  if (!identity || !profile || !column_cache::store(*profile, *identity, folder, {}, {}).ok()) {
    return state.SkipWithError("the columns cannot be kept");
  }
  for (auto _ : state) benchmark::DoNotOptimize(column_cache::restore(*identity, folder));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(1'000'000)->Unit(benchmark::kMillisecond)->UseRealTime();
  if (std::getenv("DLVIEW_BENCH_LARGE") != nullptr) benchmark->Arg(10'000'000);
}
BENCHMARK_CAPTURE(bare_scan, nsys, Format::nsys)->Apply(sizes);
BENCHMARK_CAPTURE(open_cold, nsys, Format::nsys)->Apply(sizes);
BENCHMARK_CAPTURE(open_from_cache, nsys, Format::nsys)->Apply(sizes);
BENCHMARK_CAPTURE(bare_scan, nsys_few_ops, Format::nsys_few_ops)->Apply(sizes);
BENCHMARK_CAPTURE(open_cold, nsys_few_ops, Format::nsys_few_ops)->Apply(sizes);
BENCHMARK_CAPTURE(open_from_cache, nsys_few_ops, Format::nsys_few_ops)->Apply(sizes);
BENCHMARK_CAPTURE(bare_scan, dlprof, Format::dlprof)->Apply(sizes);
BENCHMARK_CAPTURE(open_cold, dlprof, Format::dlprof)->Apply(sizes);
BENCHMARK_CAPTURE(open_from_cache, dlprof, Format::dlprof)->Apply(sizes);

}  // namespace
}  // namespace dlview::bench
