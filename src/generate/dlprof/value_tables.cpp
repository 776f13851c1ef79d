#include "generate/dlprof/value_tables.h"

namespace dlview::generate::dlprof {

ValueTables::ValueTables(SqliteFile& file)
    : metric_(file, "metric", 6),
      node_times_(file, "node_time_metrics", 6),
      kernel_times_(file, "kernel_time_metrics", 3),
      category_(file, "category_summary", 6) {}

int64_t ValueTables::metric(const aggregate::Stats& stats) {
  const auto [entry, added] = metric_ids_.emplace(
      std::tuple(stats.count, stats.max, stats.min, stats.sum), std::ssize(metric_ids_) + 1);
  if (added) {
    metric_(entry->second, stats.count, stats.max, stats.min, stats.sum, stats.average());
  }
  return entry->second;
}

int64_t ValueTables::node_times(const aggregate::TimeStats& times) {
  const int64_t cpu = metric(times.cpu);
  const int64_t gpu = metric(times.gpu);
  const int64_t api = metric(times.api);
  const int64_t overhead = metric(times.overhead);
  const int64_t idle = metric(times.idle);
  node_times_(++last_node_times_id_, cpu, gpu, api, overhead, idle);
  return last_node_times_id_;
}

int64_t ValueTables::kernel_times(const aggregate::Stats& api, const aggregate::Stats& gpu) {
  const int64_t api_id = metric(api);
  const int64_t gpu_id = metric(gpu);
  kernel_times_(++last_kernel_times_id_, api_id, gpu_id);
  return last_kernel_times_id_;
}

int64_t ValueTables::category(const aggregate::CategorySummary& summary) {
  category_(++last_category_id_, summary.cpu_ns, summary.gpu_ns, summary.overhead_ns,
            summary.idle_ns, summary.count);
  return last_category_id_;
}

}  // namespace dlview::generate::dlprof
