#include "aggregate/cpu/kept_rows.h"

#include <algorithm>

#include "aggregate/instance_times.h"
#include "base/parallel.h"

namespace dlview::aggregate::cpu {
namespace {

using base::Interval;
using profile::Profile;
using profile::Row;

// Enough for any number of cores, and few enough to join them quickly.
constexpr std::size_t kParts = 64;

// Gathers the rows of instances that are given in order.
class Gatherer {
 public:
  Gatherer(const Profile& profile, const std::vector<InstanceTimes>& all_times,
           const std::vector<uint8_t>& communicates, const RowFilter& filter)
      : profile_(profile),
        all_times_(all_times),
        communicates_(communicates),
        filter_(filter),
        timer_(profile) {
    rows_.on_device.resize(profile.devices.size());
  }

  void add(Row i) {
    const auto& instances = profile_.instances;
    if (!filter_.keeps_op(instances.op[i])) return;
    int64_t passed = 0;
    touched_ = false;
    for (Row k = instances.first_kernel[i]; k < instances.first_kernel[i + 1]; ++k) {
      if (!filter_.passes_kernel(k)) continue;
      add_kernel(k);
      ++passed;
    }
    for (Row m = instances.first_memory_op[i]; m < instances.first_memory_op[i + 1]; ++m) {
      if (!filter_.passes_memory_op(m)) continue;
      add_memory_op(m);
      ++passed;
    }
    const bool counts = touched_ || (!filter_.asks_for_events() &&
                                     filter_.starts_inside(instances.cpu_start_ns[i]));
    if (!counts) return;
    const int64_t all = int64_t{instances.first_kernel[i + 1]} - instances.first_kernel[i] +
                        instances.first_memory_op[i + 1] - instances.first_memory_op[i];
    const bool whole = passed == all && !filter_.asks_for_time();
    rows_.instances.push_back(i);
    rows_.times.push_back(whole ? all_times_[i] : timer_.times_of(i, filter_));
  }

  KeptRows take() { return std::move(rows_); }

 private:
  void add_kernel(Row k) {
    const auto& kernels = profile_.kernels;
    DeviceEvents& device = rows_.on_device[profile_.device_of_kernel(k)];
    std::vector<Interval>& covered =
        kernels.uses_tensor_cores[k] != 0 ? device.tensor_core_kernels : device.other_kernels;
    const std::size_t before = covered.size();
    if (add_event(kernels.gpu_start_ns[k], kernels.gpu_stop_ns[k], covered)) {
      rows_.kernels.push_back(k);
    }
    if (communicates_.empty()) return;
    std::vector<Interval>& again =
        communicates_[k] != 0 ? device.communication : device.computation;
    again.insert(again.end(), covered.begin() + static_cast<std::ptrdiff_t>(before), covered.end());
  }
  void add_memory_op(Row m) {
    const auto& memory_ops = profile_.memory_ops;
    if (add_event(memory_ops.gpu_start_ns[m], memory_ops.gpu_stop_ns[m],
                  rows_.on_device[memory_ops.device[m]].memory)) {
      rows_.memory_ops.push_back(m);
    }
  }
  // Adds what lies in the windows; whether the event counts: it starts in one.
  bool add_event(int64_t start_ns, int64_t stop_ns, std::vector<Interval>& covered) {
    bool starts_inside = false;
    for (const TimeWindow& window : filter_.windows()) {
      if (!RowFilter::touches(window, start_ns, stop_ns)) continue;
      touched_ = true;
      starts_inside = starts_inside || start_ns >= window.start_ns;
      covered.push_back({std::max(start_ns, window.start_ns), std::min(stop_ns, window.stop_ns)});
    }
    return starts_inside;
  }

  const Profile& profile_;
  const std::vector<InstanceTimes>& all_times_;
  const std::vector<uint8_t>& communicates_;
  const RowFilter& filter_;
  InstanceTimer timer_;
  KeptRows rows_;
  bool touched_ = false;  // an event of the present instance lies in a window
};

template <typename T>
void append(std::vector<T>& all, const std::vector<T>& part) {
  all.insert(all.end(), part.begin(), part.end());
}

KeptRows joined(const std::vector<KeptRows>& parts) {
  KeptRows all;
  all.on_device.resize(parts.front().on_device.size());
  for (const KeptRows& part : parts) {
    append(all.instances, part.instances);
    append(all.kernels, part.kernels);
    append(all.memory_ops, part.memory_ops);
    append(all.times, part.times);
    for (std::size_t d = 0; d < all.on_device.size(); ++d) {
      append(all.on_device[d].tensor_core_kernels, part.on_device[d].tensor_core_kernels);
      append(all.on_device[d].other_kernels, part.on_device[d].other_kernels);
      append(all.on_device[d].memory, part.on_device[d].memory);
      append(all.on_device[d].communication, part.on_device[d].communication);
      append(all.on_device[d].computation, part.on_device[d].computation);
    }
  }
  return all;
}

}  // namespace

KeptRows keep_rows(const Profile& profile, const std::vector<InstanceTimes>& times,
                   const std::vector<uint8_t>& communicates, const RowFilter& filter) {
  std::vector<KeptRows> parts(kParts);
  base::parallel_for(kParts, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t part = begin; part < end; ++part) {
      Gatherer gatherer(profile, times, communicates, filter);
      const std::size_t last = times.size() * (part + 1) / kParts;
      for (std::size_t i = times.size() * part / kParts; i < last; ++i) {
        gatherer.add(static_cast<Row>(i));
      }
      parts[part] = gatherer.take();
    }
  });
  return joined(parts);
}

std::span<const Row> rows_between(const std::vector<Row>& rows, Row first, Row end) {
  const auto from = std::lower_bound(rows.begin(), rows.end(), first);
  const auto to = std::lower_bound(from, rows.end(), end);
  return {from, to};
}

}  // namespace dlview::aggregate::cpu
