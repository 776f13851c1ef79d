// IterationSums: the groups of ops over any run of iterations. A group has one value for each
// iteration in which it has an instance (decisions.md 11), so these depend on the cut.
#pragma once

#include <vector>

#include "aggregate/cpu/block_index.h"
#include "aggregate/cpu/cpu_engine.h"
#include "aggregate/cpu/kept.h"
#include "aggregate/engine/layouts.h"
#include "aggregate/engine/profile_index.h"
#include "aggregate/iterations.h"
#include "profile/profile.h"

namespace dlview::aggregate::cpu {

// Which slots are added up, and where. Slots that hold the same ops have one place: a group whose
// only child is a group.
struct SlotPlaces {
  std::vector<Share> shares;          // by slot: of the ops below
  std::vector<profile::Row> of_slot;  // kNoRow = not added up
  std::vector<profile::Row> of_op;    // innermost place that holds the op; likewise
  std::vector<profile::Row> parent;   // by place; what contains stands before what is in it
};

class IterationSums {
 public:
  // Of all rows. Everything given must outlive it.
  IterationSums(const profile::Profile& profile, const ProfileIndex& index,
                const Iterations& iterations, const CpuOptions& options);
  // Of what is kept: slots that lose nothing are taken from the sums of all rows.
  IterationSums(const profile::Profile& profile, const ProfileIndex& index,
                const Iterations& iterations, const Kept& kept, IterationSums& all,
                const CpuOptions& options);

  Cells over(const IterationRange& range);

 private:
  GroupLayout layout_;  // of all slots
  SlotPlaces places_;
  GroupLayout place_layout_;
  IterationSums* all_ = nullptr;
  BlockIndex blocks_;
};

}  // namespace dlview::aggregate::cpu
