// Where a launching thread was, by its host ranges (NVTX ranges, annotations), while no op ran:
// spec.md, gaps.host-ranges.
#pragma once

#include <vector>

#include "aggregate/gaps/host_activity.h"
#include "aggregate/host/host_record.h"
#include "base/intervals.h"
#include "profile/profile.h"

namespace dlview::aggregate {

struct RangeTime {
  profile::StringId text = profile::kNoText;
  base::IntervalSet time;  // in the window; those of several ranges do not overlap
  bool loads_data = false;
};

// Returns the time in each host range of the thread that ends before the launch, which ends the
// window. Where the thread
// launched nothing in a range, the outermost such range counts, and the outermost one in it that
// loads data; else the innermost one that is not named like a step. `in_ops`: when ops ran; a range
// within them is left out.
std::vector<RangeTime> range_times(const profile::Profile& profile, const HostActivity& host,
                                   const HostRecord& record, profile::ThreadIndex thread,
                                   const HostThread& recorded, const base::Interval& window,
                                   const base::IntervalSet& in_ops);

}  // namespace dlview::aggregate
