// Kept: what filters keep, looked up once. Most of what a filter asks is the same for all events of
// a cell, so that sums of whole cells need no row; what depends on single rows is kept by row.
#pragma once

#include <cstdint>
#include <vector>

#include "aggregate/engine/profile_index.h"
#include "aggregate/row_filter.h"
#include "aggregate/stats.h"
#include "profile/profile.h"

namespace dlview::aggregate::cpu {

class Kept {
 public:
  // Keeps all. Both must outlive it.
  Kept(const profile::Profile& profile, const ProfileIndex& index)
      : profile_(&profile), index_(&index), filter_(profile, {}) {}

  // Keeps what this filter keeps, and nothing of what it kept before. Runs on all cores.
  void look_up(const RowFilter& filter);

  // Filters ask for ops alone: instances are kept with all their events, or not at all.
  bool keeps_whole_instances() const {
    return !filter_.asks_for_events() && !filter_.asks_for_time();
  }
  // Filters ask for a time: events of a cell are kept one by one.
  bool asks_for_time() const { return filter_.asks_for_time(); }
  const std::vector<TimeWindow>& windows() const { return filter_.windows(); }

  // By the op and everything but the time.
  bool keeps_op(profile::Row op) const { return filter_.keeps_op(op); }
  bool keeps_kernel_cell(profile::Row cell) const { return kernel_cells_[cell] != 0; }
  bool keeps_memory_cell(profile::Row cell) const { return memory_cells_[cell] != 0; }
  // In the numbers of TimeOrder::cell_of(); what the host did is not kept.
  bool keeps_cell(std::size_t cell) const {
    if (cell < kernel_cells_.size()) return kernel_cells_[cell] != 0;
    cell -= kernel_cells_.size();
    return cell < memory_cells_.size() && memory_cells_[cell] != 0;
  }

  bool counts_instance(profile::Row instance) const {
    return keeps_whole_instances() ? keeps_op(profile_->instances.op[instance])
                                   : kept_instances_[instance] != 0;
  }
  bool counts_kernel(profile::Row kernel) const {
    return keeps_kernel_cell(index_->kernels.of_event[kernel]) &&
           (!asks_for_time() || filter_.starts_inside(profile_->kernels.gpu_start_ns[kernel]));
  }
  bool counts_memory_op(profile::Row memory_op) const {
    return keeps_memory_cell(index_->memory_ops.of_event[memory_op]) &&
           (!asks_for_time() ||
            filter_.starts_inside(profile_->memory_ops.gpu_start_ns[memory_op]));
  }
  // Of an instance that counts.
  InstanceTimes times_of(profile::Row instance) const {
    InstanceTimes times = index_->times[instance];
    if (keeps_whole_instances()) return times;
    times.gpu = on_gpu_[instance].union_ns;
    times.idle = on_gpu_[instance].idle_ns;
    return times;
  }
  // Of the kernels that count, of instance rows [first, end).
  KernelTotals kernels_between(profile::Row first, profile::Row end) const {
    KernelTotals totals;
    for (profile::Row i = first; i < end; ++i) {
      if (!counts_instance(i)) continue;
      totals += keeps_whole_instances() ? index_->kernels_between(i, i + 1) : on_gpu_[i].kernels;
    }
    return totals;
  }

 private:
  struct OnGpu {
    int64_t union_ns = 0, idle_ns = 0;
    KernelTotals kernels;
  };
  class InstanceKeeper;

  const profile::Profile* profile_;
  const ProfileIndex* index_;
  RowFilter filter_;
  std::vector<uint8_t> kernel_cells_, memory_cells_;
  // By instance row; of no use where whole instances are kept.
  std::vector<uint8_t> kept_instances_;
  std::vector<OnGpu> on_gpu_;
};

}  // namespace dlview::aggregate::cpu
