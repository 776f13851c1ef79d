#include "aggregate/cpu/row_sums.h"

#include <algorithm>
#include <utility>

namespace dlview::aggregate::cpu {
namespace {

using profile::Profile;
using profile::Row;

// `kept` null = all rows.
BlockIndex::AddRows op_adder(const Profile& profile, const ProfileIndex& index, const Kept* kept,
                             const OpLayout& layout) {
  return [&profile, &index, kept, layout](std::size_t first, std::size_t end, Cells& cells) {
    const auto& op = profile.instances.op;
    for (auto i = static_cast<Row>(first); i < end; ++i) {
      if (kept == nullptr) {
        layout.ops.add(cells, op[i], values_of(index.times[i]));
      } else if (kept->counts_instance(i)) {
        layout.ops.add(cells, op[i], values_of(kept->times_of(i)));
      }
    }
  };
}

BlockIndex::AddRows event_adder(const Profile& profile, const ProfileIndex& index, const Kept* kept,
                                const EventLayout& layout) {
  return [&profile, &index, kept, layout](std::size_t first, std::size_t end, Cells& cells) {
    const auto& [instances, kernels, memory_ops] =
        std::tie(profile.instances, profile.kernels, profile.memory_ops);
    const Row end_kernel = instances.first_kernel[end];
    for (Row k = instances.first_kernel[first]; k < end_kernel; ++k) {
      if (kept != nullptr && !kept->counts_kernel(k)) continue;
      layout.kernels.add(cells, index.kernels.of_event[k],
                         {kernels.gpu_stop_ns[k] - kernels.gpu_start_ns[k],
                          kernels.api_stop_ns[k] - kernels.api_start_ns[k]});
    }
    const Row end_memory_op = instances.first_memory_op[end];
    for (Row m = instances.first_memory_op[first]; m < end_memory_op; ++m) {
      if (kept != nullptr && !kept->counts_memory_op(m)) continue;
      layout.memory_ops.add(cells, index.memory_ops.of_event[m],
                            {memory_ops.gpu_stop_ns[m] - memory_ops.gpu_start_ns[m],
                             memory_ops.api_stop_ns[m] - memory_ops.api_start_ns[m]});
    }
  };
}

// An instance has five values to add where a kernel has two.
constexpr int64_t kInstanceWeight = 3;

BlockIndex index_ops(const Profile& profile, const ProfileIndex& index, const Kept* kept,
                     const OpLayout& layout, int64_t block_rows) {
  const auto weight = [](std::size_t) { return kInstanceWeight; };
  return BlockIndex(block_bounds(profile.instances.size(), block_rows, weight), layout.empty(),
                    op_adder(profile, index, kept, layout));
}

BlockIndex index_events(const Profile& profile, const ProfileIndex& index, const Kept* kept,
                        const EventLayout& layout, int64_t block_rows) {
  const auto& instances = profile.instances;
  const auto weight = [&](std::size_t i) {
    return int64_t{instances.first_kernel[i + 1]} - instances.first_kernel[i] +
           instances.first_memory_op[i + 1] - instances.first_memory_op[i];
  };
  return BlockIndex(block_bounds(instances.size(), block_rows, weight), layout.empty(),
                    event_adder(profile, index, kept, layout));
}

template <std::size_t V, typename Keeps>
void clear_others(Cells& cells, const CellBlock<V>& block, const Keeps& keeps) {
  for (std::size_t group = 0; group < block.size; ++group) {
    if (!keeps(static_cast<Row>(group))) block.clear(cells, group);
  }
}

}  // namespace

RowSums::RowSums(const Profile& profile, const ProfileIndex& index, int64_t block_rows)
    : op_layout_(profile),
      event_layout_(index),
      ops_(index_ops(profile, index, nullptr, op_layout_, block_rows)),
      events_(index_events(profile, index, nullptr, event_layout_, block_rows)) {}

RowSums::RowSums(const Profile& profile, const ProfileIndex& index, const Kept& kept,
                 std::shared_ptr<RowSums> all, int64_t block_rows)
    : op_layout_(profile), event_layout_(index), kept_(&kept), all_(std::move(all)) {
  if (!kept.keeps_whole_instances()) {
    ops_ = index_ops(profile, index, &kept, op_layout_, block_rows);
  }
  if (kept.asks_for_time()) {
    events_ = index_events(profile, index, &kept, event_layout_, block_rows);
  }
}

RowCells RowSums::between(Row first, Row end) {
  RowCells cells{ops_ ? ops_->between(first, end) : all_->ops_->between(first, end),
                 events_ ? events_->between(first, end) : all_->events_->between(first, end)};
  if (!ops_) {
    clear_others(cells.ops, op_layout_.ops, [this](Row op) { return kept_->keeps_op(op); });
  }
  if (!events_) {
    clear_others(cells.events, event_layout_.kernels,
                 [this](Row cell) { return kept_->keeps_kernel_cell(cell); });
    clear_others(cells.events, event_layout_.memory_ops,
                 [this](Row cell) { return kept_->keeps_memory_cell(cell); });
  }
  return cells;
}

}  // namespace dlview::aggregate::cpu
