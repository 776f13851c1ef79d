// Rows of a table of events by the thread that they ran on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/blocks.h"
#include "base/number_distinct.h"
#include "base/untouched_vector.h"
#include "profile/trace.h"

namespace dlview::profile {

// How many rows a thread of the program goes through at a time.
inline constexpr std::size_t kThreadRowsAtOnce = std::size_t{1} << 16;

struct ThreadPlaces {
  std::vector<ThreadId> threads;   // ascending
  std::vector<std::size_t> first;  // place of a thread's first row; ends with their number
};

struct ThreadGroups : ThreadPlaces {
  base::UntouchedVector<Row> rows;  // of a thread in the order in which they were given

  std::span<Row> rows_of(std::size_t thread) {
    return std::span(rows).subspan(first[thread], first[thread + 1] - first[thread]);
  }
};

// A number for each thread of a block of rows.
class NumbersOfThreads {
 public:
  std::size_t& of(ThreadId thread) {
    const uint32_t place = threads_.find(thread);
    if (place == numbers_.size()) numbers_.push_back(0);
    return numbers_[place];
  }
  // Calls use(thread, number) for each.
  template <typename Use>
  void for_each(const Use& use) {
    for (std::size_t i = 0; i < numbers_.size(); ++i) use(threads_.keys()[i], numbers_[i]);
  }

 private:
  base::KeyNumbers<ThreadId, std::hash<ThreadId>> threads_;
  std::vector<std::size_t> numbers_;
};

// Rows by their thread, those of a thread in their order: put(i, place) is called once for each
// row, on several threads at once, as thread_of(i) is twice.
template <typename ThreadOf, typename Put>
ThreadPlaces place_by_thread(std::size_t rows, const ThreadOf& thread_of, const Put& put) {
  base::Blocks<NumbersOfThreads> blocks(rows, kThreadRowsAtOnce);
  blocks.for_each([&](NumbersOfThreads& counts, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) ++counts.of(thread_of(i));
  });
  std::map<ThreadId, std::size_t> next;  // place of each thread
  for (NumbersOfThreads& counts : blocks.states()) {
    counts.for_each([&](ThreadId thread, std::size_t count) { next[thread] += count; });
  }
  ThreadPlaces places;
  std::size_t before = 0;
  for (auto& [thread, count] : next) {
    places.threads.push_back(thread);
    places.first.push_back(before);
    before += std::exchange(count, before);
  }
  places.first.push_back(before);
  for (NumbersOfThreads& counts : blocks.states()) {
    counts.for_each([&](ThreadId thread, std::size_t& count) {
      std::size_t& place = next[thread];
      place += std::exchange(count, place);
    });
  }
  blocks.for_each([&](NumbersOfThreads& next_of, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) put(i, next_of.of(thread_of(i))++);
  });
  return places;
}

// `thread_of` returns the thread of a row.
template <typename ThreadOf>
ThreadGroups group_by_thread(std::span<const Row> rows, const ThreadOf& thread_of) {
  base::UntouchedVector<Row> placed(rows.size());
  ThreadPlaces places = place_by_thread(
      rows.size(), [&](std::size_t i) { return thread_of(rows[i]); },
      [&](std::size_t i, std::size_t place) { placed[place] = rows[i]; });
  return {std::move(places), std::move(placed)};
}

}  // namespace dlview::profile
