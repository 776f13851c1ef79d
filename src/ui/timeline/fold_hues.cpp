#include "ui/timeline/fold_hues.h"

#include <cassert>

namespace dlview::ui::timeline {

std::optional<uint8_t> FoldHues::most(const BinLevel& level, std::size_t begin,
                                      std::size_t end) const {
  const std::vector<Entry>& entries = levels_[static_cast<std::size_t>(level.shift - first_shift_)];
  while (begin < end && entries[begin].units() == 0) ++begin;
  if (begin >= end) return std::nullopt;
  assert(end - begin <= kMostBins);
  // Mostly that of the first one takes more than half, which is known without a sum of each.
  const uint8_t hue = entries[begin].hue();
  uint32_t all = 0, own = 0;
  for (std::size_t bin = begin; bin < end; ++bin) {
    const uint32_t units = entries[bin].units();
    all += units;
    own += entries[bin].hue() == hue ? units : 0;
  }
  return own > all - own ? hue : most(entries, begin, end);
}

uint8_t FoldHues::most(const std::vector<Entry>& entries, std::size_t begin, std::size_t end) {
  std::array<uint32_t, kHues> units = {};
  for (std::size_t bin = begin; bin < end; ++bin) units[entries[bin].hue()] += entries[bin].units();
  return static_cast<uint8_t>(std::ranges::max_element(units) - units.begin());
}

}  // namespace dlview::ui::timeline
