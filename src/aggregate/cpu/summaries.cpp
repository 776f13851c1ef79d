#include "aggregate/cpu/summaries.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

namespace dlview::aggregate::cpu {
namespace {

using profile::kNoRow;
using profile::Profile;
using profile::Row;

void add_ops(const RangeSums& sums, Aggregation& result) {
  for (std::size_t op = 0; op < sums.op_times.size(); ++op) {
    if (sums.op_times[op].count() == 0) continue;
    result.ops.push_back({static_cast<Row>(op), sums.op_times[op], {}, {}, 0, 0});
  }
}

// Pairs stand in order of op, so both kernel rows and their ops are found by walking on.
void add_kernels(const ProfileIndex& index, const RangeSums& sums, Aggregation& result) {
  auto op = result.ops.begin();
  for (std::size_t p = 0; p < sums.pair_sums.size(); ++p) {
    const auto& [gpu, api] = sums.pair_sums[p];
    if (gpu.count == 0) continue;
    const KernelPair& pair = index.pairs.pairs[p];
    const bool continues = !result.kernels.empty() && result.kernels.back().op == pair.op &&
                           result.kernels.back().name == pair.name;
    if (!continues) result.kernels.push_back({pair.op, pair.name, {}, {}, false});
    KernelAggregate& row = result.kernels.back();
    row.gpu.merge(gpu);
    row.api.merge(api);
    row.uses_tensor_cores = row.uses_tensor_cores || pair.uses_tensor_cores;

    while (op->op != pair.op) ++op;
    op->kernel_gpu.merge(gpu);
    op->kernel_api.merge(api);
    if (pair.uses_tensor_cores) {
      op->tensor_core_kernels += gpu.count;
      op->tensor_core_gpu_ns += gpu.sum;
    }
  }
}

void add_op_types(const Profile& profile, Aggregation& result) {
  std::map<std::string_view, OpTypeAggregate> types;
  for (const OpAggregate& op : result.ops) {
    const profile::StringId type = profile.ops.type[op.op];
    OpTypeAggregate& row = types[profile.text(type)];
    row.type = type;
    row.times.merge(op.times);
    ++row.op_count;
  }
  for (auto& [text, row] : types) result.op_types.push_back(row);
}

void add_groups(const Profile& profile, const ProfileIndex& index, const RangeSums& sums,
                Aggregation& result) {
  const GroupTree& tree = *index.groups;
  std::vector<int64_t> eligible(tree.groups.size()), tensor_core(tree.groups.size());
  for (const OpAggregate& op : result.ops) {
    for (Row g = tree.group_of_op[op.op]; g != kNoRow; g = tree.groups[g].parent) {
      if (profile.is_eligible(op.op)) ++eligible[g];
      if (op.uses_tensor_cores()) ++tensor_core[g];
    }
  }
  for (std::size_t g = 0; g < tree.groups.size(); ++g) {
    if (sums.group_instances[g] == 0) continue;
    result.groups.push_back({static_cast<Row>(g), sums.group_instances[g], eligible[g],
                             tensor_core[g], sums.group_times[g]});
  }
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

// Counts are distinct short names, never launches.
void classify_kernels(const Profile& profile, const ProfileIndex& index, const RangeSums& sums,
                      Aggregation& result) {
  enum : uint8_t { kUses = 1, kUsesNot = 2 };
  std::vector<uint8_t> seen(profile.strings.size());
  for (std::size_t p = 0; p < sums.pair_sums.size(); ++p) {
    const auto& [gpu, api] = sums.pair_sums[p];
    if (gpu.count == 0) continue;
    const KernelPair& pair = index.pairs.pairs[p];
    const uint8_t flag = pair.uses_tensor_cores ? kUses : kUsesNot;
    CategorySummary& part =
        pair.uses_tensor_cores ? result.tensor_core_kernels : result.other_kernels;
    uint8_t& name = seen[pair.name];
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
  result.memory_op_count = sums.memory.count;
  result.memory.cpu_ns = sums.memory.api_ns;
  result.memory.gpu_ns = sums.memory.gpu_ns;
  result.memory.count =
      std::count(sums.memory.name_seen.begin(), sums.memory.name_seen.end(), true);
}

}  // namespace

void summarise(const Profile& profile, const ProfileIndex& index, const RangeSums& sums,
               Aggregation& result) {
  result.model_times = sums.model_times;
  add_ops(sums, result);
  add_kernels(index, sums, result);
  add_op_types(profile, result);
  add_groups(profile, index, sums, result);
  classify_ops(profile, result);
  classify_kernels(profile, index, sums, result);
  for (std::size_t d = 0; d < result.devices.size(); ++d) {
    result.devices[d].kernel_count = sums.device_kernels[d];
  }
}

void add_stored_io(const Profile& profile, Aggregation& result) {
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

}  // namespace dlview::aggregate::cpu
