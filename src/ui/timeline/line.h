// Line: one row of boxes. Events in order of time of which none overlaps another, and Runs of their
// times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ui/timeline/event.h"
#include "ui/timeline/runs.h"

namespace dlview::ui::timeline {

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
  EventRef operator[](std::size_t place) const { return {kinds_[place], rows_[place]}; }

  // The first place from `from` on whose event starts at this time or later; size() = none. Costs
  // the logarithm of the distance.
  std::size_t first_from(int64_t time_ns, const Events& source, std::size_t from = 0) const {
    return runs_.first_from(time_ns, from, times(source));
  }
  const Runs& runs() const { return runs_; }
  // The first place whose event lies in the time from start_ns on: it stops behind it, or starts
  // there.
  std::size_t first_visible(int64_t start_ns, const Events& source) const;
  // Where the event is; of an API call also one of exactly its time, which is the same call as
  // another row tells it. size() = nowhere.
  std::size_t find(EventRef event, const Events& source) const;

  // Of places [first, last), which are not empty: the longest (the first of equals), and how much
  // time all take.
  std::size_t longest(std::size_t first, std::size_t last, const Events& source) const {
    return runs_.longest(first, last, times(source));
  }
  int64_t busy_ns(std::size_t first, std::size_t last, const Events& source) const {
    return runs_.busy_ns(first, last, times(source));
  }

 private:
  TimeOf times(const Events& source) const { return {*this, source}; }

  std::vector<profile::Row> rows_;
  std::vector<EventKind> kinds_;
  Runs runs_;
};

}  // namespace dlview::ui::timeline
