// InstanceSpans: start and stop of runs of op instances, with all their GPU activity. So filters on
// time check single instances only at the edges of a window. No filter uses the host's end of an
// instance.
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
  inside,   // inside one window: no need to check the time
  partly,   // or not worth telling apart
};

// Instance rows [first, end).
struct Segment {
  profile::Row first = 0, end = 0;
  Timing timing = Timing::inside;
};

class InstanceSpans {
 public:
  // Number of instances whose time is checked together.
  static constexpr std::size_t kRun = 64;

  // Runs of fewer than `shortest_inside` neighbors do not become `inside`.
  InstanceSpans(const profile::Profile& profile, std::size_t shortest_inside);

  // All instance rows in their order, where windows are disjoint and ascend. A segment begins at a
  // multiple of kRun, and its neighbors lie differently.
  std::vector<Segment> segments(const std::vector<TimeWindow>& windows) const;

 private:
  std::size_t instances_, shortest_inside_;
  std::vector<TimeWindow> spans_;  // of each run
};

}  // namespace dlview::aggregate::cpu
