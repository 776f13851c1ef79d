// Kept: the rows that match the filters, looked up once. Most filters give the same answer for all
// events of a cell, so sums of whole cells and of unaffected ops need no row. The rest is stored
// per row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "aggregate/cpu/instance_spans.h"
#include "aggregate/cpu/kept_instances.h"
#include "aggregate/cpu/packed_instances.h"
#include "aggregate/engine/profile_index.h"
#include "aggregate/row_filter.h"
#include "aggregate/stats.h"
#include "profile/profile.h"

namespace dlview::aggregate::cpu {

// The matching part of an op: no instance, some rows, or every instance with its times without
// filters.
enum class Share : uint8_t { none, some, all };

class Kept {
 public:
  // Matches all rows. The arguments must outlive it. Runs of fewer than `shortest_inside` instances
  // are checked for time one by one.
  Kept(const profile::Profile& profile, const ProfileIndex& index, const PackedInstances& packed,
       std::size_t shortest_inside);

  // Replaces the filter. Runs on all cores.
  void look_up(const RowFilter& filter);

  const std::vector<TimeWindow>& windows() const { return filter_.windows(); }

  // Calls use(segment) for the parts of segments that lie in instance rows [first, end), in order.
  template <typename Use>
  void for_each_segment(profile::Row first, profile::Row end, const Use& use) const;
  bool is_partly() const { return is_partly_; }  // any of them

  // By op, of instances inside.
  const std::vector<Share>& shares() const { return shares_; }
  bool has_some() const { return has_some_; }
  bool has_all() const { return has_all_; }
  // By op, of instances that are not outside.
  const std::vector<Share>& shares(Timing timing) const {
    return timing == Timing::inside ? shares_ : partly_shares_;
  }

  // By the op and everything but the time.
  bool keeps_kernel_cell(profile::Row cell) const { return kernel_cells_[cell] != 0; }
  bool keeps_memory_cell(profile::Row cell) const { return memory_cells_[cell] != 0; }
  // Returns whether a cell (see TimeOrder::cell_of()) matches; host intervals do not.
  bool keeps_cell(std::size_t cell) const {
    if (cell < kernel_cells_.size()) return kernel_cells_[cell] != 0;
    cell -= kernel_cells_.size();
    return cell < memory_cells_.size() && memory_cells_[cell] != 0;
  }

  // For rows that are partly in windows.
  bool counts_kernel(profile::KernelIndex kernel) const {
    return keeps_kernel_cell(index_->kernels.of_event[kernel]) &&
           filter_.starts_inside(profile_->kernels.gpu_start_ns[kernel]);
  }
  bool counts_memory_op(profile::MemoryOpIndex memory_op) const {
    return keeps_memory_cell(index_->memory_ops.of_event[memory_op]) &&
           filter_.starts_inside(profile_->memory_ops.gpu_start_ns[memory_op]);
  }

  // Calls use(row, op, times) for instances that count, of ops that keep some, in one segment; the
  // times are PackedTimes, or InstanceTimes where these are long, which come last.
  template <typename Use>
  void for_each_of_some(const Segment& segment, const Use& use) const;

  // Returns the totals of the matching kernels of instance rows [first, end).
  KernelTotals kernels_between(profile::Row first, profile::Row end) const;

 private:
  struct OnGpu {
    int64_t union_ns = 0, idle_ns = 0;
  };
  class InstanceKeeper;
  // Bits of kernel_cells_.
  static constexpr uint8_t kKept = 1, kKeptTensorCores = 2;

  bool looks_at_rows(Timing timing) const {
    return timing == Timing::partly || (timing == Timing::inside && has_some_);
  }
  InstanceTimes long_times_of(profile::InstanceIndex instance) const;
  KernelTotals kernels_inside(profile::Row first, profile::Row end) const;
  KernelTotals kernels_by_row(const Segment& segment) const;
  void look_up_cells();
  void look_up_shares();
  void look_up_segment(const Segment& segment);
  void look_up_run(const Segment& run, InstanceKeeper& keeper, KeptInstances::Writer& writer);
  KernelTotals look_up_rows(const Segment& rows, InstanceKeeper& keeper,
                            KeptInstances::Writer& writer);

  const profile::Profile* profile_;
  const ProfileIndex* index_;
  const PackedInstances* packed_;
  InstanceSpans spans_;
  RowFilter filter_;
  std::vector<Segment> segments_;  // of all instances; one segment without a filter on time
  bool is_partly_ = false;         // any segment
  // Ops of what is inside.
  bool keeps_all_ = true, has_some_ = false, has_all_ = true, has_none_ = false;
  std::vector<uint8_t> lacks_events_;  // by op: whether an instance of it has none on a GPU
  std::vector<uint8_t> kernel_cells_, memory_cells_;
  std::vector<Share> shares_, partly_shares_;  // by op
  KeptInstances kept_instances_;
  std::vector<OnGpu> long_on_gpu_;             // of instances whose times are long
  std::vector<KernelTotals> kernels_counted_;  // of so many instances each, inside
};

template <typename Use>
void Kept::for_each_segment(profile::Row first, profile::Row end, const Use& use) const {
  auto segment = std::ranges::upper_bound(segments_, first, {}, &Segment::end);
  for (; segment != segments_.end() && segment->first < end; ++segment) {
    use(Segment{std::max(first, segment->first), std::min(end, segment->end), segment->timing});
  }
}

template <typename Use>
void Kept::for_each_of_some(const Segment& segment, const Use& use) const {
  if (!looks_at_rows(segment.timing)) return;
  kept_instances_.for_each(segment.first, segment.end, [&](const KeptInstance& kept) {
    if (!kept.times().is_long()) {
      use(profile::InstanceIndex(kept.row), profile::OpIndex(kept.op), kept.times());
    }
  });
  if (packed_->long_count() == 0) return;
  kept_instances_.for_each(segment.first, segment.end, [&](const KeptInstance& kept) {
    if (kept.times().is_long()) {
      const profile::InstanceIndex row(kept.row);
      use(row, profile::OpIndex(kept.op), long_times_of(row));
    }
  });
}

}  // namespace dlview::aggregate::cpu
