#include "report/views/views.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join

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
    Declaration{{"aggregations", "Stored Aggregations",
                 "A row for each aggregation that the file holds", false, false},
                view::aggregations},
    Declaration{{"db_version", "Database Version",
                 "The version of the file, now and when it was made", false, false},
                view::db_version},
    Declaration{{"domain_model_gpu_utilization", "GPU Utilization",
                 "The share of the range in which kernels ran, mean over all GPUs", false, false},
                view::domain_model_gpu_utilization},
    Declaration{{"domains", "Domains", "The domain of the profile", false, false}, view::domains},
    Declaration{{"expert_systems", "Expert Advice", "A row for each problem found in the range",
                 false, false},
                view::expert_systems},
    Declaration{
        {"finding_checks", "Checks for Findings",
         "A row for each detector: what it measured, and its threshold", false, false, false},
        view::finding_checks},
    Declaration{{"finding_places", "Places of Findings",
                 "A row for each call, gap or GPU activity behind a finding, worst first", false,
                 false, false},
                view::finding_places},
    Declaration{{"findings", "Findings",
                 "A row for each finding: the advice, and what dlview finds beyond it", false,
                 false, false},
                view::findings},
    Declaration{{"gpu_devices", "GPUs",
                 "A row for each kept GPU, with its utilization in the range", false, false},
                view::gpu_devices},
    Declaration{{"gpu_names", "GPU Names", "A row for each GPU", false, false}, view::gpu_names},
    Declaration{{"group_ops", "Group Ops", "A row for each group of ops and each op, groups first",
                 false, false},
                view::group_ops},
    Declaration{
        {"idle_gaps", "Idle Gaps",
         "A row for each of the 1,000 longest idle gaps of the GPUs, with what the host did "
         "meanwhile",
         false, false, false},
        view::idle_gaps},
    Declaration{{"iteration_kernels", "Kernels by Iteration", "A row for each kernel of the range",
                 true, true},
                view::iteration_kernels},
    Declaration{{"iteration_op_kernels", "Kernels of Ops by Iteration",
                 "A row for each kernel of the range, with the id of its op", true, true},
                view::iteration_op_kernels},
    Declaration{{"iteration_ops", "Ops by Iteration",
                 "A row for each op with kernels in an iteration of the range", true, true},
                view::iteration_ops},
    Declaration{{"iterations_all", "All Iterations",
                 "A row for each iteration, in the range or not", true, false},
                view::iterations_all},
    Declaration{
        {"iterations_profiled", "Iterations", "A row for each iteration of the range", true, false},
        view::iterations_profiled},
    Declaration{{"kernel_launches", "Kernels by Launch Configuration",
                 "A row for each kernel name, grid and block of the range", false, false, false},
                view::kernel_launches},
    Declaration{{"kernel_names", "Kernels by Name", "A row for each kernel name of the range",
                 false, false, false},
                view::kernel_names},
    Declaration{{"kernel_summaries", "Kernels by Op",
                 "A row for each op and kernel name of the range", false, true},
                view::kernel_summaries},
    Declaration{{"kernel_summary", "Kernel Summary",
                 "Kernel times of the range, added up; distinct names are counted", false, false},
                view::kernel_summary},
    Declaration{{"key_op_name", "Key Op", "The op that cuts the run into iterations", false, false},
                view::key_op_name},
    Declaration{{"op_nodes", "Ops", "A row for each op of the range", false, true}, view::op_nodes},
    Declaration{{"op_shapes", "Ops by Input Shape",
                 "A row for each op of the range and each of its input shapes", false, true, false},
                view::op_shapes},
    Declaration{
        {"op_summary", "Op Summary", "Ops of the range by their use of Tensor Cores", false, false},
        view::op_summary},
    Declaration{
        {"op_type_summary", "Op Types", "A row for each type of op in the range", false, false},
        view::op_type_summary},
    Declaration{
        {"performance_summary", "Performance Summary", "The range in figures", false, false},
        view::performance_summary},
    Declaration{
        {"resource_usage_breakdown", "Resource Usage",
         "Shares of the range, each instant counted once, mean over all GPUs", false, false},
        view::resource_usage_breakdown},
    Declaration{{"system_config", "System Configuration",
                 "The machine and the versions of the software", false, false},
                view::system_config},
    Declaration{
        {"tc_kernels", "Tensor Core Kernels",
         "A row for each kernel name of the range: whether it counts as using Tensor Cores, "
         "and what the present rules say of it",
         false, false, false},
        view::tc_kernels},
    Declaration{{"tc_utilization", "Tensor Core Efficiency",
                 "The share of Tensor Core kernels in the kernel time of ops that could use them",
                 false, false},
                view::tc_utilization},
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

base::Status check(const ViewInfo& view, const aggregate::Aggregation& aggregation,
                   const ViewArguments& arguments) {
  if (!arguments.ops.empty() && !view.has_ops) return cannot_narrow(view, "an op");
  if (!arguments.iteration) return base::Success{};
  if (!view.has_iterations) return cannot_narrow(view, "an iteration");
  const aggregate::IterationRange range = covered(view, aggregation);
  if (*arguments.iteration >= range.first && *arguments.iteration <= range.last) {
    return base::Success{};
  }
  return base::Error{"The table does not cover this iteration",
                     fmt::format("Iteration {} was asked for, {} covers {}:{}",
                                 *arguments.iteration, view.name, range.first, range.last),
                     "Choose one of these, or another range with --iterations"};
}

}  // namespace

std::span<const ViewInfo> views() {
  return kViews;
}

bool tells_the_same(const profile::Profile& profile, const aggregate::Aggregation& one,
                    const aggregate::Aggregation& other, const ViewArguments& arguments) {
  if (!arguments.iteration || one.iteration_table != other.iteration_table) return false;
  const auto is_in = [&arguments](const aggregate::IterationRange& range) {
    return *arguments.iteration >= range.first && *arguments.iteration <= range.last;
  };
  return is_in(one.selection.range) && is_in(other.selection.range) &&
         one.selection.filters == other.selection.filters && one.io_recorded == other.io_recorded &&
         view::aggregation_id(profile, one) == view::aggregation_id(profile, other);
}

base::Result<Table> make_view(std::string_view name, const profile::Profile& profile,
                              const aggregate::Aggregation& aggregation,
                              const ViewArguments& arguments) {
  const auto view = find_view(name);
  if (!view) return view.error();
  const ViewInfo& info = (*view)->info;
  DLVIEW_TRY(check(info, aggregation, arguments));
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
