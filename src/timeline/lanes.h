// Lanes: all events of a profile as the timeline shows them, top to bottom: for each GPU when it is
// busy, what its streams run and when they synchronize, for each thread its steps of
// torch.profiler, the tree of its NVTX ranges and ops, its CUDA API calls, its OS runtime calls and
// when it had a CPU, and its Python frames once they have been read; the counters of each GPU and
// process; and the profiler overhead. Built in the background; immutable then.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aggregate/memory_use.h"
#include "aggregate/rules/rule_index.h"
#include "profile/profile.h"
#include "profile/streams.h"
#include "timeline/busy_times.h"
#include "timeline/counter_curve.h"
#include "timeline/event.h"
#include "timeline/line.h"
#include "timeline/metric_lane.h"
#include "timeline/time_window.h"

namespace dlview::timeline {

// `ranges`: NVTX ranges, ops and their groups; also the lane of steps of torch.profiler.
enum class LaneKind : uint8_t {
  busy,
  memory,
  counter,
  metric,  // samples of a GPU
  stream,
  ranges,
  api_calls,
  os_calls,
  states,
  frames,
  syncs,     // of streams and GPUs
  overhead,  // of the profiler
};

struct Lane {
  LaneKind kind = LaneKind::stream;
  std::string name;         // "Stream 7 · NCCL", "NVTX ranges"
  std::vector<Line> lines;  // from top to bottom; none of busy times, memory, counters, samples
  std::shared_ptr<const CounterCurve> counter = nullptr;  // of a counter
  std::shared_ptr<const MetricLane> metric = nullptr;     // of samples
  bool is_detail = false;  // of samples: all but the first lane of a GPU, which can be folded away
  std::size_t event_count() const;
};

// GPU memory that PyTorch's allocator has allocated.
struct GpuMemory {
  aggregate::MemoryCurve curve;
  int64_t most_bytes = 0;  // at any time, allocated or reserved
};

// What can be folded away: a GPU, a thread, or what belongs to neither.
struct LaneGroup {
  std::string id;               // "gpu_0", "thread_1823_1901", "counters_0", "overhead"
  std::string name;             // "GPU 0 · A100-SXM4", "python 1823 · thread 1901 autograd"
  profile::DeviceIndex device;  // a GPU, or else a thread or neither
  profile::Thread thread;
  std::optional<BusyTimes> busy;    // of a GPU
  std::optional<GpuMemory> memory;  // of a GPU whose memory events were recorded
  std::vector<Lane> lanes;

  // A thread of which only OS runtime calls and times on a CPU are known, as of "[NSys Comms]".
  bool is_idle_thread() const;
  // Counters of a process, counters, samples and synchronization of a GPU that did no work, or
  // overhead of the profiler.
  bool is_of_no_thread() const;
};

struct Lanes {
  explicit Lanes(std::shared_ptr<const profile::Profile> profile) : events(std::move(profile)) {}

  Events events;
  // GPUs, then counters and synchronization of none of them, then profiler overhead; then
  // threads, idle ones last, and threads of which only Python frames are known.
  std::vector<LaneGroup> groups;
  base::Interval recorded;  // from the first start of an event to the last stop; no Python frames
  TimeWindow whole;         // the same, Python frames too, with a little room around
};

std::size_t event_count(const Lanes& lanes);

// Where an event is drawn.
struct Place {
  std::size_t group = 0, lane = 0, line = 0, at = 0;
  bool operator==(const Place&) const = default;
};

std::shared_ptr<const Lanes> build_lanes(std::shared_ptr<const profile::Profile> profile,
                                         std::shared_ptr<const aggregate::RuleIndex> rules);

// The same lanes, and the Python frames of each thread below all that it has; places of other
// events stay what they are. The frames are those of the profile's file.
std::shared_ptr<const Lanes> with_python_frames(
    const Lanes& lanes, std::shared_ptr<const profile::PythonFrames> frames);

// Of an API call that has several rows, the place of the one that is drawn for all. Nothing for a
// call that was not recorded.
std::optional<Place> find_place(const Lanes& lanes, EventRef event);
inline const Line& line_at(const Lanes& lanes, const Place& place) {
  return lanes.groups[place.group].lanes[place.lane].lines[place.line];
}
inline EventRef event_at(const Lanes& lanes, const Place& place) {
  return line_at(lanes, place)[place.at];
}

// The next event of the same kind and name in the lane, or with `step` -1 the one before it.
std::optional<Place> next_of_name(const Lanes& lanes, const Place& place, int step);

}  // namespace dlview::timeline
