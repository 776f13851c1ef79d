#include "aggregate/aggregation.h"

#include <algorithm>
#include <cmath>

namespace dlview::aggregate {
namespace {

// 100 * part / whole, 0 for an empty whole.
double percent(int64_t part, int64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

template <typename T>
bool same_content(const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

}  // namespace

bool Aggregation::operator==(const Aggregation& other) const {
  return selection == other.selection && same_content(iteration_table, other.iteration_table) &&
         range_ns == other.range_ns && wall_ns == other.wall_ns && ops == other.ops &&
         op_types == other.op_types && groups == other.groups && kernels == other.kernels &&
         devices == other.devices && model_times == other.model_times &&
         breakdown == other.breakdown && communication == other.communication &&
         io_recorded == other.io_recorded && all_ops == other.all_ops &&
         eligible_ops == other.eligible_ops && tensor_core_ops == other.tensor_core_ops &&
         other_ops == other.other_ops && all_kernels == other.all_kernels &&
         tensor_core_kernels == other.tensor_core_kernels && other_kernels == other.other_kernels &&
         memory == other.memory && kernel_launches == other.kernel_launches &&
         memory_op_count == other.memory_op_count &&
         tensor_core_kernel_ns == other.tensor_core_kernel_ns &&
         eligible_kernel_ns == other.eligible_kernel_ns && advice == other.advice &&
         same_content(unfiltered, other.unfiltered);
}

double Aggregation::gpu_utilization() const {
  int64_t busy_ns = 0, kept = 0;
  for (const DeviceAggregate& device : devices) {
    busy_ns += device.kernel_union_ns;
    if (device.is_kept) ++kept;
  }
  return percent(busy_ns, range_ns * kept);
}

double Aggregation::gpu_utilization_used() const {
  int64_t busy_ns = 0, used = 0;
  for (const DeviceAggregate& device : devices) {
    busy_ns += device.kernel_union_ns;
    if (device.kernel_union_ns > 0) ++used;
  }
  return percent(busy_ns, range_ns * used);
}

double Aggregation::device_utilization(const DeviceAggregate& device) const {
  return percent(device.kernel_union_ns, range_ns);
}

double Aggregation::iteration_gpu_utilization(std::size_t iteration) const {
  const Breakdown& sum = iteration_table->facts[iteration].device_sum;
  return percent(
      sum[Category::tensor_core_kernels] + sum[Category::other_kernels] + sum[Category::memory],
      iteration_table->iterations.rows[iteration].duration_ns() * iteration_table->device_count);
}

double Aggregation::tensor_core_efficiency() const {
  return percent(tensor_core_kernel_ns, eligible_kernel_ns);
}

double Aggregation::share(Category category) const {
  return share(breakdown[category]);
}

double Aggregation::share(int64_t device_sum_ns) const {
  return percent(device_sum_ns, breakdown.total());
}

double Aggregation::average_iteration_ns() const {
  return static_cast<double>(wall_ns) / static_cast<double>(selection.range.size());
}

double Aggregation::iteration_standard_deviation_ns() const {
  const auto count = static_cast<double>(selection.range.size());
  const double mean = static_cast<double>(range_ns) / count;
  double squares = 0;
  for (int64_t i = selection.range.first; i <= selection.range.last; ++i) {
    const Iteration& iteration = iteration_table->iterations.rows[static_cast<std::size_t>(i)];
    const double deviation = static_cast<double>(iteration.duration_ns()) - mean;
    squares += deviation * deviation;
  }
  return std::sqrt(squares / count);
}

std::vector<int64_t> sorted_durations(const Aggregation& aggregation) {
  const IterationTable& table = *aggregation.iteration_table;
  const IterationRange& range = aggregation.selection.range;
  std::vector<int64_t> durations;
  durations.reserve(static_cast<std::size_t>(range.size()));
  for (const uint32_t i : table.by_duration) {
    if (int64_t{i} < range.first || int64_t{i} > range.last) continue;
    durations.push_back(table.iterations.rows[i].duration_ns());
  }
  return durations;
}

int64_t percentile(const std::vector<int64_t>& sorted, double fraction) {
  if (sorted.empty()) return 0;
  const double rank = std::ceil(fraction * static_cast<double>(sorted.size()));
  const auto i = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
  return sorted[std::min(i, sorted.size() - 1)];
}

}  // namespace dlview::aggregate
