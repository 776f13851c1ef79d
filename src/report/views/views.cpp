#include "report/views/views.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join

#include "profile/recorded.h"
#include "profile/tensor_core_rules.h"
#include "report/names.h"
#include "report/not_recorded.h"
#include "report/views/declarations.h"

namespace dlview::report {
namespace {

struct Declaration {
  ViewInfo info;
  Table (*make)(const view::Input&);
};

// In order of name.
constexpr std::array kDeclarations{
    Declaration{{"advice", "Advice on limits",
                 "One row per op and piece of advice: what follows from its limit", false, false,
                 false, ViewNeeds::limits},
                view::advice},
    Declaration{{"aggregations", "Stored aggregations",
                 "One row per aggregation stored in the file", false, false},
                view::aggregations},
    Declaration{
        {"collective_calls", "Collective calls", "One row per collective operation of the range",
         false, false, false, ViewNeeds::pytorch_trace},
        view::collective_calls},
    Declaration{{"collectives", "Collectives",
                 "One row per collective, data type, process group and message size of the range",
                 false, false, false, ViewNeeds::pytorch_trace},
                view::collectives},
    Declaration{{"cpu_flat", "CPU samples by function",
                 "One row per thread and function of the CPU samples in the range", false, false,
                 false, ViewNeeds::nsys_export},
                view::cpu_flat},
    Declaration{{"cpu_stacks", "CPU samples by call stack",
                 "One row per thread and call stack of the CPU samples in the range", false, false,
                 false, ViewNeeds::nsys_export},
                view::cpu_stacks},
    Declaration{{"db_version", "Database version", "Database version, current and as first written",
                 false, false},
                view::db_version},
    Declaration{{"domain_model_gpu_utilization", "GPU utilization",
                 "Share of the range in which kernels ran, mean over all GPUs", false, false},
                view::domain_model_gpu_utilization},
    Declaration{{"domains", "Domains", "DLProf's domain, always default-domain", false, false},
                view::domains},
    Declaration{{"exclusive_times", "Exclusive times",
                 "One row per GPU, part, op and kernel (or idle cause), whatever the filters",
                 false, false, false},
                view::exclusive_times},
    Declaration{{"expert_systems", "DLProf findings",
                 "One row per problem that DLProf's rules find in the range", false, false},
                view::expert_systems},
    Declaration{
        {"finding_checks", "Finding checks", "One row per detector: its measurement and threshold",
         false, false, false, ViewNeeds::limits},
        view::finding_checks},
    Declaration{{"finding_places", "Finding places",
                 "One row per API call, idle gap or GPU activity of a finding, worst first", false,
                 false, false, ViewNeeds::limits},
                view::finding_places},
    Declaration{{"findings", "Findings", "One row per finding: DLProf's and dlview's own", false,
                 false, false, ViewNeeds::limits},
                view::findings},
    Declaration{{"flop_utilization", "MFU and HFU",
                 "FLOP of the range as a share of what its GPUs could do in its time", false, false,
                 false, ViewNeeds::limits},
                view::flop_utilization},
    Declaration{{"gemm_tiles", "Tiles of GEMMs",
                 "One row per GEMM or convolution with one kernel: its tiles and waves", false,
                 false, false, ViewNeeds::limits},
                view::gemm_tiles},
    Declaration{{"gpu_devices", "GPUs",
                 "One row per GPU that matches the filters, with its utilization in the range",
                 false, false},
                view::gpu_devices},
    Declaration{{"gpu_metric_names", "GPU metrics by name",
                 "One row per GPU and metric, with its values in the range", false, false, false,
                 ViewNeeds::nsys_export},
                view::gpu_metric_names},
    Declaration{{"gpu_metrics", "GPU metrics", "One row per sample of a GPU metric in the range",
                 false, false, false, ViewNeeds::nsys_export},
                view::gpu_metrics},
    Declaration{{"gpu_metrics_by_iteration", "GPU metrics by iteration",
                 "One row per iteration of the range and GPU: means over samples", false, false,
                 false, ViewNeeds::nsys_export},
                view::gpu_metrics_by_iteration},
    Declaration{{"gpu_metrics_by_kernel", "GPU metrics by kernel",
                 "One row per kernel name of the range: means over samples while it runs alone",
                 false, false, false, ViewNeeds::nsys_export},
                view::gpu_metrics_by_kernel},
    Declaration{{"gpu_metrics_by_op", "GPU metrics by op",
                 "One row per op of the range: means over samples while only its kernels run",
                 false, false, false, ViewNeeds::nsys_export},
                view::gpu_metrics_by_op},
    Declaration{{"gpu_names", "GPU names", "One row per GPU", false, false}, view::gpu_names},
    Declaration{{"group_ops", "Groups and ops", "One row per group of ops and per op, groups first",
                 false, false},
                view::group_ops},
    Declaration{
        {"idle_gaps", "Idle gaps",
         "One row per idle gap (the 1,000 longest), with the host activity", false, false, false},
        view::idle_gaps},
    Declaration{{"iteration_kernels", "Kernels by iteration", "One row per kernel of the range",
                 true, true},
                view::iteration_kernels},
    Declaration{{"iteration_op_kernels", "Kernels by op and iteration",
                 "One row per kernel of the range, with the id of its op", true, true},
                view::iteration_op_kernels},
    Declaration{{"iteration_ops", "Ops by iteration",
                 "One row per iteration of the range and op with kernels", true, true},
                view::iteration_ops},
    Declaration{
        {"iterations_all", "All iterations", "One row per iteration of the run", true, false},
        view::iterations_all},
    Declaration{
        {"iterations_profiled", "Iterations", "One row per iteration of the range", true, false},
        view::iterations_profiled},
    Declaration{{"kernel_launches", "Kernels by launch configuration",
                 "One row per kernel name, grid, block, registers and shared memory of the range",
                 false, false, false},
                view::kernel_launches},
    Declaration{{"kernel_names", "Kernels by name", "One row per kernel name of the range", false,
                 false, false},
                view::kernel_names},
    Declaration{{"kernel_summaries", "Kernels by op and name",
                 "One row per op and kernel name of the range", false, true},
                view::kernel_summaries},
    Declaration{
        {"kernel_summary", "Kernel summary",
         "Kernel time in the range, summed, and the number of distinct kernel names", false, false},
        view::kernel_summary},
    Declaration{{"key_op_name", "Iteration marker", "Name of the iteration marker", false, false},
                view::key_op_name},
    Declaration{{"limiter_summary", "Summary of limits",
                 "One row per limit and origin: ops and their kernel time", false, false, false,
                 ViewNeeds::limits},
                view::limiter_summary},
    Declaration{{"memory_devices", "Memory of devices",
                 "One row per device with memory events, with its peaks in the range", false, false,
                 false, ViewNeeds::pytorch_trace},
                view::memory_devices},
    Declaration{{"memory_events", "Memory events", "One row per allocation and free in the range",
                 false, false, false, ViewNeeds::pytorch_trace},
                view::memory_events},
    Declaration{{"memory_ops", "Memory by op",
                 "One row per op and device: what it allocates and frees in the range", false,
                 false, false, ViewNeeds::pytorch_trace},
                view::memory_ops},
    Declaration{{"memory_peak", "Memory held at the peak, by op",
                 "One row per device and op whose blocks are alive at the peak of the range", false,
                 false, false, ViewNeeds::pytorch_trace},
                view::memory_peak},
    Declaration{{"memory_peak_groups", "Memory held at the peak, by module",
                 "One row per device and module whose blocks are alive at the peak of the range",
                 false, false, false, ViewNeeds::pytorch_trace},
                view::memory_peak_groups},
    Declaration{{"memory_usage", "CUDA memory events",
                 "One row per allocation and free of CUDA in the range", false, false, false,
                 ViewNeeds::nsys_export},
                view::memory_usage},
    Declaration{
        {"module_classes", "Module classes", "One row per class of nn.Module that ran in the range",
         false, false, false, ViewNeeds::pytorch_trace},
        view::module_classes},
    Declaration{
        {"modules", "Modules", "One row per nn.Module at its place in the model, parents first",
         false, false, false, ViewNeeds::pytorch_trace},
        view::modules},
    Declaration{{"ncu_launches", "Measured launches",
                 "One row per launch that Nsight Compute measured: throughputs, occupancy and rule",
                 false, false, false, ViewNeeds::limits},
                view::ncu_launches},
    Declaration{
        {"ncu_metrics", "Metrics of measured launches",
         "One row per launch and metric of Nsight Compute, in base units", false, false, false},
        view::ncu_metrics},
    Declaration{{"op_nodes", "Ops", "One row per op of the range", false, true}, view::op_nodes},
    Declaration{{"op_shapes", "Ops by input shape", "One row per op of the range and input shape",
                 false, true, false},
                view::op_shapes},
    Declaration{{"op_summary", "Op summary", "Ops of the range by Tensor Core use", false, false},
                view::op_summary},
    Declaration{{"op_type_summary", "Op types", "One row per op type in the range", false, false},
                view::op_type_summary},
    Declaration{
        {"peaks", "Peaks", "One row per GPU and number format: its peak rates and their source",
         false, false, false, ViewNeeds::limits},
        view::peaks},
    Declaration{
        {"performance_summary", "Performance summary", "Key figures of the range", false, false},
        view::performance_summary},
    Declaration{{"resource_usage_breakdown", "Resource usage",
                 "Exclusive shares of the range, mean over all GPUs", false, false},
                view::resource_usage_breakdown},
    Declaration{{"roofline", "Limits by op",
                 "One row per op of the range: work, rate, roof, limit and savings", false, false,
                 false, ViewNeeds::limits},
                view::roofline},
    Declaration{{"roofline_groups", "Limits by group",
                 "One row per group of ops of the range: work, rate, roof, limit and savings",
                 false, false, false, ViewNeeds::limits},
                view::roofline_groups},
    Declaration{{"roofline_kernels", "Limits by kernel",
                 "One row per kernel name of the range: work, rate, roof, limit and savings", false,
                 false, false, ViewNeeds::limits},
                view::roofline_kernels},
    Declaration{{"roofline_shapes", "Limits by op and shape",
                 "One row per op and input shape of the range: work, rate, roof, limit and savings",
                 false, false, false, ViewNeeds::limits},
                view::roofline_shapes},
    Declaration{{"stack_tree", "Python call stacks", "One row per Python call stack, callers first",
                 false, false, false, ViewNeeds::python_frames},
                view::stack_tree},
    Declaration{{"stacks", "Python functions", "One row per Python function of the range", false,
                 false, false, ViewNeeds::python_frames},
                view::stacks},
    Declaration{
        {"system_config", "System configuration", "Machine and software versions", false, false},
        view::system_config},
    Declaration{{"tc_headroom", "Tensor Core headroom",
                 "One row per op that runs without Tensor Cores: what it could gain at this "
                 "profile's best rate",
                 false, false, false, ViewNeeds::limits},
                view::tc_headroom},
    Declaration{
        {"tc_kernels", "Tensor Core kernels",
         "One row per kernel name of the range, with its Tensor Core use by the file and by "
         "dlview's rules",
         false, false, false},
        view::tc_kernels},
    Declaration{{"tc_utilization", "Tensor Core efficiency",
                 "Share of Tensor Core kernels in the kernel time of eligible ops", false, false},
                view::tc_utilization},
    Declaration{{"torch_op_shapes", "Operators by input shape",
                 "One row per op or annotation at any nesting level, and input shape", false, false,
                 false, ViewNeeds::pytorch_trace},
                view::torch_op_shapes},
    Declaration{{"torch_op_stacks", "Operators by call stack",
                 "One row per op or annotation at any nesting level, and Python call stack", false,
                 false, false, ViewNeeds::trace_and_frames},
                view::torch_op_stacks},
    Declaration{{"torch_op_tree", "Operator tree",
                 "One row per op or annotation and the ops around it, outer ops first", false,
                 false, false, ViewNeeds::pytorch_trace},
                view::torch_op_tree},
    Declaration{{"torch_ops", "Operators",
                 "One row per op or annotation of the range, at any nesting level", false, false,
                 false, ViewNeeds::pytorch_trace},
                view::torch_ops},
    Declaration{{"torch_tb_overview", "TensorBoard plugin's figures",
                 "One row per figure as PyTorch's TensorBoard plugin defines it, for the whole run",
                 false, false, false, ViewNeeds::pytorch_trace},
                view::torch_tb_overview},
    Declaration{{"torch_tb_steps", "TensorBoard plugin's steps",
                 "One row per step as PyTorch's TensorBoard plugin defines it", false, false, false,
                 ViewNeeds::pytorch_trace},
                view::torch_tb_steps},
    Declaration{
        {"what_if", "What if",
         "One row per change, alone: the new time of the mean iteration, between two bounds", false,
         false, false, ViewNeeds::limits},
        view::what_if},
};

constexpr auto kViews = [] {
  std::array<ViewInfo, kDeclarations.size()> infos{};
  for (std::size_t i = 0; i < infos.size(); ++i) infos[i] = kDeclarations[i].info;
  return infos;
}();

base::Result<const Declaration*> find_view(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Declaration& view : kDeclarations) {
    if (view.info.name == name) return &view;
    names.push_back(view.info.name);
  }
  return unknown_name("table", name, names);
}

// Iterations with a row in the table: all, or those of the range.
aggregate::IterationRange covered(const ViewInfo& view, const aggregate::Aggregation& aggregation) {
  if (view.name != "iterations_all") return aggregation.selection.range;
  return {0, static_cast<int64_t>(aggregation.iteration_table->iterations.rows.size()) - 1};
}

// Ids of columns that depend on which kernels use Tensor Cores have "tc" as a word.
bool tells_tensor_cores(const Table& table) {
  return std::ranges::any_of(table.columns, [](const Column& column) {
    const std::string id = "_" + column.id + "_";
    return id.find("_tc_") != std::string::npos;
  });
}

base::Error cannot_narrow(const ViewInfo& view, std::string_view what) {
  std::vector<std::string_view> others;
  for (const ViewInfo& other : kViews) {
    if (what == "an iteration" ? other.has_iterations : other.has_ops) others.push_back(other.name);
  }
  return {fmt::format("This table cannot be narrowed to {}", what),
          fmt::format("{}: {}", view.name, view.help),
          fmt::format("These can: {}", fmt::join(others, ", "))};
}

base::Status check(const ViewInfo& view, const profile::Profile& profile,
                   const aggregate::Aggregation& aggregation, const ViewArguments& arguments) {
  if (needs_pytorch_trace(view.needs) && !profile::is_pytorch_trace(profile)) {
    return base::Error{"This table is for PyTorch profiler traces only",
                       fmt::format("{}: {}", view.name, view.help),
                       "Open a trace of torch.profiler, or choose another table"};
  }
  if (view.needs == ViewNeeds::nsys_export && !profile::is_nsys_export(profile)) {
    return base::Error{"This table is for exports of Nsight Systems only",
                       fmt::format("{}: {}", view.name, view.help),
                       "Open an export of Nsight Systems, or choose another table"};
  }
  if (!arguments.ops.empty() && !view.has_ops) return cannot_narrow(view, "an op");
  if (!arguments.iteration) return base::Success{};
  if (!view.has_iterations) return cannot_narrow(view, "an iteration");
  const aggregate::IterationRange range = covered(view, aggregation);
  if (*arguments.iteration >= range.first && *arguments.iteration <= range.last) {
    return base::Success{};
  }
  return base::Error{"The table does not cover this iteration",
                     fmt::format("requested: {}; {} covers {}:{}", *arguments.iteration, view.name,
                                 range.first, range.last),
                     "Choose another iteration, or another range with --iterations"};
}

}  // namespace

std::span<const ViewInfo> views() {
  return kViews;
}

bool tells_the_same(const aggregate::Aggregation& one, const aggregate::Aggregation& other,
                    const ViewArguments& arguments) {
  if (!arguments.iteration || one.iteration_table != other.iteration_table) return false;
  const auto is_in = [&arguments](const aggregate::IterationRange& range) {
    return *arguments.iteration >= range.first && *arguments.iteration <= range.last;
  };
  return is_in(one.selection.range) && is_in(other.selection.range) &&
         one.selection.filters == other.selection.filters && one.io_recorded == other.io_recorded;
}

base::Result<Table> make_view(std::string_view name, const profile::Profile& profile,
                              const aggregate::Aggregation& aggregation,
                              const ViewArguments& arguments) {
  const auto view = find_view(name);
  if (!view) return view.error();
  const ViewInfo& info = (*view)->info;
  DLVIEW_TRY(check(info, profile, aggregation, arguments));
  Table table = (*view)->make({profile, aggregation, arguments});
  table.name = info.name;
  table.title = info.title;
  empty_what_was_not_recorded(table, profile, aggregation);
  if (profile.source.by_tensor_core_rules && tells_tensor_cores(table)) {
    table.tensor_core_rules = profile::kTensorCoreRulesVersion;
  }
  return table;
}

std::vector<profile::OpIndex> find_ops(const profile::Profile& profile,
                                       std::string_view id_or_name) {
  std::vector<profile::OpIndex> found;
  for (profile::OpIndex op{0}; op < profile.ops.size(); ++op) {
    if (profile.text(profile.ops.id[op]) == id_or_name ||
        profile.text(profile.ops.name[op]) == id_or_name) {
      found.push_back(op);
    }
  }
  return found;
}

}  // namespace dlview::report
