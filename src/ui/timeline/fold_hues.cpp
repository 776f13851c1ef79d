#include "ui/timeline/fold_hues.h"

namespace dlview::ui::timeline {

std::optional<uint8_t> FoldHues::most(const BinLevel& level, const base::Interval& time,
                                      std::size_t first, std::size_t behind) const {
  const std::vector<Entry>& entries = levels_[static_cast<std::size_t>(level.shift - first_shift_)];
  const std::size_t end = std::min(level.last_until(time.stop_ns) + 1, entries.size());
  Times times;
  for (std::size_t bin = level.last_until(time.start_ns); bin < end; ++bin) {
    if (level.bins[bin].first < first || level.bins[bin + 1].first > behind) continue;
    times.add(entries[bin].hue(), entries[bin].units());
  }
  const uint8_t hue = times.most();
  return times.of(hue) > 0 ? std::optional(hue) : std::nullopt;
}

}  // namespace dlview::ui::timeline
