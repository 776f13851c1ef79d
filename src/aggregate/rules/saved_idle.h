// The GPU time gained if the host no longer blocks in certain calls. Without a call of n ns, the
// host launches everything after it up to n ns earlier. An idle gap shrinks by that much if the
// activity at its end is launched after the call. The gain ends where the host blocks again on a
// busy GPU.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/intervals.h"

namespace dlview::aggregate {

// The GPU is idle from start to stop. The work that ends the gap is launched at launch_ns.
struct LaunchedGap {
  int64_t start_ns = 0, stop_ns = 0, launch_ns = 0;
};

// Returns what each call could save at most, in ns. `calls` are in order of their stops, as are
// `barriers`, the calls in which the host still blocks on a busy GPU; `gaps` are in order of time.
// A gap is shared out to the calls before it, the last one first. Where calls
// of several threads overlap, the time belongs to the one that stops first. Near linear.
std::vector<int64_t> saved_idle_ns(std::span<const base::Interval> calls,
                                   std::span<const base::Interval> barriers,
                                   std::span<const LaunchedGap> gaps);

}  // namespace dlview::aggregate
