#include <string>
#include <vector>

#include "aggregate/recorded.h"
#include "report/not_recorded.h"
#include "report/views/declarations.h"

namespace dlview::report::view {
namespace {

using aggregate::Aggregation;
using aggregate::Category;
using aggregate::CategorySummary;
using aggregate::Unit;

// GPU time and count of a class of ops or kernels.
void append_class(std::vector<Column>& columns, const std::string& id, const std::string& title,
                  const std::string& counted, const CategorySummary& summary) {
  columns.push_back(constant_time(id + "_gpu_time", title + " GPU Time", summary.gpu_ns));
  columns.push_back(constant_count(id + "_count", title + " " + counted, summary.count));
}

Column constant_iteration(std::string_view id, std::string_view title, int64_t number) {
  Column column = ascending(constant_count(id, title, number));
  column.unit = Unit::none;
  return column;
}

// An export does not tell of all ops whether they could use Tensor Cores.
void append_efficiency(std::vector<Column>& columns, const Input& input) {
  columns.push_back(constant_percent("tc_utilization", "Tensor Core Efficiency",
                                     input.aggregation.tensor_core_efficiency()));
  if (!input.profile.trace) return;
  columns.push_back(
      constant_percent("tc_utilization_known", "Known Part of Kernel Time",
                       aggregate::told_kernel_percent(input.profile, input.aggregation)));
}

}  // namespace

Table domain_model_gpu_utilization(const Input& input) {
  Table table = table_of_domain(input, 1);
  table.columns.push_back(
      constant_percent("gpu_utilization", "GPU Utilization", input.aggregation.gpu_utilization()));
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
  const auto number = [&](const char* id, const char* title, Unit unit, auto member) {
    columns.push_back(
        integer_column(id, title, unit, [device, member, is_export](std::size_t row) -> Cell {
          const profile::Device& gpu = device(row);
          if (is_export && gpu.compute_capability_major == 0 && gpu.*member == 0) return {};
          return static_cast<int64_t>(gpu.*member);
        }));
  };
  columns.push_back(
      ascending(integer_column("device_id", "GPU", Unit::none,
                               [device](std::size_t row) { return device(row).device_id; })));
  columns.push_back(text_column("gpu_name", "Name", [device, is_export](std::size_t row) -> Cell {
    const std::string_view name = device(row).name;
    return is_export && name.empty() ? Cell() : Cell(name);
  }));
  number("cuda_major", "Compute Capability, Major", Unit::none,
         &profile::Device::compute_capability_major);
  number("cuda_minor", "Compute Capability, Minor", Unit::none,
         &profile::Device::compute_capability_minor);
  number("sm_count", "SMs", Unit::count, &profile::Device::sm_count);
  columns.push_back(real_column("device_gpu_utilization", "GPU Utilization", Unit::percent,
                                [&aggregation, kept](std::size_t row) {
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
  const auto append = [&table](const char* id, const char* title, const CategorySummary& summary) {
    append_class(table.columns, id, title, "Names", summary);
  };
  append("total", "All Kernels", total);
  append("using_tc", "Kernels Using TC", aggregation.tensor_core_kernels);
  append("memory", "Memory", aggregation.memory);
  append("other", "Other Kernels", aggregation.other_kernels);
  return table;
}

Table op_summary(const Input& input) {
  const Aggregation& aggregation = input.aggregation;
  Table table = table_of_domain(input, 1);
  const auto append = [&table](const char* id, const char* title, const CategorySummary& summary) {
    append_class(table.columns, id, title, "Count", summary);
  };
  append("nodes_total", "All Ops", aggregation.all_ops);
  append("nodes_using_tc", "Ops Using TC", aggregation.tensor_core_ops);
  append("nodes_tc_eligible", "Eligible Ops Not Using TC", aggregation.eligible_ops);
  append("nodes_other", "Other Ops", aggregation.other_ops);
  return table;
}

Table performance_summary(const Input& input) {
  const Aggregation& aggregation = input.aggregation;
  const aggregate::IterationRange& range = aggregation.selection.range;
  const auto& iterations = aggregation.iteration_table->iterations.rows;
  Table table = table_of_domain(input, 1);
  auto& columns = table.columns;
  columns.push_back(constant_time("wall_clock_time", "Wall Clock Time", aggregation.wall_ns));
  append_efficiency(columns, input);
  columns.push_back(
      constant_percent("gpu_utilization", "GPU Utilization", aggregation.gpu_utilization()));
  columns.push_back(constant_count("total_iterations", "Total Iterations",
                                   static_cast<int64_t>(iterations.size())));
  columns.push_back(constant_count("profiled_iterations", "Profiled Iterations", range.size()));
  columns.push_back(constant_iteration("iter_start", "Start Iteration", range.first));
  columns.push_back(constant_iteration("iter_stop", "Stop Iteration", range.last));
  columns.push_back(
      real_column("iter_avg", "Average Iteration Time", Unit::ns,
                  [&aggregation](std::size_t) { return aggregation.average_iteration_ns(); }));
  columns.push_back(text_column("key_node", "Key Op", [&aggregation](std::size_t) {
    return std::string_view(aggregation.selection.cut.key_op);
  }));
  return table;
}

Table resource_usage_breakdown(const Input& input) {
  const Aggregation& aggregation = input.aggregation;
  Table table = table_of_domain(input, 1);
  const auto share = [&](const char* id, const char* title, Category category) {
    table.columns.push_back(constant_percent(id, title, aggregation.share(category)));
  };
  share("tc_duration_pct", "TC Kernels", Category::tensor_core_kernels);
  share("non_tc_duration_pct", "Other Kernels", Category::other_kernels);
  share("memory_duration_pct", "Memory", Category::memory);
  share("dataloader_duration_pct", "Data Loader", Category::data_loader);
  table.columns.push_back(
      real_column("io_duration_pct", "I/O", Unit::percent, [&aggregation](std::size_t) {
        return aggregation.io_recorded ? Cell(aggregation.share(Category::io)) : Cell();
      }));
  table.columns.back().csv_for_missing = csv_for_missing(input.profile, 0.0);
  share("cpu_duration_pct", "CPU", Category::cpu);
  share("other_duration_pct", "Other", Category::other);
  return table;
}

}  // namespace dlview::report::view
