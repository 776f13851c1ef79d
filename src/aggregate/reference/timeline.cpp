#include "aggregate/reference/timeline.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "aggregate/host/io_calls.h"
#include "aggregate/host/launching_threads.h"
#include "profile/data_loading.h"

namespace dlview::aggregate::reference {
namespace {

using profile::DeviceIndex;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::MemoryOpIndex;
using profile::Profile;

// `change` +1: something of the category begins, -1: it ends.
struct Point {
  int64_t time_ns = 0;
  Category category = Category::other;
  int change = 0;
};
using Points = std::vector<Point>;

void add_event(Points& points, Category category, int64_t start_ns, int64_t stop_ns) {
  if (stop_ns <= start_ns) return;
  points.push_back({start_ns, category, +1});
  points.push_back({stop_ns, category, -1});
}

void add_host_events(Points& points, const Profile& profile) {
  const auto& instances = profile.instances;
  for (InstanceIndex i{0}; i < instances.size(); ++i) {
    const bool loads_data = profile::loads_data(profile, instances.op[i]);
    add_event(points, loads_data ? Category::data_loader : Category::cpu, instances.cpu_start_ns[i],
              instances.cpu_stop_ns[i]);
  }
}

// spec.md 9, for an export.
void add_io_events(Points& points, const Profile& profile) {
  if (!profile.trace) return;
  const profile::TraceCalls& calls = profile.trace->os_calls;
  const std::vector<bool> launches = launching_threads(profile);
  for (std::size_t call = 0; call < std::min(calls.name.size(), calls.thread.size()); ++call) {
    if (calls.name[call] == profile::kNoText) continue;
    if (!reads_or_writes(profile.text(calls.name[call]))) continue;
    for (std::size_t i = 0; i < launches.size(); ++i) {
      if (launches[i] && profile.threads[i] == profile.trace->numbers_of(calls.thread[call])) {
        add_event(points, Category::io, calls.start_ns[call], calls.end_ns[call]);
      }
    }
  }
}

void add_device_events(Points& points, const Profile& profile, DeviceIndex device) {
  const auto& kernels = profile.kernels;
  for (KernelIndex i{0}; i < kernels.size(); ++i) {
    if (profile.device_of_kernel(i) != device) continue;
    const bool tensor_cores = kernels.uses_tensor_cores[i] != 0;
    add_event(points, tensor_cores ? Category::tensor_core_kernels : Category::other_kernels,
              kernels.gpu_start_ns[i], kernels.gpu_stop_ns[i]);
  }
  const auto& memory_ops = profile.memory_ops;
  for (MemoryOpIndex i{0}; i < memory_ops.size(); ++i) {
    if (memory_ops.device[i] != device) continue;
    add_event(points, Category::memory, memory_ops.gpu_start_ns[i], memory_ops.gpu_stop_ns[i]);
  }
}

// The first category of the list that is active.
Category foremost(const std::array<int64_t, kCategoryCount>& active) {
  for (const Category category : kCategories) {
    if (active[static_cast<std::size_t>(category)] > 0) return category;
  }
  return Category::other;
}

Timeline sweep(Points points) {
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.time_ns < b.time_ns; });
  Timeline timeline;
  std::array<int64_t, kCategoryCount> active{};
  int64_t reached_ns = 0;
  for (const Point& point : points) {
    const Category category = foremost(active);
    if (category != Category::other && point.time_ns > reached_ns) {
      timeline.push_back({reached_ns, point.time_ns, category});
    }
    reached_ns = point.time_ns;
    active[static_cast<std::size_t>(point.category)] += point.change;
  }
  return timeline;
}

// The devices that the host's time is credited to: those that ran a kernel, or all if none did.
std::set<DeviceIndex> credited_devices(const Profile& profile) {
  std::set<DeviceIndex> devices;
  for (KernelIndex i{0}; i < profile.kernels.size(); ++i) {
    devices.insert(profile.device_of_kernel(i));
  }
  if (!devices.empty()) return devices;
  for (DeviceIndex device{0}; device < profile.devices.size(); ++device) devices.insert(device);
  return devices;
}

}  // namespace

std::vector<Timeline> device_timelines(const Profile& profile) {
  const std::set<DeviceIndex> credited = credited_devices(profile);
  std::vector<Timeline> timelines;
  for (DeviceIndex device{0}; device < profile.devices.size(); ++device) {
    Points points;
    add_device_events(points, profile, device);
    if (credited.contains(device)) {
      add_host_events(points, profile);
      add_io_events(points, profile);
    }
    timelines.push_back(sweep(std::move(points)));
  }
  return timelines;
}

std::vector<Timeline> kept_timelines(const Profile& profile, const Kept& kept) {
  std::vector<Points> points(profile.devices.size());
  for (InstanceIndex instance{0}; instance < profile.instances.size(); ++instance) {
    for (const TimeWindow& window : kept.windows()) {
      for (const Kept::Part& part : kept.parts(instance, window)) {
        add_event(points[part.device],
                  !part.is_kernel          ? Category::memory
                  : part.uses_tensor_cores ? Category::tensor_core_kernels
                                           : Category::other_kernels,
                  part.start_ns, part.stop_ns);
      }
    }
  }
  std::vector<Timeline> timelines;
  for (Points& of_device : points) timelines.push_back(sweep(std::move(of_device)));
  return timelines;
}

Breakdown breakdown_between(const Timeline& timeline, int64_t start_ns, int64_t stop_ns) {
  Breakdown result;
  result[Category::other] = stop_ns - start_ns;
  auto segment =
      std::partition_point(timeline.begin(), timeline.end(),
                           [start_ns](const Segment& s) { return s.stop_ns <= start_ns; });
  for (; segment != timeline.end() && segment->start_ns < stop_ns; ++segment) {
    const int64_t covered_ns =
        std::min(segment->stop_ns, stop_ns) - std::max(segment->start_ns, start_ns);
    result[segment->category] += covered_ns;
    result[Category::other] -= covered_ns;
  }
  return result;
}

Breakdown breakdown_between(const Timeline& everything, const Timeline& kept, int64_t start_ns,
                            int64_t stop_ns) {
  const Breakdown gpu = breakdown_between(kept, start_ns, stop_ns);
  Breakdown result = breakdown_between(everything, start_ns, stop_ns);
  for (const Category category :
       {Category::tensor_core_kernels, Category::other_kernels, Category::memory}) {
    result[Category::other] += result[category] - gpu[category];
    result[category] = gpu[category];
  }
  return result;
}

}  // namespace dlview::aggregate::reference
