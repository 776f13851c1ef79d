// RowSums: sums of ops, kernels and memory operations over any run of instance rows, independent of
// the split into iterations.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "aggregate/cpu/block_index.h"
#include "aggregate/cpu/cpu_engine.h"
#include "aggregate/cpu/kept.h"
#include "aggregate/cpu/packed_instances.h"
#include "aggregate/engine/engine.h"
#include "aggregate/engine/profile_index.h"
#include "profile/profile.h"

namespace dlview::aggregate::cpu {

// How many instances are summed as one block.
std::size_t instances_of_a_block(const profile::Profile& profile, const CpuOptions& options);

class RowSums {
 public:
  // Sums all rows. The arguments must outlive it.
  RowSums(const profile::Profile& profile, const ProfileIndex& index, const PackedInstances& packed,
          const CpuOptions& options);
  // Sums the matching rows: unaffected ops and whole cells come from the sums of all rows.
  RowSums(const profile::Profile& profile, const ProfileIndex& index, const Kept& kept,
          std::shared_ptr<RowSums> all);

  // Sums instance rows [first, end) and their events. Builds sums of blocks when a second range is
  // requested.
  RowCells between(profile::Row first, profile::Row end);

 private:
  // Adds what can be taken from the sums of all rows, of instance rows [first, end) that lie
  // inside.
  void add_whole(profile::Row first, profile::Row end, bool once, RowCells& cells);

  OpLayout op_layout_;
  EventLayout event_layout_;
  const Kept* kept_ = nullptr;
  std::shared_ptr<RowSums> all_;
  std::optional<BlockIndex> ops_, events_;  // of what cannot be taken from all_
  std::optional<std::pair<profile::Row, profile::Row>> first_asked_;
};

}  // namespace dlview::aggregate::cpu
