// RowFilter: the filters of a selection, looked up in a profile once and then applied row by row.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "aggregate/filter.h"
#include "profile/profile.h"

namespace dlview::aggregate {

class RowFilter {
 public:
  // `profile` must outlive it. A value that the profile does not hold keeps nothing.
  RowFilter(const profile::Profile& profile, const std::vector<Filter>& filters);

  // Returns whether the instance matches: by its op, and by its GPU events if a filter needs them.
  bool counts_instance(profile::InstanceIndex instance) const;
  // Whether the event counts; its time is then summed in full, though unions clip it.
  bool counts_kernel(profile::KernelIndex kernel) const;
  bool counts_memory_op(profile::MemoryOpIndex memory_op) const;

  // The parts of the answers above. An event passes whatever its op and its time.
  bool keeps_op(profile::OpIndex op) const { return op_kept_[op] != 0; }
  bool passes_kernel(profile::KernelIndex kernel) const {
    const auto& kernels = profile_->kernels;
    return passes_kernel(kernels.name[kernel], profile_->device_of_kernel(kernel),
                         kernels.uses_tensor_cores[kernel] != 0);
  }
  bool passes_kernel(profile::StringId name, profile::DeviceIndex device,
                     bool uses_tensor_cores) const {
    return tensor_cores_kept_[uses_tensor_cores ? 1 : 0] &&
           (kernel_names_kept_.empty() || kernel_names_kept_[name] != 0) &&
           device_kept_[device] != 0;
  }
  bool passes_memory_op(profile::MemoryOpIndex memory_op) const {
    return passes_memory_op_on(profile_->memory_ops.device[memory_op]);
  }
  bool passes_memory_op_on(profile::DeviceIndex device) const {
    return memory_kept_ && device_kept_[device] != 0;
  }
  bool starts_inside(int64_t ns) const {
    const auto window = window_from(ns);
    return window != windows_.end() && window->start_ns <= ns;
  }
  // An event starts in the window or runs into it.
  static bool touches(const TimeWindow& window, int64_t gpu_start_ns, int64_t gpu_stop_ns) {
    return gpu_start_ns <= window.stop_ns &&
           (gpu_start_ns >= window.start_ns || gpu_stop_ns > window.start_ns);
  }
  bool touches_any(int64_t gpu_start_ns, int64_t gpu_stop_ns) const {
    // An event that reaches a later window runs through this one.
    const auto window = window_from(gpu_start_ns);
    return window != windows_.end() && touches(*window, gpu_start_ns, gpu_stop_ns);
  }

  // Returns whether filters need events: instances without events do not match.
  bool asks_for_events() const { return asks_for_events_; }
  bool asks_for_time() const { return asks_for_time_; }
  // Disjoint, in order of time; without a filter on time, one without end.
  const std::vector<TimeWindow>& windows() const { return windows_; }
  // The first that does not stop before this time; else the end of windows().
  std::vector<TimeWindow>::const_iterator window_from(int64_t ns) const {
    return std::ranges::lower_bound(windows_, ns, {}, &TimeWindow::stop_ns);
  }

 private:
  void look_up_ops(const std::vector<Filter>& filters);
  void look_up_events(const std::vector<Filter>& filters);
  void look_up_windows(const std::vector<Filter>& filters);

  const profile::Profile* profile_;
  std::vector<uint8_t> op_kept_;                       // by op row
  std::vector<uint8_t> device_kept_;                   // by device row
  std::vector<uint8_t> kernel_names_kept_;             // by StringId; empty = all
  std::array<bool, 2> tensor_cores_kept_{true, true};  // by uses_tensor_cores
  bool memory_kept_ = true;
  bool asks_for_events_ = false, asks_for_time_ = false;
  std::vector<TimeWindow> windows_;
};

}  // namespace dlview::aggregate
