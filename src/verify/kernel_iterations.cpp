#include "verify/kernel_iterations.h"

#include <algorithm>

#include "verify/row_builder.h"
#include "verify/row_comparison.h"

namespace dlview::verify {

using aggregate::Iteration;
using aggregate::OpKernels;
using base::Value;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::OpIndex;

base::ValueTable kernel_iteration_columns() {
  return {"kernel_iteration_node",
          {"read_only_kernel_id", "op_id", "iter_value", "total_count", "uses_tc_count",
           "total_gpu_time", "tc_gpu_time"},
          1,
          {}};
}

KernelIterations::KernelIterations(const profile::Profile& profile,
                                   const aggregate::Aggregation& aggregation)
    : profile_(profile), aggregation_(aggregation) {
  const auto& iterations = aggregation.iteration_table->iterations.rows;
  const aggregate::IterationRange& range = aggregation.selection.range;
  for (int64_t number = range.first; number <= range.last; ++number) {
    const Iteration& iteration = iterations[static_cast<std::size_t>(number)];
    const aggregate::KernelRows rows = aggregate::kernels_of(profile, iteration);
    for (KernelIndex kernel = rows.first; kernel < rows.last; ++kernel) kernels_.push_back(kernel);
    by_op_.push_back(aggregate::kernels_by_op(profile, iteration));
  }
  std::sort(
      kernels_.begin(), kernels_.end(),
      [&ids = profile.kernels.source_id](KernelIndex a, KernelIndex b) { return ids[a] < ids[b]; });
}

std::vector<Value> KernelIterations::row(std::size_t index) const {
  const KernelIndex kernel = kernels_[index];
  const InstanceIndex instance = profile_.kernels.instance[kernel];
  const OpIndex op = profile_.instances.op[instance];
  const auto& iterations = aggregation_.iteration_table->iterations.rows;
  const auto next = std::upper_bound(iterations.begin(), iterations.end(), instance,
                                     [](InstanceIndex wanted, const Iteration& iteration) {
                                       return wanted < iteration.first_instance;
                                     });
  const int64_t number = next - iterations.begin() - 1;
  const auto& totals =
      by_op_[static_cast<std::size_t>(number - aggregation_.selection.range.first)];
  const auto found =
      std::lower_bound(totals.begin(), totals.end(), op,
                       [](const OpKernels& entry, OpIndex wanted) { return entry.op < wanted; });
  RowBuilder row;
  row.add(profile_.kernels.source_id[kernel]).add(profile_.text(profile_.ops.id[op])).add(number);
  return row.add(found->totals).take();
}

base::Result<Check> compare_kernel_iterations(const import::dlprof::StoredTables& stored,
                                              int64_t aggregation_id,
                                              const profile::Profile& profile,
                                              const aggregate::Aggregation& aggregation,
                                              base::Progress& progress) {
  const KernelIterations recomputed(profile, aggregation);
  progress.begin_stage("Comparing kernels", static_cast<int64_t>(recomputed.size()));
  RowComparison comparison(stored.kernel_iterations(), kernel_iteration_columns());
  std::size_t next = 0;
  const auto use = [&](const std::vector<Value>& row) {
    progress.add_done(1);
    for (; next < recomputed.size(); ++next) {
      const std::vector<Value> candidate = recomputed.row(next);
      const int order = comparison.order(row, candidate);
      if (order < 0) break;
      if (order == 0) {
        ++next;
        return comparison.add_pair(row, candidate);
      }
      comparison.add_recomputed_only(candidate);
    }
    comparison.add_stored_only(row);
  };
  const base::Status status = stored.for_each_kernel_iteration(aggregation_id, use);
  if (!status) return status.error();
  for (; next < recomputed.size(); ++next) comparison.add_recomputed_only(recomputed.row(next));
  return comparison.take();
}

}  // namespace dlview::verify
