// ProfileIndex: what every aggregation of a profile needs and no selection changes.
#pragma once

#include <memory>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/engine/event_cells.h"
#include "aggregate/group_tree.h"
#include "aggregate/stats.h"
#include "base/large_memory.h"
#include "base/untouched_vector.h"
#include "profile/profile.h"

namespace dlview::aggregate {

struct ProfileIndex {
  explicit ProfileIndex(const profile::Profile& profile);

  base::UntouchedVector<InstanceTimes> times;  // one per instance
  EventCells kernels, memory_ops;
  std::shared_ptr<const GroupTree> groups;
  std::vector<profile::StringId> op_types;  // in byte order of the text
  std::vector<profile::Row> type_of_op;     // row in op_types
  base::LargeVector<KernelTotals>
      kernels_before;  // of all instances before each; one more than these

  // Returns the totals of the kernels of instance rows [first, end).
  KernelTotals kernels_between(profile::Row first, profile::Row end) const {
    const KernelTotals &before = kernels_before[first], &reached = kernels_before[end];
    return {reached.count - before.count, reached.tensor_core_count - before.tensor_core_count,
            reached.gpu_ns - before.gpu_ns, reached.tensor_core_gpu_ns - before.tensor_core_gpu_ns};
  }
};

}  // namespace dlview::aggregate
