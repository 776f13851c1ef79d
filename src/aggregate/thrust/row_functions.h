// Operations of the Thrust engine on single rows: function objects over raw pointers, which compile
// for the host and for the GPU.
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

// Places [first, end).
struct RowRange {
  uint32_t first, end;
  DLVIEW_DEVICE bool contains(uint32_t place) const { return place >= first && place < end; }
};

// Disjoint, in order of time; none = no filter on time.
struct Windows {
  const TimeWindow* rows;
  uint32_t count;

  DLVIEW_DEVICE bool asked() const { return count != 0; }
  // The first that does not stop before this time; else `count`.
  DLVIEW_DEVICE uint32_t from(int64_t ns) const {
    uint32_t low = 0, high = count;
    while (low < high) {
      const uint32_t middle = low + (high - low) / 2;
      if (rows[middle].stop_ns < ns) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
  DLVIEW_DEVICE bool contain(int64_t ns) const {
    if (!asked()) return true;
    const uint32_t w = from(ns);
    return w < count && rows[w].start_ns <= ns;
  }
  // See RowFilter::touches_any().
  DLVIEW_DEVICE bool touch(int64_t start_ns, int64_t stop_ns) const {
    if (!asked()) return true;
    const uint32_t w = from(start_ns);
    return w < count && start_ns <= rows[w].stop_ns &&
           (start_ns >= rows[w].start_ns || stop_ns > rows[w].start_ns);
  }
  // How much of the time between the two they hold.
  DLVIEW_DEVICE int64_t inside(int64_t start_ns, int64_t stop_ns) const {
    if (stop_ns <= start_ns) return 0;
    if (!asked()) return stop_ns - start_ns;
    int64_t ns = 0;
    for (uint32_t w = from(start_ns); w < count && rows[w].start_ns < stop_ns; ++w) {
      ns += lower(stop_ns, rows[w].stop_ns) - higher(start_ns, rows[w].start_ns);
    }
    return ns;
  }
};

// Kernels, then memory operations, then host intervals.
struct Events {
  const int64_t *start_ns, *stop_ns;
  const uint32_t *cell, *instance;  // cells in the same order; the host has no instances
  const uint8_t* keeps_cell;        // null = there are no filters
  Windows windows;

  DLVIEW_DEVICE bool keeps(uint32_t event) const {
    return keeps_cell == nullptr || keeps_cell[cell[event]] != 0;
  }
  // Whether a GPU event counts, then with all its time.
  DLVIEW_DEVICE bool counts(uint32_t event) const {
    return keeps(event) && windows.contain(start_ns[event]);
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
template <typename T>
struct ValueOf {
  const T* values;
  DLVIEW_DEVICE T operator()(uint32_t row) const { return values[row]; }
};
struct DurationOf {
  const int64_t *start_ns, *stop_ns;
  DLVIEW_DEVICE int64_t operator()(uint32_t row) const { return stop_ns[row] - start_ns[row]; }
};
// GPU events in the order of their cells.
struct EventsByCell {
  const uint32_t *event, *cell;
  const int64_t *gpu_ns, *api_ns;
};
struct EventTotals {
  EventsByCell rows;
  Events events;
  DLVIEW_DEVICE Totals<2> operator()(uint32_t place) const {
    const bool counts =
        (events.keeps_cell == nullptr || events.keeps_cell[rows.cell[place]] != 0) &&
        (!events.windows.asked() || events.windows.contain(events.start_ns[rows.event[place]]));
    return counts ? Totals<2>::of({rows.gpu_ns[place], rows.api_ns[place]}) : Totals<2>::none();
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
  const uint32_t* instance;  // by place
  DLVIEW_DEVICE Totals<5> operator()(uint32_t place) const {
    const uint32_t i = instance[place];
    if (!instances.count(i)) return Totals<5>::none();
    return Totals<5>::of({instances.cpu_ns[i], instances.gpu_ns[i], instances.api_ns[i],
                          instances.cpu_ns[i] - instances.api_ns[i], instances.idle_ns[i]});
  }
};

// Returns whether an instance counts: its op matches the filters, and so does one of its events or
// its time.
struct InstanceCounts {
  const uint32_t* op;
  const uint8_t* keeps_op;
  const int64_t* cpu_start_ns;
  const uint8_t* any_event;  // null = whole instances match
  bool asks_for_events;
  Windows windows;
  DLVIEW_DEVICE uint8_t operator()(uint32_t i) const {
    if (keeps_op[op[i]] == 0) return 0;
    if (any_event == nullptr || any_event[i] != 0) return 1;
    return !asks_for_events && windows.contain(cpu_start_ns[i]) ? 1 : 0;
  }
};

// The latest end of an instance's matching events on a device, and when the last of them started;
// kNever = there is none.
struct Reach {
  int64_t stop_ns, start_ns;
};
struct Further {
  DLVIEW_DEVICE Reach operator()(const Reach& a, const Reach& b) const {
    return {higher(a.stop_ns, b.stop_ns), higher(a.start_ns, b.start_ns)};
  }
};
// An event that ends before it begins has no length.
struct ReachOf {
  Events events;
  DLVIEW_DEVICE Reach operator()(uint32_t event) const {
    if (!events.keeps(event)) return {kNever, kNever};
    const int64_t start_ns = events.start_ns[event];
    return {higher(start_ns, events.stop_ns[event]), start_ns};
  }
};

// Time on the GPU that one event adds to its instance, given the events before it on the same
// device.
struct OnGpu {
  int64_t union_ns, idle_ns, events;
};
struct AddOnGpu {
  DLVIEW_DEVICE OnGpu operator()(const OnGpu& a, const OnGpu& b) const {
    return {a.union_ns + b.union_ns, a.idle_ns + b.idle_ns, a.events + b.events};
  }
};
struct OnGpuOf {
  Events events;
  const uint32_t* event;  // by place
  const Reach* before;    // by place
  DLVIEW_DEVICE OnGpu operator()(uint32_t place) const {
    const Reach own = ReachOf{events}(event[place]);
    if (own.stop_ns == kNever) return {0, 0, 0};
    const int64_t start_ns = own.start_ns, reached_ns = before[place].stop_ns;
    const bool touches = events.windows.touch(start_ns, events.stop_ns[event[place]]);
    return {events.windows.inside(higher(start_ns, reached_ns), own.stop_ns),
            is_idle(before[place], start_ns) ? start_ns - reached_ns : 0, touches ? 1 : 0};
  }

 private:
  // Whether the time up to an event lies between two events of one window: an event that ends where
  // a window begins is no part of it, unless it starts there too.
  DLVIEW_DEVICE bool is_idle(const Reach& reached, int64_t start_ns) const {
    if (reached.stop_ns == kNever || reached.stop_ns >= start_ns) return false;
    const Windows& windows = events.windows;
    if (!windows.asked()) return true;
    const uint32_t w = windows.from(start_ns);
    if (w == windows.count) return false;
    const int64_t begin_ns = windows.rows[w].start_ns;
    return reached.stop_ns > begin_ns ||
           (reached.stop_ns == begin_ns && reached.start_ns == begin_ns);
  }
};
struct AddToInstance {
  const uint32_t* instance;
  const OnGpu* on_gpu;
  int64_t *gpu_ns, *idle_ns;
  uint8_t* any_event;
  DLVIEW_DEVICE void operator()(uint32_t row) const {
    gpu_ns[instance[row]] = on_gpu[row].union_ns;
    idle_ns[instance[row]] = on_gpu[row].idle_ns;
    any_event[instance[row]] = on_gpu[row].events > 0 ? 1 : 0;
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
// A group in an iteration, or between two: see ThrustEngine::part_of_run_.
struct GroupPlace {
  uint32_t slot, part_of_run;
  DLVIEW_DEVICE bool operator==(const GroupPlace& other) const {
    return slot == other.slot && part_of_run == other.part_of_run;
  }
};
struct GroupPlaceOf {
  const uint32_t *slot, *instance;  // of each member
  const uint32_t* part_of_run;      // of each instance
  DLVIEW_DEVICE GroupPlace operator()(uint32_t member) const {
    return {slot[member], part_of_run[instance[member]]};
  }
};
struct SlotOf {
  DLVIEW_DEVICE uint32_t operator()(const GroupPlace& place) const { return place.slot; }
};
struct PartOfRunOf {
  const GroupPlace* places;
  DLVIEW_DEVICE uint32_t operator()(uint32_t row) const { return places[row].part_of_run; }
};
// A group over iterations.
struct GroupTotals {
  Totals<5> times;
  int64_t instances;
  DLVIEW_DEVICE static GroupTotals none() { return {Totals<5>::none(), 0}; }
};
struct CombineGroups {
  DLVIEW_DEVICE GroupTotals operator()(const GroupTotals& a, const GroupTotals& b) const {
    return {Combine{}(a.times, b.times), a.instances + b.instances};
  }
};
struct GroupTotalsOf {
  const GroupSums* sums;
  const GroupPlace* places;
  DLVIEW_DEVICE GroupTotals operator()(uint32_t row) const {
    const GroupSums& group = sums[row];
    const bool in_iteration = places[row].part_of_run % 2 != 0;
    if (group.instances == 0 || !in_iteration) return GroupTotals::none();
    return {Totals<5>::of({group.ns[0], group.ns[1], group.ns[2], group.ns[3], group.ns[4]}),
            group.instances};
  }
};

struct Higher {
  DLVIEW_DEVICE int64_t operator()(int64_t a, int64_t b) const { return higher(a, b); }
};
// One level of the coverage of a device: where it reaches, and what an event adds to it.
struct LevelStop {
  const int64_t *start_ns, *stop_ns;  // in order of time, as `cell`
  const uint32_t* cell;
  const Levels* levels_of_cell;
  const uint8_t* keeps_cell;  // null = there are no filters
  unsigned level;
  // kNever = nothing of it counts.
  DLVIEW_DEVICE int64_t operator()(uint32_t place) const {
    const bool inside = (levels_of_cell[cell[place]] >> level & 1) != 0;
    const bool keeps = keeps_cell == nullptr || keeps_cell[cell[place]] != 0;
    return inside && keeps && stop_ns[place] > start_ns[place] ? stop_ns[place] : kNever;
  }
};
struct LevelAdds {
  LevelStop stop_of;
  const int64_t* reached_ns;  // by place, the event's own stop included
  DLVIEW_DEVICE int64_t operator()(uint32_t place) const {
    const int64_t stop_ns = stop_of(place);
    if (stop_ns == kNever) return 0;
    const int64_t before_ns = place == 0 ? kNever : reached_ns[place - 1];
    return higher(stop_ns - higher(stop_of.start_ns[place], before_ns), 0);
  }
};
// Busy time before a time; `places` events start earlier.
struct CoveredBefore {
  const int64_t *reached_ns, *covered_ns;  // by place, inclusive
  DLVIEW_DEVICE int64_t operator()(int64_t time_ns, uint32_t places) const {
    if (places == 0) return 0;
    return covered_ns[places - 1] - (higher(reached_ns[places - 1], time_ns) - time_ns);
  }
};

}  // namespace dlview::aggregate::rowwise
