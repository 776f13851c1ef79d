// Iteration tables made by hand: one CPU, one kernel part, durations as given.
#pragma once

#include <memory>
#include <vector>

#include "aggregate/aggregation.h"

namespace dlview::testing {

// Each iteration is half kernels, half CPU (the odd ns goes to the CPU).
inline std::shared_ptr<const aggregate::IterationTable> table_of(
    const std::vector<int64_t>& durations_ns) {
  auto table = std::make_shared<aggregate::IterationTable>();
  table->device_count = 1;
  table->iterations.key_instances = static_cast<int64_t>(durations_ns.size()) - 1;
  int64_t start = 0;
  for (const int64_t duration : durations_ns) {
    table->iterations.rows.push_back({start, start + duration});
    aggregate::IterationFacts facts;
    facts.per_device[aggregate::Category::other_kernels] = duration / 2;
    facts.per_device[aggregate::Category::cpu] = duration - duration / 2;
    facts.device_sum = facts.per_device;
    facts.kernels.count = 3;
    table->facts.push_back(facts);
    start += duration;
  }
  return table;
}

}  // namespace dlview::testing
