// SlotPlaces: which groups of ops are summed for an answer, and where.
#pragma once

#include <vector>

#include "aggregate/cpu/kept.h"
#include "aggregate/engine/layouts.h"
#include "aggregate/iterations.h"
#include "profile/profile.h"

namespace dlview::aggregate::cpu {

// Which slots are summed, and where. Slots that hold the same ops have one place: a group whose
// only child is a group.
struct SlotPlaces {
  std::vector<profile::Row> of_slot;  // kNoRow = not summed
  std::vector<profile::Row> of_op;    // innermost place that holds the op; likewise
  std::vector<profile::Row> parent;   // by place; a parent precedes its children
};

// Returns the combined share of the ops below each slot.
std::vector<Share> shares_of_slots(const GroupSlots& slots, const std::vector<Share>& shares);

// Places for slots that are wanted; so are those around them.
SlotPlaces places_for(const GroupSlots& slots, const std::vector<bool>& wanted);

// By slot: the only op in it, where no iteration runs that op twice, so that the sums of both are
// the same over any range; else kNoRow, as for the whole model, and where instances lie between
// iterations. Iterations are looked at on all cores.
std::vector<profile::OpIndex> lone_ops(const GroupSlots& slots, const profile::Profile& profile,
                                       const Iterations& iterations);

}  // namespace dlview::aggregate::cpu
