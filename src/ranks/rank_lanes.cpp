#include "ranks/rank_lanes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "aggregate/aggregator.h"
#include "base/stop_point.h"
#include "profile/recorded_work.h"
#include "ranks/collective_calls.h"

namespace dlview::ranks {
namespace {

constexpr std::size_t kKernelsBetweenStops = 1U << 16U;

}  // namespace

RankLanes rank_lanes(const RankInput& input) {
  const profile::Profile& profile = *input.profile;
  const aggregate::Aggregation aggregation =
      aggregate::make_cpu_aggregator(input.profile)->aggregate(input.selection);
  const aggregate::IterationRange range = aggregation.selection.range;
  const RankCalls matched = rank_calls(
      profile, aggregation, iteration_numbers(aggregation.iteration_table->iterations, range));
  RankLanes lanes;
  lanes.rank = input.identity.rank.value_or(0);
  std::map<std::string, int64_t> places;
  std::set<profile::KernelIndex> synchronizing;
  for (const RankCall& call : matched.calls) {
    const auto [group, is_new] =
        places.try_emplace(call.group, static_cast<int64_t>(lanes.groups.size()));
    if (is_new) lanes.groups.push_back(call.group);
    lanes.calls.push_back(
        {call.start_ns, call.stop_ns, group->second, call.place, call.collective});
    synchronizing.insert(call.kernel);
  }
  std::vector<bool> is_own(profile.devices.size(), input.identity.devices.empty());
  for (const profile::DeviceIndex device : input.identity.devices) is_own[device] = true;
  const std::vector<uint8_t> communicates = profile::communication_kernels(profile);
  std::vector<base::Interval> computing;
  for (profile::KernelIndex kernel{0}; kernel < profile.kernels.size(); ++kernel) {
    if (kernel % kKernelsBetweenStops == 0) base::stop_point();
    if (!is_own[profile.device_of_kernel(kernel)]) continue;
    const int64_t start = profile.kernels.gpu_start_ns[kernel];
    const int64_t stop = profile.kernels.gpu_stop_ns[kernel];
    if (communicates.empty() || communicates[kernel] == 0) {
      computing.push_back({start, stop});
    } else if (!synchronizing.contains(kernel)) {
      lanes.calls.push_back({start, stop});
    }
  }
  lanes.computing = base::IntervalSet::union_of(std::move(computing));
  std::ranges::sort(lanes.calls, {},
                    [](const LaneCall& call) { return std::pair(call.start_ns, call.stop_ns); });
  return lanes;
}

}  // namespace dlview::ranks
