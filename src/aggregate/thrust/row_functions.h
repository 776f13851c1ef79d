// What the Thrust engine does with single rows: function objects over raw pointers, which compile
// for the host and for the GPU alike.
#pragma once

#include <cstdint>

#include "aggregate/engine/coverage.h"
#include "aggregate/filter.h"
#include "aggregate/thrust/space.h"

namespace dlview::aggregate::rowwise {

inline constexpr int64_t kNothing = INT64_MAX;  // Cells::kNothing
inline constexpr int64_t kNever = INT64_MIN;

DLVIEW_DEVICE inline int64_t lower(int64_t a, int64_t b) {
  return b < a ? b : a;
}
DLVIEW_DEVICE inline int64_t higher(int64_t a, int64_t b) {
  return a < b ? b : a;
}

// Count, sums and lows of V values: one group of Cells.
template <int V>
struct Totals {
  int64_t count, sum[V], low[2 * V];

  DLVIEW_DEVICE static Totals none() {
    Totals totals;
    totals.count = 0;
    for (int v = 0; v < V; ++v) totals.sum[v] = 0;
    for (int v = 0; v < 2 * V; ++v) totals.low[v] = kNothing;
    return totals;
  }
  DLVIEW_DEVICE static Totals of(const int64_t (&values)[V]) {
    Totals totals;
    totals.count = 1;
    for (int v = 0; v < V; ++v) {
      totals.sum[v] = totals.low[v] = values[v];
      totals.low[V + v] = ~values[v];
    }
    return totals;
  }
};
struct Combine {
  template <int V>
  DLVIEW_DEVICE Totals<V> operator()(const Totals<V>& a, const Totals<V>& b) const {
    Totals<V> both;
    both.count = a.count + b.count;
    for (int v = 0; v < V; ++v) both.sum[v] = a.sum[v] + b.sum[v];
    for (int v = 0; v < 2 * V; ++v) both.low[v] = lower(a.low[v], b.low[v]);
    return both;
  }
};

// Rows [first, end).
struct RowRange {
  uint32_t first, end;
  DLVIEW_DEVICE bool contains(uint32_t row) const { return row >= first && row < end; }
};

// Disjoint, in order of time.
struct Windows {
  const TimeWindow* rows;
  uint32_t count;
  DLVIEW_DEVICE bool contain(int64_t ns) const {
    for (uint32_t w = 0; w < count; ++w) {
      if (ns >= rows[w].start_ns && ns <= rows[w].stop_ns) return true;
    }
    return false;
  }
};

// Kernels, behind them memory operations, behind these what the host did.
struct Events {
  const int64_t *start_ns, *stop_ns, *api_ns;
  const uint32_t *cell, *instance;  // cells in the same order; the host has no instances
  const uint8_t* keeps_cell;        // null = there are no filters
  Windows windows;                  // of the filters

  DLVIEW_DEVICE bool keeps(uint32_t event) const {
    return keeps_cell == nullptr || keeps_cell[cell[event]] != 0;
  }
  // Whether a GPU event counts, then with all its time.
  DLVIEW_DEVICE bool counts(uint32_t event) const {
    return keeps_cell == nullptr || (keeps(event) && windows.contain(start_ns[event]));
  }
};
// Whether another instance, or another device of it, begins at a place of events that are in order
// of both.
struct BeginsAnotherDevice {
  const uint32_t *event, *instance, *cell, *device_of_cell;
  DLVIEW_DEVICE uint32_t operator()(uint32_t place) const {
    if (place == 0) return 0;
    const uint32_t here = event[place], before = event[place - 1];
    const bool same = instance[here] == instance[before] &&
                      device_of_cell[cell[here]] == device_of_cell[cell[before]];
    return same ? 0 : 1;
  }
};
struct EventTotals {
  Events events;
  RowRange instances;
  DLVIEW_DEVICE Totals<2> operator()(uint32_t event) const {
    if (!instances.contains(events.instance[event]) || !events.counts(event)) {
      return Totals<2>::none();
    }
    return Totals<2>::of({events.stop_ns[event] - events.start_ns[event], events.api_ns[event]});
  }
};

struct KernelSums {
  int64_t count, tensor_core_count, gpu_ns, tensor_core_gpu_ns;
};
struct AddKernelSums {
  DLVIEW_DEVICE KernelSums operator()(const KernelSums& a, const KernelSums& b) const {
    return {a.count + b.count, a.tensor_core_count + b.tensor_core_count, a.gpu_ns + b.gpu_ns,
            a.tensor_core_gpu_ns + b.tensor_core_gpu_ns};
  }
};
struct SumsOfKernel {
  Events events;
  const uint8_t* uses_tensor_cores;  // of each cell
  DLVIEW_DEVICE KernelSums operator()(uint32_t event) const {
    if (!events.counts(event)) return {0, 0, 0, 0};
    const int64_t ns = events.stop_ns[event] - events.start_ns[event];
    const bool tensor_core = uses_tensor_cores[events.cell[event]] != 0;
    return {1, tensor_core ? 1 : 0, ns, tensor_core ? ns : 0};
  }
};

// Op instances and their times.
struct Instances {
  const int64_t *cpu_ns, *api_ns, *gpu_ns, *idle_ns;
  const uint8_t* counts;  // null = all count
  DLVIEW_DEVICE bool count(uint32_t i) const { return counts == nullptr || counts[i] != 0; }
};
struct InstanceTotals {
  Instances instances;
  RowRange range;
  DLVIEW_DEVICE Totals<5> operator()(uint32_t i) const {
    if (!range.contains(i) || !instances.count(i)) return Totals<5>::none();
    return Totals<5>::of({instances.cpu_ns[i], instances.gpu_ns[i], instances.api_ns[i],
                          instances.cpu_ns[i] - instances.api_ns[i], instances.idle_ns[i]});
  }
};

// Whether an instance counts: filters keep its op, and an event of it or its own time.
struct InstanceCounts {
  const uint32_t* op;
  const uint8_t* keeps_op;
  const int64_t* cpu_start_ns;
  const uint8_t* any_event;  // null = whole instances are kept
  bool asks_for_events;
  Windows windows;
  DLVIEW_DEVICE uint8_t operator()(uint32_t i) const {
    if (keeps_op[op[i]] == 0) return 0;
    if (any_event == nullptr || any_event[i] != 0) return 1;
    return !asks_for_events && windows.contain(cpu_start_ns[i]) ? 1 : 0;
  }
};

// The part of an event in one window, and whether it has any: one that only touches the window, or
// ends before it begins, is a part without length.
struct EventPart {
  int64_t start_ns, stop_ns;
  bool any;
};
struct PartOf {
  Events events;
  TimeWindow window;
  DLVIEW_DEVICE EventPart operator()(uint32_t event) const {
    const int64_t start_ns = events.start_ns[event], stop_ns = events.stop_ns[event];
    const bool touches =
        start_ns <= window.stop_ns && (start_ns >= window.start_ns || stop_ns > window.start_ns);
    if (!touches || !events.keeps(event)) return {kNever, kNever, false};
    const int64_t from_ns = higher(start_ns, window.start_ns);
    return {from_ns, higher(from_ns, lower(stop_ns, window.stop_ns)), true};
  }
};
struct StopOf {
  PartOf part_of;
  DLVIEW_DEVICE int64_t operator()(uint32_t event) const { return part_of(event).stop_ns; }
};
struct Higher {
  DLVIEW_DEVICE int64_t operator()(int64_t a, int64_t b) const { return higher(a, b); }
};

// Time on the GPU that one event adds to its instance, when `reached_ns` is where the events before
// it on the same device have ended; kNever = there is none.
struct OnGpu {
  int64_t union_ns, idle_ns, events;
};
struct AddOnGpu {
  DLVIEW_DEVICE OnGpu operator()(const OnGpu& a, const OnGpu& b) const {
    return {a.union_ns + b.union_ns, a.idle_ns + b.idle_ns, a.events + b.events};
  }
};
struct AddToInstance {
  const uint32_t* instance;
  const OnGpu* on_gpu;
  int64_t *gpu_ns, *idle_ns;
  uint8_t* any_event;
  DLVIEW_DEVICE void operator()(uint32_t row) const {
    gpu_ns[instance[row]] += on_gpu[row].union_ns;
    idle_ns[instance[row]] += on_gpu[row].idle_ns;
    if (on_gpu[row].events > 0) any_event[instance[row]] = 1;
  }
};
struct OnGpuOf {
  PartOf part_of;
  const uint32_t* event;      // by place
  const int64_t* reached_ns;  // by place
  DLVIEW_DEVICE OnGpu operator()(uint32_t place) const {
    const EventPart part = part_of(event[place]);
    if (!part.any) return {0, 0, 0};
    const int64_t covered_ns = reached_ns[place] == kNever ? part.start_ns : reached_ns[place];
    return {higher(part.stop_ns - higher(part.start_ns, covered_ns), 0),
            higher(part.start_ns - covered_ns, 0), 1};
  }
};

// The sums of a group within one iteration: what counts there as one value.
struct GroupSums {
  int64_t instances, ns[5];
};
struct AddGroupSums {
  DLVIEW_DEVICE GroupSums operator()(const GroupSums& a, const GroupSums& b) const {
    GroupSums both;
    both.instances = a.instances + b.instances;
    for (int v = 0; v < 5; ++v) both.ns[v] = a.ns[v] + b.ns[v];
    return both;
  }
};
struct GroupSumsOf {
  Instances instances;
  DLVIEW_DEVICE GroupSums operator()(uint32_t i) const {
    if (!instances.count(i)) return {0, {0, 0, 0, 0, 0}};
    const int64_t cpu_ns = instances.cpu_ns[i], api_ns = instances.api_ns[i];
    return {1, {cpu_ns, instances.gpu_ns[i], api_ns, cpu_ns - api_ns, instances.idle_ns[i]}};
  }
};
// A group in an iteration.
struct GroupPlace {
  uint32_t slot, iteration;
  DLVIEW_DEVICE bool operator==(const GroupPlace& other) const {
    return slot == other.slot && iteration == other.iteration;
  }
};
struct GroupPlaceOf {
  const uint32_t *slot, *instance;  // of each member
  const uint32_t* iteration;        // of each instance
  DLVIEW_DEVICE GroupPlace operator()(uint32_t member) const {
    return {slot[member], iteration[instance[member]]};
  }
};
struct SlotOf {
  DLVIEW_DEVICE uint32_t operator()(const GroupPlace& place) const { return place.slot; }
};
// A group over iterations.
struct GroupTotals {
  Totals<5> times;
  int64_t instances;
};
struct CombineGroups {
  DLVIEW_DEVICE GroupTotals operator()(const GroupTotals& a, const GroupTotals& b) const {
    return {Combine{}(a.times, b.times), a.instances + b.instances};
  }
};
struct GroupTotalsOf {
  const GroupSums* sums;
  const GroupPlace* places;
  RowRange iterations;
  DLVIEW_DEVICE GroupTotals operator()(uint32_t row) const {
    const GroupSums& group = sums[row];
    if (group.instances == 0 || !iterations.contains(places[row].iteration)) {
      return {Totals<5>::none(), 0};
    }
    return {Totals<5>::of({group.ns[0], group.ns[1], group.ns[2], group.ns[3], group.ns[4]}),
            group.instances};
  }
};

// One level of the coverage of a device: where it reaches, and what an event adds to it.
struct LevelPart {
  Events events;
  const Levels* levels_of_cell;
  unsigned level;
  TimeWindow window;
  DLVIEW_DEVICE EventPart operator()(uint32_t event) const {
    const int64_t start_ns = higher(events.start_ns[event], window.start_ns);
    const int64_t stop_ns = lower(events.stop_ns[event], window.stop_ns);
    const bool inside = (levels_of_cell[events.cell[event]] >> level & 1) != 0;
    if (!inside || stop_ns <= start_ns || !events.keeps(event)) return {kNever, kNever, false};
    return {start_ns, stop_ns, true};
  }
};
struct LevelStop {
  LevelPart part_of;
  DLVIEW_DEVICE int64_t operator()(uint32_t event) const { return part_of(event).stop_ns; }
};
struct LevelAdds {
  LevelPart part_of;
  const uint32_t* event;      // by place
  const int64_t* reached_ns;  // by place, the event's own stop included
  DLVIEW_DEVICE int64_t operator()(uint32_t place) const {
    const EventPart part = part_of(event[place]);
    if (!part.any) return 0;
    const int64_t before_ns = place == 0 ? kNever : reached_ns[place - 1];
    return higher(part.stop_ns - higher(part.start_ns, before_ns), 0);
  }
};
// Covered before a time, of which `places` events start earlier.
struct CoveredBefore {
  const int64_t *reached_ns, *covered_ns;  // by place, inclusive
  int64_t window_start_ns;
  DLVIEW_DEVICE int64_t operator()(int64_t time_ns, uint32_t places) const {
    if (places == 0 || time_ns <= window_start_ns) return 0;
    return covered_ns[places - 1] - (higher(reached_ns[places - 1], time_ns) - time_ns);
  }
};

}  // namespace dlview::aggregate::rowwise
