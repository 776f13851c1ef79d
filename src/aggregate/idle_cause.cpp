#include "aggregate/idle_cause.h"

#include <algorithm>
#include <vector>

namespace dlview::aggregate {
namespace {

constexpr int64_t kShortestShare = 100;

}  // namespace

IdleCauses::Causes IdleCauses::find_causes(int64_t number) const {
  const std::vector<Iteration>& rows = iterations_.rows;
  const auto i = static_cast<std::size_t>(number);
  const Iteration& iteration = rows[i];
  // Gaps that reach in from the iterations beside it.
  const int64_t from_ns = rows[i == 0 ? i : i - 1].start_ns,
                to_ns = rows[std::min(i + 1, rows.size() - 1)].stop_ns;
  const int64_t shortest_ns = iteration.duration_ns() / kShortestShare;
  Causes causes;
  for (const GpuWorkTimes& gpu : rules_.gpus()) {
    const auto add = [&](const GpuWorkTimes::Gap& gap) {
      const int64_t ns =
          std::min(gap.stop_ns, iteration.stop_ns) - std::max(gap.start_ns, iteration.start_ns);
      if (ns <= shortest_ns) return;
      CauseTime& cause =
          causes[rules_.idle_gaps().cause(gpu.device(), gap.start_ns, gap.stop_ns, gap.instance)];
      cause.ns += ns;
      if (ns <= cause.longest_ns) return;
      cause.longest_ns = ns;
      cause.longest = gap;
      cause.device = gpu.device();
    };
    gpu.for_each_longer(gpu.gaps_in(from_ns, to_ns), shortest_ns, add);
  }
  return causes;
}

const IdleCauses::Causes& IdleCauses::causes_of(int64_t number) {
  const auto known = by_iteration_.find(number);
  if (known != by_iteration_.end()) return known->second;
  return by_iteration_.emplace(number, find_causes(number)).first->second;
}

std::optional<HostTime> IdleCauses::difference(int64_t longer, int64_t shorter) {
  const Causes &here = causes_of(longer), &there = causes_of(shorter);
  const CauseTime* most = nullptr;
  int64_t most_ns = 0;
  for (const auto& [cause, time] : here) {
    const auto same = there.find(cause);
    const int64_t more_ns = time.ns - (same == there.end() ? 0 : same->second.ns);
    if (more_ns <= most_ns) continue;
    most_ns = more_ns;
    most = &time;
  }
  if (most == nullptr) return std::nullopt;
  const GpuWorkTimes::Gap& gap = most->longest;
  return rules_.idle_gaps().host_time(most->device, gap.start_ns, gap.stop_ns, gap.instance);
}

}  // namespace dlview::aggregate
