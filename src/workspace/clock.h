// How the times of two open runs relate, so that both can be shown on one axis.
#pragma once

#include <cstdint>

#include "workspace/run_model.h"

namespace dlview::workspace {

struct ClockOffset {
  enum class By {
    wall_clock,   // both files say when they began, and they recorded at the same time
    range_start,  // else: the first iterations of both ranges begin together
    typical,      // of compared runs: the typical iterations of both ranges do
  };
  int64_t ns = 0;  // to add to a time of the other run
  By by = By::range_start;
  bool operator==(const ClockOffset&) const = default;
};

// Both runs are open and have their aggregation.
ClockOffset clock_offset(const RunModel& shown, const RunModel& other);
// By the typical iterations, to compare these.
ClockOffset typical_offset(const RunModel& shown, const RunModel& other);
// The typical iteration of the range; 0 in a run that is not split.
int64_t typical_iteration(const RunModel& run);

}  // namespace dlview::workspace
