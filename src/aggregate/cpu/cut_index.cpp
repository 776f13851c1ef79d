#include "aggregate/cpu/cut_index.h"

#include <algorithm>

namespace dlview::aggregate::cpu {
namespace {

using profile::Row;

void add_kernel(const profile::Profile& profile, Row k, KernelTotals& totals) {
  const auto& kernels = profile.kernels;
  const int64_t duration_ns = kernels.gpu_stop_ns[k] - kernels.gpu_start_ns[k];
  ++totals.count;
  totals.gpu_ns += duration_ns;
  if (kernels.uses_tensor_cores[k] == 0) return;
  ++totals.tensor_core_count;
  totals.tensor_core_gpu_ns += duration_ns;
}

KernelTotals kernel_totals(const profile::Profile& profile, const KeptRows* kept,
                           const Iteration& iteration) {
  KernelTotals totals;
  const Row first = profile.instances.first_kernel[iteration.first_instance];
  const Row end = profile.instances.first_kernel[iteration.last_instance];
  if (kept == nullptr) {
    for (Row k = first; k < end; ++k) add_kernel(profile, k, totals);
  } else {
    for (const Row k : rows_between(kept->kernels, first, end)) add_kernel(profile, k, totals);
  }
  return totals;
}

// decisions.md 8: floor of the mean over devices; Other takes what rounding leaves.
Breakdown mean_per_device(const Breakdown& sum, int64_t device_count, int64_t duration_ns) {
  Breakdown mean;
  if (device_count > 0) {
    for (const Category category : kCategories) mean[category] = sum[category] / device_count;
  }
  mean[Category::other] = 0;
  mean[Category::other] = duration_ns - mean.total();
  return mean;
}

CommunicationTime mean_per_device(const CommunicationTime& sum, int64_t device_count) {
  if (device_count == 0) return {};
  return {sum.ns / device_count, sum.exposed_ns / device_count};
}

}  // namespace

CutIndex::CutIndex(const profile::Profile& profile, const std::vector<DeviceTimeline>& timelines,
                   const Cut& wanted)
    : cut(wanted), device_prefix_(timelines.size()), communication_prefix_(timelines.size()) {
  auto built = std::make_shared<IterationTable>();
  built->iterations = cut_iterations(profile, cut);
  built->by_duration = order_by_duration(built->iterations);
  built->device_count = static_cast<int64_t>(timelines.size());
  built->has_communication = std::ranges::any_of(
      timelines, [](const DeviceTimeline& device) { return !device.communication.empty(); });
  add_facts(profile, timelines, nullptr, *built);
  table = std::move(built);
}

CutIndex::CutIndex(const profile::Profile& profile, const std::vector<DeviceTimeline>& timelines,
                   const KeptRows& kept, const CutIndex& whole)
    : cut(whole.cut), device_prefix_(timelines.size()), communication_prefix_(timelines.size()) {
  auto built = std::make_shared<IterationTable>();
  built->iterations = whole.table->iterations;
  built->by_duration = whole.table->by_duration;
  built->device_count = whole.table->device_count;
  built->has_communication = whole.table->has_communication;
  add_facts(profile, timelines, &kept, *built);
  table = std::move(built);
}

void CutIndex::add_facts(const profile::Profile& profile,
                         const std::vector<DeviceTimeline>& timelines, const KeptRows* kept,
                         IterationTable& built) {
  const auto& rows = built.iterations.rows;
  for (std::size_t d = 0; d < timelines.size(); ++d) {
    device_prefix_[d].resize(rows.size() + 1);
    if (!timelines[d].communication.empty()) communication_prefix_[d].resize(rows.size() + 1);
  }
  built.facts.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Iteration& iteration = rows[i];
    IterationFacts facts;
    for (std::size_t d = 0; d < timelines.size(); ++d) {
      const Breakdown part = timelines[d].between(iteration.start_ns, iteration.stop_ns);
      facts.device_sum += part;
      device_prefix_[d][i + 1] = device_prefix_[d][i];
      device_prefix_[d][i + 1] += part;
      if (communication_prefix_[d].empty()) continue;
      const CommunicationTime communication =
          timelines[d].communication_between(iteration.start_ns, iteration.stop_ns);
      facts.communication_device_sum += communication;
      communication_prefix_[d][i + 1] = communication_prefix_[d][i];
      communication_prefix_[d][i + 1] += communication;
    }
    facts.per_device =
        mean_per_device(facts.device_sum, built.device_count, iteration.duration_ns());
    facts.communication_per_device =
        mean_per_device(facts.communication_device_sum, built.device_count);
    facts.kernels = kernel_totals(profile, kept, iteration);
    built.facts.push_back(facts);
  }
}

Breakdown CutIndex::device_breakdown(std::size_t device, const IterationRange& range) const {
  const Breakdown& before = device_prefix_[device][static_cast<std::size_t>(range.first)];
  Breakdown result = device_prefix_[device][static_cast<std::size_t>(range.last) + 1];
  for (const Category category : kCategories) result[category] -= before[category];
  return result;
}

CommunicationTime CutIndex::device_communication(std::size_t device,
                                                 const IterationRange& range) const {
  if (communication_prefix_[device].empty()) return {};
  const CommunicationTime& before =
      communication_prefix_[device][static_cast<std::size_t>(range.first)];
  const CommunicationTime& reached =
      communication_prefix_[device][static_cast<std::size_t>(range.last) + 1];
  return {reached.ns - before.ns, reached.exposed_ns - before.exposed_ns};
}

}  // namespace dlview::aggregate::cpu
