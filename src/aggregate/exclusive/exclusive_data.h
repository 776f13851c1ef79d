// ExclusiveData: exclusive time of every cell (part, op, name, idle cause) in every iteration, and
// sums of it over the first iterations.
//
// Each instant of an iteration and GPU belongs to the first part that is active:
//
//   GPU parts          the event of that part that began first of those that run (ties: lowest row)
//   data loader, CPU   the op on the clock's thread, else on the lowest thread that runs one; on
//                      one thread the instance that began first
//   all but GPU parts  divided by the cause of the idle gap
//
//   lanes: one for each part, its owners as disjoint segments in order of time
//     v  one pass over the bounds of the segments of each iteration (parallel)
//   entries (iteration, cell): exclusive ns, sum of event times; for events that run beside others:
//   ns alone, sum of event times
//     v  sums of all entries before each 16th iteration, or more
//   range
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "aggregate/exclusive/parts.h"
#include "aggregate/iterations.h"
#include "aggregate/rules/rule_index.h"
#include "base/large_memory.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// The thread whose marker splits the run: Cut::clock, else the one with the most instances of the
// marker. nullopt without a marker, and for a stored list.
std::optional<profile::Thread> clock_thread(const profile::Profile& profile, const Cut& cut);

struct ExclusiveData {
  // From this window on, the number of events of a cell that cover whole windows changes. A window
  // is the time of an iteration.
  struct WholeWindows {
    std::size_t window = 0;
    uint32_t cell = 0;
    int32_t change = 0;
  };
  struct Gpu {
    // Rows of the entries' cells, in `rows`; plus rows.size() for events that overlap others.
    std::vector<profile::Row> cells;
    std::vector<std::size_t> first;    // entry of each iteration, and one more
    base::LargeVector<uint32_t> cell;  // of each entry; a number in `cells`
    // Values beyond 32 bits are several entries.
    base::LargeVector<uint32_t> exclusive_ns, total_ns;
    std::size_t block = 1;              // iterations
    base::LargeVector<int64_t> before;  // [block][cell]: exclusive and total of all before
    // Besides the entries, in order of window: events with a damaged end cover many iterations.
    std::vector<WholeWindows> whole;
    // Time of all windows before each, and one more, in which at most one event runs. Empty
    // without `whole`.
    std::vector<int64_t> alone_before_ns;
  };
  std::vector<PartKey> rows;  // what can have time; in order
  std::vector<Gpu> gpus;      // by device; without devices one that does nothing
  // The first window of each iteration, and one more; time of all windows before each, and one
  // more. Empty if iterations overlap: then `whole` is, too.
  std::vector<std::size_t> first_window;
  std::vector<int64_t> windows_before_ns;
  // Sums over all iterations before each, and one more.
  std::vector<int64_t> durations_before_ns, host_before_ns, loader_before_ns;
};

// Costs a pass over all events on all cores, and the cause of each idle gap in an iteration.
ExclusiveData exclusive_data(const profile::Profile& profile, const RuleIndex& rules,
                             const Iterations& iterations, const Cut& cut);

}  // namespace dlview::aggregate
