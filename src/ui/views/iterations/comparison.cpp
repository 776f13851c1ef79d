#include "ui/views/iterations/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/chart/category_names.h"
#include "ui/chart/differences.h"

namespace dlview::ui {
namespace {

double share_of(int64_t difference, int64_t largest) {
  return largest == 0 ? 0 : static_cast<double>(difference) / static_cast<double>(largest);
}

ComparisonRow category_row(const aggregate::CategoryDifference& category, int64_t largest,
                           bool recorded) {
  ComparisonRow row;
  row.name = category_label(category.category);
  row.category = category.category;
  if (!recorded) {
    row.value = "not recorded";
    return row;
  }
  row.value = base::format_duration(category.ns);
  row.baseline = base::format_duration(category.baseline_ns);
  row.difference = format_difference(category.difference_ns());
  row.share = share_of(category.difference_ns(), largest);
  return row;
}

// "3.1 ms", or "–" where the op does not run.
std::string op_time(int64_t ns, int64_t calls) {
  return calls == 0 ? "–" : base::format_duration(ns);
}

ComparisonRow op_row(const profile::Profile& profile, const aggregate::OpDifference& op,
                     int64_t largest) {
  ComparisonRow row;
  row.name = std::string(profile.text(profile.ops.name[op.op]));
  row.detail = std::string(profile.text(profile.ops.type[op.op]));
  row.value = op_time(op.ns, op.calls);
  row.baseline = op_time(op.baseline_ns, op.baseline_calls);
  row.difference = format_difference(op.difference_ns());
  row.title = fmt::format("{}\n{} time, {} calls against {}", row.name, op.on_gpu ? "GPU" : "CPU",
                          base::format_count(op.calls), base::format_count(op.baseline_calls));
  row.share = share_of(op.difference_ns(), largest);
  return row;
}

}  // namespace

ComparisonTexts prepare_comparison(const profile::Profile& profile,
                                   const aggregate::IterationComparison& comparison,
                                   std::string_view why, const aggregate::Outlier* outlier,
                                   bool io_recorded) {
  ComparisonTexts texts;
  const std::string number = base::format_count(comparison.iteration);
  const std::string baseline = base::format_count(comparison.baseline);
  texts.column = "Iteration " + number;
  texts.baseline_column = "Typical " + baseline;
  const bool is_typical = comparison.iteration == comparison.baseline;
  texts.heading = is_typical ? fmt::format("{} {} is the typical one", why, number)
                             : fmt::format("{} {} against the typical {}", why, number, baseline);
  if (!is_typical) {
    texts.detail = format_difference(comparison.duration_ns - comparison.baseline_duration_ns);
  }
  if (outlier != nullptr) {
    texts.detail += fmt::format(" · outlier: {}", aggregate::to_text(outlier->kind));
  }
  int64_t largest = 0;
  for (const auto& category : comparison.categories) {
    largest = std::max(largest, std::abs(category.difference_ns()));
  }
  for (const auto& category : comparison.categories) {
    const bool recorded = category.category != aggregate::Category::io || io_recorded;
    texts.categories.push_back(category_row(category, largest, recorded));
  }
  const std::size_t shown = std::min(comparison.ops.size(), kMostComparedOps);
  for (std::size_t i = 0; i < shown; ++i) {
    const int64_t largest_op = std::abs(comparison.ops.front().difference_ns());
    texts.ops.push_back(op_row(profile, comparison.ops[i], largest_op));
  }
  return texts;
}

int64_t slowest_iteration(const aggregate::IterationTable& table,
                          const aggregate::IterationRange& range) {
  const auto& rows = table.iterations.rows;
  const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(range.first);
  const auto end = rows.begin() + static_cast<std::ptrdiff_t>(range.last + 1);
  const auto slowest = std::max_element(
      begin, end, [](const auto& a, const auto& b) { return a.duration_ns() < b.duration_ns(); });
  return slowest - rows.begin();
}

}  // namespace dlview::ui
