#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "generate/dlprof/aggregated_writer.h"
#include "generate/dlprof/raw_tables.h"

namespace dlview::generate::dlprof {
namespace {

using aggregate::Aggregation;
using aggregate::KernelTotals;
using aggregate::OpAggregate;
using profile::KernelIndex;

// Pointers to `rows`, in byte order of the op's id; rows of one op keep their order.
template <typename T>
std::vector<const T*> by_op_id(const profile::Profile& profile, const std::vector<T>& rows) {
  std::vector<const T*> sorted;
  for (const T& row : rows) sorted.push_back(&row);
  std::stable_sort(sorted.begin(), sorted.end(), [&profile](const T* a, const T* b) {
    return profile.text(profile.ops.id[a->op]) < profile.text(profile.ops.id[b->op]);
  });
  return sorted;
}

bool is_bad_data_type(const profile::Profile& profile, profile::OpIndex op) {
  return profile.is_eligible(op) && profile.text(profile.ops.data_type[op]) == "float32";
}

void write_op_nodes(const AggregatedWriter& to, const std::vector<const OpAggregate*>& ops,
                    int64_t aggr_id, NextIds& next) {
  Insert insert(to.file, "op_nodes", 10);
  for (const OpAggregate* op : ops) {
    const int64_t times = to.values.node_times(op->times);
    const int64_t kernel_times = to.values.kernel_times(op->kernel_api, op->kernel_gpu);
    insert(next.op++, aggr_id, to.order.op_id[op->op], times, kernel_times, op->times.count(),
           op->kernel_gpu.count, to.profile.is_eligible(op->op), op->uses_tensor_cores(),
           is_bad_data_type(to.profile, op->op));
  }
}

void write_groups(const AggregatedWriter& to, const Aggregation& from,
                  const std::vector<const OpAggregate*>& ops, int64_t aggr_id, NextIds& next) {
  constexpr int kGroupRow = 1, kOpRow = 2;
  Insert insert(to.file, "group_ops", 11);
  for (const aggregate::GroupAggregate& row : from.groups) {
    const aggregate::Group& group = from.group_tree->groups[row.group];
    const int64_t name = to.dictionary.id(aggregate::group_name(to.profile, group));
    insert(next.group++, aggr_id, kDomainId, kGroupRow, name, name, group.level, row.instance_count,
           row.eligible_ops, row.tensor_core_ops, to.values.node_times(row.times));
  }
  const profile::Ops& columns = to.profile.ops;
  for (const OpAggregate* op : ops) {
    insert(next.group++, aggr_id, kDomainId, kOpRow, to.dictionary.id(columns.id[op->op]),
           to.dictionary.id(columns.name[op->op]),
           aggregate::op_level(to.profile, to.profile.text(columns.name[op->op])),
           op->times.count(), to.profile.is_eligible(op->op), op->uses_tensor_cores(),
           to.values.node_times(op->times));
  }
}

void write_kernel_summaries(const AggregatedWriter& to, const Aggregation& from, int64_t aggr_id,
                            NextIds& next) {
  Insert insert(to.file, "kernel_summaries", 8);
  for (const aggregate::KernelAggregate* row : by_op_id(to.profile, from.kernels)) {
    const int64_t api = to.values.metric(row->api);
    const int64_t gpu = to.values.metric(row->gpu);
    insert(next.kernel_summary++, aggr_id, kDomainId, to.order.op_id[row->op],
           to.dictionary.id(row->name), api, gpu, row->uses_tensor_cores);
  }
}

void write_op_types(const AggregatedWriter& to, const Aggregation& from, int64_t aggr_id,
                    NextIds& next) {
  Insert insert(to.file, "op_type_metrics", 7);
  for (const aggregate::OpTypeAggregate& row : from.op_types) {
    insert(next.op_type++, aggr_id, kDomainId, to.dictionary.id(row.type),
           to.values.node_times(row.times), row.op_count, row.times.count());
  }
}

// Rows of the kernels of an iteration, in the order of the file.
std::vector<KernelIndex> kernels_of(const AggregatedWriter& to,
                                    const aggregate::Iteration& iteration) {
  const auto& first = to.profile.instances.first_kernel;
  std::vector<KernelIndex> rows;
  for (KernelIndex i = first[iteration.first_instance]; i < first[iteration.last_instance]; ++i) {
    rows.push_back(i);
  }
  std::sort(rows.begin(), rows.end(), [&to](KernelIndex a, KernelIndex b) {
    return to.order.kernel_id[a] < to.order.kernel_id[b];
  });
  return rows;
}

KernelTotals totals_of_kernel(const profile::Kernels& kernels, KernelIndex row) {
  const int64_t gpu_ns = kernels.gpu_stop_ns[row] - kernels.gpu_start_ns[row];
  const bool uses = kernels.uses_tensor_cores[row] != 0;
  return {1, uses ? 1 : 0, gpu_ns, uses ? gpu_ns : 0};
}

}  // namespace

void write_ops(const AggregatedWriter& to, const Aggregation& from, int64_t aggr_id,
               NextIds& next) {
  const std::vector<const OpAggregate*> ops = by_op_id(to.profile, from.ops);
  write_op_nodes(to, ops, aggr_id, next);
  write_groups(to, from, ops, aggr_id, next);
  write_kernel_summaries(to, from, aggr_id, next);
  write_op_types(to, from, aggr_id, next);
}

// kernel_iteration_node has a row for each kernel, with the totals of all kernels that its op runs
// in the iteration.
void write_iteration_kernels(const AggregatedWriter& to, const Aggregation& from, int64_t aggr_id,
                             NextIds& next) {
  Insert stats(to.file, "kernel_iteration_stats", 8);
  Insert node(to.file, "kernel_iteration_node", 10);
  const profile::Profile& profile = to.profile;
  for (int64_t i = from.selection.range.first; i <= from.selection.range.last; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const KernelTotals& all = from.iteration_table->facts[index].kernels;
    stats(next.iteration_kernels++, aggr_id, kDomainId, i, all.count, all.tensor_core_count,
          all.gpu_ns, all.tensor_core_gpu_ns);

    const auto kernels = kernels_of(to, from.iteration_table->iterations.rows[index]);
    std::map<profile::OpIndex, KernelTotals> totals_of_op;
    for (const KernelIndex kernel : kernels) {
      totals_of_op[profile.instances.op[profile.kernels.instance[kernel]]] +=
          totals_of_kernel(profile.kernels, kernel);
    }
    for (const KernelIndex kernel : kernels) {
      const profile::OpIndex op = profile.instances.op[profile.kernels.instance[kernel]];
      const KernelTotals& totals = totals_of_op[op];
      node(next.kernel_iteration++, aggr_id, kDomainId, to.order.op_id[op],
           to.order.kernel_id[kernel], i, totals.count, totals.tensor_core_count, totals.gpu_ns,
           totals.tensor_core_gpu_ns);
    }
  }
}

}  // namespace dlview::generate::dlprof
