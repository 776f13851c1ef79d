#include "aggregate/cpu/range_sums.h"

#include <algorithm>
#include <memory>
#include <ranges>

#include "aggregate/instance_times.h"

namespace dlview::aggregate::cpu {

using profile::kNoRow;
using profile::Row;

ProfileIndex::ProfileIndex(const profile::Profile& profile)
    : times(instance_times(profile)),
      pairs(kernel_pairs(profile)),
      groups(std::make_shared<const GroupTree>(build_group_tree(profile))) {}

RangeSums::RangeSums(const profile::Profile& profile, const ProfileIndex& index,
                     const KeptRows* kept)
    : op_times(profile.ops.size()),
      pair_sums(index.pairs.pairs.size()),
      group_times(index.groups->groups.size()),
      group_instances(index.groups->groups.size()),
      device_kernels(profile.devices.size()),
      profile_(&profile),
      index_(&index),
      kept_(kept),
      open_times_(index.groups->groups.size()),
      open_instances_(index.groups->groups.size()) {}

void RangeSums::add(const Iteration& iteration) {
  const auto& instances = profile_->instances;
  const Row first = iteration.first_instance, end = iteration.last_instance;
  if (first == end) return;
  const Row first_kernel = instances.first_kernel[first], end_kernel = instances.first_kernel[end];
  const Row first_memory_op = instances.first_memory_op[first];
  const Row end_memory_op = instances.first_memory_op[end];
  if (kept_ == nullptr) {
    add_instances(std::views::iota(first, end), &index_->times[first]);
    add_kernels(std::views::iota(first_kernel, end_kernel));
    add_memory_ops(std::views::iota(first_memory_op, end_memory_op));
    return;
  }
  const auto rows = rows_between(kept_->instances, first, end);
  if (rows.empty()) return;
  add_instances(rows, &kept_->times[static_cast<std::size_t>(&rows[0] - &kept_->instances[0])]);
  add_kernels(rows_between(kept_->kernels, first_kernel, end_kernel));
  add_memory_ops(rows_between(kept_->memory_ops, first_memory_op, end_memory_op));
}

template <typename Rows>
void RangeSums::add_instances(const Rows& rows, const InstanceTimes* times) {
  InstanceTimes model;
  for (const Row i : rows) {
    const Row op = profile_->instances.op[i];
    op_times[op].add(*times);
    model += *times;
    const Row group = index_->groups->group_of_op[op];
    if (group != kNoRow) {
      open_group(group) += *times;
      ++open_instances_[group];
    }
    ++times;
  }
  model_times.add(model);
  close_groups();
}

InstanceTimes& RangeSums::open_group(Row group) {
  if (open_instances_[group] == 0) open_groups_.push_back(group);
  return open_times_[group];
}

// Children stand behind their parents: taken from the back, a group is complete when its turn
// comes.
void RangeSums::close_groups() {
  std::make_heap(open_groups_.begin(), open_groups_.end());
  while (!open_groups_.empty()) {
    std::pop_heap(open_groups_.begin(), open_groups_.end());
    const Row g = open_groups_.back();
    open_groups_.pop_back();
    const Row parent = index_->groups->groups[g].parent;
    if (parent != kNoRow) {
      if (open_instances_[parent] == 0) {
        open_groups_.push_back(parent);
        std::push_heap(open_groups_.begin(), open_groups_.end());
      }
      open_times_[parent] += open_times_[g];
      open_instances_[parent] += open_instances_[g];
    }
    group_times[g].add(open_times_[g]);
    group_instances[g] += open_instances_[g];
    open_times_[g] = {};
    open_instances_[g] = 0;
  }
}

template <typename Rows>
void RangeSums::add_kernels(const Rows& rows) {
  const auto& kernels = profile_->kernels;
  for (const Row k : rows) {
    PairSums& sums = pair_sums[index_->pairs.pair_of_kernel[k]];
    sums.gpu.add(kernels.gpu_stop_ns[k] - kernels.gpu_start_ns[k]);
    sums.api.add(kernels.api_stop_ns[k] - kernels.api_start_ns[k]);
    ++device_kernels[profile_->device_of_kernel(k)];
  }
}

template <typename Rows>
void RangeSums::add_memory_ops(const Rows& rows) {
  const auto& memory_ops = profile_->memory_ops;
  if (!rows.empty()) memory.name_seen.resize(profile_->strings.size());
  for (const Row m : rows) {
    ++memory.count;
    memory.gpu_ns += memory_ops.gpu_stop_ns[m] - memory_ops.gpu_start_ns[m];
    memory.api_ns += memory_ops.api_stop_ns[m] - memory_ops.api_start_ns[m];
    memory.name_seen[memory_ops.name[m]] = true;
  }
}

void RangeSums::merge(const RangeSums& other) {
  for (std::size_t i = 0; i < op_times.size(); ++i) op_times[i].merge(other.op_times[i]);
  for (std::size_t i = 0; i < pair_sums.size(); ++i) {
    pair_sums[i].gpu.merge(other.pair_sums[i].gpu);
    pair_sums[i].api.merge(other.pair_sums[i].api);
  }
  for (std::size_t i = 0; i < group_times.size(); ++i) {
    group_times[i].merge(other.group_times[i]);
    group_instances[i] += other.group_instances[i];
  }
  for (std::size_t i = 0; i < device_kernels.size(); ++i) {
    device_kernels[i] += other.device_kernels[i];
  }
  model_times.merge(other.model_times);
  memory.count += other.memory.count;
  memory.gpu_ns += other.memory.gpu_ns;
  memory.api_ns += other.memory.api_ns;
  if (memory.name_seen.size() < other.memory.name_seen.size()) {
    memory.name_seen.resize(other.memory.name_seen.size());
  }
  for (std::size_t i = 0; i < other.memory.name_seen.size(); ++i) {
    if (other.memory.name_seen[i]) memory.name_seen[i] = true;
  }
}

}  // namespace dlview::aggregate::cpu
