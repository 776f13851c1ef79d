#include "aggregate/cpu/kept.h"

#include "aggregate/cpu/instance_keeper.h"
#include "aggregate/engine/kernel_totals.h"
#include "base/parallel.h"

namespace dlview::aggregate::cpu {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::OpIndex;
using profile::Profile;
using profile::Row;

namespace {

constexpr std::size_t kRun = InstanceSpans::kRun;
// Instances whose kernels are counted together; a part of a run.
constexpr std::size_t kCounted = 16;
static_assert(kRun % kCounted == 0);

KernelTotals without(const KernelTotals& all, const KernelTotals& some) {
  return {all.count - some.count, all.tensor_core_count - some.tensor_core_count,
          all.gpu_ns - some.gpu_ns, all.tensor_core_gpu_ns - some.tensor_core_gpu_ns};
}

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
      partly_shares_(profile.ops.size(), Share::some),
      kept_instances_(profile.instances.size()) {
  const auto& instances = profile.instances;
  for (InstanceIndex i{0}; i < instances.size(); ++i) {
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
  for (OpIndex op{0}; op < shares_.size(); ++op) {
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
  const auto some = std::ranges::count(shares_, Share::some);
  const auto all = std::ranges::count(shares_, Share::all);
  has_some_ = some != 0;
  has_all_ = all != 0;
  has_none_ = some + all != std::ssize(shares_);
  keeps_all_ = all == std::ssize(shares_);
  const auto instances = static_cast<Row>(profile_->instances.size());
  segments_ = filter_.asks_for_time() ? spans_.segments(windows())
                                      : std::vector{Segment{0, instances, Timing::inside}};
  is_partly_ = std::ranges::find(segments_, Timing::partly, &Segment::timing) != segments_.end();
  if (!has_some_ && !is_partly_) return;
  kept_instances_.make_room();
  if (has_some_) kernels_counted_.resize((instances + kCounted - 1) / kCounted);
  long_on_gpu_.resize(packed_->long_count());
  for (const Segment& segment : segments_) look_up_segment(segment);
}

// Segments begin at runs.
void Kept::look_up_segment(const Segment& segment) {
  if (!looks_at_rows(segment.timing)) return;
  const std::size_t runs = (segment.end - segment.first + kRun - 1) / kRun;
  base::parallel_for(runs, 256, [&](std::size_t begin, std::size_t end) {
    InstanceKeeper keeper(*this, *profile_, *index_);
    KeptInstances::Writer writer(kept_instances_, segment.first / kRun + begin);
    for (std::size_t run = begin; run < end; ++run) {
      const auto first = static_cast<Row>(segment.first + run * kRun);
      const auto last = static_cast<Row>(std::min<std::size_t>(first + kRun, segment.end));
      look_up_run({first, last, segment.timing}, keeper, writer);
    }
  });
}

void Kept::look_up_run(const Segment& run, InstanceKeeper& keeper, KeptInstances::Writer& writer) {
  const std::size_t number = run.first / kRun;
  writer.begin(number);
  for (Row first = run.first; first < run.end; first += kCounted) {
    const auto end = std::min(static_cast<Row>(first + kCounted), run.end);
    const KernelTotals kernels = look_up_rows({first, end, run.timing}, keeper, writer);
    if (run.timing == Timing::inside) kernels_counted_[first / kCounted] = kernels;
  }
  writer.end(number);
}

// The kernels are counted of what lies inside. Where each op keeps some or all, they are all but
// those of ops that keep some, whose instances are looked at anyway.
KernelTotals Kept::look_up_rows(const Segment& rows, InstanceKeeper& keeper,
                                KeptInstances::Writer& writer) {
  const bool inside = rows.timing == Timing::inside;
  const Row* const op = profile_->instances.op.span().data();
  const Share* const op_shares = shares(rows.timing).data();
  KernelTotals of_all, of_some;  // of ops that keep so much, all their kernels
  for (InstanceIndex i(rows.first); i < rows.end; ++i) {
    const Share share = op_shares[op[i]];
    if (share == Share::all && has_none_) of_all += packed_->kernels(i);
    if (share != Share::some) continue;
    if (inside && !has_none_) of_some += packed_->kernels(i);
    OnGpu on_gpu;
    if (!(inside ? keeper.keep_inside(i, on_gpu) : keeper.keep_partly(i, on_gpu))) continue;
    const PackedTimes& times = packed_->packed_times(i);
    if (times.is_long()) long_on_gpu_[packed_->number_of_long(i)] = on_gpu;
    writer.add({i, op[i], times.cpu, static_cast<uint32_t>(on_gpu.union_ns), times.api,
                static_cast<uint32_t>(on_gpu.idle_ns)});
  }
  if (inside && !has_none_)
    of_all = without(index_->kernels_between(rows.first, rows.end), of_some);
  of_all += keeper.take_kernels();
  return of_all;
}

InstanceTimes Kept::long_times_of(InstanceIndex instance) const {
  InstanceTimes times = index_->times[instance];
  const OnGpu& on_gpu = long_on_gpu_[packed_->number_of_long(instance)];
  times.gpu = on_gpu.union_ns;
  times.idle = on_gpu.idle_ns;
  return times;
}

KernelTotals Kept::kernels_between(Row first, Row end) const {
  KernelTotals totals;
  for_each_segment(first, end, [&](const Segment& segment) {
    if (segment.timing == Timing::inside) totals += kernels_inside(segment.first, segment.end);
    if (segment.timing == Timing::partly) totals += kernels_by_row(segment);
  });
  return totals;
}

KernelTotals Kept::kernels_inside(Row first, Row end) const {
  if (keeps_all_) return index_->kernels_between(first, end);
  const std::size_t first_counted = (first + kCounted - 1) / kCounted, end_counted = end / kCounted;
  if (!has_some_ || first_counted >= end_counted) {
    return kernels_by_row({first, end, Timing::inside});
  }
  KernelTotals totals;
  for (std::size_t c = first_counted; c < end_counted; ++c) totals += kernels_counted_[c];
  totals += kernels_by_row({first, static_cast<Row>(first_counted * kCounted), Timing::inside});
  totals += kernels_by_row({static_cast<Row>(end_counted * kCounted), end, Timing::inside});
  return totals;
}

KernelTotals Kept::kernels_by_row(const Segment& segment) const {
  const bool inside = segment.timing == Timing::inside;
  KernelTotals totals;
  if (inside && has_all_) {
    const Row* const op = profile_->instances.op.span().data();
    for (InstanceIndex i(segment.first); i < segment.end; ++i) {
      if (shares_[op[i]] == Share::all) totals += packed_->kernels(i);
    }
  }
  const auto& instances = profile_->instances;
  const auto& kernels = profile_->kernels;
  for_each_of_some(segment, [&](InstanceIndex i, OpIndex, const auto&) {
    for (KernelIndex k = instances.first_kernel[i]; k < instances.first_kernel[i + 1]; ++k) {
      if (inside ? !keeps_kernel_cell(index_->kernels.of_event[k]) : !counts_kernel(k)) continue;
      totals += totals_of_kernel(kernels.gpu_stop_ns[k] - kernels.gpu_start_ns[k],
                                 kernels.uses_tensor_cores[k] != 0);
    }
  });
  return totals;
}

}  // namespace dlview::aggregate::cpu
