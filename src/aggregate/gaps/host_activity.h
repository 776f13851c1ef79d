// HostActivity: what the threads of the host did at a time: their op instances, and their CUDA API
// calls but for launches of kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "aggregate/gaps/thread_spans.h"
#include "base/intervals.h"
#include "profile/profile.h"

namespace dlview::aggregate {

class HostActivity {
 public:
  // The profile outlives it.
  explicit HostActivity(const profile::Profile& profile);

  struct Call {
    profile::StringId name = 0;
    base::Interval time;  // in the window
  };

  // Calls use(Call) for the calls that share time with the window, in order of start.
  template <typename Use>
  void for_each_call(profile::ThreadIndex thread, const base::Interval& window,
                     const Use& use) const {
    const auto time_of = [this](profile::Row call) { return call_time(call); };
    calls_.for_each_in(thread, window, time_of, [&](profile::Row call, const auto& part) {
      use(Call{call_name(call), part});
    });
  }
  // Calls use(instance, time in the window).
  template <typename Use>
  void for_each_instance(profile::ThreadIndex thread, const base::Interval& window,
                         const Use& use) const {
    const auto time_of = [this](profile::Row row) {
      return instance_time(profile::InstanceIndex(row));
    };
    instances_.for_each_in(thread, window, time_of, [&](profile::Row row, const auto& part) {
      use(profile::InstanceIndex(row), part);
    });
  }
  // Whether an op instance that launches GPU activity begins in that time.
  bool launches_in(profile::ThreadIndex thread, const base::Interval& time) const;

 private:
  // Calls are numbered table by table: memory operations, synchronizations, others.
  template <typename Use>
  auto with_call(profile::Row call, const Use& use) const;
  profile::ThreadIndex call_thread(profile::Row call) const;
  base::Interval call_time(profile::Row call) const;
  profile::StringId call_name(profile::Row call) const;
  base::Interval instance_time(profile::InstanceIndex instance) const {
    return {profile_.instances.cpu_start_ns[instance], profile_.instances.cpu_stop_ns[instance]};
  }

  const profile::Profile& profile_;
  ThreadSpans instances_, calls_;
  std::vector<uint32_t> launching_before_;  // by place in instances_: those that launch
};

}  // namespace dlview::aggregate
