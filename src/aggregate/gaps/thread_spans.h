// ThreadSpans: spans of time of many threads, such as calls, thread by thread in order of their
// start: those that share time with a window are found without looking at the others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/intervals.h"
#include "base/max_tree.h"
#include "profile/rows.h"

namespace dlview::aggregate {

class ThreadSpans {
 public:
  // Adds spans 0 to count - 1; `thread_of` returns the thread of one, `time_of` its base::Interval.
  template <typename ThreadOf, typename TimeOf>
  ThreadSpans(std::size_t thread_count, std::size_t count, const ThreadOf& thread_of,
              const TimeOf& time_of);

  // Calls use(span, part of it inside the window) in order of start. `time_of` as before. Cost
  // grows with the spans found.
  template <typename TimeOf, typename Use>
  void for_each_in(profile::Row thread, const base::Interval& window, const TimeOf& time_of,
                   const Use& use) const;

  // All spans, thread by thread in order of start; and the places [first, end) of those of the
  // thread that begin in the window.
  std::span<const profile::Row> spans() const { return spans_; }
  template <typename TimeOf>
  std::pair<std::size_t, std::size_t> beginning_in(profile::Row thread,
                                                   const base::Interval& window,
                                                   const TimeOf& time_of) const;

 private:
  std::vector<profile::Row> spans_;
  std::vector<std::size_t> first_;  // of each thread, and one more
  base::MaxTree latest_stop_;       // of spans_
};

template <typename ThreadOf, typename TimeOf>
ThreadSpans::ThreadSpans(std::size_t thread_count, std::size_t count, const ThreadOf& thread_of,
                         const TimeOf& time_of)
    : spans_(count), first_(thread_count + 1) {
  for (std::size_t i = 0; i < count; ++i) {
    ++first_[thread_of(static_cast<profile::Row>(i)) + 1];
  }
  for (std::size_t i = 0; i < thread_count; ++i) first_[i + 1] += first_[i];
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (std::size_t i = 0; i < count; ++i) {
    const auto span = static_cast<profile::Row>(i);
    spans_[next[thread_of(span)]++] = span;
  }
  const auto starts = [&](profile::Row span) { return time_of(span).start_ns; };
  for (std::size_t i = 0; i < thread_count; ++i) {
    const auto begin = spans_.begin() + static_cast<std::ptrdiff_t>(first_[i]),
               end = spans_.begin() + static_cast<std::ptrdiff_t>(first_[i + 1]);
    if (!std::ranges::is_sorted(begin, end, {}, starts)) {
      std::ranges::stable_sort(begin, end, {}, starts);
    }
  }
  latest_stop_ =
      base::MaxTree(count, [&](std::size_t place) { return time_of(spans_[place]).stop_ns; });
}

template <typename TimeOf, typename Use>
void ThreadSpans::for_each_in(profile::Row thread, const base::Interval& window,
                              const TimeOf& time_of, const Use& use) const {
  const auto begin = spans_.begin() + static_cast<std::ptrdiff_t>(first_[thread]),
             end = spans_.begin() + static_cast<std::ptrdiff_t>(first_[thread + 1]);
  const auto behind = std::ranges::lower_bound(begin, end, window.stop_ns, {},
                                               [&](auto span) { return time_of(span).start_ns; });
  const auto last = static_cast<std::size_t>(behind - spans_.begin());
  const auto next_from = [&](std::size_t place) {
    return latest_stop_.first_above(place, last, window.start_ns,
                                    [&](std::size_t i) { return time_of(spans_[i]).stop_ns; });
  };
  for (std::size_t i = next_from(first_[thread]); i < last; i = next_from(i + 1)) {
    const base::Interval time = time_of(spans_[i]);
    const base::Interval part{std::max(time.start_ns, window.start_ns),
                              std::min(time.stop_ns, window.stop_ns)};
    if (part.start_ns < part.stop_ns) use(spans_[i], part);
  }
}

template <typename TimeOf>
std::pair<std::size_t, std::size_t> ThreadSpans::beginning_in(profile::Row thread,
                                                              const base::Interval& window,
                                                              const TimeOf& time_of) const {
  const auto of_thread =
      std::span(spans_).subspan(first_[thread], first_[thread + 1] - first_[thread]);
  const auto place_of = [&](int64_t time_ns) {
    const auto found = std::ranges::lower_bound(
        of_thread, time_ns, {}, [&](profile::Row span) { return time_of(span).start_ns; });
    return first_[thread] + static_cast<std::size_t>(found - of_thread.begin());
  };
  const std::size_t first = place_of(window.start_ns);
  return {first, std::max(first, place_of(window.stop_ns))};
}

}  // namespace dlview::aggregate
