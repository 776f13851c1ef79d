// Blocks: a range of indices in blocks that are gone through on all cores, several times where the
// second time needs what was counted the first time, each with a state that goes with it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/parallel.h"

namespace dlview::base {

template <typename State>
class Blocks {
 public:
  // Divides [0, count) into blocks of `size` indices; the last may be shorter.
  Blocks(std::size_t count, std::size_t size)
      : count_(count), size_(size), states_((count + size - 1) / size) {}

  // Calls use(state, begin, end) for each block, on several threads.
  template <typename Use>
  void for_each(const Use& use) {
    parallel_for(states_.size(), 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        use(states_[i], i * size_, std::min(count_, (i + 1) * size_));
      }
    });
  }

  // In order of the blocks.
  std::vector<State>& states() { return states_; }

 private:
  std::size_t count_, size_;
  std::vector<State> states_;
};

// Counts become the sums of those before them; returns the sum of all.
inline std::size_t sums_before(std::vector<std::size_t>& counts) {
  std::size_t sum = 0;
  for (std::size_t& count : counts) {
    const std::size_t before = sum;
    sum += count;
    count = before;
  }
  return sum;
}

}  // namespace dlview::base
