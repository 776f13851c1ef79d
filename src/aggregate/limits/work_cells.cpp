#include "aggregate/limits/work_cells.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/parallel_algorithms.h"

namespace dlview::aggregate {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::Row;

InstanceSpan instances_of(const Aggregation& aggregation) {
  return instances_of(aggregation.iteration_table->iterations, aggregation.selection.range);
}

std::vector<std::span<const MeasuredCell>> WorkCells::measured_by_group() const {
  std::vector<std::span<const MeasuredCell>> spans(groups.size());
  for (std::size_t i = 0; i < measured.size();) {
    std::size_t end = i + 1;
    while (end < measured.size() && measured[end].group == measured[i].group) ++end;
    spans[measured[i].group] = std::span(measured).subspan(i, end - i);
    i = end;
  }
  return spans;
}

WorkCounter::WorkCounter(const profile::Profile& profile, const WorkIndex& work,
                         const CounterJoin& join)
    : profile_(profile), work_(work), join_(join) {
  if (!join_.set_of_kernel.empty()) order_measured();
}

WorkCells WorkCounter::count(const Aggregation& aggregation) const {
  const InstanceSpan span = instances_of(aggregation);
  if (aggregation.selection.filters.empty()) return without_filters(span);
  const RowFilter filter(profile_, aggregation.selection.filters);
  return one_by_one(span, &filter);
}

WorkCells WorkCounter::count_one_by_one(const Aggregation& aggregation) const {
  return one_by_one(instances_of(aggregation), nullptr);
}

int64_t WorkCounter::duration(KernelIndex kernel) const {
  return profile_.kernels.gpu_stop_ns[kernel] - profile_.kernels.gpu_start_ns[kernel];
}

void WorkCounter::order_measured() {
  struct Joined {
    uint32_t group, set;
    KernelIndex kernel;
  };
  std::vector<Joined> joined;
  name_of_set_.assign(join_.set_count(), 0);
  for (KernelIndex kernel{0}; kernel < profile_.kernels.size(); ++kernel) {
    const uint32_t set = join_.set_of_kernel[kernel];
    if (set == CounterJoin::kNoSet) continue;
    name_of_set_[set] = profile_.kernels.name[kernel];
    joined.push_back({work_.group_of_kernel()[kernel], set, kernel});
  }
  base::parallel_sort(joined.begin(), joined.end(), [](const Joined& a, const Joined& b) {
    return std::tuple(a.group, a.set, Row{a.kernel}) < std::tuple(b.group, b.set, Row{b.kernel});
  });
  int64_t sum = 0;
  for (const Joined& each : joined) {
    if (measured_.runs.empty() || measured_.runs.back().group != each.group ||
        measured_.runs.back().set != each.set) {
      measured_.runs.push_back({each.group, each.set, measured_.rows.size()});
    }
    measured_.rows.push_back(each.kernel);
    measured_.ns_before.push_back(sum);
    sum += duration(each.kernel);
  }
  measured_.ns_before.push_back(sum);
}

WorkCells WorkCounter::without_filters(const InstanceSpan& span) const {
  WorkCells cells;
  cells.groups.resize(work_.groups().size());
  for (std::size_t group = 0; group < cells.groups.size(); ++group) {
    const WorkIndex::Sums sums = work_.sums(group, span.first, span.last);
    cells.groups[group] = {sums.calls, sums.kernels, sums.kernel_ns, 0};
  }
  const KernelIndex first = profile_.instances.first_kernel[span.first];
  const KernelIndex last = profile_.instances.first_kernel[span.last];
  const auto rows = measured_.rows.begin();
  for (std::size_t i = 0; i < measured_.runs.size(); ++i) {
    const bool is_last = i + 1 == measured_.runs.size();
    const std::size_t after = is_last ? measured_.rows.size() : measured_.runs[i + 1].first;
    const auto end = rows + static_cast<std::ptrdiff_t>(after);
    const auto from =
        std::lower_bound(rows + static_cast<std::ptrdiff_t>(measured_.runs[i].first), end, first);
    const auto to = std::lower_bound(from, end, last);
    if (from == to) continue;
    cells.measured.push_back({measured_.runs[i].group, measured_.runs[i].set, to - from,
                              measured_.ns_before[static_cast<std::size_t>(to - rows)] -
                                  measured_.ns_before[static_cast<std::size_t>(from - rows)]});
  }
  return cells;
}

WorkCells WorkCounter::one_by_one(const InstanceSpan& span, const RowFilter* filter) const {
  struct OfCall {
    int64_t all = 0, counted = 0, counted_ns = 0;
  };
  WorkCells cells;
  cells.groups.resize(work_.groups().size());
  std::map<std::pair<uint32_t, uint32_t>, MeasuredCell> of_sets;
  std::map<uint32_t, OfCall> of_instance;  // by group
  const std::span<const WorkIndex::Part> parts = work_.parts();
  auto part =
      std::lower_bound(parts.begin(), parts.end(), span.first,
                       [](const WorkIndex::Part& a, InstanceIndex b) { return a.instance < b; });
  for (InstanceIndex instance = span.first; instance < span.last; ++instance) {
    of_instance.clear();
    for (KernelIndex kernel = profile_.instances.first_kernel[instance];
         kernel < profile_.instances.first_kernel[instance + 1]; ++kernel) {
      const uint32_t group = work_.group_of_kernel()[kernel];
      OfCall& of_call = of_instance[group];
      ++of_call.all;
      if (filter != nullptr && !filter->counts_kernel(kernel)) continue;
      ++of_call.counted;
      of_call.counted_ns += duration(kernel);
      const uint32_t set =
          join_.set_of_kernel.empty() ? CounterJoin::kNoSet : join_.set_of_kernel[kernel];
      if (set == CounterJoin::kNoSet) continue;
      MeasuredCell& cell = of_sets[{group, set}];
      cell.group = group;
      cell.set = set;
      ++cell.kernels;
      cell.kernel_ns += duration(kernel);
    }
    for (; part != parts.end() && part->instance == instance; ++part) {
      const auto found = of_instance.find(part->group);
      const bool counts = found != of_instance.end()
                              ? found->second.counted == found->second.all
                              : filter == nullptr || filter->counts_instance(instance);
      if (counts) ++cells.groups[part->group].calls;
    }
    for (const auto& [group, of_call] : of_instance) {
      GroupCell& cell = cells.groups[group];
      cell.kernels += of_call.counted;
      cell.kernel_ns += of_call.counted_ns;
      if (of_call.counted < of_call.all) cell.partial_ns += of_call.counted_ns;
    }
  }
  for (const auto& entry : of_sets) cells.measured.push_back(entry.second);
  return cells;
}

}  // namespace dlview::aggregate
