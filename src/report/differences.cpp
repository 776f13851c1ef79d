#include "report/differences.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "report/columns.h"

namespace dlview::report {
namespace {

using aggregate::IterationComparison;
using aggregate::KernelDifference;
using aggregate::OpDifference;
using profile::Profile;

// Of the iteration in which alone it runs; not recorded where it runs in both, or is no op.
Cell only_in(int64_t count, int64_t baseline_count, const IterationComparison& comparison) {
  if ((count > 0) == (baseline_count > 0)) return {};
  return count > 0 ? comparison.iteration : comparison.baseline;
}

// The columns that both tables end with; `rows` is a member of the comparison.
template <typename Rows>
void add_times(const SharedComparison& comparison, Rows rows, Table& table) {
  const auto time = [&](ColumnId id, auto value) {
    table.columns.push_back(column(id, [comparison, rows, value](std::size_t row) -> Cell {
      return value(((*comparison).*rows)[row]);
    }));
  };
  time("ns", [](const auto& row) { return row.ns; });
  time("against_ns", [](const auto& row) { return row.baseline_ns; });
  time("difference_ns", [](const auto& row) { return row.difference_ns(); });
}

bool is_counted(const OpDifference& op) {
  return !op.is_idle();
}
bool is_counted(const KernelDifference&) {
  return true;
}

template <typename Rows, typename Value>
Column count_column(ColumnId id, const SharedComparison& comparison, Rows rows, Value value) {
  return column(id, [comparison, rows, value](std::size_t row) -> Cell {
    const auto& difference = ((*comparison).*rows)[row];
    return is_counted(difference) ? Cell(difference.*value) : Cell();
  });
}

template <typename Rows, typename Count>
Column only_in_column(const SharedComparison& comparison, Rows rows, Count count,
                      Count baseline_count) {
  return column("only_in", [=](std::size_t row) -> Cell {
    const auto& difference = ((*comparison).*rows)[row];
    return only_in(difference.*count, difference.*baseline_count, *comparison);
  });
}

}  // namespace

Table make_op_differences(const Profile& profile, const SharedComparison& comparison) {
  constexpr auto kRows = &IterationComparison::ops;
  const auto text = [&](ColumnId id, const auto& texts, std::string_view of_idle) {
    return column(id, [&profile, &texts, comparison, of_idle](std::size_t row) -> Cell {
      const OpDifference& op = comparison->ops[row];
      return op.is_idle() ? of_idle : profile.text(texts[op.op]);
    });
  };
  Table table{"ops", "Ops", Layout::rows, {}, comparison->ops.size()};
  table.columns = {text("op_id", profile.ops.id, kIdleId),
                   text("op_name", profile.ops.name, kIdleName),
                   text("op_type", profile.ops.type, kIdleType),
                   column("time",
                          [comparison](std::size_t row) -> Cell {
                            return std::string_view(comparison->ops[row].on_gpu ? "GPU" : "CPU");
                          }),
                   count_column("differences.calls", comparison, kRows, &OpDifference::calls),
                   count_column("against_calls", comparison, kRows, &OpDifference::baseline_calls)};
  add_times(comparison, kRows, table);
  table.columns.push_back(
      only_in_column(comparison, kRows, &OpDifference::calls, &OpDifference::baseline_calls));
  return table;
}

Table make_kernel_differences(const Profile& profile, const SharedComparison& comparison) {
  constexpr auto kRows = &IterationComparison::kernels;
  Table table{"kernels", "Kernels, sums", Layout::rows, {}, comparison->kernels.size()};
  table.columns = {
      column("differences.kernel_name",
             [&profile, comparison](std::size_t row) -> Cell {
               return profile.text(comparison->kernels[row].name);
             }),
      count_column("launches", comparison, kRows, &KernelDifference::count),
      count_column("against_launches", comparison, kRows, &KernelDifference::baseline_count)};
  add_times(comparison, kRows, table);
  table.columns.push_back(only_in_column(comparison, kRows, &KernelDifference::count,
                                         &KernelDifference::baseline_count));
  return table;
}

void name_iterations(Table& table, const IterationComparison& comparison) {
  const std::string number = base::format_count(comparison.iteration);
  const std::string baseline = base::format_count(comparison.baseline);
  const auto rename = [&table](ColumnId id, std::string title) {
    const auto named = std::ranges::find(table.columns, id.text(), &Column::id);
    if (named != table.columns.end()) named->title = std::move(title);
  };
  rename("ns", "Iteration " + number);
  rename("against_ns", "Iteration " + baseline);
  rename("differences.calls", "Calls in " + number);
  rename("against_calls", "Calls in " + baseline);
  rename("launches", "Launches in " + number);
  rename("against_launches", "Launches in " + baseline);
}

}  // namespace dlview::report
