// RangeSums: the additive part of an aggregation, over any set of iterations. Sums of disjoint sets
// merge, so a long range is added up in pieces on several cores.
#pragma once

#include <memory>
#include <vector>

#include "aggregate/cpu/kept_rows.h"
#include "aggregate/cpu/kernel_pairs.h"
#include "aggregate/group_tree.h"
#include "aggregate/iterations.h"
#include "aggregate/stats.h"
#include "profile/profile.h"

namespace dlview::aggregate::cpu {

// What does not depend on the selection.
struct ProfileIndex {
  explicit ProfileIndex(const profile::Profile& profile);

  std::vector<InstanceTimes> times;  // one per instance
  KernelPairs pairs;
  std::shared_ptr<const GroupTree> groups;
};

class RangeSums {
 public:
  struct PairSums {
    Stats gpu, api;
  };
  struct MemorySums {
    int64_t count = 0, gpu_ns = 0, api_ns = 0;
    std::vector<bool> name_seen;  // by StringId; empty until the first memory operation
  };

  // `kept` null = all rows.
  RangeSums(const profile::Profile& profile, const ProfileIndex& index, const KeptRows* kept);

  // Adds the instances of one iteration and their events.
  void add(const Iteration& iteration);
  void merge(const RangeSums& other);

  std::vector<TimeStats> op_times;       // by op row
  std::vector<PairSums> pair_sums;       // by pair
  std::vector<TimeStats> group_times;    // by group row: one value per iteration
  std::vector<int64_t> group_instances;  // by group row
  std::vector<int64_t> device_kernels;   // by device row
  TimeStats model_times;                 // all instances: one value per iteration that has any
  MemorySums memory;

 private:
  // `Rows` is a range of rows, all of an iteration's or those that are kept; `times` are parallel.
  template <typename Rows>
  void add_instances(const Rows& rows, const InstanceTimes* times);
  template <typename Rows>
  void add_kernels(const Rows& rows);
  template <typename Rows>
  void add_memory_ops(const Rows& rows);
  InstanceTimes& open_group(profile::Row group);
  void close_groups();

  const profile::Profile* profile_;
  const ProfileIndex* index_;
  const KeptRows* kept_;

  // Sums of the groups within the iteration being added, and which groups have any: a short
  // iteration pays for its own groups only.
  std::vector<InstanceTimes> open_times_;
  std::vector<int64_t> open_instances_;
  std::vector<profile::Row> open_groups_;
};

}  // namespace dlview::aggregate::cpu
