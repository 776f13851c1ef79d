// Sorting and filtering a table of kernels, as the window does beside its frames.

#include <benchmark/benchmark.h>

#include "base/progress.h"
#include "bench/kernel_table.h"
#include "report/query.h"

namespace dlview::bench {
namespace {

using report::SortDirection;
using report::TableQuery;

void query(benchmark::State& state, const TableQuery& query) {
  const report::Table table = kernel_table(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    base::Progress progress;
    const auto rows = report::run_query(table, query, progress);
    if (!rows) state.SkipWithError(base::to_text(rows.error()).c_str());
    benchmark::DoNotOptimize(rows);
  }
}

#define DLVIEW_QUERY_BENCHMARK(name, ...)                \
  BENCHMARK_CAPTURE(query, name, TableQuery __VA_ARGS__) \
      ->Arg(1'000'000)                                   \
      ->Arg(10'000'000)                                  \
      ->Unit(benchmark::kMillisecond)                    \
      ->UseRealTime()

DLVIEW_QUERY_BENCHMARK(sort_by_integer, {"", {}, {{"duration", SortDirection::descending}}});
DLVIEW_QUERY_BENCHMARK(sort_by_text, {"", {}, {{"name", SortDirection::ascending}}});
DLVIEW_QUERY_BENCHMARK(
    sort_by_flag_and_integer,
    {"", {}, {{"uses_tc", SortDirection::descending}, {"start", SortDirection::ascending}}});
DLVIEW_QUERY_BENCHMARK(filter_by_substring, {"", {{"name", "op_7"}}, {}});
DLVIEW_QUERY_BENCHMARK(filter_by_expression, {"", {{"name", "/op_7\\d,.*array/"}}, {}});
DLVIEW_QUERY_BENCHMARK(filter_by_range, {"", {{"duration", "0.5..1ms"}}, {}});
DLVIEW_QUERY_BENCHMARK(search_a_name, {"op_7", {}, {}});
DLVIEW_QUERY_BENCHMARK(search_digits, {"7777", {}, {}});

}  // namespace
}  // namespace dlview::bench
