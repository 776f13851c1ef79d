#include "aggregate/gaps/host_activity.h"

#include <algorithm>
#include <cstddef>

namespace dlview::aggregate {

using profile::InstanceIndex;
using profile::Row;
using profile::ThreadIndex;

HostActivity::HostActivity(const profile::Profile& profile)
    : profile_(profile),
      instances_(
          profile.threads.size(), profile.instances.size(),
          [&](Row row) { return profile.instances.thread[row]; },
          [this](Row row) { return instance_time(InstanceIndex(row)); }),
      calls_(
          profile.threads.size(),
          profile.memory_ops.size() + profile.syncs.size() + profile.api_calls.size(),
          [this](Row call) { return call_thread(call); },
          [this](Row call) { return call_time(call); }) {}

bool HostActivity::launches_in(ThreadIndex thread, const base::Interval& time) const {
  constexpr std::size_t kMostLookedAt = 4096;
  const auto instances = instances_.beginning_in(
      thread, time, [this](Row row) { return instance_time(InstanceIndex(row)); });
  const auto launches = [&all = profile_.instances](Row row) {
    const InstanceIndex i(row);
    return all.first_kernel[i + 1] > all.first_kernel[i] ||
           all.first_memory_op[i + 1] > all.first_memory_op[i];
  };
  const auto looked_at = instances.first(std::min(instances.size(), kMostLookedAt));
  return std::ranges::any_of(looked_at, launches) || looked_at.size() < instances.size();
}

template <typename Use>
auto HostActivity::with_call(Row call, const Use& use) const {
  const std::size_t memory_ops = profile_.memory_ops.size(), syncs = profile_.syncs.size();
  if (call < memory_ops) return use(profile_.memory_ops, call);
  if (call < memory_ops + syncs) return use(profile_.syncs, call - memory_ops);
  return use(profile_.api_calls, call - memory_ops - syncs);
}

ThreadIndex HostActivity::call_thread(Row call) const {
  return with_call(call, [](const auto& table, std::size_t row) { return table.thread[row]; });
}

base::Interval HostActivity::call_time(Row call) const {
  return with_call(call, [](const auto& table, std::size_t row) {
    return base::Interval{table.api_start_ns[row], table.api_stop_ns[row]};
  });
}

profile::StringId HostActivity::call_name(Row call) const {
  return with_call(
      call, [](const auto& table, std::size_t row) { return profile::StringId{table.name[row]}; });
}

}  // namespace dlview::aggregate
