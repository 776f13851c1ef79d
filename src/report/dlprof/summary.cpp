#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "aggregate/recorded.h"
#include "aggregate/tensor_core_uses.h"
#include "profile/recorded.h"
#include "report/capture.h"
#include "report/dlprof/reports.h"
#include "report/not_recorded.h"

namespace dlview::report::dlprof {
namespace {

using aggregate::Aggregation;
using aggregate::Category;
using aggregate::CategorySummary;
using aggregate::Unit;
using profile::Profile;

// A section holds either single values or times with a count.
struct SummaryRow {
  std::string_view section;
  std::string_view name;
  Cell value, gpu_time, cpu_time, ops, kernels;
};
using Rows = std::vector<SummaryRow>;

// Each GPU's name, in order of the devices.
std::string device_names(const Profile& profile) {
  std::string text;
  for (const profile::Device& device : profile.devices) {
    if (!text.empty()) text += ", ";
    text += device.name;
  }
  return text;
}

void append_system(Rows& rows, const Profile& profile) {
  const auto add = [&rows](std::string_view name, std::string value) {
    rows.push_back({"System Config", name, std::move(value), {}, {}, {}, {}});
  };
  const profile::SystemFacts& system = profile.system;
  if (!system.profile_name.empty()) add("Profile Name", system.profile_name);
  add("GPU Count", gpu_count(profile));
  add("GPU Name(s)", device_names(profile));
  add("CPU Model", system.cpu_model);
  add("GPU Driver Version", system.driver_version);
  add("Framework", system.framework);
  add("CUDA Version", system.cuda_version);
  if (!system.cudnn_version.empty()) add("cuDNN Version", system.cudnn_version);
  add("NSys Version", system.nsys_version);
  add("DLProf Version", system.dlprof_version);
  add("DLProf Build", system.dlprof_build);
}

// What a DLProf database lacks it holds as 0.
bool tells_of_gpu_work(const Profile& profile) {
  return !profile.trace || profile::tells_of(profile, profile::Evidence::gpu_work);
}

void append_performance(Rows& rows, const Profile& profile, const Aggregation& aggregation) {
  const aggregate::RecordedCategories recorded(profile, aggregation);
  const bool has_gpu_work = tells_of_gpu_work(profile);
  const bool knows_eligible = aggregate::tells_eligibility(profile, aggregation);
  const auto add = [&rows](std::string_view name, const Cell& value) {
    rows.push_back({"Summary Report", name, value, {}, {}, {}, {}});
  };
  const auto share = [&](Category category) {
    return recorded.contains(category) ? Cell(aggregation.share(category)) : Cell();
  };
  add("Wall Clock Time (ns)", aggregation.wall_ns);
  const aggregate::KnownEfficiency known = aggregate::known_efficiency(
      profile, aggregation, aggregate::unknown_eligible_ns(profile, aggregation));
  const bool has_efficiency = has_gpu_work && known.is_known(knows_eligible);
  add("Tensor Core Kernel Utilization %", has_efficiency ? Cell(known.percent()) : Cell());
  if (profile.trace && has_efficiency) add("Known Part of Kernel Time %", known.known_percent());
  add("GPU Utilization %", has_gpu_work ? Cell(aggregation.gpu_utilization()) : Cell());
  add("Tensor Core Kernel Duration %", share(Category::tensor_core_kernels));
  add("Non-Tensor Core Kernel Duration %", share(Category::other_kernels));
  add("Memory Duration %", share(Category::memory));
  add("Dataloader Duration %", share(Category::data_loader));
  add("IO Duration %", share(Category::io));
  add("CPU Duration %", share(Category::cpu));
  add("Other Duration %", share(Category::other));
}

void append_iterations(Rows& rows, const Aggregation& aggregation) {
  const auto add = [&rows](std::string_view name, const Cell& value) {
    rows.push_back({"Iterations", name, value, {}, {}, {}, {}});
  };
  const auto& range = aggregation.selection.range;
  const std::size_t total = aggregation.iteration_table->iterations.rows.size();
  add("Total Iterations", static_cast<int64_t>(total));
  add("Aggregated Iterations", range.size());
  add("Start Iteration", range.first);
  add("Stop Iteration", range.last);
  add("Average Iteration Time (ns)", aggregation.average_iteration_ns());
  add("Iteration Time Standard Deviation", aggregation.iteration_standard_deviation_ns());
}

void append_ops(Rows& rows, const Profile& profile, const Aggregation& aggregation) {
  const bool has_gpu_work = tells_of_gpu_work(profile);
  const auto add = [&](std::string_view name, const CategorySummary& ops) {
    const Cell gpu_time = has_gpu_work ? Cell(ops.gpu_ns) : Cell();
    rows.push_back({"All Ops", name, {}, gpu_time, ops.cpu_ns, ops.count, {}});
  };
  add("All ops", aggregation.all_ops);
  add("Ops using TC", aggregation.tensor_core_ops);
  if (aggregate::tells_eligibility(profile, aggregation)) {
    add("Ops eligible for TC but not using", aggregation.eligible_ops);
  }
  add("All other ops", aggregation.other_ops);
}

// DLProf counts memory operations among "All kernels".
void append_kernels(Rows& rows, const Profile& profile, const Aggregation& aggregation) {
  if (!tells_of_gpu_work(profile)) return;
  const auto add = [&rows](std::string_view name, const CategorySummary& kernels) {
    rows.push_back({"All Kernels", name, {}, kernels.gpu_ns, kernels.cpu_ns, {}, kernels.count});
  };
  CategorySummary all = aggregation.all_kernels;
  all.gpu_ns += aggregation.memory.gpu_ns;
  all.cpu_ns += aggregation.memory.cpu_ns;
  all.count += aggregation.memory.count;
  add("All kernels", all);
  add("Kernels using TC", aggregation.tensor_core_kernels);
  add("Memory", aggregation.memory);
  add("All other kernels", aggregation.other_kernels);
}

}  // namespace

Table summary_report(const Profile& profile, const Aggregation& aggregation) {
  Rows collected;
  append_system(collected, profile);
  append_performance(collected, profile, aggregation);
  append_iterations(collected, aggregation);
  append_ops(collected, profile, aggregation);
  append_kernels(collected, profile, aggregation);
  const auto rows = std::make_shared<const Rows>(std::move(collected));

  Table table{"summary", "Summary Report", Layout::sections, {}, rows->size()};
  const auto cells = [&rows](Cell SummaryRow::*member) {
    return [rows, member](std::size_t row) { return (*rows)[row].*member; };
  };
  table.columns = {
      word_column("section", "Section", [rows](std::size_t row) { return (*rows)[row].section; }),
      word_column("name", "Name", [rows](std::size_t row) { return (*rows)[row].name; }),
      word_column("value", "Value", cells(&SummaryRow::value)),
      integer_column("gpu_time", "GPU Time", Unit::ns, cells(&SummaryRow::gpu_time)),
      integer_column("cpu_time", "CPU Time", Unit::ns, cells(&SummaryRow::cpu_time)),
      integer_column("ops", "# Ops", Unit::count, cells(&SummaryRow::ops)),
      integer_column("kernels", "# Kernels", Unit::count, cells(&SummaryRow::kernels)),
  };
  table.columns[2].kind = CellKind::any;
  table.columns[2].csv_for_missing = csv_for_missing(profile, 0.0);
  return table;
}

}  // namespace dlview::report::dlprof
