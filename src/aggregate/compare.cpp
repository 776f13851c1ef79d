#include "aggregate/compare.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <map>

#include "aggregate/instance_times.h"

namespace dlview::aggregate {
namespace {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::OpIndex;
using profile::Profile;

std::array<int64_t, kCategoryCount> category_medians(const IterationTable& table,
                                                     const IterationRange& range) {
  std::array<int64_t, kCategoryCount> medians{};
  std::vector<int64_t> values(static_cast<std::size_t>(range.size()));
  for (std::size_t c = 0; c < kCategoryCount; ++c) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = table.facts[static_cast<std::size_t>(range.first) + i].per_device.ns[c];
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    medians[c] = *middle;
  }
  return medians;
}

struct OpSums {
  InstanceTimes times;
  int64_t calls = 0;
};

std::map<OpIndex, OpSums> sums_by_op(const Profile& profile, const Iteration& iteration) {
  std::map<OpIndex, OpSums> sums;
  InstanceTimer timer(profile);
  for (InstanceIndex i = iteration.first_instance; i < iteration.last_instance; ++i) {
    OpSums& op = sums[profile.instances.op[i]];
    op.times += timer.times_of(i);
    ++op.calls;
  }
  return sums;
}

OpDifference difference(OpIndex op, const OpSums& here, const OpSums& there) {
  const bool on_gpu =
      std::abs(here.times.gpu - there.times.gpu) >= std::abs(here.times.cpu - there.times.cpu);
  return {op,
          on_gpu,
          on_gpu ? here.times.gpu : here.times.cpu,
          on_gpu ? there.times.gpu : there.times.cpu,
          here.calls,
          there.calls};
}

template <typename Difference>
void sort_by_difference(std::vector<Difference>& rows) {
  std::ranges::stable_sort(rows, std::ranges::greater{},
                           [](const Difference& row) { return std::abs(row.difference_ns()); });
}

std::vector<OpDifference> op_differences(const Profile& profile, const Iteration& iteration,
                                         const Iteration& baseline) {
  std::map<OpIndex, OpSums> here = sums_by_op(profile, iteration);
  const std::map<OpIndex, OpSums> there = sums_by_op(profile, baseline);
  for (const auto& [op, sums] : there) here.try_emplace(op);
  std::vector<OpDifference> result;
  for (const auto& [op, sums] : here) {
    const auto other = there.find(op);
    const OpDifference row = difference(op, sums, other == there.end() ? OpSums{} : other->second);
    if (row.difference_ns() != 0 || row.calls != row.baseline_calls) result.push_back(row);
  }
  return result;
}

// Of a GPU on average.
int64_t idle_ns(const Breakdown& per_device) {
  return per_device.total() - per_device[Category::tensor_core_kernels] -
         per_device[Category::other_kernels] - per_device[Category::memory];
}

void add_kernels(const Profile& profile, const Iteration& iteration, int64_t KernelDifference::*ns,
                 int64_t KernelDifference::*count,
                 std::map<profile::StringId, KernelDifference>& sums) {
  const profile::Kernels& kernels = profile.kernels;
  const KernelRows rows = kernels_of(profile, iteration);
  for (KernelIndex i = rows.first; i < rows.last; ++i) {
    KernelDifference& sum = sums[kernels.name[i]];
    sum.name = kernels.name[i];
    sum.*ns += kernels.gpu_stop_ns[i] - kernels.gpu_start_ns[i];
    ++(sum.*count);
  }
}

std::vector<KernelDifference> kernel_differences(const Profile& profile, const Iteration& iteration,
                                                 const Iteration& baseline) {
  std::map<profile::StringId, KernelDifference> sums;
  add_kernels(profile, iteration, &KernelDifference::ns, &KernelDifference::count, sums);
  add_kernels(profile, baseline, &KernelDifference::baseline_ns, &KernelDifference::baseline_count,
              sums);
  std::vector<KernelDifference> result;
  for (const auto& [name, row] : sums) {
    if (row.difference_ns() != 0 || row.count != row.baseline_count) result.push_back(row);
  }
  sort_by_difference(result);
  return result;
}

}  // namespace

int64_t slowest_iteration(const IterationTable& table, const IterationRange& range) {
  const auto& rows = table.iterations.rows;
  const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(range.first);
  const auto end = rows.begin() + static_cast<std::ptrdiff_t>(range.last + 1);
  return std::ranges::max_element(begin, end, {}, &Iteration::duration_ns) - rows.begin();
}

int64_t typical_iteration(const IterationTable& table, const IterationRange& range) {
  const auto medians = category_medians(table, range);
  int64_t nearest = range.first, least_ns = INT64_MAX;
  for (int64_t i = range.first; i <= range.last; ++i) {
    int64_t distance_ns = 0;
    for (std::size_t c = 0; c < kCategoryCount; ++c) {
      distance_ns +=
          std::abs(table.facts[static_cast<std::size_t>(i)].per_device.ns[c] - medians[c]);
    }
    if (distance_ns >= least_ns) continue;
    least_ns = distance_ns;
    nearest = i;
  }
  return nearest;
}

PartDifferences part_differences(const IterationComparison& comparison) {
  PartDifferences parts;
  for (const CategoryDifference& row : comparison.categories) {
    int64_t& part =
        row.category == Category::memory ? parts.memory
        : row.category == Category::tensor_core_kernels || row.category == Category::other_kernels
            ? parts.kernels
            : parts.idle;
    part += row.difference_ns();
  }
  parts.communication =
      comparison.communication.exposed_ns - comparison.baseline_communication.exposed_ns;
  parts.kernels -= parts.communication;
  return parts;
}

IterationComparison compare_iterations(const Profile& profile, const IterationTable& table,
                                       int64_t iteration, int64_t baseline) {
  const auto here = static_cast<std::size_t>(iteration), there = static_cast<std::size_t>(baseline);
  const auto& rows = table.iterations.rows;
  IterationComparison result;
  result.iteration = iteration;
  result.baseline = baseline;
  result.duration_ns = rows[here].duration_ns();
  result.baseline_duration_ns = rows[there].duration_ns();
  result.communication = table.facts[here].communication_per_device;
  result.baseline_communication = table.facts[there].communication_per_device;
  for (const Category category : kCategories) {
    result.categories.push_back({category, table.facts[here].per_device[category],
                                 table.facts[there].per_device[category]});
  }
  result.ops = op_differences(profile, rows[here], rows[there]);
  const OpDifference idle{OpIndex(), true, idle_ns(table.facts[here].per_device),
                          idle_ns(table.facts[there].per_device)};
  if (idle.difference_ns() != 0 && profile.kernels.size() > 0) result.ops.push_back(idle);
  sort_by_difference(result.ops);
  result.kernels = kernel_differences(profile, rows[here], rows[there]);
  return result;
}

}  // namespace dlview::aggregate
