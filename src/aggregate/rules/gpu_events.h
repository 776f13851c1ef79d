// The work of each GPU for each process in order of start, as detectors sweep it.
#pragma once

#include <cstdint>
#include <vector>

#include "aggregate/gaps/gpu_work_times.h"
#include "profile/profile.h"

namespace dlview::aggregate {

struct GpuEvent {
  int64_t start_ns = 0, stop_ns = 0;
  int64_t launch_ns = 0;   // start of the API call; meaningless unless has_launch
  bool has_launch = true;  // false: the file does not say which call launched it
  profile::Row row = 0;    // of Profile::kernels or Profile::memory_ops
  bool is_kernel = false;
  // A kernel, or a memory operation in a stream that runs kernels, which holds these up. All where
  // streams are not recorded.
  bool is_in_compute_stream = false;
};

struct GpuEvents {
  int64_t process_id = 0;
  profile::DeviceIndex device{0};
  std::vector<GpuEvent> rows;  // in order of start
};

// In order of process and device. Sorts all events.
std::vector<GpuEvents> events_of_gpus(const profile::Profile& profile);

// By row of Profile::memory_ops: whether it ran in a stream with kernels.
std::vector<bool> in_compute_streams(const profile::Profile& profile);

// When each GPU works, for any process; in order of device.
std::vector<GpuWorkTimes> work_times(const profile::Profile& profile,
                                     const std::vector<GpuEvents>& events);

profile::InstanceIndex instance_of(const profile::Profile& profile, const GpuEvent& event);
// Returns the thread that launched the event.
profile::ThreadIndex thread_of(const profile::Profile& profile, const GpuEvent& event);

// Calls use(gap start, event that ends the gap) for each gap between the events that `counts`, in
// order of time.
template <typename Counts, typename Use>
void for_each_gap(const GpuEvents& events, const Counts& counts, const Use& use) {
  bool is_first = true;
  int64_t busy_until_ns = 0;
  for (const GpuEvent& event : events.rows) {
    if (event.stop_ns <= event.start_ns || !counts(event)) continue;
    if (!is_first && event.start_ns > busy_until_ns) use(busy_until_ns, event);
    busy_until_ns = is_first || event.stop_ns > busy_until_ns ? event.stop_ns : busy_until_ns;
    is_first = false;
  }
}

}  // namespace dlview::aggregate
