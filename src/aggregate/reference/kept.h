// Filters applied row by row, as spec.md 13 and 22 to 25 define them. Code of the reference only;
// no engine shares it.
#pragma once

#include <utility>
#include <vector>

#include "aggregate/filter.h"
#include "profile/profile.h"

namespace dlview::aggregate::reference {

class Kept {
 public:
  Kept(const profile::Profile& profile, const std::vector<Filter>& filters);

  bool instance(profile::InstanceIndex instance) const;
  // Kernels and memory operations that count.
  bool kernel(profile::KernelIndex kernel) const;
  bool memory_op(profile::MemoryOpIndex memory_op) const;

  // The parts of a union: start and stop of an event's part in the window, for events in the
  // window, of any start, that match the filters on ops and events.
  struct Part {
    profile::Row event = 0;  // of the kernels or of the memory operations
    profile::DeviceIndex device{0};
    int64_t start_ns = 0, stop_ns = 0;
    bool is_kernel = false, uses_tensor_cores = false;
  };
  std::vector<Part> parts(profile::InstanceIndex instance, const TimeWindow& window) const;
  // Windows that overlap are one; all of time when there is no such filter.
  const std::vector<TimeWindow>& windows() const { return windows_; }

 private:
  bool has(FilterKind kind) const;
  // Whether any filter of the kind says yes; true when there is none.
  template <typename Matches>
  bool any_of(FilterKind kind, Matches matches) const;
  bool keeps_op(profile::OpIndex op) const;
  bool keeps_kernel(profile::KernelIndex kernel) const;
  bool keeps_memory_op(profile::MemoryOpIndex memory_op) const;
  bool keeps_device(profile::DeviceIndex device) const;
  bool starts_inside(int64_t ns) const;

  const profile::Profile& profile_;
  std::vector<Filter> filters_;
  std::vector<TimeWindow> windows_;
};

}  // namespace dlview::aggregate::reference
