#include "ui/timeline/fold_hues.h"

#include <cassert>

namespace dlview::ui::timeline {

std::optional<uint8_t> FoldHues::most(const BinLevel& level, const base::Interval& time,
                                      std::size_t first, std::size_t behind) const {
  const std::vector<Entry>& entries = levels_[static_cast<std::size_t>(level.shift - first_shift_)];
  std::size_t begin = level.last_until(time.start_ns);
  std::size_t end = std::min(level.last_until(time.stop_ns) + 1, entries.size());
  while (begin < end && level.bins[begin].first < first) ++begin;
  while (begin < end && level.bins[end].first > behind) --end;
  while (begin < end && entries[begin].units() == 0) ++begin;
  if (begin == end) return std::nullopt;
  const uint8_t hue = entries[begin].hue();
  for (std::size_t bin = begin + 1; bin < end; ++bin) {
    if (entries[bin].units() > 0 && entries[bin].hue() != hue) return most(entries, begin, end);
  }
  return hue;  // as mostly: all have it
}

uint8_t FoldHues::most(const std::vector<Entry>& entries, std::size_t begin, std::size_t end) {
  assert(end - begin <= kMostBins);
  std::array<uint32_t, kHues> units = {};
  for (std::size_t bin = begin; bin < end; ++bin) units[entries[bin].hue()] += entries[bin].units();
  return static_cast<uint8_t>(std::ranges::max_element(units) - units.begin());
}

}  // namespace dlview::ui::timeline
