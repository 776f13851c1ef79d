// InstanceSpans: from when to when the op instances of a run began, with all that they did on GPUs,
// so that filters on time ask single instances only where a window begins or ends. When instances
// ended on the host is asked by no filter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregate/filter.h"
#include "profile/profile.h"

namespace dlview::aggregate::cpu {

// How the starts of instances and all that they did on GPUs lie to the windows of filters on time.
enum class Timing : uint8_t {
  outside,  // of all of them
  inside,   // of the same one: whatever else filters ask, they need not ask for the time
  partly,   // or not worth telling apart
};

// Of instance rows [first, end).
struct Segment {
  profile::Row first = 0, end = 0;
  Timing timing = Timing::inside;
};

class InstanceSpans {
 public:
  // Instances that a time is asked for together.
  static constexpr std::size_t kRun = 64;

  // Fewer neighbors than `shortest_inside` are not told to lie inside.
  InstanceSpans(const profile::Profile& profile, std::size_t shortest_inside);

  // All instance rows in their order, where windows are disjoint and ascend. A segment begins at a
  // multiple of kRun, and its neighbors lie differently.
  std::vector<Segment> segments(const std::vector<TimeWindow>& windows) const;

 private:
  std::size_t instances_, shortest_inside_;
  std::vector<TimeWindow> spans_;  // of each run
};

}  // namespace dlview::aggregate::cpu
