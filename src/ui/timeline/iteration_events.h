// Which events are those of one iteration: what its op instances did, wherever and whenever it ran,
// and of all that belongs to no op what begins in its time on the host. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "aggregate/iterations.h"
#include "base/intervals.h"
#include "ui/timeline/lanes.h"

namespace dlview::ui::timeline {

class IterationEvents {
 public:
  IterationEvents() = default;
  // Costs a look at all that its op instances did.
  IterationEvents(const profile::Profile& profile, const aggregate::Iteration& iteration);

  const aggregate::Iteration& iteration() const { return iteration_; }
  // From its start to its stop, or to the stop of the last work of its own where that lies behind.
  const base::Interval& time() const { return time_; }
  // In which all of its own begin: of wrong clocks some may do so before it.
  const base::Interval& reach() const { return reach_; }
  bool contains(const Events& source, EventRef event) const;

 private:
  // Of a table: those of its op instances, and the first row that belongs to no op.
  struct Rows {
    profile::Row first = 0, behind = 0, of_none = 0;
  };

  aggregate::Iteration iteration_;
  base::Interval time_, reach_;
  std::array<Rows, kEventKindCount> rows_;  // by kind
};

// Of each lane of each group how many of its lines, from the top, show anything in one of the
// times; 0 = the lane shows nothing. Busy times count 1 where any stream of their GPU does.
using LineCounts = std::vector<std::vector<std::size_t>>;
LineCounts count_lines(const Lanes& lanes, const std::vector<base::Interval>& times);

}  // namespace dlview::ui::timeline
