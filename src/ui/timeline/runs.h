// Runs: what is known of many events in order of time of which none overlaps another, without a
// look at each: of any stretch of them how much time they take and which is the longest, and where
// those begin that start at a time.
//
//   events   |e e e e ... 16|e e e ...   |             start since that of the run, length
//   level 0  |start, busy before, longest|...          of 16 events
//   level 1  |the same of 4 of these     |...          and so on upwards
//
// Each question takes a function that tells the base::Interval of an event by its place. It is
// asked for what 32 bits do not hold: more than 4.2 s.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/intervals.h"
#include "ui/timeline/gallop.h"

namespace dlview::ui::timeline {

class Runs {
 public:
  Runs() = default;
  template <typename TimeOf>
  Runs(std::size_t count, const TimeOf& time_of) {
    reserve(count);
    for (std::size_t place = 0; place < count; ++place) add(time_of(place));
    add_levels();
  }

  std::size_t size() const { return size_; }

  template <typename TimeOf>
  base::Interval time(std::size_t place, const TimeOf& time_of) const {
    const int64_t start = start_ns(place, time_of);
    return {start, start + length_ns(place, time_of)};
  }
  template <typename TimeOf>
  int64_t start_ns(std::size_t place, const TimeOf& time_of) const {
    if (place % kFirst != 0) {
      return offsets_[place] == kFar ? time_of(place).start_ns
                                     : levels_.front().starts[place / kFirst] + offsets_[place];
    }
    const std::size_t level = level_of(place);
    return levels_[level].starts[place >> shift(level)];
  }

  // The first place from `from` on whose event starts at this time or later; size() = none. Costs
  // the logarithm of how far it is from the expected number of events behind `from`.
  template <typename TimeOf>
  std::size_t first_from(int64_t time_ns, std::size_t from, const TimeOf& time_of,
                         std::size_t expected = 0) const;

  // Fetches what first_from() will look at where it is going to find a place near this one.
  void prefetch(std::size_t place) const {
    if (place >= size_) return;
    __builtin_prefetch(&levels_.front().starts[place / kFirst]);
    for (const std::vector<uint32_t>* column : {&offsets_, &lengths_}) {
      __builtin_prefetch(column->data() + std::max(place, kFirst) - kFirst);
      __builtin_prefetch(column->data() + place);
    }
  }

  // About the same, where many events lie between: where a run begins that starts from time_ns on
  // and before before_ns. Behind `from` there are so many events that those of a run are few among
  // them; size() where there are not. `expected` is how many they are thought to be.
  std::size_t run_from(int64_t time_ns, int64_t before_ns, std::size_t from,
                       std::size_t expected) const;

  // Of places [first, last), which are not empty: the longest (the first of equals), and how much
  // time all take.
  template <typename TimeOf>
  std::size_t longest(std::size_t first, std::size_t last, const TimeOf& time_of) const;
  template <typename TimeOf>
  int64_t busy_ns(std::size_t first, std::size_t last, const TimeOf& time_of) const;

 private:
  static constexpr std::size_t kFirst = 16, kFirstShift = 4;  // events of a run of level 0
  static constexpr std::size_t kFan = 4, kFanShift = 2;       // runs in one of the next level
  // Of so many runs one more or less is few.
  static constexpr std::size_t kMany = 16;
  static constexpr uint32_t kFar = UINT32_MAX;  // too far for offsets_, too long for lengths_
  // So many are faster looked at one after the other, several at once.
  static constexpr std::size_t kFew = 256;

  struct Longest {
    int64_t ns = -1;
    uint32_t place = 0;
    void take(const Longest& other) {
      if (other.ns > ns || (other.ns == ns && other.place < place)) *this = other;
    }
  };
  struct Level {
    std::vector<int64_t> starts;
    std::vector<int64_t> busy_before;
    std::vector<Longest> longest;
  };

  static constexpr std::size_t shift(std::size_t level) { return kFirstShift + kFanShift * level; }
  static int64_t length(const base::Interval& time) { return time.stop_ns - time.start_ns; }
  // The highest one with a run that begins at the place, which is a multiple of kFirst.
  std::size_t level_of(std::size_t place) const {
    const auto zeros = static_cast<std::size_t>(std::countr_zero(place));
    return std::min((zeros - kFirstShift) / kFanShift, levels_.size() - 1);
  }
  template <typename TimeOf>
  int64_t length_ns(std::size_t place, const TimeOf& time_of) const {
    return lengths_[place] == kFar ? length(time_of(place)) : lengths_[place];
  }
  std::size_t longest_of_few(std::size_t first, std::size_t last) const {
    const auto* begin = lengths_.data();
    uint32_t most = 0;
    for (std::size_t i = first; i < last; ++i) most = std::max(most, begin[i]);
    return static_cast<std::size_t>(std::find(begin + first, begin + last, most) - begin);
  }
  void reserve(std::size_t count);
  void add(const base::Interval& time);
  void add_levels();
  template <typename TimeOf>
  int64_t busy_before_ns(std::size_t place, const TimeOf& time_of) const;

  std::size_t size_ = 0;
  int64_t busy_ns_ = 0;
  std::vector<uint32_t> offsets_, lengths_;  // of each event, ns
  bool all_near_ = true;                     // none is kFar
  std::vector<Level> levels_{1};
};

template <typename TimeOf>
std::size_t Runs::first_from(int64_t time_ns, std::size_t from, const TimeOf& time_of,
                             std::size_t expected) const {
  if (from >= size_ || start_ns(from, time_of) >= time_ns) return std::min(from, size_);
  const std::vector<int64_t>& starts = levels_.front().starts;
  const std::size_t run =
      gallop(starts, time_ns, from / kFirst + 1, (from + expected) / kFirst) - 1;
  const std::size_t first = std::max(from, run * kFirst);
  const std::size_t last = std::min(size_, (run + 1) * kFirst);
  if (offsets_[last - 1] != kFar && time_ns - starts[run] < kFar) {
    const auto offset = static_cast<uint32_t>(time_ns - starts[run]);
    std::size_t before = 0;
    for (std::size_t i = first; i < last; ++i) before += offsets_[i] < offset ? 1 : 0;
    return first + before;
  }
  std::size_t place = first;
  while (place < last && start_ns(place, time_of) < time_ns) ++place;
  return place;
}

template <typename TimeOf>
std::size_t Runs::longest(std::size_t first, std::size_t last, const TimeOf& time_of) const {
  if (all_near_ && last - first <= kFew) return longest_of_few(first, last);
  Longest best;
  const auto take = [&](std::size_t place) {
    best.take({length_ns(place, time_of), static_cast<uint32_t>(place)});
  };
  while (first < last && first % kFirst != 0) take(first++);
  while (first < last && last % kFirst != 0) take(--last);
  first /= kFirst;
  last /= kFirst;
  for (std::size_t level = 0; first < last; ++level) {
    const std::vector<Longest>& runs = levels_[level].longest;
    const bool is_top = level + 1 == levels_.size();
    while (first < last && (is_top || first % kFan != 0)) best.take(runs[first++]);
    while (first < last && last % kFan != 0) best.take(runs[--last]);
    first /= kFan;
    last /= kFan;
  }
  return best.place;
}

template <typename TimeOf>
int64_t Runs::busy_before_ns(std::size_t place, const TimeOf& time_of) const {
  if (place == size_) return busy_ns_;
  const std::size_t begin = place / kFirst * kFirst;
  const std::size_t level = level_of(begin);
  int64_t busy = levels_[level].busy_before[begin >> shift(level)];
  for (std::size_t i = begin; i < place; ++i) busy += length_ns(i, time_of);
  return busy;
}

template <typename TimeOf>
int64_t Runs::busy_ns(std::size_t first, std::size_t last, const TimeOf& time_of) const {
  if (last - first > kFew) return busy_before_ns(last, time_of) - busy_before_ns(first, time_of);
  int64_t busy = 0;
  if (all_near_) {
    for (std::size_t place = first; place < last; ++place) busy += lengths_[place];
    return busy;
  }
  for (std::size_t place = first; place < last; ++place) busy += length_ns(place, time_of);
  return busy;
}

}  // namespace dlview::ui::timeline
