// ThreadSpans: spans of time of many threads, such as calls, thread by thread in order of their
// start: those that share time with a window are found without looking at the others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/intervals.h"
#include "profile/rows.h"

namespace dlview::aggregate {

class ThreadSpans {
 public:
  // Spans 0 to count - 1; `thread_of` tells the thread of one, `time_of` its base::Interval.
  template <typename ThreadOf, typename TimeOf>
  ThreadSpans(std::size_t thread_count, std::size_t count, const ThreadOf& thread_of,
              const TimeOf& time_of);

  // Calls use(span, part of it inside the window) in order of start. `time_of` as before. Costs
  // what it finds, and a word for each kBlock spans of the thread that begin before the window.
  template <typename TimeOf, typename Use>
  void for_each_in(profile::Row thread, const base::Interval& window, const TimeOf& time_of,
                   const Use& use) const;

 private:
  static constexpr std::size_t kBlock = 128;

  std::vector<profile::Row> spans_;
  std::vector<std::size_t> first_;    // of each thread, and one more
  std::vector<int64_t> latest_stop_;  // of each kBlock of spans_
};

template <typename ThreadOf, typename TimeOf>
ThreadSpans::ThreadSpans(std::size_t thread_count, std::size_t count, const ThreadOf& thread_of,
                         const TimeOf& time_of)
    : spans_(count), first_(thread_count + 1), latest_stop_(count / kBlock + 1, INT64_MIN) {
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
  for (std::size_t i = 0; i < count; ++i) {
    int64_t& latest = latest_stop_[i / kBlock];
    latest = std::max(latest, time_of(spans_[i]).stop_ns);
  }
}

template <typename TimeOf, typename Use>
void ThreadSpans::for_each_in(profile::Row thread, const base::Interval& window,
                              const TimeOf& time_of, const Use& use) const {
  const auto begin = spans_.begin() + static_cast<std::ptrdiff_t>(first_[thread]),
             end = spans_.begin() + static_cast<std::ptrdiff_t>(first_[thread + 1]);
  const auto behind = std::ranges::lower_bound(begin, end, window.stop_ns, {},
                                               [&](auto span) { return time_of(span).start_ns; });
  const auto last = static_cast<std::size_t>(behind - spans_.begin());
  for (std::size_t i = first_[thread]; i < last; ++i) {
    if (latest_stop_[i / kBlock] <= window.start_ns) {
      i = (i / kBlock + 1) * kBlock - 1;
      continue;
    }
    const base::Interval time = time_of(spans_[i]);
    const base::Interval part{std::max(time.start_ns, window.start_ns),
                              std::min(time.stop_ns, window.stop_ns)};
    if (part.start_ns < part.stop_ns) use(spans_[i], part);
  }
}

}  // namespace dlview::aggregate
