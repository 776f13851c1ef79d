// The host events of a PyTorch trace for sums over its ops and modules: which event is open at a
// time, which GPU activity and calls belong to a range, and which events count once in a sum.
//
// A GPU activity belongs to the iteration whose op instance launched it, a host event or a call to
// the one in which it begins: sums over iterations are those of the range. A run that is not split
// has all events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/range_paths.h"
#include "base/intervals.h"
#include "profile/event_forest.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// Loops over events stop at a canceled job once for so many.
inline constexpr std::size_t kEventsBetweenStops = 4096;

inline bool is_op_or_annotation(profile::HostEventKind kind) {
  return kind == profile::HostEventKind::op || kind == profile::HostEventKind::annotation;
}

// The events of these kinds; rows of Trace::nvtx. Empty for a trace of another profiler.
profile::EventForest forest_of_events(const profile::Profile& profile,
                                      const std::function<bool(profile::HostEventKind)>& takes);

struct HostMoment {
  profile::ThreadId thread = profile::kNoValue;
  int64_t time_ns = 0;
};
// For each moment the place of the event of the thread with the latest start that is open then,
// start and end included; kNoRow = none. O(n log n).
std::vector<profile::Row> open_at(const profile::EventForest& forest,
                                  std::span<const HostMoment> moments);

// By place: whether no event around it has its key. Keys are below `key_count`.
std::vector<bool> outermost_of_key(const profile::EventForest& forest,
                                   std::span<const uint32_t> keys, std::size_t key_count);

// Adds the value of each place to those of all events around it.
void add_to_events_around(const profile::EventForest& forest, std::vector<int64_t>& values);

// Drops the nodes of a tree that are empty and have no other nodes below. A node has a `parent`, an
// earlier one or kNoRow, and `times` that tell whether they are empty.
template <typename Node>
void leave_out_empty(std::vector<Node>& nodes) {
  std::vector<bool> stays(nodes.size());
  for (std::size_t node = nodes.size(); node-- > 0;) {
    if (!nodes[node].times.is_empty()) stays[node] = true;
    if (stays[node] && nodes[node].parent != profile::kNoRow) stays[nodes[node].parent] = true;
  }
  std::vector<profile::Row> new_rows(nodes.size());
  std::size_t count = 0;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    if (!stays[node]) continue;
    new_rows[node] = static_cast<profile::Row>(count);
    Node moved = nodes[node];
    if (moved.parent != profile::kNoRow) moved.parent = new_rows[moved.parent];
    nodes[count++] = moved;
  }
  nodes.resize(count);
}

// The threads of the trace by their numbers, which the tables of a Profile have.
class TraceThreadIds {
 public:
  explicit TraceThreadIds(const profile::Profile& profile);
  profile::ThreadId of(profile::ThreadIndex thread) const;

 private:
  const profile::Profile& profile_;
  std::map<ThreadKey, profile::ThreadId> ids_;
};

// By op: whether the file has the calls that launched its GPU activity.
std::vector<bool> ops_with_launches(const profile::Profile& profile);

// The time in which host events of the range begin.
class HostTimeOfRange {
 public:
  explicit HostTimeOfRange(const Aggregation& aggregation);
  bool contains(int64_t start_ns) const {
    return !time_ || (time_->start_ns <= start_ns && start_ns <= time_->stop_ns);
  }

 private:
  std::optional<base::Interval> time_;  // both ends included; nullopt = the run is not split
};

struct LaunchedActivity {
  HostMoment call;  // its start
  int64_t gpu_ns = 0;
  bool uses_tensor_cores = false;
  bool is_of_unknown_use = false;  // of Tensor Cores
};
// Kernels, memcpys and memsets of the range that match the filters and whose launch is recorded.
std::vector<LaunchedActivity> launched_activity(const profile::Profile& profile,
                                                const Aggregation& aggregation,
                                                const TraceThreadIds& threads);

}  // namespace dlview::aggregate
