// RowSums: what ops, kernels and memory operations add up to over any run of instance rows,
// whatever cuts the run into iterations.
#pragma once

#include <memory>
#include <optional>

#include "aggregate/cpu/block_index.h"
#include "aggregate/cpu/kept.h"
#include "aggregate/engine/engine.h"
#include "aggregate/engine/profile_index.h"
#include "profile/profile.h"

namespace dlview::aggregate::cpu {

class RowSums {
 public:
  // Of all rows, in blocks of about `block_rows` rows. Everything given must outlive it.
  RowSums(const profile::Profile& profile, const ProfileIndex& index, int64_t block_rows);
  // Of what is kept: whole cells are taken from the sums of all rows.
  RowSums(const profile::Profile& profile, const ProfileIndex& index, const Kept& kept,
          std::shared_ptr<RowSums> all, int64_t block_rows);

  // Of instance rows [first, end) and their events.
  RowCells between(profile::Row first, profile::Row end);

 private:
  OpLayout op_layout_;
  EventLayout event_layout_;
  const Kept* kept_ = nullptr;
  std::shared_ptr<RowSums> all_;
  std::optional<BlockIndex> ops_, events_;  // else taken from all_
};

}  // namespace dlview::aggregate::cpu
