#include "report/differences.h"

#include <utility>
#include <vector>

namespace dlview::report {
namespace {

using aggregate::IterationComparison;
using aggregate::KernelDifference;
using aggregate::OpDifference;
using aggregate::Unit;
using profile::Profile;

// Of the iteration in which alone it runs; not recorded where it runs in both, or is no op.
Cell only_in(int64_t count, int64_t baseline_count, const IterationComparison& comparison) {
  if ((count > 0) == (baseline_count > 0)) return {};
  return count > 0 ? comparison.iteration : comparison.baseline;
}

// The columns that both tables end with; `rows` is a member of the comparison.
template <typename Rows>
void add_times(const SharedComparison& comparison, Rows rows, Table& table) {
  const auto time = [&](const char* id, const char* title, auto value) {
    table.columns.push_back(
        integer_column(id, title, Unit::ns, [comparison, rows, value](std::size_t row) -> Cell {
          return value(((*comparison).*rows)[row]);
        }));
  };
  time("ns", "Time", [](const auto& row) { return row.ns; });
  time("against_ns", "Other time", [](const auto& row) { return row.baseline_ns; });
  time("difference_ns", "Difference", [](const auto& row) { return row.difference_ns(); });
}

bool is_counted(const OpDifference& op) {
  return !op.is_idle();
}
bool is_counted(const KernelDifference&) {
  return true;
}

template <typename Rows, typename Value>
Column count_column(const char* id, const char* title, const SharedComparison& comparison,
                    Rows rows, Value value) {
  return integer_column(id, title, Unit::count, [comparison, rows, value](std::size_t row) -> Cell {
    const auto& difference = ((*comparison).*rows)[row];
    return is_counted(difference) ? Cell(difference.*value) : Cell();
  });
}

template <typename Rows, typename Count>
Column only_in_column(const SharedComparison& comparison, Rows rows, Count count,
                      Count baseline_count) {
  return integer_column("only_in", "Only in iteration", Unit::count, [=](std::size_t row) -> Cell {
    const auto& difference = ((*comparison).*rows)[row];
    return only_in(difference.*count, difference.*baseline_count, *comparison);
  });
}

}  // namespace

Table make_op_differences(const Profile& profile, const SharedComparison& comparison) {
  constexpr auto kRows = &IterationComparison::ops;
  const auto text = [&](const char* id, const char* title, const auto& column,
                        std::string_view of_idle) {
    return text_column(id, title,
                       [&profile, &column, comparison, of_idle](std::size_t row) -> Cell {
                         const OpDifference& op = comparison->ops[row];
                         return op.is_idle() ? of_idle : profile.text(column[op.op]);
                       });
  };
  Table table{"ops", "Ops", Layout::rows, {}, comparison->ops.size()};
  table.columns = {
      text("op_id", "Op id", profile.ops.id, kIdleId),
      text("op_name", "Op name", profile.ops.name, kIdleName),
      text("op_type", "Op type", profile.ops.type, kIdleType),
      word_column("time", "Of",
                  [comparison](std::size_t row) -> Cell {
                    return std::string_view(comparison->ops[row].on_gpu ? "GPU" : "CPU");
                  }),
      count_column("calls", "Calls", comparison, kRows, &OpDifference::calls),
      count_column("against_calls", "Other calls", comparison, kRows,
                   &OpDifference::baseline_calls)};
  add_times(comparison, kRows, table);
  table.columns.push_back(
      only_in_column(comparison, kRows, &OpDifference::calls, &OpDifference::baseline_calls));
  return table;
}

Table make_kernel_differences(const Profile& profile, const SharedComparison& comparison) {
  constexpr auto kRows = &IterationComparison::kernels;
  Table table{"kernels", "Kernels, plain sums", Layout::rows, {}, comparison->kernels.size()};
  table.columns = {
      text_column("kernel_name", "Kernel name",
                  [&profile, comparison](std::size_t row) -> Cell {
                    return profile.text(comparison->kernels[row].name);
                  }),
      count_column("launches", "Launches", comparison, kRows, &KernelDifference::count),
      count_column("against_launches", "Other launches", comparison, kRows,
                   &KernelDifference::baseline_count)};
  add_times(comparison, kRows, table);
  table.columns.push_back(only_in_column(comparison, kRows, &KernelDifference::count,
                                         &KernelDifference::baseline_count));
  return table;
}

}  // namespace dlview::report
