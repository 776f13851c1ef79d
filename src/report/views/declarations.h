// The tables of make_view(), and their shared columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "report/columns.h"
#include "report/views/views.h"

namespace dlview::report::view {

// The input of a table; the references outlive it.
struct Input {
  const profile::Profile& profile;
  const aggregate::Aggregation& aggregation;
  const ViewArguments& arguments;

  // Whether the arguments let the op pass.
  bool has_op(profile::OpIndex op) const;
  // The iterations that the arguments leave of the range.
  aggregate::IterationRange iterations() const;
};

// Iterations and their kernels.
Table iterations_all(const Input&);
Table iterations_profiled(const Input&);
Table iteration_kernels(const Input&);
Table iteration_op_kernels(const Input&);
Table iteration_ops(const Input&);
// Ops and kernels of the range.
Table op_nodes(const Input&);
Table op_type_summary(const Input&);
Table group_ops(const Input&);
Table kernel_summaries(const Input&);
// The same by kernel name, by launch configuration, by input shapes.
Table kernel_names(const Input&);
Table kernel_launches(const Input&);
Table op_shapes(const Input&);
// Collective operations of the range, by kind and one by one; of PyTorch traces.
Table collectives(const Input&);
Table collective_calls(const Input&);
// Memory of PyTorch's allocators: per device, by op, event by event, and at the peak of the range.
Table memory_devices(const Input&);
Table memory_events(const Input&);
Table memory_ops(const Input&);
Table memory_peak(const Input&);
Table memory_peak_groups(const Input&);
// Work, roofs and limits: by op, kernel, op and shape, or group; by class; peaks; tiles of GEMMs.
Table roofline(const Input&);
Table roofline_kernels(const Input&);
Table roofline_shapes(const Input&);
Table roofline_groups(const Input&);
Table flop_utilization(const Input&);
Table limiter_summary(const Input&);
Table peaks(const Input&);
Table gemm_tiles(const Input&);
// What follows from limits.
Table tc_headroom(const Input&);
Table advice(const Input&);
// Memory that CUDA allocated and freed, event by event.
Table memory_usage(const Input&);
// Sampled metrics of GPUs; CPU samples by function and by call stack. Of exports.
Table gpu_metrics(const Input&);
Table gpu_metric_names(const Input&);
Table gpu_metrics_by_kernel(const Input&);
Table gpu_metrics_by_op(const Input&);
Table gpu_metrics_by_iteration(const Input&);
Table cpu_flat(const Input&);
Table cpu_stacks(const Input&);
// Launches and metrics of the files of Nsight Compute.
Table ncu_launches(const Input&);
Table ncu_metrics(const Input&);
// Modules and operators of PyTorch traces.
Table modules(const Input&);
Table module_classes(const Input&);
Table torch_ops(const Input&);
Table torch_op_shapes(const Input&);
Table torch_op_stacks(const Input&);
Table torch_op_tree(const Input&);
// Python frames of the range, by name and as a tree.
Table stacks(const Input&);
Table stack_tree(const Input&);
// One row for the range, or one for each GPU.
Table domain_model_gpu_utilization(const Input&);
Table gpu_devices(const Input&);
Table kernel_summary(const Input&);
Table op_summary(const Input&);
Table performance_summary(const Input&);
Table resource_usage_breakdown(const Input&);
Table tc_kernels(const Input&);
Table tc_utilization(const Input&);
// The TensorBoard plugin's figures; for PyTorch traces.
Table torch_tb_overview(const Input&);
Table torch_tb_steps(const Input&);
// Facts about the file and the range.
Table aggregations(const Input&);
Table db_version(const Input&);
Table domains(const Input&);
Table expert_systems(const Input&);
Table gpu_names(const Input&);
Table key_op_name(const Input&);
Table system_config(const Input&);
// DLProf's and dlview's findings in the range.
Table finding_checks(const Input&);
Table finding_places(const Input&);
Table findings(const Input&);
// The longest stretches in which GPUs do nothing.
Table idle_gaps(const Input&);
// Exclusive time by part, op, kernel and idle cause, and what changes of it would gain.
Table exclusive_times(const Input&);
Table what_if(const Input&);

// Returns the index of the arguments, or one made for this table.
std::shared_ptr<const aggregate::LimitIndex> limit_index(const Input& input);

// The stored aggregation with the range and the iterations at hand; else, and under filters or the
// present rules for Tensor Cores, not recorded.
Cell aggregation_id(const profile::Profile& profile, const aggregate::Aggregation& aggregation);
// aggr_id
Column aggregation_id_column(const Input& input);
Column domain_column(const Input& input);
// An empty table with both.
Table table_of_domain(const Input& input, std::size_t rows);

// A column of the only row of a table.
Column constant(ColumnId id, Cell value);

// Each node of a tree, then those below it, siblings in the order of their numbers. A parent is an
// earlier node, or kNoRow.
std::vector<profile::Row> depth_first(const std::vector<profile::Row>& parents);

std::string dim_text(const profile::Dim3& dim);  // "8, 1, 1"

// Texts of an op.
enum class OpText { name, id, direction, type, data_type, stack_trace };
Column op_column(const Input& input, OpText text,
                 std::function<profile::OpIndex(std::size_t row)> op);
// tc_eligible of an op; not recorded where an export does not tell.
Column eligibility_column(const Input& input, std::function<profile::OpIndex(std::size_t row)> op);

}  // namespace dlview::report::view
