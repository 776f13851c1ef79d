// FoldHues: which hue takes most of the time of a stretch of events, so that a fold has the colour
// of what it mostly holds. Told by the bins of TimeBins; each knows the hue that takes most of it,
// and that one's time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ui/timeline/time_bins.h"

namespace dlview::ui::timeline {

class FoldHues {
 public:
  static constexpr uint32_t kHues = 16;
  static constexpr std::size_t kMostBins = 32;

  // What hues take of some time, ns.
  class Times {
   public:
    void add(uint8_t hue, int64_t ns) { ns_[hue] += ns; }
    void add(const Times& more) {
      for (std::size_t hue = 0; hue < kHues; ++hue) ns_[hue] += more.ns_[hue];
    }
    int64_t of(uint8_t hue) const { return ns_[hue]; }
    // The first of equals.
    uint8_t most() const {
      return static_cast<uint8_t>(std::ranges::max_element(ns_) - ns_.begin());
    }

   private:
    std::array<int64_t, kHues> ns_ = {};
  };

  FoldHues() = default;
  // length_ns(place) and hue_of(place) tell of the events of the bins.
  template <typename LengthOf, typename HueOf>
  FoldHues(const TimeBins& bins, const LengthOf& length_ns, const HueOf& hue_of);

  // Of the bins [begin, end) of the level, at most kMostBins, each with its own hue. Nothing where
  // no event of theirs takes any time.
  std::optional<uint8_t> most(const BinLevel& level, std::size_t begin, std::size_t end) const;

 private:
  // A hue, and above it its time in units of the level: a part in 2^16 of a bin.
  class Entry {
   public:
    Entry() = default;
    Entry(const Times& times, const BinLevel& level) {
      const uint8_t hue = times.most();
      const int64_t unit_ns = int64_t{1} << std::max(0, level.shift - 16);
      const int64_t units = (times.of(hue) + unit_ns - 1) / unit_ns;
      bits_ = static_cast<uint32_t>(std::min(units, kMostUnits)) * kHues | hue;
    }
    uint8_t hue() const { return bits_ % kHues; }
    uint32_t units() const { return bits_ / kHues; }

   private:
    static constexpr int64_t kMostUnits = UINT32_MAX / kMostBins;

    uint32_t bits_ = 0;
  };

  // One of them takes time.
  static uint8_t most(const std::vector<Entry>& entries, std::size_t begin, std::size_t end);
  template <typename TimesOfPlaces>
  Times fill(const std::vector<BinLevel>& bins, std::size_t level, std::size_t bin,
             const TimesOfPlaces& times_of);

  int first_shift_ = 0;
  std::vector<std::vector<Entry>> levels_;  // as TimeBins has them
};

template <typename LengthOf, typename HueOf>
FoldHues::FoldHues(const TimeBins& bins, const LengthOf& length_ns, const HueOf& hue_of) {
  const std::vector<BinLevel>& levels = bins.levels();
  if (levels.empty()) return;
  first_shift_ = levels.front().shift;
  for (const BinLevel& level : levels) levels_.emplace_back(level.bins.size() - 1);
  const auto times_of = [&](std::size_t first, std::size_t last) {
    Times times;
    for (std::size_t place = first; place < last; ++place) {
      times.add(hue_of(place), length_ns(place));
    }
    return times;
  };
  for (std::size_t bin = 0; bin < levels_.back().size(); ++bin) {
    fill(levels, levels.size() - 1, bin, times_of);
  }
}

template <typename TimesOfPlaces>
FoldHues::Times FoldHues::fill(const std::vector<BinLevel>& bins, std::size_t level,
                               std::size_t bin, const TimesOfPlaces& times_of) {
  Times times;
  if (level == 0) {
    const std::vector<Bin>& narrowest = bins.front().bins;
    times = times_of(narrowest[bin].first, narrowest[bin + 1].first);
  } else {
    times = fill(bins, level - 1, 2 * bin, times_of);
    if (2 * bin + 1 < levels_[level - 1].size()) {
      times.add(fill(bins, level - 1, 2 * bin + 1, times_of));
    }
  }
  levels_[level][bin] = Entry(times, bins[level]);
  return times;
}

}  // namespace dlview::ui::timeline
