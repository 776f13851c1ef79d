// EventForest: which event of a thread lies inside which. Events of a thread come by start, of
// equal starts the longest first, of equal times in the order of the file. The parent of an event
// is the innermost event that holds it whole; what begins where another ends is its sibling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/sort_runs.h"
#include "base/untouched_vector.h"
#include "profile/rows.h"
#include "profile/thread_groups.h"

namespace dlview::profile {

class EventForest {
 public:
  struct Event {
    int64_t start_ns = 0, stop_ns = 0;
    Row row = 0;  // of the table that the events come from
  };

  // Event i of `count` has the thread thread_of(i) and is event_of(i); rows ascend. Both functions
  // run on several threads.
  template <typename ThreadOf, typename EventOf>
  EventForest(std::size_t count, const ThreadOf& thread_of, const EventOf& event_of)
      : events_(count), parents_(count) {
    places_ = place_by_thread(
        count, thread_of, [&](std::size_t i, std::size_t place) { events_[place] = event_of(i); });
    base::parallel_for(places_.threads.size(), 1, [this](std::size_t begin, std::size_t end) {
      for (std::size_t thread = begin; thread < end; ++thread) arrange(thread);
    });
  }

  // A place is the number of an event: those of the first thread, then those of the next.
  std::size_t size() const { return events_.size(); }
  const Event& operator[](std::size_t place) const { return events_[place]; }
  // kNoRow = none.
  Row parent(std::size_t place) const { return parents_[place]; }
  // Threads in ascending order, and the places of their events.
  const ThreadPlaces& threads() const { return places_; }

 private:
  void arrange(std::size_t thread);

  base::UntouchedVector<Event> events_;
  base::UntouchedVector<Row> parents_;
  ThreadPlaces places_;
};

// Finds what is open on a thread at times that ascend.
class OpenEvents {
 public:
  // The forest must outlive the object. A thread without events has nothing open.
  OpenEvents(const EventForest& forest, ThreadId thread);

  // Returns the place of the event with the latest start that is open at the time, starts and ends
  // included, or one around it; kNoRow = none.
  Row at(int64_t time_ns);

 private:
  Row& up(Row place) { return up_[place - first_]; }

  const EventForest& forest_;
  std::size_t first_ = 0, end_ = 0;
  std::size_t next_ = 0;  // the first event that begins later
  std::vector<Row> up_;   // by place - first_: an event around it that may be open
};

}  // namespace dlview::profile
