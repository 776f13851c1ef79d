// DeviceTimeline: how much of what one device did lies before any point in time, whatever is
// selected.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregate/cpu/kept_timeline.h"
#include "aggregate/engine/coverage.h"
#include "aggregate/engine/time_order.h"
#include "base/untouched_vector.h"

namespace dlview::aggregate::cpu {

class DeviceTimeline {
 public:
  explicit DeviceTimeline(const TimeOrder& order);

  // The coverage before each of these times, which ascend. Runs on all cores.
  std::vector<Coverage> covered_before(std::span<const int64_t> times_ns) const;
  TimedEvents events() const { return {start_ns_, stop_ns_, cell_, levels_}; }

 private:
  std::vector<Levels> levels_;  // by cell
  // The events in order of their start.
  base::UntouchedVector<int64_t> start_ns_, stop_ns_;
  base::UntouchedVector<uint32_t> cell_;
  std::vector<Sweep> checkpoints_;  // before event i * kStride
  std::vector<int64_t> check_ns_;   // its start
};

}  // namespace dlview::aggregate::cpu
