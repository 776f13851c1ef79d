#include "profile/event_forest.h"

#include <algorithm>

#include "base/stop_point.h"

namespace dlview::profile {
namespace {

constexpr std::size_t kEventsAtOnce = 4096;  // between two looks at whether to stop

}  // namespace

void EventForest::arrange(std::size_t thread) {
  const std::size_t first = places_.first[thread], end = places_.first[thread + 1];
  base::sort_runs(
      std::span(events_).subspan(first, end - first), [](const Event& a, const Event& b) {
        return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.stop_ns > b.stop_ns;
      });
  // Events that may hold what comes, the innermost last. One that ends before another that began
  // later holds nothing that the other does not hold.
  std::vector<Row> open;
  for (std::size_t place = first; place < end; ++place) {
    if (place % kEventsAtOnce == 0) base::stop_point();
    const Event& event = events_[place];
    const auto ends_early = [&](Row other) {
      return events_[other].stop_ns <= event.start_ns || events_[other].stop_ns < event.stop_ns;
    };
    while (!open.empty() && ends_early(open.back())) open.pop_back();
    parents_[place] = open.empty() ? kNoRow : open.back();
    open.push_back(static_cast<Row>(place));
  }
}

OpenEvents::OpenEvents(const EventForest& forest, ThreadId thread) : forest_(forest) {
  const ThreadPlaces& places = forest.threads();
  const auto found = std::ranges::lower_bound(places.threads, thread);
  if (found == places.threads.end() || *found != thread) return;
  const auto number = static_cast<std::size_t>(found - places.threads.begin());
  first_ = next_ = places.first[number];
  end_ = places.first[number + 1];
  up_.reserve(end_ - first_);
  for (std::size_t place = first_; place < end_; ++place) {
    if (place % kEventsAtOnce == 0) base::stop_point();
    up_.push_back(forest.parent(place));
  }
}

Row OpenEvents::at(int64_t time_ns) {
  while (next_ < end_ && forest_[next_].start_ns <= time_ns) ++next_;
  if (next_ == first_) return kNoRow;
  const auto is_over = [&](Row place) {
    return place != kNoRow && forest_[place].stop_ns < time_ns;
  };
  // What is over stays over: it is skipped from now on.
  auto place = static_cast<Row>(next_ - 1);
  while (is_over(place)) {
    if (is_over(up(place))) up(place) = up(up(place));
    place = up(place);
  }
  return place;
}

}  // namespace dlview::profile
