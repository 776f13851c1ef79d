// What begins in each stretch of 2^n ns of a line, and which hue takes most of it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/intervals.h"

namespace dlview::timeline {

// Its longest event, the first of equals, and what all of its events take. Less than 2^32 ns of
// them; a bin that holds more says so.
class Bin {
 public:
  void add(uint32_t place, int64_t length_ns);
  void add(const Bin& next);
  int64_t longest_ns() const { return static_cast<int64_t>(longest_ >> 32); }

  // Of the bins [first, last): nothing where one of them holds too much.
  struct Sum {
    uint32_t longest = 0;
    int64_t longest_ns = -1;  // that of no event
    int64_t busy_ns = 0;
  };
  static std::optional<Sum> sum(const Bin* first, const Bin* last);

  uint32_t first = 0;  // the place of the first event that begins in it or behind it

 private:
  static constexpr uint32_t kTooMuch = UINT32_MAX;

  uint32_t busy_ns_ = 0;
  uint64_t longest_ =
      0;  // ns, and in the lower half ~place: the largest is the first of the longest
};

// Asked for every pixel column of a line.
inline std::optional<Bin::Sum> Bin::sum(const Bin* first, const Bin* last) {
  uint64_t longest = 0, busy_ns = 0;
  uint32_t most_ns = 0;
  for (const Bin* bin = first; bin != last; ++bin) {
    longest = std::max(longest, bin->longest_);
    busy_ns += bin->busy_ns_;
    most_ns = std::max(most_ns, bin->busy_ns_);
  }
  if (most_ns == kTooMuch) return std::nullopt;
  return Sum{~static_cast<uint32_t>(longest),
             longest == 0 ? -1 : static_cast<int64_t>(longest >> 32),
             static_cast<int64_t>(busy_ns)};
}

// Bins of one width.
struct BinLevel {
  int64_t start_ns = 0;
  int shift = 0;          // they are 2^shift ns wide
  std::vector<Bin> bins;  // behind the last one stands one without events

  int64_t begin_ns(std::size_t bin) const {
    return start_ns + (static_cast<int64_t>(bin) << shift);
  }
  // The first one that begins at this time or later; the one behind the last where none does.
  std::size_t first_from(int64_t time_ns) const {
    return time_ns <= start_ns ? 0 : std::min(last_until(time_ns - 1) + 1, bins.size() - 1);
  }
  // The last one that begins at this time or before, for times before all the first.
  std::size_t last_until(int64_t time_ns) const {
    const int64_t since = std::max<int64_t>(0, time_ns - start_ns);
    return std::min(static_cast<std::size_t>(since >> shift), bins.size() - 1);
  }
};

// What begins in each stretch of 2^n ns, for many n, of events in order of time: so that what a
// pixel column holds is read as it lies in memory, without a search. Bins do not move with the
// window, and those of a level are half as wide as those of the next one.
class TimeBins {
 public:
  TimeBins() = default;
  // time_of(place) tells the base::Interval of an event.
  template <typename TimeOf>
  TimeBins(std::size_t count, const TimeOf& time_of);

  // The widest bins of at most so many ns; null = all are wider.
  const BinLevel* of_width(int64_t most_ns) const;
  // From the narrowest on. Bin i of one holds those of 2 i and, where that is there, 2 i + 1 of the
  // one before.
  const std::vector<BinLevel>& levels() const { return levels_; }

 private:
  static constexpr std::size_t kLeast = 4;  // events that are worth it

  // Of so many events: for how many there is one of the narrowest bins. The fewer, so that columns
  // with not many more events than they need are read off bins too, where that takes little memory.
  static std::size_t events_of_bin(std::size_t count) {
    return count < (1U << 17) ? 1 : count < (1U << 20) ? 2 : 4;
  }

  void begin(const base::Interval& starts, std::size_t count);
  void add_levels();

  std::vector<BinLevel> levels_;
};

template <typename TimeOf>
TimeBins::TimeBins(std::size_t count, const TimeOf& time_of) {
  if (count < kLeast) return;
  begin({time_of(0).start_ns, time_of(count - 1).start_ns}, count);
  BinLevel& level = levels_.front();
  std::size_t next = 0;  // whose first event is not known yet
  for (std::size_t place = 0; place < count; ++place) {
    const base::Interval time = time_of(place);
    const std::size_t bin = level.last_until(time.start_ns);
    while (next <= bin) level.bins[next++].first = static_cast<uint32_t>(place);
    level.bins[bin].add(static_cast<uint32_t>(place), time.stop_ns - time.start_ns);
  }
  level.bins.back().first = static_cast<uint32_t>(count);
  add_levels();
}

// Which hue takes most of the time of a stretch of events, so that a fold has the color of what it
// mostly holds. Told by the bins of TimeBins; each knows the hue that takes most of it, and that
// one's time.
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

}  // namespace dlview::timeline
