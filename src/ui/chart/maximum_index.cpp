#include "ui/chart/maximum_index.h"

#include <algorithm>
#include <utility>

namespace dlview::ui {

MaximumIndex::MaximumIndex(std::vector<int64_t> values) : values_(std::move(values)) {
  for (std::size_t below = values_.size(); below > 1; below = (below + 1) / 2) {
    std::vector<uint32_t> level((below + 1) / 2);
    const auto winner_below = [&](std::size_t block) {
      return levels_.empty() ? block : std::size_t{levels_.back()[block]};
    };
    for (std::size_t block = 0; block < level.size(); ++block) {
      const std::size_t left = winner_below(2 * block);
      const std::size_t right = 2 * block + 1 < below ? winner_below(2 * block + 1) : left;
      level[block] = static_cast<uint32_t>(better(left, right));
    }
    levels_.push_back(std::move(level));
  }
}

std::size_t MaximumIndex::better(std::size_t a, std::size_t b) const {
  const auto [low, high] = std::minmax(a, b);
  return values_[high] > values_[low] ? high : low;
}

std::size_t MaximumIndex::largest(std::size_t first, std::size_t last) const {
  std::size_t best = first;
  while (first < last) {
    // The largest block that begins at `first` and ends by `last`.
    std::size_t level = 0;
    while (level < levels_.size() && first % (std::size_t{2} << level) == 0 &&
           first + (std::size_t{2} << level) <= last) {
      ++level;
    }
    best = better(best, level == 0 ? first : levels_[level - 1][first >> level]);
    first += std::size_t{1} << level;
  }
  return best;
}

}  // namespace dlview::ui
