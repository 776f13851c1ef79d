#include "aggregate/gaps/host_activity.h"

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
          [this](Row call) { return call_time(call); }) {
  launching_before_.reserve(profile.instances.size() + 1);
  launching_before_.push_back(0);
  for (const Row row : instances_.spans()) {
    const InstanceIndex i(row);
    const bool launches =
        profile.instances.first_kernel[i + 1] > profile.instances.first_kernel[i] ||
        profile.instances.first_memory_op[i + 1] > profile.instances.first_memory_op[i];
    launching_before_.push_back(launching_before_.back() + (launches ? 1 : 0));
  }
}

bool HostActivity::launches_in(ThreadIndex thread, const base::Interval& time) const {
  const auto [first, end] = instances_.beginning_in(
      thread, time, [this](Row row) { return instance_time(InstanceIndex(row)); });
  return launching_before_[end] > launching_before_[first];
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
