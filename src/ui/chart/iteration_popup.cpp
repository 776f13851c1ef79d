#include "ui/chart/iteration_popup.h"

#include <fmt/format.h>
#include <imgui.h>

#include "aggregate/gpu_split.h"
#include "aggregate/instance_times.h"
#include "aggregate/range_paths.h"
#include "base/units.h"
#include "ui/chart/categories.h"
#include "ui/chart/iteration_name.h"
#include "ui/chart/outliers.h"
#include "ui/text.h"

namespace dlview::ui {
namespace {

// How long the iteration's own range lasts, on the clock of the iterations.
TooltipRow range_row(const aggregate::Iterations& iterations, std::size_t row) {
  const aggregate::KeyRange& range = iterations.ranges[row];
  const bool by_gpu = iterations.split_by == aggregate::SplitBy::gpu;
  const base::Interval time = by_gpu ? range.on_gpu.value_or(base::Interval{})
                                     : base::Interval{range.start_ns, range.stop_ns};
  const int64_t length_ns = time.stop_ns - time.start_ns;
  const auto duration = static_cast<double>(iterations.rows[row].duration_ns());
  return {iterations.range_name + (by_gpu ? ", its kernels" : ", the marker"),
          base::format_duration(length_ns),
          duration > 0 ? base::format_percent(100 * static_cast<double>(length_ns) / duration) : "",
          0};
}

std::string launched_text(const aggregate::KernelTotals& kernels, int64_t gpus) {
  return fmt::format("{}, {}{}", base::counted(kernels.count, "kernels"),
                     base::format_duration(kernels.gpu_ns), gpus > 1 ? " on all GPUs" : "");
}

// Of the kernels launched in the iteration; empty where all ran in its time, or too many to look at
// in a frame.
std::string elsewhere_note(const profile::Profile& profile, const aggregate::Iteration& iteration) {
  constexpr profile::Row kMostKernels = 50'000;
  const aggregate::KernelRows kernels = aggregate::kernels_of(profile, iteration);
  if (kernels.last - kernels.first > kMostKernels) return "";
  const int64_t elsewhere_ns = aggregate::kernel_time_elsewhere(profile, iteration);
  if (elsewhere_ns == 0) return "";
  return fmt::format("{} of its kernels ran outside its time", base::format_duration(elsewhere_ns));
}

}  // namespace

IterationPopup prepare_popup(const BarData& data, aggregate::IterationRange candidates,
                             aggregate::IterationRange range,
                             const aggregate::RecordedCategories& recorded,
                             const Palette& palette) {
  const int64_t shown = data.highest(candidates.first, candidates.last);
  const auto row = static_cast<std::size_t>(shown);
  const aggregate::Iteration& iteration = data.table().iterations.rows[row];
  const aggregate::IterationFacts& facts = data.table().facts[row];
  const auto duration = static_cast<double>(iteration.duration_ns());

  IterationPopup popup;
  const aggregate::Iterations& iterations = data.table().iterations;
  popup.heading = fmt::format("{} · {}{}", iteration_name(iterations, shown),
                              base::format_duration(iteration.duration_ns()),
                              iterations.split_by == aggregate::SplitBy::gpu ? ", by GPU" : "");
  const bool has_communication = data.table().has_communication;
  const aggregate::Breakdown parts =
      has_communication
          ? without_exposed(facts.per_device, facts.communication_per_device.exposed_ns)
          : facts.per_device;
  const std::vector<TooltipRow> communication =
      communication_rows(facts.communication_per_device, iteration.duration_ns(), palette);
  for (const aggregate::Category category : aggregate::kCategories) {
    TooltipRow line;
    line.label = category_label(category);
    line.swatch = palette.tone(tone_of(category));
    if (!recorded.contains(category)) {
      line.value = "not recorded";
    } else {
      const int64_t part = parts[category];
      line.value = base::format_duration(part);
      line.share =
          base::format_percent(duration > 0 ? 100 * static_cast<double>(part) / duration : 0);
    }
    popup.rows.push_back(std::move(line));
    if (category == aggregate::Category::other_kernels && has_communication) {
      popup.rows.push_back(communication.front());
    }
  }
  if (has_communication) popup.rows.push_back(communication.back());
  if (!iterations.ranges.empty()) popup.rows.push_back(range_row(iterations, row));
  const bool has_kernels = recorded.contains(aggregate::Category::other_kernels);
  popup.rows.push_back(
      {"Launched by it",
       has_kernels ? launched_text(facts.kernels, data.table().device_count) : "not recorded", "",
       0});
  if (candidates.size() > 1) {
    popup.note = fmt::format("The longest of {} iterations in this pixel",
                             base::format_count(candidates.size()));
  }
  if (shown < range.first || shown > range.last) {
    popup.note += popup.note.empty() ? "Outside the range" : ", outside the range";
  }
  return popup;
}

std::vector<TooltipRow> prepare_inner_ranges(const profile::Profile& profile,
                                             const aggregate::Iterations& iterations,
                                             int64_t iteration) {
  constexpr std::size_t kMost = 3;
  std::vector<TooltipRow> rows;
  if (iterations.ranges.empty()) return rows;
  const aggregate::KeyRange& range = iterations.ranges[static_cast<std::size_t>(iteration)];
  for (const aggregate::InnerRanges& inner :
       aggregate::ranges_inside(profile, {range.start_ns, range.stop_ns})) {
    if (rows.size() == kMost) break;
    rows.push_back({fmt::format("{} × {}, {} to {} each", base::format_count(inner.count),
                                inner.name, base::format_duration(inner.shortest_ns),
                                base::format_duration(inner.longest_ns)),
                    base::format_duration(inner.total_ns), "", 0});
  }
  return rows;
}

std::optional<int64_t> show_iteration_popup(Frame& frame, const workspace::RunModel& run,
                                            const BarData& data, const Plot& plot,
                                            aggregate::IterationRange range,
                                            std::string_view name) {
  const auto candidates = iterations_at(data, plot, ImGui::GetIO().MousePos.x);
  if (!candidates) return std::nullopt;
  IterationPopup popup =
      prepare_popup(data, *candidates, range, {*run.profile, *run.aggregation}, frame.palette());
  const int64_t shown = data.highest(candidates->first, candidates->last);
  for (TooltipRow& row : prepare_inner_ranges(*run.profile, data.table().iterations, shown)) {
    popup.rows.push_back(std::move(row));
  }
  const auto add_note = [&popup](std::string_view note) {
    if (!popup.note.empty() && !note.empty()) popup.note += "\n";
    popup.note += note;
  };
  add_note(
      elsewhere_note(*run.profile, data.table().iterations.rows[static_cast<std::size_t>(shown)]));
  add_note(edge_note(*run.profile, data.table().iterations, shown));
  const aggregate::Outlier* outlier = run.outliers ? find_outlier(*run.outliers, shown) : nullptr;
  if (outlier != nullptr) add_note("Outlier: " + describe_outlier(*run.profile, *outlier));
  frame.inspector.record_value(std::string(name) + "_note", popup.note);
  frame.inspector.record_value(name, popup.heading);
  show_rows_tooltip(frame, popup.heading, popup.rows, popup.note);
  return shown;
}

}  // namespace dlview::ui
