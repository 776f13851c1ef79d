// What each device did when, as disjoint intervals: the resource breakdown of the whole capture. It
// does not depend on the selection but for its filters; a cut only asks how much of each category
// lies in an iteration.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "aggregate/breakdown.h"
#include "aggregate/communication.h"
#include "base/intervals.h"
#include "profile/profile.h"

namespace dlview::aggregate::cpu {

// What ran on a device, in any order.
struct DeviceEvents {
  std::vector<base::Interval> tensor_core_kernels, other_kernels, memory;
  // The kernels again; both stay empty in a run without communication.
  std::vector<base::Interval> communication, computation;
};

// What the host did while nothing ran on the device, whatever filters keep (decisions.md 25).
struct HostTimeline {
  base::IntervalSet data_loader, cpu;
};

struct DeviceTimeline {
  // Exclusive, by precedence; I/O is not in the raw rows and Other is what remains.
  base::IntervalSet tensor_core_kernels, other_kernels, memory;
  std::shared_ptr<const HostTimeline> host;
  // Beside the others: all communication, and what of it no other kernel hides.
  base::IntervalSet communication, exposed_communication;

  // Splits [start_ns, stop_ns); sums to stop - start.
  Breakdown between(int64_t start_ns, int64_t stop_ns) const;
  CommunicationTime communication_between(int64_t start_ns, int64_t stop_ns) const;
};

// One timeline per device row. `communicates`: profile::communication_kernels().
std::vector<DeviceTimeline> device_timelines(const profile::Profile& profile,
                                             const std::vector<uint8_t>& communicates);

// The same of some of the events only, one entry per device row; the host is as in `all`.
std::vector<DeviceTimeline> device_timelines(std::vector<DeviceEvents> events,
                                             const std::vector<DeviceTimeline>& all);

}  // namespace dlview::aggregate::cpu
