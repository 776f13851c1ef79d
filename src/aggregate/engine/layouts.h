// Layouts: the positions of ops, events and groups of a profile in Cells. All engines fill the same
// cells, so that all later steps are shared.
#pragma once

#include "aggregate/engine/cells.h"
#include "aggregate/engine/profile_index.h"
#include "aggregate/group_tree.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// By op row: the times of its instances.
struct OpLayout {
  explicit OpLayout(const profile::Profile& profile) : ops{0, 0, profile.ops.size()} {}
  Cells empty() const { return {ops.end_sum(), ops.end_low()}; }
  CellBlock<5> ops;
};

// GPU and API time of single events.
struct EventLayout {
  explicit EventLayout(const ProfileIndex& index)
      : kernels{0, 0, index.kernels.cells.size()},
        memory_ops{kernels.end_sum(), kernels.end_low(), index.memory_ops.cells.size()} {}
  Cells empty() const { return {memory_ops.end_sum(), memory_ops.end_low()}; }
  CellBlock<2> kernels, memory_ops;  // by cell
};

// Slot 0 is the whole model, slot g + 1 group g: a parent precedes its children.
struct GroupLayout {
  explicit GroupLayout(const GroupTree& tree) : GroupLayout(tree.groups.size() + 1) {}
  explicit GroupLayout(std::size_t slots)
      : times{0, 0, slots}, first_instance_count(times.end_sum()) {}
  Cells empty() const { return {first_instance_count + times.size, times.end_low()}; }
  // Adds what a slot of other cells holds.
  void merge(Cells& cells, std::size_t slot, const Cells& from, const GroupLayout& other,
             std::size_t from_slot) const {
    times.merge(cells, slot, from, other.times, from_slot);
    cells.sums[first_instance_count + slot] += other.instances(from, from_slot);
  }
  int64_t instances(const Cells& cells, std::size_t slot) const {
    return cells.sums[first_instance_count + slot];
  }
  CellBlock<5> times;                // one value for each iteration with an instance
  std::size_t first_instance_count;  // in Cells::sums, by slot
};

// The slot of every op's innermost group, and of the group around each slot.
struct GroupSlots {
  explicit GroupSlots(const GroupTree& tree);
  std::vector<profile::Row> of_op, parent;
};

}  // namespace dlview::aggregate
