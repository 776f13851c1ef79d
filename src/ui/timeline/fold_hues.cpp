#include "ui/timeline/fold_hues.h"

namespace dlview::ui::timeline {

std::optional<uint8_t> FoldHues::most(const BinLevel& level, const base::Interval& time) const {
  const std::vector<Entry>& entries = levels_[static_cast<std::size_t>(level.shift - first_shift_)];
  const std::size_t first = level.last_until(time.start_ns);
  const std::size_t end = std::min(level.last_until(time.stop_ns - 1) + 1, entries.size());
  Times times;
  for (std::size_t bin = first; bin < end; ++bin)
    times.add(entries[bin].hue(), entries[bin].units());
  const uint8_t hue = times.most();
  return times.of(hue) > 0 ? std::optional(hue) : std::nullopt;
}

}  // namespace dlview::ui::timeline
