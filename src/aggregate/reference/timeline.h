// The activity of each device at each instant: the resource breakdown by a sweep over all times at
// which anything begins or ends (spec.md 6-8).
#pragma once

#include <vector>

#include "aggregate/breakdown.h"
#include "aggregate/reference/kept.h"
#include "profile/profile.h"

namespace dlview::aggregate::reference {

// A span of time [start, stop) that belongs to one category; never Category::other.
struct Segment {
  int64_t start_ns = 0, stop_ns = 0;
  Category category = Category::other;
};

// Sorted and disjoint; what no segment covers is Other.
using Timeline = std::vector<Segment>;

// One timeline for each device of the profile.
std::vector<Timeline> device_timelines(const profile::Profile& profile);

// As above for the GPU events that match the filters, without the host.
std::vector<Timeline> kept_timelines(const profile::Profile& profile, const Kept& kept);

// The categories of one device inside [start_ns, stop_ns).
Breakdown breakdown_between(const Timeline& timeline, int64_t start_ns, int64_t stop_ns);

// spec.md 25: the GPU's categories of what filters keep, the host's of everything, and Other
// is what remains.
Breakdown breakdown_between(const Timeline& everything, const Timeline& kept, int64_t start_ns,
                            int64_t stop_ns);

}  // namespace dlview::aggregate::reference
