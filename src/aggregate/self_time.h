// Self times: ops that are what a range does outside the ranges inside it.
#pragma once

#include "aggregate/group_tree.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// Whether the op is the self time of the range that is its group: "/step/step (self time)"
// (spec.md 50).
bool is_self_time(const profile::Profile& profile, const GroupTree& tree, profile::OpIndex op);

// Whether there is such an op: ranges contain others, so that self and total times differ.
bool has_self_times(const profile::Profile& profile);

}  // namespace dlview::aggregate
