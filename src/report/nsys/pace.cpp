// The recipes *pace*: one instance of a kernel or range after the other, with the time between.

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/saturated_sum.h"
#include "report/nsys/cells.h"
#include "report/nsys/declarations.h"
#include "report/nsys/figures.h"
#include "report/nsys/groups.h"
#include "report/nsys/ranges.h"

namespace dlview::report::nsys {
namespace {

using aggregate::Unit;

struct Step {
  std::size_t row = 0;  // of the trace
  int64_t number = 0;   // among its group, from 1
  int64_t start_ns = 0, duration_ns = 0;
  std::optional<int64_t> gap_ns, pace_ns;  // from the end and from the start of the one before
};
using Steps = std::shared_ptr<const std::vector<Step>>;

// `start(row)`, `end(row)`. Groups by the sum of their durations, the largest first; steps of a
// group by time.
template <std::size_t N, typename Start, typename End>
Steps steps_of(Groups<N> groups, const Start& start, const End& end) {
  std::vector<std::vector<Step>> all(groups.size());
  std::vector<std::size_t> order(groups.size());
  std::vector<int64_t> sums(groups.size());
  for (std::size_t group = 0; group < groups.size(); ++group) {
    order[group] = group;
    const std::span<const std::size_t> members = groups.rows(group);
    std::vector<std::size_t> rows(members.begin(), members.end());
    std::ranges::stable_sort(rows, {}, start);
    for (const std::size_t row : rows) {
      Step step{row, std::ssize(all[group]) + 1, start(row), end(row) - start(row), {}, {}};
      if (!all[group].empty()) {
        const Step& before = all[group].back();
        step.gap_ns = step.start_ns - (before.start_ns + before.duration_ns);
        step.pace_ns = step.start_ns - before.start_ns;
      }
      sums[group] = base::saturated_sum(sums[group], step.duration_ns);
      all[group].push_back(step);
    }
  }
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&sums](std::size_t group) { return sums[group]; });
  const auto steps = std::make_shared<std::vector<Step>>();
  for (const std::size_t group : order) {
    steps->insert(steps->end(), all[group].begin(), all[group].end());
  }
  return steps;
}

Cell optional(const std::optional<int64_t>& ns) {
  return ns ? Cell{*ns} : Cell{};
}

// Negative gaps are overlaps.
Table pace_table(const Steps& steps) {
  const auto number = [&](std::string id, std::string title, Unit unit, auto value) {
    return integer_column(std::move(id), std::move(title), unit,
                          [steps, value](std::size_t row) { return Cell{value((*steps)[row])}; });
  };
  Table table;
  table.row_count = steps->size();
  table.columns = {
      number("instance", "Instance", Unit::count, [](const Step& step) { return step.number; }),
      number("start", "Start", Unit::ns, [](const Step& step) { return step.start_ns; }),
      number("duration", "Duration", Unit::ns, [](const Step& step) { return step.duration_ns; }),
      number("gap", "Gap", Unit::ns, [](const Step& step) { return optional(step.gap_ns); }),
      number("pace", "Pace", Unit::ns, [](const Step& step) { return optional(step.pace_ns); })};
  return table;
}

Column id_column(const Steps& steps, std::string id, std::string title,
                 std::function<int64_t(std::size_t)> value) {
  return integer_column(
      std::move(id), std::move(title), Unit::none,
      [steps, value = std::move(value)](std::size_t row) { return value((*steps)[row].row); });
}

}  // namespace

std::optional<Table> cuda_gpu_kern_pace(const Input& input) {
  const profile::TraceKernels& kernels = input.trace().kernels;
  if (!is_recorded(kernels.demangled_name, kernels.size()) ||
      !is_recorded(kernels.process, kernels.size()) ||
      !is_recorded(kernels.device_id, kernels.size())) {
    return std::nullopt;
  }
  const std::vector<std::size_t> rows = input.rows(kernels);
  if (rows.empty()) return std::nullopt;
  const Steps steps = steps_of(
      group_by<3>(rows,
                  [&kernels](std::size_t row) {
                    return Key<3>{kernels.demangled_name[row], kernels.process[row],
                                  kernels.device_id[row]};
                  }),
      [&kernels](std::size_t row) { return kernels.start_ns[row]; },
      [&kernels](std::size_t row) { return kernels.end_ns[row]; });
  Table table = pace_table(steps);
  table.columns.push_back(id_column(steps, "pid", "PID", [&trace = input.trace()](std::size_t row) {
    return trace.numbers_of(trace.kernels.process[row]).process_id;
  }));
  table.columns.push_back(id_column(steps, "dev_id", "DevId", [&kernels](std::size_t row) {
    return int64_t{kernels.device_id[row]};
  }));
  table.columns.push_back(
      text_column("name", "Name", [steps, &kernels, &profile = input.profile](std::size_t row) {
        return text_of(profile, kernels.demangled_name[(*steps)[row].row]);
      }));
  return table;
}

std::optional<Table> nvtx_pace(const Input& input) {
  const profile::TraceNvtx& nvtx = input.trace().nvtx;
  const std::vector<std::size_t> rows = range_rows(input);
  if (rows.empty()) return std::nullopt;
  const auto names = std::make_shared<const RangeNames>(input.profile);
  const std::vector<int64_t> ends = range_ends(nvtx);
  const Steps steps = steps_of(
      group_by<3>(
          rows,
          [&](std::size_t row) {
            return Key<3>{names->id(row), static_cast<int64_t>(nvtx.kind[row]), nvtx.thread[row]};
          }),
      [&nvtx](std::size_t row) { return nvtx.start_ns[row]; },
      [&ends](std::size_t row) { return ends[row]; });
  Table table = pace_table(steps);
  table.columns.push_back(id_column(steps, "pid", "PID", [&trace = input.trace()](std::size_t row) {
    return trace.numbers_of(trace.nvtx.thread[row]).process_id;
  }));
  table.columns.push_back(id_column(steps, "tid", "TID", [&trace = input.trace()](std::size_t row) {
    return trace.numbers_of(trace.nvtx.thread[row]).thread_id;
  }));
  table.columns.push_back(word_column("style", "Style", [steps, &nvtx](std::size_t row) {
    return style_name(static_cast<int64_t>(nvtx.kind[(*steps)[row].row]));
  }));
  table.columns.push_back(text_column("range", "Range", [steps, names](std::size_t row) {
    return (*names)[names->id((*steps)[row].row)];
  }));
  return table;
}

}  // namespace dlview::report::nsys
