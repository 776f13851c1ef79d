#include "ui/timeline/fold_hues.h"

namespace dlview::ui::timeline {

std::optional<uint8_t> FoldHues::most(const BinLevel& level, const base::Interval& time,
                                      std::size_t first, std::size_t behind) const {
  const std::vector<Entry>& entries = levels_[static_cast<std::size_t>(level.shift - first_shift_)];
  const std::size_t end = std::min(level.last_until(time.stop_ns) + 1, entries.size());
  std::array<uint64_t, kHues> units = {};
  uint64_t most = 0;
  uint8_t hue = 0;
  for (std::size_t bin = level.last_until(time.start_ns); bin < end; ++bin) {
    if (level.bins[bin].first < first || level.bins[bin + 1].first > behind) continue;
    const Entry& entry = entries[bin];
    const uint64_t sum = units[entry.hue()] += entry.units();
    if (sum <= most) continue;
    most = sum;
    hue = entry.hue();
  }
  return most > 0 ? std::optional(hue) : std::nullopt;
}

}  // namespace dlview::ui::timeline
