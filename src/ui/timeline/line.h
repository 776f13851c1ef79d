// Line: one row of boxes. Events in order of time of which none overlaps another, with summaries of
// blocks so that any stretch of them is counted, and its longest found, without looking at each.
//
//   events   |e e e e ... 16|e e e ...   |             times stay in the profile's columns
//   blocks   |start, busy before, longest|...          one for 16 events
//   levels   |longest of 16 blocks       |...          and so on upwards
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ui/timeline/event.h"

namespace dlview::ui::timeline {

class Line {
 public:
  // In order of time; each starts when the one before it has stopped, or later.
  Line(const std::vector<EventRef>& events, const Events& source);

  std::size_t size() const { return rows_.size(); }
  EventRef operator[](std::size_t place) const { return {kinds_[place], rows_[place]}; }

  // The first place from `from` on whose event starts at this time or later; size() = none. Costs
  // the logarithm of the distance.
  std::size_t first_from(int64_t time_ns, const Events& source, std::size_t from = 0) const;
  // The first place whose event lies in the time from start_ns on: it stops behind it, or starts
  // there.
  std::size_t first_visible(int64_t start_ns, const Events& source) const;
  // Where the event is; of an API call also one of exactly its time, which is the same call as
  // another row tells it. size() = nowhere.
  std::size_t find(EventRef event, const Events& source) const;

  // Of places [first, last), which are not empty: the longest (the first of equals), and how much
  // time all take.
  std::size_t longest(std::size_t first, std::size_t last, const Events& source) const;
  int64_t busy_ns(std::size_t first, std::size_t last, const Events& source) const;

 private:
  static constexpr std::size_t kBlock = 16;
  struct Longest {
    int64_t ns = -1;
    uint32_t place = 0;
    void take(const Longest& other) {
      if (other.ns > ns || (other.ns == ns && other.place < place)) *this = other;
    }
  };

  int64_t start_ns(std::size_t place, const Events& source) const {
    return source.time((*this)[place]).start_ns;
  }
  int64_t length_ns(std::size_t place, const Events& source) const {
    const base::Interval time = source.time((*this)[place]);
    return time.stop_ns - time.start_ns;
  }
  int64_t busy_before_ns(std::size_t place, const Events& source) const;

  std::vector<profile::Row> rows_;
  std::vector<EventKind> kinds_;
  std::vector<int64_t> starts_;                // of each block
  std::vector<int64_t> busy_before_;           // each block
  std::vector<std::vector<Longest>> longest_;  // of blocks, of 16 of these, ...
};

}  // namespace dlview::ui::timeline
