#include "ui/views/dashboard/summary.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "aggregate/recorded.h"
#include "base/units.h"
#include "profile/recorded.h"
#include "report/capture.h"
#include "ui/chart/iteration_name.h"
#include "ui/data_quality.h"
#include "ui/text.h"
#include "ui/views/dashboard/shares.h"
#include "ui/widgets/number.h"

namespace dlview::ui {
namespace {

using aggregate::Aggregation;
using profile::Evidence;

int64_t used_devices(const Aggregation& aggregation) {
  return std::count_if(aggregation.devices.begin(), aggregation.devices.end(),
                       [](const auto& device) { return device.kernel_union_ns > 0; });
}

KeyFigure wall_time(const Aggregation& aggregation) {
  const auto& range = aggregation.selection.range;
  return {"wall_time",       "Wall clock time", base::format_duration(aggregation.wall_ns), "",
          range_text(range), "wall_time",       base::format_ns(aggregation.wall_ns)};
}

// Why the first and the last iteration of the range are not like the others.
std::string edge_hint(const profile::Profile& profile, const Aggregation& aggregation) {
  const auto& [first, last] = aggregation.selection.range;
  const aggregate::Iterations& iterations = aggregation.iteration_table->iterations;
  std::string hint;
  for (const int64_t iteration : {first, last}) {
    const std::string_view note = edge_note(profile, iterations, iteration);
    if (note.empty()) continue;
    if (!hint.empty()) hint += "\n";
    hint += fmt::format("{}: {}", iteration_name(iterations, iteration), note);
  }
  return hint;
}

KeyFigure average_iteration(const profile::Profile& profile, const Aggregation& aggregation) {
  const double average_ns = aggregation.average_iteration_ns();
  KeyFigure figure{
      "average_iteration",  "Average iteration", base::format_duration(average_ns),        "",
      "one iteration only", "average_iteration", base::format_ns(std::llround(average_ns))};
  if (aggregation.selection.range.size() == 1) return figure;
  const int64_t median = aggregate::percentile(aggregate::sorted_durations(aggregation), 0.5);
  const double deviation = aggregation.iteration_standard_deviation_ns();
  figure.note = fmt::format("σ {} · median {}", base::format_duration(deviation),
                            base::format_duration(median));
  figure.full += fmt::format(" · median {} · σ {}", base::format_ns(median),
                             base::format_ns(std::llround(deviation)));
  figure.hint = edge_hint(profile, aggregation);
  return figure;
}

// Without GPU activity its figures are unknown; the tooltip says how to record it.
KeyFigure not_recorded(const profile::Profile& profile, KeyFigure figure) {
  figure.value = kUnknown;
  figure.note = "GPU activity not recorded";
  figure.full = lack_text(profile, Evidence::gpu_work);
  return figure;
}

KeyFigure utilization(const profile::Profile& profile, const Aggregation& aggregation) {
  KeyFigure figure{"gpu_utilization", "GPU utilization", kUnknown, "",
                   "no GPU recorded", "gpu_utilization", ""};
  if (!profile::tells_of(profile, Evidence::gpu_work)) return not_recorded(profile, figure);
  const int64_t all =
      std::ranges::count(aggregation.devices, true, &aggregate::DeviceAggregate::is_kept);
  if (all == 0) return figure;
  const int64_t used = used_devices(aggregation);
  figure.value = base::format_percent(aggregation.gpu_utilization());
  figure.full = full_percent(aggregation.gpu_utilization());
  if (used == 0) {
    figure.note = aggregation.selection.filters.empty() ? "no GPU ran a kernel"
                                                        : "no kernel matches the filters";
  } else if (used == all) {
    figure.note = all == 1 ? "time with a kernel running" : fmt::format("{} GPUs, all used", all);
  } else {
    figure.note = fmt::format("{} on the {} used of {}",
                              base::format_percent(aggregation.gpu_utilization_used()), used, all);
    figure.full += fmt::format(" over all {} GPUs · {} over the {} used", all,
                               full_percent(aggregation.gpu_utilization_used()), used);
  }
  return figure;
}

KeyFigure tensor_core_efficiency(const profile::Profile& profile, const Aggregation& aggregation,
                                 const std::optional<aggregate::KnownEfficiency>& known) {
  KeyFigure figure{"tensor_core_efficiency",      "Tensor Core efficiency", kUnknown, "",
                   "no eligible op ran a kernel", "tensor_core_efficiency", ""};
  if (!profile::tells_of(profile, Evidence::gpu_work)) return not_recorded(profile, figure);
  if (!known) {
    figure.note = kLateNote;
    return figure;
  }
  if (known->eligible_ns == 0) {
    if (known->unknown_use_ns > 0) figure.note = "use by eligible ops unknown";
    if (!aggregation.selection.filters.empty()) figure.note = "no eligible op matches the filters";
    if (!aggregate::tells_eligibility(profile, aggregation)) {
      figure.note = "eligibility of ops unknown";
      figure.full = no_eligibility(profile);
    }
    return figure;
  }
  figure.value = base::format_percent(known->percent());
  figure.note = "of kernel time of eligible ops";
  if (!known->is_whole()) {
    figure.suffix = "of known time";
    figure.note =
        fmt::format("{} of kernel time known", base::format_percent(known->known_percent()));
  }
  figure.full =
      fmt::format("{} · {} of {}", full_percent(known->percent()),
                  base::format_ns(known->tensor_core_ns), base::format_ns(known->eligible_ns));
  return figure;
}

KeyFigure launches(const profile::Profile& profile, const Aggregation& aggregation) {
  if (!profile::tells_of(profile, Evidence::gpu_work)) {
    return not_recorded(profile,
                        {"kernel_launches", "Kernel launches", "", "", "", "kernel_launches", ""});
  }
  const auto per_iteration = std::llround(static_cast<double>(aggregation.kernel_launches) /
                                          static_cast<double>(aggregation.selection.range.size()));
  return {
      "kernel_launches",
      "Kernel launches",
      base::format_count(aggregation.kernel_launches),
      "",
      fmt::format("{} · {} per iteration", base::counted(aggregation.all_kernels.count, "names"),
                  base::format_count(per_iteration)),
      "kernel_launches",
      base::counted(aggregation.kernel_launches, "launches")};
}

KeyFigure profiled(const Aggregation& aggregation) {
  const auto& range = aggregation.selection.range;
  const auto total = static_cast<int64_t>(aggregation.iteration_table->iterations.rows.size());
  return {"profiled_iterations",
          "Iterations in the range",
          base::format_count(range.size()),
          "of " + base::format_count(total),
          fmt::format("start {} · stop {}", base::format_count(range.first),
                      base::format_count(range.last)),
          "profiled_iterations",
          fmt::format("{} of {}", base::format_count(range.size()), base::format_count(total))};
}

KeyFigure largest_savings(const FindingRows* findings) {
  KeyFigure figure{"largest_savings",
                   "Largest potential savings",
                   kUnknown,
                   "",
                   std::string(kLateNote),
                   "time_at_stake",
                   ""};
  if (findings == nullptr) return figure;
  figure.note = findings->rows.empty() ? "no findings" : "savings unknown";
  const auto largest = std::ranges::find_if(
      findings->rows, [](const FindingRow& row) { return !row.stake.empty(); });
  if (largest == findings->rows.end()) return figure;
  figure.value = largest->stake;
  figure.suffix = largest->stake_share;
  figure.note = largest->title;
  figure.full = largest->stake_note;
  return figure;
}

// "8 × A100-SXM4-80GB", different ones joined by commas; empty when no name was recorded.
std::string device_names(const profile::Profile& profile) {
  std::vector<std::pair<std::string, int>> counts;
  for (const profile::Device& device : profile.devices) {
    if (device.name.empty()) continue;
    const auto same = std::find_if(counts.begin(), counts.end(),
                                   [&](const auto& entry) { return entry.first == device.name; });
    if (same == counts.end()) {
      counts.emplace_back(device.name, 1);
    } else {
      ++same->second;
    }
  }
  std::string text;
  for (const auto& [name, count] : counts) {
    if (!text.empty()) text += ", ";
    text += count == 1 ? name : fmt::format("{} × {}", count, name);
  }
  return text;
}

// "4", or "1 used of 4": an export has no more than the GPUs that the run used.
std::string gpus_text(const profile::Profile& profile) {
  const std::string count = report::gpu_count(profile);
  const std::string known = base::format_count(std::ssize(profile.devices));
  const bool is_part = !profile.devices.empty() && count != known;
  return is_part ? fmt::format("{} used of {}", known, count) : count;
}

}  // namespace

std::vector<KeyFigure> prepare_summary(
    const profile::Profile& profile, const Aggregation& aggregation,
    const std::optional<aggregate::KnownEfficiency>& efficiency) {
  return {wall_time(aggregation),
          average_iteration(profile, aggregation),
          utilization(profile, aggregation),
          tensor_core_efficiency(profile, aggregation, efficiency),
          launches(profile, aggregation),
          profiled(aggregation)};
}

std::vector<KeyFigure> prepare_headline(const std::vector<KeyFigure>& summary,
                                        const FindingRows* findings) {
  std::vector<KeyFigure> headline;
  const auto add = [&](std::string_view id) {
    headline.push_back(*std::ranges::find(summary, id, &KeyFigure::id));
  };
  add("average_iteration");
  add("gpu_utilization");
  headline.push_back(largest_savings(findings));
  add("tensor_core_efficiency");
  add("kernel_launches");
  add("wall_time");
  return headline;
}

std::vector<KeyValue> prepare_system(const profile::Profile& profile,
                                     const std::string& viewer_version) {
  const profile::SystemFacts& facts = profile.system;
  const report::NamedVersion driver = report::driver_version(profile),
                             runtime = report::runtime_version(profile);
  std::vector<KeyValue> rows{{"profile_name", "Profile name", facts.profile_name},
                             {"gpu_count", "GPUs", gpus_text(profile)},
                             {"gpu_names", "GPU names", device_names(profile)},
                             {"cpu_model", "CPU model", facts.cpu_model},
                             {"driver", driver.title, driver.version}};
  const auto add = [&rows](const char* id, const char* label, const std::string& value) {
    rows.push_back({id, label, value});
  };
  const bool is_dlprof = !profile.trace;
  // An export knows them only where DLProf wrote them into it.
  if (is_dlprof || !facts.framework.empty()) add("framework", "Framework", facts.framework);
  rows.push_back({"cuda", runtime.title, runtime.version});
  if (is_dlprof || !facts.cudnn_version.empty()) add("cudnn", "cuDNN version", facts.cudnn_version);
  add("nsys", "Nsight Systems version", facts.nsys_version);
  if (is_dlprof) {
    add("dlprof", "DLProf version", facts.dlprof_version);
    add("database", "DLProf database version", facts.database_version);
  } else {
    add("os", "Operating system", facts.os_name);
    add("kernel", "Kernel release", profile.trace->capture.kernel_release);
    add("cores", "CPU cores", profile.trace->capture.cpu_cores);
  }
  add("viewer", "dlview version", viewer_version);
  // A trace holds few of these facts, whatever its options.
  if (profile::is_pytorch_trace(profile)) leave_out_unrecorded(rows);
  return rows;
}

}  // namespace dlview::ui
