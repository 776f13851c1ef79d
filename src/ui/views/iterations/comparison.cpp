#include "ui/views/iterations/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/chart/categories.h"
#include "ui/text.h"

namespace dlview::ui {
namespace {

TableData with_names(TableData data, std::string_view by,
                     const aggregate::IterationComparison& comparison) {
  report::name_iterations(data.table, comparison);
  data.title = fmt::format("Differences by {}, iteration {} vs. {}", by,
                           base::format_count(comparison.iteration),
                           base::format_count(comparison.baseline));
  data.exported_under = TableData::ExportedUnder::unfiltered_selection;
  return data;
}

double share_of(int64_t difference, int64_t largest) {
  return largest == 0 ? 0 : static_cast<double>(difference) / static_cast<double>(largest);
}

void show_times(const base::ComparedTable& table, int64_t ns, int64_t baseline_ns,
                ComparisonRow& row) {
  base::ComparedDurations compared = table.format(ns, baseline_ns);
  row.value = std::move(compared.value);
  row.baseline = std::move(compared.baseline);
  row.difference = std::move(compared.difference);
}

// The same of an op or a kernel; "–" where it does not run.
template <typename Difference>
void show_times(const base::ComparedTable& table, const Difference& times, int64_t calls,
                int64_t baseline_calls, ComparisonRow& row) {
  show_times(table, times.ns, times.baseline_ns, row);
  if (calls == 0) row.value = "–";
  if (baseline_calls == 0) row.baseline = "–";
}

ComparisonRow timed_row(const base::ComparedTable& table, std::string name, Tone tone, int64_t ns,
                        int64_t baseline_ns, int64_t largest) {
  ComparisonRow row;
  row.name = std::move(name);
  row.tone = tone;
  show_times(table, ns, baseline_ns, row);
  row.share = share_of(ns - baseline_ns, largest);
  return row;
}

ComparisonRow category_row(const base::ComparedTable& table,
                           const aggregate::CategoryDifference& category, int64_t largest,
                           bool recorded) {
  const std::string name = category_label(category.category);
  const Tone tone = tone_of(category.category);
  if (recorded) return timed_row(table, name, tone, category.ns, category.baseline_ns, largest);
  ComparisonRow row;
  row.name = name;
  row.tone = tone;
  row.value = "not recorded";
  return row;
}

// The categories of both, without exposed communication: it has a row of its own.
std::vector<aggregate::CategoryDifference> shown_categories(
    const aggregate::IterationComparison& comparison) {
  aggregate::Breakdown times, baseline;
  for (const auto& category : comparison.categories) {
    times[category.category] = category.ns;
    baseline[category.category] = category.baseline_ns;
  }
  times = without_exposed(times, comparison.communication.exposed_ns);
  baseline = without_exposed(baseline, comparison.baseline_communication.exposed_ns);
  std::vector<aggregate::CategoryDifference> categories = comparison.categories;
  for (auto& category : categories) {
    category.ns = times[category.category];
    category.baseline_ns = baseline[category.category];
  }
  return categories;
}

// The time in which the GPU does nothing.
ComparisonRow idle_row(const base::ComparedTable& table, const aggregate::OpDifference& idle) {
  ComparisonRow row;
  row.name = report::kIdleName;
  row.detail = fmt::format("GPU · {}", report::kIdleType);
  show_times(table, idle.ns, idle.baseline_ns, row);
  row.title = fmt::format("{}\nNo kernel, memcpy or memset runs; mean over the GPUs", row.name);
  return row;
}

ComparisonRow op_row(const profile::Profile& profile, const base::ComparedTable& table,
                     const aggregate::OpDifference& op) {
  if (op.is_idle()) return idle_row(table, op);
  ComparisonRow row;
  row.name = std::string(profile.text(profile.ops.name[op.op]));
  row.detail =
      fmt::format("{} · {}", op.on_gpu ? "GPU" : "CPU", profile.text(profile.ops.type[op.op]));
  row.op_id = std::string(profile.text(profile.ops.id[op.op]));
  show_times(table, op, op.calls, op.baseline_calls, row);
  row.title = fmt::format("{}\n{} time, {} vs. {}", row.name, op.on_gpu ? "GPU" : "CPU",
                          base::counted(op.calls, "calls"), base::format_count(op.baseline_calls));
  return row;
}

ComparisonRow kernel_row(const profile::Profile& profile, const base::ComparedTable& table,
                         const aggregate::KernelDifference& kernel) {
  const std::string count = base::format_count(kernel.count);
  const std::string baseline_count = base::format_count(kernel.baseline_count);
  ComparisonRow row;
  row.name = std::string(profile.text(kernel.name));
  row.detail = fmt::format("{} / {}", count, baseline_count);
  show_times(table, kernel, kernel.count, kernel.baseline_count, row);
  row.title = fmt::format("{}\n{} vs. {}", row.name, base::counted(kernel.count, "launches"),
                          baseline_count);
  return row;
}

// The rows that the list shows of `all`, whose times share a unit on every page.
template <typename Difference, typename MakeRow>
void list_rows(const std::vector<Difference>& all, std::size_t first, const MakeRow& make_row,
               ComparisonTexts& texts) {
  texts.row_count = all.size();
  const std::size_t last = std::min(all.size(), first + kComparedRows);
  base::ComparedTable table;
  for (const Difference& row : all) table.add(row.ns, row.baseline_ns);
  for (std::size_t i = first; i < last; ++i) texts.rows.push_back(make_row(table, all[i]));
}

}  // namespace

TableData op_differences(const std::shared_ptr<const profile::Profile>& profile,
                         const std::shared_ptr<const aggregate::Aggregation>& aggregation,
                         const report::SharedComparison& comparison) {
  return with_names({profile, aggregation, report::make_op_differences(*profile, comparison)}, "op",
                    *comparison);
}

TableData kernel_differences(const std::shared_ptr<const profile::Profile>& profile,
                             const std::shared_ptr<const aggregate::Aggregation>& aggregation,
                             const report::SharedComparison& comparison) {
  return with_names({profile, aggregation, report::make_kernel_differences(*profile, comparison)},
                    "kernel", *comparison);
}

ComparisonTexts prepare_comparison(const profile::Profile& profile,
                                   const aggregate::Iterations& iterations,
                                   const aggregate::IterationComparison& comparison,
                                   const ComparedIterations& compared,
                                   const aggregate::Outlier* outlier,
                                   const aggregate::RecordedCategories& recorded,
                                   const ComparisonList& list) {
  ComparisonTexts texts;
  texts.column = "Iteration " + base::format_count(compared.iteration);
  texts.baseline_column = fmt::format("{} {}", compared.is_typical ? "Typical" : "Iteration",
                                      base::format_count(compared.baseline));
  texts.detail = format_difference(comparison.duration_ns - comparison.baseline_duration_ns);
  if (outlier != nullptr) {
    const bool has_class = outlier->kind != aggregate::OutlierClass::other;
    texts.detail += fmt::format(" · {}", has_class ? aggregate::to_text(outlier->kind) : "outlier");
  }
  const std::string label = aggregate::range_label(iterations, compared.iteration);
  if (!label.empty()) {
    std::string baseline = aggregate::range_label(iterations, compared.baseline);
    // "Step 20 vs. 10": the word once.
    const std::size_t space = label.rfind(' ');
    if (space != std::string::npos && baseline.compare(0, space + 1, label, 0, space + 1) == 0) {
      baseline.erase(0, space + 1);
    }
    texts.detail += fmt::format(" · {} vs. {}", label, baseline);
  }
  const std::string_view edge = edge_note(profile, iterations, compared.iteration);
  if (!edge.empty()) texts.detail += fmt::format(" · {}", edge);
  const int64_t exposed_ns = comparison.communication.exposed_ns;
  const int64_t baseline_exposed_ns = comparison.baseline_communication.exposed_ns;
  int64_t largest = std::abs(exposed_ns - baseline_exposed_ns);
  const auto categories = shown_categories(comparison);
  for (const auto& category : categories) {
    largest = std::max(largest, std::abs(category.difference_ns()));
  }
  base::ComparedTable table;
  table.add(exposed_ns, baseline_exposed_ns);
  for (const auto& category : categories) {
    if (recorded.contains(category.category)) table.add(category.ns, category.baseline_ns);
  }
  for (const auto& category : categories) {
    texts.categories.push_back(
        category_row(table, category, largest, recorded.contains(category.category)));
    if (category.category != aggregate::Category::other_kernels) continue;
    if (exposed_ns == 0 && baseline_exposed_ns == 0) continue;
    texts.categories.push_back(timed_row(table, "Exposed communication", Tone::communication,
                                         exposed_ns, baseline_exposed_ns, largest));
  }
  if (list.kernels) {
    list_rows(
        comparison.kernels, list.first,
        [&](const auto& page, const auto& kernel) { return kernel_row(profile, page, kernel); },
        texts);
  } else {
    list_rows(
        comparison.ops, list.first,
        [&](const auto& page, const auto& op) { return op_row(profile, page, op); }, texts);
  }
  return texts;
}

}  // namespace dlview::ui
