#include "aggregate/cpu/kept.h"

#include <tuple>

#include "aggregate/cpu/instance_keeper.h"
#include "base/parallel.h"

namespace dlview::aggregate::cpu {

using profile::Profile;
using profile::Row;

namespace {

constexpr std::size_t kRun = InstanceSpans::kRun;

}  // namespace

Kept::Kept(const Profile& profile, const ProfileIndex& index, const PackedInstances& packed,
           std::size_t shortest_inside)
    : profile_(&profile),
      index_(&index),
      packed_(&packed),
      spans_(profile, shortest_inside),
      filter_(profile, {}),
      lacks_events_(profile.ops.size()),
      shares_(profile.ops.size(), Share::all),
      partly_shares_(profile.ops.size(), Share::some) {
  const auto& instances = profile.instances;
  for (Row i = 0; i < instances.size(); ++i) {
    if (instances.first_kernel[i] == instances.first_kernel[i + 1] &&
        instances.first_memory_op[i] == instances.first_memory_op[i + 1]) {
      lacks_events_[instances.op[i]] = 1;
    }
  }
}

void Kept::look_up_cells() {
  kernel_cells_.clear();
  for (const EventCell& cell : index_->kernels.cells) {
    const bool passes = filter_.passes_kernel(cell.name, cell.device, cell.uses_tensor_cores);
    const uint8_t kept = cell.uses_tensor_cores ? kKeptTensorCores : kKept;
    kernel_cells_.push_back(filter_.keeps_op(cell.op) && passes ? kept : 0);
  }
  memory_cells_.clear();
  for (const EventCell& cell : index_->memory_ops.cells) {
    const bool passes = filter_.passes_memory_op_on(cell.device);
    memory_cells_.push_back(filter_.keeps_op(cell.op) && passes ? 1 : 0);
  }
}

void Kept::look_up_shares() {
  std::vector<uint8_t> any(shares_.size()), lost(shares_.size());
  const auto look_at = [&](const std::vector<EventCell>& cells, const std::vector<uint8_t>& kept) {
    for (std::size_t c = 0; c < cells.size(); ++c) (kept[c] != 0 ? any : lost)[cells[c].op] = 1;
  };
  look_at(index_->kernels.cells, kernel_cells_);
  look_at(index_->memory_ops.cells, memory_cells_);
  const bool events = filter_.asks_for_events();
  for (Row op = 0; op < shares_.size(); ++op) {
    const bool keeps = filter_.keeps_op(op) && (!events || any[op] != 0);
    const bool keeps_all = !events || (lost[op] == 0 && lacks_events_[op] == 0);
    partly_shares_[op] = keeps ? Share::some : Share::none;
    shares_[op] = keeps && keeps_all ? Share::all : partly_shares_[op];
  }
}

void Kept::look_up(const RowFilter& filter) {
  filter_ = filter;
  look_up_cells();
  look_up_shares();
  keeps_all_ = std::ranges::count(shares_, Share::all) == std::ssize(shares_);
  const auto instances = static_cast<Row>(profile_->instances.size());
  segments_ = filter_.asks_for_time() ? spans_.segments(windows())
                                      : std::vector{Segment{0, instances, Timing::inside}};
  kernels_of_run_.clear();
  if (has(Share::some)) kernels_of_run_.resize((instances + kRun - 1) / kRun);
  if (!has(Share::some) && !is_partly(0, instances)) return;
  kept_instances_.resize(instances);
  on_gpu_.resize(instances);
  long_on_gpu_.resize(packed_->long_count());
  for (const Segment& segment : segments_) look_up_rows(segment);
}

// Segments begin at runs.
void Kept::look_up_rows(const Segment& segment) {
  const bool inside = segment.timing == Timing::inside;
  if (segment.timing == Timing::outside || (inside && !has(Share::some))) return;
  const Row* const op = profile_->instances.op.span().data();
  const Share* const op_shares = shares(segment.timing).data();
  const std::size_t runs = (segment.end - segment.first + kRun - 1) / kRun;
  base::parallel_for(runs, 256, [&](std::size_t begin, std::size_t end) {
    InstanceKeeper keeper(*this, *profile_, *index_);
    for (std::size_t run = begin; run < end; ++run) {
      const auto first = static_cast<Row>(segment.first + run * kRun);
      const auto last = static_cast<Row>(std::min<std::size_t>(first + kRun, segment.end));
      KernelTotals kernels;
      for (Row i = first; i < last; ++i) {
        const Share share = op_shares[op[i]];
        if (share == Share::all) kernels += packed_->kernels(i);
        if (share != Share::some) continue;
        OnGpu<int64_t> on_gpu;
        const bool counts = inside ? keeper.keep_inside(i, on_gpu) : keeper.keep_partly(i, on_gpu);
        kept_instances_[i] = counts ? 1 : 0;
        on_gpu_[i] = {static_cast<uint32_t>(on_gpu.union_ns),
                      static_cast<uint32_t>(on_gpu.idle_ns)};
        if (packed_->packed_times(i).is_long()) long_on_gpu_[packed_->number_of_long(i)] = on_gpu;
      }
      kernels += keeper.take_kernels();
      if (inside) kernels_of_run_[first / kRun] = kernels;
    }
  });
}

bool Kept::is_partly(Row first, Row end) const {
  bool any = false;
  for_each_segment(first, end, [&any](const Segment& segment) {
    any = any || segment.timing == Timing::partly;
  });
  return any;
}

InstanceTimes Kept::times_of(Row instance) const {
  const PackedTimes packed = packed_times_of(instance);
  if (!packed.is_long()) return packed.unpacked();
  InstanceTimes times = index_->times[instance];
  const OnGpu<int64_t>& on_gpu = long_on_gpu_[packed_->number_of_long(instance)];
  times.gpu = on_gpu.union_ns;
  times.idle = on_gpu.idle_ns;
  return times;
}

KernelTotals Kept::kernels_between(Row first, Row end) const {
  KernelTotals totals;
  for_each_segment(first, end, [&](const Segment& segment) {
    if (segment.timing == Timing::inside) totals += kernels_inside(segment.first, segment.end);
    if (segment.timing == Timing::partly) {
      totals += kernels_by_row(segment.first, segment.end, Timing::partly);
    }
  });
  return totals;
}

KernelTotals Kept::kernels_inside(Row first, Row end) const {
  if (keeps_all_) return index_->kernels_between(first, end);
  const auto first_run = (first + kRun - 1) / kRun, end_run = end / kRun;
  if (kernels_of_run_.empty() || first_run >= end_run) {
    return kernels_by_row(first, end, Timing::inside);
  }
  KernelTotals totals = kernels_by_row(first, static_cast<Row>(first_run * kRun), Timing::inside);
  for (std::size_t run = first_run; run < end_run; ++run) totals += kernels_of_run_[run];
  totals += kernels_by_row(static_cast<Row>(end_run * kRun), end, Timing::inside);
  return totals;
}

KernelTotals Kept::kernels_by_row(Row first, Row end, Timing timing) const {
  const auto& [instances, kernels] = std::tie(profile_->instances, profile_->kernels);
  const Row* const op = instances.op.span().data();
  const Share* const op_shares = shares(timing).data();
  KernelTotals totals;
  for (Row i = first; i < end; ++i) {
    const Share share = op_shares[op[i]];
    if (share == Share::all) totals += packed_->kernels(i);
    if (share != Share::some || !counts_instance(i)) continue;
    for (Row k = instances.first_kernel[i]; k < instances.first_kernel[i + 1]; ++k) {
      if (!counts_kernel(k)) continue;
      totals += totals_of_kernel(kernels.gpu_stop_ns[k] - kernels.gpu_start_ns[k],
                                 kernels.uses_tensor_cores[k] != 0);
    }
  }
  return totals;
}

}  // namespace dlview::aggregate::cpu
