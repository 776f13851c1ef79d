#include "aggregate/op_instances.h"

#include <algorithm>

#include "aggregate/instance_times.h"

namespace dlview::aggregate {
namespace {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::OpIndex;
using profile::Row;

// Calls use(instance, iteration) for the instances that lie in the range and that the filters keep.
template <typename Use>
void for_each_in_range(const Aggregation& aggregation, const RowFilter& filter,
                       std::span<const InstanceIndex> instances, const Use& use) {
  const std::vector<Iteration>& iterations = aggregation.iteration_table->iterations.rows;
  const IterationRange range = aggregation.selection.range;
  auto iteration = range.first;
  for (const InstanceIndex instance : instances) {
    while (iteration <= range.last &&
           iterations[static_cast<std::size_t>(iteration)].last_instance <= instance) {
      ++iteration;
    }
    if (iteration > range.last) return;
    if (instance >= iterations[static_cast<std::size_t>(iteration)].first_instance &&
        filter.counts_instance(instance)) {
      use(instance, iteration);
    }
  }
}

// Calls use(kernel, instance, iteration) for those of this name that these instances
// launched.
template <typename Use>
void for_each_kernel(const profile::Profile& profile, const Aggregation& aggregation,
                     std::span<const InstanceIndex> instances, profile::StringId name,
                     const Use& use) {
  const RowFilter filter(profile, aggregation.selection.filters);
  for_each_in_range(aggregation, filter, instances, [&](InstanceIndex instance, int64_t iteration) {
    const KernelIndex last = profile.instances.first_kernel[instance + 1];
    for (KernelIndex row = profile.instances.first_kernel[instance]; row < last; ++row) {
      const bool counts = profile.kernels.name[row] == name && filter.counts_kernel(row);
      if (counts) use(row, instance, iteration);
    }
  });
}

int64_t duration_ns(const profile::Profile& profile, KernelIndex kernel) {
  return profile.kernels.gpu_stop_ns[kernel] - profile.kernels.gpu_start_ns[kernel];
}

}  // namespace

OpInstances::OpInstances(const profile::Profile& profile)
    : first_(profile.ops.size() + 1), rows_(profile.instances.size()) {
  for (const Row op : profile.instances.op) ++first_[op + 1];
  for (std::size_t op = 0; op + 1 < first_.size(); ++op) first_[op + 1] += first_[op];
  std::vector<Row> next(first_.begin(), first_.end() - 1);
  for (InstanceIndex instance{0}; instance < rows_.size(); ++instance) {
    rows_[next[profile.instances.op[instance]]++] = instance;
  }
}

InstanceDurations instance_durations(const profile::Profile& profile,
                                     const Aggregation& aggregation,
                                     std::span<const InstanceIndex> instances) {
  InstanceTimer timer(profile);
  const RowFilter filter(profile, aggregation.selection.filters);
  std::vector<DurationSample> gpu, cpu;
  bool uses_gpu = false;
  for_each_in_range(aggregation, filter, instances, [&](InstanceIndex instance, int64_t iteration) {
    const InstanceTimes times = timer.times_of(instance, filter);
    gpu.push_back({times.gpu, iteration, instance});
    cpu.push_back({times.cpu, iteration, instance});
    uses_gpu = uses_gpu || times.gpu > 0;
  });
  return {std::move(uses_gpu ? gpu : cpu), uses_gpu};
}

InstanceDurations iteration_durations(const profile::Profile& profile,
                                      const Aggregation& aggregation, const OpInstances& instances,
                                      std::span<const OpIndex> ops) {
  std::vector<InstanceIndex> rows;
  for (const OpIndex op : ops) {
    const std::span<const InstanceIndex> of_op = instances.of(op);
    rows.insert(rows.end(), of_op.begin(), of_op.end());
  }
  std::ranges::sort(rows);
  InstanceDurations durations = instance_durations(profile, aggregation, rows);
  std::vector<DurationSample> sums;
  for (const DurationSample& sample : durations.samples) {
    if (sums.empty() || sums.back().iteration != sample.iteration) {
      sums.push_back(sample);
    } else {
      sums.back().ns += sample.ns;
    }
  }
  durations.samples = std::move(sums);
  return durations;
}

std::vector<DurationSample> kernel_durations(const profile::Profile& profile,
                                             const Aggregation& aggregation,
                                             std::span<const InstanceIndex> instances,
                                             profile::StringId kernel) {
  std::vector<DurationSample> samples;
  for_each_kernel(profile, aggregation, instances, kernel,
                  [&](KernelIndex row, InstanceIndex instance, int64_t iteration) {
                    samples.push_back({duration_ns(profile, row), iteration, instance});
                  });
  return samples;
}

std::vector<FullNameUse> full_names(const profile::Profile& profile, const Aggregation& aggregation,
                                    std::span<const InstanceIndex> instances,
                                    profile::StringId kernel) {
  std::vector<FullNameUse> names;  // few
  for_each_kernel(profile, aggregation, instances, kernel,
                  [&](KernelIndex row, InstanceIndex, int64_t) {
                    const profile::StringId name = profile.kernels.long_name[row];
                    auto use = std::ranges::find(names, name, &FullNameUse::name);
                    if (use == names.end()) use = names.insert(use, {name, row});
                    ++use->launches;
                    use->gpu_ns += duration_ns(profile, row);
                  });
  std::ranges::stable_sort(names, std::ranges::greater(), &FullNameUse::gpu_ns);
  return names;
}

LaunchSums launch_sums(const profile::Profile& profile, const Aggregation& aggregation,
                       std::span<const InstanceIndex> instances, profile::StringId kernel) {
  LaunchSums sums;
  for_each_kernel(profile, aggregation, instances, kernel,
                  [&](KernelIndex row, InstanceIndex, int64_t) {
                    const auto attributes = profile::launch_attributes(profile, row);
                    if (attributes.registers_per_thread) {
                      sums.registers_per_thread.add(*attributes.registers_per_thread);
                    }
                    if (attributes.shared_bytes) sums.shared_bytes.add(*attributes.shared_bytes);
                    sums.means.add(attributes, duration_ns(profile, row));
                  });
  return sums;
}

Distribution distribution(std::vector<DurationSample> samples, std::size_t bins) {
  Distribution result;
  result.bins.resize(bins);
  if (samples.empty()) return result;
  std::ranges::stable_sort(samples, {}, &DurationSample::ns);
  std::vector<int64_t> sorted;
  sorted.reserve(samples.size());
  for (const DurationSample& sample : samples) sorted.push_back(sample.ns);
  result.min = sorted.front();
  result.median = percentile(sorted, 0.5);
  result.p95 = percentile(sorted, 0.95);
  result.max = sorted.back();
  const double width = static_cast<double>(result.max - result.min) / static_cast<double>(bins);
  for (const int64_t ns : sorted) {
    const auto bin =
        width > 0 ? static_cast<std::size_t>(static_cast<double>(ns - result.min) / width) : 0;
    ++result.bins[std::min(bin, bins - 1)];
  }
  const std::size_t slowest = std::min(kSlowest, samples.size());
  result.slowest.assign(samples.rbegin(), samples.rbegin() + static_cast<std::ptrdiff_t>(slowest));
  return result;
}

}  // namespace dlview::aggregate
