// IterationSums: the groups of ops over any run of iterations. A group has one value for each
// iteration in which it has an instance (decisions.md 11), so these depend on the cut.
#pragma once

#include "aggregate/cpu/block_index.h"
#include "aggregate/cpu/kept.h"
#include "aggregate/engine/layouts.h"
#include "aggregate/engine/profile_index.h"
#include "aggregate/iterations.h"
#include "profile/profile.h"

namespace dlview::aggregate::cpu {

class IterationSums {
 public:
  // `kept` null = all rows. Everything given must outlive it. Blocks are of `block_rows` instances.
  IterationSums(const profile::Profile& profile, const ProfileIndex& index,
                const Iterations& iterations, const Kept* kept, int64_t block_rows);

  Cells over(const IterationRange& range) {
    return blocks_.between(static_cast<std::size_t>(range.first),
                           static_cast<std::size_t>(range.last) + 1);
  }

 private:
  GroupLayout layout_;
  BlockIndex blocks_;
};

}  // namespace dlview::aggregate::cpu
