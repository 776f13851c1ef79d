// Exclusive time worked out between any two times at which something begins or ends, by a look at
// every event: the slow twin of aggregate/exclusive.
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "aggregate/exclusive/exclusive_index.h"
#include "aggregate/host/io_calls.h"
#include "profile/communication.h"
#include "profile/data_loading.h"

namespace dlview::aggregate {

struct PlacedTime {
  std::tuple<StackPart, profile::Row, profile::Row, profile::StringId, int>
      key;  // part, device, op...
  int64_t exclusive_ns = 0, overlapped_ns = 0;
  int64_t events_ns = 0, alone_ns = 0;  // of events of a GPU, and what of it they run alone
  bool operator==(const PlacedTime&) const = default;
};

// Comparable rows of sums, in order of their keys.
inline std::vector<PlacedTime> placed_times(const PartSums& sums) {
  std::vector<PlacedTime> rows;
  for (const PartTime& row : sums.rows) {
    rows.push_back({{row.key.part, row.key.device, row.key.op, row.key.name,
                     row.key.gap ? static_cast<int>(*row.key.gap) : -1},
                    row.exclusive_ns,
                    row.overlapped_ns,
                    row.alone_ns + row.shared_ns,
                    row.alone_ns + row.partly_alone_ns});
  }
  std::sort(rows.begin(), rows.end(),
            [](const PlacedTime& a, const PlacedTime& b) { return a.key < b.key; });
  return rows;
}

class ExclusiveReference {
 public:
  ExclusiveReference(const profile::Profile& profile, const RuleIndex& rules,
                     const Iterations& iterations, const Cut& cut)
      : profile_(profile),
        rules_(rules),
        iterations_(iterations),
        clock_(clock_thread(profile, cut)),
        communicates_(profile::communication_kernels(profile)),
        io_(io_intervals(profile)) {
    const auto& kernels = profile.kernels;
    for (profile::KernelIndex k{0}; k < kernels.size(); ++k) {
      const bool communication = !communicates_.empty() && communicates_[k] != 0;
      add({.start_ns = kernels.gpu_start_ns[k],
           .stop_ns = kernels.gpu_stop_ns[k],
           .device = profile.device_of_kernel(k),
           .op = profile.instances.op[kernels.instance[k]],
           .name = kernels.name[k],
           .is_kernel = true,
           .tensor_cores = kernels.uses_tensor_cores[k] != 0,
           .communicates = communication});
      ran_kernel_.insert(profile.device_of_kernel(k));
    }
    const auto& memory_ops = profile.memory_ops;
    for (profile::MemoryOpIndex m{0}; m < memory_ops.size(); ++m) {
      add({.start_ns = memory_ops.gpu_start_ns[m],
           .stop_ns = memory_ops.gpu_stop_ns[m],
           .device = memory_ops.device[m],
           .op = profile.instances.op[memory_ops.instance[m]],
           .name = memory_ops.name[m]});
    }
  }

  // Without I/O of stored aggregations.
  std::vector<PlacedTime> times(const IterationRange& range) {
    found_.clear();
    for (int64_t i = range.first; i <= range.last; ++i) {
      const Iteration& iteration = iterations_.rows[static_cast<std::size_t>(i)];
      for (profile::DeviceIndex d{0}; d < profile_.devices.size(); ++d) {
        add_device(d, iteration.start_ns, iteration.stop_ns);
      }
    }
    std::vector<PlacedTime> rows;
    for (const auto& [key, ns] : found_) {
      rows.push_back(
          {key, ns.exclusive, std::max<int64_t>(ns.events - ns.exclusive, 0), ns.events, ns.alone});
    }
    std::erase_if(rows, [](const PlacedTime& row) {
      return row.exclusive_ns == 0 && row.overlapped_ns == 0;
    });
    return rows;
  }

 private:
  struct Event {
    int64_t start_ns = 0, stop_ns = 0;
    profile::DeviceIndex device{0};
    profile::OpIndex op{0};
    profile::StringId name = 0;
    bool is_kernel = false, tensor_cores = false, communicates = false;
  };
  using Key = decltype(PlacedTime::key);

  void add(const Event& event) {
    if (event.stop_ns > event.start_ns) events_.push_back(event);
  }
  static Key key(StackPart part, profile::Row device, profile::Row op = profile::kNoRow,
                 profile::StringId name = 0, int gap = -1) {
    return {part, device, op, name, gap};
  }

  void add_device(profile::DeviceIndex device, int64_t start_ns, int64_t stop_ns) {
    std::set<int64_t> bounds{start_ns, stop_ns};
    const auto add_bound = [&](int64_t time_ns) {
      if (time_ns > start_ns && time_ns < stop_ns) bounds.insert(time_ns);
    };
    for (const Event& event : events_) {
      if (event.device != device) continue;
      add_bound(event.start_ns);
      add_bound(event.stop_ns);
      const int64_t ns = std::min(event.stop_ns, stop_ns) - std::max(event.start_ns, start_ns);
      if (ns <= 0) continue;
      const StackPart part = !event.is_kernel     ? StackPart::memory
                             : event.communicates ? StackPart::exposed_communication
                             : event.tensor_cores ? StackPart::tensor_core_kernels
                                                  : StackPart::other_kernels;
      Times& times = found_[key(part, device, event.op, event.name)];
      times.events += ns;
      times.alone +=
          alone_ns(event, std::max(event.start_ns, start_ns), std::min(event.stop_ns, stop_ns));
    }
    const auto& instances = profile_.instances;
    for (profile::InstanceIndex i{0}; i < instances.size(); ++i) {
      add_bound(instances.cpu_start_ns[i]);
      add_bound(instances.cpu_stop_ns[i]);
    }
    for (const base::Interval& time : io_.intervals()) {
      add_bound(time.start_ns);
      add_bound(time.stop_ns);
    }
    for (auto bound = bounds.begin(); std::next(bound) != bounds.end(); ++bound) {
      found_[owner(device, *bound, *std::next(bound))].exclusive += *std::next(bound) - *bound;
    }
  }

  int64_t alone_ns(const Event& event, int64_t start_ns, int64_t stop_ns) const {
    std::vector<base::Interval> others;
    for (const Event& other : events_) {
      if (&other == &event || other.device != event.device) continue;
      others.push_back({std::max(other.start_ns, start_ns), std::min(other.stop_ns, stop_ns)});
    }
    return stop_ns - start_ns - base::IntervalSet::union_of(std::move(others)).total_ns();
  }

  // Nothing begins or ends in the time.
  Key owner(profile::DeviceIndex device, int64_t from_ns, int64_t to_ns) const {
    const auto first = [&](const auto& counts) -> const Event* {
      const Event* found = nullptr;
      for (const Event& event : events_) {
        if (event.device != device || event.start_ns > from_ns || event.stop_ns <= from_ns) {
          continue;
        }
        if (counts(event) && (found == nullptr || event.start_ns < found->start_ns)) {
          found = &event;
        }
      }
      return found;
    };
    const Event* const with =
        first([](const Event& e) { return e.tensor_cores && !e.communicates; });
    if (with != nullptr) return key(StackPart::tensor_core_kernels, device, with->op, with->name);
    const Event* const without =
        first([](const Event& e) { return e.is_kernel && !e.tensor_cores && !e.communicates; });
    if (without != nullptr) {
      // The breakdown gives the instant to Tensor Core kernels, whatever hides whom.
      const Event* const hidden = first([](const Event& e) { return e.tensor_cores; });
      if (hidden != nullptr)
        return key(StackPart::tensor_core_kernels, device, hidden->op, hidden->name);
      return key(StackPart::other_kernels, device, without->op, without->name);
    }
    const Event* const moves = first([](const Event& e) { return e.communicates; });
    if (moves != nullptr)
      return key(StackPart::exposed_communication, device, moves->op, moves->name);
    const Event* const copy = first([](const Event& e) { return !e.is_kernel; });
    if (copy != nullptr) return key(StackPart::memory, device, copy->op, copy->name);
    if (ran_kernel_.empty() || ran_kernel_.contains(device)) {
      const auto loader = host_op(from_ns, true);
      if (loader)
        return key(StackPart::data_loader, device, *loader, 0, gap(device, from_ns, to_ns));
      if (io_.covered_ns(from_ns, to_ns) > 0)
        return key(StackPart::io, device, profile::kNoRow, 0, gap(device, from_ns, to_ns));
      const auto op = host_op(from_ns, false);
      if (op) return key(StackPart::cpu, device, *op, 0, gap(device, from_ns, to_ns));
    }
    return key(StackPart::other, device, profile::kNoRow, 0, gap(device, from_ns, to_ns));
  }

  std::optional<profile::Row> host_op(int64_t time_ns, bool loads) const {
    const auto& instances = profile_.instances;
    using Place = std::tuple<bool, int64_t, int64_t, int64_t, profile::Row>;
    std::optional<Place> best;
    for (profile::InstanceIndex i{0}; i < instances.size(); ++i) {
      if (profile::loads_data(profile_, instances.op[i]) != loads) continue;
      if (instances.cpu_start_ns[i] > time_ns || instances.cpu_stop_ns[i] <= time_ns) continue;
      const profile::Thread& thread = profile_.threads[instances.thread[i]];
      const Place place{!(thread == clock_), thread.process_id, thread.thread_id,
                        instances.cpu_start_ns[i], i};
      if (!best || place < *best) best = place;
    }
    if (!best) return std::nullopt;
    return instances.op[profile::InstanceIndex(std::get<4>(*best))];
  }

  int gap(profile::DeviceIndex device, int64_t from_ns, int64_t to_ns) const {
    for (const GpuWorkTimes& gpu : rules_.gpus()) {
      if (gpu.device() != device) continue;
      for (std::size_t g = 0; g < gpu.gap_count(); ++g) {
        const GpuWorkTimes::Gap idle = gpu.gap(g);
        if (idle.start_ns > from_ns || idle.stop_ns < to_ns) continue;
        return static_cast<int>(
            rules_.idle_gaps().cause(device, idle.start_ns, idle.stop_ns, idle.instance));
      }
    }
    return -1;
  }

  const profile::Profile& profile_;
  const RuleIndex& rules_;
  const Iterations& iterations_;
  std::optional<profile::Thread> clock_;
  std::vector<uint8_t> communicates_;
  base::IntervalSet io_;
  std::vector<Event> events_;  // kernels, then memory operations, in order of row
  std::set<profile::Row> ran_kernel_;
  struct Times {
    int64_t exclusive = 0, events = 0, alone = 0;
  };
  std::map<Key, Times> found_;
};

}  // namespace dlview::aggregate
