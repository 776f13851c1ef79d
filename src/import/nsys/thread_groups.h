// Rows of a table of events by the thread that they ran on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <unordered_map>
#include <vector>

#include "profile/trace.h"

namespace dlview::import::nsys {

struct ThreadGroups {
  std::vector<profile::GlobalId> threads;  // ascending
  std::vector<std::size_t> first;          // place of a thread's first row; ends with their number
  std::vector<profile::Row> rows;          // of a thread in the order in which they were given

  std::span<profile::Row> rows_of(std::size_t thread) {
    return std::span(rows).subspan(first[thread], first[thread + 1] - first[thread]);
  }
};

// `thread_of` returns the thread of a row.
template <typename ThreadOf>
ThreadGroups group_by_thread(const std::vector<profile::Row>& rows, const ThreadOf& thread_of) {
  ThreadGroups groups;
  std::unordered_map<profile::GlobalId, uint32_t> numbers;  // in order of first use
  std::vector<std::size_t> counts;
  std::vector<uint32_t> number_of(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const profile::GlobalId thread = thread_of(rows[i]);
    uint32_t number = i == 0 ? 0 : number_of[i - 1];
    if (i == 0 || groups.threads[number] != thread) {
      const auto [entry, added] = numbers.emplace(thread, static_cast<uint32_t>(numbers.size()));
      if (added) {
        groups.threads.push_back(thread);
        counts.push_back(0);
      }
      number = entry->second;
    }
    number_of[i] = number;
    ++counts[number];
  }

  std::vector<uint32_t> order(counts.size());
  std::iota(order.begin(), order.end(), uint32_t{0});
  std::ranges::sort(order, {}, [&](uint32_t number) { return groups.threads[number]; });
  std::vector<std::size_t> next(counts.size());
  std::size_t place = 0;
  for (const uint32_t number : order) {
    groups.first.push_back(place);
    next[number] = place;
    place += counts[number];
  }
  groups.first.push_back(place);
  std::ranges::sort(groups.threads);
  groups.rows.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) groups.rows[next[number_of[i]]++] = rows[i];
  return groups;
}

}  // namespace dlview::import::nsys
