#include "aggregate/engine/summaries.h"

#include <memory>
#include <utility>
#include <vector>

#include "aggregate/host/io_calls.h"

namespace dlview::aggregate {
namespace {

using profile::kNoRow;
using profile::OpIndex;
using profile::Profile;
using profile::Row;

void add_ops(const RangeCells& cells, Aggregation& result) {
  const CellBlock<5>& ops = cells.op_layout.ops;
  for (OpIndex op{0}; op < ops.size; ++op) {
    if (ops.count(cells.ops, op) == 0) continue;
    result.ops.push_back({op, time_stats(cells.ops, ops, op), {}, {}, 0, 0});
  }
}

// Cells stand in order of op, so both kernel rows and their ops are found by walking on.
void add_kernels(const ProfileIndex& index, const RangeCells& cells, Aggregation& result) {
  const CellBlock<2>& kernels = cells.event_layout.kernels;
  auto op = result.ops.begin();
  for (std::size_t c = 0; c < kernels.size; ++c) {
    if (kernels.count(cells.events, c) == 0) continue;
    const EventCell& cell = index.kernels.cells[c];
    const Stats gpu = kernels.stats(cells.events, c, 0), api = kernels.stats(cells.events, c, 1);
    const bool continues = !result.kernels.empty() && result.kernels.back().op == cell.op &&
                           result.kernels.back().name == cell.name;
    if (!continues) result.kernels.push_back({cell.op, cell.name, {}, {}, false});
    KernelAggregate& row = result.kernels.back();
    row.gpu.merge(gpu);
    row.api.merge(api);
    row.uses_tensor_cores = row.uses_tensor_cores || cell.uses_tensor_cores;

    while (op->op != cell.op) ++op;
    op->kernel_gpu.merge(gpu);
    op->kernel_api.merge(api);
    result.devices[cell.device].kernel_count += gpu.count;
    if (cell.uses_tensor_cores) {
      op->tensor_core_kernels += gpu.count;
      op->tensor_core_gpu_ns += gpu.sum;
    }
  }
}

void add_op_types(const ProfileIndex& index, Aggregation& result) {
  std::vector<OpTypeAggregate> types(index.op_types.size());
  for (const OpAggregate& op : result.ops) {
    OpTypeAggregate& row = types[index.type_of_op[op.op]];
    row.times.merge(op.times);
    ++row.op_count;
  }
  for (std::size_t type = 0; type < types.size(); ++type) {
    if (types[type].op_count == 0) continue;
    types[type].type = index.op_types[type];
    result.op_types.push_back(types[type]);
  }
}

void add_groups(const Profile& profile, const ProfileIndex& index, const RangeCells& cells,
                Aggregation& result) {
  const GroupTree& tree = *index.groups;
  const GroupLayout& layout = cells.group_layout;
  std::vector<int64_t> eligible(tree.groups.size()), tensor_core(tree.groups.size());
  for (const OpAggregate& op : result.ops) {
    for (Row g = tree.group_of_op[op.op]; g != kNoRow; g = tree.groups[g].parent) {
      if (profile.is_eligible(op.op)) ++eligible[g];
      if (op.uses_tensor_cores()) ++tensor_core[g];
    }
  }
  for (std::size_t g = 0; g < tree.groups.size(); ++g) {
    const std::size_t slot = g + 1;
    const int64_t instances = layout.instances(cells.groups, slot);
    if (instances == 0) continue;
    result.groups.push_back({static_cast<Row>(g), instances, eligible[g], tensor_core[g],
                             time_stats(cells.groups, layout.times, slot)});
  }
  result.model_times = time_stats(cells.groups, layout.times, 0);
}

void add_op(CategorySummary& category, const OpAggregate& op) {
  category.cpu_ns += op.times.cpu.sum;
  category.gpu_ns += op.times.gpu.sum;
  category.overhead_ns += op.times.overhead.sum;
  category.idle_ns += op.times.idle.sum;
  ++category.count;
}

void classify_ops(const Profile& profile, Aggregation& result) {
  for (const OpAggregate& op : result.ops) {
    const bool eligible = profile.is_eligible(op.op);
    add_op(result.all_ops, op);
    add_op(op.uses_tensor_cores() ? result.tensor_core_ops
           : eligible             ? result.eligible_ops
                                  : result.other_ops,
           op);
    if (eligible || op.uses_tensor_cores()) result.eligible_kernel_ns += op.kernel_gpu.sum;
  }
}

// Counts are distinct names, never launches.
void classify_kernels(const Profile& profile, const ProfileIndex& index, const RangeCells& cells,
                      Aggregation& result) {
  enum : uint8_t { kUses = 1, kUsesNot = 2 };
  const CellBlock<2>& kernels = cells.event_layout.kernels;
  std::vector<uint8_t> seen(profile.strings.size());
  for (std::size_t c = 0; c < kernels.size; ++c) {
    if (kernels.count(cells.events, c) == 0) continue;
    const EventCell& cell = index.kernels.cells[c];
    const Stats gpu = kernels.stats(cells.events, c, 0), api = kernels.stats(cells.events, c, 1);
    const uint8_t flag = cell.uses_tensor_cores ? kUses : kUsesNot;
    CategorySummary& part =
        cell.uses_tensor_cores ? result.tensor_core_kernels : result.other_kernels;
    uint8_t& name = seen[cell.name];
    if (name == 0) ++result.all_kernels.count;
    if ((name & flag) == 0) ++part.count;
    name |= flag;
    for (CategorySummary* category : {&result.all_kernels, &part}) {
      category->cpu_ns += api.sum;
      category->gpu_ns += gpu.sum;
    }
    result.kernel_launches += gpu.count;
  }
  result.tensor_core_kernel_ns = result.tensor_core_kernels.gpu_ns;
}

void classify_memory_ops(const Profile& profile, const ProfileIndex& index, const RangeCells& cells,
                         Aggregation& result) {
  const CellBlock<2>& memory_ops = cells.event_layout.memory_ops;
  std::vector<bool> seen(profile.strings.size());
  for (std::size_t c = 0; c < memory_ops.size; ++c) {
    const int64_t count = memory_ops.count(cells.events, c);
    if (count == 0) continue;
    result.memory_op_count += count;
    result.memory.gpu_ns += memory_ops.stats(cells.events, c, 0).sum;
    result.memory.cpu_ns += memory_ops.stats(cells.events, c, 1).sum;
    const profile::StringId name = index.memory_ops.cells[c].name;
    if (!seen[name]) ++result.memory.count;
    seen[name] = true;
  }
}

}  // namespace

void summarize(const Profile& profile, const ProfileIndex& index, const RangeCells& cells,
               Aggregation& result) {
  add_ops(cells, result);
  add_kernels(index, cells, result);
  add_op_types(index, result);
  add_groups(profile, index, cells, result);
  classify_ops(profile, result);
  classify_kernels(profile, index, cells, result);
  classify_memory_ops(profile, index, cells, result);
  for (DeviceAggregate& device : result.devices) {
    device.is_kept =
        keep_device(result.selection.filters, profile.devices[device.device].device_id);
  }
}

void add_stored_io(const Profile& profile, Aggregation& result) {
  result.io_recorded = tells_io(profile);
  const IterationRange& range = result.selection.range;
  const profile::StoredAggregation* stored =
      find_stored_io(profile, result.iteration_table->iterations, range);
  if (stored == nullptr) return;
  result.io_recorded = true;

  const auto take_from_other = [](Breakdown& breakdown, int64_t io_ns) {
    breakdown[Category::io] += io_ns;
    breakdown[Category::other] -= io_ns;
  };
  auto table = std::make_shared<IterationTable>(*result.iteration_table);
  int64_t total_ns = 0;
  for (std::size_t i = 0; i < stored->io_ns.size(); ++i) {
    IterationFacts& facts = table->facts[static_cast<std::size_t>(range.first) + i];
    take_from_other(facts.per_device, stored->io_ns[i]);
    take_from_other(facts.device_sum, stored->io_ns[i] * table->device_count);
    total_ns += stored->io_ns[i];
  }
  take_from_other(result.breakdown, total_ns * table->device_count);
  result.iteration_table = std::move(table);
}

}  // namespace dlview::aggregate
