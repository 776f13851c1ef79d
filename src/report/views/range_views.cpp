#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "aggregate/kernels_by_name.h"
#include "aggregate/range_sums.h"
#include "profile/launch_sizes.h"
#include "report/views/declarations.h"
#include "report/views/time_shares.h"

namespace dlview::report::view {
namespace {

using aggregate::LaunchConfiguration;
using aggregate::LaunchMeans;
using aggregate::NamedKernels;
using aggregate::OpShapes;

// What the input counts, and its filter.
struct Counted {
  explicit Counted(const Input& input) {
    const auto& filters = input.aggregation.selection.filters;
    if (!filters.empty()) filter.emplace(input.profile, filters);
    const auto& iterations = input.aggregation.iteration_table->iterations.rows;
    const aggregate::IterationRange range = input.iterations();
    rows.first = iterations[static_cast<std::size_t>(range.first)].first_instance;
    rows.last = iterations[static_cast<std::size_t>(range.last)].last_instance;
    if (!input.arguments.ops.empty()) rows.ops.resize(input.profile.ops.size());
    for (const profile::OpIndex op : input.arguments.ops) rows.ops[op] = true;
    if (filter) rows.filter = &*filter;
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  std::optional<aggregate::RowFilter> filter;
  aggregate::CountedRows rows;
};

// Launches, and the statistics of their GPU times. `row(i)` returns what row i sums up. 100% is the
// time of all kernels.
template <typename RowOf>
void append_gpu_times(const Input& input, std::vector<Column>& columns, ColumnId sum,
                      const RowOf& row) {
  const auto gpu_time = [row](std::size_t i) -> Cell { return row(i).gpu.sum; };
  columns.push_back(column("calls", [row](std::size_t i) { return row(i).gpu.count; }));
  columns.push_back(column(sum, gpu_time));
  append_time_shares(columns, gpu_time, total_kernel_time(input.aggregation, {}),
                     input.aggregation);
  columns.push_back(column("avg", [row](std::size_t i) { return row(i).gpu.average(); }));
  columns.push_back(column("min", [row](std::size_t i) { return row(i).gpu.min; }));
  columns.push_back(column("max", [row](std::size_t i) { return row(i).gpu.max; }));
}

// Weighted by GPU time; empty cells where not recorded. `means(i)` returns those of row i.
template <typename MeansOf>
void append_launch_means(std::vector<Column>& columns, const MeansOf& means) {
  columns.push_back(column("blocks_per_sm", [means](std::size_t i) {
    const std::optional<double> mean = means(i).blocks_per_sm.mean();
    return mean ? Cell(*mean / 1e6) : Cell();
  }));
  columns.push_back(column("occupancy", [means](std::size_t i) {
    const std::optional<double> mean = means(i).occupancy.mean();
    return mean ? Cell(*mean) : Cell();
  }));
}

Cell cell_of(const std::optional<int64_t>& number) {
  return number ? Cell(*number) : Cell();
}

std::string size_text(const std::optional<LaunchConfiguration::Size>& size) {
  if (!size) return "";
  return fmt::format("<<<({}), ({})>>>", dim_text(size->grid), dim_text(size->block));
}

// "<<<(8, 1, 1), (256, 1, 1)>>> 32 registers 1024 B": what tells rows of one name apart.
std::string resources_text(const LaunchConfiguration& row) {
  std::string text = size_text(row.size);
  if (row.registers_per_thread) text += fmt::format(" {} registers", *row.registers_per_thread);
  if (row.shared_bytes) text += fmt::format(" {} B", *row.shared_bytes);
  return text;
}

}  // namespace

std::string dim_text(const profile::Dim3& dim) {
  return fmt::format("{}, {}, {}", dim.x, dim.y, dim.z);
}

Table kernel_names(const Input& input) {
  const profile::Profile& profile = input.profile;
  const auto rows = std::make_shared<const std::vector<NamedKernels>>(
      aggregate::kernels_by_name(input.aggregation));
  const auto row = [rows](std::size_t i) -> const NamedKernels& { return (*rows)[i]; };
  Table table;
  table.row_count = rows->size();
  auto& columns = table.columns;
  columns.push_back(
      column("kernel_name", [&profile, row](std::size_t i) { return profile.text(row(i).name); }));
  columns.push_back(column("uses_tc", [row](std::size_t i) { return row(i).uses_tensor_cores; }));
  append_gpu_times(input, columns, "kernel_names.gpu_time", row);
  columns.push_back(
      column("kernel_names.op_count", [row](std::size_t i) { return row(i).op_count; }));
  const auto means = std::make_shared<const std::unordered_map<profile::StringId, LaunchMeans>>(
      aggregate::launch_means_by_name(profile, Counted(input).rows));
  append_launch_means(columns, [means, row](std::size_t i) {
    const auto found = means->find(row(i).name);
    return found == means->end() ? LaunchMeans() : found->second;
  });
  return table;
}

Table kernel_launches(const Input& input) {
  const profile::Profile& profile = input.profile;
  const Counted counted(input);
  const auto rows = std::make_shared<const std::vector<LaunchConfiguration>>(
      aggregate::launch_configurations(profile, counted.rows));
  const auto row = [rows](std::size_t i) -> const LaunchConfiguration& { return (*rows)[i]; };
  const auto dim = [row](profile::Dim3 LaunchConfiguration::Size::*which) {
    return [row, which](std::size_t i) {
      return row(i).size ? Cell(dim_text((*row(i).size).*which)) : Cell();
    };
  };
  Table table;
  table.row_count = rows->size();
  auto& columns = table.columns;
  columns.push_back(
      column("kernel_name", [&profile, row](std::size_t i) { return profile.text(row(i).name); }));
  columns.push_back(column("grid", dim(&LaunchConfiguration::Size::grid)));
  columns.push_back(column("block", dim(&LaunchConfiguration::Size::block)));
  columns.push_back(column("uses_tc", [row](std::size_t i) { return row(i).uses_tensor_cores; }));
  append_gpu_times(input, columns, "kernel_launches.gpu_time", row);
  columns.push_back(
      column("registers", [row](std::size_t i) { return cell_of(row(i).registers_per_thread); }));
  columns.push_back(
      column("shared_memory", [row](std::size_t i) { return cell_of(row(i).shared_bytes); }));
  append_launch_means(columns, [row](std::size_t i) { return row(i).means; });
  columns.push_back(column("launch", [&profile, row](std::size_t i) {
    return std::string(profile.text(row(i).name)) + resources_text(row(i));
  }));
  return table;
}

Table op_shapes(const Input& input) {
  const profile::Profile& profile = input.profile;
  const Counted counted(input);
  const auto rows = std::make_shared<const std::vector<OpShapes>>(
      aggregate::ops_by_shapes(profile, counted.rows));
  const auto row = [rows](std::size_t i) -> const OpShapes& { return (*rows)[i]; };
  const auto op = [row](std::size_t i) { return row(i).op; };
  const auto shapes = [&profile, row](std::size_t i) {
    const std::string_view text = aggregate::shapes_text(profile, row(i).input_shapes);
    return text.empty() ? Cell() : Cell(text);
  };
  const auto times = [row](std::size_t i) -> const aggregate::TimeStats& { return row(i).times; };
  Table table;
  table.row_count = rows->size();
  auto& columns = table.columns;
  columns.push_back(op_column(input, OpText::name, op));
  columns.push_back(op_column(input, OpText::direction, op));
  columns.push_back(op_column(input, OpText::type, op));
  columns.push_back(column("input_shapes", shapes));
  columns.push_back(column("num_calls", [times](std::size_t i) { return times(i).count(); }));
  const auto gpu_time = [times](std::size_t i) -> Cell { return times(i).gpu.sum; };
  columns.push_back(column("gpu_time_sum", gpu_time));
  append_time_shares(columns, gpu_time, total_op_time(input.aggregation), input.aggregation);
  columns.push_back(
      column("gpu_time_avg", [times](std::size_t i) { return times(i).gpu.average(); }));
  columns.push_back(column("gpu_time_min", [times](std::size_t i) { return times(i).gpu.min; }));
  columns.push_back(column("gpu_time_max", [times](std::size_t i) { return times(i).gpu.max; }));
  columns.push_back(column("cpu_time_sum", [times](std::size_t i) { return times(i).cpu.sum; }));
  columns.push_back(column("kernel_calls", [row](std::size_t i) { return row(i).kernel_count; }));
  columns.push_back(eligibility_column(input, op));
  columns.push_back(
      column("using_tc", [row](std::size_t i) { return row(i).tensor_core_kernels > 0; }));
  columns.push_back(op_column(input, OpText::id, op));
  columns.push_back(column("op_call", [&profile, op, shapes](std::size_t i) {
    return fmt::format("{} {}", profile.text(profile.ops.id[op(i)]), to_text(shapes(i)));
  }));
  return table;
}

}  // namespace dlview::report::view
