#include "aggregate/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "aggregate/instance_times.h"
#include "base/units.h"
#include "profile/communication.h"

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

constexpr double kLeastChange = 0.05, kShareAlike = 0.8;
constexpr std::size_t kFewestKernels = 3;
constexpr int64_t kAhead = 2;  // iterations

struct NamedTime {
  int64_t ns = 0, count = 0;
};
using TimesByName = std::map<std::pair<OpIndex, profile::StringId>, NamedTime>;

TimesByName times_by_name(const Profile& profile, const Iterations& iterations, int64_t number) {
  TimesByName times;
  const profile::Kernels& kernels = profile.kernels;
  const auto row = [&](int64_t i) { return iterations.rows[static_cast<std::size_t>(i)]; };
  const Iteration iteration = row(number);
  const KernelIndex first = kernels_of(profile, row(std::max<int64_t>(0, number - kAhead))).first,
                    last = kernels_of(profile, iteration).last;
  for (KernelIndex i = first; i < last; ++i) {
    if (kernels.gpu_start_ns[i] < iteration.start_ns ||
        kernels.gpu_start_ns[i] >= iteration.stop_ns) {
      continue;
    }
    NamedTime& time = times[{profile.instances.op[kernels.instance[i]], kernels.name[i]}];
    time.ns += kernels.gpu_stop_ns[i] - kernels.gpu_start_ns[i];
    ++time.count;
  }
  std::erase_if(times, [&](const auto& entry) {
    return profile::communication_of(profile.text(entry.first.second)).has_value();
  });
  return times;
}

struct Change {
  double factor = 1, baseline_ns = 0;
};

constexpr int64_t kNamedShare = 5;  // a fifth

std::string signed_text(int64_t ns) {
  return fmt::format("{}{}", ns < 0 ? "−" : "+", base::format_duration(std::abs(ns)));
}

// Returns whether both are longer, or both shorter.
bool is_same_way(int64_t difference_ns, int64_t whole_ns) {
  return difference_ns != 0 && (difference_ns < 0) == (whole_ns < 0);
}

// ": GPU idle +1.13 ms, kernels +0.3 ms"; empty where no part differs as the whole does.
std::string parts_text(int64_t whole_ns, const PartDifferences& parts) {
  std::array<std::pair<int64_t, std::string_view>, 4> all{
      {{parts.idle, "GPU idle"},
       {parts.communication, "exposed communication"},
       {parts.kernels, "kernels"},
       {parts.memory, "memory operations"}}};
  std::ranges::stable_sort(all, std::ranges::greater{},
                           [](const auto& part) { return std::abs(part.first); });
  std::string text;
  for (const auto& [ns, name] : all) {
    if (kNamedShare * std::abs(ns) < std::abs(whole_ns) || ns == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? ": " : ", ", name, signed_text(ns));
  }
  return text;
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

double kernel_slowdown(const Profile& profile, const Iterations& iterations, int64_t iteration,
                       int64_t baseline) {
  const TimesByName here = times_by_name(profile, iterations, iteration);
  std::vector<Change> changes;
  double all_ns = 0;
  for (const auto& [name, before] : times_by_name(profile, iterations, baseline)) {
    all_ns += static_cast<double>(before.ns);
    const auto after = here.find(name);
    if (after == here.end() || after->second.count != before.count || before.ns == 0) continue;
    changes.push_back({static_cast<double>(after->second.ns) / static_cast<double>(before.ns),
                       static_cast<double>(before.ns)});
  }
  if (changes.size() < kFewestKernels) return 1;
  std::ranges::sort(changes, {}, &Change::factor);
  double median = 1, before_ns = 0;
  for (const Change& change : changes) {
    before_ns += change.baseline_ns;
    if (2 * before_ns < all_ns) continue;
    median = change.factor;
    break;
  }
  if (std::abs(median - 1) < kLeastChange) return 1;
  double alike_ns = 0;
  for (const Change& change : changes) {
    const bool is_alike = (change.factor - 1) / (median - 1) >= 0.5;
    if (is_alike) alike_ns += change.baseline_ns;
  }
  return alike_ns >= kShareAlike * all_ns ? median : 1;
}

std::string change_text(const profile::Profile& profile, const IterationComparison& comparison) {
  const int64_t difference_ns = comparison.duration_ns - comparison.baseline_duration_ns;
  std::string text = fmt::format("Iteration {} ", comparison.iteration);
  if (difference_ns == 0) {
    return text + fmt::format("takes as long as iteration {}.", comparison.baseline);
  }
  text += fmt::format("is {} {} than iteration {}", base::format_duration(std::abs(difference_ns)),
                      difference_ns < 0 ? "shorter" : "longer", comparison.baseline);
  const bool has_gpu_activity = profile.kernels.size() + profile.memory_ops.size() > 0;
  const std::string parts =
      has_gpu_activity ? parts_text(difference_ns, part_differences(comparison)) : "";
  if (!parts.empty()) return text + parts + ".";
  for (const OpDifference& op : comparison.ops) {
    if (!is_same_way(op.difference_ns(), difference_ns)) continue;
    return text + fmt::format(": {} {}.",
                              op.is_idle() ? "GPU idle" : profile.text(profile.ops.name[op.op]),
                              signed_text(op.difference_ns()));
  }
  return text + ".";
}

}  // namespace dlview::aggregate
