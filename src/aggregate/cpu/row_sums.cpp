#include "aggregate/cpu/row_sums.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace dlview::aggregate::cpu {
namespace {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::MemoryOpIndex;
using profile::OpIndex;
using profile::Profile;
using profile::Row;

BlockIndex::AddRows op_adder(const Profile& profile, const PackedInstances& packed,
                             const OpLayout& layout) {
  return [&profile, &packed, layout](std::size_t first, std::size_t end, Cells& cells) {
    const auto& op = profile.instances.op;
    for (InstanceIndex i(static_cast<Row>(first)); i < end; ++i) {
      layout.ops.add(cells, op[i], values_of(packed.times(i)));
    }
  };
}

// Of ops that keep some.
BlockIndex::AddRows kept_op_adder(const Kept& kept, const OpLayout& layout) {
  return [&kept, layout](std::size_t first, std::size_t end, Cells& cells) {
    const auto add = [&](InstanceIndex, OpIndex op, const auto& times) {
      layout.ops.add(cells, op, values_of(times));
    };
    kept.for_each_segment(static_cast<Row>(first), static_cast<Row>(end),
                          [&](const Segment& segment) { kept.for_each_of_some(segment, add); });
  };
}

// `keeps_kernel` and `keeps_memory_op` are asked for each event of instance rows [first, end).
template <typename KeepsKernel, typename KeepsMemoryOp>
void add_events(const Profile& profile, const ProfileIndex& index, const EventLayout& layout,
                Row first, Row end, const KeepsKernel& keeps_kernel,
                const KeepsMemoryOp& keeps_memory_op, Cells& cells) {
  const auto& [instances, kernels, memory_ops] =
      std::tie(profile.instances, profile.kernels, profile.memory_ops);
  for (KernelIndex k = instances.first_kernel[first]; k < instances.first_kernel[end]; ++k) {
    if (!keeps_kernel(k)) continue;
    layout.kernels.add(cells, index.kernels.of_event[k],
                       {kernels.gpu_stop_ns[k] - kernels.gpu_start_ns[k],
                        kernels.api_stop_ns[k] - kernels.api_start_ns[k]});
  }
  for (MemoryOpIndex m = instances.first_memory_op[first]; m < instances.first_memory_op[end];
       ++m) {
    if (!keeps_memory_op(m)) continue;
    layout.memory_ops.add(cells, index.memory_ops.of_event[m],
                          {memory_ops.gpu_stop_ns[m] - memory_ops.gpu_start_ns[m],
                           memory_ops.api_stop_ns[m] - memory_ops.api_start_ns[m]});
  }
}

BlockIndex::AddRows event_adder(const Profile& profile, const ProfileIndex& index,
                                const EventLayout& layout) {
  return [&profile, &index, layout](std::size_t first, std::size_t end, Cells& cells) {
    const auto all = [](Row) { return true; };
    add_events(profile, index, layout, static_cast<Row>(first), static_cast<Row>(end), all, all,
               cells);
  };
}

// Of instances that are partly in windows.
BlockIndex::AddRows kept_event_adder(const Profile& profile, const ProfileIndex& index,
                                     const Kept& kept, const EventLayout& layout) {
  return [&profile, &index, &kept, layout](std::size_t first, std::size_t end, Cells& cells) {
    const auto add = [&](const Segment& segment) {
      if (segment.timing != Timing::partly) return;
      add_events(
          profile, index, layout, segment.first, segment.end,
          [&kept](KernelIndex k) { return kept.counts_kernel(k); },
          [&kept](MemoryOpIndex m) { return kept.counts_memory_op(m); }, cells);
    };
    kept.for_each_segment(static_cast<Row>(first), static_cast<Row>(end), add);
  };
}

// An instance has five values to add where a kernel has two.
constexpr int64_t kInstanceWeight = 3;

std::vector<std::size_t> op_bounds(const Profile& profile, const OpLayout& layout,
                                   const CpuOptions& options) {
  return block_bounds(profile.instances.size(), block_weight(layout.empty(), options),
                      [](std::size_t) { return kInstanceWeight; });
}

std::vector<std::size_t> event_bounds(const Profile& profile, const EventLayout& layout,
                                      const CpuOptions& options) {
  const auto& instances = profile.instances;
  const auto weight = [&](std::size_t i) {
    return int64_t{instances.first_kernel[i + 1]} - instances.first_kernel[i] +
           instances.first_memory_op[i + 1] - instances.first_memory_op[i];
  };
  return block_bounds(instances.size(), block_weight(layout.empty(), options), weight);
}

// Adds the groups of `from` that are kept.
template <std::size_t V, typename Keeps>
void merge_kept(Cells& cells, const Cells& from, const CellBlock<V>& block, const Keeps& keeps) {
  for (std::size_t group = 0; group < block.size; ++group) {
    if (keeps(static_cast<Row>(group))) block.merge(cells, group, from, block, group);
  }
}

}  // namespace

std::size_t instances_of_a_block(const Profile& profile, const CpuOptions& options) {
  const int64_t weight = block_weight(OpLayout(profile).empty(), options);
  return static_cast<std::size_t>(std::max<int64_t>(weight / kInstanceWeight, 1));
}

RowSums::RowSums(const Profile& profile, const ProfileIndex& index, const PackedInstances& packed,
                 const CpuOptions& options)
    : op_layout_(profile), event_layout_(index) {
  ops_.emplace(op_bounds(profile, op_layout_, options), op_layout_.empty(),
               op_adder(profile, packed, op_layout_));
  events_.emplace(event_bounds(profile, event_layout_, options), event_layout_.empty(),
                  event_adder(profile, index, event_layout_));
}

RowSums::RowSums(const Profile& profile, const ProfileIndex& index, const Kept& kept,
                 std::shared_ptr<RowSums> all)
    : op_layout_(profile), event_layout_(index), kept_(&kept), all_(std::move(all)) {
  if (kept.is_partly() || kept.has_some()) {
    ops_.emplace(all_->ops_->bounds(), op_layout_.empty(), kept_op_adder(kept, op_layout_));
  }
  if (kept.is_partly()) {
    events_.emplace(all_->events_->bounds(), event_layout_.empty(),
                    kept_event_adder(profile, index, kept, event_layout_));
  }
}

RowCells RowSums::between(Row first, Row end) {
  if (kept_ == nullptr) return {ops_->between(first, end), events_->between(first, end)};
  RowCells cells{ops_ ? ops_->between(first, end) : op_layout_.empty(),
                 events_ ? events_->between(first, end) : event_layout_.empty()};
  if (!first_asked_) first_asked_ = {first, end};
  const bool once = first_asked_ == std::pair(first, end);
  kept_->for_each_segment(first, end, [&](const Segment& segment) {
    if (segment.timing == Timing::inside) add_whole(segment.first, segment.end, once, cells);
  });
  return cells;
}

void RowSums::add_whole(Row first, Row end, bool once, RowCells& cells) {
  const auto sums_of = [&](BlockIndex& all) {
    return once ? all.once_between(first, end) : all.between(first, end);
  };
  const auto keeps_op = [&](Row op) { return kept_->shares()[op] == Share::all; };
  const auto keeps_kernel = [&](Row cell) { return kept_->keeps_kernel_cell(cell); };
  const auto keeps_memory_op = [&](Row cell) { return kept_->keeps_memory_cell(cell); };
  if (kept_->has_all()) {
    merge_kept(cells.ops, sums_of(*all_->ops_), op_layout_.ops, keeps_op);
  }
  const Cells events = sums_of(*all_->events_);
  merge_kept(cells.events, events, event_layout_.kernels, keeps_kernel);
  merge_kept(cells.events, events, event_layout_.memory_ops, keeps_memory_op);
}

}  // namespace dlview::aggregate::cpu
