#include <string>
#include <vector>

#include "aggregate/recorded.h"
#include "aggregate/tensor_core_uses.h"
#include "report/not_recorded.h"
#include "report/views/declarations.h"

namespace dlview::report::view {
namespace {

using aggregate::Aggregation;
using aggregate::Category;
using aggregate::CategorySummary;

// GPU time and count of a class of ops or kernels.
void append_class(std::vector<Column>& columns, ColumnId gpu_time, ColumnId count,
                  const CategorySummary& summary) {
  columns.push_back(constant(gpu_time, summary.gpu_ns));
  columns.push_back(constant(count, summary.count));
}

// An export does not know of all ops whether they could use Tensor Cores, nor of all kernels
// whether they do.
void append_efficiency(std::vector<Column>& columns, const Input& input) {
  const profile::Profile& profile = input.profile;
  const Aggregation& aggregation = input.aggregation;
  const aggregate::KnownEfficiency known = aggregate::known_efficiency(
      profile, aggregation, aggregate::unknown_eligible_ns(profile, aggregation));
  const bool is_known = known.is_known(aggregate::tells_eligibility(profile, aggregation));
  columns.push_back(constant("tc_utilization", is_known ? Cell(known.percent()) : Cell()));
  if (!profile.trace) return;
  columns.push_back(constant("tc_utilization_known", known.known_percent()));
}

}  // namespace

Table domain_model_gpu_utilization(const Input& input) {
  Table table = table_of_domain(input, 1);
  table.columns.push_back(constant("gpu_utilization", input.aggregation.gpu_utilization()));
  return table;
}

Table tc_utilization(const Input& input) {
  Table table = table_of_domain(input, 1);
  append_efficiency(table.columns, input);
  return table;
}

Table gpu_devices(const Input& input) {
  const Aggregation& aggregation = input.aggregation;
  std::vector<const aggregate::DeviceAggregate*> kept;
  for (const aggregate::DeviceAggregate& gpu : aggregation.devices) {
    if (gpu.is_kept) kept.push_back(&gpu);
  }
  const auto device = [&input_profile = input.profile,
                       kept](std::size_t row) -> const profile::Device& {
    return input_profile.devices[kept[row]->device];
  };
  Table table = table_of_domain(input, kept.size());
  auto& columns = table.columns;
  // An export may tell of a GPU no more than that it was used; a database has 0 then.
  const bool is_export = input.profile.trace.has_value();
  const auto number = [&](ColumnId id, auto member) {
    columns.push_back(column(id, [device, member, is_export](std::size_t row) -> Cell {
      const profile::Device& gpu = device(row);
      if (is_export && gpu.compute_capability_major == 0 && gpu.*member == 0) return {};
      return static_cast<int64_t>(gpu.*member);
    }));
  };
  columns.push_back(
      column("device_id", [device](std::size_t row) { return device(row).device_id; }));
  columns.push_back(column("gpu_name", [device, is_export](std::size_t row) -> Cell {
    const std::string_view name = device(row).name;
    return is_export && name.empty() ? Cell() : Cell(name);
  }));
  number("cuda_major", &profile::Device::compute_capability_major);
  number("cuda_minor", &profile::Device::compute_capability_minor);
  number("sm_count", &profile::Device::sm_count);
  columns.push_back(column("device_gpu_utilization", [&aggregation, kept](std::size_t row) {
    return aggregation.device_utilization(*kept[row]);
  }));
  return table;
}

// DLProf counts memory operations among all kernels.
Table kernel_summary(const Input& input) {
  const Aggregation& aggregation = input.aggregation;
  CategorySummary total = aggregation.all_kernels;
  total.gpu_ns += aggregation.memory.gpu_ns;
  total.count += aggregation.memory.count;
  Table table = table_of_domain(input, 1);
  auto& columns = table.columns;
  append_class(columns, "kernel_summary.total_gpu_time", "kernel_summary.total_count", total);
  append_class(columns, "using_tc_gpu_time", "using_tc_count", aggregation.tensor_core_kernels);
  append_class(columns, "memory_gpu_time", "memory_count", aggregation.memory);
  append_class(columns, "other_gpu_time", "other_count", aggregation.other_kernels);
  return table;
}

Table op_summary(const Input& input) {
  const Aggregation& aggregation = input.aggregation;
  Table table = table_of_domain(input, 1);
  auto& columns = table.columns;
  append_class(columns, "nodes_total_gpu_time", "nodes_total_count", aggregation.all_ops);
  append_class(columns, "nodes_using_tc_gpu_time", "nodes_using_tc_count",
               aggregation.tensor_core_ops);
  append_class(columns, "nodes_tc_eligible_gpu_time", "nodes_tc_eligible_count",
               aggregation.eligible_ops);
  append_class(columns, "nodes_other_gpu_time", "nodes_other_count", aggregation.other_ops);
  return table;
}

Table performance_summary(const Input& input) {
  const Aggregation& aggregation = input.aggregation;
  const aggregate::IterationRange& range = aggregation.selection.range;
  const auto& iterations = aggregation.iteration_table->iterations.rows;
  Table table = table_of_domain(input, 1);
  auto& columns = table.columns;
  columns.push_back(constant("wall_clock_time", aggregation.wall_ns));
  append_efficiency(columns, input);
  columns.push_back(constant("gpu_utilization", aggregation.gpu_utilization()));
  columns.push_back(constant("total_iterations", static_cast<int64_t>(iterations.size())));
  columns.push_back(constant("profiled_iterations", range.size()));
  columns.push_back(constant("iter_start", range.first));
  columns.push_back(constant("iter_stop", range.last));
  columns.push_back(column(
      "iter_avg", [&aggregation](std::size_t) { return aggregation.average_iteration_ns(); }));
  columns.push_back(column("key_node", [&aggregation](std::size_t) {
    return std::string_view(aggregation.selection.cut.key_op);
  }));
  return table;
}

Table resource_usage_breakdown(const Input& input) {
  const Aggregation& aggregation = input.aggregation;
  Table table = table_of_domain(input, 1);
  const auto share = [&](ColumnId id, Category category) {
    table.columns.push_back(constant(id, aggregation.share(category)));
  };
  share("tc_duration_pct", Category::tensor_core_kernels);
  share("non_tc_duration_pct", Category::other_kernels);
  share("memory_duration_pct", Category::memory);
  share("dataloader_duration_pct", Category::data_loader);
  table.columns.push_back(column("io_duration_pct", [&aggregation](std::size_t) {
    return aggregation.io_recorded ? Cell(aggregation.share(Category::io)) : Cell();
  }));
  table.columns.back().csv_for_missing = csv_for_missing(input.profile, 0.0);
  share("cpu_duration_pct", Category::cpu);
  share("other_duration_pct", Category::other);
  return table;
}

}  // namespace dlview::report::view
