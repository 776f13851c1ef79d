#include "aggregate/engine/time_order.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "aggregate/host/io_calls.h"
#include "base/parallel_algorithms.h"
#include "profile/data_loading.h"

namespace dlview::aggregate {
namespace {

using base::Interval;
using base::IntervalSet;
using profile::DeviceIndex;
using profile::InstanceIndex;
using profile::Profile;
using profile::Row;

IntervalSet op_intervals(const Profile& profile, bool data_loader_only) {
  const auto& instances = profile.instances;
  std::vector<bool> loads_data(profile.ops.size());
  for (profile::OpIndex op{0}; op < profile.ops.size(); ++op) {
    loads_data[op] = data_loader_only && profile::loads_data(profile, op);
  }
  base::LargeVector<Interval> intervals;
  for (InstanceIndex i{0}; i < instances.size(); ++i) {
    if (data_loader_only && !loads_data[instances.op[i]]) continue;
    intervals.push_back({instances.cpu_start_ns[i], instances.cpu_stop_ns[i]});
  }
  return IntervalSet::union_of_sorted(intervals);  // as instances are
}

std::vector<Levels> levels_of_cells(const ProfileIndex& index, DeviceIndex device) {
  const bool communication = std::ranges::any_of(
      index.kernels.cells,
      [device](const EventCell& cell) { return cell.device == device && cell.communicates; });
  std::vector<Levels> levels;
  for (const EventCell& cell : index.kernels.cells) {
    if (cell.device != device) {
      levels.push_back(0);
      continue;
    }
    Levels in = from_level(cell.uses_tensor_cores ? Level::tensor_core_kernels : Level::kernels);
    if (communication) {
      in |= level_bit(cell.communicates ? Level::communication : Level::computation);
    }
    levels.push_back(in);
  }
  for (const EventCell& cell : index.memory_ops.cells) {
    levels.push_back(cell.device == device ? from_level(Level::gpu) : Levels{0});
  }
  levels.push_back(from_level(Level::gpu_data_loader));
  levels.push_back(from_level(Level::gpu_io));
  levels.push_back(from_level(Level::gpu_host));
  return levels;
}

}  // namespace

TimeOrder::TimeOrder(const Profile& profile, const ProfileIndex& index, DeviceIndex device,
                     std::shared_ptr<const HostIntervals> host)
    : profile_(&profile),
      index_(&index),
      host_(std::move(host)),
      levels_(levels_of_cells(index, device)) {
  sort_events(device);
}

void TimeOrder::sort_events(DeviceIndex device) {
  const auto starts_before = [this](Event a, Event b) {
    const int64_t start_a = time_of(a).start_ns, start_b = time_of(b).start_ns;
    return start_a != start_b ? start_a < start_b : a < b;
  };
  // Brings the events from `first` on in order, then all.
  const auto sort_from = [&](std::size_t first) {
    const auto middle = events_.begin() + static_cast<std::ptrdiff_t>(first);
    base::parallel_sort(middle, events_.end(), starts_before);
    std::inplace_merge(events_.begin(), middle, events_.end(), starts_before);
  };
  const auto kernels = static_cast<Event>(profile_->kernels.size());
  const auto memory_ops = static_cast<Event>(profile_->memory_ops.size());
  for (Row k = 0; k < kernels; ++k) {
    if (index_->kernels.cells[index_->kernels.of_event[k]].device == device) events_.push_back(k);
  }
  sort_from(0);
  const std::size_t kernel_events = events_.size();
  for (Row m = 0; m < memory_ops; ++m) {
    if (profile_->memory_ops.device[m] == device) events_.push_back(kernels + m);
  }
  sort_from(kernel_events);
  const std::size_t gpu_events = events_.size();
  events_.resize(gpu_events + host_->size());
  std::iota(events_.begin() + static_cast<std::ptrdiff_t>(gpu_events), events_.end(),
            kernels + memory_ops);
  sort_from(gpu_events);
}

std::vector<TimeOrder> time_orders(const Profile& profile, const ProfileIndex& index) {
  std::vector<bool> ran_kernel(profile.devices.size());
  for (const EventCell& cell : index.kernels.cells) ran_kernel[cell.device] = true;
  const bool none_ran = std::ranges::find(ran_kernel, true) == ran_kernel.end();
  const auto host = std::make_shared<const HostIntervals>(HostIntervals{
      op_intervals(profile, true), io_intervals(profile), op_intervals(profile, false)});
  const auto no_host = std::make_shared<const HostIntervals>();
  std::vector<TimeOrder> orders;
  for (DeviceIndex device{0}; device < ran_kernel.size(); ++device) {
    const bool host_counts = none_ran || ran_kernel[device];
    orders.emplace_back(profile, index, device, host_counts ? host : no_host);
  }
  return orders;
}

}  // namespace dlview::aggregate
