// RowSums: what ops, kernels and memory operations add up to over any run of instance rows,
// whatever cuts the run into iterations.
#pragma once

#include <memory>
#include <optional>

#include "aggregate/cpu/block_index.h"
#include "aggregate/cpu/cells.h"
#include "aggregate/cpu/kept.h"
#include "aggregate/cpu/profile_index.h"
#include "profile/profile.h"

namespace dlview::aggregate::cpu {

// By op row: the times of its instances.
struct OpLayout {
  explicit OpLayout(const profile::Profile& profile) : ops{0, 0, profile.ops.size()} {}
  CellBlock<5> ops;
};

// GPU and API time of single events.
struct EventLayout {
  explicit EventLayout(const ProfileIndex& index)
      : kernels{0, 0, index.kernels.cells.size()},
        memory_ops{kernels.end_sum(), kernels.end_low(), index.memory_ops.cells.size()} {}
  CellBlock<2> kernels, memory_ops;  // by cell
};

struct RowCells {
  Cells ops, events;
};

class RowSums {
 public:
  // Of all rows, in blocks of about `block_rows` rows. Everything given must outlive it.
  RowSums(const profile::Profile& profile, const ProfileIndex& index, int64_t block_rows);
  // Of what is kept: whole cells are taken from the sums of all rows.
  RowSums(const profile::Profile& profile, const ProfileIndex& index, const Kept& kept,
          std::shared_ptr<RowSums> all, int64_t block_rows);

  // Of instance rows [first, end) and their events.
  RowCells between(profile::Row first, profile::Row end);
  const OpLayout& op_layout() const { return op_layout_; }
  const EventLayout& event_layout() const { return event_layout_; }

 private:
  OpLayout op_layout_;
  EventLayout event_layout_;
  const Kept* kept_ = nullptr;
  std::shared_ptr<RowSums> all_;
  std::optional<BlockIndex> ops_, events_;  // else taken from all_
};

}  // namespace dlview::aggregate::cpu
