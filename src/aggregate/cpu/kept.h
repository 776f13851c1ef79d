// Kept: what filters keep, looked up once. Most of what a filter asks is the same for all events of
// a cell, so that sums of whole cells, and of ops that lose nothing, need no row; what depends on
// single rows is kept by row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "aggregate/engine/profile_index.h"
#include "aggregate/row_filter.h"
#include "aggregate/stats.h"
#include "profile/profile.h"

namespace dlview::aggregate::cpu {

// How much of an op: none of its instances; what its rows tell; each instance, with the times that
// it has without filters.
enum class Share : uint8_t { none, some, all };

class Kept {
 public:
  // Keeps all. Both must outlive it.
  Kept(const profile::Profile& profile, const ProfileIndex& index);

  // Keeps what this filter keeps, and nothing of what it kept before. Runs on all cores.
  void look_up(const RowFilter& filter);

  // Filters ask for a time: events of a cell are kept one by one.
  bool asks_for_time() const { return filter_.asks_for_time(); }
  const std::vector<TimeWindow>& windows() const { return filter_.windows(); }

  Share share_of(profile::Row op) const { return shares_[op]; }
  bool has(Share share) const { return std::ranges::find(shares_, share) != shares_.end(); }
  // By the op and everything but the time.
  bool keeps_kernel_cell(profile::Row cell) const { return kernel_cells_[cell] != 0; }
  bool keeps_memory_cell(profile::Row cell) const { return memory_cells_[cell] != 0; }
  // In the numbers of TimeOrder::cell_of(); what the host did is not kept.
  bool keeps_cell(std::size_t cell) const {
    if (cell < kernel_cells_.size()) return kernel_cells_[cell] != 0;
    cell -= kernel_cells_.size();
    return cell < memory_cells_.size() && memory_cells_[cell] != 0;
  }

  bool counts_instance(profile::Row instance) const {
    const Share share = shares_[profile_->instances.op[instance]];
    return share == Share::all || (share == Share::some && kept_instances_[instance] != 0);
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
    if (shares_[profile_->instances.op[instance]] == Share::all) return times;
    times.gpu = on_gpu_[instance].union_ns;
    times.idle = on_gpu_[instance].idle_ns;
    return times;
  }
  // Of the kernels that count, of instance rows [first, end).
  KernelTotals kernels_between(profile::Row first, profile::Row end) const;

 private:
  struct OnGpu {
    int64_t union_ns = 0, idle_ns = 0;
  };
  class InstanceKeeper;

  KernelTotals kernels_by_row(profile::Row first, profile::Row end) const;
  void look_up_cells();
  void look_up_shares();
  void find_spans();
  bool any_window_meets(const TimeWindow& span) const;

  const profile::Profile* profile_;
  const ProfileIndex* index_;
  RowFilter filter_;
  std::vector<uint8_t> lacks_events_;  // by op: whether an instance of it has none on a GPU
  std::vector<uint8_t> kernel_cells_, memory_cells_;
  std::vector<Share> shares_;  // by op
  // From the first to the last time of each run of kRun instances; empty until a time is asked for.
  std::vector<TimeWindow> spans_;
  // By instance row, of ops that keep some.
  std::vector<uint8_t> kept_instances_;
  std::vector<OnGpu> on_gpu_;
  // Of each run of kRun instances; empty where a time is asked for, or no op keeps some.
  std::vector<KernelTotals> kernels_of_run_;
};

}  // namespace dlview::aggregate::cpu
