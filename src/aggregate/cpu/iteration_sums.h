// IterationSums: the groups of ops over any run of iterations. A group has one value per iteration
// in which it has an instance (spec.md 11), so these depend on the split.
#pragma once

#include <optional>
#include <vector>

#include "aggregate/cpu/block_index.h"
#include "aggregate/cpu/cpu_engine.h"
#include "aggregate/cpu/kept.h"
#include "aggregate/cpu/packed_instances.h"
#include "aggregate/cpu/slot_places.h"
#include "aggregate/engine/layouts.h"
#include "aggregate/engine/profile_index.h"
#include "aggregate/iterations.h"
#include "profile/profile.h"

namespace dlview::aggregate::cpu {

class IterationSums {
 public:
  // Sums all rows. The arguments must outlive it.
  IterationSums(const profile::Profile& profile, const ProfileIndex& index,
                const PackedInstances& packed, const Iterations& iterations,
                const CpuOptions& options);
  // Sums the rows that match the filters. Unaffected slots come from the sums of all rows, except
  // for iterations that filters on time match in part.
  IterationSums(const profile::Profile& profile, const ProfileIndex& index,
                const PackedInstances& packed, const Iterations& iterations, const Kept& kept,
                IterationSums& all, const CpuOptions& options);

  // Whether over() looks at what it is given of ops.
  bool needs_ops() const { return needs_ops_; }
  // Returns the groups over a range. `ops`: the same rows in the cells of OpLayout. Builds sums of
  // blocks when a second range is requested.
  Cells over(const IterationRange& range, const Cells& ops);

 private:
  // Slots that are summed, of all iterations or of those that lie so.
  struct Added {
    SlotPlaces places;
    GroupLayout layout;
    BlockIndex blocks;
  };

  // But for lone ops.
  Cells sums_over(const IterationRange& range);
  // Sums all rows without building sums of blocks.
  Cells once_over(const IterationRange& range);
  void add_whole(const IterationRange& range, bool once, Cells& cells);
  void add(Added& added, const IterationRange& range, bool once, Cells& cells) const;

  OpLayout op_layout_;
  GroupLayout layout_;  // of all slots
  std::vector<profile::OpIndex> lone_ops_;
  bool needs_ops_ = false;  // any of them
  IterationSums* all_ = nullptr;
  std::vector<Share> shares_;    // by slot, of iterations inside
  std::vector<Timing> timings_;  // by iteration, where all_ is there
  std::vector<Added> added_;
  std::optional<IterationRange> first_asked_;
};

}  // namespace dlview::aggregate::cpu
