// TimeOrder: everything that counts on one device in order of its start, GPU events and what the
// host did meanwhile, and in which levels of the coverage it counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "aggregate/engine/coverage.h"
#include "aggregate/engine/profile_index.h"
#include "base/intervals.h"
#include "base/large_memory.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// Host activity, as unions over threads.
struct HostIntervals {
  base::IntervalSet data_loader;  // instances of ops that load data
  base::IntervalSet io;           // io_intervals()
  base::IntervalSet any_op;       // all op instances

  static constexpr std::size_t kKinds = 3;
  std::array<const base::IntervalSet*, kKinds> kinds() const {
    return {&data_loader, &io, &any_op};
  }
  std::size_t size() const { return data_loader.size() + io.size() + any_op.size(); }
};

class TimeOrder {
 public:
  // A number for a kernel row, then for a memory operation, then for an interval of the host, by
  // kind.
  using Event = uint32_t;

  // Everything must outlive it. `host` is empty where the host has no part in the device.
  TimeOrder(const profile::Profile& profile, const ProfileIndex& index, profile::DeviceIndex device,
            std::shared_ptr<const HostIntervals> host);

  std::span<const Event> events() const { return events_; }
  const HostIntervals& host() const { return *host_; }
  base::Interval time_of(Event event) const;
  // Cells of kernels, then of memory operations, then kinds of host intervals.
  std::size_t cell_of(Event event) const;

  // By that number; none for cells of other devices. The levels of communication are left out where
  // the device has none.
  const std::vector<Levels>& levels() const { return levels_; }

 private:
  void sort_events(profile::DeviceIndex device);
  // Intervals of the host, by their number.
  struct HostEvent {
    base::Interval time;
    std::size_t kind;
  };
  HostEvent host_event(std::size_t number) const;

  const profile::Profile* profile_;
  const ProfileIndex* index_;
  std::shared_ptr<const HostIntervals> host_;
  std::vector<Levels> levels_;
  base::LargeVector<Event> events_;
};

// One for each device row. spec.md 7: idle devices of a run that used others get no host time.
std::vector<TimeOrder> time_orders(const profile::Profile& profile, const ProfileIndex& index);

inline base::Interval TimeOrder::time_of(Event event) const {
  const auto& kernels = profile_->kernels;
  if (event < kernels.size()) return {kernels.gpu_start_ns[event], kernels.gpu_stop_ns[event]};
  std::size_t behind = event - kernels.size();
  const auto& memory_ops = profile_->memory_ops;
  if (behind < memory_ops.size()) {
    return {memory_ops.gpu_start_ns[behind], memory_ops.gpu_stop_ns[behind]};
  }
  behind -= memory_ops.size();
  return host_event(behind).time;
}

inline TimeOrder::HostEvent TimeOrder::host_event(std::size_t number) const {
  const auto kinds = host_->kinds();
  std::size_t kind = 0;
  for (; number >= kinds[kind]->size(); ++kind) number -= kinds[kind]->size();
  return {kinds[kind]->intervals()[number], kind};
}

inline std::size_t TimeOrder::cell_of(Event event) const {
  if (event < index_->kernels.of_event.size()) return index_->kernels.of_event[event];
  const std::size_t kernel_cells = index_->kernels.cells.size();
  std::size_t behind = event - index_->kernels.of_event.size();
  if (behind < index_->memory_ops.of_event.size()) {
    return kernel_cells + index_->memory_ops.of_event[behind];
  }
  behind -= index_->memory_ops.of_event.size();
  return kernel_cells + index_->memory_ops.cells.size() + host_event(behind).kind;
}

}  // namespace dlview::aggregate
