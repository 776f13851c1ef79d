// What a change of the range would cost without an engine: a plain scan of the range's kernels at
// the speed of memory, and a query in SQLite. Both give less than an engine does.

#include <map>
#include <memory>

#include <sqlite3.h>

#include "bench/engine/questions.h"

namespace dlview::bench {
namespace {

using profile::Row;

// The sums of GPU and API time, of all kernels together.
void drag_a_bound_by_scanning(benchmark::State& state) {
  const LoadSize size = size_of(state);
  const auto load = reference_load(size);
  const auto& kernels = load->kernels;
  RandomSelections selections(size);
  int64_t bytes = 0;
  for (auto _ : state) {
    const KernelRows rows = kernels_of(*load, size, selections.next().range);
    int64_t gpu_ns = 0, api_ns = 0;
    for (Row k = rows.first; k < rows.end; ++k) {
      gpu_ns += kernels.gpu_stop_ns[k] - kernels.gpu_start_ns[k];
      api_ns += kernels.api_stop_ns[k] - kernels.api_start_ns[k];
    }
    benchmark::DoNotOptimize(gpu_ns);
    benchmark::DoNotOptimize(api_ns);
    bytes += int64_t{rows.end - rows.first} * 4 * static_cast<int64_t>(sizeof(int64_t));
  }
  state.SetBytesProcessed(bytes);
}
BENCHMARK(drag_a_bound_by_scanning)->Apply(sizes);

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
using Database = std::unique_ptr<sqlite3, Close>;

// The kernels in memory, in order of their rows.
Database make_database(const profile::Profile& profile) {
  sqlite3* opened = nullptr;
  sqlite3_open(":memory:", &opened);
  Database database(opened);
  sqlite3_exec(
      opened,
      "CREATE TABLE kernels (op INTEGER, name INTEGER, gpu_ns INTEGER, api_ns INTEGER); BEGIN",
      nullptr, nullptr, nullptr);
  sqlite3_stmt* insert = nullptr;
  sqlite3_prepare_v2(opened, "INSERT INTO kernels VALUES (?, ?, ?, ?)", -1, &insert, nullptr);
  const auto& kernels = profile.kernels;
  for (Row k = 0; k < kernels.size(); ++k) {
    sqlite3_bind_int64(insert, 1, profile.instances.op[kernels.instance[k]]);
    sqlite3_bind_int64(insert, 2, kernels.name[k]);
    sqlite3_bind_int64(insert, 3, kernels.gpu_stop_ns[k] - kernels.gpu_start_ns[k]);
    sqlite3_bind_int64(insert, 4, kernels.api_stop_ns[k] - kernels.api_start_ns[k]);
    sqlite3_step(insert);
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  sqlite3_exec(opened, "COMMIT", nullptr, nullptr, nullptr);
  return database;
}

// Count, sum, minimum and maximum for each op and kernel name.
void drag_a_bound_in_sqlite(benchmark::State& state) {
  const LoadSize size = size_of(state);
  const auto load = reference_load(size);
  static std::map<LoadSize, Database> databases;
  Database& database = databases[size];
  if (database == nullptr) database = make_database(*load);
  sqlite3_stmt* query = nullptr;
  sqlite3_prepare_v2(database.get(),
                     "SELECT op, name, COUNT(*), SUM(gpu_ns), MIN(gpu_ns), MAX(gpu_ns), "
                     "SUM(api_ns), MIN(api_ns), MAX(api_ns) FROM kernels "
                     "WHERE rowid BETWEEN ? AND ? GROUP BY op, name",
                     -1, &query, nullptr);
  RandomSelections selections(size);
  for (auto _ : state) {
    const KernelRows rows = kernels_of(*load, size, selections.next().range);
    sqlite3_bind_int64(query, 1, int64_t{rows.first} + 1);  // rowids begin with 1
    sqlite3_bind_int64(query, 2, rows.end);
    int64_t groups = 0;
    while (sqlite3_step(query) == SQLITE_ROW) ++groups;
    benchmark::DoNotOptimize(groups);
    sqlite3_reset(query);
  }
  sqlite3_finalize(query);
}
BENCHMARK(drag_a_bound_in_sqlite)->Apply(sizes);

}  // namespace
}  // namespace dlview::bench
