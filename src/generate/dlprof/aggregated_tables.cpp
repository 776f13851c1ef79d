#include "generate/dlprof/aggregated_tables.h"

#include "generate/dlprof/aggregated_writer.h"
#include "generate/dlprof/raw_tables.h"

namespace dlview::generate::dlprof {
namespace {

using aggregate::Aggregation;
using aggregate::Breakdown;
using aggregate::Category;
using aggregate::IterationRange;

// Who aggregated and when; the same in every file, so that equal seeds give equal bytes.
constexpr std::string_view kUser = "dlview";
constexpr std::string_view kHost = "demo";
constexpr std::string_view kTime = "2021-12-15 12:00:00";

}  // namespace

void write_iterations(const AggregatedWriter& to, const Aggregation& from, int64_t aggr_id,
                      NextIds& next) {
  Insert(to.file, "aggregations", 5)(aggr_id, kUser, kHost, kTime, 0);

  Insert advice(to.file, "expert_systems_feedback", 7);
  for (const aggregate::Advice& a : from.advice) {
    advice(next.advice++, aggr_id, a.detector, a.problem, a.recommendation, a.action,
           a.action_arguments);
  }

  Insert(to.file, "iteration_key", 3)(aggr_id, aggr_id,
                                      to.dictionary.id(from.selection.cut.key_op));

  Insert iteration(to.file, "iteration_list", 5);
  int64_t number = 0;
  for (const aggregate::Iteration& row : from.iteration_table->iterations.rows) {
    iteration(next.iteration++, aggr_id, number++, row.start_ns, row.stop_ns);
  }

  Insert profiled(to.file, "iteration_aggregation_list", 11);
  const IterationRange& range = from.selection.range;
  for (int64_t i = range.first; i <= range.last; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const Breakdown& b = from.iteration_table->facts[index].per_device;
    profiled(next.profiled_iteration++, aggr_id, i, from.iteration_gpu_utilization(index),
             b[Category::tensor_core_kernels], b[Category::other_kernels], b[Category::memory],
             b[Category::data_loader], b[Category::io], b[Category::cpu], b[Category::other]);
  }
}

void write_model(const AggregatedWriter& to, const Aggregation& from, int64_t aggr_id,
                 NextIds& next) {
  const int64_t all_ops = to.values.category(from.all_ops);
  const int64_t eligible_ops = to.values.category(from.eligible_ops);
  const int64_t tensor_core_ops = to.values.category(from.tensor_core_ops);
  const int64_t other_ops = to.values.category(from.other_ops);
  const IterationRange& range = from.selection.range;
  const auto iteration_count = from.iteration_table->iterations.rows.size();
  Insert(to.file, "model_summary", 25)(
      aggr_id, aggr_id, kDomainId, 1, from.wall_ns, all_ops, eligible_ops, tensor_core_ops,
      other_ops, from.gpu_utilization(), from.tensor_core_efficiency(),
      from.share(Category::tensor_core_kernels), from.share(Category::other_kernels),
      from.share(Category::memory), from.share(Category::data_loader), from.share(Category::io),
      from.share(Category::cpu), from.share(Category::other), from.average_iteration_ns(),
      from.iteration_standard_deviation_ns(), iteration_count, range.size(), range.first,
      range.last, to.dictionary.id(from.selection.cut.key_op));

  Insert device(to.file, "device_gpu_utilizations", 5);
  const std::vector<int64_t> ids = gpu_info_ids(to.profile);
  for (const aggregate::DeviceAggregate& row : from.devices) {
    device(next.device++, aggr_id, kDomainId, ids[row.device], from.device_utilization(row));
  }

  const int64_t all_kernels = to.values.category(from.all_kernels);
  const int64_t tensor_core_kernels = to.values.category(from.tensor_core_kernels);
  const int64_t other_kernels = to.values.category(from.other_kernels);
  Insert(to.file, "kernel_summary_metrics", 6)(aggr_id, aggr_id, kDomainId, all_kernels,
                                               tensor_core_kernels, other_kernels);
  const int64_t memory = to.values.category(from.memory);
  Insert(to.file, "memory_summary_metrics", 4)(aggr_id, aggr_id, kDomainId, memory);
}

void write_aggregated_tables(const profile::Profile& profile,
                             const std::vector<Aggregation>& aggregations, const RowOrder& order,
                             Dictionary& dictionary, SqliteFile& file) {
  ValueTables values(file);
  const AggregatedWriter to{profile, order, dictionary, values, file};
  NextIds next;
  int64_t aggr_id = 0;
  for (const Aggregation& aggregation : aggregations) {
    ++aggr_id;
    write_iterations(to, aggregation, aggr_id, next);
    write_model(to, aggregation, aggr_id, next);
    write_ops(to, aggregation, aggr_id, next);
    write_iteration_kernels(to, aggregation, aggr_id, next);
  }
}

}  // namespace dlview::generate::dlprof
