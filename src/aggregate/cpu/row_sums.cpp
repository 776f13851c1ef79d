#include "aggregate/cpu/row_sums.h"

#include <algorithm>
#include <utility>

namespace dlview::aggregate::cpu {
namespace {

using profile::Profile;
using profile::Row;

// `kept` null = all rows; else those of ops that keep some.
BlockIndex::AddRows op_adder(const Profile& profile, const ProfileIndex& index, const Kept* kept,
                             const OpLayout& layout) {
  return [&profile, &index, kept, layout](std::size_t first, std::size_t end, Cells& cells) {
    const auto& op = profile.instances.op;
    for (auto i = static_cast<Row>(first); i < end; ++i) {
      if (kept == nullptr) {
        layout.ops.add(cells, op[i], values_of(index.times[i]));
      } else if (kept->share_of(op[i]) == Share::some && kept->counts_instance(i)) {
        layout.ops.add(cells, op[i], values_of(kept->times_of(i)));
      }
    }
  };
}

// `kept` null = all rows.
BlockIndex::AddRows event_adder(const Profile& profile, const ProfileIndex& index, const Kept* kept,
                                const EventLayout& layout) {
  const auto add = [&profile, &index, layout](Row first, Row end, const auto& keeps_kernel,
                                              const auto& keeps_memory_op, Cells& cells) {
    const auto& [instances, kernels, memory_ops] =
        std::tie(profile.instances, profile.kernels, profile.memory_ops);
    for (Row k = instances.first_kernel[first]; k < instances.first_kernel[end]; ++k) {
      if (!keeps_kernel(k)) continue;
      layout.kernels.add(cells, index.kernels.of_event[k],
                         {kernels.gpu_stop_ns[k] - kernels.gpu_start_ns[k],
                          kernels.api_stop_ns[k] - kernels.api_start_ns[k]});
    }
    for (Row m = instances.first_memory_op[first]; m < instances.first_memory_op[end]; ++m) {
      if (!keeps_memory_op(m)) continue;
      layout.memory_ops.add(cells, index.memory_ops.of_event[m],
                            {memory_ops.gpu_stop_ns[m] - memory_ops.gpu_start_ns[m],
                             memory_ops.api_stop_ns[m] - memory_ops.api_start_ns[m]});
    }
  };
  if (kept == nullptr) {
    return [add](std::size_t first, std::size_t end, Cells& cells) {
      const auto all = [](Row) { return true; };
      add(static_cast<Row>(first), static_cast<Row>(end), all, all, cells);
    };
  }
  return [add, kept](std::size_t first, std::size_t end, Cells& cells) {
    for (auto i = static_cast<Row>(first); i < end; ++i) {
      if (!kept->counts_instance(i)) continue;
      add(
          i, i + 1, [kept](Row k) { return kept->counts_kernel(k); },
          [kept](Row m) { return kept->counts_memory_op(m); }, cells);
    }
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

template <std::size_t V, typename Keeps>
void clear_others(Cells& cells, const CellBlock<V>& block, const Keeps& keeps) {
  for (std::size_t group = 0; group < block.size; ++group) {
    if (!keeps(static_cast<Row>(group))) block.clear(cells, group);
  }
}

}  // namespace

RowSums::RowSums(const Profile& profile, const ProfileIndex& index, const CpuOptions& options)
    : op_layout_(profile), event_layout_(index) {
  ops_.emplace(op_bounds(profile, op_layout_, options), op_layout_.empty(),
               op_adder(profile, index, nullptr, op_layout_));
  events_.emplace(event_bounds(profile, event_layout_, options), event_layout_.empty(),
                  event_adder(profile, index, nullptr, event_layout_));
}

RowSums::RowSums(const Profile& profile, const ProfileIndex& index, const Kept& kept,
                 std::shared_ptr<RowSums> all)
    : op_layout_(profile), event_layout_(index), kept_(&kept), all_(std::move(all)) {
  if (kept.has(Share::some)) {
    ops_.emplace(all_->ops_->bounds(), op_layout_.empty(),
                 op_adder(profile, index, &kept, op_layout_));
  }
  if (kept.asks_for_time()) {
    events_.emplace(all_->events_->bounds(), event_layout_.empty(),
                    event_adder(profile, index, &kept, event_layout_));
  }
}

RowCells RowSums::between(Row first, Row end) {
  if (kept_ != nullptr) return {kept_ops(first, end), kept_events(first, end)};
  return {ops_->between(first, end), events_->between(first, end)};
}

Cells RowSums::kept_ops(Row first, Row end) {
  const CellBlock<5>& ops = op_layout_.ops;
  if (!ops_) {
    Cells cells = all_->ops_->between(first, end);
    clear_others(cells, ops, [this](Row op) { return kept_->share_of(op) == Share::all; });
    return cells;
  }
  Cells cells = ops_->between(first, end);
  if (!kept_->has(Share::all)) return cells;
  const Cells all = all_->ops_->between(first, end);
  for (Row op = 0; op < ops.size; ++op) {
    if (kept_->share_of(op) == Share::all) ops.copy(cells, op, all, ops, op);
  }
  return cells;
}

Cells RowSums::kept_events(Row first, Row end) {
  if (events_) return events_->between(first, end);
  Cells cells = all_->events_->between(first, end);
  clear_others(cells, event_layout_.kernels,
               [this](Row cell) { return kept_->keeps_kernel_cell(cell); });
  clear_others(cells, event_layout_.memory_ops,
               [this](Row cell) { return kept_->keeps_memory_cell(cell); });
  return cells;
}

}  // namespace dlview::aggregate::cpu
