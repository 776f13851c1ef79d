// The five times of op instances and their sums: ops, op types and groups (formats.md 2 and 3).
// Only the instances that count; `kept` selects their events.
#pragma once

#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/reference/cut.h"
#include "aggregate/reference/kept.h"

namespace dlview::aggregate::reference {

InstanceTimes instance_times(const profile::Profile& profile, const Kept& kept,
                             profile::InstanceIndex instance);

std::vector<OpAggregate> op_aggregates(const profile::Profile& profile, const Kept& kept,
                                       const std::vector<InstanceInRange>& instances);

std::vector<OpTypeAggregate> op_type_aggregates(const profile::Profile& profile, const Kept& kept,
                                                const std::vector<InstanceInRange>& instances);

// All ops as one group: one value for each iteration that has an instance.
TimeStats model_times(const profile::Profile& profile, const Kept& kept,
                      const std::vector<InstanceInRange>& instances);

GroupTree group_tree(const profile::Profile& profile);

// `ops` are the aggregates of the same instances: what uses Tensor Cores in the range.
std::vector<GroupAggregate> group_aggregates(const profile::Profile& profile, const Kept& kept,
                                             const GroupTree& tree,
                                             const std::vector<InstanceInRange>& instances,
                                             const std::vector<OpAggregate>& ops);

}  // namespace dlview::aggregate::reference
