// DeviceTimeline: how much of what one device did lies before any point in time. It does not depend
// on the selection; filters ask it for some of its events.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregate/cpu/kept.h"
#include "aggregate/engine/coverage.h"
#include "aggregate/engine/time_order.h"

namespace dlview::aggregate::cpu {

class DeviceTimeline {
 public:
  explicit DeviceTimeline(TimeOrder order);

  // The coverage before each of these times, which ascend. Runs on all cores.
  std::vector<Coverage> covered_before(std::span<const int64_t> times_ns) const;
  // The same of the GPU events that are kept; nothing of the host.
  std::vector<Coverage> covered_before(std::span<const int64_t> times_ns, const Kept& kept) const;

 private:
  TimeOrder order_;
  std::vector<Sweep> checkpoints_;  // before event i * kStride
  std::vector<int64_t> check_ns_;   // its start
  std::vector<std::size_t> clean_;  // places in the order where nothing before is still running
};

}  // namespace dlview::aggregate::cpu
