// TimeBins: what begins in each stretch of 2^n ns, for many n, of events in order of time: so that
// what a pixel column holds is read as it lies in memory, without a search. Bins do not move with
// the window, and those of a level are half as wide as those of the next one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/intervals.h"

namespace dlview::ui::timeline {

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

}  // namespace dlview::ui::timeline
