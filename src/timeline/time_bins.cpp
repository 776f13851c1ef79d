#include "timeline/time_bins.h"

#include <cassert>
#include <utility>

namespace dlview::timeline {

void Bin::add(uint32_t place, int64_t length_ns) {
  const auto length = static_cast<uint64_t>(std::min<int64_t>(length_ns, kTooMuch));
  longest_ = std::max(longest_, length << 32 | ~place);
  busy_ns_ = static_cast<uint32_t>(std::min<uint64_t>(busy_ns_ + length, kTooMuch));
}

void Bin::add(const Bin& next) {
  longest_ = std::max(longest_, next.longest_);
  busy_ns_ =
      static_cast<uint32_t>(std::min<uint64_t>(uint64_t{busy_ns_} + next.busy_ns_, kTooMuch));
}

void TimeBins::begin(const base::Interval& starts, std::size_t count) {
  const auto length = static_cast<uint64_t>(starts.stop_ns - starts.start_ns);
  BinLevel& level = levels_.emplace_back();
  level.start_ns = starts.start_ns;
  const std::size_t most = count / events_of_bin(count);
  while (length >> level.shift >= most) ++level.shift;
  level.bins.resize((length >> level.shift) + 2);
}

void TimeBins::add_levels() {
  while (levels_.back().bins.size() > 3) {
    const BinLevel& below = levels_.back();
    const std::size_t bins = below.bins.size() - 1;
    BinLevel level{below.start_ns, below.shift + 1, {}};
    level.bins.reserve((bins + 1) / 2 + 1);
    for (std::size_t bin = 0; bin < bins; bin += 2) {
      level.bins.push_back(below.bins[bin]);
      level.bins.back().add(below.bins[bin + 1]);  // of an odd number the empty one behind
    }
    level.bins.push_back(below.bins.back());
    levels_.push_back(std::move(level));
  }
}

const BinLevel* TimeBins::of_width(int64_t most_ns) const {
  const BinLevel* widest = nullptr;
  for (const BinLevel& level : levels_) {
    if (int64_t{1} << level.shift > most_ns) break;
    widest = &level;
  }
  return widest;
}

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

}  // namespace dlview::timeline
