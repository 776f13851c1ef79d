// Cells: count, sum, minimum and maximum of values for many groups of rows at once, in two flat
// arrays. What two sets of rows give together is then one pass over each array, whatever the groups
// are, and sums of a range of rows are the difference of two prefixes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregate/stats.h"

namespace dlview::aggregate {

struct Cells {
  std::vector<int64_t> sums;  // counts and sums
  std::vector<int64_t> lows;  // minima and complements of maxima: the lower one wins in both

  static constexpr int64_t kNothing = INT64_MAX;  // the low of no row

  Cells(std::size_t sum_count, std::size_t low_count)
      : sums(sum_count), lows(low_count, kNothing) {}
  bool operator==(const Cells&) const = default;
};

// The position in Cells of the groups of one kind, each with V values.
template <std::size_t V>
struct CellBlock {
  std::size_t first_sum = 0, first_low = 0;
  std::size_t size = 0;  // groups

  std::size_t end_sum() const { return first_sum + size * (V + 1); }
  std::size_t end_low() const { return first_low + size * 2 * V; }

  void add(Cells& cells, std::size_t group, const std::array<int64_t, V>& values) const {
    int64_t* sums = &cells.sums[first_sum + group * (V + 1)];
    int64_t* lows = &cells.lows[first_low + group * 2 * V];
    ++sums[0];
    for (std::size_t v = 0; v < V; ++v) sums[v + 1] += values[v];
    for (std::size_t v = 0; v < V; ++v) {
      lows[v] = values[v] < lows[v] ? values[v] : lows[v];
      lows[V + v] = ~values[v] < lows[V + v] ? ~values[v] : lows[V + v];
    }
  }
  void set(Cells& cells, std::size_t group, int64_t count, const int64_t (&sum)[V],
           const int64_t (&low)[2 * V]) const {
    cells.sums[first_sum + group * (V + 1)] = count;
    std::copy_n(sum, V, &cells.sums[first_sum + group * (V + 1) + 1]);
    std::copy_n(low, 2 * V, &cells.lows[first_low + group * 2 * V]);
  }
  // Adds what a group of other cells holds.
  void merge(Cells& cells, std::size_t group, const Cells& from, const CellBlock& other,
             std::size_t from_group) const {
    int64_t* sums = &cells.sums[first_sum + group * (V + 1)];
    int64_t* lows = &cells.lows[first_low + group * 2 * V];
    const int64_t* more = &from.sums[other.first_sum + from_group * (V + 1)];
    const int64_t* others = &from.lows[other.first_low + from_group * 2 * V];
    for (std::size_t s = 0; s < V + 1; ++s) sums[s] += more[s];
    for (std::size_t l = 0; l < 2 * V; ++l) lows[l] = std::min(lows[l], others[l]);
  }
  int64_t count(const Cells& cells, std::size_t group) const {
    return cells.sums[first_sum + group * (V + 1)];
  }
  Stats stats(const Cells& cells, std::size_t group, std::size_t value) const {
    const int64_t* sums = &cells.sums[first_sum + group * (V + 1)];
    const int64_t* lows = &cells.lows[first_low + group * 2 * V];
    if (sums[0] == 0) return {};
    return {sums[0], sums[value + 1], lows[value], ~lows[V + value]};
  }
};

// The values of an op instance, in the order of TimeStats.
inline std::array<int64_t, 5> values_of(const InstanceTimes& times) {
  return {times.cpu, times.gpu, times.api, times.overhead, times.idle};
}
inline TimeStats time_stats(const Cells& cells, const CellBlock<5>& block, std::size_t group) {
  return {block.stats(cells, group, 0), block.stats(cells, group, 1), block.stats(cells, group, 2),
          block.stats(cells, group, 3), block.stats(cells, group, 4)};
}

}  // namespace dlview::aggregate
