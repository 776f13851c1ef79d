// Kernels and categories of the instances in a range, as far as filters keep them: (op, kernel
// name) pairs, per-iteration totals and the rows of DLProf's category_summary (formats.md 6).
#pragma once

#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/reference/cut.h"
#include "aggregate/reference/kept.h"

namespace dlview::aggregate::reference {

KernelTotals kernel_totals(const profile::Profile& profile, const Kept& kept,
                           const Iteration& iteration);

std::vector<KernelAggregate> kernel_aggregates(const profile::Profile& profile, const Kept& kept,
                                               const std::vector<InstanceInRange>& instances);

// Launches of each device, by row of the device.
std::vector<int64_t> kernel_counts(const profile::Profile& profile, const Kept& kept,
                                   const std::vector<InstanceInRange>& instances);

// Fill members of `result`; its `ops` must be complete.
void summarize_ops(const profile::Profile& profile, Aggregation& result);
void summarize_kernels(const profile::Profile& profile, const Kept& kept,
                       const std::vector<InstanceInRange>& instances, Aggregation& result);
void summarize_memory(const profile::Profile& profile, const Kept& kept,
                      const std::vector<InstanceInRange>& instances, Aggregation& result);

}  // namespace dlview::aggregate::reference
