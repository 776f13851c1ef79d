// What a change of the range would cost in DuckDB, a column store that uses all cores. Debian has
// no package of it: the benchmark is there when DLVIEW_DUCKDB names a libduckdb.so, which the npm
// package
// @duckdb/node-api brings along.

#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "bench/engine/questions.h"

namespace dlview::bench {
namespace {

using profile::Row;

using Handle = void*;

// As DuckDB's C interface has it.
struct Result {
  uint64_t counts[3];
  void *columns, *message, *data;
};

class DuckDb {
 public:
  // Throws std::runtime_error.
  explicit DuckDb(const char* library) : library_(dlopen(library, RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) throw std::runtime_error(dlerror());
    find<int(const char*, Handle*)>("duckdb_open")(nullptr, &database_);
    find<int(Handle, Handle*)>("duckdb_connect")(database_, &connection_);
    run(fmt::format("SET threads = {}", std::thread::hardware_concurrency()));
  }
  DuckDb(const DuckDb&) = delete;
  DuckDb& operator=(const DuckDb&) = delete;
  ~DuckDb() {
    find<void(Handle*)>("duckdb_disconnect")(&connection_);
    find<void(Handle*)>("duckdb_close")(&database_);
  }

  Handle connection() const { return connection_; }
  std::string version() const { return find<const char*()>("duckdb_library_version")(); }

  // How many rows the statement gives.
  uint64_t run(const std::string& sql) {
    Result result{};
    const bool failed =
        find<int(Handle, const char*, Result*)>("duckdb_query")(connection_, sql.c_str(), &result);
    if (failed)
      throw std::runtime_error(find<const char*(Result*)>("duckdb_result_error")(&result));
    const uint64_t rows = find<uint64_t(Result*)>("duckdb_row_count")(&result);
    find<void(Result*)>("duckdb_destroy_result")(&result);
    return rows;
  }

  template <typename Function>
  Function* find(const char* name) const {
    void* const function = dlsym(library_, name);
    if (function == nullptr) throw std::runtime_error(dlerror());
    return reinterpret_cast<Function*>(function);
  }

 private:
  void* library_;
  Handle database_ = nullptr, connection_ = nullptr;
};

// The kernels in memory, in order of their rows.
void add_kernels(DuckDb& database, const profile::Profile& profile, const LoadSize& size) {
  database.run(
      "CREATE TABLE kernels (iteration INTEGER, op INTEGER, name INTEGER, gpu_ns BIGINT, "
      "api_ns BIGINT)");
  Handle appender = nullptr;
  database.find<int(Handle, const char*, const char*, Handle*)>("duckdb_appender_create")(
      database.connection(), nullptr, "kernels", &appender);
  const auto append = database.find<int(Handle, int64_t)>("duckdb_append_int64");
  const auto end_row = database.find<int(Handle)>("duckdb_appender_end_row");
  const auto& kernels = profile.kernels;
  for (Row k = 0; k < kernels.size(); ++k) {
    const Row instance = kernels.instance[k];
    append(appender, instance / size.ops);
    append(appender, profile.instances.op[instance]);
    append(appender, kernels.name[k]);
    append(appender, kernels.gpu_stop_ns[k] - kernels.gpu_start_ns[k]);
    append(appender, kernels.api_stop_ns[k] - kernels.api_start_ns[k]);
    end_row(appender);
  }
  const bool failed = database.find<int(Handle*)>("duckdb_appender_destroy")(&appender) != 0;
  if (failed || database.run("SELECT op FROM kernels") != kernels.size()) {
    throw std::runtime_error("DuckDB did not take all kernels");
  }
}

// Count, sum, minimum and maximum for each op, and for each op and kernel name.
void drag_a_bound_in_duckdb(benchmark::State& state, const char* library) {
  const LoadSize size = size_of(state);
  static std::map<LoadSize, std::unique_ptr<DuckDb>> databases;
  std::unique_ptr<DuckDb>& database = databases[size];
  if (database == nullptr) {
    database = std::make_unique<DuckDb>(library);
    add_kernels(*database, *reference_load(size), size);
  }
  state.SetLabel("DuckDB " + database->version());
  RandomSelections selections(size);
  for (auto _ : state) {
    const aggregate::IterationRange range = selections.next().range;
    for (const char* group : {"op", "op, name"}) {
      const uint64_t groups = database->run(fmt::format(
          "SELECT {0}, count(*), sum(gpu_ns), min(gpu_ns), max(gpu_ns), sum(api_ns), min(api_ns), "
          "max(api_ns) FROM kernels WHERE iteration BETWEEN {1} AND {2} GROUP BY {0}",
          group, range.first, range.last));
      benchmark::DoNotOptimize(groups);
    }
  }
}

[[maybe_unused]] const bool is_registered = [] {
  const char* library = std::getenv("DLVIEW_DUCKDB");
  if (library == nullptr) return false;
  benchmark::RegisterBenchmark("drag_a_bound_in_duckdb", drag_a_bound_in_duckdb, library)
      ->Apply(sizes);
  return true;
}();

}  // namespace
}  // namespace dlview::bench
