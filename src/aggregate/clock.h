// Whose instances cut a run of several threads: those of the thread that has most of them
// (decisions.md 4).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "profile/profile.h"

namespace dlview::aggregate {

// In the order in which the first of equal threads is taken.
using ThreadKey = std::pair<int64_t, int64_t>;  // process, thread
inline ThreadKey key_of(const profile::Thread& thread) {
  return {thread.process_id, thread.thread_id};
}

template <typename Found>
using ByThread = std::map<ThreadKey, std::vector<Found>>;

// The thread with most of them, and these. There must be one.
template <typename Found>
const typename ByThread<Found>::value_type& busiest(const ByThread<Found>& found) {
  return *std::max_element(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.second.size() < b.second.size();
  });
}

// Of the op instances; only then does one thread cut without being chosen.
bool has_several_processes(const profile::Profile& profile);

}  // namespace dlview::aggregate
