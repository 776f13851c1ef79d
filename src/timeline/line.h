// A row of boxes, and which events share one.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "profile/profile.h"
#include "timeline/event.h"
#include "timeline/runs.h"
#include "timeline/time_bins.h"

namespace dlview::timeline {

// One row of boxes. Events in order of time of which none overlaps another, with Runs, TimeBins and
// FoldHues of their times.
class Line {
  struct TimeOf {
    const Line& line;
    const Events& source;
    base::Interval operator()(std::size_t place) const { return source.time(line[place]); }
  };

 public:
  // In order of time; each starts when the one before it has stopped, or later.
  Line(const std::vector<EventRef>& events, const Events& source);

  std::size_t size() const { return rows_.size(); }
  EventRef operator[](std::size_t place) const {
    return {static_cast<EventKind>(kinds_[place] & kKindMask), rows_[place]};
  }
  // Whether it has any event of it.
  bool has(Category category) const { return (categories_ >> static_cast<int>(category) & 1) != 0; }
  // That of all its events; nothing where there are several.
  std::optional<Category> only_category() const {
    if (!std::has_single_bit(categories_)) return std::nullopt;
    return static_cast<Category>(std::countr_zero(categories_));
  }
  // Fetches what category() reads.
  void prefetch(std::size_t place) const { __builtin_prefetch(&kinds_[place]); }
  // As Events has it, without a look at the profile.
  Category category(std::size_t place) const {
    return static_cast<Category>(kinds_[place] >> kKindBits);
  }

  const Runs& runs() const { return runs_; }
  int64_t longest_ns() const { return longest_ns_; }  // of its events; -1 without any
  const TimeBins& bins() const { return bins_; }
  // By category.
  const FoldHues& fold_hues() const { return fold_hues_; }
  int64_t length_ns(std::size_t place, const Events& source) const {
    const base::Interval time = runs_.time(place, times(source));
    return time.stop_ns - time.start_ns;
  }
  // As Runs has them.
  std::size_t first_from(int64_t time_ns, const Events& source) const {
    return runs_.first_from(time_ns, times(source));
  }
  std::size_t first_visible(int64_t time_ns, const Events& source) const {
    return runs_.first_visible(time_ns, times(source));
  }
  // Where the event is; of an API call also one of exactly its time, which is the same call as
  // another row tells it. size() = nowhere.
  std::size_t find(EventRef event, const Events& source) const;

 private:
  static constexpr int kKindBits = 4;
  static constexpr uint8_t kKindMask = (1 << kKindBits) - 1;
  static_assert(kEventKindCount <= 1U << kKindBits);
  static_assert(kCategoryCount <= 1U << (8 - kKindBits));

  TimeOf times(const Events& source) const { return {*this, source}; }

  std::vector<profile::Row> rows_;
  std::vector<uint8_t> kinds_;  // and categories, side by side
  uint32_t categories_ = 0;     // one bit each
  Runs runs_;
  int64_t longest_ns_ = -1;
  TimeBins bins_;
  FoldHues fold_hues_;
};

// Which events share a line: as few lines as there are events at one time, each event on the
// uppermost that is free, so that of nested ranges the outer ones lie above.

// Of two that start together the longer one comes first.
inline bool comes_before(const base::Interval& a, const base::Interval& b) {
  return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.stop_ns > b.stop_ns;
}

// In that order; what starts and stops together stays as it was.
void sort_by_time(std::vector<EventRef>& events, const Events& source);

// The line of each event, from 0 on; `sorted` is in order of time.
std::vector<uint32_t> spread(const std::vector<EventRef>& sorted, const Events& source);

// Events by line; `sorted` is in order of time.
std::vector<std::vector<EventRef>> by_line(std::vector<EventRef> sorted, const Events& source);

// Returns lines with all of the events; `sorted` is in order of time.
std::vector<Line> arrange(std::vector<EventRef> sorted, const Events& source);

}  // namespace dlview::timeline
