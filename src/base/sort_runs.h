// A stable sort for what is in order already but for a few breaks, as the rows of several threads
// one after the other are: runs that are in order are found and merged.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/stop_point.h"
#include "base/untouched_vector.h"

namespace dlview::base {

// n log(runs), with a copy of the values while runs are merged. Stopped, it leaves them in any
// order.
template <typename T, typename Less>
void sort_runs(std::span<T> values, const Less& comes_before) {
  static_assert(std::is_trivially_copyable_v<T>, "values are copied back and forth");
  std::vector<std::size_t> ends;  // of runs
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (comes_before(values[i], values[i - 1])) ends.push_back(i);
  }
  if (ends.empty()) return;
  ends.push_back(values.size());
  UntouchedVector<T> copy(values.size());
  std::span<T> from = values, to = copy;
  while (ends.size() > 1) {
    std::vector<std::size_t> merged;
    std::size_t begin = 0;
    for (std::size_t run = 0; run < ends.size(); run += 2) {
      stop_point();
      const std::size_t middle = ends[run];
      const std::size_t end = run + 1 < ends.size() ? ends[run + 1] : middle;
      const T* rows = from.data();
      std::merge(rows + begin, rows + middle, rows + middle, rows + end, to.data() + begin,
                 comes_before);
      merged.push_back(end);
      begin = end;
    }
    ends = std::move(merged);
    std::swap(from, to);
  }
  if (from.data() != values.data()) std::copy(from.begin(), from.end(), values.begin());
}

}  // namespace dlview::base
