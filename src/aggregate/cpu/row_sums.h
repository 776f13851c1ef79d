// RowSums: what ops, kernels and memory operations add up to over any run of instance rows,
// whatever cuts the run into iterations.
#pragma once

#include <vector>

#include "aggregate/cpu/block_index.h"
#include "aggregate/cpu/cells.h"
#include "aggregate/cpu/kept_rows.h"
#include "aggregate/cpu/profile_index.h"
#include "profile/profile.h"

namespace dlview::aggregate::cpu {

struct RowLayout {
  explicit RowLayout(const profile::Profile& profile, const ProfileIndex& index);

  CellBlock<5> ops;      // by op row: the times of its instances
  CellBlock<2> kernels;  // by kernel cell: GPU and API time of single kernels
  CellBlock<2> memory_ops;
};

class RowSums {
 public:
  // `kept` null = all rows. Everything given must outlive it. Blocks are of `block_rows` rows.
  RowSums(const profile::Profile& profile, const ProfileIndex& index, const KeptRows* kept,
          int64_t block_rows);

  // Of instance rows [first, end) and their events.
  Cells between(profile::Row first, profile::Row end) const { return blocks_.between(first, end); }
  const RowLayout& layout() const { return layout_; }

 private:
  RowLayout layout_;
  BlockIndex blocks_;
};

}  // namespace dlview::aggregate::cpu
