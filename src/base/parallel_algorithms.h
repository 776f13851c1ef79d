// Sorting and reducing on all cores, on top of oneTBB. In a build for ThreadSanitizer, which does
// not see how TBB's library synchronizes, they run on the calling thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "base/parallel.h"
#include "base/sanitizers.h"

#ifndef DLVIEW_THREAD_SANITIZER
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_sort.h>
#endif

namespace dlview::base {

// Sorts [begin, end), not stably. `before` is called on several threads. Throws Stopped,
// with the elements in any order, once the job of this thread is canceled (base/stop_point.h).
template <typename Iterator, typename Before = std::less<>>
void parallel_sort(Iterator begin, Iterator end, Before before = {}) {
#ifdef DLVIEW_THREAD_SANITIZER
  std::sort(begin, end, before);
#else
  run_stoppable([&] { tbb::parallel_sort(begin, end, before); });
#endif
}

// Returns combine() over add(begin, end, value) of disjoint pieces that cover [0, count); each
// piece starts from `empty` or from the value of the piece before. Pieces of at most `grain`
// indices are not divided. Both functions are called on several threads.
template <typename Value, typename Add, typename Combine>
Value parallel_reduce(std::size_t count, [[maybe_unused]] std::size_t grain, Value empty,
                      const Add& add, [[maybe_unused]] const Combine& combine) {
#ifdef DLVIEW_THREAD_SANITIZER
  return add(0, count, std::move(empty));
#else
  using Range = tbb::blocked_range<std::size_t>;
  return tbb::parallel_reduce(
      Range(0, count, grain), std::move(empty),
      [&](const Range& range, Value value) {
        return add(range.begin(), range.end(), std::move(value));
      },
      combine);
#endif
}

}  // namespace dlview::base
